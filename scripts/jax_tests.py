#!/usr/bin/env python3
"""Run JAX's own tests on Strata's PJRT plugin and on XLA's CPU, and list what passes there and fails here.

    python3 -m venv venv && venv/bin/pip install jax==0.10.2 absl-py flatbuffers hypothesis pytest . ./python/jax-plugin-strata
    venv/bin/python scripts/jax_tests.py TESTS/*_test.py --device cpu --list outcomes.jsonl [--x64] [--sample 3] [-k PATTERN]
    venv/bin/python scripts/jax_tests.py --list outcomes.jsonl --table docs/guide/pjrt.md

Each file runs in a process of its own. A test that ends the process, or computes longer than `--limit` seconds, counts as crashed, and the
file goes on with the tests after it. `--list` keeps the outcome and the reason of each test on each platform, one test on a line; tests
that it has are not run again without `--again`, so that a run that was stopped goes on. `--sample N` takes at most N of the
cases that JAX generates from one test, by a hash of their names, and `--tests N` at most N of the tests that are left in a file: the same ones
on every platform. `--cases N` is JAX's number of generated cases. Some tests run for a known device only: `--device cpu` is what they are to take Strata for.

`scripts/jax_tests_known.txt` has the tests that are expected to fail, with reasons. The exit code is 1 if a test that passes on XLA's
CPU fails on Strata without one. `--table` writes counts and reasons of the whole list as Markdown, and runs nothing if no file is given.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

LOG, DONE, DEVICE, SAMPLE, TESTS = (f"JAX_TESTS_{name}" for name in ("LOG", "DONE", "DEVICE", "SAMPLE", "TESTS"))
KNOWN = Path(__file__).resolve().with_name("jax_tests_known.txt")
FAILED = ("failed", "crashed")
MODES = ("x32", "x64")
TITLES = {"x32": "With JAX's defaults", "x64": "With `JAX_ENABLE_X64=1`"}
# How long a reason in the table may be.
LONGEST = 160


# What pytest loads in the child: `-p jax_tests`.
def note(**entry):
    with open(os.environ[LOG], "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def pytest_configure(config):
    device = os.environ.get(DEVICE)
    if device:
        from jax._src import test_util

        test_util.device_under_test = lambda: device


def pytest_collection_modifyitems(config, items):
    done = set(json.loads(Path(os.environ[DONE]).read_text(encoding="utf-8")))
    wanted = sample([item.nodeid for item in items], int(os.environ[SAMPLE]), int(os.environ[TESTS]))
    note(collected=len(items), wanted=len(wanted))
    left_out = [item for item in items if item.nodeid in done or item.nodeid not in wanted]
    items[:] = [item for item in items if item.nodeid not in done and item.nodeid in wanted]
    config.hook.pytest_deselected(items=left_out)


def sample(names, most_cases, most_tests):
    """At most so many cases of each test, and so many of all these, those of the smallest hashes. Cases differ in the number at their
    ends; 0 takes all."""
    cases = collections.defaultdict(list)
    for name in names:
        cases[re.sub(r"\d+$", "", name)].append(name)
    chosen = [name for all_ in cases.values() for name in least(all_, most_cases)]
    return set(least(chosen, most_tests))


def least(names, most):
    return sorted(names, key=lambda name: (zlib.crc32(name.encode()), name))[: most or None]


# When the test that runs began, in seconds of the processors.
began = 0.0


def pytest_runtest_logstart(nodeid, location):
    global began
    note(started=nodeid)
    began = time.process_time()


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        note(test=report.nodeid, outcome=report.outcome, reason=last_line(report), seconds=round(time.process_time() - began, 3))


def last_line(report):
    """The line of the report that says what went wrong: the last one that pytest marks as an error."""
    if report.outcome == "skipped":
        return str(report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr)[:300]
    lines = [line[1:].strip() for line in str(report.longrepr).splitlines() if line.startswith("E  ")]
    errors = [line for line in lines if "Error" in line.split(" ")[0]]
    lines = errors[-1:] or lines[-1:]
    return lines[0][:300] if lines else ""


class Outcomes:
    """The outcome, the reason and the processor seconds of each test, by file, name and mode, on each platform. A test that was ended has
    no seconds."""

    def __init__(self, path):
        self.path, self.tests = path, {}
        self.read()

    def read(self):
        if self.path and self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                entry = json.loads(line)
                self.tests[entry.pop("file"), entry.pop("test"), entry.pop("mode")] = entry

    def add(self, file, mode, platform, found):
        # Another run may have added to the list.
        self.read()
        for name, outcome in found.items():
            self.tests.setdefault((file, name, mode), {})[platform] = list(outcome)
        if self.path:
            lines = [
                json.dumps({"file": file, "test": name, "mode": mode, **outcomes})
                for (file, name, mode), outcomes in sorted(self.tests.items())
            ]
            written = self.path.with_name(self.path.name + ".new")
            written.write_text("\n".join(lines) + "\n", encoding="utf-8")
            written.replace(self.path)

    def of(self, file, mode, platform):
        found = ((key, outcomes.get(platform)) for key, outcomes in self.tests.items())
        return {key[1]: tuple(one) for key, one in found if one and (key[0], key[2]) == (file, mode)}

    def compared(self, platform):
        """File, mode and name of each test that has run on both platforms and passes on XLA's CPU, with the outcome and the reason."""
        for (file, name, mode), outcomes in sorted(self.tests.items()):
            if outcomes.get("cpu", ("",))[0] == "passed" and platform in outcomes:
                yield file, mode, name, *outcomes[platform][:2]

    def timed(self, platform):
        """File and mode of each test that passes on both platforms, with the processor seconds on XLA's CPU and on the platform."""
        for (file, _, mode), outcomes in sorted(self.tests.items()):
            both = [outcomes.get(one, ()) for one in ("cpu", platform)]
            if all(len(one) == 3 and one[0] == "passed" for one in both):
                yield file, mode, *(one[2] for one in both)


def read_log(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def processor_seconds(process):
    """The time that a process has computed for, on all threads; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def watch(child, log, limit, end):
    """Waits for the child, and ends it if one test takes too long, or all. A test that computes has `limit` seconds on a processor,
    on a busy machine too; one that waits has ten times as many."""
    size, since, computed = -1, time.monotonic(), 0.0
    while True:
        try:
            return child.wait(timeout=1), ""
        except subprocess.TimeoutExpired:
            now, spent = log.stat().st_size if log.exists() else 0, processor_seconds(child.pid)
            if now != size:
                size, since, computed = now, time.monotonic(), spent
            elif spent - computed > limit or time.monotonic() - since > 10 * limit:
                return stop(child, f"no end after {limit} seconds")
            if time.monotonic() > end:
                return stop(child, "")


def stop(child, reason):
    child.kill()
    child.wait()
    return None, reason


def run_file(path, platform, args, folder, known):
    """The outcome and the reason of each test of a file that is not known."""
    results = collections.OrderedDict()
    log, done, output = (folder / name for name in ("log", "done", "output"))
    environment = {
        **os.environ,
        "JAX_PLATFORMS": platform,
        # As many as the tests ask of XLA's CPU.
        "STRATA_NUM_DEVICES": os.environ.get("STRATA_NUM_DEVICES", "8"),
        "JAX_NUM_GENERATED_CASES": str(args.cases),
        "JAX_ENABLE_X64": "1" if args.x64 else "0",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).resolve().parent), os.environ.get("PYTHONPATH", "")]),
        LOG: str(log),
        DONE: str(done),
        DEVICE: args.device or "",
        SAMPLE: str(args.sample),
        TESTS: str(args.tests),
    }
    # Tests that look at the output take the one that there was when JAX's helpers were loaded: pytest leaves it as it is.
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-x" if args.first else "-q", "-p", "jax_tests", "-p", "no:cacheprovider"]
    command += ["--rootdir", str(path.parent), "-W", "ignore", str(path)] + (["-k", args.pattern] if args.pattern else [])
    end = time.monotonic() + args.seconds
    while True:
        log.unlink(missing_ok=True)
        done.write_text(json.dumps([f"{path.name}::{name}" for name in [*known, *results]]), encoding="utf-8")
        with open(output, "wb") as file:
            child = subprocess.Popen(command, env=environment, stdout=file, stderr=subprocess.STDOUT)
            code, late = watch(child, log, args.limit, end)
        entries, running = read_log(log), None
        for entry in entries:
            if "started" in entry:
                running = entry["started"].partition("::")[2]
            if "test" in entry:
                results[entry["test"].partition("::")[2]] = (entry["outcome"], entry["reason"], entry["seconds"])
        if code in (0, 1, 5):
            return results
        if time.monotonic() > end:
            wanted = max((entry.get("wanted", 0) for entry in entries), default=0)
            print(f"{path.name}: stopped after {args.seconds} seconds, {len(results)} of {wanted} tests", flush=True)
            return results
        if running is None or running in results:
            tail = output.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            results["(the file)"] = ("failed", f"pytest ended with {code}: {' '.join(tail)}")
            return results
        results[running] = ("crashed", late or f"the process ended with {code}")


def run_on(path, file, platform, args, outcomes):
    """Runs a file on the platform and on XLA's CPU, and adds what came of its tests to the list, under that name of the file."""
    mode = MODES[args.x64]
    for one in dict.fromkeys((platform, "cpu")):
        short = one.split(",")[0]
        if args.only and short not in args.only:
            continue
        kept = outcomes.of(file, mode, short)
        if args.again:
            kept = {test: found for test, found in kept.items() if args.again == "failed" and found[0] not in FAILED}
        with tempfile.TemporaryDirectory() as folder:
            outcomes.add(file, mode, short, run_file(path, one, args, Path(folder), kept))
        counts = collections.Counter(outcome for outcome, *_ in outcomes.of(file, mode, short).values())
        print(f"{file} {mode} {short}: {dict(sorted(counts.items()))}", flush=True)


def known_failures():
    """Patterns of tests that are expected to fail, with the reasons: two spaces are between them; `*` stands for any text."""
    known = []
    for line in KNOWN.read_text(encoding="utf-8").splitlines() if KNOWN.exists() else ():
        if line.strip() and not line.startswith("#"):
            pattern, _, reason = line.strip().partition("  ")
            known.append((re.compile(".*".join(map(re.escape, pattern.split("*")))), reason.strip()))
    return known


def why(known, file, name):
    """Why a test is expected to fail, or None."""
    return next((reason for pattern, reason in known if pattern.fullmatch(f"{file}::{name}")), None)


def by_reason(failures):
    """The failures by reason, the most frequent first, as Markdown."""
    reasons = collections.defaultdict(list)
    for name, reason in failures:
        reasons[reason].append(name)
    lines = ["| tests | reason | one of them |", "|---|---|---|"]
    for reason, names in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        lines.append(f"| {len(names)} | `{reason.replace('|', '¦')}` | `{names[0]}` |")
    return "\n".join(lines)


def percent(part, whole):
    # Rounded down: 100 % means all.
    return f"{1000 * part // whole / 10} %" if whole else ""


def counted(count):
    """The cells of a file: what XLA passes, what of that passes here, leaves itself out and fails, and the share of what runs."""
    fails = sum(count[outcome] for outcome in FAILED)
    return [sum(count.values()), count["passed"], count["skipped"], fails, percent(count["passed"], count["passed"] + fails)]


def times(both):
    """The cells of a file's processor seconds: none if no test was timed."""
    return [f"{one:.0f}" if any(both) else "" for one in both]


def tables(outcomes, platform):
    """Counts and times for each file and mode, and the reasons why tests fail that pass on XLA's CPU, as Markdown."""
    known, counts, reasons = known_failures(), collections.defaultdict(collections.Counter), collections.defaultdict(list)
    for file, mode, name, outcome, reason in outcomes.compared(platform):
        counts[file, mode][outcome] += 1
        counts["all", mode][outcome] += 1
        if outcome in FAILED:
            text = why(known, file, name) or f"not explained: `{reason[:LONGEST].replace('|', '¦')}`"
            reasons[text].append((file, mode, name))
    lines, seconds = [], collections.defaultdict(lambda: [0.0, 0.0])
    for file, mode, *both in outcomes.timed(platform):
        for name in (file, "all"):
            seconds[name, mode] = [old + new for old, new in zip(seconds[name, mode], both)]
    for mode in [mode for mode in MODES if ("all", mode) in counts]:
        titles = ["file", "XLA passes", "Strata passes", "skipped", "fails", "share of those that run", "seconds, XLA", "seconds, Strata"]
        lines += [f"{TITLES[mode]}:", "", f"| {' | '.join(titles)} |", "|---" * len(titles) + "|"]
        files = sorted({file for file, one in counts if one == mode}, key=lambda file: (file == "all", file))
        lines += [f"| {file} | {' | '.join(map(str, counted(counts[file, mode]) + times(seconds[file, mode])))} |" for file in files]
        lines.append("")
    lines += ["| tests | why they fail | for example |", "|---|---|---|"]
    for reason, tests in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        file, _, name = tests[0]
        lines.append(f"| {len(tests)} | {reason} | `{file}::{name}` |")
    return "\n".join(lines) + "\n"


BEGIN, END = "<!-- jax-tests:begin (scripts/jax_tests.py --table) -->\n", "<!-- jax-tests:end -->"


def write_table(path, text):
    """Puts the tables between the marks of a page."""
    head, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{path} has no place for the tables: {BEGIN.strip()} … {END}")
    path.write_text(head + begin + text + end + tail, encoding="utf-8")


def add_options(parser):
    """What is run, how, and where outcomes are kept."""
    parser.add_argument("-k", dest="pattern", help="pytest's expression for the names of tests")
    parser.add_argument("--only", action="append", help="run on that platform only, of `--platform` and `cpu`")
    parser.add_argument("--device", help="what tests take the device for: some run for `cpu` alone")
    parser.add_argument("--x64", action="store_true", help="with 64-bit types")
    parser.add_argument("--cases", type=int, default=10)
    parser.add_argument("--sample", type=int, default=0, help="how many cases of one test, of those that JAX generates")
    parser.add_argument("--tests", type=int, default=0, help="how many tests of a file, after `--sample`")
    parser.add_argument("--limit", type=int, default=120, help="seconds on a processor for one test")
    parser.add_argument("--seconds", type=int, default=1 << 30, help="stop a file after so many, on each platform")
    parser.add_argument("--first", action="store_true", help="stop a file at the first failure")
    parser.add_argument("--list", type=Path, help="where outcomes are kept")
    parser.add_argument("--again", choices=("failed", "all"), help="run tests again that the list has, those that failed or all")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--platform", default="strata,cpu", help="the platforms, the one to test first")
    add_options(parser)
    parser.add_argument("--table", type=Path, help="the page to write counts and reasons of the list to")
    args = parser.parse_args()
    outcomes, mode, total = Outcomes(args.list), MODES[args.x64], 0
    name, known = args.platform.split(",")[0], known_failures()
    for path in args.files:
        run_on(path, path.name, args.platform, args, outcomes)
        bad = [one[2:] for one in outcomes.compared(name) if one[:2] == (path.name, mode) and one[3] in FAILED]
        bad = [(test, reason) for test, _, reason in bad if not why(known, path.name, test)]
        if bad:
            print(by_reason(bad), flush=True)
        total += len(bad)
    if args.table:
        write_table(args.table, tables(outcomes, name))
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
