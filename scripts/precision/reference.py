"""Functions to many more digits than any of the formats has: MPFR and MPC by gmpy2, and mpmath for what they lack.

A real function takes and gives `mpfr` numbers, a complex one `mpc`; both are correct to about `BITS` bits.
"""

import gmpy2
import mpmath
from gmpy2 import mpc, mpfr

BITS = 220
gmpy2.set_context(gmpy2.context(precision=BITS, emax=1 << 40, emin=-(1 << 40), allow_complex=True))
mpmath.mp.prec = BITS


def more(bits, function, *arguments):
    """The function with more bits, for what cancels."""
    with gmpy2.context(gmpy2.get_context(), precision=BITS + bits):
        return function(*arguments)


def by_mpmath(function):
    def call(*arguments):
        return mpfr(str(mpmath.nstr(function(*[to_mpmath(one) for one in arguments]), 60)))

    return call


def to_mpmath(x):
    sign, mantissa, exponent, _ = mpmath.mpf(0)._mpf_
    if x == 0:
        return mpmath.mpf(0)
    mantissa, exponent = x.as_mantissa_exp()
    return mpmath.ldexp(mpmath.mpf(int(mantissa)), int(exponent))


def with_digits(bits, function, *arguments):
    with mpmath.workprec(bits):
        return function(*arguments)


def lgamma(x):
    return gmpy2.lgamma(x)[0]


def erf_inv(y):
    """By Newton's method; near one by the complement."""
    if abs(y) == 1:
        return mpfr("inf") * y
    if y == 0 or abs(y) > 1:
        return y if y == 0 else mpfr("nan")
    side, size = (1 if y > 0 else -1), abs(y)
    slope = 2 / gmpy2.sqrt(gmpy2.const_pi())
    if size < mpfr("1e-30"):
        return y / slope
    left = -gmpy2.log1p(-size * size)
    t = 2 / (gmpy2.const_pi() * mpfr("0.147")) - left / 2
    x = gmpy2.sqrt(gmpy2.sqrt(t * t + left / mpfr("0.147")) - t)
    for _ in range(9):
        error = gmpy2.erf(x) - size if size < 0.5 else (1 - size) - gmpy2.erfc(x)
        step = error / (slope * gmpy2.exp(-x * x))
        x -= step / (1 + x * step)
        if abs(step) < abs(x) * mpfr(2) ** -90:
            break
    return side * x


def logistic(x):
    return 1 / (1 + gmpy2.exp(-x))


REAL = {
    "abs": abs,
    "exp": gmpy2.exp,
    "expm1": gmpy2.expm1,
    "log": gmpy2.log,
    "log1p": gmpy2.log1p,
    "logistic": logistic,
    "tanh": gmpy2.tanh,
    "sinh": gmpy2.sinh,
    "cosh": gmpy2.cosh,
    "asinh": gmpy2.asinh,
    "acosh": gmpy2.acosh,
    "atanh": gmpy2.atanh,
    "sin": gmpy2.sin,
    "cos": gmpy2.cos,
    "tan": gmpy2.tan,
    "asin": gmpy2.asin,
    "acos": gmpy2.acos,
    "atan": gmpy2.atan,
    "atan2": gmpy2.atan2,
    "erf": gmpy2.erf,
    "erfc": gmpy2.erfc,
    "erf_inv": erf_inv,
    "cbrt": gmpy2.cbrt,
    "pow": lambda x, y: x**y,
    "rsqrt": lambda x: 1 / gmpy2.sqrt(x),
    "sqrt": gmpy2.sqrt,
    "lgamma": lgamma,
    "digamma": gmpy2.digamma,
    "bessel_i1e": by_mpmath(lambda x: mpmath.besseli(1, x) * mpmath.exp(-abs(x))),
    # It takes the difference of long sums.
    "zeta": by_mpmath(lambda x, q: with_digits(900, mpmath.zeta, x, q)),
    "polygamma": by_mpmath(lambda n, x: mpmath.polygamma(int(n), x)),
}


def expm1(z):
    return more(600, lambda z: gmpy2.exp(z) - 1, z)


def log1p(z):
    return more(2400, lambda z: gmpy2.log(1 + z), z)


def cbrt(z):
    return mpc(0) if z == 0 else gmpy2.exp(gmpy2.log(z) / 3)


def power(a, b):
    if b == 0:
        return mpc(1)
    return mpc(0) if a == 0 else more(100, lambda a, b: gmpy2.exp(b * gmpy2.log(a)), a, b)


def rsqrt(z):
    return more(100, lambda z: 1 / gmpy2.sqrt(z), z)


def quotient(a, b):
    """By parts that are exact until they are divided."""
    return more(6000, lambda a, b: mpc((a * gmpy2.mpc(b.real, -b.imag)) / (b.real * b.real + b.imag * b.imag)), a, b)


def complex_logistic(z):
    """Far from zero one or the exponential to more digits than there are: MPC would write out the sum."""
    if abs(z.real) > 4000:
        return mpc(1) if z.real > 0 else gmpy2.exp(z)
    return more(200, lambda z: 1 / (1 + gmpy2.exp(-z)), z)


COMPLEX = {
    "abs": lambda z: mpc(abs(z)),
    "sign": lambda z: z / abs(z),
    "divide": quotient,
    "multiply": lambda a, b: more(6000, lambda a, b: a * b, a, b),
    "exp": gmpy2.exp,
    "expm1": expm1,
    "log": lambda z: more(300, gmpy2.log, z),
    "log1p": log1p,
    "logistic": complex_logistic,
    "sqrt": gmpy2.sqrt,
    "rsqrt": rsqrt,
    "cbrt": cbrt,
    "pow": power,
    "sin": gmpy2.sin,
    "cos": gmpy2.cos,
    "tan": gmpy2.tan,
    "tanh": gmpy2.tanh,
    "sinh": gmpy2.sinh,
    "cosh": gmpy2.cosh,
    "asin": gmpy2.asin,
    "acos": gmpy2.acos,
    "atan": gmpy2.atan,
    "asinh": gmpy2.asinh,
    "acosh": gmpy2.acosh,
    "atanh": gmpy2.atanh,
}
