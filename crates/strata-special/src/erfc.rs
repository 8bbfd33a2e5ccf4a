//! One minus the error function.

use crate::{Arithmetic, Function, Relation};

/// Chebyshev coefficients of `(1 + 2x) exp(x²) erfc(x)` for `x >= 0` in `(x - 3.75) / (x + 3.75)`; the variable is that of
/// Shepherd and Laframboise ("Chebyshev approximation of (1 + 2x) exp(x²) erfc x", 1981).
#[rustfmt::skip]
const SCALED: &[f64] = &[
    1.1775789345674017, -0.004590054580646478, -0.08424913336651792, 0.05920993999819189,
    -0.026658668435305753, 0.009074997670705265, -0.002413163540417608, 0.0004907758365258086,
    -6.916973302501207e-05, 4.13902798607301e-06, 7.74038306619849e-07, -2.1886401049234397e-07,
    1.076499946567091e-08, 4.521959811218287e-09, -7.754400208831351e-10, -6.318088340886684e-11,
    2.86879501093067e-11, 1.9455868545777347e-13, -9.65469674843344e-13, 3.25254814814874e-14,
    3.3478119482868056e-14, -1.864562880419313e-15, -1.2507950530688648e-15, 7.418235256624044e-17,
    5.068148904796111e-17, -2.2370566594359995e-18, -2.187342944303018e-18,
];

/// One minus the error function, without cancellation.
///
/// # Errors
/// What the arithmetic cannot do.
pub fn erfc<A: Arithmetic>(r: &A, x: A::Value) -> Result<A::Value, A::Error> {
    let size = r.apply(Function::Abs, x);
    // Beyond 30 nothing is left but zero; infinity would have no place in the series.
    let is_far = r.holds(size, Relation::Greater, r.number(30.0))?;
    let size = r.select(is_far, r.number(30.0), size);
    let (below, above) = (r.sub(size, r.number(3.75)), r.add(size, r.number(3.75)));
    let scaled = r.chebyshev(r.div(below, above), SCALED);
    // exp(-x²) in two factors: the square of a number with few digits is exact.
    let sixteenths = r.apply(Function::Floor, r.mul(size, r.number(16.0)));
    let near = r.mul(sixteenths, r.number(0.0625));
    let rest = r.mul(r.sub(size, near), r.add(size, near));
    let decay = |exponent| r.apply(Function::Exp, r.apply(Function::Negate, exponent));
    let decays = r.mul(decay(r.mul(near, near)), decay(rest));
    let scale = r.add(r.number(1.0), r.add(size, size));
    let value = r.mul(decays, r.div(scaled, scale));
    let is_negative = r.less(x, 0.0)?;
    Ok(r.select(is_negative, r.sub(r.number(2.0), value), value))
}
