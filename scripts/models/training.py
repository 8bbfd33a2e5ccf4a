"""One step of training: loss, gradients and the new weights."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .layers import Model, Weights, conv, dense

CNN = {"size": 28, "channels": (32, 64), "hidden": 128, "classes": 10, "batch": 32}
CNN_TINY = {"size": 9, "channels": (3, 5), "hidden": 6, "classes": 3, "batch": 2}


def cnn_step(size, channels, hidden, classes, batch):
    """Two convolutions with max pooling, two dense layers, cross entropy, momentum; the state is donated."""
    draw = Weights(28)
    c1, c2 = channels
    flat = (size // 2 // 2) ** 2 * c2
    weights = {
        "conv1": {"w": draw.conv(3, 3, 1, c1), "b": draw.normal(c1, scale=0.02)},
        "conv2": {"w": draw.conv(3, 3, c1, c2), "b": draw.normal(c2, scale=0.02)},
        "dense1": draw.dense(flat, hidden),
        "dense2": draw.dense(hidden, classes),
    }

    def pool(x):
        return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    def loss(w, x, labels):
        x = pool(jax.nn.relu(conv(w["conv1"]["w"], x) + w["conv1"]["b"]))
        x = pool(jax.nn.relu(conv(w["conv2"]["w"], x) + w["conv2"]["b"]))
        x = jax.nn.relu(dense(w["dense1"], x.reshape(batch, -1)))
        scores = jax.nn.log_softmax(dense(w["dense2"], x))
        return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))

    def step(state, x, labels):
        w, velocity = state
        value, gradient = jax.value_and_grad(loss)(w, x, labels)
        velocity = jax.tree.map(lambda v, g: np.float32(0.9) * v + g, velocity, gradient)
        w = jax.tree.map(lambda p, v: p - np.float32(0.05) * v, w, velocity)
        return (w, velocity), value

    state = (weights, jax.tree.map(lambda w: np.zeros_like(w), weights))
    x = draw.normal(batch, size, size, 1, scale=1.0)
    labels = draw.rng.integers(0, classes, (batch,), dtype=np.int32)
    return Model(step, state, (x, labels), donated=(0,))
