#!/usr/bin/env python3
"""Export the example models from JAX, compile them with Strata, and compare the results with JAX's.

    python3 -m venv venv && venv/bin/pip install -r scripts/requirements.txt
    venv/bin/python scripts/export_models.py export  [--tiny] [--output DIR] [MODEL…]
    venv/bin/python scripts/export_models.py compare --strata target/release/strata [--tiny] [--output DIR]
        [--report docs/models.md] [MODEL…]

`export` writes `DIR/<model>.mlir` (weights are arguments) and `DIR/<model>_embedded.mlir` (weights are
constants inside the program; for some models), with the arguments and JAX's results beside them as `.npy`
files. `compare` compiles each, links it into a shared library, calls it in this process, and writes the table
in docs/models.md where `--report` names it; the results of models that are not named stay as they were.

Both run on one thread, on one processor: XLA keeps threads of its own whatever it is told, and Strata is given
no executor.
"""

import argparse
import ctypes
import dataclasses
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"

import jax  # noqa: E402
import numpy as np  # noqa: E402

import measured  # noqa: E402
from models import EMBEDDED, MODELS  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
# Largest difference that is accepted, relative to the largest absolute value of the result. Sums of
# thousands of terms come in another order.
TOLERANCE = 2e-4
REPETITIONS = 9


def flat(tree):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


def make(name, tiny):
    maker, large, small = MODELS[name]
    return maker(**(small if tiny else large))


def variants(name, model):
    """(name, function of the flat arguments, arguments, donated): weights as arguments, weights inside."""
    yield name, model.function, (model.weights, *model.inputs), model.donated
    if name not in EMBEDDED:
        return
    donated = tuple(position - 1 for position in model.donated)

    def embedded(*inputs):
        return model.function(model.weights, *inputs)

    yield f"{name}_embedded", embedded, model.inputs, donated


def export(name, model, folder):
    """Writes program, arguments and results; returns what was written for a message."""
    for variant, function, arguments, donated in variants(name, model):
        # All arguments are kept, so that the order is that of the flat tree.
        jitted = jax.jit(function, donate_argnums=donated, keep_unused=True)
        module = jitted.lower(*arguments).compiler_ir("stablehlo")
        path = folder / f"{variant}.mlir"
        with open(path, "wb") as file:
            module.operation.print(file=file, binary=True)
        data = folder / variant
        data.mkdir(parents=True, exist_ok=True)
        for stale in data.glob("*.npy"):
            stale.unlink()
        for index, array in enumerate(flat(arguments)):
            np.save(data / f"input{index}.npy", array)
        plain = jax.jit(function, keep_unused=True)
        for index, array in enumerate(flat(plain(*arguments))):
            np.save(data / f"output{index}.npy", array)
        print(f"{variant}: {path.stat().st_size} bytes, {len(flat(arguments))} arguments", flush=True)


def arrays(folder, kind):
    found = []
    while (path := folder / f"{kind}{len(found)}.npy").is_file():
        found.append(np.load(path))
    return found


def aligned(array, size=None):
    """A copy (or an array for results) at an address that is a multiple of 64."""
    size = array.nbytes if size is None else size
    memory = np.empty(size + 64, np.uint8)
    start = -memory.ctypes.data % 64
    view = memory[start : start + size]
    if array is not None:
        view[:] = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return view


def pointers(views):
    return (ctypes.c_void_p * max(len(views), 1))(*[view.ctypes.data for view in views])


@dataclasses.dataclass
class Row:
    """One line of the table; sizes in bytes, times in seconds."""

    name: str
    parameters: int = 0
    compile_seconds: float = 0.0
    compile_memory: int = 0
    object: int = 0
    workspace: int = 0
    error: float = 0.0
    run_seconds: float = 0.0
    jax_seconds: float = 0.0
    failure: str = ""


def build(strata, path, variant, library, timeout):
    """Compiles into a shared library; wall time and peak memory of the compiler."""
    command = [strata, "--diagnostic-format", "json", "compile", path, "--name", variant]
    command += ["--emit", "obj", "--target-cpu", "native", "-o", library.with_suffix(".o")]
    try:
        done = measured.run(command, timeout)
    except TimeoutError:
        raise RuntimeError(f"still compiling after {timeout} s") from None
    if done.returncode != 0:
        errors = done.errors.strip()
        first = errors.splitlines()[0] if errors else f"exit code {done.returncode}"
        try:
            told = json.loads(first)
            first = f"{told.get('code', '')} {told.get('operation') or ''} {told.get('reason') or ''}"
        except ValueError:
            pass
        raise RuntimeError(first)
    subprocess.run(["cc", "-shared", "-o", library, library.with_suffix(".o"), "-lm"], check=True)
    return done.seconds, done.memory


def median_time(call):
    """The median of a few calls, the first left out."""
    call()
    times = []
    for _ in range(REPETITIONS):
        started = time.perf_counter()
        call()
        times.append(time.perf_counter() - started)
        if sum(times) > 20.0:
            break
    return float(np.median(times))


def run(library, variant, inputs, expected, row):
    """Calls the compiled code on copies of the inputs and compares."""
    code = ctypes.CDLL(str(library))
    entry, size = getattr(code, f"{variant}_main"), getattr(code, f"{variant}_main_workspace_size")
    size.restype = ctypes.c_size_t
    row.workspace = size()
    ins = [aligned(array) for array in inputs]
    outs = [aligned(None, array.nbytes) for array in expected]
    workspace = aligned(None, row.workspace)
    arguments = (pointers(ins), pointers(outs), ctypes.c_void_p(workspace.ctypes.data), None)

    def call():
        status = entry(*arguments)
        if status != 0:
            raise RuntimeError(f"the entry returned {status}")

    call()
    for position, (view, array) in enumerate(zip(outs, expected)):
        found = view.view(array.dtype).reshape(array.shape)
        if array.dtype.kind == "f":
            if not np.isfinite(array).all():
                raise RuntimeError(f"JAX's result {position} is not finite")
            largest = float(np.abs(array).max(initial=0.0)) or 1.0
            difference = float(np.abs(found - array).max(initial=0.0)) / largest
            row.error = max(row.error, difference)
            if not difference <= TOLERANCE:
                raise RuntimeError(f"result {position} differs by {difference:.1e} of the largest value")
        elif not np.array_equal(found, array):
            raise RuntimeError(f"result {position} differs")
    for view, array in zip(ins, inputs):
        if not np.array_equal(view, np.ascontiguousarray(array).reshape(-1).view(np.uint8)):
            raise RuntimeError("an input was written")
    row.run_seconds = median_time(call)


def compare_one(strata, name, variant, tiny, folder, timeout):
    """One row, measured in this process."""
    row = Row(variant)
    model = make(name, tiny)
    row.parameters = sum(w.size for w in flat(model.weights))
    function, arguments = next((f, a) for v, f, a, _ in variants(name, model) if v == variant)
    library = folder / f"lib{variant}.so"
    try:
        row.compile_seconds, row.compile_memory = build(
            strata, folder / f"{variant}.mlir", variant, library, timeout
        )
        row.object = library.with_suffix(".o").stat().st_size
        data = folder / variant
        run(library, variant, arrays(data, "input"), arrays(data, "output"), row)
        jitted = jax.jit(function)
        placed = jax.device_put(arguments)
        row.jax_seconds = median_time(lambda: jax.block_until_ready(jitted(*placed)))
    except RuntimeError as error:
        row.failure = str(error)
    finally:
        for path in (library, library.with_suffix(".o")):
            path.unlink(missing_ok=True)
    return row


def compare(options, names):
    rows = []
    for name in names:
        for variant in (name, f"{name}_embedded"):
            if not (options.output / f"{variant}.mlir").is_file():
                continue
            # A separate process for each, to isolate state and crashes.
            command = [sys.executable, __file__, "one", name, "--variant", variant, "--strata", options.strata]
            command += ["--output", options.output, "--timeout", options.timeout]
            command += ["--tiny"] if options.tiny else []
            command = [str(part) for part in command]
            ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, preexec_fn=on_one_processor)
            try:
                row = Row(**json.loads(ended.stdout))
            except ValueError:
                row = Row(variant, failure=f"the process ended with {ended.returncode}")
            rows.append(row)
            told = row.failure or (
                f"error {row.error:.1e}, workspace {row.workspace}, object {row.object}, compiled in "
                f"{row.compile_seconds:.1f} s with {row.compile_memory >> 20} MiB, runs in "
                f"{row.run_seconds * 1e3:.2f} ms, JAX {row.jax_seconds * 1e3:.2f} ms"
            )
            print(f"{variant}: {told}", flush=True)
    kept = options.output / "results.json"
    known = json.loads(kept.read_text()) if kept.is_file() else {}
    known |= {row.name: dataclasses.asdict(row) for row in rows}
    kept.write_text(json.dumps(known, indent=1))
    if options.report:
        order = [variant for name in MODELS for variant in (name, f"{name}_embedded")]
        options.report.write_text(report([Row(**known[name]) for name in order if name in known]))
    return 1 if any(row.failure for row in rows) else 0


def mebibytes(count):
    return f"{count / 2**20:.2f}" if count < 10 * 2**20 else f"{count / 2**20:.0f}"


def processor():
    """The processor's name, as the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def report(rows):
    """docs/models.md."""
    lines = [
        "# Real models",
        "",
        "<!-- Written by scripts/export_models.py compare --report; edit the script. -->",
        "",
        "Each model is plain `jax.numpy` with weights from seeded generators (`scripts/models/`), exported to StableHLO,",
        "compiled, called, and compared with what JAX computes from the same arguments. `_embedded` has its weights as",
        "constants inside the program; without it they are arguments.",
        "",
        f"JAX {jax.__version__} on {processor()}, one processor each, `--target-cpu native`. The difference is the largest",
        "absolute one, relative to the result's largest absolute value. Times of a call are medians; memory is the",
        "compiler's peak. What else the machine does shows in all times: measure again before relying on one.",
        "",
        "| model | parameters | difference | workspace | object | compile | memory | call | JAX's call |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        if row.failure:
            lines.append(f"| `{row.name}` | {row.parameters:,} | {row.failure} | | | | | | |")
            continue
        lines.append(
            f"| `{row.name}` | {row.parameters:,} | {row.error:.1e} | {mebibytes(row.workspace)} MiB "
            f"| {mebibytes(row.object)} MiB | {row.compile_seconds:.1f} s | {mebibytes(row.compile_memory)} MiB "
            f"| {row.run_seconds * 1e3:.2f} ms | {row.jax_seconds * 1e3:.2f} ms |"
        )
    lines += [
        "",
        "To write this page again:",
        "",
        "```sh",
        "cargo build --release -p strata-cli",
        "python3 scripts/export_models.py export",
        "python3 scripts/export_models.py compare --strata target/release/strata --report docs/models.md",
        "```",
        "",
    ]
    return "\n".join(lines)


def on_one_processor():
    """Leaves the process that is about to start one processor, so that XLA's pool has one thread."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["export", "compare", "one"])
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"of {', '.join(MODELS)}; all by default")
    parser.add_argument("--tiny", action="store_true", help="small variants with every operation of the large ones")
    parser.add_argument("--output", type=Path, default=ROOT / "target" / "models", metavar="DIR")
    parser.add_argument("--strata", type=Path, help="the command to compile with")
    parser.add_argument("--report", type=Path, help="write the page with the results")
    parser.add_argument("--timeout", type=float, default=900.0, metavar="SECONDS", help="for one compilation")
    parser.add_argument("--variant", help=argparse.SUPPRESS)
    options = parser.parse_intermixed_args()
    names = options.models or list(MODELS)
    if unknown := [name for name in names if name not in MODELS]:
        parser.error(f"no model {', '.join(unknown)}; there are {', '.join(MODELS)}")
    if options.action != "export" and options.strata is None:
        parser.error("--strata is needed to compile")
    if options.action == "one":
        [name] = names
        row = compare_one(options.strata, name, options.variant, options.tiny, options.output, options.timeout)
        print(json.dumps(dataclasses.asdict(row)))
        return 0
    if options.action == "compare":
        return compare(options, names)
    options.output.mkdir(parents=True, exist_ok=True)
    for name in names:
        export(name, make(name, options.tiny), options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
