//! Products and convolutions whose result is of another kind than their operands, which cannot hold these.
//!
//! ```text
//! dot_general(x, y) : (f32, f32) -> i32             → convert(dot_general(x, y) : f32) : i32
//! dot_general(x, y) : (complex, complex) -> f32     → convert(dot_general(x, y) : complex) : f32, the real part
//! ```
//!
//! The type of a result is that of the sums, to which operands are converted first: bytes are summed as `i32`. What a conversion of operands
//! would lose, their fractions or imaginary parts, is in the products, and it is these that are converted.

use strata_ir::{Builder, Op, Type, TypeExt as _, f32_type};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{emit::Emit as _, pattern::patterns};

patterns! {
    /// A sum of products in the operands' type, which is converted.
    ConvertSums = "convert-sums-of-products" on [Dot, DotGeneral, Convolution, DynamicConv, ChloRaggedDot] by convert_sums;
}

fn convert_sums<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let builder = rewriter.builder();
    let ty = op.result(0).ty();
    let sums = sum_type(&builder, op).or_decline("the result holds what the operands do")?;
    let new = builder.op(op.name()).operands(&op.operands()).attrs(&op.attrs());
    let new = new.result(ty.with_element(sums)).value();
    let converted = builder.converted(new, ty.element());
    rewriter.replace(&[converted]);
    Ok(())
}

/// The type for the sums of an operation whose result cannot hold what its operands do.
pub fn sum_type<'c>(builder: &Builder<'c>, op: Op<'c>) -> Option<Type<'c>> {
    let result = op.result(0).ty().element();
    let operands = [0, 1].map(|at| op.operand(at).ty().element());
    let complex = operands.into_iter().filter(|ty| ty.is_complex());
    if let Some(widest) = complex.max_by_key(|ty| ty.bit_width()) {
        return is_real_number(result).then_some(widest);
    }
    let floats = operands.into_iter().filter(|ty| ty.is_float_type());
    let widest = floats.max_by_key(|ty| ty.bit_width())?;
    let is_narrow = widest.bit_width() < Some(32);
    let sums = if is_narrow { f32_type(builder.context) } else { widest };
    (is_real_number(result) && !result.is_float_type()).then_some(sums)
}

/// Whether it is a type of real numbers, as they are stored.
fn is_real_number(ty: Type<'_>) -> bool {
    ty.is_float_type() || ty.is_int()
}
