//! Floating-point numbers of 4, 6 and 8 bits: from their bits to `f32`, and from `f32` or `f64` to the
//! nearest one's bits, ties to even. A value is stored in the lower bits of an `i8`, the rest zero.
//!
//! ```text
//! f8E4M3FN   s eeee mmm      bits -> f32: exponent and mantissa moved into place, the bias corrected
//! ```
//!
//! A subnormal number has no hidden one. It gets one that is then subtracted, in `f32`, which is exact.
//! The inverse adds a number whose last place is the format's smallest: the addition rounds. Overflow
//! gives infinity if the format has it, else NaN, else the largest number.

use strata_ir::{Builder, ElementType, Type, Value, arith, f32_type, f64_type, integer, math};
use strata_rewrite::Outcome;

/// The encodings that are not finite numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    /// Infinities and NaNs share the largest exponent, as in IEEE 754.
    Ieee,
    /// All ones of either sign is NaN; no infinity.
    NanOnly,
    /// The encoding of negative zero is the only NaN; no infinity.
    NanIsNegativeZero,
    /// Finite numbers only; NaN becomes negative zero.
    FiniteOnly,
    /// An exponent alone: no sign, no zero, all ones is NaN; zero and negative numbers become NaN.
    ExponentOnly,
}

/// A format of at most 8 bits.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    exponent: u32,
    mantissa: u32,
    bias: i64,
    special: Special,
}

impl Format {
    /// The format of a small floating-point type; `None` for every other type.
    pub fn of(ty: Type<'_>) -> Option<Self> {
        let ElementType::SmallFloat(name) = ElementType::from_type(ty)? else { return None };
        let (exponent, mantissa, bias, special) = match name {
            "f4E2M1FN" => (2, 1, 1, Special::FiniteOnly),
            "f6E2M3FN" => (2, 3, 1, Special::FiniteOnly),
            "f6E3M2FN" => (3, 2, 3, Special::FiniteOnly),
            "f8E3M4" => (3, 4, 3, Special::Ieee),
            "f8E4M3" => (4, 3, 7, Special::Ieee),
            "f8E4M3FN" => (4, 3, 7, Special::NanOnly),
            "f8E4M3FNUZ" => (4, 3, 8, Special::NanIsNegativeZero),
            "f8E4M3B11FNUZ" => (4, 3, 11, Special::NanIsNegativeZero),
            "f8E5M2" => (5, 2, 15, Special::Ieee),
            "f8E5M2FNUZ" => (5, 2, 16, Special::NanIsNegativeZero),
            "f8E8M0FNU" => (8, 0, 127, Special::ExponentOnly),
            _ => return None,
        };
        Some(Self { exponent, mantissa, bias, special })
    }

    /// The bits of the exponent.
    pub fn exponent_bits(self) -> u32 {
        self.exponent
    }

    /// The bits that hold the magnitude; the sign is the next one.
    fn magnitude_bits(self) -> u32 {
        self.exponent + self.mantissa
    }

    fn all_ones(self) -> i64 {
        (1 << self.magnitude_bits()) - 1
    }

    fn infinity(self) -> i64 {
        self.all_ones() - ((1 << self.mantissa) - 1)
    }

    fn largest(self) -> i64 {
        match self.special {
            Special::Ieee => self.infinity() - 1,
            Special::NanOnly | Special::ExponentOnly => self.all_ones() - 1,
            Special::NanIsNegativeZero | Special::FiniteOnly => self.all_ones(),
        }
    }

    fn sign(self) -> i64 {
        1 << self.magnitude_bits()
    }
}

/// The value of `bits : i8` as `f32`, exactly; NaN keeps its sign where the format has one.
pub fn decode<'c>(b: &Builder<'c>, bits: Value<'c>, format: Format) -> Outcome<Value<'c>> {
    let (i32_type, f32_type) = (integer(b.context, 32), f32_type(b.context));
    let c = |value: i64| b.int(i32_type, value);
    let wide = b.cast(arith::EXTUI, bits, i32_type);
    let nan = c(0x7FC0_0000);
    if format.special == Special::ExponentOnly {
        let exponent = b.same(arith::SHLI, &[wide, c(23)]);
        // 2^-127 is subnormal.
        let is_least = b.cmpi(arith::CmpIPredicate::Eq, wide, c(0));
        let is_nan = b.cmpi(arith::CmpIPredicate::Eq, wide, c(0xFF));
        let value = b.select(is_least, c(0x0040_0000), exponent);
        let value = b.select(is_nan, nan, value);
        return Ok(b.cast(arith::BITCAST, value, f32_type));
    }
    let magnitude = b.same(arith::ANDI, &[wide, c(format.all_ones())]);
    let in_place = b.same(arith::SHLI, &[magnitude, c(i64::from(23 - format.mantissa))]);
    let normal = b.same(arith::ADDI, &[in_place, c((127 - format.bias) << 23)]);
    let hidden = b.same(arith::ADDI, &[normal, c(1 << 23)]);
    let hidden = b.cast(arith::BITCAST, hidden, f32_type);
    let one = b.float(f32_type, 2f64.powi(1 - format.bias as i32));
    let subnormal = b.same(arith::SUBF, &[hidden, one]);
    let subnormal = b.cast(arith::BITCAST, subnormal, i32_type);
    let is_subnormal = b.cmpi(arith::CmpIPredicate::Ult, magnitude, c(1 << format.mantissa));
    let mut value = b.select(is_subnormal, subnormal, normal);
    let is_nan = match format.special {
        Special::Ieee => {
            let infinity = c(format.infinity());
            let is_infinite = b.cmpi(arith::CmpIPredicate::Eq, magnitude, infinity);
            value = b.select(is_infinite, c(0x7F80_0000), value);
            Some(b.cmpi(arith::CmpIPredicate::Ugt, magnitude, infinity))
        }
        Special::NanOnly => Some(b.cmpi(arith::CmpIPredicate::Eq, magnitude, c(format.all_ones()))),
        Special::NanIsNegativeZero => {
            Some(b.cmpi(arith::CmpIPredicate::Eq, wide, c(format.sign())))
        }
        Special::FiniteOnly | Special::ExponentOnly => None,
    };
    let sign = b.same(arith::ANDI, &[wide, c(format.sign())]);
    let sign = b.same(arith::SHLI, &[sign, c(i64::from(31 - format.magnitude_bits()))]);
    let signed = match is_nan {
        // Negative zero's encoding is a NaN without a sign.
        Some(is_nan) if format.special == Special::NanIsNegativeZero => {
            b.select(is_nan, nan, b.same(arith::ORI, &[value, sign]))
        }
        Some(is_nan) => b.same(arith::ORI, &[b.select(is_nan, nan, value), sign]),
        None => b.same(arith::ORI, &[value, sign]),
    };
    Ok(b.cast(arith::BITCAST, signed, f32_type))
}

/// The bits, as `i8`, of the neighbour of `x` in the direction of `y`; both are bits in an `i8`.
pub fn next_after<'c>(
    b: &Builder<'c>,
    x: Value<'c>,
    y: Value<'c>,
    format: Format,
) -> Outcome<Value<'c>> {
    let i32_type = integer(b.context, 32);
    let c = |value: i64| b.int(i32_type, value);
    let (from, toward) = (decode(b, x, format)?, decode(b, y, format)?);
    let (x, y) = (b.cast(arith::EXTUI, x, i32_type), b.cast(arith::EXTUI, y, i32_type));
    let sign = |bits: Value<'c>| b.same(arith::ANDI, &[bits, c(format.sign())]);
    let is_negative = b.cmpi(arith::CmpIPredicate::Ne, sign(x), c(0));
    let upward = b.cmpf(arith::CmpFPredicate::Olt, from, toward);
    // The magnitude grows when a positive number goes up or a negative one down.
    let grows = b.same(arith::XORI, &[upward, is_negative]);
    let mut moved = b.same(arith::ADDI, &[x, b.select(grows, c(1), c(-1))]);
    if format.special == Special::NanIsNegativeZero {
        let is_nan = b.cmpi(arith::CmpIPredicate::Eq, moved, c(format.sign()));
        moved = b.select(is_nan, c(0), moved);
    }
    let smallest = b.same(arith::ORI, &[sign(y), c(1)]);
    let is_zero = b.cmpf(arith::CmpFPredicate::Oeq, from, b.float(from.ty(), 0.0));
    let moved = b.select(is_zero, smallest, moved);
    let value = b.select(b.cmpf(arith::CmpFPredicate::Oeq, from, toward), y, moved);
    let value = b.select(b.cmpf(arith::CmpFPredicate::Uno, from, from), x, value);
    let value = b.select(b.cmpf(arith::CmpFPredicate::Uno, toward, toward), y, value);
    Ok(b.cast(arith::TRUNCI, value, integer(b.context, 8)))
}

/// The type that is encoded from: its bits, its mantissa and its exponent's bias.
struct Wide<'c> {
    integer: Type<'c>,
    mantissa: u32,
    bias: i64,
}

impl<'c> Wide<'c> {
    fn of(b: &Builder<'c>, ty: Type<'c>) -> Outcome<Self> {
        if ty == f32_type(b.context) {
            Ok(Self { integer: integer(b.context, 32), mantissa: 23, bias: 127 })
        } else if ty == f64_type(b.context) {
            Ok(Self { integer: integer(b.context, 64), mantissa: 52, bias: 1023 })
        } else {
            Err("only f32 and f64 are rounded to a small format".into())
        }
    }

    fn magnitude_mask(&self) -> i64 {
        self.infinity() | ((1 << self.mantissa) - 1)
    }

    fn infinity(&self) -> i64 {
        (self.bias * 2 + 1) << self.mantissa
    }
}

/// The bits, as `i8`, of the number nearest to `x`, an `f32` or `f64`.
pub fn encode<'c>(b: &Builder<'c>, x: Value<'c>, format: Format) -> Outcome<Value<'c>> {
    let wide = Wide::of(b, x.ty())?;
    let c = |value: i64| b.int(wide.integer, value);
    let bits = b.cast(arith::BITCAST, x, wide.integer);
    let magnitude = b.same(arith::ANDI, &[bits, c(wide.magnitude_mask())]);
    let is_negative = b.cmpi(arith::CmpIPredicate::Slt, bits, c(0));
    let is_nan = b.cmpi(arith::CmpIPredicate::Ugt, magnitude, c(wide.infinity()));
    let code = match format.special {
        Special::ExponentOnly => {
            let exponent = exponent_only(b, &wide, magnitude, format);
            let is_zero = b.cmpi(arith::CmpIPredicate::Eq, magnitude, c(0));
            let is_none = b.same(arith::ORI, &[is_zero, is_negative]);
            let is_none = b.same(arith::ORI, &[is_none, is_nan]);
            b.select(is_none, c(format.all_ones()), exponent)
        }
        _ => {
            let (value, is_too_large) = rounded(b, &wide, x, magnitude, format)?;
            finish(b, &wide, format, [value, is_too_large, is_nan, is_negative])
        }
    };
    Ok(b.cast(arith::TRUNCI, code, integer(b.context, 8)))
}

/// The nearest power of two's exponent, biased; 0 for what is smaller than all, NaN for what is larger.
/// The hidden one is the last place and odd, so that a tie goes up.
fn exponent_only<'c>(
    b: &Builder<'c>,
    wide: &Wide<'c>,
    magnitude: Value<'c>,
    format: Format,
) -> Value<'c> {
    let c = |value: i64| b.int(wide.integer, value);
    let raised = b.same(arith::ADDI, &[magnitude, c(1 << (wide.mantissa - 1))]);
    let field = b.same(arith::SHRUI, &[raised, c(i64::from(wide.mantissa))]);
    let rebased = b.same(arith::SUBI, &[field, c(wide.bias - format.bias)]);
    let exponent = if wide.bias == format.bias {
        // Below the smallest normal `f32` the field stands still: 2^-127 reaches up to 1.5 times itself.
        let is_subnormal = b.cmpi(arith::CmpIPredicate::Ult, magnitude, c(1 << wide.mantissa));
        let upper = b.cmpi(arith::CmpIPredicate::Uge, magnitude, c(3 << (wide.mantissa - 2)));
        let of_subnormal = b.select(upper, c(1), c(0));
        b.select(is_subnormal, of_subnormal, rebased)
    } else {
        b.same(arith::MAXSI, &[rebased, c(0)])
    };
    b.same(arith::MINSI, &[exponent, c(format.all_ones())])
}

/// `bits` without the lowest `dropped` ones, rounded to nearest, ties to even.
fn round_off<'c>(b: &Builder<'c>, wide: &Wide<'c>, bits: Value<'c>, dropped: u32) -> Value<'c> {
    let c = |value: i64| b.int(wide.integer, value);
    let amount = c(i64::from(dropped));
    let shifted = b.same(arith::SHRUI, &[bits, amount]);
    let last = b.same(arith::ANDI, &[shifted, c(1)]);
    let half = b.same(arith::ADDI, &[last, c((1 << (dropped - 1)) - 1)]);
    let sum = b.same(arith::ADDI, &[bits, half]);
    b.same(arith::SHRUI, &[sum, amount])
}

/// The magnitude's bits in the format, and whether they lie beyond the largest finite number.
fn rounded<'c>(
    b: &Builder<'c>,
    wide: &Wide<'c>,
    x: Value<'c>,
    magnitude: Value<'c>,
    format: Format,
) -> Outcome<(Value<'c>, Value<'c>)> {
    let c = |value: i64| b.int(wide.integer, value);
    let kept = round_off(b, wide, magnitude, wide.mantissa - format.mantissa);
    let normal = b.same(arith::SUBI, &[kept, c((wide.bias - format.bias) << format.mantissa)]);
    let power = 1 - format.bias - i64::from(format.mantissa) + i64::from(wide.mantissa);
    let last_place = b.float(x.ty(), 2f64.powi(power as i32));
    let size = b.same(math::ABSF, &[x]);
    let sum = b.same(arith::ADDF, &[size, last_place]);
    let sum = b.cast(arith::BITCAST, sum, wide.integer);
    let base = b.cast(arith::BITCAST, last_place, wide.integer);
    let subnormal = b.same(arith::SUBI, &[sum, base]);
    let least_normal = c((wide.bias + 1 - format.bias) << wide.mantissa);
    let is_subnormal = b.cmpi(arith::CmpIPredicate::Ult, magnitude, least_normal);
    let is_too_large = b.cmpi(arith::CmpIPredicate::Sgt, normal, c(format.largest()));
    Ok((b.select(is_subnormal, subnormal, normal), is_too_large))
}

/// Sign, overflow and NaN.
fn finish<'c>(
    b: &Builder<'c>,
    wide: &Wide<'c>,
    format: Format,
    [value, is_too_large, is_nan, is_negative]: [Value<'c>; 4],
) -> Value<'c> {
    let c = |value: i64| b.int(wide.integer, value);
    let sign = b.select(is_negative, c(format.sign()), c(0));
    match format.special {
        Special::NanIsNegativeZero => {
            let is_zero = b.cmpi(arith::CmpIPredicate::Eq, value, c(0));
            let sign = b.select(is_zero, c(0), sign);
            let signed = b.same(arith::ORI, &[value, sign]);
            let is_special = b.same(arith::ORI, &[is_too_large, is_nan]);
            b.select(is_special, c(format.sign()), signed)
        }
        Special::FiniteOnly => {
            let capped = b.select(is_too_large, c(format.largest()), value);
            let signed = b.same(arith::ORI, &[capped, sign]);
            b.select(is_nan, c(format.sign()), signed)
        }
        _ => {
            let ieee = format.special == Special::Ieee;
            let quiet = format.infinity() | (1 << (format.mantissa.max(1) - 1));
            let nan = if ieee { quiet } else { format.all_ones() };
            let beyond = if ieee { format.infinity() } else { format.all_ones() };
            let capped = b.select(is_too_large, c(beyond), value);
            let magnitude = b.select(is_nan, c(nan), capped);
            b.same(arith::ORI, &[magnitude, sign])
        }
    }
}
