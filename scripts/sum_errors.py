#!/usr/bin/env python3
"""Errors of sums in compiled objects beside those of XLA:CPU (through JAX), on the same data.

    venv/bin/pip install -r scripts/requirements.txt
    cargo build --release -p strata-cli
    venv/bin/python scripts/sum_errors.py [--strata BINARY] [--draws N] [--only WORD] [--page docs/numerics.md] [--flags=-O0 …]

A row is a program, drawn data and an exact reference (`math.fsum`, products of `f32` being exact in `f64`; numbers of 80 bits
where the data is `f64`). The error of an element is relative to its exact value, in units of eps; a row shows the root of the mean square over
all elements and draws, and the largest one, for both, and the ratio of the former. `--page` writes the former into the table of the page.
"""

import argparse
import ctypes
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parent))

from precision import page  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
ROWS = []
# How many more draws there are of rows whose result is one number.
SCALARS = 8


def row(name, draw, exact, single=False, absolute=False):
    """Registers the decorated function as a row.

    `single`: drawing again changes nothing. `absolute`: errors are relative to the root of the mean square of all results of
    all draws, because some results are near zero.
    """

    def register(function):
        ROWS.append((name, function, draw, exact, single, absolute))
        return function

    return register


def uniform(*shape, dtype=np.float32):
    return lambda rng: rng.random(shape).astype(dtype)


def normal(*shape, mean=0.0, dtype=np.float32):
    return lambda rng: (rng.standard_normal(shape) + mean).astype(dtype)


def log_uniform(*shape, dtype=np.float32):
    return lambda rng: np.exp(rng.uniform(-10, 10, shape)).astype(dtype)


def full(value, *shape, dtype=np.float32):
    return lambda rng: np.full(shape, value, dtype)


def several(*draws):
    return lambda rng: [draw(rng) for draw in draws]


def total(axis=None):
    """The exact sum along an axis."""

    def exact(x):
        if axis is None:
            return np.float64(math.fsum(x.ravel()))
        lines = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
        shape = np.delete(x.shape, axis)
        return np.array([math.fsum(line) for line in lines]).reshape(shape)

    return exact


def variance(x):
    wide = x.astype(np.float64)
    mean = math.fsum(wide) / wide.size
    return np.float64(math.fsum((wide - mean) ** 2) / wide.size)


def products(a, b):
    return a.astype(np.longdouble) @ b.astype(np.longdouble)


def convolved(x, k):
    """Of one image `h w c` and a kernel `kh kw c o`, without padding."""
    x, k = x.astype(np.longdouble)[0], k.astype(np.longdouble)
    places = [x.shape[i] - k.shape[i] + 1 for i in (0, 1)]
    out = np.zeros((1, *places, k.shape[3]), np.longdouble)
    for i in range(k.shape[0]):
        for j in range(k.shape[1]):
            out[0] += x[i : i + places[0], j : j + places[1]] @ k[i, j]
    return out


def windows(size, stride):
    def exact(x):
        starts = range(0, len(x) - size + 1, stride)
        return np.array([math.fsum(x[at : at + size]) for at in starts])

    return exact


def running(x):
    return np.cumsum(x.astype(np.longdouble), axis=0)


def running_sum(x):
    """As `reduce_window` writes it."""
    size, rest = x.shape[0], [1] * (x.ndim - 1)
    padding = [(size - 1, 0)] + [(0, 0)] * (x.ndim - 1)
    return lax.reduce_window(x, x.dtype.type(0), lax.add, [size, *rest], [1] * x.ndim, padding)


def pair(x, y):
    """Two sums in one reduction."""
    zero = x.dtype.type(0)
    return lax.reduce((x, y), (zero, zero), lambda a, b: (a[0] + b[0], a[1] + b[1]), (0,))


def softmax(x):
    e = np.exp(x.astype(np.longdouble) - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def layer_norm(x):
    x = x - x.mean(-1, keepdims=True)
    return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def exact_layer_norm(x):
    x = x.astype(np.longdouble)
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def norm_statistics(x):
    """Mean and variance over all but the last axis, as batch normalisation takes them."""
    mean = x.mean((0, 1, 2))
    return mean, ((x - mean) ** 2).mean((0, 1, 2))


def exact_norm_statistics(x):
    x = x.astype(np.longdouble)
    mean = x.mean((0, 1, 2))
    return mean, ((x - mean) ** 2).mean((0, 1, 2))


for axis in (0, 1):
    shape = (20_000_000, 2) if axis == 0 else (2, 20_000_000)
    row(f"ones 2e7, axis {axis}", full(1, *shape), lambda x, n=axis: np.full(2, 2e7), True)(lambda x, n=axis: x.sum(n))
row("ones 2e7, all", full(1, 20_000_000), lambda x: np.float64(2e7), True)(lambda x: x.sum())
row("mean of ones 2e7 x 2, axis 0", full(1, 20_000_000, 2), lambda x: np.ones(2), True)(lambda x: x.mean(0))
row("0.1, 100000, all", full(0.1, 100_000), total(), True)(lambda x: x.sum())
row("0.1, 100000 x 8, axis 0", full(0.1, 100_000, 8), total(0), True)(lambda x: x.sum(0))
row("0.1, 8 x 100000, axis 1", full(0.1, 8, 100_000), total(1), True)(lambda x: x.sum(1))
for bits, dtype in (("f32", np.float32), ("f64", np.float64)):
    for name, draw in (("uniform", uniform), ("normal", normal), ("log-uniform", log_uniform)):
        row(f"{bits} {name} 1e6, all", draw(1_000_000, dtype=dtype), total(), absolute=draw is normal)(lambda x: x.sum())
    row(f"{bits} uniform 100000 x 8, axis 0", uniform(100_000, 8, dtype=dtype), total(0))(lambda x: x.sum(0))
    row(f"{bits} normal 100000 x 8, axis 0", normal(100_000, 8, dtype=dtype), total(0), absolute=True)(lambda x: x.sum(0))
    row(f"{bits} uniform 3000 x 1000, axis 0", uniform(3000, 1000, dtype=dtype), total(0))(lambda x: x.sum(0))
    row(f"{bits} uniform 16 x 100003, axis 1", uniform(16, 100_003, dtype=dtype), total(1))(lambda x: x.sum(1))
    row(f"{bits} uniform 30 x 1000 x 30, axis 1", uniform(30, 1000, 30, dtype=dtype), total(1))(lambda x: x.sum(1))
    row(f"{bits} two sums in one, 100000", several(uniform(100_000, dtype=dtype), normal(100_000, mean=1, dtype=dtype)),
        lambda x, y: (total()(x), total()(y)))(pair)
    row(f"{bits} running sum 65536", uniform(65_536, dtype=dtype), running)(running_sum)
    row(f"{bits} running sum 20000 x 17, axis 0", uniform(20_000, 17, dtype=dtype), running)(running_sum)
    row(f"{bits} vdot 1e5", several(uniform(100_000, dtype=dtype), uniform(100_000, dtype=dtype)), products)(jnp.vdot)
    row(f"{bits} dot 32 x 4096 x 32", several(uniform(32, 4096, dtype=dtype), uniform(4096, 32, dtype=dtype)), products)(
        lambda a, b: a @ b)
    row(f"{bits} matvec 64 x 4096", several(uniform(64, 4096, dtype=dtype), uniform(4096, dtype=dtype)), products)(
        lambda a, b: a @ b)
    row(f"{bits} vecmat 4096 x 64", several(uniform(4096, dtype=dtype), uniform(4096, 64, dtype=dtype)), products)(
        lambda a, b: a @ b)
row("f32 dot 4 x 40000 x 200", several(uniform(4, 40_000), uniform(40_000, 200)), products)(lambda a, b: a @ b)
row("f32 normal dot 32 x 4096 x 32", several(normal(32, 4096), normal(4096, 32)), products, absolute=True)(lambda a, b: a @ b)
row("f32 variance of 1e6 + 100", normal(1_000_000, mean=100), variance)(jnp.var)
row("f32 variance of 1e6 + 10", normal(1_000_000, mean=10), variance)(jnp.var)
row("f32 conv 3x3x256, 10x10", several(uniform(1, 10, 10, 256), uniform(3, 3, 256, 32)), convolved)(
    lambda x, k: lax.conv_general_dilated(x, k, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")))
def kernel_gradient(x, g):
    """The gradient of a 3 x 3 convolution of `x` without padding for its kernel."""
    dims = ("NHWC", "HWIO", "NHWC")
    kernel = jnp.zeros((3, 3, x.shape[3], g.shape[3]), x.dtype)
    convolve = lambda k: lax.conv_general_dilated(x, k, (1, 1), "VALID", dimension_numbers=dims)  # noqa: E731
    return jax.vjp(convolve, kernel)[1](g)[0]


def exact_kernel_gradient(x, g):
    x, g = x.astype(np.longdouble), g.astype(np.longdouble)
    height, width = g.shape[1:3]
    part = lambda i, j: x[:, i : i + height, j : j + width].reshape(-1, x.shape[3])  # noqa: E731
    flat = g.reshape(-1, g.shape[3])
    return np.array([[part(i, j).T @ flat for j in range(3)] for i in range(3)])


row("f32 conv kernel gradient 8x30x30x8", several(uniform(8, 30, 30, 8), uniform(8, 28, 28, 12)), exact_kernel_gradient)(
    kernel_gradient)
for size in (300, 500, 600, 700, 1000):
    for bits, dtype in (("f32", np.float32), ("f64", np.float64)):
        row(f"{bits} dot 64 x {size} x 64", several(uniform(64, size, dtype=dtype), uniform(size, 64, dtype=dtype)), products)(
            lambda a, b: a @ b)
        row(f"{bits} uniform {size} x 64, axis 0", uniform(size, 64, dtype=dtype), total(0))(lambda x: x.sum(0))
row("f32 window 1000 of 1e5", uniform(100_000), windows(1000, 500))(
    lambda x: lax.reduce_window(x, np.float32(0), lax.add, (1000,), (500,), "VALID"))
row("f32 softmax 16 x 65536", normal(16, 65_536), softmax)(lambda x: jax.nn.softmax(x))
row("f32 layer norm 8 x 32768", uniform(8, 32_768), exact_layer_norm, absolute=True)(layer_norm)
row("f32 batch norm statistics 8 x 64 x 64 x 16", uniform(8, 64, 64, 16), exact_norm_statistics)(norm_statistics)
row("complex<f32> 1e5, all", lambda rng: (rng.random(100_000) + 1j * rng.random(100_000)).astype(np.complex64),
    lambda x: np.complex128(complex(math.fsum(x.real), math.fsum(x.imag))))(lambda x: x.sum())
row("complex<f32> 30000 x 5, axis 0", lambda rng: (rng.random((30_000, 5)) + 1j * rng.random((30_000, 5))).astype(np.complex64),
    lambda x: total(0)(x.real) + 1j * total(0)(x.imag))(lambda x: x.sum(0))


class Program:
    """A program compiled by `strata`."""

    def __init__(self, strata, flags, text, directory):
        source = Path(directory) / "sums.mlir"
        source.write_text(text)
        library = Path(directory) / "sums.so"
        command = [strata, "compile", str(source), "--name", "sums", "--emit", "shared", "-o", str(library), *flags]
        subprocess.run(command, check=True, capture_output=True)
        loaded = ctypes.CDLL(str(library))
        self.entry = loaded.sums_main
        loaded.sums_main_workspace_size.restype = ctypes.c_int64
        self.workspace = aligned(np.zeros(max(loaded.sums_main_workspace_size(), 1), np.uint8))

    def __call__(self, arguments, results):
        outputs = [aligned(np.zeros(result.shape, result.dtype)) for result in results]
        status = self.entry(pointers(arguments), pointers(outputs), ctypes.c_void_p(self.workspace.ctypes.data), None)
        assert status == 0, status
        return outputs


def pointers(arrays):
    return (ctypes.c_void_p * max(len(arrays), 1))(*(array.ctypes.data for array in arrays))


def aligned(array):
    """A copy at a 64-byte boundary."""
    raw = np.empty(array.nbytes + 64, np.uint8)
    offset = -raw.ctypes.data % 64
    view = raw[offset : offset + array.nbytes].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


def errors(values, exact):
    """The errors in units of eps, and the exact values, one array each for all results."""
    parts, references = [], []
    for value, reference in zip(values, exact):
        value = np.asarray(value)
        wide = np.clongdouble if np.iscomplexobj(value) else np.longdouble
        parts.append((np.abs(value.astype(wide) - reference) / np.finfo(value.dtype).eps).ravel())
        references.append(np.abs(reference).ravel())
    return np.concatenate(parts), np.concatenate(references)


def listed(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def measure(function, draw, exact, absolute, draws, options, directory):
    """The errors of both, over all draws."""
    rng = np.random.default_rng(1)
    program, found, references = None, ([], []), []
    jitted = jax.jit(function)
    while len(references) < draws:
        arguments = [aligned(one) for one in listed(draw(rng))]
        peer = [np.asarray(one) for one in listed(jitted(*arguments))]
        if program is None:
            program = Program(options.strata, options.flags, jitted.lower(*arguments).as_text(), directory)
            # A single number says little.
            draws *= SCALARS if draws > 1 and all(one.size == 1 for one in peer) else 1
        own = program(arguments, peer)
        reference = listed(exact(*arguments))
        for values, into in ((own, found[0]), (peer, found[1])):
            error, exact_values = errors(values, reference)
            into.append(error)
        references.append(exact_values)
    scale = np.concatenate(references)
    if absolute:
        scale = np.sqrt(np.mean(scale**2))
    return [(np.concatenate(one) / scale).astype(np.float64) for one in found]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strata", default=str(ROOT / "target" / "release" / "strata"))
    parser.add_argument("--flags", nargs="*", default=["--target-cpu", "native"])
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--page", type=Path, help="the page whose table is written")
    options = parser.parse_args()
    rows = []
    print(f"{'':44} {'ours':>9} {'largest':>9} {'XLA':>9} {'largest':>9} {'ratio':>7}")
    for name, function, draw, exact, single, absolute in ROWS:
        if options.only not in name:
            continue
        draws = 1 if single else options.draws
        with tempfile.TemporaryDirectory() as directory:
            own, peer = measure(function, draw, exact, absolute, draws, options, directory)
        (own_mean, peer_mean), largest = (np.sqrt(np.mean(one**2)) for one in (own, peer)), (own.max(), peer.max())
        ratio = own_mean / peer_mean if peer_mean > 0 else (1.0 if own_mean == 0 else math.inf)
        mark = "  <--" if ratio > 2 and own_mean > 0.5 else ""
        print(f"{name:44} {own_mean:9.3f} {largest[0]:9.3f} {peer_mean:9.3f} {largest[1]:9.3f} {ratio:7.2f}{mark}", flush=True)
        rows.append((name, own_mean, peer_mean))
    if options.page:
        page.replace(options.page, "sums", page.sums_table(rows))


if __name__ == "__main__":
    main()
