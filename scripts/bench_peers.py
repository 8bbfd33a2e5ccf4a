#!/usr/bin/env python3
"""Strata's objects beside XLA:CPU (through JAX) and IREE, one thread each, on one core.

    venv/bin/pip install -r scripts/requirements.txt
    cargo build --release -p strata-cli
    venv/bin/python scripts/bench_peers.py [FILE.mlir …] [--markdown docs/performance.md]

Without files it takes square f32 matmuls and the bundled models. The systems take turns in every
round, so that a machine that slows down slows down all of them: times are medians over the rounds,
ratios the medians of each round's ratio; the f32 FMA peak (benches/native/peak.c) takes its turn too and is what percentages refer
to. Each system is called through its own client with its inputs resident: JAX through `jax.jit`, IREE
through its VM, Strata through ctypes. Results are compared with XLA's before anything is timed.
"""

import argparse
import ctypes
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Before JAX is loaded: one core for the process, one thread for XLA.
CORE = max(os.sched_getaffinity(0))
os.sched_setaffinity(0, {CORE})
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import dataclasses  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from jax._src.interpreters import mlir as jax_mlir  # noqa: E402
from jaxlib.mlir import ir  # noqa: E402
from jaxlib.mlir.dialects import stablehlo  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
MATMULS = (64, 128, 256, 512, 1024)
ALIGNMENT = 64

DTYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64, "i1": np.bool_}
DTYPES |= {f"{s}i{n}": np.dtype(f"{'u' if s == 'u' else ''}int{n}") for s in ("", "u") for n in (8, 16, 32, 64)}
DTYPES |= {"complex<f32>": np.complex64, "complex<f64>": np.complex128}


class Program:
    """A StableHLO program: its text, its signature, how many flops its contractions take."""

    def __init__(self, name, text):
        self.name, self.text = name, text
        with jax_mlir.make_ir_context():
            module = ir.Module.parse(text)
            functions = {f.name.value: f for f in module.body if f.operation.name == "func.func"}
            entry = functions["main"] if "main" in functions else next(iter(functions.values()))
            self.entry = entry.name.value
            self.inputs = [_signature(t) for t in entry.type.inputs]
            self.outputs = [_signature(t) for t in entry.type.results]
            self.flops = _flops(entry.operation, functions)
            self.artifact = stablehlo.serialize_portable_artifact(module, stablehlo.get_minimum_version())

    def arguments(self):
        rng = np.random.default_rng(0)
        for shape, dtype in self.inputs:
            if np.dtype(dtype).kind in "iub":
                values = rng.integers(0, 8, size=shape)
            else:
                values = rng.normal(size=shape)
            yield aligned(np.asarray(values).astype(dtype))


def _signature(tensor):
    tensor = ir.RankedTensorType(tensor)
    return tuple(tensor.shape), DTYPES[str(tensor.element_type)]


def _flops(operation, functions):
    total = 0
    for region in operation.regions:
        for block in region:
            for op in block:
                op = op.operation
                shapes = [ir.RankedTensorType(v.type).shape for v in op.operands if isinstance(v.type, ir.RankedTensorType)]
                if op.name == "stablehlo.dot_general":
                    dims = stablehlo.DotDimensionNumbers(op.attributes["dot_dimension_numbers"])
                    contracted = np.prod([shapes[0][d] for d in dims.lhs_contracting_dimensions], initial=1)
                    total += 2 * contracted * np.prod(ir.RankedTensorType(op.results[0].type).shape)
                elif op.name == "stablehlo.convolution":
                    dims = stablehlo.ConvDimensionNumbers(op.attributes["dimension_numbers"])
                    taps = np.prod(shapes[1]) / shapes[1][dims.kernel_output_feature_dimension]
                    total += 2 * taps * np.prod(ir.RankedTensorType(op.results[0].type).shape)
                elif op.name == "func.call":
                    total += _flops(functions[ir.FlatSymbolRefAttr(op.attributes["callee"]).value].operation, functions)
                total += _flops(op, functions)
    return float(total)


def aligned(array):
    """A copy at a 64-byte boundary."""
    raw = np.empty(array.nbytes + ALIGNMENT, np.uint8)
    offset = -raw.ctypes.data % ALIGNMENT
    view = raw[offset : offset + array.nbytes].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


class Xla:
    """XLA:CPU called through jax.jit."""

    name = "XLA:CPU"

    def __init__(self, program, arguments):
        shapes = [jax.ShapeDtypeStruct(*i) for i in program.inputs]
        # The exported shell of a function of this signature, its body replaced by the program.
        shell = jax.export.export(jax.jit(lambda *_: [jnp.zeros(*o) for o in program.outputs]))(*shapes)
        kept = tuple(range(len(shapes)))
        exported = dataclasses.replace(shell, mlir_module_serialized=program.artifact, module_kept_var_idx=kept)
        self.function = jax.jit(exported.call)
        self.arguments = [jax.device_put(a) for a in arguments]

    def __call__(self):
        return jax.block_until_ready(self.function(*self.arguments))


class Iree:
    """IREE's llvm-cpu code for this CPU, run by the thread that calls."""

    name = "IREE"
    FLAGS = [], ["--iree-opt-level=O3"]

    def __init__(self, program, arguments):
        import iree.compiler
        import iree.runtime

        self.runtime = iree.runtime
        self.config = iree.runtime.Config("local-sync")
        self.device, self.outputs = self.config.device, program.outputs
        self.resident = [iree.runtime.asdevicearray(self.device, a) for a in arguments]
        self.arguments = iree.runtime.VmVariantList(len(arguments))
        for a in self.resident:
            self.arguments.push_ref(a._buffer_view)
        # Neither set of flags is always the better one: the faster is kept.
        trials = []
        for flags in self.FLAGS:
            binary = iree.compiler.compile_str(
                program.text,
                input_type="stablehlo",
                target_backends=["llvm-cpu"],
                extra_args=["--iree-llvmcpu-target-cpu=host", *flags],
            )
            self.load(binary, program.entry)
            calls = calls_for(self, 0.05)
            trials.append((min(time_calls(self, calls) for _ in range(5)), binary))
        self.load(min(trials, key=lambda t: t[0])[1], program.entry)

    def load(self, binary, entry):
        self.context = self.runtime.SystemContext(config=self.config)
        module = self.runtime.VmModule.copy_buffer(self.context.instance, binary)
        self.context.add_vm_module(module)
        self.function = module.lookup_function(entry)

    def __call__(self):
        results = self.runtime.VmVariantList(len(self.outputs))
        self.context.vm_context.invoke(self.function, self.arguments, results)
        return results

    def results(self):
        out = self()
        views = (out.get_as_object(i, self.runtime.HalBufferView) for i in range(len(self.outputs)))
        return [np.asarray(self.runtime.DeviceArray(self.device, v).to_host()) for v in views]


class Strata:
    """An object made by `strata compile`, linked to a shared library and called through ctypes."""

    name = "Strata"

    def __init__(self, program, arguments, command, folder):
        source, stem = folder / f"{program.name}.mlir", folder / program.name
        source.write_text(program.text)
        compile_ = [*command, "compile", source, "-o", f"{stem}.o", "--name", "program", "--target-cpu", "native"]
        run(compile_)
        run(["cc", "-shared", "-o", f"{stem}.so", f"{stem}.o", "-lm"])
        library = ctypes.CDLL(f"{stem}.so")
        size = getattr(library, f"program_{program.entry}_workspace_size")
        size.restype = ctypes.c_size_t
        self.function = getattr(library, f"program_{program.entry}")
        self.function.argtypes = [ctypes.c_void_p] * 4
        self.function.restype = ctypes.c_int32
        self.arguments = arguments
        self.outputs = [aligned(np.zeros(*o)) for o in program.outputs]
        self.workspace = aligned(np.zeros(max(size(), 1), np.uint8))
        pointers = [(ctypes.c_void_p * max(len(a), 1))(*[x.ctypes.data for x in a]) for a in (arguments, self.outputs)]
        self.keep = pointers
        self.call = [ctypes.addressof(p) for p in pointers] + [self.workspace.ctypes.data, None]

    def __call__(self):
        status = self.function(*self.call)
        if status != 0:
            raise RuntimeError(f"the object returned {status}")

    def results(self):
        self()
        return self.outputs


class Peak:
    """The f32 FMA peak of one core."""

    def __init__(self, folder):
        library = folder / "peak.so"
        run(["cc", "-O2", "-shared", "-fPIC", "-o", library, ROOT / "benches/native/peak.c"])
        library = ctypes.CDLL(str(library))
        library.strata_peak_isa.restype = ctypes.c_char_p
        library.strata_peak_f32.restype = ctypes.c_double
        library.strata_peak_f32.argtypes = [ctypes.c_double]
        self.isa, self.gflops = library.strata_peak_isa().decode(), library.strata_peak_f32


def run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr[-2000:]}")


def matmul(n):
    def matmul(a, b):
        return a @ b

    shape = jax.ShapeDtypeStruct((n, n), np.float32)
    return Program(f"matmul_f32_{n}", jax.jit(matmul).lower(shape, shape).as_text())


def calls_for(system, seconds):
    """How many calls fill `seconds`."""
    system()
    start = time.perf_counter()
    system()
    system()
    return max(1, int(seconds / max((time.perf_counter() - start) / 2, 1e-7)))


def time_calls(system, calls):
    start = time.perf_counter()
    for _ in range(calls):
        system()
    return (time.perf_counter() - start) / calls


def difference(results, reference):
    """The largest difference, relative to the largest magnitude of each output."""
    worst = 0.0
    for got, want in zip(results, reference):
        got, want = np.asarray(got).astype(np.complex128), np.asarray(want).astype(np.complex128)
        worst = max(worst, np.abs(got - want).max(initial=0) / max(np.abs(want).max(initial=0), 1e-30))
    return worst


class Row:
    """What one program took. Ratios are taken within each round, then their median: a machine whose
    clock drifts changes both sides of a ratio."""

    def __init__(self, program, times, peaks, differences, faults):
        self.program, self.times, self.peaks = program, times, peaks
        self.differences, self.faults = differences, faults

    def milliseconds(self, name):
        return f"{statistics.median(self.times[name]) * 1e3:.4g}" if name in self.times else "–"

    def ratio(self, name):
        if name not in self.times or Strata.name not in self.times:
            return "–"
        rounds = zip(self.times[name], self.times[Strata.name])
        return f"{statistics.median(theirs / ours for theirs, ours in rounds):.2f}"

    def of_peak(self, name):
        if name not in self.times or not self.program.flops:
            return "–"
        rounds = zip(self.times[name], self.peaks)
        share = statistics.median(self.program.flops / (time * peak * 1e9) for time, peak in rounds)
        return f"{100 * share:.1f} %"

    def cells(self):
        names = [s.name for s in (Strata, Xla, Iree)]
        return [
            self.program.name,
            *map(self.milliseconds, names),
            *map(self.ratio, names[1:]),
            *map(self.of_peak, names),
        ]


HEADER = ["program", "Strata ms", "XLA ms", "IREE ms", "XLA / Strata", "IREE / Strata"]
HEADER += ["Strata of peak", "XLA of peak", "IREE of peak"]


def measure(program, options, peak, command, folder):
    arguments = list(program.arguments())
    xla = Xla(program, arguments)
    reference = xla()
    systems, differences, faults = {Xla.name: xla}, {}, {}
    builders = []
    if command:
        builders.append((Strata.name, lambda: Strata(program, arguments, command, folder)))
    if not options.no_iree:
        builders.append((Iree.name, lambda: Iree(program, arguments)))
    for name, build in builders:
        try:
            system = build()
            differences[name] = difference(system.results(), reference)
            if differences[name] > options.tolerance:
                raise RuntimeError(f"results differ from XLA's by {differences[name]:.2g} (relative)")
            systems[name] = system
        except Exception as error:  # one system's fault must not end the others' run
            faults[name] = str(error).strip()
            print(f"{program.name}: {name}: {faults[name]}", file=sys.stderr)
    calls = {name: calls_for(system, options.slice) for name, system in systems.items()}
    times, peaks = {name: [] for name in systems}, []
    order = list(systems)
    for turn in range(options.rounds):
        peaks.append(peak.gflops(options.slice / 2))
        for name in order[turn % len(order) :] + order[: turn % len(order)]:
            times[name].append(time_calls(systems[name], calls[name]))
    return Row(program, times, peaks, differences, faults)


def table(rows):
    yield "| " + " | ".join(HEADER) + " |"
    yield "|" + "---|" + "---:|" * (len(HEADER) - 1)
    for row in rows:
        yield "| " + " | ".join(row.cells()) + " |"


def aligned_text(rows):
    lines = [HEADER] + [row.cells() for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEADER))]
    for line in lines:
        yield "  ".join([line[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(line[1:], widths[1:])])


def machine(rows, peak):
    from importlib.metadata import PackageNotFoundError, version

    def package(name):
        try:
            return f"{name} {version(name)}"
        except PackageNotFoundError:
            return f"{name} absent"

    model = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        names = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        model = names[0].split(":", 1)[1].strip() if names else model
    measured = statistics.median(peak for row in rows for peak in row.peaks)
    versions = ", ".join(map(package, ("jax", "jaxlib", "iree-base-compiler", "iree-base-runtime")))
    return (
        f"{model}, one core of {os.cpu_count()}, {peak.isa}; f32 FMA peak measured in the same run: "
        f"{measured:.0f} GFLOP/s. {versions}."
    )


def write_markdown(path, text):
    """Replaces what lies between the two markers."""
    begin, end = "<!-- measured: begin -->", "<!-- measured: end -->"
    old = path.read_text() if path.exists() else f"{begin}\n{end}\n"
    if begin not in old or end not in old:
        sys.exit(f"{path}: no lines '{begin}' and '{end}'")
    head, rest = old.split(begin, 1)
    path.write_text(head + begin + "\n\n" + text + "\n\n" + end + rest.split(end, 1)[1])


def find_strata(given):
    if given:
        return [given]
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    found = target / "release/strata"
    if found.exists():
        return [found]
    print(f"no {found}: Strata is left out (cargo build --release -p strata-cli)", file=sys.stderr)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, help="StableHLO text; default: matmuls and the bundled models")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--slice", type=float, default=0.05, help="seconds a system runs per round")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="largest relative difference from XLA's results")
    parser.add_argument("--strata", help="the strata command; default: the release build")
    parser.add_argument("--no-iree", action="store_true")
    parser.add_argument("--markdown", type=Path, help="write the table into this page, between its markers")
    options = parser.parse_args()

    if options.files:
        programs = (Program(f.stem, f.read_text()) for f in options.files)
    else:
        models = (ROOT / f"examples/models/{m}.mlir" for m in ("mlp", "cnn", "transformer"))
        programs = [matmul(n) for n in MATMULS] + [Program(f.stem, f.read_text()) for f in models]
    command = find_strata(options.strata)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        peak = Peak(folder)
        rows = [measure(p, options, peak, command, folder) for p in programs]
    print("\n".join(aligned_text(rows)))
    for row in rows:
        differences = ", ".join(f"{n} {d:.1e}" for n, d in row.differences.items())
        print(f"{row.program.name}: largest difference from XLA's results, relative: {differences or 'not compared'}")
    print(machine(rows, peak))
    if options.markdown:
        write_markdown(options.markdown, machine(rows, peak) + "\n\n" + "\n".join(table(rows)))
    return 1 if any(Strata.name in row.faults for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
