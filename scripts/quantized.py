"""What the scripts that export quantized networks have in common: running, comparing and timing."""

import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from bench_peers import find_strata
from peers import summary

HEAD = ["from the exporter", "XLA", "ONNX Runtime", "object, MB", "Strata, ms", "XLA, ms", "ONNX Runtime, ms"]


def seconds(call, least=0.2):
    """Of a call, the mean of as many as take so long."""
    call()
    count, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < least:
        call()
        count += 1
    return passed / count


def difference(found, expected):
    """The largest, in parts of the largest number."""
    return float(np.abs(found - expected).max() / np.abs(expected).max())


def session(model):
    """ONNX Runtime on one thread for a model's bytes or path; `None` where the package is missing."""
    try:
        import onnxruntime
    except ImportError:
        return None
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = settings.inter_op_num_threads = 1
    found = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
    name = found.get_inputs()[0].name
    return lambda x: found.run(None, {name: x})[0]


def cells(path, x, expected, xla, runtime, tolerance, options, flags=()):
    """Runs and times the program in `path` on `x`: differences of all three, the size of the object, milliseconds. `xla` and
    `runtime` are calls."""
    folder = path.parent
    np.save(folder / "x.npy", x)
    results, built = folder / f"{path.stem}.results", folder / f"{path.stem}.o"
    flags = ["--target-cpu", options.target_cpu, *flags]

    def strata(*command):
        done = subprocess.run([options.strata, *command], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"strata {command[0]} {path}:\n{done.stderr}")
        return done.stdout

    strata("run", path, *flags, "--input", folder / "x.npy", "--output-dir", results)
    found = [np.load(next(results.glob("*.npy"))), np.asarray(xla(x)), runtime(x) if runtime else None]
    errors = ["" if one is None else difference(one, expected) for one in found]
    strata("compile", path, *flags, "-o", built)
    times = {"Strata": [], "XLA": [], "ONNX Runtime": []}
    for _ in range(options.rounds):
        told = strata("bench", path, *flags, "--threads", "1", "--no-limits", "--format", "json", "--rounds", "5")
        times["Strata"].append(json.loads(told)["seconds"]["median"])
        times["XLA"].append(seconds(lambda: xla(x)))
        if runtime:
            times["ONNX Runtime"].append(seconds(lambda: runtime(x)))
    if errors[0] > tolerance:
        raise SystemExit(f"{path}: the results differ by {errors[0]:.2g} of the largest")
    shown = [f"{1e3 * summary.median(list_):.3g}" if list_ else "" for list_ in times.values()]
    return [*(f"{error:.2g}" if error != "" else "" for error in errors), f"{built.stat().st_size / 1e6:.1f}", *shown]


def table(head, rows, output):
    """Prints a table row by row, and writes it."""
    lines = [f"| {' | '.join([*head, *HEAD])} |", f"|{'---|' * len(head)}{'---:|' * len(HEAD)}"]
    print("\n".join(lines), flush=True)
    for row in rows:
        lines.append("| " + " | ".join(str(cell) for cell in row) + " |")
        print(lines[-1], flush=True)
    if output:
        output.write_text("\n".join(lines) + "\n")


def run(options, kinds, head, sizes, row):
    """The table with `row(kind, size, options, folder)` for the kinds asked for, each with those sizes; the exit code."""
    chosen = options.only.split(",")
    if unknown := set(chosen) - set(kinds):
        raise SystemExit(f"no kind {', '.join(sorted(unknown))}; there are {', '.join(kinds)}")
    if (strata := find_strata(options.strata)) is None:
        return 1
    options.strata = strata
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        rows = (row(kind, size, options, folder) for kind in chosen for size in sizes(kind))
        table(head, rows, options.output)
    return 0
