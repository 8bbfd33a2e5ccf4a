//! Formats that the target's instructions do not know, through `f32` and integers.
//!
//! Arithmetic first. Before:
//! ```mlir
//! %s = arith.addf %a, %b : bf16
//! ```
//! After:
//! ```mlir
//! %wa = arith.extf %a : bf16 to f32
//! %wb = arith.extf %b : bf16 to f32
//! %ws = arith.addf %wa, %wb : f32
//! %s = arith.truncf %ws : f32 to bf16
//! ```
//! The conversions that this leaves become shifts and masks once vectors have their final width:
//! a call to a runtime library is what LLVM would make of them.

use strata_ir::{Builder, Context, Isa, Op, Target, Type, TypeExt as _, f32_type, f64_type};

use super::{emit::Emit, math::Num};

/// What the encodings beside the finite numbers mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Special {
    /// Infinities and NaN share the largest exponent.
    Ieee,
    /// All ones is NaN; no infinity.
    NanOnly,
    /// Negative zero is NaN; no infinity.
    NanIsNegativeZero,
    /// Finite numbers only.
    FiniteOnly,
    /// An exponent alone: no sign, no zero, all ones is NaN.
    ExponentOnly,
}

/// A floating-point format.
struct Format {
    name: &'static str,
    exponent: i64,
    mantissa: i64,
    bias: i64,
    special: Special,
}

const fn row(
    name: &'static str,
    exponent: i64,
    mantissa: i64,
    bias: i64,
    special: Special,
) -> Format {
    Format { name, exponent, mantissa, bias, special }
}

const FORMATS: &[Format] = &[
    row("bf16", 8, 7, 127, Special::Ieee),
    row("f16", 5, 10, 15, Special::Ieee),
    row("f8E5M2", 5, 2, 15, Special::Ieee),
    row("f8E4M3", 4, 3, 7, Special::Ieee),
    row("f8E3M4", 3, 4, 3, Special::Ieee),
    row("f8E4M3FN", 4, 3, 7, Special::NanOnly),
    row("f8E5M2FNUZ", 5, 2, 16, Special::NanIsNegativeZero),
    row("f8E4M3FNUZ", 4, 3, 8, Special::NanIsNegativeZero),
    row("f8E4M3B11FNUZ", 4, 3, 11, Special::NanIsNegativeZero),
    row("f8E8M0FNU", 8, 0, 127, Special::ExponentOnly),
    row("f6E3M2FN", 3, 2, 3, Special::FiniteOnly),
    row("f6E2M3FN", 2, 3, 1, Special::FiniteOnly),
    row("f4E2M1FN", 2, 1, 1, Special::FiniteOnly),
];

/// The format of an element type that has to be emulated on `target`.
fn emulated(element: Type<'_>, target: &Target) -> Option<&'static Format> {
    if !element.is_float_type() || element.bit_width().is_none_or(|bits| bits > 16) {
        return None;
    }
    let name = element.to_string();
    // AVX2 machines and all of AArch64 convert f16.
    let converts = !matches!(target.isa, Isa::Scalar | Isa::Sse2);
    FORMATS.iter().find(|format| format.name == name && !(converts && name == "f16"))
}

/// Moves arithmetic on emulated formats to `f32`; conversions stay.
pub fn widen<'c>(context: &'c Context, root: Op<'c>, target: &Target) {
    let moved = |op: &Op<'c>| match op.name() {
        "arith.constant" | "arith.extf" | "arith.truncf" | "arith.bitcast" | "arith.select" => {
            false
        }
        _ => matches!(op.dialect(), "arith" | "math") && op.result_count() == 1,
    };
    for op in root.collect(|op| moved(&op)) {
        let is_small = |ty: Type<'c>| emulated(ty.element(), target).is_some();
        if !is_small(op.result(0).ty()) && !op.operands().iter().any(|one| is_small(one.ty())) {
            continue;
        }
        let emit = Emit { builder: Builder::before(context, op) };
        let wide = |ty: Type<'c>| {
            if is_small(ty) { emit.like(ty, f32_type(context)) } else { ty }
        };
        let operands: Vec<_> = op
            .operands()
            .into_iter()
            .map(|one| match wide(one.ty()) {
                ty if ty == one.ty() => one,
                ty => emit.op("arith.extf", &[one], ty),
            })
            .collect();
        let ty = op.result(0).ty();
        let result = emit
            .builder
            .op(op.name())
            .operands(&operands)
            .attrs(&op.attrs())
            .result(wide(ty))
            .value();
        let result = if wide(ty) == ty { result } else { emit.op("arith.truncf", &[result], ty) };
        op.result(0).replace_all_uses_with(result);
        op.erase();
    }
}

/// Expands the conversions from and to emulated formats in `root`.
pub fn expand_conversions<'c>(context: &'c Context, root: Op<'c>, target: &Target) {
    for op in root.collect(|op| matches!(op.name(), "arith.extf" | "arith.truncf")) {
        let (source, ty) = (op.operand(0), op.result(0).ty());
        let (from, to) = (emulated(source.ty().element(), target), emulated(ty.element(), target));
        if from.is_none() && to.is_none() {
            continue;
        }
        let emit = Emit { builder: Builder::before(context, op) };
        let value = Num::new(emit, target.has_fma(), source);
        let value = match from {
            Some(format) => decode(value, format),
            None if source.ty().element() == f64_type(context) => to_odd(value),
            None => value.to_f32(),
        };
        let value = match to {
            Some(format) => encode(value, format).reinterpreted(ty.element()),
            None => value.to(ty.element()),
        };
        op.result(0).replace_all_uses_with(value.value);
        op.erase();
    }
}

/// An `f64` as the `f32` below it with the last bit set where it is not exact: rounding that once
/// more gives what rounding the `f64` would.
fn to_odd(x: Num<'_>) -> Num<'_> {
    let near = x.to_f32();
    let back = near.to_f64();
    let exact = back.eq(x) | x.is_nan();
    let bits = near.bits();
    let above = back.abs().gt(x.abs());
    let below = above.select(bits.minus(bits.integer(1)), bits);
    exact.select(bits, below | bits.integer(1)).as_float()
}

/// The `f32` that an encoding stands for.
fn decode<'c>(x: Num<'c>, format: &Format) -> Num<'c> {
    let bits = x.bits().zero_extended(32);
    let all_ones = (1 << (format.exponent + format.mantissa)) - 1;
    let magnitude = bits & bits.integer(all_ones);
    let nan = bits.integer(0x7fc0_0000);
    if format.special == Special::ExponentOnly {
        let value = magnitude.shl(23);
        let lowest = magnitude.int_eq(magnitude.integer(0));
        let value = lowest.select(magnitude.integer(0x40_0000), value);
        return magnitude.int_eq(magnitude.integer(all_ones)).select(nan, value).as_float();
    }
    // In place, the exponent only has another bias: a product corrects it, also for numbers below
    // the normal range.
    let shifted = magnitude.shl(23 - format.mantissa);
    let scale = ((127 - format.bias) as f64).exp2();
    let scaled = if format.bias == 127 { shifted } else { (shifted.as_float() * scale).bits() };
    let sign = (bits.shr(format.exponent + format.mantissa)).shl(31);
    let value = match format.special {
        Special::Ieee => {
            let infinity = magnitude.integer(all_ones - ((1 << format.mantissa) - 1));
            let special = magnitude.int_lt(infinity).not();
            special.select(shifted | shifted.integer(0x7f80_0000), scaled)
        }
        Special::NanOnly => magnitude.int_eq(magnitude.integer(all_ones)).select(nan, scaled),
        _ => scaled,
    };
    let signed = value | sign;
    if format.special == Special::NanIsNegativeZero {
        return bits.int_eq(bits.integer(all_ones + 1)).select(nan, signed).as_float();
    }
    signed.as_float()
}

/// The encoding nearest to an `f32`, ties to even, as an integer of the format's width.
fn encode<'c>(x: Num<'c>, format: &Format) -> Num<'c> {
    let magnitude = x.abs();
    let bits = magnitude.bits();
    let drop = 23 - format.mantissa;
    let width = if format.special == Special::ExponentOnly {
        8
    } else {
        1 + format.exponent + format.mantissa
    };
    // Normal numbers: round away the low bits of the mantissa, then change the bias.
    let even = bits.shr(drop) & bits.integer(1);
    let rounded = bits.plus(bits.integer((1 << (drop - 1)) - 1)).plus(even).shr(drop);
    let rebased = rounded.minus(rounded.integer((127 - format.bias) << format.mantissa));
    // Below: a sum whose last place is the format's smallest number rounds to a multiple of it.
    let anchor = magnitude.constant(((24 - format.bias - format.mantissa) as f64).exp2());
    let multiple = (magnitude + anchor).bits().minus(anchor.bits());
    let small = magnitude.lt(magnitude.constant(((1 - format.bias) as f64).exp2()));
    let finite = small.select(multiple, rebased);

    let all_ones = (1 << (format.exponent + format.mantissa)) - 1;
    let sign_bit = 1 << (width - 1);
    let sign = x.bits().shr(31).shl(width - 1);
    let is_nan = x.is_nan();
    let (largest, overflow, nan) = match format.special {
        Special::Ieee => {
            let infinity = all_ones - ((1 << format.mantissa) - 1);
            (infinity - 1, infinity, infinity | (1 << (format.mantissa - 1)))
        }
        Special::NanOnly | Special::ExponentOnly => (all_ones - 1, all_ones, all_ones),
        Special::NanIsNegativeZero => (all_ones, sign_bit, sign_bit),
        Special::FiniteOnly => (all_ones, all_ones, sign_bit),
    };
    let beyond = finite.integer(largest).int_lt(finite);
    let result = beyond.select(finite.integer(overflow), finite);
    let result = is_nan.select(result.integer(nan), result);
    let result = match format.special {
        // A negative number that rounds to zero has no sign to keep.
        Special::NanIsNegativeZero => {
            let zero = result.int_eq(result.integer(0));
            zero.select(result, result | sign)
        }
        // Negative numbers have no encoding but NaN.
        Special::ExponentOnly => {
            let negative = x.lt(x.constant(0.0));
            negative.select(result.integer(nan), result)
        }
        Special::FiniteOnly => is_nan.select(result, result | sign),
        _ => result | sign,
    };
    result.resized(width as u32)
}
