"""BERT's encoder, GPT-2 forward and one step of decoding with a cache, an LSTM."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .layers import Model, Weights, attention, dense, layer_norm, merge_heads, split_heads

BERT_BASE = {"vocabulary": 30522, "positions": 128, "width": 768, "layers": 12, "heads": 12, "hidden": 3072}
BERT_TINY = {"vocabulary": 31, "positions": 7, "width": 10, "layers": 2, "heads": 2, "hidden": 13}


def bert(vocabulary, positions, width, layers, heads, hidden):
    """Post-norm encoder with a padding mask; returns the states and the pooled first one."""
    draw = Weights(110)
    weights = {
        "words": draw.normal(vocabulary, width, scale=0.5),
        "positions": draw.normal(positions, width, scale=0.5),
        "segments": draw.normal(2, width, scale=0.5),
        "norm": draw.norm(width),
        "layers": [
            {
                "q": draw.dense(width, width),
                "k": draw.dense(width, width),
                "v": draw.dense(width, width),
                "out": draw.dense(width, width),
                "norm1": draw.norm(width),
                "up": draw.dense(width, hidden),
                "down": draw.dense(hidden, width),
                "norm2": draw.norm(width),
            }
            for _ in range(layers)
        ],
        "pooler": draw.dense(width, width),
    }

    def forward(w, ids, segments, mask):
        x = jnp.take(w["words"], ids, axis=0) + w["positions"] + jnp.take(w["segments"], segments, axis=0)
        x = layer_norm(w["norm"], x, 1e-12)
        for p in w["layers"]:
            q, k, v = (split_heads(dense(p[name], x), heads) for name in "qkv")
            mixed = merge_heads(attention(q, k, v, mask[:, None, None, :] > 0))
            x = layer_norm(p["norm1"], x + dense(p["out"], mixed), 1e-12)
            up = jax.nn.gelu(dense(p["up"], x), approximate=False)
            x = layer_norm(p["norm2"], x + dense(p["down"], up), 1e-12)
        return x, jnp.tanh(dense(w["pooler"], x[:, 0]))

    ids = draw.rng.integers(0, vocabulary, (1, positions), dtype=np.int32)
    segments = (np.arange(positions, dtype=np.int32) > positions // 2).astype(np.int32)[None]
    mask = (np.arange(positions, dtype=np.int32) < positions - 2).astype(np.int32)[None]
    return Model(forward, weights, (ids, segments, mask))


GPT2_SMALL = {"vocabulary": 50257, "context": 1024, "tokens": 64, "width": 768, "layers": 12, "heads": 12}
GPT2_TINY = {"vocabulary": 37, "context": 9, "tokens": 5, "width": 8, "layers": 2, "heads": 2}


def gpt2_weights(draw, vocabulary, context, width, layers):
    return {
        "words": draw.normal(vocabulary, width, scale=0.05),
        "positions": draw.normal(context, width, scale=0.05),
        "layers": [
            {
                "norm1": draw.norm(width),
                "qkv": draw.dense(width, 3 * width),
                "out": draw.dense(width, width),
                "norm2": draw.norm(width),
                "up": draw.dense(width, 4 * width),
                "down": draw.dense(4 * width, width),
            }
            for _ in range(layers)
        ],
        "norm": draw.norm(width),
    }


def mlp(p, x):
    return dense(p["down"], jax.nn.gelu(dense(p["up"], layer_norm(p["norm2"], x)), approximate=True))


def gpt2(vocabulary, context, tokens, width, layers, heads):
    """Logits for all positions; the output matrix is the embedding's."""
    draw = Weights(2)
    weights = gpt2_weights(draw, vocabulary, context, width, layers)

    def forward(w, ids):
        x = jnp.take(w["words"], ids, axis=0) + w["positions"][:tokens]
        causal = jnp.tril(jnp.ones((tokens, tokens), bool))
        for p in w["layers"]:
            q, k, v = jnp.split(dense(p["qkv"], layer_norm(p["norm1"], x)), 3, axis=-1)
            mixed = attention(split_heads(q, heads), split_heads(k, heads), split_heads(v, heads), causal)
            x = x + dense(p["out"], merge_heads(mixed))
            x = x + mlp(p, x)
        return jnp.einsum("btd,vd->btv", layer_norm(w["norm"], x), w["words"])

    return Model(forward, weights, (draw.rng.integers(0, vocabulary, (1, tokens), dtype=np.int32),))


def gpt2_decode(vocabulary, context, tokens, width, layers, heads):
    """One token after `tokens` others, whose keys and values are in the cache; the cache is donated."""
    draw = Weights(2)
    weights = gpt2_weights(draw, vocabulary, context, width, layers)
    shape = (layers, 2, 1, heads, context, width // heads)
    cache = draw.normal(*shape, scale=1.0)
    cache[..., tokens:, :] = 0.0

    def forward(w, ids, position, cache):
        x = jnp.take(w["words"], ids, axis=0) + lax.dynamic_slice_in_dim(w["positions"], position, 1)
        visible = jnp.arange(context) <= position
        for index, p in enumerate(w["layers"]):
            q, k, v = jnp.split(dense(p["qkv"], layer_norm(p["norm1"], x)), 3, axis=-1)
            new = jnp.stack([split_heads(k, heads), split_heads(v, heads)])[None]
            cache = lax.dynamic_update_slice(cache, new, (index, 0, 0, 0, position, 0))
            mixed = attention(split_heads(q, heads), cache[index, 0], cache[index, 1], visible)
            x = x + dense(p["out"], merge_heads(mixed))
            x = x + mlp(p, x)
        return jnp.einsum("bd,vd->bv", layer_norm(w["norm"], x)[:, 0], w["words"]), cache

    ids = draw.rng.integers(0, vocabulary, (1, 1), dtype=np.int32)
    return Model(forward, weights, (ids, np.int32(tokens), cache), donated=(3,))


LSTM = {"features": 128, "width": 512, "layers": 2, "steps": 64, "batch": 8, "classes": 32}
LSTM_TINY = {"features": 3, "width": 5, "layers": 2, "steps": 4, "batch": 2, "classes": 3}


def lstm(features, width, layers, steps, batch, classes):
    """Stacked layers, each a `scan` over time; a dense layer on the last state."""
    draw = Weights(97)
    sizes = [features] + [width] * layers
    weights = {
        "layers": [
            {"x": draw.dense(n_in, 4 * width), "h": draw.dense(width, 4 * width)} for n_in in sizes[:layers]
        ],
        "head": draw.dense(width, classes),
    }

    def forward(w, x):
        for p in w["layers"]:

            def step(state, now, p=p):
                h, c = state
                i, f, g, o = jnp.split(dense(p["x"], now) + dense(p["h"], h), 4, axis=-1)
                c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
                h = jax.nn.sigmoid(o) * jnp.tanh(c)
                return (h, c), h

            zero = jnp.zeros((batch, width), jnp.float32)
            _, x = lax.scan(step, (zero, zero), x)
        return dense(w["head"], x[-1])

    return Model(forward, weights, (draw.normal(steps, batch, features, scale=1.0),))
