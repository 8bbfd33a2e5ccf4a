//! Expands special functions of CHLO to StableHLO, for artifacts; the compiler lowers them later.
//!
//! ```text
//! chlo.lgamma %x : f32         =>  convert to f64, a formula, convert to f32
//! chlo.next_after %x, %y       =>  bitcast_convert, add or subtract one, bitcast_convert
//! ```

use strata_ir::{
    ComparisonDirection as Is, ElementType, Op, OpKind, TypeExt as _, Value, f32_type, f64_type,
    integer, stablehlo, wide_float,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_special::{Arithmetic as _, complex};

use crate::{emit::Emit as _, expansion::float_arithmetic::Real, pattern::patterns};

patterns! {
    /// The inverse of the error function.
    ExpandErfInv = "expand-erf-inv" on [ChloErfInv] by expand_erf_inv;
    /// The logarithm of the gamma function.
    ExpandLgamma = "expand-lgamma" on [ChloLgamma] by expand_lgamma;
    /// Its derivative.
    ExpandDigamma = "expand-digamma" on [ChloDigamma] by expand_digamma;
    /// The modified Bessel function of order 1.
    ExpandBesselI1e = "expand-bessel-i1e" on [ChloBesselI1e] by expand_bessel_i1e;
    /// One minus the error function.
    ExpandErfc = "expand-erfc" on [ChloErfc] by expand_erfc;
    /// Functions of complex numbers without a custom call.
    ExpandComplex = "expand-complex" on [ChloAsinAcosKernel, ChloAtan, ChloSquare] by expand_complex;
    /// The neighbour of a number.
    ExpandNextAfter = "expand-next-after" on [ChloNextAfter] by expand_next_after;
}

fn expand_erf_inv<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    in_type(op, rewriter, false, strata_special::erf_inv)
}

fn expand_lgamma<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    in_type(op, rewriter, true, strata_special::lgamma)
}

fn expand_digamma<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    in_type(op, rewriter, true, strata_special::digamma)
}

fn expand_bessel_i1e<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    in_type(op, rewriter, true, strata_special::bessel_i1e)
}

fn expand_erfc<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    in_type(op, rewriter, true, strata_special::erfc)
}

fn expand_complex<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let z = op.operand(0);
    let part = z.ty().element().complex_element().or_decline("it is not of complex numbers")?;
    let r = Real::of(op, rewriter.builder(), part)?;
    let part = |name| r.b.op(name).operand(z).result(r.ty).value();
    let (re, im) = (part(stablehlo::REAL), part(stablehlo::IMAG));
    let (re, im) = match op.kind() {
        OpKind::ChloAtan => complex::atan(&r, re, im)?,
        OpKind::ChloSquare => complex::square(&r, re, im)?,
        _ => complex::asin_acos_kernel(&r, re, im)?,
    };
    let value = r.b.op(stablehlo::COMPLEX).operands(&[re, im]).result(z.ty()).value();
    rewriter.replace(&[value]);
    Ok(())
}

/// Computes in `f64` if the formula or the operand requires it, else in `f32`, and rounds once.
fn in_type<'c>(
    op: Op<'c>,
    rewriter: &mut Rewriter<'c>,
    in_double: bool,
    formula: impl FnOnce(&Real<'c>, Value<'c>) -> Outcome<Value<'c>>,
) -> Outcome {
    let context = rewriter.context();
    let (x, double) = (op.operand(0), f64_type(context));
    let own = x.ty().element();
    own.is_float_type().or_decline("it is not of real numbers")?;
    let element = if in_double || own == double { double } else { wide_float(context, own) };
    let r = Real::of(op, rewriter.builder(), element)?;
    let value = formula(&r, r.b.converted(x, element))?;
    rewriter.replace(&[r.b.converted(value, own)]);
    Ok(())
}

/// The neighbour of `x` in the direction of `y`: its magnitude, as an integer, moves by one.
fn expand_next_after<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let context = rewriter.context();
    let (x, y) = (op.operand(0), op.operand(1));
    let own = x.ty().element();
    let width = own.bit_width().or_decline("it is not of real numbers")?;
    // Formats without a zero, with an unusual NaN, or of sizes without an integer type.
    let is_usual = match ElementType::from_type(own) {
        Some(ElementType::SmallFloat(name)) => {
            ["f8E3M4", "f8E4M3", "f8E4M3FN", "f8E5M2", "f4E2M1FN"].contains(&name)
        }
        _ => [16, 32, 64].contains(&width),
    };
    is_usual.or_decline("neighbouring values of the format are not consecutive integers")?;
    let wide = if width == 64 { f64_type(context) } else { f32_type(context) };
    let r = Real::of(op, rewriter.builder(), wide)?;
    let bits_ty = op.result(0).ty().with_element(integer(context, width));
    let bits_of = |value| r.b.op(stablehlo::BITCAST_CONVERT).operand(value).result(bits_ty).value();
    let number = |value| r.b.int_constant(bits_ty, value);
    let (bits, toward) = (bits_of(x), bits_of(y));
    // The exponents of narrow numbers are compared where none of them is subnormal.
    let (from, to) = (r.b.converted(x, wide), r.b.converted(y, wide));
    let upward = r.b.compare(Is::Lt, from, to)?;
    let is_negative = r.b.compare(Is::Lt, bits, number(0))?;
    // The magnitude grows when a positive number goes up or a negative one down.
    let grows = r.b.same(stablehlo::XOR, &[upward, is_negative]);
    let step = r.b.selected(grows, number(1), number(-1));
    let moved = r.b.same(stablehlo::ADD, &[bits, step]);
    let sign = r.b.same(stablehlo::AND, &[toward, number(i64::MIN >> (64 - width))]);
    let smallest = r.b.same(stablehlo::OR, &[sign, number(1)]);
    let is_zero = r.b.compare(Is::Eq, from, r.number(0.0))?;
    let moved = r.b.selected(is_zero, smallest, moved);
    let moved = r.b.op(stablehlo::BITCAST_CONVERT).operand(moved).result(x.ty()).value();
    let equal = r.b.compare(Is::Eq, from, to)?;
    let value = r.b.selected(equal, y, moved);
    let x_is_nan = r.b.compare(Is::Ne, from, from)?;
    let value = r.b.selected(x_is_nan, x, value);
    let y_is_nan = r.b.compare(Is::Ne, to, to)?;
    rewriter.replace(&[r.b.selected(y_is_nan, y, value)]);
    Ok(())
}
