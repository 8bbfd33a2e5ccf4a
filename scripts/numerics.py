#!/usr/bin/env python3
"""Measure the error of every function against MPFR, and write the tables of docs/numerics.md.

    python3 -m venv venv && venv/bin/pip install -r scripts/requirements-numerics.txt
    venv/bin/python scripts/numerics.py --strata target/release/strata [--page docs/numerics.md] [--count 20000] [NAME…]

Each function is compiled for a processor with fused multiply-add and one without, called on random and on hard arguments, and then on
neighbours of the worst ones. Errors are in units in the last place of the exact result; the larger number of both processors
counts. With names only these functions are measured; without `--page` the figures are only printed. The same seed gives the same
arguments.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

import gmpy2
import numpy as np
from gmpy2 import mpc, mpfr

sys.path.insert(0, str(Path(__file__).resolve().parent))

from precision import arguments, page, reference  # noqa: E402
from precision.compiled import Compiled, widened  # noqa: E402

CPUS = ["x86-64-v3", "x86-64"]

# Name: operation and number of arguments. The order is that of the page.
REAL = {
    "exp": ("stablehlo.exponential", 1),
    "expm1": ("stablehlo.exponential_minus_one", 1),
    "log": ("stablehlo.log", 1),
    "log1p": ("stablehlo.log_plus_one", 1),
    "logistic": ("stablehlo.logistic", 1),
    "tanh": ("stablehlo.tanh", 1),
    "sinh": ("chlo.sinh", 1),
    "cosh": ("chlo.cosh", 1),
    "asinh": ("chlo.asinh", 1),
    "acosh": ("chlo.acosh", 1),
    "atanh": ("chlo.atanh", 1),
    "sin": ("stablehlo.sine", 1),
    "cos": ("stablehlo.cosine", 1),
    "tan": ("stablehlo.tan", 1),
    "asin": ("chlo.asin", 1),
    "acos": ("chlo.acos", 1),
    "atan": ("chlo.atan", 1),
    "atan2": ("stablehlo.atan2", 2),
    "erf": ("chlo.erf", 1),
    "erfc": ("chlo.erfc", 1),
    "erf_inv": ("chlo.erf_inv", 1),
    "cbrt": ("stablehlo.cbrt", 1),
    "pow": ("stablehlo.power", 2),
    "rsqrt": ("stablehlo.rsqrt", 1),
    "sqrt": ("stablehlo.sqrt", 1),
    "lgamma": ("chlo.lgamma", 1),
    "digamma": ("chlo.digamma", 1),
    "bessel_i1e": ("chlo.bessel_i1e", 1),
    "zeta": ("chlo.zeta", 2),
    "polygamma": ("chlo.polygamma", 2),
}
COMPLEX = {
    "abs": ("stablehlo.abs", 1),
    "sign": ("stablehlo.sign", 1),
    "multiply": ("stablehlo.multiply", 2),
    "divide": ("stablehlo.divide", 2),
    "exp": ("stablehlo.exponential", 1),
    "expm1": ("stablehlo.exponential_minus_one", 1),
    "log": ("stablehlo.log", 1),
    "log1p": ("stablehlo.log_plus_one", 1),
    "logistic": ("stablehlo.logistic", 1),
    "sqrt": ("stablehlo.sqrt", 1),
    "rsqrt": ("stablehlo.rsqrt", 1),
    "cbrt": ("stablehlo.cbrt", 1),
    "pow": ("stablehlo.power", 2),
    "sin": ("stablehlo.sine", 1),
    "cos": ("stablehlo.cosine", 1),
    "tan": ("stablehlo.tan", 1),
    "sinh": ("chlo.sinh", 1),
    "cosh": ("chlo.cosh", 1),
    "tanh": ("stablehlo.tanh", 1),
    "asin": ("chlo.asin", 1),
    "acos": ("chlo.acos", 1),
    "atan": ("chlo.atan", 1),
    "asinh": ("chlo.asinh", 1),
    "acosh": ("chlo.acosh", 1),
    "atanh": ("chlo.atanh", 1),
}
# Slow in the reference.
SLOW = {"bessel_i1e", "zeta", "polygamma"}
# Digits, smallest exponent of a last place.
FORMATS = {"f64": (53, -1074), "f32": (24, -149), "f16": (11, -24), "bf16": (8, -133)}
# The largest number of each format.
LARGEST = {"f64": sys.float_info.max, "f32": 2.0**128 - 2.0**104, "f16": 65504.0, "bf16": 2.0**128 - 2.0**120}


def split(value, ty):
    """A reference result as the nearest `f64`, and what that lacks in units of the last place that the type has there."""
    high = float(value)
    if high != high or high in (float("inf"), float("-inf")):
        return high, 0.0
    digits, smallest = FORMATS[ty]
    exponent = max(gmpy2.get_exp(value) - digits, smallest) if value else smallest
    # Below the normal range an `f64` could not represent it.
    return high, float((value - mpfr(high)) * mpfr(2) ** -exponent)


def unit(exact, ty):
    """The unit in the last place of a result of the type."""
    digits, smallest = FORMATS[ty]
    _, exponent = np.frexp(np.abs(exact))
    return np.ldexp(1.0, np.maximum(exponent - digits, smallest))


def errors(found, high, low, ty, terms=0.0):
    """In units in the last place of the result, or of the terms that it is the difference of where these are larger. What is beyond the largest number counts as correct where it is found infinite; a NaN where there is
    a result, or the reverse, as infinitely wrong."""
    with np.errstate(all="ignore"):
        found = found.astype(np.float64)
        # The results of a wide exponent range that the format does not have.
        beyond = np.abs(high) > LARGEST[ty]
        error = np.abs((found - high) / unit(high, ty) - low)
        error = error * (unit(high, ty) / unit(np.maximum(np.abs(high), terms), ty))
        error = np.where(beyond, np.where(np.abs(found) >= LARGEST[ty] * (1 - 1e-7), 0.0, np.inf), error)
        error = np.where(np.isnan(high), np.where(np.isnan(found), 0.0, np.inf), error)
        return np.where(np.isnan(error), np.inf, error)


def real_errors(function, name, ty, values):
    """The largest errors of a real function at some arguments."""
    reference_of = reference.REAL[name]
    if ty == "bf16":
        numbers, found = [widened(one) for one in values], widened(function(*values))
    else:
        numbers, found = values, function(*values)
    results = []
    for row in zip(*[[float(one) for one in column] for column in numbers]):
        try:
            value = reference_of(*[mpfr(one) for one in row])
            results.append((float("nan"), 0.0) if isinstance(value, gmpy2.mpc) else split(value, ty))
        except (ValueError, ZeroDivisionError, gmpy2.DivisionByZeroError, gmpy2.InvalidOperationError):
            results.append((float("nan"), 0.0))
    high, low = (np.array(part) for part in zip(*results))
    terms = reflected_terms(name, numbers[0]) if name in ("lgamma", "digamma") else 0.0
    error = errors(found, high, low, ty, terms)
    # Poles are not measured, nor are arguments without a reference.
    return np.where(np.isfinite(high), error, 0.0)


def reflected_terms(name, xs):
    """The size of the function at `1 - x` where `x` is negative, except near the zeros of lgamma that have their own polynomials."""
    def size(x):
        beside = name == "lgamma" and (abs(x + 2.4570247382208006) < 0.08 or abs(x + 2.7476826467274127) < 0.05)
        return 0.0 if x > 0 or beside else abs(float(reference.REAL[name](1 - mpfr(x))))

    return np.array([size(float(x)) for x in xs])


def kept(values, name):
    """The rows that are numbers, within what the reference can do in time."""
    rows = np.all([np.isfinite(one).reshape(len(one), -1).all(1) for one in values], axis=0)
    if name == "logistic" and values[0].ndim == 2:
        # Below, the result is outside of the normal range.
        rows &= values[0][:, 0] > -700
    if name in ("lgamma", "digamma"):
        rows &= (values[0] > -1000) & (np.abs(values[0]) < 1e30)
    if name == "zeta":
        rows &= (values[0] > 1) & (values[1] > 0)
    if name == "polygamma":
        rows &= (values[0] == np.round(values[0])) & (values[0] > 0) & (values[1] > 0)
    return [one[rows] for one in values]


def search(name, measure, first, ty, rounds, seed):
    """The largest error at the arguments given and, round by round, at neighbours of the worst of them."""
    rng = np.random.default_rng(seed)
    values, error = first, measure(first)
    for _ in range(rounds):
        worst = np.argsort(error)[-40:]
        seeds = [one[worst] for one in values]
        again = [arguments.rounded(arguments.moved(np.repeat(one, 25, 0).astype(np.float64), rng, ty), ty) for one in seeds]
        again = kept(again, name)
        if not len(again[0]):
            break
        next_error = measure(again)
        values = [np.concatenate([one[worst], more]) for one, more in zip(values, again)]
        error = np.concatenate([error[worst], next_error])
    worst = int(np.argmax(error))
    return float(error[worst]), [one[worst] for one in values]


def measure_real(options, folder, name, ty):
    operation, arity = REAL[name]
    largest, where = 0.0, None
    for cpu in CPUS:
        function = Compiled(options.strata, folder, operation, ty, arity, cpu)
        if ty in ("f16", "bf16"):
            bits = np.arange(1 << 16, dtype=np.uint16)
            values = [bits if ty == "bf16" else bits.view(np.float16)]
            finite = np.isfinite((widened(bits) if ty == "bf16" else values[0]).astype(np.float64))
            error = real_errors(function, name, ty, [values[0][finite]])
            found, place = float(error.max()), [values[0][finite][int(error.argmax())]]
        else:
            count = options.count // 20 if name in SLOW else options.count
            if arity == 1:
                first = [arguments.real(name, ty, count)]
            else:
                first = arguments.pairs(name, ty, count // 4 if name != "pow" else count)
            first = kept([arguments.rounded(one, ty) for one in first], name)
            if name in ("erf_inv", "asin", "acos", "atanh"):
                rows = np.abs(first[0]) <= 1
                first = [first[0][rows]]
            check = lambda values: real_errors(function, name, ty, values)  # noqa: E731, B023
            rounds = options.rounds // 4 if name in SLOW else options.rounds
            found, place = search(name, check, first, ty, rounds, 1)
        if found > largest or where is None:
            largest, where = found, (place, cpu)
    return largest, where


def complex_errors(function, name, ty, values):
    """The errors of each part, and of the whole in units of the modulus."""
    part = ty.removeprefix("complex<").removesuffix(">")
    found = function(*values)
    found = found.reshape(len(found), -1).astype(np.float64)
    reference_of = reference.COMPLEX[name]
    results = []
    for row in zip(*values):
        try:
            exact = reference_of(*[mpc(mpfr(float(re)), mpfr(float(im))) for re, im in row])
            results.append(split(exact.real, part) + split(exact.imag, part))
        except (ValueError, ZeroDivisionError, gmpy2.DivisionByZeroError, gmpy2.InvalidOperationError):
            results.append((float("nan"), 0.0, float("nan"), 0.0))
    exact = np.array(results)
    if found.shape[1] == 1:
        found = np.concatenate([found, np.zeros_like(found)], 1)
        exact[:, 2:] = 0.0
    usable = np.isfinite(exact).all(1) & (np.abs(exact) <= LARGEST[part] / 4).all(1)
    one, two = (errors(found[:, i], exact[:, 2 * i], exact[:, 2 * i + 1], part) for i in range(2))
    with np.errstate(all="ignore"):
        size = np.hypot(exact[:, 0], exact[:, 2])
        gap = np.hypot(*[(found[:, i] - exact[:, 2 * i]) - exact[:, 2 * i + 1] * unit(exact[:, 2 * i], part) for i in range(2)])
        norm = gap / unit(size, part)
    parts = np.where(usable, np.maximum(one, two), 0.0)
    return parts, np.where(usable, np.nan_to_num(norm, nan=np.inf), 0.0)


def measure_complex(options, folder, name, ty):
    operation, arity = COMPLEX[name]
    result = ty.removeprefix("complex<").removesuffix(">") if name == "abs" else None
    found = [0.0, 0.0]
    where = None
    # Both processors take the same formulas; without fused multiply-add they round more often.
    for cpu in CPUS:
        function = Compiled(options.strata, folder, operation, ty, arity, cpu, result)
        count = options.count // 20
        first = [arguments.rounded(arguments.complex_numbers(ty, count, seed), ty) for seed in range(arity)]
        if name == "pow":
            # Moderate exponents: the error grows with the angle.
            first[1] = arguments.rounded(np.random.default_rng(3).uniform(-8, 8, first[1].shape), ty)
        first = kept(first, name)
        for index in range(2):
            check = lambda values: complex_errors(function, name, ty, values)[index]  # noqa: E731, B023
            error, place = search(name, check, first, ty, options.rounds // 2, 2)
            if error > found[index]:
                found[index] = error
                where = (place, cpu) if index == 0 else where
    return found, where


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--strata", type=Path, required=True, help="the command")
    parser.add_argument("--page", type=Path, help="the page whose tables are written")
    parser.add_argument("--count", type=int, default=20000, help="random arguments of a function")
    parser.add_argument("--rounds", type=int, default=12, help="how often neighbours of the worst arguments are tried")
    parser.add_argument("--types", default="f32,f64,f16,bf16,complex<f64>,complex<f32>")
    parser.add_argument("--figures", type=Path, help="a JSON file that figures are added to, for runs in parts: what it has is not measured again")
    parser.add_argument("names", nargs="*", help="functions (default: all)")
    options = parser.parse_args()
    figures = {}
    if options.figures and options.figures.is_file():
        figures = {tuple(key.split()): value for key, value in json.loads(options.figures.read_text()).items()}
    with tempfile.TemporaryDirectory() as folder:
        for ty in options.types.split(","):
            table = COMPLEX if ty.startswith("complex") else REAL
            for name, (_, arity) in table.items():
                if options.names and name not in options.names:
                    continue
                if ty in ("f16", "bf16") and (arity > 1 or name in SLOW):
                    continue
                if (ty, name) in figures and not options.names:
                    continue
                measure = measure_complex if ty.startswith("complex") else measure_real
                figures[ty, name], where = measure(options, folder, name, ty)
                print(f"{ty:14} {name:12} {figures[ty, name]} at {where}", flush=True)
                if options.figures:
                    options.figures.write_text(json.dumps({" ".join(key): value for key, value in figures.items()}, indent=1))
    if options.page:
        page.write(options.page, figures, list(REAL), list(COMPLEX))


if __name__ == "__main__":
    main()
