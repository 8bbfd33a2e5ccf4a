//! The inverse of the error function, by Giles' polynomials in the logarithm of `1 - x^2`.

use crate::{Arithmetic, Function, Relation};

#[rustfmt::skip]
const F32_CENTRE: &[f64] = &[
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
    -0.00417768164, 0.246640727, 1.50140941,
];
#[rustfmt::skip]
const F32_TAIL: &[f64] = &[
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
    0.00943887047, 1.00167406, 2.83297682,
];
#[rustfmt::skip]
const F64_CENTRE: &[f64] = &[
    -3.64441206401782e-21, -1.6850591381820166e-19, 1.28584807152564e-18,
    1.1157877678025181e-17, -1.333171662854621e-16, 2.0972767875968562e-17,
    6.637638134358324e-15, -4.054566272975207e-14, -8.151934197605472e-14,
    2.6335093153082323e-12, -1.2975133253453532e-11, -5.415412054294628e-11,
    1.0512122733215323e-09, -4.112633980346984e-09, -2.9070369957882005e-08,
    4.2347877827932404e-07, -1.3654692000834679e-06, -1.3882523362786469e-05,
    0.00018673420803405714, -0.000740702534166267, -0.006033670871430149,
    0.24015818242558962, 1.6536545626831027,
];
#[rustfmt::skip]
const F64_SIDE: &[f64] = &[
    2.2137376921775787e-09, 9.075656193888539e-08, -2.7517406297064545e-07,
    1.8239629214389228e-08, 1.5027403968909828e-06, -4.013867526981546e-06,
    2.9234449089955446e-06, 1.2475304481671779e-05, -4.7318229009055734e-05,
    6.828485145957318e-05, 2.4031110387097894e-05, -0.0003550375203628475,
    0.0009532893797373805, -0.0016882755560235047, 0.002491442096107851,
    -0.003751208507569241, 0.005370914553590064, 1.0052589676941592,
    3.0838856104922208,
];
#[rustfmt::skip]
const F64_TAIL: &[f64] = &[
    -2.7109920616438573e-11, -2.555641816996525e-10, 1.5076572693500548e-09,
    -3.789465440126737e-09, 7.61570120807834e-09, -1.496002662714924e-08,
    2.914795345090108e-08, -6.771199775845234e-08, 2.2900482228026655e-07,
    -9.9298272942317e-07, 4.526062597223154e-06, -1.968177810553167e-05,
    7.599527703001776e-05, -0.00021503011930044477, -0.00013871931833623122,
    1.0103004648645344, 4.849906401408584,
];

/// The inverse of the error function; infinite at 1 and -1, NaN beyond.
///
/// # Errors
/// What the arithmetic cannot do.
pub fn erf_inv<A: Arithmetic>(r: &A, x: A::Value) -> Result<A::Value, A::Error> {
    let square = r.mul(x, x);
    let negated = r.apply(Function::Negate, square);
    let logarithm = r.apply(Function::Log1p, negated);
    let w = r.apply(Function::Negate, logarithm);
    let root = r.apply(Function::Sqrt, w);
    let from = |value, start| r.sub(value, r.number(start));
    let factor = if r.is_double() {
        let centre = r.polynomial(from(w, 3.125), F64_CENTRE);
        let side = r.polynomial(from(root, 3.25), F64_SIDE);
        let tail = r.polynomial(from(root, 5.0), F64_TAIL);
        let outer = r.select(r.less(w, 16.0)?, side, tail);
        r.select(r.less(w, 6.25)?, centre, outer)
    } else {
        let centre = r.polynomial(from(w, 2.5), F32_CENTRE);
        let tail = r.polynomial(from(root, 3.0), F32_TAIL);
        r.select(r.less(w, 5.0)?, centre, tail)
    };
    let size = r.apply(Function::Abs, x);
    let at_end = r.holds(size, Relation::Equal, r.number(1.0))?;
    let infinite = r.mul(x, r.number(f64::INFINITY));
    Ok(r.select(at_end, infinite, r.mul(factor, x)))
}
