#!/usr/bin/env python3
"""Write the programs `tests/expected/table_*.mlir`: arguments and results of functions, transforms and factorisations, the results
computed with MPFR, MPC and mpmath and rounded once, so that a mistake made in both engines shows.

    python3 -m venv venv && venv/bin/pip install -r scripts/requirements-numerics.txt
    venv/bin/python scripts/tables.py [--output tests/expected]

Numbers are written as their bits. How many units in the last place a result may be off is stated here, per function: what
docs/numerics.md has, rounded up, and at least what the evaluator's library is off.
"""

import argparse
import struct
import sys
from pathlib import Path

import gmpy2
import mpmath
import numpy as np
from gmpy2 import mpc, mpfr

sys.path.insert(0, str(Path(__file__).resolve().parent))

from precision import arguments, reference  # noqa: E402

HEAD = "// Written by scripts/tables.py: results to many more digits than the type has, rounded once.\n"
COMMON = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 1e-5, -0.3, 3.75]

# Name: operation, units in the last place in f32 and f64, arguments.
REAL = {
    "exp": ("stablehlo.exponential", 1, 1, [709.7827, -745.1, -708.5, 88.7228, -103.9, -20.3]),
    "expm1": ("stablehlo.exponential_minus_one", 2, 2, [1e-300, -40.0, 88.7, 709.7, -1e-9, 0.34657359]),
    "log": ("stablehlo.log", 1, 1, [1.0000001, 0.99999994, 1e-300, 5e-324, 1.7e308, 1e-42, 1.4142135]),
    "log1p": ("stablehlo.log_plus_one", 1, 1, [-0.99999994, 1e-300, -1e-9, 0.41421356, 1e300]),
    "logistic": ("stablehlo.logistic", 3, 3, [-745.0, -709.5, 36.7, -88.9, 16.6]),
    "tanh": ("stablehlo.tanh", 3, 3, [19.06, -9.01, 0.1732868, 1e-300, 0.02]),
    "sinh": ("chlo.sinh", 3, 3, [710.47, -709.9, 89.41, 0.4349807, 1e-300, 22.9, 51.3]),
    "cosh": ("chlo.cosh", 2, 2, [710.47, -709.9, 89.41, 3.869243, 1e-300, 22.9]),
    "asinh": ("chlo.asinh", 1, 2, [1e300, -1e-9, 268435456.5, 0.7]),
    "acosh": ("chlo.acosh", 1, 3, [1.0000001, 1e300, 1.5, 268435456.5]),
    "atanh": ("chlo.atanh", 1, 2, [0.99999994, -0.9999, 1e-300]),
    "sin": ("stablehlo.sine", 2, 1, [3.1415927, 3.141592653589793, 1e22, 1e300, 33554433.0, 5e15]),
    "cos": ("stablehlo.cosine", 2, 1, [1.5707964, 1.5707963267948966, 1e22, 1e300, 33554433.0]),
    "tan": ("stablehlo.tan", 1, 2, [1.5707964, 1.5707963267948966, 1e22, 1e300, 3.1415927]),
    "asin": ("chlo.asin", 1, 3, [0.99999994, -0.70710678, 1e-300]),
    "acos": ("chlo.acos", 1, 3, [0.99999994, -0.99999994, 0.70710678]),
    "atan": ("chlo.atan", 1, 2, [0.41421356, 1e300, -1e-300, 1.0000001]),
    "erf": ("chlo.erf", 2, 2, [3.9, 5.9, -0.99, 1e-300, 1e-40]),
    "erfc": ("chlo.erfc", 3, 4, [26.5, 10.05, -5.0, 0.4769, 3.0, 9.2]),
    "erf_inv": ("chlo.erf_inv", 4, 4, [0.99983, 0.9999999925551909, 0.99999994, -0.9999999999999999, 1e-300, 0.998]),
    "cbrt": ("stablehlo.cbrt", 1, 1, [1e300, -5e-324, 1e-42, 27.0]),
    "rsqrt": ("stablehlo.rsqrt", 2, 2, [1e300, 5e-324, 1e-42]),
    "lgamma": ("chlo.lgamma", 1, 20, [3.0, 0.9999999999999999, 1.0000001, 1.9999999, 1e-300, 2.5, 170.6, 1e10, -0.5, -1.5, -2.43, -2.4570247382208006, -2.7476826467274127]),
    "digamma": ("chlo.digamma", 1, 20, [1.4616321449683622, 1.461632, 1e-300, 10.5, 1e10, -0.7, -2.5]),
    "bessel_i1e": ("chlo.bessel_i1e", 1, 8, [7.99, 8.01, 30.5, 1e10, 1e-300]),
}
DOMAINS = {
    "log": lambda x: x > 0,
    "log1p": lambda x: x > -1,
    "rsqrt": lambda x: x > 0,
    "acosh": lambda x: x >= 1,
    "atanh": lambda x: abs(x) < 1,
    "asin": lambda x: abs(x) <= 1,
    "acos": lambda x: abs(x) <= 1,
    "erf_inv": lambda x: abs(x) < 1,
    "lgamma": lambda x: x > 0 or x != int(x),
    "digamma": lambda x: x > 0 or x != int(x),
}
PAIRS = {
    "pow": ("stablehlo.power", 1, 1, [(1.4238907048686302, 2008.2762871071668), (0.7071, -2040.0), (2.0, 0.5), (10.0, -307.6), (1.0000001, 1e6), (-1.5, 3.0), (3.0, -40.5), (1.0000000000000002, 4e18), (5e-324, 0.3)]),
    "atan2": ("stablehlo.atan2", 1, 2, [(1.0, 1e-9), (-1e-300, 1e300), (3.0, -4.0), (-0.0, -1.0), (1e-300, -1.0)]),
    "zeta": ("chlo.zeta", 1, 8, [(2.0, 1.0), (1.0001, 3.5), (30.5, 0.3), (500.0, 1000.0), (3.0, -2.7), (4.0, -0.001), (2.5, 1e10)]),
    "polygamma": ("chlo.polygamma", 1, 12, [(1.0, 0.5), (0.0, 1.4616321449683622), (2.0, 3.3), (5.0, 1e-3), (25.0, 100.0), (1.0, 1e10)]),
}
# Name: operation, units of each part in complex<f32> and complex<f64>.
COMPLEX = {
    "exp": ("stablehlo.exponential", 1, 4),
    "log": ("stablehlo.log", 1, 4),
    "log1p": ("stablehlo.log_plus_one", 1, 4),
    "sqrt": ("stablehlo.sqrt", 1, 4),
    "rsqrt": ("stablehlo.rsqrt", 1, 6),
    "sin": ("stablehlo.sine", 1, 5),
    "cos": ("stablehlo.cosine", 1, 5),
    "tan": ("stablehlo.tan", 1, 8),
    "sinh": ("chlo.sinh", 1, 5),
    "cosh": ("chlo.cosh", 1, 5),
    "tanh": ("stablehlo.tanh", 1, 8),
    "asin": ("chlo.asin", 1, 6),
    "acos": ("chlo.acos", 1, 6),
    "atan": ("chlo.atan", 1, 6),
    "asinh": ("chlo.asinh", 1, 6),
    "acosh": ("chlo.acosh", 1, 6),
    "atanh": ("chlo.atanh", 1, 6),
}
COMPLEX_PAIRS = {
    "divide": ("stablehlo.divide", 1, 3, [
        (1 + 2j, 3 - 4j), (1e300 + 1e-300j, 1e-300 + 1e300j), (1 + 1.0000000000000002j, 1 + 1j), (1e308 + 1e308j, 2e307 + 1e-307j),
        (3 + 1e-200j, 1e-200 + 3j), (1e-310 + 2e-310j, 3e-310 - 1e-310j), (0.1 + 0.2j, 0.3 + 0.6000000001j),
    ]),
    "multiply": ("stablehlo.multiply", 4, 4, [(1 + 2j, 3 - 4j), (1e200 + 1e150j, 1e-150 - 1e100j), (0.5 + 2j, 2.5 - 3j)]),
}


def rounded(x, ty):
    return float(np.float32(x)) if ty == "f32" else float(x)


def nearest(value, ty):
    """An `mpfr` rounded once to the type, denormals too."""
    digits, least = (24, -126) if ty == "f32" else (53, -1022)
    if value == 0 or not gmpy2.is_finite(value):
        return float(value)
    exponent = value.as_mantissa_exp()
    size = gmpy2.get_exp(value) - 1
    unit = mpfr(2) ** (max(size, least) - digits + 1)
    del exponent
    return float(gmpy2.rint(value / unit) * unit)


def bits(x, ty):
    if ty == "f32":
        with np.errstate(over="ignore"):
            return f"0x{np.float32(x).view(np.uint32):08X}"
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


def element(x, ty):
    if isinstance(x, complex):
        part = ty[8:-1]
        return f"({bits(x.real, part)}, {bits(x.imag, part)})"
    return bits(x, ty)


def literal(values, ty, shape=None):
    """A dense constant, four numbers in a line."""
    def nested(block):
        if block.ndim == 1:
            return "[" + ", ".join(element(x, ty) for x in block.tolist()) + "]"
        return "[" + ", ".join(nested(one) for one in block) + "]"

    block = np.array(values).reshape(shape or (len(values),))
    sizes = "".join(f"{size}x" for size in block.shape)
    text = nested(block) if block.ndim else element(block.item(), ty)
    return f"dense<{text}> : tensor<{sizes}{ty}>", f"tensor<{sizes}{ty}>"


def function(name, inputs, line, expected, check):
    """A test function: constants, one operation, a comparison with a constant."""
    lines = [f"func.func @{name}() {{"]
    for index, (text, _) in enumerate(inputs):
        lines.append(f"  %x{index} = stablehlo.constant {text}")
    lines.append(f"  %expected = stablehlo.constant {expected[0]}")
    lines.append(f"  %{'zero' if 'cholesky' in line else 'found'} = {line}")
    types = expected[1] if check.startswith("expect_almost") else f"{expected[1]}, {expected[1]}"
    lines.append(f"  check.{check} : {types}")
    return "\n".join(lines + ["  return", "}", ""])


def call(operation, types):
    operands = ", ".join(f"%x{index}" for index in range(len(types)))
    if operation.startswith("chlo.") and len(types) == 2:
        return f"{operation} {operands} : {types[0]}, {types[1]} -> {types[0]}"
    if operation.startswith("chlo."):
        return f"{operation} {operands} : {types[0]} -> {types[0]}"
    return f"{operation} {operands} : {types[0]}"


def close(ulp):
    return f"expect_close %found, %expected, max_ulp_difference = {ulp}"


def usable(x, ty):
    """Whether a number keeps its sense in the type."""
    top, bottom = (3.4e38, 1e-45) if ty == "f32" else (1.8e308, 0)
    return abs(x) <= top and (x == 0 or abs(x) >= bottom)


def real_functions(ty):
    column = 1 if ty == "f32" else 2
    blocks = []
    for name, row in REAL.items():
        inside = DOMAINS.get(name, lambda x: True)
        more = arguments.real(name, ty, 40, seed=7)
        more = more[:: max(1, len(more) // 14)]
        xs = dict.fromkeys(rounded(x, ty) for x in COMMON + row[3] + list(more) if usable(x, ty))
        xs = [x for x in xs if inside(x) and np.isfinite(x) and not (x == 0 and name in ("lgamma", "digamma"))]
        # The sign of a zero makes two arguments of it.
        if 0.0 in xs and inside(-0.0):
            xs.append(-0.0)
        if name in ("lgamma", "digamma"):
            # Elsewhere on the negative axis the terms of the reflection cancel.
            xs = [x for x in xs if x > 0 or x in row[3]]
        exact = [reference.REAL[name](mpfr(x)) for x in xs]
        rows = [(x, nearest(value, ty)) for x, value in zip(xs, exact)]
        blocks.append(block(name, row[0], [[x for x, _ in rows]], [value for _, value in rows], ty, row[column]))
    for name, row in PAIRS.items():
        rows = [(rounded(x, ty), rounded(y, ty)) for x, y in row[3] if usable(x, ty) and usable(y, ty)]
        rows = [(x, y, nearest(reference.REAL[name](mpfr(x), mpfr(y)), ty)) for x, y in rows]
        blocks.append(block(name, row[0], [[r[0] for r in rows], [r[1] for r in rows]], [r[2] for r in rows], ty, row[column]))
    return blocks


def block(name, operation, columns, results, ty, ulp):
    inputs = [literal(column, ty) for column in columns]
    return function(name, inputs, call(operation, [text[1] for text in inputs]), literal(results, ty), close(ulp))


def complex_functions(ty):
    part = ty[8:-1]
    column = 1 if part == "f32" else 2
    blocks = []
    fixed = [0.5 + 0.25j, -1.5 + 2j, 0.6 + 0.8j, -0.8 - 0.6j, 1 + 1e-9j, 1e-9 - 1e-9j, 3 - 30j, -2.5 - 1e-6j, 0.28 + 0.96j, 1e5 - 2e5j]
    for name, row in COMPLEX.items():
        zs = [complex(rounded(z.real, part), rounded(z.imag, part)) for z in fixed]
        if name == "log1p":
            zs += [complex(rounded(-0.4, part), rounded(0.8, part)), complex(rounded(-1.0, part), rounded(1.0000001, part))]
        if name in ("exp", "sinh", "cosh"):
            zs = [z for z in zs if abs(z.real) < 80]
        if name in ("sin", "cos"):
            zs = [z for z in zs if abs(z.imag) < 80]
        exact = [reference.COMPLEX[name](mpc(mpfr(z.real), mpfr(z.imag))) for z in zs]
        results = [complex(nearest(value.real, part), nearest(value.imag, part)) for value in exact]
        blocks.append(block(name, row[0], [zs], results, ty, row[column]))
    for name, row in COMPLEX_PAIRS.items():
        keeps = lambda z: usable(z.real, part) and usable(z.imag, part)  # noqa: E731
        rows = [(a, b) for a, b in row[3] if keeps(a) and keeps(b)]
        rows = [tuple(complex(rounded(z.real, part), rounded(z.imag, part)) for z in pair) for pair in rows]
        exact = [reference.COMPLEX[name](*[mpc(mpfr(z.real), mpfr(z.imag)) for z in pair]) for pair in rows]
        results = [complex(nearest(value.real, part), nearest(value.imag, part)) for value in exact]
        blocks.append(block(name, row[0], [[r[0] for r in rows], [r[1] for r in rows]], results, ty, row[column]))
    return blocks


def number(x):
    return mpmath.mpf(float(x))


def nearest_complex(z):
    return complex(float(z.real), float(z.imag))


def transforms():
    rng = np.random.default_rng(11)
    blocks = []
    for size in (1, 2, 5, 8, 12, 17, 30):
        values = rng.uniform(-1, 1, size) + 1j * rng.uniform(-1, 1, size)
        for kind, sign, scale in (("FFT", -1, 1), ("IFFT", 1, size)):
            exact = []
            for k in range(size):
                terms = (
                    mpmath.mpc(number(z.real), number(z.imag)) * mpmath.expjpi(mpmath.mpf(2 * sign * j * k) / size)
                    for j, z in enumerate(values)
                )
                exact.append(nearest_complex(mpmath.fsum(terms) / scale))
            ty = "complex<f64>"
            inputs = [literal(values.tolist(), ty)]
            line = f"stablehlo.fft %x0, type = {kind}, length = [{size}] : ({inputs[0][1]}) -> {inputs[0][1]}"
            check = "expect_almost_eq %found, %expected, tolerance = 4.0e-15"
            blocks.append(function(f"{kind.lower()}_of_{size}", inputs, line, literal(exact, ty), check))
    return blocks


def factors():
    rng = np.random.default_rng(12)
    blocks = []
    for size in (1, 3, 5, 8):
        root = rng.integers(-8, 9, (size, size)) / 8.0
        matrix = root @ root.T + np.eye(size)
        exact = mpmath.cholesky(mpmath.matrix([[number(x) for x in row] for row in matrix]))
        lower = [[float(exact[i, j]) if j <= i else 0.0 for j in range(size)] for i in range(size)]
        inputs = [literal(matrix, "f64", (size, size))]
        ty = inputs[0][1]
        bits = f"tensor<{size}x{size}xi1>"
        below = "[" + ", ".join("[" + ", ".join(str(j <= i).lower() for j in range(size)) + "]" for i in range(size)) + "]"
        # What is above the diagonal means nothing.
        line = (
            f"stablehlo.constant dense<0.0> : {ty}\n  %below = stablehlo.constant dense<{below}> : {bits}\n"
            f"  %factor = stablehlo.cholesky %x0, lower = true : {ty}\n"
            f"  %found = stablehlo.select %below, %factor, %zero : {bits}, {ty}"
        )
        check = "expect_almost_eq %found, %expected, tolerance = 1.0e-14"
        blocks.append(function(f"cholesky_of_{size}", inputs, line, literal(lower, "f64", (size, size)), check))
    return blocks


def convolutions():
    """A strided, dilated, padded, grouped one, by its definition."""
    rng = np.random.default_rng(13)
    (batch, height, width, inner), (kh, kw), outer, groups = (2, 7, 6, 4), (3, 2), 6, 2
    stride, dilation, low, high = (2, 1), (1, 2), (1, 2), (1, 0)
    x, kernel = rng.uniform(-1, 1, (batch, height, width, inner)), rng.uniform(-1, 1, (kh, kw, inner // groups, outer))
    out = [(n + l + h - ((k - 1) * d + 1)) // s + 1 for n, l, h, k, d, s in zip((height, width), low, high, (kh, kw), dilation, stride)]
    result = np.zeros((batch, *out, outer))
    for b, i, j, o in np.ndindex(*result.shape):
        group, terms = o // (outer // groups), []
        for p, q, c in np.ndindex(kh, kw, inner // groups):
            row, column = i * stride[0] + p * dilation[0] - low[0], j * stride[1] + q * dilation[1] - low[1]
            if 0 <= row < height and 0 <= column < width:
                terms.append(number(x[b, row, column, group * (inner // groups) + c]) * number(kernel[p, q, c, o]))
        result[b, i, j, o] = float(mpmath.fsum(terms))
    inputs = [literal(x, "f64", x.shape), literal(kernel, "f64", kernel.shape)]
    expected = literal(result, "f64", result.shape)
    line = (
        f"stablehlo.convolution(%x0, %x1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{stride = {list(stride)}, "
        f"pad = [[{low[0]}, {high[0]}], [{low[1]}, {high[1]}]], rhs_dilate = {list(dilation)}}} "
        f"{{batch_group_count = 1 : i64, feature_group_count = {groups} : i64}} : ({inputs[0][1]}, {inputs[1][1]}) -> {expected[1]}"
    )
    return [function("convolution", inputs, line, expected, "expect_almost_eq %found, %expected, tolerance = 4.0e-15")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("tests/expected"), help="the folder")
    options = parser.parse_args()
    files = {
        "functions_f32": real_functions("f32"),
        "functions_f64": real_functions("f64"),
        "complex_f32": complex_functions("complex<f32>"),
        "complex_f64": complex_functions("complex<f64>"),
        "fft": transforms(),
        "cholesky": factors(),
        "convolution": convolutions(),
    }
    for name, blocks in files.items():
        text = HEAD + "\n" + "\n// -----\n\n".join(blocks)
        (options.output / f"table_{name}.mlir").write_text(text)


if __name__ == "__main__":
    main()
