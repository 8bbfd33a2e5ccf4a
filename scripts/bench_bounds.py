#!/usr/bin/env python3
"""Time, compile time, code and workspace of objects for sizes up to a bound, beside programs of one size.

Exports JAX functions once with a symbol and once for each size, compiles all of them, and calls both objects in turn:
a number is the median time of the program of that size divided by that of the object for all sizes (1.00: as fast).
After the sizes: their geometric mean, the number of versions in the object, and its processor time to compile, its size
and its workspace at each size (the largest quotient), each as a multiple of those of the program of the bound.

    scripts/bench_bounds.py                     # all, as a table in Markdown
    scripts/bench_bounds.py lstm 'sort*' --rounds 21 --sizes 17,33
    scripts/bench_bounds.py --list

Times are processor time of one thread. Results are compared; a difference is an error.
"""

import argparse
import ctypes
import fnmatch
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from bench_peers import find_strata  # noqa: E402
from jax import export, lax  # noqa: E402

SIZES = [1, 2, 3, 5, 8, 17, 33, 65, 100, 128]

# How often a function is called in a loop, and what that takes.
TIMER = r"""
#include <stdint.h>
#include <time.h>
typedef int32_t (*closed)(const void *const *, void *const *, void *, const void *);
typedef int32_t (*open)(const void *const *, void *const *, void *, const void *, const int64_t *);
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
double timed(void *f, const void *const *in, void *const *out, void *workspace, const int64_t *symbols, long calls) {
  double start = now();
  for (long i = 0; i < calls; ++i) {
    int32_t status = symbols ? ((open)f)(in, out, workspace, 0, symbols) : ((closed)f)(in, out, workspace, 0);
    if (status) return -status;
  }
  return now() - start;
}
"""

PROGRAMS = {}


def program(shapes, maximum=128, **others):
    """A function of arrays of these shapes, in which one symbol is open."""

    def add(make):
        PROGRAMS[make.__name__] = (make, shapes, maximum, others)
        return make

    return add


def weights(*shape, seed=[0]):
    seed[0] += 1
    scale = 1 / np.sqrt(shape[0]) if len(shape) > 1 else 0.1
    return jnp.asarray(np.random.default_rng(seed[0]).normal(size=shape).astype(np.float32) * scale)


def layer_norm(x):
    centered = x - x.mean(-1, keepdims=True)
    return centered * lax.rsqrt((centered**2).mean(-1, keepdims=True) + 1e-5)


def transformer(width, heads, causal):
    wq, wk, wv, wo = (weights(width, width) for _ in range(4))
    up, down = weights(width, 4 * width), weights(4 * width, width)

    def block(x):
        y = layer_norm(x)
        split = lambda z: z.reshape(*z.shape[:-1], heads, width // heads)  # noqa: E731
        scores = jnp.einsum("...shd,...thd->...hst", split(y @ wq), split(y @ wk)) / np.sqrt(width // heads)
        if causal:
            place = jnp.arange(x.shape[-2])
            scores = jnp.where(place[:, None] >= place[None, :], scores, -1e9)
        mixed = jnp.einsum("...hst,...thd->...shd", jax.nn.softmax(scores), split(y @ wv))
        x = x + mixed.reshape(x.shape) @ wo
        return x + jax.nn.gelu(layer_norm(x) @ up) @ down

    return block


@program(["s,256"])
def gpt2_block():
    return transformer(256, 4, causal=True)


@program(["1,256", "s,4,64", "s,4,64"])
def decode_step():
    wq, wo = weights(256, 256), weights(256, 256)

    def step(x, keys, values):
        scores = jnp.einsum("hd,thd->ht", (layer_norm(x) @ wq).reshape(4, 64), keys) / 8
        return x + jnp.einsum("ht,thd->hd", jax.nn.softmax(scores), values).reshape(1, 256) @ wo

    return step


def cached_step():
    """Two layers of a decoding step that writes its keys and values into the cache of each row."""
    layers = [[weights(256, 256) for _ in range(4)] + [weights(256, 1024), weights(1024, 256)] for _ in range(2)]

    def step(x, keys, values, places):
        caches = [], []
        for layer, (q, k, v, o, f, g) in enumerate(layers):
            rows = layer_norm(x)
            query, key, value = ((rows @ w).reshape(-1, 4, 64) for w in (q, k, v))
            steps = jnp.arange(keys.shape[2])
            here = (steps == places[:, None])[:, :, None, None]
            key, value = jnp.where(here, key[:, None], keys[layer]), jnp.where(here, value[:, None], values[layer])
            scores = jnp.einsum("bhd,bthd->bht", query, key) / 8
            scores = jnp.where((steps <= places[:, None])[:, None], scores, -1e9)
            x = x + jnp.einsum("bht,bthd->bhd", jax.nn.softmax(scores), value).reshape(-1, 256) @ o
            x = x + jax.nn.gelu(layer_norm(x) @ f) @ g
            caches[0].append(key)
            caches[1].append(value)
        return x, jnp.stack(caches[0]), jnp.stack(caches[1])

    return step


@program(["1,256", "2,1,s,4,64", "2,1,s,4,64", "1"], integers={3: 1})
def decode_cache():
    return cached_step()


@program(["r,256", "2,r,s,4,64", "2,r,s,4,64", "r"], 32, integers={3: 1})
def decode_rows():
    return cached_step()


@program(["2,s,256"])
def bert_sequence():
    first, second = transformer(256, 4, causal=False), transformer(256, 4, causal=False)
    return lambda x: second(first(x))


@program(["s,16,256"])
def bert_batch():
    first, second = transformer(256, 4, causal=False), transformer(256, 4, causal=False)
    return lambda x: second(first(x))


@program(["s,1,128"])
def lstm():
    w, u, b = weights(128, 512), weights(128, 512), weights(512)

    def step(state, x):
        h, c = state
        i, f, g, o = jnp.split(x @ w + h @ u + b, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return (jax.nn.sigmoid(o) * jnp.tanh(c), c), c

    return lambda x: lax.scan(step, (jnp.zeros((1, 128)), jnp.zeros((1, 128))), x)[0][0]


@program(["s,1,128"])
def gru():
    w, u = weights(128, 384), weights(128, 384)

    def step(h, x):
        (a, b, c), (d, e, f) = jnp.split(x @ w, 3, axis=-1), jnp.split(h @ u, 3, axis=-1)
        z = jax.nn.sigmoid(a + d)
        h = (1 - z) * jnp.tanh(c + jax.nn.sigmoid(b + e) * f) + z * h
        return h, h

    return lambda x: lax.scan(step, jnp.zeros((1, 128)), x)[1]


def convolved(x, kernel, stride=1):
    names = ("NHWC", "HWIO", "NHWC")
    return lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=names)


def small_cnn():
    first, second = weights(3, 3, 8, 16), weights(3, 3, 16, 16)
    return lambda x: jax.nn.relu(convolved(jax.nn.relu(convolved(x, first)), second))


@program(["s,16,16,8"])
def cnn_batch():
    return small_cnn()


@program(["1,s,s,8"], 64)
def cnn_image():
    return small_cnn()


@program(["1,s,64"])
def conv_1d():
    kernel = weights(3, 64, 64)
    return lambda x: lax.conv_general_dilated(x, kernel, (1,), "SAME", dimension_numbers=("NHC", "HIO", "NHC"))


@program(["s,784"])
def mlp():
    a, b, c = weights(784, 512), weights(512, 256), weights(256, 10)
    return lambda x: jax.nn.relu(jax.nn.relu(x @ a) @ b) @ c


@program(["s,64", "s", "64,32", "32,10"], integers={1: 10})
def training_step():
    def loss(params, x, labels):
        logits = jax.nn.relu(x @ params[0]) @ params[1]
        return -(jax.nn.log_softmax(logits) * jax.nn.one_hot(labels, 10)).sum(-1).mean()

    def step(x, labels, a, b):
        return [p - 0.1 * g for p, g in zip((a, b), jax.grad(loss)((a, b), x, labels))]

    return step


@program(["32,16", "s", "s"], integers={1: 32, 2: 32})
def graph_network():
    w = weights(16, 16)

    def layer(nodes, senders, receivers):
        return jax.nn.relu(jax.ops.segment_sum((nodes @ w)[senders], receivers, num_segments=32))

    return layer


def single(shapes, function, name, maximum=128):
    function.__name__ = name
    PROGRAMS[name] = (lambda: function, shapes, maximum, {})


ROW = ["64,s"]
single(ROW, lambda x: jnp.sort(x), "sort")
single(ROW, lambda x: jnp.argsort(x), "argsort")
single(ROW, lambda x: lax.top_k(x, 1), "top_k")
single(ROW, lambda x: jnp.argmax(x, 1), "argmax")
single(ROW, lambda x: jax.nn.softmax(x), "softmax")
single(ROW, lambda x: jnp.cumsum(x, 1), "cumsum")
single(ROW, lambda x: x.sum(1), "sum_of_rows")
single(ROW, lambda x: x.max(1), "max_of_rows")
single(["s,64"], lambda x: x.sum(0), "sum_of_columns")
single(ROW, lambda x: jnp.tanh(x), "tanh")
single([*ROW, "s"], lambda x, y: x + y, "row_added")
single(ROW, lambda x: x.T, "transpose")
single(["64,64", "s,64"], lambda x, y: x @ y.T, "dot")
single(
    ["4,s,s,16"],
    lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 1, 1, 1), "SAME"),
    "max_pooling",
    64,
)
# Kernels that mostly move elements, or whose programs of one size know more than vectors that end at a size.
single(["s,s"], lambda x: x.T, "transpose_of_square")
single(["4,s,s"], lambda x: x.transpose(0, 2, 1), "transposes_of_squares")
single(["s,64"], lambda x: jnp.tile(x, (3, 1)), "tile_columns")
single(ROW, lambda x: jnp.tile(x, (1, 3)), "tile_rows")
single(["s,s"], lambda x: jnp.tile(x, (2, 2)), "tile_both")
single(ROW, lambda x: jnp.repeat(x, 2, axis=1), "repeat_in_rows")
single(["4,s,8"], lambda x: jnp.repeat(x, 4, axis=1), "repeat_of_rows")
single(["s"], lambda x: jnp.repeat(x, 3), "repeat")
single([*ROW, "s"], lambda x, v: x @ v, "matrix_by_vector")
single(["s,64"], lambda x: jnp.sort(x, axis=0), "sort_of_columns")
single(ROW, lambda x: jnp.quantile(x, 0.3, axis=1), "quantile_of_rows")
single([*ROW, *ROW], lambda x, y: ((x - y) ** 2).mean(), "squared_error")
single(ROW, lambda x: layer_norm(x), "layer_norm_of_rows")
single(["s,64"], lambda x: layer_norm(x), "layer_norm_of_open_rows")
single(ROW, lambda x: x - x.max(1, keepdims=True), "rows_less_maximum")
single(["s,3", "s,3"], lambda x, y: ((x[:, None] - y[None]) ** 2).sum(-1), "distances")
single(["s,s"], lambda x: jnp.tril(x), "lower_half")
single(["s,s"], lambda x: jnp.pad(x, 1), "padded")
single(["s"], lambda x: jnp.prod(x), "product")
single(["s,64"], lambda x: x.var(0), "variance_of_columns")
single(["4,s,s"], lambda x: x.reshape(4, -1), "flat_squares")


@program(["1000,64", "s"], integers={1: 1000})
def mean_of_embeddings():
    return lambda table, places: table[places].mean(0)


TWO = ["r,s"]
single(TWO, lambda x: jnp.tanh(x), "two_bounds_tanh")
single(TWO, lambda x: x.sum(1), "two_bounds_sum")
single(["r,64", "64,s"], lambda x, y: x @ y, "two_bounds_dot")
single(["r,64", "s,64"], lambda x, y: jax.nn.softmax(x @ y.T) @ y, "two_bounds_attention")


def exported(function, shapes, integers, sizes=None):
    """The text of the program with its symbols, or with sizes for these."""
    if sizes is None:
        scope = export.SymbolicScope()
        shapes = [export.symbolic_shape(shape, scope=scope) for shape in shapes]
    else:
        shapes = [tuple(sizes[d] if d in sizes else int(d) for d in shape.split(",") if d) for shape in shapes]
    kinds = [np.int32 if index in integers else np.float32 for index in range(len(shapes))]
    arguments = [jax.ShapeDtypeStruct(shape, kind) for shape, kind in zip(shapes, kinds)]
    return export.export(jax.jit(function), platforms=["cpu"])(*arguments).mlir_module()


def arrays(shapes, integers, sizes):
    rng = np.random.default_rng(7)
    for index, shape in enumerate(shapes):
        shape = tuple(sizes[d] if d in sizes else int(d) for d in shape.split(",") if d)
        if index in integers:
            yield rng.integers(0, integers[index], shape).astype(np.int32)
        else:
            yield rng.normal(size=shape).astype(np.float32)


class Compiled:
    """A program that `strata` compiled to a shared library."""

    def __init__(self, strata, cpu, folder, name, text, options):
        source, library = folder / f"{name}.mlir", folder / f"{name}.so"
        source.write_text(text)
        common = [strata, "compile", source, "--target-cpu", cpu, "--name", "p", "-q", *options]
        done = subprocess.run([*common, "--emit", "shared", "-o", library], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{name}: {done.stderr}")
        self.command = [*common, "-o", folder / f"{name}.o"]
        self.object = folder / f"{name}.o"
        self.library = ctypes.CDLL(str(library))
        self.function = ctypes.cast(self.library.p_main, ctypes.c_void_p)

    def compile_time(self, times=3):
        """Processor time of compiling the object on one thread, the shortest."""

        def once():
            process = subprocess.Popen([*self.command, "--compile-threads", "1"], stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage.ru_utime + usage.ru_stime

        return min(once() for _ in range(times))

    def workspace(self, symbols=None):
        size = self.library.p_main_workspace_size
        size.restype = ctypes.c_size_t
        return size(symbols) if symbols is not None else size()


def aligned(size):
    memory = np.zeros(size + 64, np.uint8)
    begin = -memory.ctypes.data % 64
    return memory[begin : begin + size]


class Buffers:
    """Inputs and outputs in memory, which the calls of two objects share: how far apart they are changes a short call's time."""

    def __init__(self, inputs, outputs):
        self.inputs = [aligned(max(one.nbytes, 1)) for one in inputs]
        for buffer, one in zip(self.inputs, inputs):
            buffer[: one.nbytes] = one.reshape(-1).view(np.uint8)
        self.outputs = [aligned(max(one.nbytes, 1)) for one in outputs]


class Call:
    """A call with a workspace of its own."""

    def __init__(self, timer, compiled, buffers, workspace, symbols=None):
        self.timer, self.function, self.symbols = timer, compiled.function, symbols
        self.workspace = aligned(max(workspace, 1))
        pointers = lambda buffers: (ctypes.c_void_p * len(buffers))(*(one.ctypes.data for one in buffers))  # noqa: E731
        self.lists = pointers(buffers.inputs), pointers(buffers.outputs)

    def seconds(self, calls):
        inputs, outputs = self.lists
        took = self.timer(self.function, inputs, outputs, self.workspace.ctypes.data, self.symbols, calls)
        if took < 0:
            raise SystemExit(f"a call returned status {-took:g}")
        return took / calls


def median(values):
    return float(np.median(values))


def measured(options, timer, folder, name):
    make, shapes, maximum, others = PROGRAMS[name]
    integers = others.get("integers", {})
    function = make()
    symbols = sorted({dim for shape in shapes for dim in shape.split(",") if dim.isalpha()})
    bounds = ",".join(f"{symbol}={maximum}" for symbol in symbols)
    text = exported(function, shapes, integers)
    bounded = Compiled(options.strata, options.target_cpu, folder, f"{name}_open", text, ["--max", bounds])
    sizes = [size for size in options.sizes if size <= maximum]
    ratios, spaces, own = [], [], None
    for size in sizes:
        values = dict.fromkeys(symbols, size)
        text = exported(function, shapes, integers, values)
        static = Compiled(options.strata, options.target_cpu, folder, f"{name}_{size}", text, [])
        own = static if size == maximum else own
        inputs = list(arrays(shapes, integers, values))
        expected = [np.asarray(one) for one in jax.tree.leaves(jax.jit(function)(*inputs))]
        given = (ctypes.c_int64 * len(symbols))(*[size] * len(symbols))
        room = bounded.workspace(given)
        buffers = Buffers(inputs, expected)
        calls = [
            Call(timer, static, buffers, static.workspace()),
            Call(timer, bounded, buffers, room, given),
        ]
        for call in calls:
            for buffer in buffers.outputs:
                buffer[:] = 0xAA
            call.seconds(1)
            for buffer, want in zip(buffers.outputs, expected):
                got = buffer.view(want.dtype)[: want.size].reshape(want.shape)
                np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3, err_msg=f"{name}, {size}")
        number = max(1, int(options.batch / max(calls[0].seconds(10), 1e-9)))
        rounds = [[call.seconds(number) for call in calls] for _ in range(options.rounds)]
        one, all_sizes = (median([times[at] for times in rounds]) for at in (0, 1))
        ratios.append(one / all_sizes)
        spaces.append(max(room, 1) / max(static.workspace(), 1) if room > 4096 else 1.0)
    mean = float(np.exp(np.mean(np.log(ratios))))
    cells = [f"{ratio:.2f}" for ratio in ratios]
    cells += ["" for _ in range(len(options.sizes) - len(cells))]
    cost = ["", ""]
    if own is not None:
        took = bounded.compile_time() / own.compile_time()
        cost = [f"{took:.1f}", f"{bounded.object.stat().st_size / own.object.stat().st_size:.1f}"]
    return [f"`{name}`", *cells, f"{mean:.2f}", *cost, f"{max(spaces):.1f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="*", default=["*"], help="names or patterns; all by default")
    parser.add_argument("--list", action="store_true", help="show the names")
    parser.add_argument("--strata", help="the command; by default that of a release build")
    parser.add_argument("--target-cpu", default="native", help="the processor that both are compiled for")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--batch", type=float, default=1e-3, help="seconds that are timed at once")
    parser.add_argument("--sizes", type=lambda text: [int(size) for size in text.split(",")], default=SIZES)
    options = parser.parse_args()
    names = [name for name in PROGRAMS if any(fnmatch.fnmatch(name, one) for one in options.programs)]
    if options.list or not names:
        print("\n".join(PROGRAMS))
        return 0 if options.list else 2
    options.strata = options.strata or find_strata()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "timer.c").write_text(TIMER)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", folder / "timer.so", folder / "timer.c"], check=True)
        timer = ctypes.CDLL(str(folder / "timer.so")).timed
        timer.restype = ctypes.c_double
        timer.argtypes = [ctypes.c_void_p] * 5 + [ctypes.c_long]
        heads = ["program", *map(str, options.sizes), "gm", "compile time", "object", "workspace"]
        print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
        for name in names:
            print("| " + " | ".join(measured(options, timer, folder, name)) + " |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
