//! `complex`: pairs of floats.

use strata_eval::FloatType;
use strata_ir::{AttributeExt as _, Op};

use super::{
    arith::scalar,
    elementwise::{binary, unary},
    unknown,
};
use crate::{
    element::{Bits, Elem, number, parts, rounded},
    prepare::{Prepared, Preparer, elem, unsupported},
    value::Value,
};

pub(crate) fn prepare<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let name = op.name().mnemonic();
    match name {
        "constant" => return constant(p, op),
        "create" => return binary(p, op, Box::new(|re, im| Ok(re | im << 64))),
        _ => {}
    }
    let Elem::Complex(ty) = elem(op.operand(0).ty())? else { return unknown() };
    match name {
        "re" => unary(p, op, Box::new(|x| Ok(parts(x).0))),
        "im" => unary(p, op, Box::new(|x| Ok(parts(x).1))),
        "neg" => on_parts(p, op, ty, |re, im| (-re, -im)),
        "conj" => on_parts(p, op, ty, |re, im| (re, -im)),
        "abs" => unary(
            p,
            op,
            Box::new(move |x| {
                let (re, im) = pair(ty, x);
                Ok(rounded(ty, libm::hypot(re, im)))
            }),
        ),
        "eq" => binary(p, op, Box::new(move |x, y| Ok(Bits::from(pair(ty, x) == pair(ty, y))))),
        "neq" => binary(p, op, Box::new(move |x, y| Ok(Bits::from(pair(ty, x) != pair(ty, y))))),
        "add" | "sub" | "mul" | "div" => arithmetic(p, op, name, ty),
        _ => unknown(),
    }
}

fn arithmetic<'c>(p: &mut Preparer<'c>, op: Op<'c>, name: &str, ty: FloatType) -> Prepared {
    let f = match name {
        "add" => |_: FloatType, (a, b): (f64, f64), (c, d): (f64, f64)| (a + c, b + d),
        "sub" => |_: FloatType, (a, b): (f64, f64), (c, d): (f64, f64)| (a - c, b - d),
        "mul" => product,
        _ => quotient,
    };
    binary(
        p,
        op,
        Box::new(move |x, y| {
            let (re, im) = f(ty, pair(ty, x), pair(ty, y));
            Ok(rounded(ty, re) | rounded(ty, im) << 64)
        }),
    )
}

/// Each product and sum rounds to the type of the parts, as the four products that it stands for do.
fn product(ty: FloatType, (a, b): (f64, f64), (c, d): (f64, f64)) -> (f64, f64) {
    let round = |value| ty.round(value);
    (round(round(a * c) - round(b * d)), round(round(a * d) + round(b * c)))
}

/// Smith's algorithm: divides by the larger part of the divisor first, so that no intermediate result overflows. If that
/// gives NaN although there is a quotient, zeros and infinities of the operands decide, as in C.
fn quotient(ty: FloatType, x: (f64, f64), y: (f64, f64)) -> (f64, f64) {
    let ((a, b), (c, d)) = (x, y);
    let round = |value| ty.round(value);
    let (re, im) = if c.abs() >= d.abs() {
        let ratio = d / c;
        let scale = c + d * ratio;
        (round((a + b * ratio) / scale), round((b - a * ratio) / scale))
    } else {
        let ratio = c / d;
        let scale = c * ratio + d;
        (round((a * ratio + b) / scale), round((b * ratio - a) / scale))
    };
    if re.is_nan() && im.is_nan() { special_quotient(x, y).unwrap_or((re, im)) } else { (re, im) }
}

/// The quotient with a zero divisor, an infinite dividend or an infinite divisor.
fn special_quotient((a, b): (f64, f64), (c, d): (f64, f64)) -> Option<(f64, f64)> {
    let is_infinite = |x: f64, y: f64| x.is_infinite() || y.is_infinite();
    let is_finite = |x: f64, y: f64| x.is_finite() && y.is_finite();
    // An infinity as 1, everything else as 0, with its sign.
    let unit = |x: f64| if x.is_infinite() { 1.0_f64 } else { 0.0 }.copysign(x);
    if c == 0.0 && d == 0.0 && !(a.is_nan() && b.is_nan()) {
        let infinity = f64::INFINITY.copysign(c);
        return Some((infinity * a, infinity * b));
    }
    if is_infinite(a, b) && is_finite(c, d) {
        let (a, b) = (unit(a), unit(b));
        return Some((f64::INFINITY * (a * c + b * d), f64::INFINITY * (b * c - a * d)));
    }
    if is_finite(a, b) && is_infinite(c, d) {
        let (c, d) = (unit(c), unit(d));
        return Some((0.0 * (a * c + b * d), 0.0 * (b * c - a * d)));
    }
    None
}

fn pair(ty: FloatType, bits: Bits) -> (f64, f64) {
    let (re, im) = parts(bits);
    (number(ty, re), number(ty, im))
}

fn on_parts<'c>(
    p: &mut Preparer<'c>,
    op: Op<'c>,
    ty: FloatType,
    f: fn(f64, f64) -> (f64, f64),
) -> Prepared {
    unary(
        p,
        op,
        Box::new(move |x| {
            let (re, im) = pair(ty, x);
            let (re, im) = f(re, im);
            Ok(rounded(ty, re) | rounded(ty, im) << 64)
        }),
    )
}

fn constant<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let Elem::Complex(ty) = elem(op.result(0).ty())? else { return unknown() };
    let numbers = op.attr("value").and_then(|value| value.as_array()).unwrap_or_default();
    let [re, im] = numbers[..] else { return unsupported("its value is not a pair") };
    let part = Elem::Float(ty);
    let bits = scalar(re, part)? | scalar(im, part)? << 64;
    let result = p.result(op);
    Ok(Box::new(move |machine| {
        machine.set(result, Value::Scalar(bits));
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_quotients() {
        let ty = FloatType::F64;
        assert_eq!(product(ty, (1.0, 2.0), (3.0, -4.0)), (11.0, 2.0));
        assert_eq!(quotient(ty, (11.0, 2.0), (3.0, -4.0)), (1.0, 2.0));
        assert_eq!(quotient(ty, (1e300, 1e300), (1e300, 1e300)), (1.0, 0.0));
        assert_eq!(quotient(ty, (4.0, 2.0), (0.0, 2.0)), (1.0, -2.0));
        assert_eq!(quotient(ty, (4.0, 2.0), (f64::INFINITY, f64::INFINITY)), (0.0, 0.0));
        assert_eq!(quotient(ty, (f64::INFINITY, 1.0), (2.0, 1.0)), (f64::INFINITY, -f64::INFINITY));
        let (re, im) = quotient(ty, (1.0, 0.0), (0.0, 0.0));
        assert!(re == f64::INFINITY && im.is_nan());
    }
}
