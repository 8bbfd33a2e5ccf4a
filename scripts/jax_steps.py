#!/usr/bin/env python3
"""Steps of training and of simulations, as users of JAX's libraries write them: on Strata's PJRT plugin and on XLA's CPU.

    python3 -m venv venv && venv/bin/pip install jax==0.10.2 . ./python/jax-plugin-strata
    venv/bin/pip install flax optax equinox diffrax optimistix lineax numpyro blackjax brax mujoco-mjx jraph
    venv/bin/python scripts/jax_steps.py [NAME…] [--check | --rounds 60] [--alone] [--markdown FILE]

Both are in one process, on the processors that it may use: `--alone` with `taskset -c 1` for one. A program is left out if its library cannot be
imported. Results of the first steps are compared with those of XLA's CPU; where the tolerance is exceeded the exit code is 1. Then
they alternate: every sample is a number of steps, enough for some milliseconds, from the same state. Times are the least of the rounds, which
what else the machine does disturbs least; medians of each round's ratio are beside their ratio. Compiling is in seconds of processor time, without JAX's lowering.
"""

import argparse
import functools
import importlib.util
import math
import os
import statistics
import sys
import time

# MuJoCo XLA and Brax make models on the first platform, and do not know Strata.
os.environ.setdefault("JAX_PLATFORMS", "cpu,strata")

import jax
import jax.numpy as jnp
import numpy as np

PROGRAMS = {}
SAMPLE = 0.001  # seconds


def program(*libraries, tolerance=1e-4, steps=3):
    """Registers a program: a function without arguments that returns a step, from state to state, and the first state."""

    def register(make):
        PROGRAMS[make.__name__] = (libraries, make, tolerance, steps)
        return make

    return register


def rng(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def supervised(model, x, y, optimiser, loss):
    """A step of a flax model: loss, gradient, update."""
    import optax

    params = model.init(jax.random.key(0), x)

    def step(state):
        params, moments, _ = state
        value, gradient = jax.value_and_grad(lambda p: loss(model.apply(p, x), y))(params)
        updates, moments = optimiser.update(gradient, moments, params)
        return optax.apply_updates(params, updates), moments, value

    return step, (params, optimiser.init(params), jnp.float32(0))


def cross_entropy(logits, labels):
    import optax

    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


@program("flax", "optax")
def flax_mlp():
    import flax.linen as nn
    import optax

    model = nn.Sequential([nn.Dense(256), nn.relu, nn.Dense(128), nn.relu, nn.Dense(10)])
    return supervised(model, rng(64, 784), np.arange(64) % 10, optax.adam(1e-3), cross_entropy)


@program("flax", "optax", tolerance=1e-3)
def flax_cnn():
    import flax.linen as nn
    import optax

    class CNN(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.avg_pool(nn.relu(nn.Conv(32, (3, 3))(x)), (2, 2), strides=(2, 2))
            x = nn.avg_pool(nn.relu(nn.Conv(64, (3, 3))(x)), (2, 2), strides=(2, 2))
            return nn.Dense(10)(nn.relu(nn.Dense(256)(x.reshape((x.shape[0], -1)))))

    return supervised(CNN(), rng(32, 28, 28, 1), np.arange(32) % 10, optax.sgd(0.01, momentum=0.9), cross_entropy)


@program("flax", "optax", tolerance=1e-3)
def flax_transformer():
    import flax.linen as nn
    import optax

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x, mask):
            x = x + nn.MultiHeadDotProductAttention(num_heads=4)(nn.LayerNorm()(x), mask=mask)
            return x + nn.Dense(x.shape[-1])(nn.gelu(nn.Dense(4 * x.shape[-1])(nn.LayerNorm()(x))))

    class Model(nn.Module):
        @nn.compact
        def __call__(self, tokens):
            x = nn.Embed(256, 128)(tokens) + nn.Embed(64, 128)(jnp.arange(tokens.shape[1]))
            for _ in range(2):
                x = Block()(x, nn.make_causal_mask(tokens))
            return nn.Dense(256)(nn.LayerNorm()(x))

    tokens = np.random.default_rng(1).integers(0, 256, (8, 65))
    optimiser = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(optax.cosine_decay_schedule(1e-3, 1000)))
    return supervised(Model(), tokens[:, :-1], tokens[:, 1:], optimiser, cross_entropy)


@program("flax", "optax", tolerance=1e-3)
def flax_nnx_autoencoder():
    import optax
    from flax import nnx

    class Autoencoder(nnx.Module):
        def __init__(self, rngs):
            self.encoder = nnx.Linear(196, 64, rngs=rngs)
            self.norm = nnx.BatchNorm(64, rngs=rngs)
            self.decoder = nnx.Linear(64, 196, rngs=rngs)

        def __call__(self, x):
            return self.decoder(nnx.gelu(self.norm(self.encoder(x))))

    graph, params, rest = nnx.split(Autoencoder(nnx.Rngs(0)), nnx.Param, ...)
    optimiser, x = optax.lion(1e-4), rng(32, 196)

    def loss(params, rest):
        model = nnx.merge(graph, params, rest, copy=True)
        value = jnp.square(model(x) - x).mean()
        return value, nnx.split(model, nnx.Param, ...)[2]

    def step(state):
        params, rest, moments, _ = state
        (value, rest), gradient = jax.value_and_grad(loss, has_aux=True)(params, rest)
        updates, moments = optimiser.update(gradient, moments, params)
        return optax.apply_updates(params, updates), rest, moments, value

    return step, (params, rest, optimiser.init(params), jnp.float32(0))


@program("flax", "optax", tolerance=1e-3)
def flax_lstm():
    import flax.linen as nn
    import optax

    class Model(nn.Module):
        @nn.compact
        def __call__(self, x):
            return nn.Dense(3)(nn.RNN(nn.OptimizedLSTMCell(64))(x)[:, -1])

    return supervised(Model(), rng(16, 50, 8), np.arange(16) % 3, optax.rmsprop(1e-3), cross_entropy)


@program("equinox", "optax", tolerance=1e-3)
def equinox_mlp():
    import equinox
    import optax

    model = equinox.nn.MLP(2, 1, 64, 3, key=jax.random.key(1))
    params, static = equinox.partition(model, equinox.is_array)
    x = rng(256, 2)
    y, optimiser = np.sin(x[:, :1] * x[:, 1:]), optax.adabelief(3e-3)

    def loss(params):
        return jnp.square(jax.vmap(equinox.combine(params, static))(x) - y).mean()

    def step(state):
        params, moments, _ = state
        value, gradient = jax.value_and_grad(loss)(params)
        updates, moments = optimiser.update(gradient, moments, params)
        return equinox.apply_updates(params, updates), moments, value

    return step, (params, optimiser.init(params), jnp.float32(0))


@program("jraph", "optax", tolerance=1e-3)
def jraph_network():
    import jraph
    import optax

    nodes, edges = 200, 800
    draw = np.random.default_rng(2)
    graph = jraph.GraphsTuple(
        nodes=rng(nodes, 16), edges=rng(edges, 4), globals=rng(1, 4), n_node=np.array([nodes]), n_edge=np.array([edges]),
        senders=draw.integers(0, nodes, edges), receivers=draw.integers(0, nodes, edges),
    )
    sizes = {"edge": (4 + 16 + 16 + 4, 4), "node": (16 + 4 + 4 + 4, 16), "global": (4 + 16 + 4, 4)}
    params = {name: rng(*size, seed=at) * 0.1 for at, (name, size) in enumerate(sizes.items())}
    optimiser = optax.adam(1e-2)

    def loss(params):
        def update(name):
            return lambda *parts: jax.nn.relu(jnp.concatenate(parts, -1) @ params[name])

        network = jraph.GraphNetwork(update("edge"), update("node"), update("global"))
        return jnp.square(network(network(graph)).nodes - graph.nodes).mean()

    def step(state):
        params, moments, _ = state
        value, gradient = jax.value_and_grad(loss)(params)
        updates, moments = optimiser.update(gradient, moments)
        return optax.apply_updates(params, updates), moments, value

    return step, (params, optimiser.init(params), jnp.float32(0))


@program("diffrax", tolerance=1e-3)
def diffrax_solve():
    """Lotka-Volterra with an adaptive solver, from where the last solve ended."""
    import diffrax

    def field(t, y, args):
        a, b, c, d = args
        return jnp.stack([a * y[0] - b * y[0] * y[1], -c * y[1] + d * y[0] * y[1]])

    def step(y):
        solution = diffrax.diffeqsolve(
            diffrax.ODETerm(field), diffrax.Tsit5(), 0.0, 10.0, 0.1, y, args=(0.1, 0.02, 0.4, 0.02),
            saveat=diffrax.SaveAt(ts=jnp.linspace(0, 10, 50)), stepsize_controller=diffrax.PIDController(rtol=1e-5, atol=1e-5),
        )
        return solution.ys[-1]

    return step, jnp.array([10.0, 10.0])


@program("diffrax", "equinox", "optax", tolerance=1e-3)
def diffrax_neural_ode():
    import diffrax
    import equinox
    import optax

    params, static = equinox.partition(equinox.nn.MLP(2, 2, 32, 2, activation=jax.nn.softplus, key=jax.random.key(3)), equinox.is_array)
    ts = jnp.linspace(0, 1, 16)
    ys, optimiser = rng(8, 16, 2) * 0.3, optax.adam(3e-3)

    def loss(params):
        field = equinox.combine(params, static)

        def solve(y):
            return diffrax.diffeqsolve(
                diffrax.ODETerm(lambda t, y, args: field(y)), diffrax.Heun(), 0.0, 1.0, 1 / 32, y, saveat=diffrax.SaveAt(ts=ts)
            ).ys

        return jnp.square(jax.vmap(solve)(ys[:, 0]) - ys).mean()

    def step(state):
        params, moments, _ = state
        value, gradient = jax.value_and_grad(loss)(params)
        updates, moments = optimiser.update(gradient, moments)
        return equinox.apply_updates(params, updates), moments, value

    return step, (params, optimiser.init(params), jnp.float32(0))


@program("optimistix", tolerance=1e-3)
def optimistix_least_squares():
    import optimistix

    t = np.linspace(0, 2, 100, dtype=np.float32)
    data = 2.5 * np.exp(-1.3 * t) + 0.5

    def step(y):
        residuals = lambda y, _: y[0] * jnp.exp(-y[1] * t) + y[2] - data
        found = optimistix.least_squares(residuals, optimistix.LevenbergMarquardt(1e-6, 1e-6), y, max_steps=64).value
        return 0.5 * (found + jnp.array([1.0, 1.0, 1.0]))

    return step, jnp.array([1.0, 1.0, 0.0])


@program("lineax", tolerance=1e-3)
def lineax_conjugate_gradients():
    import lineax

    m = rng(100, 100)
    operator = lineax.MatrixLinearOperator(m @ m.T / 100 + np.eye(100, dtype=np.float32), lineax.positive_semidefinite_tag)

    def step(y):
        return lineax.linear_solve(operator, y, lineax.CG(1e-6, 1e-6)).value + 1

    return step, jnp.ones(100)


@program("lineax", tolerance=1e-3)
def lineax_factors():
    import lineax

    m = rng(60, 60) + 8 * np.eye(60, dtype=np.float32)
    tall = rng(90, 60, seed=4)

    def step(y):
        y = lineax.linear_solve(lineax.MatrixLinearOperator(m), y, lineax.LU()).value
        y = lineax.linear_solve(lineax.MatrixLinearOperator(tall), jnp.tile(y, 2)[:90], lineax.QR()).value
        return y + 1

    return step, jnp.ones(60)


def regression():
    x = rng(200, 5, seed=6)
    y = (np.random.default_rng(7).random(200) < 1 / (1 + np.exp(-x @ np.arange(-2, 3)))).astype(np.int32)
    return x, y


@program("numpyro", tolerance=1e-2, steps=1)
def numpyro_nuts():
    """One NUTS transition of a logistic regression, after a fixed adaptation."""
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import NUTS

    x, y = regression()

    def model():
        scale = numpyro.sample("scale", dist.HalfNormal(1.0))
        w = numpyro.sample("w", dist.Normal(jnp.zeros(5), scale).to_event(1))
        numpyro.sample("y", dist.Bernoulli(logits=x @ w), obs=y)

    kernel = NUTS(model, step_size=0.1, adapt_step_size=False, adapt_mass_matrix=False)
    state = kernel.init(jax.random.PRNGKey(0), 0, None, (), {})
    return lambda state: kernel.sample(state, (), {}), state


@program("numpyro", tolerance=1e-2)
def numpyro_svi():
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import SVI, Trace_ELBO
    from numpyro.infer.autoguide import AutoMultivariateNormal

    x, y = regression()

    def model():
        w = numpyro.sample("w", dist.Normal(jnp.zeros(5), 1.0).to_event(1))
        numpyro.sample("y", dist.Bernoulli(logits=x @ w), obs=y)

    svi = SVI(model, AutoMultivariateNormal(model), numpyro.optim.Adam(0.01), Trace_ELBO(num_particles=4))
    state = svi.init(jax.random.PRNGKey(0))
    return lambda state: svi.update(state)[0], state


@program("blackjax", tolerance=1e-2)
def blackjax_hmc():
    import blackjax

    x, y = regression()

    def density(w):
        logits = x @ w
        return jnp.sum(y * jax.nn.log_sigmoid(logits) + (1 - y) * jax.nn.log_sigmoid(-logits)) - 0.5 * w @ w

    kernel = blackjax.hmc(density, step_size=0.05, inverse_mass_matrix=jnp.ones(5), num_integration_steps=10)

    def step(state):
        state, key = state
        key, now = jax.random.split(key)
        return kernel.step(now, state)[0], key

    return step, (kernel.init(jnp.zeros(5)), jax.random.key(1))


@program("brax", tolerance=2e-2)
def brax_ant():
    from brax import envs

    environment = envs.get_environment("ant", backend="spring")
    batch = 16
    state = jax.jit(jax.vmap(environment.reset))(jax.random.split(jax.random.PRNGKey(0), batch))
    return lambda state: jax.vmap(environment.step)(state, jnp.zeros((batch, 8)) + 0.3), state


PENDULUM = """
<mujoco><option timestep="0.005"/><worldbody>
  <geom type="plane" size="5 5 .1"/>
  <body pos="0 0 1"><freejoint/><geom type="sphere" size=".1"/>
    <body pos="0 0 -.3"><joint type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -.3" size=".04"/>
      <body pos="0 0 -.3"><joint name="knee" type="hinge" axis="0 1 0" damping=".1"/><geom type="capsule" fromto="0 0 0 .2 0 -.3" size=".04"/>
</body></body></body></worldbody><actuator><motor joint="knee" gear="3"/></actuator></mujoco>
"""


@program("mujoco.mjx", tolerance=2e-2)
def mjx_step():
    import mujoco
    from mujoco import mjx

    model = mujoco.MjModel.from_xml_string(PENDULUM)
    on_device = mjx.put_model(model, impl="jax")
    data = jax.vmap(lambda v: mjx.make_data(on_device).replace(qvel=v))(rng(16, model.nv))
    return lambda data: jax.vmap(mjx.step, in_axes=(None, 0))(on_device, data), data


def numbers(tree):
    """The leaves as arrays of NumPy, keys of random numbers as their data."""
    leaves = jax.tree.leaves(tree)
    return [np.asarray(jax.random.key_data(one) if jnp.issubdtype(one.dtype, jax.dtypes.prng_key) else one) for one in map(jnp.asarray, leaves)]


def difference(found, expected):
    """The largest difference of two states, relative to the largest number of the leaf or to 1."""
    worst = 0.0
    for one, other in zip(numbers(found), numbers(expected), strict=True):
        if one.shape != other.shape or one.dtype != other.dtype:
            return math.inf
        if not one.size:
            continue
        one, other = one.astype(np.float64), other.astype(np.float64)
        if not np.array_equal(np.isnan(one), np.isnan(other)) or not np.array_equal(one[np.isinf(other)], other[np.isinf(other)]):
            return math.inf
        one, other = (np.where(np.isfinite(other), side, 0) for side in (one, other))
        worst = max(worst, np.abs(one - other).max() / max(1.0, np.abs(other).max()))
    return worst


def prepare(make, device):
    """The compiled step on a device, its state, and the seconds of processor time that compiling took."""
    with jax.default_device(device):
        step, state = make()
        state = jax.device_put(state, device)
        lowered = jax.jit(step).lower(state)
        since = time.process_time()
        compiled = lowered.compile()
        return compiled, state, time.process_time() - since


def run(step, state, count):
    for _ in range(count):
        state = step(state)
    return jax.block_until_ready(state)


def sample(step, state, count):
    since = time.perf_counter()
    run(step, state, count)
    return (time.perf_counter() - since) / count


def measure(name, rounds):
    """A line of the table, and whether the results agree."""
    libraries, make, tolerance, steps = PROGRAMS[name]
    devices = [jax.devices(platform)[0] for platform in ("cpu", "strata")]
    sides = [prepare(make, device) for device in devices]
    # Both from the same state: that of XLA's CPU.
    state = sides[0][1]
    sides = [(step, jax.device_put(state, device), compiling) for (step, _, compiling), device in zip(sides, devices)]
    worst = difference(run(*sides[1][:2], steps), run(*sides[0][:2], steps))
    row = {"program": name, "difference": worst, "agrees": worst <= tolerance, "compile": [compiling for *_, compiling in sides]}
    if rounds:
        count = max(1, math.ceil(SAMPLE / max(1e-7, min(sample(step, state, 3) for step, state, _ in sides))))
        times = [[sample(step, state, count) for step, state, _ in sides] for _ in range(rounds)]
        row["step"] = [min(column) for column in zip(*times)]
        row["ratio"] = row["step"][0] / row["step"][1]
        row["median"] = statistics.median(xla / strata for xla, strata in times)
    return row


def table(rows):
    lines = ["| program | XLA:CPU, µs per step | Strata | XLA / Strata | median of the rounds | compiled by XLA, s | by Strata |", "|---|---:|---:|---:|---:|---:|---:|"]
    for row in rows:
        step, compiling = row["step"], row["compile"]
        lines.append(f"| `{row['program']}` | {step[0] * 1e6:.0f} | {step[1] * 1e6:.0f} | {row['ratio']:.2f} | {row['median']:.2f} | {compiling[0]:.2f} | {compiling[1]:.2f} |")
    means = [statistics.geometric_mean(row[column] for row in rows) for column in ("ratio", "median")]
    lines.append(f"| geometric mean | | | {means[0]:.2f} | {means[1]:.2f} | | |")
    return "\n".join(lines)


def is_there(library):
    try:
        return importlib.util.find_spec(library) is not None
    except ModuleNotFoundError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"of {', '.join(PROGRAMS)}")
    parser.add_argument("--check", action="store_true", help="compare results only")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--markdown", help="write the table there")
    parser.add_argument("--alone", action="store_true", help="calls run on the thread that makes them")
    args = parser.parse_args()
    if args.alone:
        # XLA's CPU passes a call to a thread of its own, which on one processor costs more than it gains.
        os.environ["STRATA_THREADS"] = "1"
        jax.config.update("jax_cpu_enable_async_dispatch", False)
    rows, wrong = [], 0
    for name in args.names or PROGRAMS:
        missing = [library for library in PROGRAMS[name][0] if not is_there(library)]
        if missing:
            print(f"{name}: left out: there is no {', '.join(missing)}", flush=True)
            continue
        row = measure(name, 0 if args.check else args.rounds)
        wrong += not row["agrees"]
        told = f"{name}: differs by {row['difference']:.1e}{'' if row['agrees'] else ', TOO MUCH'}; compiled in {row['compile'][0]:.2f} and {row['compile'][1]:.2f} s"
        if "step" in row:
            told += f"; {row['step'][0] * 1e6:.0f} and {row['step'][1] * 1e6:.0f} µs per step, ratio {row['ratio']:.2f}, median {row['median']:.2f}"
            rows.append(row)
        print(told, flush=True)
    if rows:
        print(table(rows))
        if args.markdown:
            with open(args.markdown, "w", encoding="utf-8") as file:
                file.write(table(rows) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
