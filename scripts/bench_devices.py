#!/usr/bin/env python3
"""Exchanges between devices of one process, and programs that are split over them: Strata's PJRT plugin beside XLA's CPU.

    python3 -m venv venv && venv/bin/pip install jax==0.10.2 . ./python/jax-plugin-strata
    venv/bin/python scripts/bench_devices.py [--devices 2] [--rounds 15] [--most 64MiB] [all_reduce … train gpt2]

Both have as many devices, run the same jitted functions on arrays that are there already, and alternate: a round has one sample of each, of as
many calls as take `--sample` milliseconds. The table has the medians of a call's time and of the rounds' ratios XLA / Strata; sizes are those of the larger of a
device's buffers. `train` is a step of a convolutional network whose batch the devices share, `gpt2` a block of GPT-2 whose heads and hidden layer they share.
"""

import argparse
import os
import re
import statistics
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("programs", nargs="*", help="only these")
parser.add_argument("--devices", type=int, default=2)
parser.add_argument("--rounds", type=int, default=15)
parser.add_argument("--sample", type=float, default=20.0, help="milliseconds of a sample")
parser.add_argument("--least", default="1KiB")
parser.add_argument("--most", default="64MiB")
ARGUMENTS = parser.parse_args()

os.environ["JAX_PLATFORMS"] = "strata,cpu"
os.environ["STRATA_NUM_DEVICES"] = str(ARGUMENTS.devices)
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={ARGUMENTS.devices}"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

PLATFORMS = ("cpu", "strata")
UNITS = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20}
# Each has the whole of `size` bytes on one side of the exchange on each device, and a part on the other: the function, and which side that is.
EXCHANGES = {
    "all_reduce": (lambda x: lax.psum(x, "d"), "in"),
    "all_gather": (lambda x: lax.all_gather(x, "d", tiled=True), "out"),
    "reduce_scatter": (lambda x: lax.psum_scatter(x, "d", tiled=True), "in"),
    "all_to_all": (lambda x: lax.all_to_all(x, "d", 0, 0, tiled=True), "in"),
}


def bytes_of(text):
    number, unit = re.fullmatch(r"(\d+)(\w+)", text).groups()
    return int(number) * UNITS[unit]


def name_of(size):
    unit = max((scale, unit) for unit, scale in UNITS.items() if scale <= size)
    return f"{size // unit[0]} {unit[1]}"


def mesh_of(platform):
    return jax.sharding.Mesh(np.array(jax.devices(platform)), ("d",))


def exchange(name, size):
    """For each platform a call without arguments."""
    body, side = EXCHANGES[name]
    count = size // 4
    count = count * ARGUMENTS.devices if side == "in" else count

    def on(platform):
        mesh = mesh_of(platform)
        mapped = jax.jit(jax.shard_map(body, mesh=mesh, in_specs=P("d"), out_specs=P("d"), check_vma=False))
        data = np.random.default_rng(0).standard_normal(count, np.float32)
        x = jax.device_put(data, NamedSharding(mesh, P("d")))
        return lambda: mapped(x)

    return {platform: on(platform) for platform in PLATFORMS}


def train():
    """Data parallel: the batch is split, the parameters are whole, and gradients are summed."""

    def loss(weights, images, labels):
        x = images
        for kernel in weights[:2]:
            x = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
            x = jax.nn.relu(x)
            x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        x = jax.nn.relu(x.reshape(x.shape[0], -1) @ weights[2])
        logits = jax.nn.log_softmax(x @ weights[3])
        return -jnp.take_along_axis(logits, labels[:, None], 1).mean()

    def step(weights, images, labels):
        value, gradients = jax.value_and_grad(loss)(weights, images, labels)
        return value, [weight - 0.01 * gradient for weight, gradient in zip(weights, gradients)]

    draw = np.random.default_rng(0)
    shapes = [(3, 3, 1, 16), (3, 3, 16, 32), (7 * 7 * 32, 128), (128, 10)]
    weights = [draw.standard_normal(shape, np.float32) * 0.05 for shape in shapes]
    images, labels = draw.standard_normal((64, 28, 28, 1), np.float32), draw.integers(0, 10, 64, np.int32)
    return placed(step, (weights, images, labels), ([P()] * 4, P("d"), P("d")))


def gpt2():
    """Tensor parallel: heads and the hidden layer are split, the sequence is whole."""
    width, heads, tokens = 768, 12, 128

    def norm(x):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5)

    def block(x, qkv, out, up, down):
        q, k, v = jnp.einsum("td,cdhk->chtk", norm(x), qkv)
        scores = jnp.einsum("htk,hsk->hts", q, k) / 8.0
        scores = jnp.where(jnp.tril(jnp.ones((tokens, tokens), bool)), scores, -1e9)
        x = x + jnp.einsum("hts,hsk,hkd->td", jax.nn.softmax(scores), v, out)
        return x + jax.nn.gelu(norm(x) @ up) @ down

    draw = np.random.default_rng(0)
    shapes = [(3, width, heads, 64), (heads, 64, width), (width, 4 * width), (4 * width, width)]
    x = draw.standard_normal((tokens, width), np.float32)
    weights = [draw.standard_normal(shape, np.float32) * 0.02 for shape in shapes]
    specs = (P(), P(None, None, "d"), P("d"), P(None, "d"), P("d"))
    return placed(block, (x, *weights), specs, out=P())


def placed(function, values, specs, out=None):
    def on(platform):
        mesh = mesh_of(platform)
        sharding = lambda spec: NamedSharding(mesh, spec)
        there = jax.tree.map(lambda value, spec: jax.device_put(value, sharding(spec)), values, specs)
        asked = {} if out is None else {"out_shardings": sharding(out)}
        compiled = jax.jit(function, **asked)
        return lambda: compiled(*there)

    return {platform: on(platform) for platform in PLATFORMS}


def time_of(call, count):
    begin = time.perf_counter()
    for _ in range(count):
        # Each by itself: calls of several devices at the same time may wait for each other in XLA's pool.
        jax.block_until_ready(call())
    return (time.perf_counter() - begin) / count


def compared(name, size, calls):
    results = {platform: jax.tree.leaves(call()) for platform, call in calls.items()}
    for ours, theirs in zip(results["strata"], results["cpu"]):
        np.testing.assert_allclose(np.asarray(ours), np.asarray(theirs), rtol=1e-3, atol=1e-4)
    del results
    counts = {}
    for platform, call in calls.items():
        once = min(time_of(call, 2) for _ in range(3))
        counts[platform] = max(1, int(ARGUMENTS.sample / 1e3 / once))
    times = {platform: [] for platform in PLATFORMS}
    for turn in range(ARGUMENTS.rounds):
        for platform in PLATFORMS[:: 1 if turn % 2 else -1]:
            times[platform].append(time_of(calls[platform], counts[platform]))
    ratio = statistics.median(theirs / ours for theirs, ours in zip(times["cpu"], times["strata"]))
    theirs, ours = (statistics.median(times[platform]) * 1e6 for platform in PLATFORMS)
    print(f"| {name} | {size} | {theirs:,.1f} | {ours:,.1f} | {ratio:.2f} |", flush=True)
    return ratio


def main():
    wanted = ARGUMENTS.programs or [*EXCHANGES, "train", "gpt2"]
    print("| program | bytes | XLA:CPU, µs | Strata, µs | XLA / Strata |\n|---|---:|---:|---:|---:|")
    for name in wanted:
        if name not in EXCHANGES:
            compared(name, "", {"train": train, "gpt2": gpt2}[name]())
            continue
        size, most = bytes_of(ARGUMENTS.least), bytes_of(ARGUMENTS.most)
        while size <= most:
            compared(f"`{name}`", name_of(size), exchange(name, size))
            size *= 4


if __name__ == "__main__":
    main()
