//! The error function and its complement.
//!
//! Up to 1 `erf(x) = x + x P(x^2)`. Above, `f32` takes `1 - R(x - 1)^4` with `R` close to the fourth
//! root of `erfc`; `f64` takes `erfc(x) = exp(-x^2) C(t) / (1 + 2 x)` with
//! `t = (x - 3) / (x + 3)`, whose `C` is smooth up to where `erfc` vanishes. `erfc` of `f32` is
//! `exp(-x^2) u G(u)` with `u = 1 / (x + 1)`, the factors as sums of two numbers where their rounding would show.

use super::{
    exp::{exp, exp_times},
    num::Num,
};

/// `P` for `f32`; relative error of `erf` 2^-29 at most, before rounding.
const SMALL32: &[f64] = &[
    0.12837916612625122,
    -0.3761262595653534,
    0.11283600330352783,
    -0.026854438707232475,
    0.005189523100852966,
    -0.0008020733366720378,
    7.888762775110081e-05,
];

/// `R` between 1 and 4, of `x - 1`; absolute error of `erf` 2^-26.5 at most, before rounding.
const TAIL32: &[f64] = &[
    0.629769504070282,
    -0.4154854118824005,
    0.0043242271058261395,
    0.05080987140536308,
    -0.0037284307181835175,
    -0.0054926201701164246,
    0.001328459708020091,
    2.171131745853927e-05,
    -2.4993927581817843e-05,
];

/// `G` for `x` between 0.8 and 10.2; relative error of `erfc` 2^-25 at most, before rounding.
const COMPLEMENT32: &[f64] = &[
    0.5641708374023438,
    0.5649183988571167,
    0.2705422341823578,
    -0.18631942570209503,
    -1.1371537446975708,
    0.7500234842300415,
    2.009941339492798,
    -3.2160091400146484,
    1.419553518295288,
];

/// `P` for `f64`; relative error of `erf` 2^-68 at most, before rounding.
const SMALL64: &[f64] = &[
    0.1283791670955126,
    -0.37612638903183754,
    0.1128379167095512,
    -0.026866170645129868,
    0.0052239776254236,
    -0.0008548327021955351,
    0.00012055332903783903,
    -1.4925647593676779e-05,
    1.6462045964455624e-06,
    -1.6364649334414337e-07,
    1.4792467667189156e-08,
    -1.216495698549176e-09,
    8.710425454498102e-11,
    -4.2330689851370294e-12,
];

/// `C` between 1 and 28; relative error of `erfc` 2^-58 at most, before rounding.
const COMPLEMENT64: &[f64] = &[
    1.2530080582697296,
    -0.1356211061245812,
    -0.04756229435345258,
    0.1296451587027622,
    -0.11927366341514739,
    0.0683080273438797,
    -0.023770514924121817,
    0.002529391820388533,
    0.001888690452221822,
    -0.0007798323742540842,
    -0.00010516067981580917,
    0.0001251006571080394,
    4.954193379681152e-06,
    -2.010995555337561e-05,
    -7.443031019953081e-07,
    3.5104312472295877e-06,
    3.64331974892034e-07,
    -6.965805861846114e-07,
    -1.0063688852935372e-07,
    1.6525920150906804e-07,
    -3.1012201001756225e-08,
];

/// `math.erf`.
pub fn erf(x: Num<'_>) -> Num<'_> {
    let magnitude = x.abs();
    let square = x * x;
    let (near, far) = if x.width() == 64 {
        let far = x.constant(1.0) - complement(magnitude.at_most(6.0));
        ((x * square.polynomial(SMALL64)) + x, far)
    } else {
        (square.polynomial(SMALL32).mul_add(x, x), far32(magnitude))
    };
    // NaN is not above 1.
    magnitude.gt(x.constant(1.0)).select(far.copysign(x), near)
}

/// `erf(x)` for `f32` above 1.
fn far32(x: Num<'_>) -> Num<'_> {
    let one = x.constant(1.0);
    // At 4 the rest is lost in rounding. Near 1, where it matters most, the first coefficient is almost all of the root, and the
    // others are rounded without consequence.
    let root = (x.at_most(4.0) - one).polynomial(TAIL32);
    let square = root * root;
    (-square).mul_add(square, one)
}

/// `math.erfc`.
pub fn erfc(x: Num<'_>) -> Num<'_> {
    if x.width() == 64 { erfc64(x) } else { erfc32(x) }
}

fn erfc32(x: Num<'_>) -> Num<'_> {
    let magnitude = x.abs();
    let one = x.constant(1.0);
    // Above 1/2 the first difference is exact.
    let near = (one - x) - x * (x * x).polynomial(SMALL32);
    // At the limit the exponential is zero without being rounded to it, which takes long.
    let far = complement32(magnitude.at_most(13.26));
    let far = x.lt(x.constant(0.0)).select(x.constant(2.0) - far, far);
    magnitude.lt(x.constant(0.8)).select(near, far)
}

/// `erfc(x)` for `x` between 0.8 and 13.26.
fn complement32(x: Num<'_>) -> Num<'_> {
    let one = x.constant(1.0);
    let sum = x + one;
    let lost = x - (sum - one);
    let u = one / sum;
    let (product, error) = sum.mul_exact(u);
    let left = (one - product) - error - lost * u;
    let u = u.mul_add(left, u);
    let rest = u * u.polynomial(&COMPLEMENT32[1..]);
    let first = x.constant(COMPLEMENT32[0]);
    let high = first + rest;
    let low = (first - high) + rest;
    let (factor, error) = u.mul_exact(high);
    let (half, other) = x.halves();
    // x^2 = half^2 + (x - half)(x + half), the first exact: the exponential magnifies its error.
    exp_times([-(half * half), -(other * (x + half))], [factor, u.mul_add(low, error)])
}

fn erfc64(x: Num<'_>) -> Num<'_> {
    let magnitude = x.abs();
    let one = x.constant(1.0);
    let square = x * x;
    let near = one - (x + x * square.polynomial(SMALL64));
    // Where erf is near 1/2 and above, 1 - erf would cancel.
    let half = x.constant(0.5);
    let middle = half - (x - half + x * square.polynomial(SMALL64));
    let near = x.gt(half).select(middle, near);
    let far = complement(magnitude.at_most(28.0));
    let far = x.lt(x.constant(0.0)).select(x.constant(2.0) - far, far);
    magnitude.lt(one).select(near, far)
}

/// `erfc(x)` for `x` between 1 and 28.
fn complement(x: Num<'_>) -> Num<'_> {
    let t = (x - 3.0) / (x + 3.0);
    let smooth = t.polynomial(COMPLEMENT64) / (x + x + 1.0);
    // x^2 = high^2 + (x - high)(x + high), the first exact: the exponential magnifies its error.
    let high = (x.bits() & x.bits().integer(!0x7ff_ffff)).as_float();
    let low = (x - high) * (x + high);
    let correction = low * low.polynomial(&[-1.0, 0.5, -1.0 / 6.0]);
    let power = exp(-(high * high));
    power.mul_add(correction, power) * smooth
}
