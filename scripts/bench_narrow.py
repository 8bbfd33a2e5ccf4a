#!/usr/bin/env python3
"""Programs on `bf16`, `i8` and `i4` beside the same on `f32`, beside the machine's limits, and beside XLA:CPU.

    venv/bin/pip install -r scripts/requirements.txt
    cargo build --release -p strata-cli -p strata-runtime
    venv/bin/python scripts/bench_narrow.py [--strata target/release/strata] [--only NAME,…] [--threads 1,2]
        [--seconds-per-row 2] [--without XLA] [--excess-precision] [--output FILE.md]

Each row is measured as `bench_peers.py` does. Limits are those that `strata bench` measures just before the row:
multiply-adds of `f32` (of `bf16` twice as many, or those in tiles), sums of products of bytes, reading. A program is compared with the
first one of its group that is measured, that on `f32`; elementwise ones, which memory bounds, have half as many
elements in `f32`. A language model has its weights in the program: one token of a GPT-2 of `--layers` layers, by
`strata bench` in turns.
"""

import argparse
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
sys.path.insert(0, str(Path(__file__).resolve().parent))

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import ml_dtypes  # noqa: E402
import numpy as np  # noqa: E402
from bench_peers import find_strata  # noqa: E402
from jax import lax  # noqa: E402
from peers import summary  # noqa: E402
from peers.measure import Harness  # noqa: E402
from peers.programs import Listed  # noqa: E402

TYPES = {"f32": jnp.float32, "bf16": jnp.bfloat16, "i8": jnp.int8}
SUMS = {"f32": jnp.float32, "bf16": jnp.float32, "i8": jnp.int32}


def layer_norm(x):
    wide = x.astype(jnp.float32)
    centred = wide - wide.mean(-1, keepdims=True)
    return (centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-5)).astype(x.dtype)


def rms_norm(x):
    wide = x.astype(jnp.float32)
    return (wide * lax.rsqrt((wide**2).mean(-1, keepdims=True) + 1e-5)).astype(x.dtype)


ELEMENTWISE = {
    "softmax": lambda x: jax.nn.softmax(x, -1),
    "layer_norm": layer_norm,
    "rms_norm": rms_norm,
    "gelu": lambda x: jax.nn.gelu(x, approximate=True),
    "row_sums": lambda x: x.sum(-1),
}

# Of ResNet-50: height, channels, outputs, taps.
CONVOLUTIONS = [(56, 64, 64, 3), (28, 128, 128, 3), (14, 256, 256, 3), (56, 64, 256, 1), (14, 1024, 256, 1)]


def programs():
    """Name, group, what bounds it, the bytes that it reads, function and arguments."""
    for size in (512, 1024, 2048):
        for name in TYPES:
            yield f"matmul_{name}_{size}", f"matmul {size}", "products", dot(name), [(size, size)] * 2, name
    for name in TYPES:
        # More than the caches hold.
        shape = (8192, 8192 if name == "i8" else 4096 if name == "bf16" else 2048)
        yield f"gemv_{name}", "gemv", "reading", dot(name), [(1, 8192), shape], name
    for kind, compute in ELEMENTWISE.items():
        for name in ("f32", "bf16"):
            yield f"{kind}_{name}", kind, "", compute, [(1024 if name == "f32" else 2048, 1024)], name
    for name in ("f32", "bf16"):
        yield f"attention_{name}", "attention", "", jax.nn.dot_product_attention, [(1, 1024, 8, 64)] * 3, name
    for height, channels, outputs, taps in CONVOLUTIONS:
        for name in TYPES:
            shapes = [(1, height, height, channels), (taps, taps, channels, outputs)]
            label = f"{taps}x{taps}, {height}x{height}x{channels} to {outputs}"
            program = f"conv_{taps}x{taps}_{height}_{channels}_{outputs}_{name}"
            yield program, label, "products", convolution(name), shapes, name


def dot(name):
    return lambda x, y: jnp.dot(x, y, preferred_element_type=SUMS[name])


def convolution(name):
    dims = ("NHWC", "HWIO", "NHWC")
    return lambda x, w: lax.conv_general_dilated(
        x, w, (1, 1), "SAME", dimension_numbers=dims, preferred_element_type=SUMS[name]
    )


def limits(strata, text, folder):
    """What `strata bench` measures of the machine: 10^9 operations per second on floats and on bytes, reading in GB/s."""
    path = Path(folder) / "limits.mlir"
    path.write_text(text)
    told = subprocess.run(
        [strata, "bench", path, "--rounds", "1", "--min-time", "0.001"], capture_output=True, text=True, check=True
    ).stdout
    of = lambda what: max((float(n) for n in re.findall(rf"% of ([0-9.]+): {what}", told)), default=None)  # noqa: E731
    f32 = of("f32 multiply-adds")
    return {"f32": f32, "bf16": of(".*bf16") or 2 * f32, "i8": of(".*bytes"), "read": of("reading")}


def rows(options):
    with tempfile.TemporaryDirectory() as folder:
        harness = Harness(options, Path(folder))
        harness.tools["flags"] = options.flags
        first = {}
        for name, group, bound, compute, shapes, element in programs():
            if options.only and name not in options.only:
                continue
            arguments = [jax.ShapeDtypeStruct(shape, TYPES[element]) for shape in shapes]
            text = jax.jit(compute).lower(*arguments).as_text()
            known = limits(options.strata, text, folder)
            for threads in options.threads:
                row = harness.row(Listed(name, text), threads)
                ours, xla = (summary.milliseconds(row, system) for system in ("Strata", "XLA"))
                if ours is None:
                    print(f"{name}: {row.get('fault') or row['systems']['Strata'].get('fault')}", file=sys.stderr)
                    continue
                first.setdefault((group, threads), ours)
                rate, share = "", ""
                if bound == "products":
                    speed = row["flops"] / ours / 1e6
                    limit = known[element]
                    rate, share = f"{speed:.0f} Gop/s", f"{100 * speed / threads / limit:.0f} %" if limit else ""
                elif bound == "reading":
                    speed = sum(np.prod(s) for s in shapes) * np.dtype(TYPES[element]).itemsize / ours / 1e6
                    rate, share = f"{speed:.1f} GB/s", f"{100 * speed / known['read']:.0f} %"
                beside = f"{xla / ours:.2f}" if xla else ""
                alone = summary.milliseconds(row, "Strata, one thread")
                more = f"{alone / ours:.2f}" if alone else ""
                yield [name, threads, f"{ours:.4g}", rate, share, f"{first[group, threads] / ours:.2f}", beside, more]


def gpt2(kind, layers, words=8192, width=768, heads=12, context=256):
    """One token of a GPT-2 whose weights are constants of that type, and are multiplied as floats."""
    rng = np.random.default_rng(2)
    element = jnp.float32 if kind == "f32" else jnp.bfloat16

    def weight(rows, columns):
        values = rng.standard_normal((rows, columns)).astype(np.float32) * 0.02
        if kind in ("f32", "bf16"):
            return values.astype(element)
        top = 127 if kind == "i8" else 7
        scale = np.abs(values).max(0) / top
        stored = np.clip(np.round(values / scale), -top, top)
        return stored.astype(np.int8 if kind == "i8" else ml_dtypes.int4), scale.astype(element)

    def times(x, w):
        if not isinstance(w, tuple):
            return jnp.dot(x, w, preferred_element_type=jnp.float32).astype(element)
        product = jnp.dot(x, jnp.asarray(w[0]).astype(element), preferred_element_type=jnp.float32)
        return product.astype(element) * jnp.asarray(w[1])

    names = {"qkv": (width, 3 * width), "out": (width, width), "up": (width, 4 * width), "down": (4 * width, width)}
    weights = [{name: weight(*shape) for name, shape in names.items()} for _ in range(layers)]
    head = weight(width, words)
    embedding = (rng.standard_normal((words, width)) * 0.05).astype(np.float32).astype(element)

    def decode(ids, position, keys, values):
        x = jnp.take(jnp.asarray(embedding), ids, axis=0)
        visible = jnp.arange(context) <= position
        for index, w in enumerate(weights):
            q, k, v = (t.reshape(1, heads, -1) for t in jnp.split(times(layer_norm(x), w["qkv"]), 3, -1))
            keys = lax.dynamic_update_slice(keys, k[None], (index, position, 0, 0))
            values = lax.dynamic_update_slice(values, v[None], (index, position, 0, 0))
            scores = jnp.einsum("hd,thd->ht", q[0], keys[index], preferred_element_type=jnp.float32) / 8
            mix = jax.nn.softmax(jnp.where(visible, scores, -1e9), -1).astype(element)
            mixed = jnp.einsum("ht,thd->hd", mix, values[index], preferred_element_type=jnp.float32)
            x = x + times(mixed.astype(element).reshape(1, width), w["out"])
            x = x + times(jax.nn.gelu(times(layer_norm(x), w["up"]), approximate=True), w["down"])
        return times(layer_norm(x), head), keys, values

    cache = jax.ShapeDtypeStruct((layers, context, heads, width // heads), element)
    arguments = (jax.ShapeDtypeStruct((1,), jnp.int32), jax.ShapeDtypeStruct((), jnp.int32), cache, cache)
    return jax.export.export(jax.jit(decode))(*arguments).mlir_module_serialized


def models(options):
    """Rows of the language models, timed in turns."""
    kinds = [kind for kind in ("f32", "bf16", "i8", "i4") if not options.only or f"gpt2_{kind}" in options.only]
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            (Path(folder) / f"{kind}.mlirbc").write_bytes(gpt2(kind, options.layers))
        times = {kind: [] for kind in kinds}
        for _ in range(options.model_rounds):
            for kind in kinds:
                command = [options.strata, "bench", Path(folder) / f"{kind}.mlirbc", *options.flags]
                command += ["--no-limits", "--format", "json"]
                told = subprocess.run([*command, "--rounds", "9"], capture_output=True, text=True, check=True).stdout
                times[kind].append(1e3 * json.loads(told)["seconds"]["median"])
        for kind in kinds:
            ratio = summary.median([a / b for a, b in zip(times[kinds[0]], times[kind], strict=True)])
            yield [f"gpt2_{kind}", 1, f"{summary.median(times[kind]):.4g}", "", "", f"{ratio:.2f}", "", ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strata", type=Path, help="the strata command; default: the release build")
    parser.add_argument("--only", default="", metavar="NAME,…", help="of the rows, these only")
    parser.add_argument("--threads", default="1", metavar="N,…", help="a row for each number; default: 1")
    parser.add_argument("--without", default="", metavar="XLA", help="do not run XLA")
    parser.add_argument("--seconds-per-row", type=float, default=2.0, help="what the rounds of a row may take")
    parser.add_argument("--layers", type=int, default=4, help="of the language models; 0: none of these")
    parser.add_argument("--model-rounds", type=int, default=3, help="of the language models")
    parser.add_argument(
        "--excess-precision", action="store_true", help="let numbers keep more digits than their type, as XLA does"
    )
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for one step of a system")
    parser.add_argument("--output", type=Path, metavar="FILE.md", help="write the table into a file, too")
    options = parser.parse_args()
    options.flags = ["--excess-precision"] if options.excess_precision else []
    options.threads = [int(n) for n in options.threads.split(",")]
    options.only = [name for name in options.only.split(",") if name]
    options.without = ["IREE", "NumPy", *[s for s in options.without.split(",") if s]]
    options.sample, options.rounds, options.most_rounds, options.tolerance = 200e-6, 7, 51, 2e-2
    if (strata := find_strata(options.strata)) is None:
        return 1
    options.strata = strata
    lines = [
        "| program | threads | ms | rate | of the limit | `f32` / it | XLA / it | one thread / it |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    print("\n".join(lines))
    for row in itertools.chain(rows(options), models(options) if options.layers else ()):
        lines.append("| " + " | ".join(str(cell) for cell in row) + " |")
        print(lines[-1], flush=True)
    if options.output:
        options.output.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
