#!/usr/bin/env python3
"""Write a fully quantized TFLite model as StableHLO with `!quant.uniform` types, and compare integers with TFLite's interpreter.

    python3 -m venv venv && venv/bin/pip install -r scripts/requirements-tflite.txt
    cargo build --release --workspace --bins
    venv/bin/python scripts/export_quantized_tflite.py [MODEL.tflite] [--strata target/release/strata] [--pixels 96]
        [--keep DIR] [--output FILE.md]

Without a model, a small one with random weights: convolutions (one of them depthwise), an addition, a mean and a dense layer,
`i8` activations with a scale and a zero point each, `i8` weights with a scale for each feature, `i32` biases. Each operation
becomes one on floats between `uniform_dequantize` and `uniform_quantize`, with the scales and zero points of the model's
tensors; the compiler computes convolutions and dense layers of these on integers. TFLite multiplies sums by a fixed-point
number and rounds ties away from zero, so that results may differ by a unit here and there; the table says how many do.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, str(Path(__file__).resolve().parent))

import packages  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", type=Path, help="a model of integers; default: a small one")
    parser.add_argument("--strata", type=Path, help="the strata command; default: the release build")
    parser.add_argument("--pixels", type=int, default=96, help="of the small model's images")
    parser.add_argument("--target-cpu", default="native")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="leave the program there")
    parser.add_argument("--output", type=Path, metavar="FILE.md", help="write the table into a file, too")
    return parser.parse_args()


# Before the packages, which take seconds and may be missing.
ARGUMENTS = arguments()
with packages.listed_in("requirements-tflite.txt"):
    import numpy as np
    import quantized
    import tensorflow as tf
    from bench_peers import find_strata
    from tensorflow.lite.python import schema_py_generated as schema

CODES = {code: name for name, code in vars(schema.BuiltinOperator).items() if isinstance(code, int)}
ACTIVATIONS = {
    schema.ActivationFunctionType.NONE: None,
    schema.ActivationFunctionType.RELU: (0.0, float("inf")),
    schema.ActivationFunctionType.RELU6: (0.0, 6.0),
}


def small_model(pixels):
    """A quantized network, as the converter writes it."""
    tf.random.set_seed(4)
    layers = tf.keras.layers
    x = inputs = layers.Input((pixels, pixels, 3), 1)
    x = layers.Conv2D(32, 3, 2, "same", activation="relu6")(x)
    x = layers.DepthwiseConv2D(3, 1, "same", activation="relu6")(x)
    x = layers.Conv2D(64, 1, activation="relu")(x)
    y = layers.Conv2D(64, 3, 1, "same", activation="relu")(x)
    x = layers.Add()([x, layers.Conv2D(64, 3, 1, "same")(y)])
    x = layers.Conv2D(128, 3, 2, "valid", activation="relu")(x)
    x = layers.Dense(10)(layers.GlobalAveragePooling2D()(x))
    converter = tf.lite.TFLiteConverter.from_keras_model(tf.keras.Model(inputs, x))
    converter.optimizations = [tf.lite.Optimize.DEFAULT]
    random = np.random.default_rng(5)
    images = [random.normal(size=(1, pixels, pixels, 3)).astype(np.float32) for _ in range(8)]
    converter.representative_dataset = lambda: ([image] for image in images)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
    converter.inference_input_type = converter.inference_output_type = tf.int8
    return converter.convert()


def dims(shape):
    return "".join(f"{size}x" for size in shape)


def dense(array):
    """The elements of a constant."""
    return f'dense<"0x{np.ascontiguousarray(array).tobytes().hex().upper()}">'


class Program:
    """The text of a program, operation by operation."""

    def __init__(self, model):
        self.interpreter = tf.lite.Interpreter(model_content=model)
        self.interpreter.allocate_tensors()
        self.details = {one["index"]: one for one in self.interpreter.get_tensor_details()}
        self.model = schema.ModelT.InitFromObj(schema.Model.GetRootAs(model, 0))
        self.graph = self.model.subgraphs[0]
        self.lines, self.numbers, self.count = [], {}, 0

    def shape(self, index):
        return [int(size) for size in self.details[index]["shape"]]

    def quantized(self, index, shape=None, axis=None):
        """The type of a tensor, perhaps in another shape."""
        detail = self.details[index]
        parameters = detail["quantization_parameters"]
        scales, points = parameters["scales"], parameters["zero_points"]
        stored = {np.int8: "i8", np.uint8: "u8", np.int16: "i16", np.int32: "i32"}[detail["dtype"]]
        pairs = [f"{scale:.9e}" + (f":{point}" if point else "") for scale, point in zip(scales, points)]
        axis = parameters["quantized_dimension"] if axis is None else axis
        of = f"f32, {pairs[0]}" if len(pairs) == 1 else f"f32:{axis}, {{{', '.join(pairs)}}}"
        return f"tensor<{dims(self.shape(index) if shape is None else shape)}!quant.uniform<{stored}:{of}>>"

    def add(self, text):
        name = f"%{self.count}"
        self.count += 1
        self.lines.append(f"    {name} = {text}")
        return name

    def dequantized(self, name, ty, shape):
        return self.add(f"stablehlo.uniform_dequantize {name} : ({ty}) -> tensor<{dims(shape)}f32>")

    def constant(self, index, shape=None, axis=None, array=None):
        """The numbers that a constant means."""
        array = self.interpreter.get_tensor(index) if array is None else array
        shape = list(array.shape) if shape is None else shape
        ty = self.quantized(index, shape, axis)
        stored = f"{dense(array)} : tensor<{dims(shape)}i{8 * array.itemsize}>"
        name = self.add(f'"stablehlo.constant"() {{value = {stored}}} : () -> {ty}')
        return self.dequantized(name, ty, shape)

    def number(self, index):
        """The numbers that a tensor means."""
        return self.dequantized(self.numbers[index], self.quantized(index), self.shape(index))

    def result(self, index, value, activation=None):
        """`value` as what is stored for the tensor, after an activation."""
        ty = f"tensor<{dims(self.shape(index))}f32>"
        if limits := ACTIVATIONS[activation or 0]:
            bounds = [self.add(f"stablehlo.constant dense<{limit if np.isfinite(limit) else '0x7F800000'}> : tensor<f32>") for limit in limits]
            value = self.add(f"stablehlo.clamp {bounds[0]}, {value}, {bounds[1]} : (tensor<f32>, {ty}, tensor<f32>) -> {ty}")
        stored = self.quantized(index)
        self.numbers[index] = self.add(f"stablehlo.uniform_quantize {value} : ({ty}) -> {stored}")

    def with_bias(self, value, index, shape):
        if index < 0:
            return value
        bias = self.constant(index)
        ty = f"tensor<{dims(shape)}f32>"
        count = self.shape(index)[0]
        wide = self.add(f"stablehlo.broadcast_in_dim {bias}, dims = [{len(shape) - 1}] : (tensor<{count}xf32>) -> {ty}")
        return self.add(f"stablehlo.add {value}, {wide} : {ty}")

    def convolution(self, operation, options, is_depthwise):
        x, weights, bias = (list(operation.inputs) + [-1])[:3]
        out = operation.outputs[0]
        kernel = self.interpreter.get_tensor(weights)
        _, height, width, channels = kernel.shape
        if is_depthwise:
            # Of shape [1, height, width, features].
            groups, shape, numbers, axis = self.shape(x)[3], [height, width, 1, channels], "0, 1, i, o", 3
        else:
            groups, shape, numbers, axis = 1, list(kernel.shape), "o, 0, 1, i", 0
        strides = [options.strideH, options.strideW]
        dilations = [options.dilationHFactor, options.dilationWFactor]
        pad = []
        for size, after, taps, stride, dilation in zip(self.shape(x)[1:3], self.shape(out)[1:3], (height, width), strides, dilations):
            total = max(0, (after - 1) * stride + (taps - 1) * dilation + 1 - size)
            pad.append([total // 2, total - total // 2] if options.padding == schema.Padding.SAME else [0, 0])
        image, known = self.number(x), self.constant(weights, shape, axis, kernel)
        result = self.shape(out)
        value = self.add(
            f"stablehlo.convolution({image}, {known}) dim_numbers = [b, 0, 1, f]x[{numbers}]->[b, 0, 1, f], window = {{stride = {strides}, "
            f"pad = {pad}, rhs_dilate = {dilations}}} {{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : "
            f"(tensor<{dims(self.shape(x))}f32>, tensor<{dims(shape)}f32>) -> tensor<{dims(result)}f32>"
        )
        self.result(out, self.with_bias(value, bias, result), options.fusedActivationFunction)

    def fully_connected(self, operation, options):
        x, weights, bias = (list(operation.inputs) + [-1])[:3]
        out = operation.outputs[0]
        result = self.shape(out)
        value = self.add(
            f"stablehlo.dot_general {self.number(x)}, {self.constant(weights)}, contracting_dims = [1] x [1] : "
            f"(tensor<{dims(self.shape(x))}f32>, tensor<{dims(self.shape(weights))}f32>) -> tensor<{dims(result)}f32>"
        )
        self.result(out, self.with_bias(value, bias, result), options.fusedActivationFunction)

    def addition(self, operation, options):
        left, right = (self.number(index) for index in operation.inputs)
        out = operation.outputs[0]
        value = self.add(f"stablehlo.add {left}, {right} : tensor<{dims(self.shape(out))}f32>")
        self.result(out, value, options.fusedActivationFunction)

    def mean(self, operation):
        x, over = operation.inputs
        out, over = operation.outputs[0], sorted(int(axis) for axis in self.interpreter.get_tensor(over))
        shape = self.shape(x)
        result = [size for dim, size in enumerate(shape) if dim not in over]
        zero = self.add("stablehlo.constant dense<0.0> : tensor<f32>")
        ty = f"tensor<{dims(result)}f32>"
        total = self.add(
            f"stablehlo.reduce({self.number(x)} init: {zero}) applies stablehlo.add across dimensions = {over} : "
            f"(tensor<{dims(shape)}f32>, tensor<f32>) -> {ty}"
        )
        count = self.add(f"stablehlo.constant dense<{float(np.prod([shape[axis] for axis in over]))}> : {ty}")
        value = self.add(f"stablehlo.divide {total}, {count} : {ty}")
        if result != self.shape(out):
            value = self.add(f"stablehlo.reshape {value} : ({ty}) -> tensor<{dims(self.shape(out))}f32>")
        self.result(out, value)

    def text(self):
        """The program."""
        inputs, outputs = list(self.graph.inputs), list(self.graph.outputs)
        self.numbers = {index: f"%x{at}" for at, index in enumerate(inputs)}
        for operation in self.graph.operators:
            code = self.model.operatorCodes[operation.opcodeIndex]
            name = CODES[max(code.builtinCode, code.deprecatedBuiltinCode)]
            options = operation.builtinOptions
            if name in ("CONV_2D", "DEPTHWISE_CONV_2D"):
                self.convolution(operation, options, name != "CONV_2D")
            elif name == "FULLY_CONNECTED":
                self.fully_connected(operation, options)
            elif name == "ADD":
                self.addition(operation, options)
            elif name == "MEAN":
                self.mean(operation)
            else:
                raise SystemExit(f"no translation of {name}")
        parameters = ", ".join(f"{self.numbers[index]}: {self.quantized(index)}" for index in inputs)
        results = ", ".join(self.quantized(index) for index in outputs)
        body = "\n".join(self.lines)
        returned = ", ".join(self.numbers[index] for index in outputs)
        return f"func.func public @main({parameters}) -> ({results}) {{\n{body}\n    return {returned} : {results}\n}}\n"


def main():
    options = ARGUMENTS
    if (strata := find_strata(options.strata)) is None:
        return 1
    model = options.model.read_bytes() if options.model else small_model(options.pixels)
    program = Program(model)
    text = program.text()
    (source,), (target,) = program.graph.inputs, program.graph.outputs
    x = np.random.default_rng(6).integers(-128, 128, program.shape(source)).astype(program.details[source]["dtype"])
    # The operators without XNNPACK, as documented, and with it, as fast as they are.
    kinds = tf.lite.experimental.OpResolverType
    found = {}
    for name, kind in [("reference", kinds.BUILTIN_REF), ("delegate", kinds.AUTO)]:
        interpreter = tf.lite.Interpreter(model_content=model, num_threads=1, experimental_op_resolver_type=kind)
        interpreter.allocate_tensors()
        interpreter.set_tensor(source, x)
        interpreter.invoke()
        found[name] = interpreter.get_tensor(target).copy()
    seconds = quantized.seconds(interpreter.invoke, least=1)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "model.mlir"
        path.write_text(text)
        np.save(folder / "x.npy", x)
        run = lambda *command: subprocess.run([strata, *command], capture_output=True, text=True, check=True).stdout  # noqa: E731
        flags = ["--target-cpu", options.target_cpu]
        run("run", path, *flags, "--input", folder / "x.npy", "--output-dir", folder / "results")
        y = np.load(next((folder / "results").glob("*.npy")))
        told = run("bench", path, *flags, "--threads", "1", "--no-limits", "--format", "json", "--rounds", "9")
    units = {name: np.abs(y.astype(int) - other.astype(int)) for name, other in found.items()}
    shown = [f"{(unit > 0).sum()} of {unit.size}, at most {unit.max()}" for unit in units.values()]
    lines = [
        "| units apart from the reference | from XNNPACK | Strata, ms | TFLite, ms |",
        "|---|---|---:|---:|",
        f"| {' | '.join(shown)} | {1e3 * json.loads(told)['seconds']['median']:.3g} | {1e3 * seconds:.3g} |",
    ]
    print("\n".join(lines))
    if options.output:
        options.output.write_text("\n".join(lines) + "\n")
    return 0 if max(unit.max() for unit in units.values()) <= 2 else 1


if __name__ == "__main__":
    sys.exit(main())
