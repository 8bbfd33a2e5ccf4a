#!/usr/bin/env python3
"""Export the bundled programs from JAX: StableHLO text, inputs and JAX's outputs.

    python3 -m venv venv && venv/bin/pip install -r scripts/requirements.txt
    venv/bin/python scripts/export_examples.py

writes

    examples/models/<name>.mlir, examples/models/<name>/{input0,output0}.npy
    tests/programs/<name>_tiny/{input.mlir, input0.npy, output0.npy}
    examples/decoder/{decoder.mlir, tokens.txt}
    examples/eigen/{eigen.mlir, input0.npy, output0.npy}

The small variants have odd sizes: they are what the stage snapshots are taken from. Weights are
constants inside the programs and come from seeded generators, so that the same versions (see
requirements.txt) write the same bytes again. `--check` compares instead of writing.

Strata needs none of this to build or to run: the results are committed.
"""

import argparse
import os
import sys
from pathlib import Path

# One thread and one instruction set: JAX's sums are then the same on every x86-64 machine with AVX2.
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false --xla_cpu_max_isa=AVX2"

import io  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent


def quantised(x, bits):
    """`x` on a grid of 2^-bits: hides the last bits of float64 sums, which differ between machines."""
    return (np.round(np.asarray(x, np.float64) * 2.0**bits) / 2.0**bits).astype(np.float32)


def dense(rng, fan_in, *shape):
    """He-initialised weights."""
    return quantised(rng.normal(size=shape) * np.sqrt(2.0 / fan_in), 20)


def bias(rng, n):
    return quantised(rng.normal(size=n) * 0.05, 20)


def nearest_centroid(features, temperature):
    """The last layer that scores class `c` by the distance to row `c` of `features`: [classes, n].

    |h - f_c|^2 = |h|^2 - 2 h.f_c + |f_c|^2, and |h|^2 is the same for every class.
    """
    f = features.astype(np.float64)
    f = f - f.mean(axis=0)
    return quantised(f.T * temperature, 16), quantised(-0.5 * (f * f).sum(axis=1) * temperature, 10)


def relu(x):
    return np.maximum(x, 0.0)


def mlp(sizes, batch, seed):
    """Dense layers with relu; the last one distinguishes seeded prototypes."""
    rng = np.random.default_rng(seed)
    classes = sizes[-1]
    prototypes = quantised(rng.uniform(size=(classes, sizes[0])), 12)
    hidden, h = [], prototypes.astype(np.float64)
    for n_in, n_out in zip(sizes[:-2], sizes[1:-1]):
        w, b = dense(rng, n_in, n_in, n_out), bias(rng, n_out)
        hidden.append((w, b))
        h = relu(h @ w.astype(np.float64) + b)
    mean = h.mean(axis=0)
    w, b = nearest_centroid(h, temperature=1.0 / np.sqrt(sizes[-2]))
    # The centroids were centred; the features are not.
    b = quantised(b - mean @ w.astype(np.float64), 10)

    def mlp(x):
        for w_i, b_i in hidden:
            x = jax.nn.relu(x @ w_i + b_i)
        return x @ w + b

    labels = rng.permutation(max(classes, batch))[:batch] % classes
    x = prototypes[labels] + 0.25 * rng.normal(size=(batch, sizes[0]))
    return mlp, [quantised(x, 12)], labels


def conv_numpy(x, w, b):
    """SAME 3x3 convolution in float64, for the features of the prototypes."""
    x = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    return np.einsum("bhwikl,klio->bhwo", windows, w.astype(np.float64)) + b


def pool_numpy(x, f):
    n, h, w, c = x.shape
    return f(x[:, : h // 2 * 2, : w // 2 * 2].reshape(n, h // 2, 2, w // 2, 2, c), axis=(2, 4))


def cnn(height, width, channels, classes, batch, sharpness, seed):
    """Two NHWC convolutions, max and average pooling, a dense layer and softmax."""
    rng = np.random.default_rng(seed)
    c1, c2 = channels
    prototypes = quantised(rng.uniform(size=(classes, height, width, 1)), 12)
    w1, b1 = dense(rng, 9, 3, 3, 1, c1), bias(rng, c1)
    w2, b2 = dense(rng, 9 * c1, 3, 3, c1, c2), bias(rng, c2)
    h = pool_numpy(relu(conv_numpy(prototypes.astype(np.float64), w1, b1)), np.max)
    h = pool_numpy(relu(conv_numpy(h, w2, b2)), np.mean).reshape(classes, -1)
    mean = h.mean(axis=0)
    w3, b3 = nearest_centroid(h, temperature=sharpness / np.sqrt(h.shape[1]))
    b3 = quantised(b3 - mean @ w3.astype(np.float64), 10)

    def conv(x, w, b):
        return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + b

    def pool(x, init, op):
        return lax.reduce_window(x, init, op, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    def cnn(x):
        x = pool(jax.nn.relu(conv(x, w1, b1)), -jnp.inf, lax.max)
        x = pool(jax.nn.relu(conv(x, w2, b2)), 0.0, lax.add) / 4.0
        return jax.nn.softmax(x.reshape(x.shape[0], -1) @ w3 + b3)

    labels = rng.permutation(max(classes, batch))[:batch] % classes
    x = prototypes[labels] + 0.1 * rng.normal(size=(batch, height, width, 1))
    return cnn, [quantised(x, 12)], labels


def transformer(vocabulary, sequence, width, heads, hidden, batch, seed):
    """One pre-norm block: embedding gather, causal attention, gelu; int32 token ids in."""
    rng = np.random.default_rng(seed)
    tokens = rng.integers(0, vocabulary, size=(batch, sequence), dtype=np.int32)
    embedding = quantised(rng.normal(size=(vocabulary, width)), 20)
    positions = quantised(0.3 * rng.normal(size=(sequence, width)), 20)
    w_qkv, b_qkv = dense(rng, width, width, 3 * width), bias(rng, 3 * width)
    w_out, b_out = dense(rng, width, width, width), bias(rng, width)
    w_up, b_up = dense(rng, width, width, hidden), bias(rng, hidden)
    w_down, b_down = dense(rng, hidden, hidden, width), bias(rng, width)
    scales = [quantised(1.0 + 0.1 * rng.normal(size=width), 20) for _ in range(3)]
    shifts = [bias(rng, width) for _ in range(3)]

    def layer_norm(x, scale, shift):
        centred = x - jnp.mean(x, axis=-1, keepdims=True)
        variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
        return centred * lax.rsqrt(variance + 1e-5) * scale + shift

    def attention(x):
        split = (batch, sequence, heads, width // heads)
        q, k, v = (t.reshape(split) for t in jnp.split(x @ w_qkv + b_qkv, 3, axis=-1))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(width // heads).astype(np.float32)
        causal = jnp.tril(jnp.ones((sequence, sequence), bool))
        weights = jax.nn.softmax(jnp.where(causal, scores, -jnp.inf), axis=-1)
        return jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(x.shape) @ w_out + b_out

    def transformer(tokens):
        x = jnp.asarray(embedding)[tokens] + positions
        x = x + attention(layer_norm(x, scales[0], shifts[0]))
        x = x + jax.nn.gelu(layer_norm(x, scales[1], shifts[1]) @ w_up + b_up) @ w_down + b_down
        return layer_norm(x, scales[2], shifts[2])

    return transformer, [tokens], None


# Of examples/decoder: tokens that it is given, and how many follow.
PROMPT, NEW_TOKENS = [3, 14, 15, 9, 26], 20


def decoder(vocabulary, context, width, layers, heads, seed):
    """A step of a decoder, and the logits after a list of tokens computed without a cache."""
    rng = np.random.default_rng(seed)
    words = quantised(rng.normal(size=(vocabulary, width)), 16)
    places = quantised(0.5 * rng.normal(size=(context, width)), 16)
    # Not the transpose of `words`, which would repeat the last token.
    scores = quantised(rng.normal(size=(width, vocabulary)), 16)
    blocks = [
        {name: quantised(gain * rng.normal(size=shape) / np.sqrt(shape[0]), 16) for name, shape, gain in [
            ("qkv", (width, 3 * width), 1.5),
            ("out", (width, width), 1.0),
            ("up", (width, 4 * width), 1.4),
            ("down", (4 * width, width), 1.0),
        ]}
        for _ in range(layers)
    ]

    def norm(x):
        centred = x - jnp.mean(x, axis=-1, keepdims=True)
        return centred * lax.rsqrt(jnp.mean(centred * centred, axis=-1, keepdims=True) + 1e-5)

    def split(x):
        return x.reshape(*x.shape[:-1], heads, width // heads)

    def attend(q, k, v, visible):
        scores = jnp.einsum("qhd,khd->hqk", q, k) / np.sqrt(width // heads).astype(np.float32)
        weights = jax.nn.softmax(jnp.where(visible, scores, -jnp.inf), axis=-1)
        return jnp.einsum("hqk,khd->qhd", weights, v).reshape(-1, width)

    def mlp(p, x):
        return jax.nn.gelu(norm(x) @ p["up"]) @ p["down"]

    def step(token, position, cache):
        """The logits after `token` at `position`, and the cache with its keys and values."""
        x = (jnp.asarray(words)[token] + jnp.asarray(places)[position])[None]
        visible = jnp.arange(context) <= position
        for index, p in enumerate(blocks):
            q, k, v = (split(part) for part in jnp.split(norm(x) @ p["qkv"], 3, axis=-1))
            cache = lax.dynamic_update_slice(cache, jnp.stack([k, v])[None], (index, 0, position, 0, 0))
            x = x + attend(q, cache[index, 0], cache[index, 1], visible) @ p["out"]
            x = x + mlp(p, x)
        return {"cache": cache, "logits": (norm(x) @ scores)[0]}

    def whole(tokens):
        """The same logits for the last of the tokens, from all of them at once."""
        n = len(tokens)
        x = words[np.array(tokens)] + places[:n]
        for p in blocks:
            q, k, v = (split(part) for part in jnp.split(norm(x) @ p["qkv"], 3, axis=-1))
            x = x + attend(q, k, v, jnp.tril(jnp.ones((n, n), bool))) @ p["out"]
            x = x + mlp(p, x)
        return norm(x)[-1] @ scores

    token = jax.ShapeDtypeStruct((), np.int32)
    cache = jax.ShapeDtypeStruct((layers, 2, context, heads, width // heads), np.float32)
    return step, whole, (token, token, cache)


def decoder_files():
    """A step with the cache donated, and the tokens that follow PROMPT."""
    step, whole, arguments = decoder(vocabulary=48, context=32, width=24, layers=2, heads=3, seed=29)
    jitted = jax.jit(step, donate_argnums=2)
    text = jitted.lower(*arguments).as_text()
    cache = jnp.zeros(arguments[2].shape, np.float32)
    tokens = list(PROMPT)
    for position in range(len(PROMPT) + NEW_TOKENS - 1):
        result = jitted(np.int32(tokens[position]), np.int32(position), cache)
        cache = result["cache"]
        if position + 1 < len(PROMPT):
            continue
        logits = np.asarray(result["logits"])
        np.testing.assert_allclose(logits, whole(tokens), rtol=1e-4, atol=1e-4)
        second, first = np.sort(logits)[-2:]
        assert first - second > 1e-2, "rounding could choose another token"
        tokens.append(int(logits.argmax()))
    return {
        "examples/decoder/decoder.mlir": text.encode(),
        "examples/decoder/tokens.txt": (" ".join(map(str, tokens[len(PROMPT):])) + "\n").encode(),
    }


def eigen_files():
    """Eigenvalues of a symmetric matrix, which JAX computes by LAPACK."""
    matrix = np.array([[4, 1, 0], [1, 3, 1], [0, 1, 2]], np.float32)
    text, (values,) = export(jnp.linalg.eigvalsh, [matrix])
    files = {"eigen.mlir": text.encode(), "input0.npy": npy(matrix), "output0.npy": npy(values)}
    return {f"examples/eigen/{name}": data for name, data in files.items()}


def npy(array):
    """The bytes of a .npy file."""
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array))
    return buffer.getvalue()


def export(function, inputs):
    """StableHLO text with the public function @main, and JAX's outputs."""
    jitted = jax.jit(function)
    text = jitted.lower(*inputs).as_text()
    return text, [np.asarray(o) for o in jax.tree.leaves(jitted(*inputs))]


def programs():
    yield "examples/models/mlp.mlir", "examples/models/mlp", mlp([784, 512, 512, 10], 4, seed=1)
    yield "examples/models/cnn.mlir", "examples/models/cnn", cnn(28, 28, (8, 16), 10, 2, sharpness=10, seed=2)
    yield (
        "examples/models/transformer.mlir",
        "examples/models/transformer",
        transformer(vocabulary=97, sequence=24, width=48, heads=4, hidden=192, batch=1, seed=3),
    )
    for name, tiny in [
        ("mlp_tiny", mlp([7, 5, 3], 2, seed=13)),
        ("cnn_tiny", cnn(11, 9, (3, 5), 3, 2, sharpness=100, seed=5)),
        ("transformer_tiny", transformer(vocabulary=11, sequence=5, width=6, heads=2, hidden=7, batch=2, seed=6)),
    ]:
        yield f"tests/programs/{name}/input.mlir", f"tests/programs/{name}", tiny


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the committed files, write nothing")
    check = parser.parse_args().check
    stale = []

    def write(files):
        for path, data in files.items():
            path = ROOT / path
            if check:
                if not path.is_file() or path.read_bytes() != data:
                    stale.append(path.relative_to(ROOT))
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)

    for text_path, folder, (function, inputs, labels) in programs():
        text, outputs = export(function, inputs)
        files = {text_path: text.encode()}
        files |= {f"{folder}/input{i}.npy": npy(x) for i, x in enumerate(inputs)}
        files |= {f"{folder}/output{i}.npy": npy(x) for i, x in enumerate(outputs)}
        write(files)
        seen = "" if labels is None else f", classes {outputs[0].argmax(-1).tolist()} of {labels.tolist()}"
        print(f"{text_path}: {len(files[text_path])} bytes{seen}")
    for files in (decoder_files(), eigen_files()):
        write(files)
        print(f"{next(iter(files))}: {sum(map(len, files.values()))} bytes")
    for path in stale:
        print(f"differs: {path}", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
