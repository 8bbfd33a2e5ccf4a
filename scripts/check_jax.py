#!/usr/bin/env python3
"""Export programs from the installed JAX in every form, compile and run them with Strata, compare with JAX's results.

    python3 -m venv venv && venv/bin/pip install jax==0.6.2
    venv/bin/python scripts/check_jax.py --strata target/release/strata [--programs FILE] [--output DIR] [NAME…]

Each program leaves JAX as text, as text with locations, as MLIR bytecode and as a portable artifact. Text and
artifact are compiled and run; the other two forms must be the same program as the text. Programs for several devices
and those that call back into Python must be refused with an error that names the reason.

The programs are those of `scripts/jax_programs.py`. `--programs FILE` takes another Python file instead: it is run with
a function `emit(name, function, *arguments)` in place of its own, where arguments may be `jax.ShapeDtypeStruct`s.
Any version of JAX from 0.4.38 on will do; the last line counts.
"""

import argparse
import ast
import collections
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
# Programs for four devices are exported as well: they must be rejected.
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=4")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import export  # noqa: E402

HERE = Path(__file__).resolve().parent
# Relative to the largest absolute value of a result.
TOLERANCES = {"float64": 1e-9, "complex128": 1e-9, "float16": 4e-3, "bfloat16": 3e-2}
TOLERANCE = 2e-4
# Smaller differences, relative to the largest value of all results, are rounding: a gradient may be zero but for that.
ROUNDING = 1e-5


def concrete(leaf, rng):
    """An array of the shape, with numbers that most functions are defined for; concrete arrays are kept."""
    if not isinstance(leaf, jax.ShapeDtypeStruct):
        return leaf
    shape, dtype = leaf.shape, leaf.dtype
    if jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        count = int(np.prod(shape, dtype=int))
        return jax.random.split(jax.random.key(7, impl=dtype._impl), count).reshape(shape)
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if jnp.issubdtype(dtype, jnp.integer):
        return jnp.asarray(rng.integers(0, 3, shape), dtype)
    if jnp.issubdtype(dtype, jnp.complexfloating):
        return (rng.uniform(-0.9, 0.9, shape) + 1j * rng.uniform(-0.9, 0.9, shape)).astype(dtype)
    values = rng.uniform(0.05, 0.95, shape)
    if len(shape) >= 2 and shape[-1] == shape[-2] and shape[-1] <= 8:
        # A square matrix is symmetric and positive definite, so that every factorisation exists.
        values = values + np.swapaxes(values, -1, -2) + shape[-1] * np.eye(shape[-1])
    return jnp.asarray(values, dtype)


def raw(leaf):
    """The array as `.npy` has it: random keys are arrays of ui32, small floats and integers are their bytes."""
    if isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    # A number of Python has the type that JAX gives it.
    return np.asarray(leaf if hasattr(leaf, "dtype") else jnp.asarray(leaf))


def as_saved(array):
    """Types that numpy lacks are written as integers of the same size."""
    name = str(array.dtype)
    if re.match(r"u?int[124]$", name):
        # One element a byte, with its sign.
        return array.astype(np.uint8 if name.startswith("u") else np.int8)
    if re.match(r"bfloat16|float[468]_", name):
        return array.view(f"u{array.dtype.itemsize}")
    return array


class Refused(Exception):
    """Strata rejected the program; the code and the line."""


def strata(options, *arguments):
    command = [options.strata.resolve(), *arguments]
    ended = subprocess.run([str(part) for part in command], capture_output=True, timeout=options.timeout)
    if ended.returncode == 0:
        return ended.stdout
    told = ended.stderr.decode(errors="replace")
    code = re.search(r"error\[(S\d+)\]", told)
    if code and (ended.returncode == 1 or code.group(1) == "S1703"):
        raise Refused(code.group(1), told.splitlines()[0])
    raise RuntimeError(f"exit code {ended.returncode}: {told[:600]}")


def text_of(options, path):
    """The program without locations and without the names that only a dump has."""
    return strata(options, "translate", "--to", "text", path)


def magnitudes(array):
    """Without signs and phases, which eigenvectors have any of."""
    return np.abs(array) if array.dtype.kind in "fc" else array


def differs(found, expected, scale=0.0):
    """Why the arrays differ, if they do; `scale` is the largest value of all results."""
    if found.shape != expected.shape:
        return f"shape {found.shape} instead of {expected.shape}"
    name = str(expected.dtype)
    if re.match(r"u?int[124]$", name):
        expected = as_saved(expected)
        return None if np.array_equal(found, expected) else "integers differ"
    if found.dtype != expected.dtype:
        if found.dtype.itemsize != expected.dtype.itemsize:
            return f"type {found.dtype} instead of {name}"
        found = found.view(expected.dtype)
    if expected.dtype.kind in "biu":
        return None if np.array_equal(found, expected) else "integers differ"
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    found, expected = found.astype(wide), expected.astype(wide)
    if not np.array_equal(np.isnan(found), np.isnan(expected)):
        return "other elements are NaN"
    finite = np.isfinite(expected)
    if not np.array_equal(found[~finite & ~np.isnan(expected)], expected[~finite & ~np.isnan(expected)]):
        return "infinities differ"
    largest = float(np.abs(expected[finite]).max(initial=0.0)) or 1.0
    difference = float(np.abs(found[finite] - expected[finite]).max(initial=0.0)) / largest
    if name.startswith("float8") or name.startswith("float4") or name.startswith("float6"):
        return None if difference == 0 else f"differs by {difference:.1e}"
    allowed = TOLERANCES.get(name, TOLERANCE)
    close = difference <= allowed or difference * largest <= ROUNDING * scale
    return None if close else f"differs by {difference:.1e} of the largest value"


class Run:
    """What became of the programs."""

    def __init__(self, options):
        self.options = options
        self.outcomes = collections.Counter()
        self.failures = []
        self.refusals = collections.defaultdict(list)

    def wanted(self, name):
        return name not in self.options.skip and (not self.options.names or name in self.options.names)

    def note(self, name, outcome, why=""):
        self.outcomes[outcome] += 1
        if outcome == "failed":
            self.failures.append((name, why))
        if self.options.verbose or outcome == "failed":
            print(f"{name}: {outcome} {why}", flush=True)

    def emit(self, name, function, *arguments, jitkw=None, disabled_checks=(), exp=True, **keywords):
        """Exports the function and looks at every form of it."""
        if not self.wanted(name):
            return
        started = time.perf_counter()
        keywords = {key: value for key, value in keywords.items() if key != "debug"}
        try:
            jitted = function if hasattr(function, "lower") else jax.jit(function, **(jitkw or {}))
            lowered = jitted.lower(*arguments, **keywords)
        except Exception as error:
            self.note(name, "not exported", repr(error)[:200])
            return
        forms = {}
        folder = self.options.output / name
        folder.mkdir(parents=True, exist_ok=True)
        module = lowered.compiler_ir("stablehlo").operation
        (folder / "text.mlir").write_text(lowered.as_text())
        forms["text"] = folder / "text.mlir"
        (folder / "debug.mlir").write_text(module.get_asm(enable_debug_info=True))
        with open(folder / "bytecode.mlirbc", "wb") as file:
            module.print(file=file, binary=True)
        if exp:
            try:
                exported = export.export(jitted, disabled_checks=disabled_checks)(*arguments, **keywords)
                (folder / "artifact.mlirbc").write_bytes(exported.mlir_module_serialized)
                forms["artifact"] = folder / "artifact.mlirbc"
            except Exception as error:
                self.note(name + " (artifact)", "not exported", repr(error)[:200])
        try:
            text = text_of(self.options, forms["text"])
            for form in ("debug.mlir", "bytecode.mlirbc"):
                if text_of(self.options, folder / form) != text:
                    self.note(f"{name} ({form})", "failed", "another program than the text")
        except Exception as error:
            self.note(name, "failed", f"not read: {error}")
            return
        rng = np.random.default_rng(1)
        try:
            concretes = jax.tree.map(lambda leaf: concrete(leaf, rng), (arguments, keywords))
            leaves = [raw(leaf) for leaf in jax.tree.leaves(concretes)]
        except Exception as error:
            self.note(name, "failed", f"no arguments: {error!r}"[:300])
            return
        expected = None
        for form, path in forms.items():
            kept = sorted(lowered._lowering.compile_args.get("kept_var_idx", range(len(leaves))))
            if form == "artifact":
                kept = sorted(exported.module_kept_var_idx)
            inputs = []
            for position, index in enumerate(kept):
                np.save(folder / f"input{position}.npy", as_saved(leaves[index]))
                inputs += ["--input", folder / f"input{position}.npy"]
            try:
                found = folder / f"found_{form}"
                found.mkdir(exist_ok=True)
                strata(self.options, "run", "--link-runtime", path, *inputs, "--output-dir", found)
            except Refused as error:
                code, line = error.args
                if self.is_fair(lowered, code, line):
                    self.refusals[code].append(f"{name} ({form})")
                    self.note(f"{name} ({form})", f"refused {code}", line)
                else:
                    self.note(f"{name} ({form})", "failed", line)
                continue
            except Exception as error:
                self.note(f"{name} ({form})", "failed", str(error))
                continue
            if expected is None:
                try:
                    # Donated arguments are gone after a call: the function is jitted again, without donation.
                    args, kwargs = concretes
                    plain = getattr(jitted, "__wrapped__", None) if jitkw and "donate_argnums" in jitkw else None
                    call = jax.jit(plain) if plain else jitted
                    expected = [raw(leaf) for leaf in jax.tree.leaves(call(*args, **kwargs))]
                except Exception as error:
                    self.note(name, "JAX does not run it", repr(error)[:200])
                    break
            problems = []
            floats = [array for array in expected if array.dtype.kind in "fc"]
            scale = max((float(np.abs(array[np.isfinite(array)]).max(initial=0.0)) for array in floats), default=0.0)
            without_signs = magnitudes if name in self.options.magnitudes else np.asarray
            for position, array in enumerate(expected):
                file = found / f"output{position}.npy"
                problem = "no such result"
                if file.is_file():
                    problem = differs(without_signs(np.load(file)), without_signs(array), scale)
                if problem:
                    problems.append(f"result {position} of {array.dtype}{list(array.shape)}: {problem}")
            if problems:
                self.note(f"{name} ({form})", "failed", "; ".join(problems[:4]))
            else:
                self.note(f"{name} ({form})", "matches", f"{time.perf_counter() - started:.1f} s")

    def is_fair(self, lowered, code, line):
        """Whether the refusal is one that the documentation announces."""
        devices = lowered._lowering.compile_args.get("num_devices", 1)
        if code == "S1103":
            return devices > 1 or re.search(r"num_(replicas|partitions) = ([2-9]|\d\d)", lowered.as_text())
        if code == "S1202":
            return "python" in line or self.text_has(lowered, "python")
        return code == "S1101" or (code == "S1703" and self.text_has(lowered, "my_target"))

    @staticmethod
    def text_has(lowered, word):
        return word in lowered.as_text()

    def summary(self):
        counts = ", ".join(f"{count} {what}" for what, count in sorted(self.outcomes.items()))
        print(f"jax {jax.__version__}: {counts}")
        return 1 if self.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strata", type=Path, required=True, help="the command")
    parser.add_argument("--programs", type=Path, default=HERE / "jax_programs.py", help="a file that calls emit")
    parser.add_argument("--output", type=Path, help="keep the programs and arrays in this folder")
    parser.add_argument("--timeout", type=int, default=300, help="seconds that one command may take")
    parser.add_argument("--skip", action="append", default=[], help="a program to leave out, such as one that JAX crashes on")
    parser.add_argument("--magnitudes", action="append", default=[], help="a program whose results have any sign")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        options.output = options.output or Path(temporary)
        run = Run(options)
        source = options.programs.read_text()
        # A file that writes its programs itself has a function of that name: ours takes its place.
        source = re.sub(r"(?m)^def emit\(", "def emit_of_file(", source)
        scope = {"__name__": "__main__", "__file__": str(options.programs), "emit": run.emit, "OUT": str(options.output)}
        # Statement by statement: what another version of JAX lacks must not end the rest.
        for statement in ast.parse(source).body:
            try:
                exec(compile(ast.Module([statement], []), str(options.programs), "exec"), scope)
            except Exception as error:
                run.note(f"{options.programs.name}:{statement.lineno}", "not exported", repr(error)[:200])
        return run.summary()


if __name__ == "__main__":
    sys.exit(main())
