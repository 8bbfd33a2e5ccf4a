#!/usr/bin/env python3
"""How fast Strata's objects are on more cores than this machine has, and what keeps them from being faster.

    venv/bin/pip install -r scripts/requirements.txt
    cargo build --release -p strata-cli -p strata-runtime
    venv/bin/python scripts/simulate_cores.py [FILE.mlir | FOLDER | MODEL.py …] [--zoo all] [--only NAME,…]
        [--bandwidth-cores 8] [--wake 10] [--priority 40] [--log FILE.jsonl] [--output FILE.md]

An executor runs the tasks of each dispatch one after the other on one thread, and notes what each takes, and the code
between dispatches, as for each number of workers; medians over several calls. From these, the time of a call on 1 to 64 workers is that of the code
between dispatches, and of a list schedule of each dispatch's tasks in the order in which the threads of
include/strata/threads.h take them. What these threads take to wake when they sleep between dispatches is measured, too;
`--wake` is another time for it, in microseconds: 0.3 for threads that look for work, as they do for 100. `--bandwidth-cores` says how many cores can read and write memory at the speed of one each: a call that
moves more than caches hold does not take less than that.

Caches and clocks are those of one busy core: what a core gains from a smaller part of the data, and what it loses to
others, is not in the figures. The speed-up on two processors is measured beside the predicted one: shortest calls.

Of the time on 64 workers the table has the shares that are lost: to the code between dispatches, to dispatches that do
not have a task for each worker, to tasks that differ, to waking and waiting, to memory. `--parts` lists the parts that
take longest then, and what they are of.
"""

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from bench_peers import find_strata  # noqa: E402
from peers import page, programs, schedules, strata, zoo  # noqa: E402
from peers.measure import Harness, Process, taken  # noqa: E402

MOST = schedules.WORKERS[-1]


def simulated(row, wake, cores):
    """The time of a call on each number of workers."""
    cores = cores if row["bytes"] >= schedules.LARGE else 0
    # One core moves all of it in the time of a call.
    on = {p: row["on"][str(max(p, schedules.WORKERS[1]))] for p in schedules.WORKERS}
    moving = min(row["moving"], schedules.call(on[1]["before"], on[1]["tasks"], 1)["total"])
    return {p: schedules.call(own["before"], own["tasks"], p, wake, moving, cores) for p, own in on.items()}


LOST = {
    "serial": "code between",
    "few": "few tasks",
    "unequal": "unequal tasks",
    "wake": "waking",
    "bandwidth": "memory",
}


def line(row, wake, cores):
    """A row of the table."""
    calls = simulated(row, wake, cores)
    one, last = calls[1]["total"], calls[MOST]
    speed_ups = [one / calls[p]["total"] for p in schedules.WORKERS[1:]]
    shares = [100 * last[name] / last["total"] for name in LOST if name != "bandwidth" or cores]
    dispatches = sum(1 for times in row["tasks"] if times)
    measured = row["one"] / row["two"]
    cells = [row["program"], f"{1e3 * one:.3g}", str(dispatches), f"{measured:.2f}", f"{speed_ups[0]:.2f}"]
    return [*cells, *(f"{s:.1f}" for s in speed_ups[1:]), *(f"{s:.0f}" for s in shares)]


def table(rows, wake, cores):
    head = ["program", "ms", "dispatches", "on 2, measured", *(f"on {p}" for p in schedules.WORKERS[1:])]
    head += [f"% {told}" for name, told in LOST.items() if name != "bandwidth" or cores]
    return [head, *(line(row, wake, cores) for row in rows)]


def means(rows, wake, cores):
    """Lines with geometric means of the speed-ups, and of what they would be without one of the losses."""
    calls = [simulated(row, wake, cores) for row in rows]
    kinds = [name for name in LOST if name != "bandwidth" or cores]

    def mean(workers, loss=None):
        after = [c[workers]["total"] if loss is None else schedules.without(c[workers], loss, workers) for c in calls]
        return statistics.geometric_mean(c[1]["total"] / t for c, t in zip(calls, after, strict=True))

    head = ["workers", "speed-up", *(f"without {LOST[name]}" for name in kinds)]
    return [head, *([str(p), *(f"{mean(p, loss):.2f}" for loss in (None, *kinds))] for p in schedules.WORKERS[1:])]


def marked(told):
    lines = [told[0], ["---"] + ["---:"] * (len(told[0]) - 1), *told[1:]]
    return [f"| {' | '.join(cells)} |" for cells in lines]


class Simulation:
    def __init__(self, options, folder):
        options.without, options.threads = [], [1]
        self.options, self.harness = options, Harness(options, folder)
        self.library = str(strata.make_library(options.strata, folder, programs.ROOT / "benches/native/cores.c"))
        self.wake = None

    def row(self, program):
        """What one program takes, or why that is not known."""
        row = {"program": program.name, "digest": program.digest}
        worker = None
        try:
            told = self.harness.describe(program)
            row["bytes"] = told["least"]["read"] + told["least"]["written"]
            worker = Process(2, self.harness.folder)
            spec = {**told, **self.harness.tools, "threads": 1, "system": "cores", "cores": self.library}
            spec["processors"] = taken(2)[::-1]
            worker.ask("build", self.options.timeout, spec=spec)
            given = {name: getattr(self.options, name) for name in ("seconds", "rounds", "priority")}
            given["bandwidth"] = bool(self.options.bandwidth_cores) and row["bytes"] >= schedules.LARGE
            row |= worker.ask("record", self.options.timeout, **given)
            if self.wake is None and len(spec["processors"]) > 1:
                self.wake = worker.ask("wake", self.options.timeout, priority=self.options.priority)
        except Exception as error:  # one row's fault must not end the run
            row["fault"] = f"{error}"
        finally:
            if worker:
                worker.close()
        return row


def main():
    models = (*zoo.NAMES, *zoo.EXAMPLES)
    parser = argparse.ArgumentParser(description=" ".join(__doc__.split("\n\n")[0].split()))
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="StableHLO, folders of it, or JAX models")
    parser.add_argument("--zoo", default="", metavar="MODEL,…", help=f"JAX functions, or all: {', '.join(models)}")
    parser.add_argument("--weights", default="constants", metavar="WAY,…", help="of these: constants, arguments")
    parser.add_argument("--tiny", action="store_true", help="small variants of the models of --zoo")
    parser.add_argument("--only", default="", metavar="NAME,…", help="of the programs, these only")
    parser.add_argument("--wake", type=float, metavar="US", help="until a thread wakes; default: measured")
    parser.add_argument("--bandwidth-cores", type=int, default=0, metavar="N", help="cores with the speed of memory")
    parser.add_argument("--seconds", type=float, default=2.0, help="what the rounds of a program may take")
    parser.add_argument("--rounds", type=int, default=7, help="fewest rounds")
    parser.add_argument("--timeout", type=float, default=300.0, help="seconds for one step")
    parser.add_argument("--priority", type=int, default=0, help="a real-time priority while something is measured")
    parser.add_argument("--parts", type=int, default=5, help="of each program, how many of its longest parts are told")
    parser.add_argument("--strata", type=Path, help="the strata command; default: the release build")
    parser.add_argument("--log", type=Path, metavar="FILE.jsonl", help="write what was measured, and read it again")
    parser.add_argument("--output", type=Path, metavar="FILE.md", help="write the table and the parts into a file")
    options = parser.parse_args()
    options.strata = find_strata(options.strata)
    if not options.strata:
        parser.error("there is no strata command")
    texts, files = ([p for p in options.paths if (p.suffix == ".py") == python] for python in (False, True))
    functions = zoo.listed([n for n in options.zoo.split(",") if n], files, options.weights.split(","), options.tiny)
    chosen = programs.selected(texts, False, [n for n in options.only.split(",") if n], functions)

    known, rows, wake = {}, [], None
    if options.log and options.log.exists():
        for entry in map(json.loads, options.log.read_text().splitlines()):
            wake = entry.get("wake") or wake
            if "fault" not in entry:
                known[entry["program"], entry["digest"]] = entry
    log = options.log.open("a") if options.log else None
    with tempfile.TemporaryDirectory() as folder:
        simulation = Simulation(options, Path(folder))
        simulation.wake = wake
        for program in chosen:
            row = known.get((program.name, program.digest))
            if row is None:
                row = simulation.row(program)
                wake = simulation.wake
                if log:
                    print(json.dumps(row | {"wake": wake}), file=log, flush=True)
            print(f"{row['program']}: {row.get('fault', 'measured')}", file=sys.stderr, flush=True)
            rows.append(row)
    if options.wake is not None:
        wake = {"signal": 0.0, "each": 0.0, "start": 1e-6 * options.wake, "end": 1e-6 * options.wake}
    wake = wake or schedules.FREE
    good = [row for row in rows if "fault" not in row]
    tables = [of(good, wake, options.bandwidth_cores) for of in (table, means)] if good else []
    times = ", ".join(f"{name} {1e6 * seconds:.2g}" for name, seconds in wake.items())
    lines = [f"A dispatch of the pool, in microseconds: {times}."]
    for row in good if options.parts else []:
        lines += ["", f"{row['program']}:"]
        for seconds, told_of in schedules.longest(row, wake, options.parts):
            lines.append(f"- {1e6 * seconds:.3g} us: {told_of}")
    lines += [f"{row['program']}: {row['fault']}" for row in rows if "fault" in row]
    for told in tables:
        print("\n".join([*page.aligned(told), ""]))
    print("\n".join(lines))
    if options.output:
        options.output.write_text("\n\n".join("\n".join(part) for part in (*map(marked, tables), lines)) + "\n")
    return 1 if len(good) < len(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
