#!/usr/bin/env python3
"""Compile times of programs as eager users of JAX run them: Strata's PJRT plugin beside XLA's CPU.

    python3 -m venv venv && venv/bin/pip install jax==0.10.2 . ./python/jax-plugin-strata
    venv/bin/python scripts/bench_compile.py [NAME…] [--rounds 15] [--calls] [--markdown FILE]

Both are in one process and alternate. Each round compiles a program that neither has seen, for a constant in it is that of the round. The first round, in which
contexts and tables are made, is left out. Times are from JAX's module to an executable, without tracing and lowering: wall time, and processor time of all threads, on
the processors that the process may use. `--calls` measures calls of the compiled programs instead, and those of `x + 1` without `jax.jit`.
"""

import argparse
import math
import os
import statistics
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu,strata")

import jax
import jax.numpy as jnp
import numpy as np

PROGRAMS = {}
UNARY = (jnp.sin, jnp.exp, jnp.tanh, jnp.abs, jnp.sqrt, jnp.cos, jnp.log1p, jnp.square, jax.nn.sigmoid, jnp.floor)


def program(*shapes, group="functions"):
    """Registers a program: a function of a constant of the round and arrays of these shapes."""

    def register(function):
        PROGRAMS[function.__name__] = (group, function, shapes)
        return function

    return register


def pointwise(count):
    """As many operations, functions and arithmetic in turns."""

    def body(c, x):
        y = x
        for number in range(count):
            y = UNARY[number // 2 % len(UNARY)](y) if number % 2 else (y * x if number % 4 else y + np.float32(c + number))
        return y

    body.__name__ = f"pointwise_{count}"
    program((64, 64), group="pointwise")(body)


for count in (1, 2, 10, 100, 1000):
    pointwise(count)


@program((7,), group="tiny")
def add(c, x):
    return x + np.float32(c)


@program((7,), group="tiny")
def compare(c, x):
    return x > np.float32(c)


@program((3, 5), group="tiny")
def convert(c, x):
    return (x * np.float32(c)).astype(jnp.int32)


@program((3, 5), group="tiny")
def transpose(c, x):
    return x.T - np.float32(c)


@program((), group="tiny")
def scalar(c, x):
    return jnp.maximum(x, np.float32(c))


@program((16,), group="tiny")
def reshape(c, x):
    return (x + np.float32(c)).reshape(4, 4)


@program((64, 64), group="dots")
def dot(c, x):
    return jnp.tanh(x @ x + np.float32(c))


@program((8, 16), group="dots")
def dot_small(c, x):
    return x @ x.T * np.float32(c)


@program((32, 64), *[(64 + 16 * n, 80 + 16 * n) for n in range(10)], group="dots")
def dots_10(c, x, *weights):
    for weight in weights:
        x = jnp.tanh(x @ weight + np.float32(c))
    return x


@program((33, 65), group="reductions")
def total(c, x):
    return jnp.sum(x * np.float32(c))


@program((33, 65), group="reductions")
def rows(c, x):
    return jnp.max(x * np.float32(c), axis=1)


@program((33, 65), group="reductions")
def columns(c, x):
    return jnp.sum(x * np.float32(c), axis=0)


@program((33, 65), group="reductions")
def variance(c, x):
    return jnp.var(x * np.float32(c), axis=-1)


@program((33, 65), group="reductions")
def argmax(c, x):
    return jnp.argmax(x * np.float32(c), axis=1)


@program((33, 65), group="reductions")
def softmax(c, x):
    return jax.nn.softmax(x * np.float32(c))


@program((33, 65), group="reductions")
def cumsum(c, x):
    return jnp.cumsum(x * np.float32(c), axis=0)


@program((50, 8))
def take(c, x):
    return jnp.take(x + np.float32(c), np.array([3, 1, 4, 1, 5]), axis=0)


@program((5, 8), (3, 8))
def concatenate(c, x, y):
    return jnp.concatenate([x * np.float32(c), y])


@program((100,))
def sort(c, x):
    return jnp.sort(x * np.float32(c))


@program((9, 9))
def where(c, x):
    return jnp.where(x > np.float32(c), x, 0)


@program((9, 9))
def norm(c, x):
    return jnp.linalg.norm(x * np.float32(c))


@program((9, 9))
def roll(c, x):
    return jnp.roll(x * np.float32(c), 2, axis=1)


@program((9, 9))
def update(c, x):
    return x.at[2:4, 1].set(np.float32(c))


@program((4, 6, 8), (4, 8, 5))
def einsum(c, x, y):
    return jnp.einsum("bij,bjk->bik", x, y * np.float32(c))


@program((32,))
def pad(c, x):
    return jnp.pad(x, (1, 2), constant_values=np.float32(c))


@program((6, 6))
def solve(c, x):
    return jnp.linalg.inv(x + np.float32(c) * jnp.eye(6))


@program((32, 8), (8, 16), (16, 4), group="training")
def mlp_gradient(c, x, first, second):
    def loss(weights):
        return jnp.mean((jnp.tanh(x @ weights[0]) @ weights[1] - np.float32(c)) ** 2)

    return jax.grad(loss)((first, second))


@program((64, 32), *[(32, 32)] * 4, group="training")
def adam_step(c, x, *weights):
    def loss(weights):
        y = x
        for weight in weights:
            y = jax.nn.relu(y @ weight)
        return jnp.mean((y - np.float32(c)) ** 2)

    gradient = jax.grad(loss)(weights)
    return [w - 0.01 * g / (jnp.sqrt(g * g * 0.001) + 1e-8) for w, g in zip(weights, gradient)]


def arguments(shapes, device):
    numbers = np.random.default_rng(0)
    return [jax.device_put(numbers.standard_normal(shape).astype(np.float32), device) for shape in shapes]


def lowered(name, constant, device):
    _, function, shapes = PROGRAMS[name]
    given = arguments(shapes, device)
    body = lambda *args: function(constant, *args)
    body.__name__ = name
    return jax.jit(body).lower(*given), given


def compile_times(name, rounds, devices, first):
    """For each device the wall and processor times of the rounds."""
    times = {device: [] for device in devices}
    for number in range(rounds + 1):
        constant = first + number / 64
        for device in devices if number % 2 else devices[::-1]:
            program, _ = lowered(name, constant, device)
            wall, used = time.perf_counter(), time.process_time()
            program.compile()
            used, wall = time.process_time() - used, time.perf_counter() - wall
            if number:
                times[device].append((wall, used))
    return times


def call_times(name, rounds, devices):
    """For each device the times of a call in each round."""
    calls = {}
    for device in devices:
        if name == "eager":
            x = arguments([(7,)], device)[0]
            calls[device] = lambda x=x: x + 1
        else:
            program, given = lowered(name, 0.5, device)
            compiled = jax.jit(lambda *args: PROGRAMS[name][1](0.5, *args))
            calls[device] = lambda compiled=compiled, given=given: compiled(*given)
        jax.block_until_ready(calls[device]())
    count = 1
    while sample(calls[devices[0]], count) * count < 0.002:
        count *= 2
    times = {device: [] for device in devices}
    for number in range(rounds):
        for device in devices if number % 2 else devices[::-1]:
            one = sample(calls[device], count)
            times[device].append((one, one))
    return times


def sample(call, count):
    since = time.perf_counter()
    for _ in range(count):
        result = call()
    jax.block_until_ready(result)
    return (time.perf_counter() - since) / count


def geometric_mean(numbers):
    return math.exp(statistics.fmean(map(math.log, numbers)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="programs or groups; all without any")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", action="store_true", help="measure calls, not compiling")
    parser.add_argument("--first", type=float, default=float(time.time_ns() % 4096), help="the constant of the first round")
    parser.add_argument("--markdown", help="write the table to this file")
    options = parser.parse_args()
    devices = [jax.devices("cpu")[0], jax.devices("strata")[0]]
    known = (["eager"] if options.calls else []) + list(PROGRAMS)
    wanted = [name for name in known if not options.names or name in options.names or PROGRAMS.get(name, [name])[0] in options.names]
    unit, what = ("µs", "call") if options.calls else ("ms", "compile")
    scale = 1e6 if options.calls else 1e3
    lines = [f"| program | XLA {unit} | Strata {unit} | ratio | processor time |", "|---|---:|---:|---:|---:|"]
    print(*lines, sep="\n")
    ratios = []
    for name in wanted:
        times = call_times(name, options.rounds, devices) if options.calls else compile_times(name, options.rounds, devices, options.first)
        theirs, ours = (times[device] for device in devices)
        wall, used = (statistics.median(our[kind] / their[kind] for our, their in zip(ours, theirs)) for kind in (0, 1))
        ratios.append((wall, used))
        medians = [statistics.median(wall for wall, _ in one) * scale for one in (theirs, ours)]
        lines.append(f"| {name} | {medians[0]:.2f} | {medians[1]:.2f} | {wall:.2f} | {used:.2f} |")
        print(lines[-1], flush=True)
    means = [geometric_mean(one) for one in zip(*ratios)]
    lines.append(f"| geometric mean | | | {means[0]:.2f} | {means[1]:.2f} |")
    print(lines[-1])
    if options.markdown:
        with open(options.markdown, "w") as file:
            file.write(f"Times to {what}, medians of {options.rounds} rounds.\n\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
