//! Slices, pads, concatenations and reversals without effect.
//!
//! ```text
//! slice(x) of the same type              → x
//! pad(x) by nothing                      → x
//! concatenate(x)                         → x
//! concatenate(x, y of no elements)       → concatenate(x)
//! reverse(x) along dimensions of size ≤ 1 → x
//! ```

use strata_ir::{Op, TypeExt as _, stablehlo};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::pattern::{ints, patterns};

patterns! {
    /// A slice of everything is its operand.
    IdentitySlice = "slice-identity" on [Slice] by same_type_slice;
    /// A pad by zero is its operand.
    IdentityPad = "pad-identity" on [Pad] by identity_pad;
    /// A concatenation of one operand is the operand.
    IdentityConcatenate = "concatenate-identity" on [Concatenate] by identity_concatenate;
    /// Removes empty operands of a concatenation.
    ConcatenateOfEmpty = "concatenate-of-empty" on [Concatenate] by concatenate_of_empty;
    /// A reversal of dimensions of at most one element is its operand.
    IdentityReverse = "reverse-identity" on [Reverse] by identity_reverse;
}

fn same_type_slice<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    (op.operand(0).ty() == op.result(0).ty()).or_decline("the type changes")?;
    rewriter.replace(&[op.operand(0)]);
    Ok(())
}

fn identity_pad<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    for name in ["edge_padding_low", "edge_padding_high", "interior_padding"] {
        ints(op, name)?.iter().all(|size| *size == 0).or_decline("something is padded")?;
    }
    rewriter.replace(&[op.operand(0)]);
    Ok(())
}

fn identity_concatenate<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    (op.operand_count() == 1).or_decline("there are several operands")?;
    (op.operand(0).ty() == op.result(0).ty()).or_decline("the type changes")?;
    rewriter.replace(&[op.operand(0)]);
    Ok(())
}

fn concatenate_of_empty<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let is_empty = |ty: strata_ir::Type<'_>| ty.element_count() == Some(0);
    (!is_empty(op.result(0).ty())).or_decline("all operands are empty")?;
    let mut kept = op.operands();
    kept.retain(|value| !is_empty(value.ty()));
    (kept.len() < op.operand_count()).or_decline("no operand is empty")?;
    let dimension = op.attr("dimension").or_decline("attribute `dimension` is missing")?;
    let concatenate = rewriter.builder().op(stablehlo::CONCATENATE).operands(&kept);
    let value = concatenate.attr("dimension", dimension).result(op.result(0).ty()).value();
    rewriter.replace(&[value]);
    Ok(())
}

fn identity_reverse<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let shape = op.operand(0).ty().shape().or_decline("the shape is not static")?;
    let still = ints(op, "dimensions")?.iter().all(|dim| matches!(shape[*dim as usize], 0 | 1));
    still.or_decline("a dimension of several elements is reversed")?;
    rewriter.replace(&[op.operand(0)]);
    Ok(())
}
