//! Gathers whose positions follow each other.
//!
//! ```text
//! gather(x, iota)              → x
//! gather(x, 3 + 2 * iota)      → slice(x)[3, 5, …]
//! ```

use strata_ir::{GatherDimensionNumbers, Op, TypeExt as _, i64s, stablehlo};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_shapes::DimExpr;

use crate::{
    counted::{Run, Static},
    pattern::{ints, patterns},
};

patterns! {
    /// A gather at positions that follow each other is a slice.
    GatherOfRun = "gather-of-run" on [Gather] by gather_of_run;
}

fn gather_of_run<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let numbers = op.attr("dimension_numbers").and_then(GatherDimensionNumbers::from_attribute);
    let numbers = numbers.or_decline("it has no dimensions")?;
    let sizes: Vec<_> = ints(op, "slice_sizes")?.into_iter().map(DimExpr::constant).collect();
    let run = Run::of(op, &numbers, &sizes, &Static::default());
    let run = run.or_decline("its positions do not follow each other")?;
    let (value, ty) = (op.operand(0), op.result(0).ty());
    let mut limits = value.ty().shape().or_decline("the shape is not static")?;
    let (mut starts, mut strides) = (vec![0; limits.len()], vec![1; limits.len()]);
    let number = |size: &DimExpr| size.as_constant().or_decline("a size is not a number");
    let (start, count) = (number(&run.start)?, number(&run.size)?);
    starts[run.dim] = start;
    strides[run.dim] = run.stride;
    limits[run.dim] = if count == 0 { start } else { start + (count - 1) * run.stride + 1 };
    let builder = rewriter.builder();
    let list = |list: &[i64]| i64s(builder.context, list);
    let slice = builder.op(stablehlo::SLICE).operand(value).attr("start_indices", list(&starts));
    let slice = slice.attr("limit_indices", list(&limits)).attr("strides", list(&strides));
    let slice = slice.result(ty).value();
    rewriter.replace(&[slice]);
    Ok(())
}
