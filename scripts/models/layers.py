"""What the models share: seeded weights, normalisations, attention, convolutions."""

import dataclasses
import math
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


@dataclasses.dataclass
class Model:
    """A function of weights and inputs, with values for both."""

    function: Callable[..., Any]  # function(weights, *inputs)
    weights: Any
    inputs: tuple
    donated: tuple = ()  # positions of arguments of `function` whose buffers the results may take


class Weights:
    """Draws weights; the same seed gives the same ones."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def normal(self, *shape, scale):
        return (self.rng.standard_normal(shape, dtype=np.float32) * np.float32(scale)).astype(np.float32)

    def dense(self, n_in, n_out):
        """A matrix that keeps the variance, and a small bias."""
        return {"w": self.normal(n_in, n_out, scale=1.0 / math.sqrt(n_in)), "b": self.normal(n_out, scale=0.02)}

    def conv(self, height, width, n_in, n_out):
        """An HWIO kernel; `n_in` is the number of input channels of one group."""
        return self.normal(height, width, n_in, n_out, scale=math.sqrt(2.0 / (height * width * n_in)))

    def norm(self, n):
        return {"scale": 1.0 + self.normal(n, scale=0.1), "shift": self.normal(n, scale=0.1)}

    def batch_norm(self, n):
        moments = {"mean": self.normal(n, scale=0.1), "variance": 1.0 + np.abs(self.normal(n, scale=0.1))}
        return self.norm(n) | moments


def dense(p, x):
    return x @ p["w"] + p["b"]


def layer_norm(p, x, epsilon=1e-5):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(jnp.square(x - mean), axis=-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + epsilon) * p["scale"] + p["shift"]


def batch_norm(p, x, epsilon=1e-5):
    """Inference: the moments are weights."""
    return (x - p["mean"]) * lax.rsqrt(p["variance"] + epsilon) * p["scale"] + p["shift"]


def group_norm(p, x, groups, epsilon=1e-5):
    """NCHW."""
    n, c, h, w = x.shape
    x = x.reshape(n, groups, c // groups, h, w)
    mean = jnp.mean(x, axis=(2, 3, 4), keepdims=True)
    variance = jnp.var(x, axis=(2, 3, 4), keepdims=True)
    x = ((x - mean) * lax.rsqrt(variance + epsilon)).reshape(n, c, h, w)
    return x * p["scale"][:, None, None] + p["shift"][:, None, None]


def conv(kernel, x, stride=1, groups=1):
    """NHWC with an HWIO kernel."""
    return lax.conv_general_dilated(
        x,
        kernel,
        (stride, stride),
        "SAME",
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        feature_group_count=groups,
    )


def conv_nchw(kernel, x, stride=1):
    """NCHW with an HWIO kernel."""
    return lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=("NCHW", "HWIO", "NCHW"))


def attention(q, k, v, mask=None):
    """[batch, heads, positions, width of a head]; `mask` is true where a query may look."""
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / np.float32(math.sqrt(q.shape[-1]))
    if mask is not None:
        scores = jnp.where(mask, scores, np.float32(-1e9))
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores, axis=-1), v)


def split_heads(x, heads):
    """[batch, positions, width] to [batch, heads, positions, width of a head]."""
    b, t, d = x.shape
    return x.reshape(b, t, heads, d // heads).transpose(0, 2, 1, 3)


def merge_heads(x):
    b, h, t, d = x.shape
    return x.transpose(0, 2, 1, 3).reshape(b, t, h * d)
