//! Reshapes and transposes.
//!
//! ```text
//! reshape(x) of the same type              → x
//! reshape(reshape(x))                      → reshape(x)
//! transpose(x), dims = [0, 1, …]           → x
//! transpose(transpose(x, p), q)            → transpose(x, p∘q)
//! transpose(x) that moves only size-1 dims → reshape(x)
//! ```

use strata_ir::{Op, OpKind, TypeExt as _, i64s, stablehlo};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::pattern::{defined_by, ints, patterns};

patterns! {
    /// A reshape to the same type is its operand.
    IdentityReshape = "reshape-identity" on [Reshape] by identity_reshape;
    /// Of two reshapes only the last matters.
    ReshapeOfReshape = "reshape-of-reshape" on [Reshape] by reshape_of_reshape;
    /// A transpose that leaves every dimension in place is its operand.
    IdentityTranspose = "transpose-identity" on [Transpose] by identity_transpose;
    /// Two transposes are one.
    TransposeOfTranspose = "transpose-of-transpose" on [Transpose] by transpose_of_transpose;
    /// A transpose of dimensions of size 1 moves no element.
    TransposeToReshape = "transpose-to-reshape" on [Transpose] by transpose_to_reshape;
}

fn identity_reshape<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let operand = op.operand(0);
    (operand.ty() == op.result(0).ty()).or_decline("the type changes")?;
    rewriter.replace(&[operand]);
    Ok(())
}

fn reshape_of_reshape<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let inner = defined_by(op.operand(0), OpKind::Reshape)?;
    let builder = rewriter.builder();
    let reshape = builder.op(stablehlo::RESHAPE).operand(inner.operand(0));
    let value = reshape.result(op.result(0).ty()).value();
    rewriter.replace(&[value]);
    Ok(())
}

fn identity_transpose<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let permutation = ints(op, "permutation")?;
    permutation.is_sorted().or_decline("dimensions move")?;
    (op.operand(0).ty() == op.result(0).ty()).or_decline("the type changes")?;
    rewriter.replace(&[op.operand(0)]);
    Ok(())
}

fn transpose_of_transpose<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let inner = defined_by(op.operand(0), OpKind::Transpose)?;
    let (first, second) = (ints(inner, "permutation")?, ints(op, "permutation")?);
    let both: Vec<_> = match strata_ir::planted("hlo-transpose-order") {
        true => first.iter().map(|dim| second[*dim as usize]).collect(),
        false => second.iter().map(|dim| first[*dim as usize]).collect(),
    };
    let builder = rewriter.builder();
    let transpose = builder.op(stablehlo::TRANSPOSE).operand(inner.operand(0));
    let transpose = transpose.attr("permutation", i64s(rewriter.context(), &both));
    let value = transpose.result(op.result(0).ty()).value();
    rewriter.replace(&[value]);
    Ok(())
}

fn transpose_to_reshape<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let shape = op.operand(0).ty().shape().or_decline("the shape is not static")?;
    let mut moved = ints(op, "permutation")?;
    (!moved.is_sorted()).or_decline("no dimension moves")?;
    moved.retain(|dim| shape[*dim as usize] != 1);
    moved.is_sorted().or_decline("a dimension of more than one element moves")?;
    op.result(0).ty().has_static_shape().or_decline("the shape is not static")?;
    let builder = rewriter.builder();
    let reshape = builder.op(stablehlo::RESHAPE).operand(op.operand(0));
    let value = reshape.result(op.result(0).ty()).value();
    rewriter.replace(&[value]);
    Ok(())
}
