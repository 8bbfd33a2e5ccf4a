#!/usr/bin/env python3
"""Run JAX's own tests on Strata's PJRT plugin, and list what fails.

    python3 -m venv venv && venv/bin/pip install jax==0.10.2 absl-py hypothesis pytest ./python/jax-plugin-strata
    venv/bin/python scripts/jax_tests.py TESTS/lax_test.py TESTS/nn_test.py [-k PATTERN] [--compare] [--json FILE]

Each file runs in a process of its own. A test that ends the process, or takes longer than `--limit` seconds, counts as failed, and
the file goes on with the tests after it. `--compare` runs on XLA's CPU as well: only tests that pass there count. `--cases N` is
JAX's number of generated cases. Tests of callbacks are left out unless they take the device for a known one: `--device cpu`. The exit code is 1 if a test fails (with `--compare`, one that passes on XLA's CPU).
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LOG, DONE, DEVICE = "JAX_TESTS_LOG", "JAX_TESTS_DONE", "JAX_TESTS_DEVICE"


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
    note(collected=len(items))
    left_out = [item for item in items if item.nodeid in done]
    items[:] = [item for item in items if item.nodeid not in done]
    config.hook.pytest_deselected(items=left_out)


def pytest_runtest_logstart(nodeid, location):
    note(started=nodeid)


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        note(test=report.nodeid, outcome=report.outcome, reason=last_line(report))


def last_line(report):
    """The line of the report that says what went wrong: the last one that pytest marks as an error."""
    if report.outcome == "skipped":
        return str(report.longrepr[-1] if isinstance(report.longrepr, tuple) else report.longrepr)[:300]
    lines = [line[1:].strip() for line in str(report.longrepr).splitlines() if line.startswith("E  ")]
    errors = [line for line in lines if "Error" in line.split(" ")[0]]
    lines = errors[-1:] or lines[-1:]
    return lines[0][:300] if lines else ""


def read_log(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def watch(child, log, limit, end):
    """Waits for the child, and ends it if one test takes too long, or all."""
    size, since = -1, time.monotonic()
    while True:
        try:
            return child.wait(timeout=1), ""
        except subprocess.TimeoutExpired:
            now = log.stat().st_size if log.exists() else 0
            if now != size:
                size, since = now, time.monotonic()
            elif time.monotonic() - since > limit:
                return stop(child, f"no end after {limit} seconds")
            if time.monotonic() > end:
                return stop(child, "")


def stop(child, reason):
    child.kill()
    child.wait()
    return None, reason


def run_file(path, platform, args, folder):
    """The outcome and the reason of each test of a file."""
    results = collections.OrderedDict()
    log, done, output = (folder / name for name in ("log", "done", "output"))
    environment = {
        **os.environ,
        "JAX_PLATFORMS": platform,
        "JAX_NUM_GENERATED_CASES": str(args.cases),
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).resolve().parent), os.environ.get("PYTHONPATH", "")]),
        LOG: str(log),
        DONE: str(done),
        DEVICE: args.device or "",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-x" if args.first else "-q", "-p", "jax_tests", "-p", "no:cacheprovider"]
    command += ["-W", "ignore", str(path)] + (["-k", args.pattern] if args.pattern else [])
    end = time.monotonic() + args.seconds
    while True:
        log.unlink(missing_ok=True)
        done.write_text(json.dumps(list(results)), encoding="utf-8")
        with open(output, "wb") as file:
            child = subprocess.Popen(command, env=environment, stdout=file, stderr=subprocess.STDOUT)
            code, late = watch(child, log, args.limit, end)
        entries, running = read_log(log), None
        for entry in entries:
            if "started" in entry:
                running = entry["started"]
            if "test" in entry:
                results[entry["test"]] = (entry["outcome"], entry["reason"])
        if code in (0, 1, 5):
            return results
        if time.monotonic() > end:
            collected = max((entry.get("collected", 0) for entry in entries), default=0)
            print(f"{path.name}: stopped after {args.seconds} seconds, {len(results)} of {collected} tests", flush=True)
            return results
        if running is None or running in results:
            tail = output.read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
            results[str(path)] = ("failed", f"pytest ended with {code}: {' '.join(tail)}")
            return results
        results[running] = ("crashed", late or f"the process ended with {code}")


def table(failures):
    """The failures by reason, the most frequent first, as Markdown."""
    reasons = collections.defaultdict(list)
    for name, _, reason in failures:
        reasons[reason].append(name)
    lines = ["| tests | reason | one of them |", "|---|---|---|"]
    for reason, names in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0])):
        lines.append(f"| {len(names)} | `{reason.replace('|', '¦')}` | `{names[0]}` |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("-k", dest="pattern", help="pytest's expression for the names of tests")
    parser.add_argument("--platform", default="strata,cpu", help="the platforms, the one to test first")
    parser.add_argument("--device", help="what tests take the device for: some run for `cpu` alone")
    parser.add_argument("--compare", action="store_true", help="leave out what fails on XLA's CPU")
    parser.add_argument("--cases", type=int, default=10)
    parser.add_argument("--limit", type=int, default=120, help="seconds for one test")
    parser.add_argument("--seconds", type=int, default=1 << 30, help="stop a file after so many")
    parser.add_argument("--first", action="store_true", help="stop a file at the first failure")
    parser.add_argument("--json", type=Path, help="write all results")
    args = parser.parse_args()
    everything, total = {}, 0
    for path in args.files:
        with tempfile.TemporaryDirectory() as folder:
            found = run_file(path, args.platform, args, Path(folder))
            expected = run_file(path, "cpu", args, Path(folder)) if args.compare else {}
        bad = [(name, *result) for name, result in found.items() if result[0] in ("failed", "crashed")]
        if args.compare:
            bad = [one for one in bad if expected.get(one[0], ("failed",))[0] == "passed"]
        counts = collections.Counter(outcome for outcome, _ in found.values())
        print(f"{path.name}: {dict(sorted(counts.items()))}, {len(bad)} to look at", flush=True)
        if bad:
            print(table(bad), flush=True)
        everything[path.name] = {"results": found, "failures": bad, "cpu": expected}
        total += len(bad)
    if args.json:
        args.json.write_text(json.dumps(everything, indent=1), encoding="utf-8")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
