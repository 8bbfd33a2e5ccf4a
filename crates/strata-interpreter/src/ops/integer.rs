//! Integers: they wrap around, and what has no result is an error or poison.

use super::elementwise::Binary;
use crate::{
    element::{Bits, Elem},
    fault::{Fault, Run},
    prepare::{Unsupported, unsupported},
};

/// The operation `arith.<name>` on integers.
pub(crate) fn binary(name: &str, ty: Elem) -> Option<Binary> {
    if !matches!(ty, Elem::Int(_) | Elem::Index) {
        return None;
    }
    let mask = ty.mask();
    let signed = move |a: Bits| ty.signed(a);
    Some(match name {
        "addi" => Box::new(move |a, b| Ok(a.wrapping_add(b) & mask)),
        "subi" => Box::new(move |a, b| Ok(a.wrapping_sub(b) & mask)),
        "muli" => Box::new(move |a, b| Ok(a.wrapping_mul(b) & mask)),
        "andi" => Box::new(|a, b| Ok(a & b)),
        "ori" => Box::new(|a, b| Ok(a | b)),
        "xori" => Box::new(|a, b| Ok(a ^ b)),
        "minsi" => Box::new(move |a, b| Ok(if signed(a) <= signed(b) { a } else { b })),
        "maxsi" => Box::new(move |a, b| Ok(if signed(a) >= signed(b) { a } else { b })),
        "minui" => Box::new(|a, b| Ok(a.min(b))),
        "maxui" => Box::new(|a, b| Ok(a.max(b))),
        "shli" | "shrui" | "shrsi" => shift(name, ty),
        "divui" => division(ty, |a, b| a / b),
        "remui" => division(ty, |a, b| a % b),
        "ceildivui" => division(ty, |a, b| a / b + u128::from(!a.is_multiple_of(b))),
        "divsi" => signed_division(ty, |a, b| a / b),
        "remsi" => signed_division(ty, |a, b| a % b),
        "floordivsi" => {
            signed_division(ty, |a, b| a / b - i128::from(a % b != 0 && (a < 0) != (b < 0)))
        }
        "ceildivsi" => {
            signed_division(ty, |a, b| a / b + i128::from(a % b != 0 && (a < 0) == (b < 0)))
        }
        _ => return None,
    })
}

/// A shift by as many bits as there are, or more, gives poison.
fn shift(name: &str, ty: Elem) -> Binary {
    let bits = Bits::from(ty.bits());
    let (is_left, is_signed) = (name == "shli", name == "shrsi");
    Box::new(move |a, b| {
        Ok(match b {
            b if b >= bits => ty.poison(),
            b if is_left => a << b & ty.mask(),
            b if is_signed => ty.wrap(i128::from(ty.signed(a) >> b)),
            b => a >> b,
        })
    })
}

fn division(_: Elem, f: fn(Bits, Bits) -> Bits) -> Binary {
    Box::new(move |a, b| if b == 0 { Err(by_zero(a as i128)) } else { Ok(f(a, b)) })
}

fn signed_division(ty: Elem, f: fn(i128, i128) -> i128) -> Binary {
    Box::new(move |a, b| -> Run<Bits> {
        let (a, b) = (i128::from(ty.signed(a)), i128::from(ty.signed(b)));
        if b == 0 {
            return Err(by_zero(a));
        }
        let quotient = a / b;
        if b == -1 && i128::from(ty.signed(ty.wrap(quotient))) != quotient {
            return Err(Fault::undefined(format!("{a} is divided by -1, which overflows")));
        }
        Ok(ty.wrap(f(a, b)))
    })
}

fn by_zero(a: i128) -> Fault {
    Fault::undefined(format!("{a} is divided by zero"))
}

/// The comparison with the number of an `arith.cmpi` predicate.
pub(crate) fn compare(predicate: i64, ty: Elem) -> Result<Binary, Unsupported> {
    let signed = move |a: Bits| ty.signed(a);
    let truth = |value: bool| -> Run<Bits> { Ok(Bits::from(value)) };
    Ok(match predicate {
        0 => Box::new(move |a, b| truth(a == b)),
        1 => Box::new(move |a, b| truth(a != b)),
        2 => Box::new(move |a, b| truth(signed(a) < signed(b))),
        3 => Box::new(move |a, b| truth(signed(a) <= signed(b))),
        4 => Box::new(move |a, b| truth(signed(a) > signed(b))),
        5 => Box::new(move |a, b| truth(signed(a) >= signed(b))),
        6 => Box::new(move |a, b| truth(a < b)),
        7 => Box::new(move |a, b| truth(a <= b)),
        8 => Box::new(move |a, b| truth(a > b)),
        9 => Box::new(move |a, b| truth(a >= b)),
        _ => return unsupported(format!("no comparison has the number {predicate}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(name: &str, bits: u32, a: i64, b: i64) -> Result<i64, String> {
        let ty = Elem::Int(bits);
        let f = binary(name, ty).expect("a known operation");
        f(ty.wrap(a.into()), ty.wrap(b.into()))
            .map(|bits| ty.signed(bits))
            .map_err(|fault| fault.reason)
    }

    #[test]
    fn integers_wrap_and_divide() {
        assert_eq!(apply("addi", 8, 127, 1), Ok(-128));
        assert_eq!(apply("subi", 32, i32::MIN.into(), 1), Ok(i32::MAX.into()));
        assert_eq!(apply("muli", 64, i64::MAX, 3), Ok(i64::MAX - 2));
        assert_eq!(apply("divsi", 32, -7, 2), Ok(-3));
        assert_eq!(apply("remsi", 32, -7, 2), Ok(-1));
        assert_eq!(apply("floordivsi", 32, -7, 2), Ok(-4));
        assert_eq!(apply("floordivsi", 32, 7, 2), Ok(3));
        assert_eq!(apply("ceildivsi", 32, 7, 2), Ok(4));
        assert_eq!(apply("ceildivsi", 32, -7, 2), Ok(-3));
        assert_eq!(apply("divui", 8, -1, 2), Ok(127));
        assert!(apply("remui", 8, 1, 0).is_err());
        assert!(apply("divsi", 8, -128, -1).is_err());
    }

    #[test]
    fn order_and_shifts_know_their_sign() {
        assert_eq!(apply("minsi", 16, -1, 1), Ok(-1));
        assert_eq!(apply("minui", 16, -1, 1), Ok(1));
        assert_eq!(apply("shrsi", 8, -128, 3), Ok(-16));
        assert_eq!(apply("shrui", 8, -128, 3), Ok(16));
        assert_eq!(apply("shli", 8, 1, 7), Ok(-128));
        assert_eq!(apply("shli", 8, 1, 8), Ok(Elem::Int(8).signed(Elem::Int(8).poison())));
        let less = compare(2, Elem::Int(8)).ok().expect("slt");
        assert_eq!(less(0xFF, 0).expect("no error"), 1);
        let below = compare(6, Elem::Int(8)).ok().expect("ult");
        assert_eq!(below(0xFF, 0).expect("no error"), 0);
    }
}
