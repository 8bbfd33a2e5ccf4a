"""Arguments that a function might fail on."""

import math

import gmpy2
import numpy as np
from gmpy2 import mpfr

# Where formulas change, results overflow or vanish, and exact results are zero.
PLACES = {
    "exp": [709.782712893384, -745.1332191019411, -708.3964185322641, 88.72283905206835, -87.33654475055311, -103.2789],
    "expm1": [709.782712893384, 88.72283905206835, -37.4, -17.3, 0.34657359027997264],
    "sinh": [710.4758600739439, 709.782712893384, 89.41598629223294, 88.72283905206835, 52.0, 23.0, 0.34657359027997264],
    "cosh": [710.4758600739439, 709.782712893384, 89.41598629223294, 88.72283905206835, 52.0, 23.0],
    "tanh": [19.06, 20.0, 9.01, 10.0, 0.17328679513998632],
    "logistic": [-709.78, -745.1, -88.7, -103.3, 36.7, 16.6],
    "log": [1.0, math.sqrt(2.0), math.sqrt(0.5)],
    "log1p": [math.sqrt(2.0) - 1, math.sqrt(0.5) - 1, -1.0, 1.0],
    "acosh": [1.0, 268435456.0, 65536.0],
    "asinh": [268435456.0, 65536.0, 1.0],
    "atanh": [1.0],
    "asin": [1.0, 0.5, math.sqrt(0.5)],
    "acos": [1.0, 0.5, math.sqrt(0.5), 0.0],
    "atan": [1.0, 0.41421356237309503],
    "erf": [1.0, 4.0, 6.0],
    "erfc": [0.5, 0.8, 1.0, 3.0, 10.05, 13.044053842209864, 26.5, 27.2],
    "erf_inv": [1.0, 0.9999999925551909, 0.99983, 0.998, 0.9966],
    "lgamma": [1.0, 2.0, 0.5, 1.5, 2.5, 3.5, -2.4570247382208006, -2.7476826467274127, -3.1435808883499798, -0.5, -1.0, -2.0],
    "digamma": [1.4616321449683622, 1.0, 0.5, 2.0, -0.504083008264455, -1.573498473162390, -1.0],
    "bessel_i1e": [8.0, 30.0],
    "cbrt": [1.0, 8.0],
}


def near(rng, place, count):
    """Numbers around a place, from its neighbours to as far away as it is large."""
    size = abs(place) or 1.0
    return place + rng.choice([-1.0, 1.0], count) * size * 2.0 ** rng.uniform(-53, -1, count)


def multiples_of_quarter_turns(rng, count, largest):
    """Numbers next to multiples of pi/2, where sines and cosines are small."""
    ks = np.unique(np.floor(2.0 ** rng.uniform(0, math.log2(largest), count)))
    half = gmpy2.const_pi() / 2
    return np.array([float(mpfr(int(k)) * half) for k in ks])


def real(name, ty, count, seed=0):
    """About `count` arguments of a function of one number, in `f64`, not yet rounded to the type."""
    rng = np.random.default_rng(seed)
    top, bottom = (1024, -1074) if ty == "f64" else (128, -149)
    sign = rng.choice([-1.0, 1.0], count)
    part = count // 4
    sets = [
        sign[:part] * 2.0 ** rng.uniform(bottom, top, part),
        rng.uniform(-2, 2, part),
        rng.uniform(-40, 40, part),
        sign[:part] * 2.0 ** rng.uniform(-30, 12, part),
    ]
    for place in PLACES.get(name, []):
        for side in (place, -place):
            sets.append(near(rng, side, max(200, count // 50)))
    if name in ("sin", "cos", "tan"):
        sets.append(multiples_of_quarter_turns(rng, part, 2.0 ** min(top - 1, 1000)))
        sets.append(multiples_of_quarter_turns(rng, part, 2.0**24))
    if name in ("exp", "expm1", "sinh", "cosh", "logistic"):
        edge = 745.0 if ty == "f64" else 104.0
        sets.append(rng.uniform(-edge, edge, part))
    if name in ("erf_inv", "asin", "acos", "atanh"):
        sets.append(sign[:part] * (1 - 2.0 ** rng.uniform(-53, 0, part)))
    if name == "lgamma":
        sets.append(rng.uniform(-10, 10, part))
    return np.concatenate(sets)


def pairs(name, ty, count, seed=0):
    """Arguments of a function of two numbers."""
    rng = np.random.default_rng(seed)
    top, bottom = (1024, -1074) if ty == "f64" else (128, -149)
    if name == "atan2":
        sign = rng.choice([-1.0, 1.0], (2, count))
        wide = sign * 2.0 ** rng.uniform(bottom / 2, top / 2, (2, count))
        close = sign * 2.0 ** rng.uniform(-3, 3, (2, count))
        return [np.concatenate([wide[i], close[i]]) for i in range(2)]
    if name == "zeta":
        x = np.concatenate([rng.uniform(1.0001, 30, count), 1 + 2.0 ** rng.uniform(-30, 9, count)])
        q = np.concatenate([2.0 ** rng.uniform(-12, 8, count), 2.0 ** rng.uniform(-1, 9, count)])
        # Found by others.
        return [np.append(x, 1.000011708628834), np.append(q, 0.001710240696975284)]
    if name == "polygamma":
        order, x = rng.integers(1, 60, 2 * count).astype(float), 2.0 ** rng.uniform(-4, 10, 2 * count)
        return [np.append(order, 43.0), np.append(x, 829.8)]
    # Powers: results of all sizes, most of them near the ends; bases near one, near the square root of two and anywhere.
    bases = np.concatenate([
        2.0 ** rng.uniform(-0.6, 0.6, count),
        1 + rng.choice([-1.0, 1.0], count) * 2.0 ** rng.uniform(-30, -1, count),
        near(rng, math.sqrt(2.0), count),
        near(rng, math.sqrt(0.5), count),
        2.0 ** rng.uniform(bottom, top, count),
        np.abs(rng.standard_normal(count)),
    ])
    bases = np.abs(bases)
    bits = np.concatenate([rng.uniform(bottom, top, 3 * count), rng.choice([-1.0, 1.0], 3 * count) * rng.uniform(0.9, 1, 3 * count) * top])
    rng.shuffle(bits)
    with np.errstate(all="ignore"):
        return [bases, bits / np.log2(bases)]


def complex_numbers(ty, count, seed=0):
    """Complex arguments: of all sizes, moderate ones, near the axes, near the unit circle and the one around -1."""
    rng = np.random.default_rng(seed)
    span = 300 if ty == "complex<f64>" else 60
    sign = lambda: rng.choice([-1.0, 1.0], count)  # noqa: E731
    sets = [
        np.stack([sign() * 2.0 ** rng.uniform(-span, span, count), sign() * 2.0 ** rng.uniform(-span, span, count)], 1),
        np.stack([sign() * 2.0 ** rng.uniform(-30, 26, count), sign() * 2.0 ** rng.uniform(-30, 26, count)], 1),
        rng.uniform(-4, 4, (count, 2)),
    ]
    for centre in (0.0, -1.0, 1.0):
        angle = rng.uniform(-math.pi, math.pi, count)
        length = 1 + sign() * 2.0 ** rng.uniform(-60, -1, count)
        sets.append(np.stack([centre + length * np.cos(angle), length * np.sin(angle)], 1))
    tiny = 2.0 ** rng.uniform(-60, -1, count)
    sets.append(np.stack([sign() * tiny, rng.uniform(-4, 4, count)], 1))
    sets.append(np.stack([rng.uniform(-4, 4, count), sign() * tiny], 1))
    sets.append(np.stack([sign() * rng.uniform(0, 700, count), rng.uniform(-10, 10, count)], 1))
    # Found by others, for log1p and expm1.
    sets.append(np.array([[-0.34706086222885285, -0.08938990817614734], [1.00000001767465, 2.1969331438570917e-07]]))
    return np.concatenate(sets)


def rounded(values, ty):
    """Numbers of the type, in its layout in memory; those that are none are left out by the caller."""
    with np.errstate(all="ignore"):
        if ty.endswith("f64>") or ty == "f64":
            return values.astype(np.float64)
        return values.astype(np.float32)


def moved(values, rng, ty):
    """Neighbours, near and less near."""
    digits = 53 if "64" in ty else 24
    with np.errstate(all="ignore"):
        return values * (1 + rng.choice([-1.0, 1.0], values.shape) * 2.0 ** rng.uniform(-digits, -3, values.shape))
