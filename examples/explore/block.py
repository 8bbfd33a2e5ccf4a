"""A block of a transformer, for `strata explore`: `python block.py` writes block.mlir.

`named_scope` says how the graph of the page is folded, and `debug_info=True` keeps that and the places in this file.
"""

import jax
import jax.numpy as jnp

LENGTH, WIDTH, HEADS = 32, 64, 4


def norm(x, gain):
    centred = x - x.mean(-1, keepdims=True)
    return gain * centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + 1e-5)


def attention(x, w):
    q, k, v = x @ w["q"], x @ w["k"], x @ w["v"]
    heads = lambda t: t.reshape(LENGTH, HEADS, -1).transpose(1, 0, 2)
    scores = jax.nn.softmax(heads(q) @ heads(k).transpose(0, 2, 1) / (WIDTH / HEADS) ** 0.5)
    return (scores @ heads(v)).transpose(1, 0, 2).reshape(LENGTH, WIDTH) @ w["o"]


def mlp(x, w):
    return jax.nn.gelu(x @ w["up"]) @ w["down"]


def model(layers, x):
    for number, w in enumerate(layers):
        with jax.named_scope(f"layer{number}"):
            with jax.named_scope("attention"):
                x = x + attention(norm(x, w["gain1"]), w)
            with jax.named_scope("mlp"):
                x = x + mlp(norm(x, w["gain2"]), w)
    return x


def shape(*sizes):
    return jax.ShapeDtypeStruct(sizes, jnp.float32)


if __name__ == "__main__":
    square, gain = shape(WIDTH, WIDTH), shape(WIDTH)
    layer = {"q": square, "k": square, "v": square, "o": square, "gain1": gain, "gain2": gain}
    layer |= {"up": shape(WIDTH, 4 * WIDTH), "down": shape(4 * WIDTH, WIDTH)}
    lowered = jax.jit(model).lower([layer] * 2, shape(LENGTH, WIDTH))
    with open("block.mlir", "w") as file:
        file.write(lowered.as_text(debug_info=True).replace(__file__, "block.py"))
