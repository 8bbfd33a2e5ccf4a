#!/usr/bin/env python3
"""Quantize a network with AQT, export it from JAX as AQT serves it, and compare what Strata computes with what JAX does.

    python3 -m venv venv && venv/bin/pip install -r scripts/requirements.txt -r scripts/requirements-quantized.txt
    cargo build --release --workspace --bins
    venv/bin/python scripts/export_quantized_aqt.py [--strata target/release/strata] [--only KIND,…] [--rows 1,64]
        [--width 1024] [--keep DIR] [--output FILE.md]

Dense layers with random weights: `f32` as they are, `w8a8` with weights and activations of `i8`, a scale for each column and
each row, `w4a8` with weights of `i4`. AQT's modes are `TRAIN`, `CONVERT`, which computes integers and scales, and `SERVE`,
whose program has them as constants. The columns of the table are those of scripts/export_quantized.py; ONNX Runtime computes
`DynamicQuantizeMatMul` with the same weights, and a scale for all rows.
"""

import argparse
import functools
import os
import sys
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
sys.path.insert(0, str(Path(__file__).resolve().parent))

import packages  # noqa: E402

KINDS = {"f32": None, "w8a8": (8, 8), "w4a8": (8, 4)}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    packages.add_options(parser, KINDS)
    parser.add_argument("--rows", default="1,64", metavar="N,…", help="a row of the table for each; default: 1,64")
    parser.add_argument("--width", type=int, default=1024)
    return parser.parse_args()


# Before the packages, which take seconds and may be missing.
ARGUMENTS = arguments()
with packages.listed_in("requirements.txt", "requirements-quantized.txt"):
    import aqt.jax.v2.flax.aqt_flax as aqt
    import flax.linen as nn
    import jax
    import numpy as np
    import quantized
    from aqt.jax.v2 import config, utils

# Relative to the largest result: activations may be rounded to another integer.
TOLERANCES = {"f32": 1e-5, "w8a8": 0.02, "w4a8": 0.02}
LAYERS = 3


class Dense(nn.Module):
    """Layers with what is positive between them."""

    bits: tuple | None
    width: int
    mode: utils.QuantMode = utils.QuantMode.TRAIN

    @nn.compact
    def __call__(self, x):
        named = {}
        if self.bits:
            rules = config.config_v4(fwd_bits=8, dlhs_bits=None, drhs_bits=None)
            config.set_bits(rules, *self.bits, None, None, None, None)
            value = aqt.FreezerMode.CALIBRATION_AND_VALUE
            named["dot_general_cls"] = functools.partial(
                aqt.AqtDotGeneral, rules, rhs_quant_mode=self.mode, rhs_freeze_mode=value
            )
        for at in range(LAYERS):
            x = nn.Dense(self.width, **named)(x)
            x = nn.relu(x) if at + 1 < LAYERS else x
        return x


def converted(kind, x, width):
    """The network as a function of `x`, and its variables."""
    # AQT draws numbers for roundings, of which these rules have none.
    keys = {"params": jax.random.key(2)}
    network = functools.partial(Dense, KINDS[kind], width)
    variables = network().init(jax.random.key(1), x)
    if KINDS[kind] is None:
        return lambda x: network().apply(variables, x), variables
    _, frozen = network(utils.QuantMode.CONVERT).apply(variables, x, mutable=True, rngs=keys)
    return lambda x: network(utils.QuantMode.SERVE).apply(frozen, x, rngs=keys), frozen


def runtime(kind, variables, rows, width):
    """A call of ONNX Runtime for the same weights; `None` where a package is missing."""
    try:
        from onnx import TensorProto, helper, numpy_helper
    except ImportError:
        return None
    nodes, constants, name = [], [], "x"

    def constant(array):
        constants.append(numpy_helper.from_array(np.ascontiguousarray(array), f"c{len(constants)}"))
        return constants[-1].name

    def node(kind, inputs, domain=""):
        nodes.append(helper.make_node(kind, inputs, [f"v{len(nodes)}"], domain=domain))
        return nodes[-1].output[0]

    for at in range(LAYERS):
        dense = {key: np.asarray(value) for key, value in variables["params"][f"Dense_{at}"].items()}
        if KINDS[kind] is None:
            name = node("MatMul", [name, constant(dense["kernel"])])
        else:
            stored = variables["aqt"][f"Dense_{at}"]["AqtDotGeneral_0"]["qrhs"]
            integers, scales = np.asarray(stored["value"]).astype(np.int8), np.asarray(stored["scale"], np.float32).reshape(-1)
            inputs = [name, constant(integers), constant(scales), constant(np.zeros(width, np.int8))]
            name = node("DynamicQuantizeMatMul", inputs, "com.microsoft")
        name = node("Add", [name, constant(dense["bias"])])
        name = node("Relu", [name]) if at + 1 < LAYERS else name
    nodes.append(helper.make_node("Identity", [name], ["y"]))
    ends = [helper.make_tensor_value_info(end, TensorProto.FLOAT, [rows, width]) for end in ("x", "y")]
    graph = helper.make_graph(nodes, "dense", ends[:1], ends[1:], constants)
    versions = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return quantized.session(helper.make_model(graph, opset_imports=versions, ir_version=10).SerializeToString())


def row(kind, rows, options, folder):
    x = np.random.default_rng(rows).normal(size=(rows, options.width)).astype(np.float32)
    function, variables = converted(kind, x, options.width)
    jitted = jax.jit(function)
    path = folder / f"aqt_{kind}_{rows}.mlirbc"
    path.write_bytes(jax.export.export(jitted)(jax.ShapeDtypeStruct(x.shape, x.dtype)).mlir_module_serialized)
    expected = np.asarray(jitted(x))
    xla = lambda x: jitted(x).block_until_ready()  # noqa: E731
    other = runtime(kind, variables, rows, options.width)
    return [kind, rows, *quantized.cells(path, x, expected, xla, other, TOLERANCES[kind], options)]


def main():
    options = ARGUMENTS
    rows = [int(number) for number in options.rows.split(",")]
    return quantized.run(options, KINDS, ["kind", "rows"], lambda _: rows, row)


if __name__ == "__main__":
    sys.exit(main())
