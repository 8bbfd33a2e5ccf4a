//! Why a dot or convolution of floats that were integers of few bits is not computed on these, for remarks.

use strata_ir::{ElementType, OPEN_SUMS, Op, OpKind, TypeExt as _, Value};
use strata_remarks::{decline, wants_remarks};
use strata_target::tuning::simplification::MAX_SCALED_OPERATIONS;

use super::{
    contraction::{Sums, has_byte_sums},
    dynamic::Rows,
    scaled::{MIN_PRODUCTS, is_of_single_floats, keeps_apart, scaled, widened},
};

/// Says why `op` stays one of floats, if both operands come from integers of few bits.
pub(super) fn record(op: Op<'_>, because: impl FnOnce() -> String) {
    let is_float = op.result(0).ty().element().is_float_type();
    if wants_remarks() && is_float && [0, 1].into_iter().all(|at| is_of_few_bits(op.operand(at))) {
        decline(op.location(), "integers", because);
    }
}

/// Whether arithmetic on elements made `value` of integers of few bits.
fn is_of_few_bits(value: Value<'_>) -> bool {
    let mut open = vec![value];
    for _ in 0..MAX_SCALED_OPERATIONS {
        let Some(value) = open.pop() else { return false };
        if widened(value).is_some() {
            return true;
        }
        let owner = value.owner().filter(|op| {
            use OpKind::{Add, BroadcastInDim, Convert, Multiply, Reshape, Subtract, Transpose};
            let kind = op.kind();
            matches!(
                kind,
                Add | BroadcastInDim | Convert | Multiply | Reshape | Subtract | Transpose
            )
        });
        open.extend(owner.into_iter().flat_map(|op| op.operands()));
    }
    false
}

/// What of [`super::contract`] the operation does not meet.
pub(super) fn because(op: Op<'_>) -> &'static str {
    if op.has_attr(OPEN_SUMS) {
        return "it sums over an open size";
    }
    if !is_of_single_floats(op) {
        let is_single = |value: &Value<'_>| {
            ElementType::from_type(value.ty().element()) == Some(ElementType::Float(32))
        };
        return match [op.operand(0), op.operand(1), op.result(0)].iter().all(is_single) {
            true => "sizes are open, or an algorithm is given",
            false => "its numbers are not `f32`",
        };
    }
    let sums = Sums::of(op);
    if sums.count < MIN_PRODUCTS {
        return "sums of so few products are rounded less often as floats";
    }
    let side = |at: usize| scaled(op.operand(at), MAX_SCALED_OPERATIONS, None);
    let (left, right) = match (side(0), side(1)) {
        (Some(left), Some(right)) => (left, right),
        (None, Some(right)) if Rows::summed(op).is_some() => {
            return match right.zero_point == 0 && !right.stored.ty().element().is_unsigned_int() {
                true => "with scales of rows that a call computes, sums may exceed 32 bits",
                false => {
                    "weights have a zero point or no sign, and rows scales that a call computes"
                }
            };
        }
        _ => return "an operand is more than integers less a constant, times constant scales",
    };
    let (Some(left), Some(right)) = (left.ty(op.operand(0)), right.ty(op.operand(1))) else {
        return "a scale is very large or small, or a zero point outside of its type";
    };
    let is_kept = |axis: usize| sums.kept[1].get(axis).is_some_and(Option::is_some);
    if left.axis.is_some() {
        "the left operand has several scales"
    } else if right.axis.is_some_and(|axis| !is_kept(axis)) {
        "scales differ along a dimension that is summed"
    } else if sums.bound(&left, &right) > i32::MAX.into() {
        "sums may exceed 32 bits"
    } else if right.zero_points != [0] {
        "the kernel has a zero point"
    } else if keeps_apart(op) || !has_byte_sums(op) {
        "its features are few, or in groups"
    } else {
        "its operands move elements in another way"
    }
}
