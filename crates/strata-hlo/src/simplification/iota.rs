//! Iotas, whose values are known to be small.
//!
//! ```text
//! convert(iota)                        → iota      integers that hold every place
//! shift_right_logical(iota, splat c)   → 0         no place reaches 2^c
//! ```
//! Random number generators build 64-bit counters from iotas and split them again.

use strata_ir::{AttributeExt as _, Op, OpKind, Type, TypeExt as _, Value};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    emit::Emit as _,
    pattern::{defined_by, patterns, splat},
    simplification::elements::{Element, constant_of},
};

patterns! {
    /// An iota converted to another integer type.
    ConvertOfIota = "convert-of-iota" on [Convert] by convert_of_iota;
    /// The high bits of an iota.
    ShiftOfIota = "shift-of-iota" on [ShiftRightLogical] by shift_of_iota;
}

/// The dimension of an iota, and its size.
pub fn positions(value: Value<'_>) -> Outcome<(i64, i64)> {
    let iota = defined_by(value, OpKind::Iota)?;
    let dim = iota.attr("iota_dimension").and_then(|dim| dim.as_i64());
    let dim = dim.or_decline("the iota has no dimension")?;
    let shape = value.ty().shape().or_decline("the shape is not static")?;
    let size = usize::try_from(dim).ok().and_then(|dim| shape.get(dim).copied());
    let size = size.filter(|size| *size > 0).or_decline("the iota is empty")?;
    Ok((dim, size))
}

/// Whether integers of that type, signed or not, hold numbers below `size`.
fn holds(ty: Type<'_>, size: i64) -> bool {
    let bits = ty.element().bit_width().filter(|bits| ty.element().is_int() && *bits > 1);
    bits.is_some_and(|bits| bits >= 64 || size - 1 < 1 << (bits - 1))
}

fn convert_of_iota<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let (dim, size) = positions(op.operand(0))?;
    let ty = op.result(0).ty();
    (holds(ty, size) && holds(op.operand(0).ty(), size)).or_decline("an index may not fit")?;
    let shape = ty.shape().or_decline("the shape is not static")?;
    let value = rewriter.builder().iota(&shape, ty.element(), dim);
    rewriter.replace(&[value]);
    Ok(())
}

fn shift_of_iota<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let (_, size) = positions(op.operand(0))?;
    let ty = op.result(0).ty();
    holds(ty, size).or_decline("an index may not fit")?;
    let bits = splat(op.operand(1))?.as_i64().or_decline("the shift is not an integer")?;
    let gone = bits >= 63 || (bits >= 0 && size - 1 < 1 << bits);
    gone.or_decline("an index has higher bits")?;
    let zero = constant_of(&rewriter.builder(), ty, &[Element::Int(0)], true)?;
    rewriter.replace(&[zero]);
    Ok(())
}
