#!/usr/bin/env python3
"""Compare functions of jax.numpy, jax.scipy, jax.numpy.linalg, jax.numpy.fft and jax.random on Strata's PJRT plugin with XLA's CPU, on random arrays of 64 and 32 bits.

    python3 -m venv venv && venv/bin/pip install jax==0.10.2 scipy . ./python/jax-plugin-strata
    venv/bin/python scripts/jax_functions.py [--seed 0] [--part 1/4] [NAME…]

Integers and types must be the same; floats within the tolerance of their type, as parts of the largest element. What XLA's CPU refuses is left out. `--part K/N`
takes every N-th case from the K-th one. The exit code is 1 if one differs, or if Strata refuses it.
"""

import argparse
import os
import sys
import warnings

os.environ["JAX_ENABLE_X64"] = "1"
os.environ["JAX_PLATFORMS"] = "strata,cpu"
warnings.simplefilter("ignore")

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np

FLOATS, INTEGERS = ("float64", "float32", "complex128"), ("int64", "int32", "uint64", "uint8")
TOLERANCES = {"float64": 1e-11, "complex128": 1e-11, "float32": 2e-5, "complex64": 2e-5}
UNARY = """sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh exp expm1 exp2 log log1p log2 log10 sqrt cbrt square reciprocal abs sign rint floor ceil
    trunc conj angle real imag nan_to_num sinc i0 deg2rad isnan isinf isfinite signbit negative positive""".split()
OF_INTEGERS = "abs sign square negative invert bitwise_count cumsum cumprod sort argsort max min sum prod mean std var any all argmax argmin diff median ptp".split()
BINARY = """add subtract multiply divide power floor_divide remainder fmod arctan2 hypot logaddexp logaddexp2 maximum minimum nextafter copysign heaviside float_power equal less
    greater_equal logical_and divmod""".split()
BITS = "bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm".split()
REDUCTIONS = "sum prod mean std var max min argmax argmin cumsum cumprod sort argsort median nanmean nansum nanmax trapezoid gradient diff ptp".split()
LINALG = {
    **{name: getattr(jnp.linalg, name) for name in ("det", "inv", "slogdet", "eigvalsh", "cholesky", "pinv", "matrix_rank", "norm")},
    # The order of eigenvalues is not fixed.
    "eigvals": lambda x: jnp.sort(jnp.linalg.eigvals(x)),
    "eigh": lambda x: jnp.linalg.eigh(x)[0],
    "svd": lambda x: jnp.linalg.svd(x)[1],
    "qr": lambda x: jnp.abs(jnp.linalg.qr(x)[1]),
    "lu": lambda x: jsp.linalg.lu(x)[2],
    "expm": lambda x: jsp.linalg.expm(x / 10),
    "solve": lambda x: jnp.linalg.solve(x, x[0]),
    "lstsq": lambda x: jnp.linalg.lstsq(x, x[0])[0],
}
SPECIAL = {
    **{name: getattr(jsp.special, name) for name in "digamma gammaln erf erfc ndtr log_ndtr i0 i0e i1 i1e expit entr exp1 expi spence".split()},
    "erfinv": lambda x, u: jsp.special.erfinv(u),
    "ndtri": lambda x, u: jsp.special.ndtri(u),
    "logit": lambda x, u: jsp.special.logit(u),
    "xlogy": lambda x, u: jsp.special.xlogy(x, u),
    "zeta": lambda x, u: jsp.special.zeta(x + 1, u),
    "polygamma": lambda x, u: jsp.special.polygamma(2, x),
    "gammainc": lambda x, u: jsp.special.gammainc(x, x[::-1]),
    "gammaincc": lambda x, u: jsp.special.gammaincc(x, x[::-1]),
    "betainc": lambda x, u: jsp.special.betainc(x, x, u),
    "betaln": lambda x, u: jsp.special.betaln(x, u),
    "hyp1f1": lambda x, u: jsp.special.hyp1f1(x, x, u),
    "bessel_jn": lambda x, u: jsp.special.bessel_jn(u, v=3),
    "logsumexp": lambda x, u: jsp.special.logsumexp(x, axis=1),
}
RANDOM = {
    **{name: lambda key, name=name: getattr(jax.random, name)(key, (50,)) for name in "normal uniform exponential laplace gumbel cauchy rademacher bits".split()},
    "gamma": lambda key: jax.random.gamma(key, 2.5, (50,)),
    "beta": lambda key: jax.random.beta(key, 0.5, 2.0, (50,)),
    "t": lambda key: jax.random.t(key, 3.0, (50,)),
    "poisson": lambda key: jax.random.poisson(key, 4.0, (50,)),
    "bernoulli": lambda key: jax.random.bernoulli(key, 0.3, (50,)),
    "binomial": lambda key: jax.random.binomial(key, 10, 0.3, (50,)),
    "geometric": lambda key: jax.random.geometric(key, 0.3, (50,)),
    "randint": lambda key: jax.random.randint(key, (50,), -5, 1 << 40),
    "permutation": lambda key: jax.random.permutation(key, 50),
    "choice": lambda key: jax.random.choice(key, 20, (7,), replace=False),
    "categorical": lambda key: jax.random.categorical(key, jnp.arange(6.0)),
    "dirichlet": lambda key: jax.random.dirichlet(key, jnp.ones(5)),
    "truncated_normal": lambda key: jax.random.truncated_normal(key, -1, 2, (50,)),
    "orthogonal": lambda key: jax.random.orthogonal(key, 4),
}


class Arrays:
    """Random arrays of a type."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def any(self, shape, dtype):
        if np.issubdtype(dtype, np.integer):
            return self.random.integers(0 if dtype[0] == "u" else -100, 100, shape).astype(dtype)
        x = 3 * self.random.standard_normal(shape)
        return (x + 1j * self.random.standard_normal(shape) if dtype.startswith("complex") else x).astype(dtype)

    def positive(self, shape, dtype):
        x = self.any(shape, dtype)
        return x % 7 + (x % 7 == 0) if np.issubdtype(dtype, np.integer) else (np.abs(x) + 0.1).astype(dtype)

    def definite(self, n, dtype):
        x = self.any((n, n), dtype)
        return x @ x.conj().T + n * np.eye(n, dtype=dtype)


def cases(arrays):
    """Name, type, function and arguments of each."""
    of_numpy = [(name, name, dtype, [arrays.any((7, 5), dtype)]) for name in UNARY for dtype in FLOATS]
    of_numpy += [(name, name, dtype, [arrays.any((6, 9), dtype)]) for name in OF_INTEGERS for dtype in INTEGERS]
    of_numpy += [(f"{name} of all", name, dtype, [arrays.any((6, 9), dtype)]) for name in REDUCTIONS for dtype in FLOATS]
    pairs = [(name, dtype) for name in BINARY for dtype in FLOATS + INTEGERS] + [(name, dtype) for name in BITS for dtype in INTEGERS]
    of_numpy += [(name, name, dtype, [arrays.any((3, 4), dtype), arrays.positive((3, 4), dtype)]) for name, dtype in pairs]
    for title, name, dtype, arguments in of_numpy:
        yield title, dtype, getattr(jnp, name), arguments
    for name, function in LINALG.items():
        for dtype in FLOATS:
            yield name, dtype, function, [arrays.definite(5, dtype)]
    for name in "fft ifft fft2 fftn rfft irfft hfft ihfft".split():
        for dtype in ("float64", "float32") if name in ("rfft", "ihfft") else ("complex128", "complex64"):
            yield name, dtype, getattr(jnp.fft, name), [arrays.any((6, 15), dtype)]
    for name, function in SPECIAL.items():
        for dtype in ("float64", "float32"):
            x = arrays.positive((4, 6), dtype)
            arguments = [x, (x / (x.max() + 1)).astype(dtype)]
            yield name, dtype, function, arguments if function.__name__ == "<lambda>" else arguments[:1]
    key = arrays.random.integers(0, 1 << 32, 2, np.uint32)
    for name, function in RANDOM.items():
        impl = "threefry2x32"
        yield name, "keys", lambda key, function=function: function(jax.random.wrap_key_data(key, impl=impl)), [key]


def computed(device, function, arguments):
    """The arrays, or the error."""
    try:
        with jax.default_device(device):
            results = jax.jit(function)(*(jax.device_put(one, device) for one in arguments))
        return [np.asarray(one) for one in jax.tree.leaves(results)]
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:300]}"


def difference(wanted, found):
    """What is wrong with an array, or None."""
    if (wanted.dtype, wanted.shape) != (found.dtype, found.shape):
        return f"{found.dtype}{found.shape} instead of {wanted.dtype}{wanted.shape}"
    same = (wanted == found) | ((wanted != wanted) & (found != found))
    tolerance = TOLERANCES.get(str(wanted.dtype))
    if tolerance:
        finite = np.abs(wanted[np.isfinite(wanted)])
        with np.errstate(invalid="ignore"):
            same |= np.abs(wanted - found) <= tolerance * (np.abs(wanted) + finite.max(initial=0) / 10)
    if np.all(same):
        return None
    at = tuple(np.argwhere(~same)[0])
    return f"{(~same).sum()} of {same.size} elements differ, at {tuple(map(int, at))} {found[at]} from {wanted[at]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="functions, all without one")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--part", default="1/1", help="K/N: every N-th case from the K-th one")
    args = parser.parse_args()
    first, step = map(int, args.part.split("/"))
    count, bad = 0, 0
    for name, dtype, function, arguments in list(cases(Arrays(args.seed)))[first - 1 :: step]:
        if args.names and name not in args.names:
            continue
        wanted, found = (computed(jax.devices(platform)[0], function, arguments) for platform in ("cpu", "strata"))
        if isinstance(wanted, str):
            continue
        count += 1
        wrong = found if isinstance(found, str) else next(filter(None, map(difference, wanted, found)), None)
        if wrong:
            bad += 1
            print(f"{name} of {dtype}: {wrong}", flush=True)
    print(f"{count} functions, {bad} differ")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
