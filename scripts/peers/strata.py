"""Strata: an object made by `strata compile`, in a shared library, called through ctypes."""

import ctypes
import json
import os
import platform
import subprocess
from pathlib import Path

import measured
from peers.buffers import Buffers
from peers.programs import ROOT, arguments, dtype_of

# The pool of include/strata/threads.h, whose functions are all static.
POOL = """
#include "strata/threads.h"
const strata_executor *bench_executor(size_t threads) {
  strata_pool *pool = strata_pool_create(threads);
  return pool ? strata_pool_executor(pool) : NULL;
}
size_t bench_concurrency(const strata_executor *executor) { return executor->concurrency; }
"""

TRIVIAL = "func.func public @main(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f32>\n}\n"


def _run(command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr[-2000:]}")


def make_pool(command, folder):
    """A shared library with the pool."""
    pool = folder / "pool.c"
    pool.write_text(POOL)
    return make_library(command, folder, pool)


def make_library(command, folder, source):
    """A shared library of what includes the pool; the header that has to come first is that of a program that does
    nothing."""
    program, header, library = folder / "pool.mlir", folder / "pool.h", folder / f"{source.stem}.so"
    program.write_text(TRIVIAL)
    _run([command, "compile", program, "-o", folder / "pool.o", "--header", header])
    flags = ["-O2", "-shared", "-fPIC", "-pthread", "-D_GNU_SOURCE", "-I", ROOT / "include", "-include", header]
    _run(["cc", *flags, "-o", library, source])
    return library


def bench(command, folder):
    """What `strata bench` measures of this machine; None where it does not."""
    path = folder / "limits.mlir"
    path.write_text(TRIVIAL)
    call = [command, "bench", path, "--json", "--rounds", "1", "--min-time", "0.001"]
    done = subprocess.run([str(c) for c in call], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def permit_tiles(code):
    """Asks Linux for tiles (AMX) and says so to a library that has code for them, as include/strata/tiles.h does."""
    arch_prctl, request, tile_data = 158, 0x1023, 18
    if platform.machine() != "x86_64" or platform.system() != "Linux" or not hasattr(code, "strata_tiles"):
        return
    permitted = ctypes.CDLL(None).syscall(arch_prctl, request, tile_data) == 0
    ctypes.c_int32.in_dll(code, "strata_tiles").value = int(permitted)


class Strata:
    def __init__(self, spec):
        folder = Path(spec["folder"])
        obj, library = folder / "strata.o", folder / "strata.so"
        outside = b"lapack_" in (folder / "program.mlir").read_bytes()
        # What calls LAPACK as JAX does is linked with Strata's run-time library.
        made = [library, "--emit", "shared", "--link-runtime"] if outside else [obj]
        flags = ["--name", "program", "--target-cpu", "native", *spec.get("flags", ())]
        done = measured.run([spec["strata"], "compile", folder / "program.mlir", "-o", *made, *flags])
        if done.returncode:
            raise RuntimeError(f"strata compile: exit {done.returncode}: {done.errors.strip()[-2000:]}")
        self.compile_seconds, self.compile_memory, self.note = done.seconds, done.memory, ""
        if not outside:
            _run(["cc", "-shared", "-o", library, obj, "-lm"])
        code = ctypes.CDLL(str(library))
        permit_tiles(code)
        size = getattr(code, f"program_{spec['entry']}_workspace_size")
        size.restype = ctypes.c_size_t
        function = getattr(code, f"program_{spec['entry']}")
        function.argtypes, function.restype = [ctypes.c_void_p] * 4, ctypes.c_int32
        buffers = Buffers()
        self.arguments = [buffers.copy(a) for a in arguments(spec)]
        self.outputs = [buffers.new(shape, dtype_of(element)) for shape, element in spec["outputs"]]
        self.workspace = buffers.new((max(size(), 1),), "u1")
        self.pointers = [
            (ctypes.c_void_p * max(len(a), 1))(*[x.ctypes.data for x in a]) for a in (self.arguments, self.outputs)
        ]
        self.function, self.fixed = function, [*map(ctypes.addressof, self.pointers), self.workspace.ctypes.data]

        def calling(executor):
            def call():
                if (status := function(*self.fixed, executor)) != 0:
                    raise RuntimeError(f"the object returned {status}")

            return call

        self.variants = {"": calling(None)}
        if spec["threads"] > 1:
            self.variants = {"": calling(_executor(spec)), "one": calling(None)}

    def results(self, variant=""):
        for output in self.outputs:
            output.reshape(-1).view("u1").fill(0xAA)  # what is not written shows
        self.variants[variant]()
        return self.outputs


def _executor(spec):
    pool = ctypes.CDLL(spec["pool"])
    pool.bench_executor.restype, pool.bench_executor.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    pool.bench_concurrency.restype, pool.bench_concurrency.argtypes = ctypes.c_size_t, [ctypes.c_void_p]
    executor = pool.bench_executor(spec["threads"])
    if not executor or pool.bench_concurrency(executor) != spec["threads"]:
        raise RuntimeError(f"no pool of {spec['threads']} threads, {len(os.sched_getaffinity(0))} processors")
    return executor
