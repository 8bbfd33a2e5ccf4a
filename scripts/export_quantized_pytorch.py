#!/usr/bin/env python3
"""Quantize PyTorch models with torchao, export them to StableHLO, and compare what Strata computes with what PyTorch does.

    python3 -m venv venv && venv/bin/pip install -r scripts/requirements-pytorch.txt
    cargo build --release --workspace --bins
    venv/bin/python scripts/export_quantized_pytorch.py [--strata target/release/strata] [--only KIND,…] [--tokens 1,64]
        [--layers 4] [--width 768] [--vocabulary 8192] [--keep DIR] [--output FILE.md]

The kinds: `bf16` is a GPT-2 with random weights as it is, `w8`, `w4g` and `w8a8` are the same by torchao's `quantize_`
(`Int8WeightOnlyConfig`; `IntxWeightOnlyConfig` of `int4`, a scale for each 128 weights of a row;
`Int8DynamicActivationInt8WeightConfig`); `w8a8z` and `w4a8z` are in `f32`, with a scale and a zero point for each row that a call
computes (`Int8DynamicActivationIntxWeightConfig` of `int8` and `int4`, a scale for each column), and so is `w4a8zg`, of `int4` with
a scale for each 32 weights of a row (8da4w). `cnn` is a residual network for images by PT2E: observed, then converted to a graph
in which every convolution is between `dequantize` and `quantize` (QDQ), `u8` activations, `i8` weights with a scale for each
channel.

The route is `torch.export`, its decompositions, and torchax, which lowers what is left through JAX; the table below has the
operations that torchax lacks. Weights are constants of the program. A row has the largest difference from PyTorch's results,
relative to their largest number, the size of the object, and milliseconds of a call on one thread, of Strata, XLA:CPU and,
where `torch.onnx` exports the network, ONNX Runtime, in turns, medians.
"""

import argparse
import os
import sys
import warnings
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
warnings.filterwarnings("ignore")
sys.path.insert(0, str(Path(__file__).resolve().parent))

import packages  # noqa: E402

KINDS = ["bf16", "w8", "w4g", "w8a8", "w8a8z", "w4a8zg", "w4a8z", "cnn"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    packages.add_options(parser, KINDS)
    packages.add_network(parser)
    parser.add_argument("--pixels", type=int, default=112, help="of the images' sides")
    return parser.parse_args()


# Before the packages, which take seconds and may be missing.
ARGUMENTS = arguments()
with packages.listed_in("requirements-pytorch.txt"):
    import jax
    import jax.numpy as jnp
    import numpy as np
    import quantized
    import torch
    from torch import nn
    from torchao import quantization as ao
    from torchao.quantization import pt2e  # noqa: F401 (defines the operations of `quantized_decomposed`)
    from torchao.quantization.granularity import PerAxis, PerGroup
    from torchao.quantization.pt2e import quantize_pt2e
    from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86
    from torchao.utils import unwrap_tensor_subclass
    from torchax.export import exported_program_to_jax
    from torchax.ops import jaten

GROUP = 128
SMALL_GROUP = 32
LINEAR = {
    "bf16": None,
    "w8": ao.Int8WeightOnlyConfig(),
    "w4g": ao.IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(GROUP)),
    "w8a8": ao.Int8DynamicActivationInt8WeightConfig(),
    "w8a8z": ao.Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int8, weight_granularity=PerAxis(0)),
    "w4a8zg": ao.Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(SMALL_GROUP)),
    "w4a8z": ao.Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerAxis(0)),
}
# Others are in `bf16`.
SINGLE = ["w8a8z", "w4a8z", "w4a8zg"]
# Relative to the largest result. Numbers of bf16 are rounded at other places, and rounded activations may become another
# integer by that, or by the order of a sum.
TOLERANCES = {"bf16": 0.03, "w8": 0.03, "w4g": 0.03, "w8a8": 0.1, "w8a8z": 0.1, "w4a8z": 0.1, "w4a8zg": 0.1, "cnn": 0.05}

DECOMPOSED = torch.ops.quantized_decomposed
STORED = {torch.uint8: jnp.uint8, torch.int8: jnp.int8}


def shaped(values, rank, axis):
    return jnp.reshape(values, [-1 if dim == axis else 1 for dim in range(rank)]).astype(jnp.float32)


@jaten.op(DECOMPOSED.quantize_per_tensor.default)
def quantize_per_tensor(x, scale, zero_point, low, high, dtype):
    # As PyTorch does: times the reciprocal.
    whole = jnp.round(x * np.float32(1.0 / scale)) + np.float32(zero_point)
    return jnp.clip(whole, np.float32(low), np.float32(high)).astype(STORED[dtype])


@jaten.op(DECOMPOSED.dequantize_per_tensor.default)
def dequantize_per_tensor(x, scale, zero_point, low, high, dtype, out_dtype=None):
    return (x.astype(jnp.float32) - np.float32(zero_point)) * np.float32(scale)


@jaten.op(DECOMPOSED.dequantize_per_channel.default)
def dequantize_per_channel(x, scales, zero_points, axis, low, high, dtype, out_dtype=None):
    zero_points = 0.0 if zero_points is None else shaped(zero_points, x.ndim, axis)
    return (x.astype(jnp.float32) - zero_points) * shaped(scales, x.ndim, axis)


@jaten.op(torch.ops.aten._int_mm)
def int_mm(x, y):
    return jax.lax.dot(x, y, preferred_element_type=jnp.int32)


@jaten.op(torch.ops.aten._assert_tensor_metadata)
def assert_tensor_metadata(*arguments, **named):
    return None


class Block(nn.Module):
    """A layer: attention to what came before, then two products."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, tokens, width = x.shape
        parts = self.qkv(self.norm1(x)).view(batch, tokens, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(*parts.unbind(0), is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, tokens, width))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Language(nn.Module):
    """GPT-2 with random weights: the scores of each next word."""

    def __init__(self, options):
        super().__init__()
        self.words = nn.Embedding(options.vocabulary, options.width)
        self.places = nn.Embedding(max(options.tokens), options.width)
        self.blocks = nn.ModuleList([Block(options.width, options.heads) for _ in range(options.layers)])
        self.norm = nn.LayerNorm(options.width)
        self.head = nn.Linear(options.width, options.vocabulary, bias=False)
        for layer in self.modules():
            if isinstance(layer, nn.Linear):
                nn.init.normal_(layer.weight, std=0.02)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)).float()


class Residual(nn.Module):
    """Two convolutions beside what they are added to."""

    def __init__(self, channels, features, stride):
        super().__init__()
        self.first = nn.Sequential(nn.Conv2d(channels, features, 3, stride, 1, bias=False), nn.BatchNorm2d(features))
        self.second = nn.Sequential(nn.Conv2d(features, features, 3, 1, 1, bias=False), nn.BatchNorm2d(features))
        is_same = stride == 1 and channels == features
        self.beside = nn.Identity() if is_same else nn.Conv2d(channels, features, 1, stride, bias=False)

    def forward(self, x):
        return torch.relu(self.second(torch.relu(self.first(x))) + self.beside(x))


class Images(nn.Module):
    """The first half of a ResNet-18 with random weights."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 64, 7, 2, 3)
        sizes = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1)]
        self.blocks = nn.Sequential(*[Residual(*size) for size in sizes])
        self.head = nn.Linear(128, 100)

    def forward(self, x):
        x = nn.functional.max_pool2d(torch.relu(self.stem(x)), 3, 2, 1)
        return self.head(self.blocks(x).mean((2, 3)))


def language(kind, tokens, options):
    """The exported program of a GPT-2, an input, and the module."""
    torch.manual_seed(2)
    model = Language(options).to(torch.float32 if kind in SINGLE else torch.bfloat16).eval()
    if LINEAR[kind] is not None:
        ao.quantize_(model, LINEAR[kind])
        model = unwrap_tensor_subclass(model)
    ids = torch.randint(0, options.vocabulary, (1, tokens))
    return torch.export.export(model, (ids,)), ids, model


def images(options):
    """The exported program of a network for images, converted by PT2E, an input, and the module."""
    torch.manual_seed(3)
    images = [torch.randn(1, 3, options.pixels, options.pixels) for _ in range(4)]
    # The quantizer finds layers by what a strict export notes of them.
    exported = torch.export.export(Images().eval(), (images[0],), strict=True).module()
    quantizer = x86.X86InductorQuantizer().set_global(x86.get_default_x86_inductor_quantization_config())
    prepared = quantize_pt2e.prepare_pt2e(exported, quantizer)
    for image in images:
        prepared(image)
    model = quantize_pt2e.convert_pt2e(prepared)
    return torch.export.export(model, (images[0],)), images[0], model


def runtime(program, folder):
    """A call of ONNX Runtime; `None` where a package is missing."""
    try:
        path = folder / "model.onnx"
        torch.onnx.export(program, dynamo=True, verbose=False).save(path)
    except ImportError:
        return None
    return quantized.session(path)


def row(kind, tokens, options, folder):
    program, x, model = images(options) if kind == "cnn" else language(kind, tokens, options)
    with torch.no_grad():
        expected = model(x).numpy()
    weights, function = exported_program_to_jax(program)
    # Arrays of JAX: NumPy would multiply weights by their scales while the program is traced.
    weights = jax.tree.map(lambda array: jnp.asarray(np.asarray(array)), weights)
    jitted = jax.jit(lambda x: function(weights, (x,))[0])
    x = x.numpy().astype(np.int32 if x.dtype == torch.int64 else np.float32)
    path = folder / f"{kind}_{tokens}.mlirbc"
    path.write_bytes(jax.export.export(jitted)(jax.ShapeDtypeStruct(x.shape, x.dtype)).mlir_module_serialized)
    other = runtime(program, folder) if kind == "cnn" else None
    xla = lambda x: jitted(x).block_until_ready()  # noqa: E731
    return [kind, tokens or "", *quantized.cells(path, x, expected, xla, other, TOLERANCES[kind], options)]


def main():
    options = ARGUMENTS
    options.tokens = [int(number) for number in options.tokens.split(",")]
    torch.set_num_threads(1)
    sizes = lambda kind: options.tokens if kind in LINEAR else [0]  # noqa: E731
    return quantized.run(options, KINDS, ["kind", "tokens"], sizes, row)


if __name__ == "__main__":
    sys.exit(main())
