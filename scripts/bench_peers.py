#!/usr/bin/env python3
"""Strata's objects beside XLA:CPU (through JAX), IREE and NumPy, models also beside ONNX Runtime and OpenVINO, on as
many threads each.

    venv/bin/pip install -r scripts/requirements.txt
    cargo build --release -p strata-cli -p strata-runtime
    venv/bin/python scripts/bench_peers.py [FILE.mlir | FOLDER | MODEL.py …] [--models] [--zoo bert,vit] [--explain]
        [--threads 1,2] [--seconds-per-row 3] [--markdown docs/performance.md | --output FILE.md]
        [--log FILE.jsonl [--resume]]

Without files it takes square f32 matmuls and the bundled models, on one thread. A folder stands for its programs;
a `manifest.json` in it gives their order and the kinds of their arguments.

Models that are JAX functions, of `--zoo` or of a file with a function `model()` (scripts/peers/zoo.py), run in ONNX
Runtime and OpenVINO, too, as jax2onnx exports them (`pip install -r scripts/requirements-onnx.txt`). Their weights are
constants of the program, which every system may prepare; `--weights arguments` makes them arguments of all.

Each system has a process of its own for each row, on the same cores: what one leaves running, threads that spin or a
crash, is not another's. Results are compared with XLA's (NumPy's where XLA has none) before anything is timed, and
Strata's with one and with several threads bit by bit. Then the systems are timed alternately: every sample is the same number of
calls for all, a process whose turn it is not is stopped, the first rounds do not count. Times are medians over the
rounds, ratios the medians of each round's ratio, so that a machine that slows down slows down all of them. With
several threads Strata is also timed without an executor: that is its own speed-up.

Each system is called through its own client, with its inputs resident: JAX through `jax.jit`, IREE through its VM,
Strata through ctypes. Outputs of all but XLA and IREE are resident; these allocate theirs in each call, from an
allocator that keeps its pages. Large buffers are in huge pages for all.

`--explain` adds what bounds each row, measured in the same rounds, and the share of that limit which each system
reaches (scripts/peers/limits.py).
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from peers import limits, page, programs, summary, zoo  # noqa: E402
from peers.measure import Harness  # noqa: E402


def find_strata(given):
    if given:
        return given.resolve() if given.exists() else given
    target = Path(os.environ.get("CARGO_TARGET_DIR", programs.ROOT / "target"))
    found = target / "release/strata"
    if found.exists():
        return found
    print(f"no {found}: Strata is left out (cargo build --release -p strata-cli)", file=sys.stderr)
    return None


def read_log(path, told):
    """The rows of an earlier run, by program and threads. A line that was being written when it ended is left out."""
    known = {}
    for line in path.read_text().splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if "machine" in entry and entry["machine"] != told:
            raise SystemExit(f"{path} is of another machine or of other packages: {entry['machine']}")
        if "program" in entry:
            known[entry["program"], entry["digest"], entry["threads"]] = entry
    return known


def progress(row):
    told = [f"{row['program']}, threads {row['threads']}:"]
    for system in ("Strata", "Strata, one thread", *summary.SYSTEMS[1:]):
        if (milliseconds := summary.milliseconds(row, system)) is not None:
            ratio = summary.ratio(row, system) if system != "Strata" else None
            told.append(f"{system} {milliseconds:.4g} ms" + (f" ({ratio:.2f})" if ratio else ""))
    if limit := limits.bound(row):
        shares = ", ".join(f"{s} {100 * v:.0f} %" for s in summary.present([row]) if (v := limits.share(row, s)))
        told.append(f"limit: {limit[0]}, {limit[1]:.4g} ms: {shares}")
    print(" ".join(told), file=sys.stderr)
    for line in page.problems([row]):
        print(f"  {line}", file=sys.stderr)
    sys.stderr.flush()


def main():
    models = (*zoo.NAMES, *zoo.EXAMPLES)
    parser = argparse.ArgumentParser(description=" ".join(__doc__.split("\n\n")[0].split()))
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="StableHLO text, folders of it, or JAX models")
    parser.add_argument("--models", action="store_true", help="the bundled models as well")
    parser.add_argument("--zoo", default="", metavar="MODEL,…", help=f"models as JAX functions, or all: {', '.join(models)}")
    parser.add_argument("--weights", default="constants", metavar="WAY,…", help="of these: constants, arguments")
    parser.add_argument("--tiny", action="store_true", help="small variants of the models of --zoo")
    parser.add_argument("--explain", action="store_true", help="what bounds each row, and the share of that limit")
    parser.add_argument("--only", default="", metavar="NAME,…", help="of the programs, these only")
    parser.add_argument("--threads", default="1", metavar="N,…", help="a row for each number; default: 1")
    parser.add_argument("--seconds-per-row", type=float, default=3.0, help="what the rounds of a row may take")
    parser.add_argument("--sample", type=float, default=200e-6, help="seconds that a sample lasts at least")
    parser.add_argument("--rounds", type=int, default=7, help="fewest rounds")
    parser.add_argument("--most-rounds", type=int, default=101)
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for one step of a system")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="largest relative difference from XLA's results")
    parser.add_argument("--strata", type=Path, help="the strata command; default: the release build")
    parser.add_argument("--without", default="", metavar="SYSTEM,…", help=f"of {', '.join(summary.SYSTEMS)}")
    parser.add_argument("--markdown", type=Path, help="write the tables into this page, between its markers")
    parser.add_argument("--output", type=Path, metavar="FILE.md", help="write the tables into a separate file")
    parser.add_argument("--log", type=Path, metavar="FILE.jsonl", help="append each row when it is finished")
    parser.add_argument("--resume", action="store_true", help="rows that the log has are not measured again")
    options = parser.parse_args()
    options.threads = [int(n) for n in options.threads.split(",")]
    options.without = [s for s in options.without.split(",") if s]
    options.strata = find_strata(options.strata)
    if min(options.threads) < 1 or max(options.threads) > len(os.sched_getaffinity(0)):
        parser.error(f"--threads: this process may run on {len(os.sched_getaffinity(0))} processors")
    if unknown := set(options.without) - set(summary.SYSTEMS):
        parser.error(f"--without: no system {', '.join(sorted(unknown))}")
    weights = options.weights.split(",")
    if unknown := set(weights) - set(zoo.WEIGHTS):
        parser.error(f"--weights: constants or arguments, not {', '.join(sorted(unknown))}")
    texts, files = ([p for p in options.paths if (p.suffix == ".py") == python] for python in (False, True))
    functions = zoo.listed([n for n in options.zoo.split(",") if n], files, weights, options.tiny)
    chosen = programs.selected(texts, options.models, [n for n in options.only.split(",") if n], functions)

    told, known = page.machine(bool(functions)), {}
    if options.resume and not options.log:
        parser.error("--resume needs --log")
    if options.log and options.log.exists():
        if not options.resume:
            parser.error(f"{options.log} exists: continue with --resume, or remove it")
        known = read_log(options.log, told)
    rows = []
    # The first line of the log describes the machine; an unfinished row is ignored.
    log = options.log.open("a") if options.log else None
    if known:
        print(file=log)
    elif log:
        print(json.dumps({"machine": told}), file=log, flush=True)
    with tempfile.TemporaryDirectory() as folder:
        harness = Harness(options, Path(folder))
        for program in chosen:
            for threads in options.threads:
                row = known.get((program.name, program.digest, threads))
                if row is None:
                    row = harness.row(program, threads)
                    if log:
                        print(json.dumps(row), file=log, flush=True)
                progress(row)
                rows.append(row)
    for _, part in page.by_threads(rows):
        print("\n".join(page.aligned(page.lines(part))))
        print("\n".join(summary.lines(part)))
        print("\n".join(page.problems(part)))
        if explained := limits.table(part):
            print("\n".join(page.aligned(explained)))
    print(" ".join(page.heading(told, rows)))
    if options.markdown:
        page.write_between_markers(options.markdown, page.markdown(told, rows))
    if options.output:
        options.output.write_text(page.markdown(told, rows) + "\n")
    return 1 if any("fault" in row or "fault" in row["systems"].get("Strata", {}) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
