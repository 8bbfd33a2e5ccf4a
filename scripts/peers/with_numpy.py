"""NumPy, where one function of it, or a line of a few, is the whole program.

Programs are known by their names. Results go to arrays that stay wherever the function has `out=`; a function that a
name fits by mistake gives other results, and is then not timed.
"""

import re

import numpy as np

from peers.buffers import Buffers
from peers.programs import arguments, dtype_of


def _matmul(o, a, b):
    return lambda: np.matmul(a, b, out=o)


def _unary(function):
    return lambda o, x: lambda: function(x, out=o)


def _rsqrt(o, x):
    return lambda: np.reciprocal(np.sqrt(x, out=o), out=o)


def _softmax(o, x):
    def call():
        np.subtract(x, x.max(axis=-1, keepdims=True), out=o)
        np.exp(o, out=o)
        np.divide(o, o.sum(axis=-1, keepdims=True), out=o)

    return call


def _layernorm(o, x, scale, bias):
    def call():
        np.subtract(x, x.mean(axis=-1, keepdims=True), out=o)
        variance = np.square(o).mean(axis=-1, keepdims=True)
        np.divide(o, np.sqrt(variance + np.float32(1e-5)), out=o)
        np.multiply(o, scale, out=o)
        np.add(o, bias, out=o)

    return call


def _sort(o, x):
    def call():
        np.copyto(o, x)
        o.sort(axis=-1)

    return call


def _scatter_add(o, x, places, updates):
    def call():
        np.copyto(o, x)
        np.add.at(o, places, updates)

    return call


# Pattern of the name: from the output (the first, where there are several) and the inputs to what is called. What
# a call returns is the result, unless it is None: then the outputs are.
FUNCTIONS = {
    r"matmul_f(32|64)_\d+": _matmul,
    r"gemv_\d+x\d+x\d+": _matmul,
    r"(matmul|gemv)_nt_.*": lambda o, a, b: lambda: np.matmul(a, b.T, out=o),
    r"bmm_.*": lambda o, a, b: lambda: np.matmul(a, b.swapaxes(-1, -2), out=o),
    r"(exp|tanh|log|sin|cos|sqrt)_\d+[kM]": None,  # the ufunc of that name
    r"rsqrt_\d+[kM]": _rsqrt,
    r"(add|broadcast_add)_\d+M?": lambda o, a, b: lambda: np.add(a, b, out=o),
    r"noop_add_scalar": lambda o, x: lambda: np.add(x, np.float32(1), out=o),
    r"softmax_.*": _softmax,
    r"layernorm_.*": _layernorm,
    r"reduce_row_.*": lambda o, x: lambda: np.sum(x, axis=1, out=o),
    r"reduce_col_.*": lambda o, x: lambda: np.sum(x, axis=0, out=o),
    r"reduce_full_.*": lambda o, x: lambda: np.sum(x, out=o),
    r"reduce_max_row_.*": lambda o, x: lambda: np.max(x, axis=1, out=o),
    r"argmax_row_.*": lambda o, x: lambda: np.argmax(x, axis=1),
    r"transpose_\d+": lambda o, x: lambda: np.copyto(o, x.T),
    r"transpose_0213_.*": lambda o, x: lambda: np.copyto(o, x.transpose(0, 2, 1, 3)),
    r"concat_.*": lambda o, a, b: lambda: np.concatenate((a, b), axis=1, out=o),
    r"slice_4096": lambda o, x: lambda: np.copyto(o, x[512:3584, 256:3840:2]),
    r"pad_4096": lambda o, x: lambda: np.pad(x, ((3, 5), (7, 9))),
    r"gather_.*": lambda o, x, places: lambda: np.take(x, places, axis=0, out=o, mode="clip"),
    r"scatter_add_.*": _scatter_add,
    r"segment_sum_.*": lambda o, s, x: lambda: np.bincount(s, weights=x, minlength=len(o)),
    r"sort_.*": _sort,
    r"argsort_.*": lambda o, x: lambda: np.argsort(x, axis=-1, kind="stable"),
    r"cumsum_.*": lambda o, x: lambda: np.cumsum(x, axis=-1, out=o),
    r"fft_.*": lambda o, x: lambda: np.fft.fft(x, out=o),
    r"fft2_.*": lambda o, x: lambda: np.fft.fft2(x, out=o),
    r"rfft_.*": lambda o, x: lambda: np.fft.rfft(x, out=o),
    r"cholesky_\d+(_lapack)?": lambda o, x: lambda: np.linalg.cholesky(x),
}


def has(name):
    """Whether NumPy takes part."""
    return any(re.fullmatch(pattern, name) for pattern in FUNCTIONS)


class Numpy:
    def __init__(self, spec):
        name = spec["program"]
        make = next(f for pattern, f in FUNCTIONS.items() if re.fullmatch(pattern, name))
        make = make or _unary(getattr(np, name.split("_")[0]))
        buffers = Buffers()
        given = [buffers.copy(a) for a in arguments(spec)]
        self.outputs = [buffers.new(shape, dtype_of(element)) for shape, element in spec["outputs"]]
        self.compile_seconds, self.note = 0.0, ""
        self.variants = {"": make(self.outputs[0], *given)}

    def results(self, variant=""):
        made = self.variants[variant]()
        made = self.outputs[0] if made is None else np.asarray(made)
        return [made.astype(self.outputs[0].dtype, copy=False)]
