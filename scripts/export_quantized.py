#!/usr/bin/env python3
"""Quantize a GPT-2 with qwix, export it from JAX, and compare what Strata computes with what JAX does.

    python3 -m venv venv && venv/bin/pip install -r scripts/requirements.txt -r scripts/requirements-quantized.txt
    cargo build --release --workspace --bins
    venv/bin/python scripts/export_quantized.py [--strata target/release/strata] [--only KIND,…] [--tokens 1,64]
        [--layers 4] [--width 768] [--vocabulary 8192] [--keep DIR] [--output FILE.md]

The kinds: `bf16` is the network as it is, `w8` and `w4` have weights of `i8` and `i4` with a scale for each column, `w4g`
of `i4` with a scale for each 128 rows of a column, `w8a8` weights and activations of `i8`. Weights are constants of the
program. A row has the largest difference from JAX's results, relative to their largest number, the size of the object,
and milliseconds of a call on one thread, of Strata, XLA:CPU and ONNX Runtime in turns, medians. ONNX Runtime has the same
network by hand, in `f32`: its operators for weights of four and eight bits (`MatMulNBits`, with blocks of 128 rows as in
`w4g`, or of a column), for `w8a8` `DynamicQuantizeMatMul`; it has no `bf16` on CPUs.
"""

import argparse
import os
import sys
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
sys.path.insert(0, str(Path(__file__).resolve().parent))

import packages  # noqa: E402

KINDS = ["bf16", "w8", "w4", "w4g", "w8a8"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    packages.add_options(parser, KINDS)
    packages.add_network(parser)
    parser.add_argument("--excess-precision", action="store_true", help="as XLA does")
    return parser.parse_args()


# Before the packages, which take seconds and may be missing.
ARGUMENTS = arguments()
with packages.listed_in("requirements.txt", "requirements-quantized.txt"):
    import jax
    import jax.numpy as jnp
    import numpy as np
    import quantized
    import qwix
    from flax import nnx

GROUP = 128
TYPES = {
    "bf16": None,
    "w8": {"weight_qtype": jnp.int8},
    "w4": {"weight_qtype": jnp.int4},
    "w4g": {"weight_qtype": jnp.int4, "tile_size": GROUP},
    "w8a8": {"weight_qtype": jnp.int8, "act_qtype": jnp.int8},
}
# Relative to the largest result. XLA keeps more digits than bf16 has within fused operations; rounded activations may
# become another integer by that.
TOLERANCES = {"bf16": 0.03, "w8": 0.03, "w4": 0.03, "w4g": 0.03, "w8a8": 0.1}


class Block(nnx.Module):
    """A layer: attention to what came before, then two products."""

    # qwix looks for the module of an operation in a variable of this name.
    def __init__(self, width, heads, rngs):
        types = {"rngs": rngs, "dtype": jnp.bfloat16, "param_dtype": jnp.bfloat16}
        self.heads = heads
        self.norm1, self.norm2 = nnx.LayerNorm(width, **types), nnx.LayerNorm(width, **types)
        self.qkv, self.out = nnx.Linear(width, 3 * width, **types), nnx.Linear(width, width, **types)
        self.up, self.down = nnx.Linear(width, 4 * width, **types), nnx.Linear(4 * width, width, **types)

    def __call__(self, x):
        batch, tokens, width = x.shape
        q, k, v = (part.reshape(batch, tokens, self.heads, -1) for part in jnp.split(self.qkv(self.norm1(x)), 3, -1))
        mixed = jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(batch, tokens, width)
        x = x + self.out(mixed)
        return x + self.down(jax.nn.gelu(self.up(self.norm2(x)), approximate=True))


class Language(nnx.Module):
    """GPT-2 with random weights: the scores of each next word."""

    def __init__(self, options):
        rngs = nnx.Rngs(2)
        types = {"rngs": rngs, "dtype": jnp.bfloat16, "param_dtype": jnp.bfloat16}
        self.words = nnx.Embed(options.vocabulary, options.width, **types)
        self.places = nnx.Embed(max(options.tokens), options.width, **types)
        self.blocks = nnx.List([Block(options.width, options.heads, rngs) for _ in range(options.layers)])
        self.norm = nnx.LayerNorm(options.width, **types)
        self.head = nnx.Linear(options.width, options.vocabulary, use_bias=False, **types)

    def __call__(self, ids):
        x = self.words(ids) + self.places(jnp.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)).astype(jnp.float32)


def of_few_bits(model, kind, ids):
    """The model with its products by qwix's rule."""
    if TYPES[kind] is None:
        return model
    rule = qwix.QuantizationRule(module_path=".*(qkv|out|up|down|head).*", **TYPES[kind])
    return qwix.quantize_model(model, qwix.PtqProvider([rule]), ids)


def onnx_model(model, kind, tokens):
    """The same network, with the same integers and scales, for ONNX Runtime."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    nodes, constants = [], []
    of = lambda value: np.asarray(value[...], np.float32)  # noqa: E731

    def constant(array):
        name = f"c{len(constants)}"
        constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(kind, inputs, count=1, domain="", **attributes):
        outputs = [f"v{len(nodes)}_{at}" for at in range(count)]
        nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **attributes))
        return outputs[0] if count == 1 else outputs

    def norm(x, of_model):
        return node("LayerNormalization", [x, constant(of(of_model.scale)), constant(of(of_model.bias))], epsilon=1e-6)

    def product(x, layer):
        stored = getattr(layer.kernel, "array", None)
        if stored is None:
            y = node("MatMul", [x, constant(of(layer.kernel))])
        else:
            integers, scale = np.asarray(stored.qvalue, np.int8), np.asarray(stored.scale, np.float32)
            depth, columns = integers.shape
            if kind == "w8a8":
                zeros = constant(np.zeros(columns, np.int8))
                inputs = [x, constant(integers), constant(scale.reshape(columns)), zeros]
                y = node("DynamicQuantizeMatMul", inputs, domain="com.microsoft")
            else:
                bits = 8 if kind == "w8" else 4
                block = GROUP if len(scale) > 1 else 1 << (depth - 1).bit_length()
                padded = np.zeros((-(-depth // block) * block, columns), np.int8)
                padded[:depth] = integers
                # Without zero points, half of the range is taken from each.
                bytes_ = (padded.T.reshape(columns, -1, block).astype(np.int16) + (1 << (bits - 1))).astype(np.uint8)
                packed = bytes_ if bits == 8 else bytes_[..., ::2] | bytes_[..., 1::2] << 4
                inputs = [x, constant(packed), constant(scale.T.reshape(-1))]
                sizes = {"K": depth, "N": columns, "bits": bits, "block_size": block}
                y = node("MatMulNBits", inputs, domain="com.microsoft", **sizes)
        return y if layer.bias is None else node("Add", [y, constant(of(layer.bias))])

    width = model.norm.scale[...].shape[0]
    x = node("Gather", [constant(of(model.words.embedding)), "ids"])
    x = node("Add", [x, constant(of(model.places.embedding)[:tokens])])
    for block in model.blocks:
        heads = block.heads
        qkv = node("Split", [product(norm(x, block.norm1), block.qkv), constant(np.array([width] * 3))], 3, axis=-1)
        shape = constant(np.array([1, tokens, heads, width // heads]))
        q, k, v = (node("Reshape", [part, shape]) for part in qkv)
        q, v = (node("Transpose", [part], perm=[0, 2, 1, 3]) for part in (q, v))
        k = node("Transpose", [k], perm=[0, 2, 3, 1])
        scores = node("Mul", [node("MatMul", [q, k]), constant(np.float32((width // heads) ** -0.5))])
        hidden = np.triu(np.full((tokens, tokens), -1e9, np.float32), 1)
        weights = node("Softmax", [node("Add", [scores, constant(hidden)])], axis=-1)
        mixed = node("Transpose", [node("MatMul", [weights, v])], perm=[0, 2, 1, 3])
        mixed = node("Reshape", [mixed, constant(np.array([1, tokens, width]))])
        x = node("Add", [x, product(mixed, block.out)])
        up = node("FastGelu", [product(norm(x, block.norm2), block.up)], domain="com.microsoft")
        x = node("Add", [x, product(up, block.down)])
    y = product(norm(x, model.norm), model.head)
    nodes.append(helper.make_node("Identity", [y], ["scores"]))
    inputs = [helper.make_tensor_value_info("ids", TensorProto.INT32, [1, tokens])]
    outputs = [helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1, tokens, model.words.embedding[...].shape[0]])]
    graph = helper.make_graph(nodes, "gpt2", inputs, outputs, constants)
    versions = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return onnx.helper.make_model(graph, opset_imports=versions, ir_version=10)


def runtime(model, kind, tokens):
    """A call of ONNX Runtime; `None` where a package is missing."""
    try:
        return quantized.session(onnx_model(model, kind, tokens).SerializeToString())
    except ImportError:
        return None


def row(kind, tokens, options, folder):
    ids = np.random.default_rng(tokens).integers(0, options.vocabulary, (1, tokens), dtype=np.int32)
    model = of_few_bits(Language(options), kind, jnp.asarray(ids))
    jitted = jax.jit(lambda ids: model(ids))
    path = folder / f"gpt2_{kind}_{tokens}.mlirbc"
    path.write_bytes(jax.export.export(jitted)(jax.ShapeDtypeStruct(ids.shape, ids.dtype)).mlir_module_serialized)
    xla = lambda ids: jitted(ids).block_until_ready()  # noqa: E731
    other = runtime(model, kind, tokens)
    flags = ["--excess-precision"] if options.excess_precision else []
    expected = np.asarray(jitted(ids))
    return [kind, tokens, *quantized.cells(path, ids, expected, xla, other, TOLERANCES[kind], options, flags)]


def main():
    options = ARGUMENTS
    options.tokens = [int(number) for number in options.tokens.split(",")]
    return quantized.run(options, KINDS, ["weights", "tokens"], lambda _: options.tokens, row)


if __name__ == "__main__":
    sys.exit(main())
