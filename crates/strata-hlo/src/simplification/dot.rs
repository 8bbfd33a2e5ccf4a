//! Folds transposes into dots: a dot reads its operands in either order, a transpose is a pass over memory.
//!
//! ```text
//! dot_general(x, transpose(y)), contracting_dims = [1] x [0] → dot_general(x, y), contracting_dims = [1] x [1]
//! ```
//! The same holds with leading batch dimensions, and for the left operand.

use strata_ir::{DotDimensionNumbers, Op, OpKind, TypeExt as _, Value, stablehlo};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::pattern::{defined_by, ints, patterns};

patterns! {
    /// A dot of a transposed matrix.
    DotOfTranspose = "dot-of-transpose" on [DotGeneral] by dot_of_transpose;
}

fn dot_of_transpose<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let numbers = op.attr("dot_dimension_numbers").and_then(DotDimensionNumbers::from_attribute);
    let mut numbers = numbers.or_decline("it has no dimension numbers")?;
    let lhs = matrix(
        op.operand(0),
        &numbers.lhs_batching_dimensions,
        &mut numbers.lhs_contracting_dimensions,
    );
    let rhs = matrix(
        op.operand(1),
        &numbers.rhs_batching_dimensions,
        &mut numbers.rhs_contracting_dimensions,
    );
    (lhs.is_ok() || rhs.is_ok()).or_decline("no operand is a transposed matrix")?;
    let numbers = numbers.to_attribute(rewriter.context()).or_decline("they do not fit")?;
    let others: Vec<_> =
        op.attrs().into_iter().filter(|(name, _)| *name != "dot_dimension_numbers").collect();
    let product = rewriter.builder().op(stablehlo::DOT_GENERAL);
    let product = product
        .operands(&[lhs.unwrap_or(op.operand(0)), rhs.unwrap_or(op.operand(1))])
        .attr("dot_dimension_numbers", numbers)
        .attrs(&others);
    let value = product.result(op.result(0).ty()).value();
    rewriter.replace(&[value]);
    Ok(())
}

/// The matrices, after batch dimensions, of which `operand` is the transpose; sets `contracting` to their
/// contracting dimension.
fn matrix<'c>(operand: Value<'c>, batching: &[i64], contracting: &mut [i64]) -> Outcome<Value<'c>> {
    let transpose = defined_by(operand, OpKind::Transpose)?;
    let source = transpose.operand(0);
    let rank = source.ty().rank().unwrap_or(0) as i64;
    let mut swapped: Vec<_> = (0..rank).collect();
    (rank >= 2).or_decline("it is not a matrix")?;
    swapped.swap(rank as usize - 1, rank as usize - 2);
    (ints(transpose, "permutation")? == swapped).or_decline("other dimensions move")?;
    batching.iter().copied().eq(0..rank - 2).or_decline("a batch dimension is not leading")?;
    let [contracted] = contracting else { return Err("not one dimension is contracted".into()) };
    *contracted = swapped[*contracted as usize];
    Ok(source)
}
