//! Emulation of formats that the target does not support, through `f32` and integers.
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
//! The remaining conversions become shifts and masks once vectors have their final width: LLVM would call a runtime
//! library for them.

use strata_ir::{
    Builder, Context, ElementType, Isa, Op, Target, Type, TypeExt as _, arith, f32_type, f64_type,
};

use super::math::Num;

/// A format as in IEEE 754: infinities and NaN share the largest exponent. What is smaller than 16 bits is an
/// integer since stage `linalg`.
struct Format {
    element: ElementType,
    exponent: i64,
    mantissa: i64,
    bias: i64,
}

const FORMATS: [Format; 2] = [
    Format { element: ElementType::BFloat16, exponent: 8, mantissa: 7, bias: 127 },
    Format { element: ElementType::Float(16), exponent: 5, mantissa: 10, bias: 15 },
];

/// The format of an element type that has to be emulated on `target`.
fn emulated(element: Type<'_>, target: &Target) -> Option<&'static Format> {
    let element = ElementType::from_type(element)?;
    // AVX2 machines and all of AArch64 convert f16.
    let converts = !matches!(target.isa, Isa::Scalar | Isa::Sse2);
    FORMATS.iter().find(|format| {
        format.element == element && !(converts && element == ElementType::Float(16))
    })
}

/// Moves arithmetic on emulated formats to `f32`; conversions are kept.
pub fn widen<'c>(context: &'c Context, root: Op<'c>, target: &Target) {
    let moved = |op: &Op<'c>| match op.name() {
        arith::CONSTANT | arith::EXTF | arith::TRUNCF | arith::BITCAST | arith::SELECT => false,
        _ => matches!(op.dialect(), "arith" | "math") && op.result_count() == 1,
    };
    for op in root.collect(|op| moved(&op)) {
        let is_small = |ty: Type<'c>| emulated(ty.element(), target).is_some();
        if !is_small(op.result(0).ty()) && !op.operands().iter().any(|one| is_small(one.ty())) {
            continue;
        }
        let emit = Builder::before(context, op);
        let wide = |ty: Type<'c>| {
            if is_small(ty) { emit.like(ty, f32_type(context)) } else { ty }
        };
        let operands: Vec<_> = op
            .operands()
            .into_iter()
            .map(|one| match wide(one.ty()) {
                ty if ty == one.ty() => one,
                ty => emit.apply(arith::EXTF, &[one], ty),
            })
            .collect();
        let ty = op.result(0).ty();
        let result =
            emit.op(op.name()).operands(&operands).attrs(&op.attrs()).result(wide(ty)).value();
        let result = if wide(ty) == ty { result } else { emit.apply(arith::TRUNCF, &[result], ty) };
        op.result(0).replace_all_uses_with(result);
        op.erase();
    }
}

/// Expands the conversions from and to emulated formats in `root`.
pub fn expand_conversions<'c>(context: &'c Context, root: Op<'c>, target: &Target) {
    for op in root.collect(|op| matches!(op.name(), arith::EXTF | arith::TRUNCF)) {
        let (source, ty) = (op.operand(0), op.result(0).ty());
        let (from, to) = (emulated(source.ty().element(), target), emulated(ty.element(), target));
        if from.is_none() && to.is_none() {
            continue;
        }
        let emit = Builder::before(context, op);
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

/// An `f64` as the `f32` below it with the last bit set where it is not exact: rounding that once more equals
/// rounding the `f64`.
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
    // In place, the exponent only has another bias: a product corrects it, also for numbers below
    // the normal range.
    let shifted = magnitude.shl(23 - format.mantissa);
    let scale = ((127 - format.bias) as f64).exp2();
    let scaled = if format.bias == 127 { shifted } else { (shifted.as_float() * scale).bits() };
    let sign = (bits.shr(format.exponent + format.mantissa)).shl(31);
    let infinity = magnitude.integer(all_ones - ((1 << format.mantissa) - 1));
    let special = magnitude.int_lt(infinity).not();
    let value = special.select(shifted | shifted.integer(0x7f80_0000), scaled);
    (value | sign).as_float()
}

/// The encoding nearest to an `f32`, ties to even, as an integer of the format's width.
fn encode<'c>(x: Num<'c>, format: &Format) -> Num<'c> {
    let magnitude = x.abs();
    let bits = magnitude.bits();
    let drop = 23 - format.mantissa;
    let width = 1 + format.exponent + format.mantissa;
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
    let infinity = all_ones - ((1 << format.mantissa) - 1);
    let sign = x.bits().shr(31).shl(width - 1);
    let is_nan = x.is_nan();
    let beyond = finite.integer(infinity - 1).int_lt(finite);
    let result = beyond.select(finite.integer(infinity), finite);
    let quiet_nan = result.integer(infinity | (1 << (format.mantissa - 1)));
    (is_nan.select(quiet_nan, result) | sign).resized(width as u32)
}
