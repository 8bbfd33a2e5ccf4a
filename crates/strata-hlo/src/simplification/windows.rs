//! Windows that move along a padded dimension, as those inside of it and the few that reach beyond one of its ends.
//!
//! ```text
//! reduce_window(x : tensor<4096xf32>) of 3, padding [1, 1]
//!   → concatenate(reduce_window(x[0:2]) of 3, padding [1, 0],
//!                 reduce_window(x) of 3, padding [0, 0],
//!                 reduce_window(x[4094:]) of 3, padding [0, 1])
//! ```
//! A padded operand is a copy, which for short windows takes as long as their reductions. Each window combines what it did before.

use strata_ir::{
    Builder, Op, TypeExt as _, Value, i64_pairs, i64s, int, integer, stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::{MIN_UNPADDED_ELEMENTS, MIN_UNPADDED_RUN};

use crate::{
    emit::Emit as _,
    pattern::{combines, ints, ints_or, is_whole, patterns},
};

patterns! {
    /// Windows along one padded dimension.
    WindowsOfPadded = "windows-of-padded" on [ReduceWindow] by windows_of_padded;
}

fn windows_of_padded<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    is_whole(op)?;
    let combiner = combines(op)?;
    let value = op.operand(0);
    let shape = value.ty().shape().or_decline("the shape is not static")?;
    let rank = shape.len();
    let elements: i64 = shape.iter().product();
    (elements >= MIN_UNPADDED_ELEMENTS).or_decline("it has few elements")?;
    let padding = ints_or(op, "padding", 2 * rank, 0)?;
    let mut padded = (0..rank).filter(|dim| padding[2 * dim..2 * dim + 2] != [0, 0]);
    let (Some(dim), None) = (padded.next(), padded.next()) else {
        return Err("not one dimension is padded".into());
    };
    for name in ["window_strides", "window_dilations", "base_dilations"] {
        (ints_or(op, name, rank, 1)?[dim] == 1).or_decline("places are apart")?;
    }
    let (size, window) = (shape[dim], ints(op, "window_dimensions")?[dim]);
    let (low, high) = (padding[2 * dim], padding[2 * dim + 1]);
    let is_short = [low, high].iter().all(|edge| (0..window).contains(edge));
    is_short.or_decline("a window has padding alone, or less than the operand")?;
    // Each piece along the last dimension begins and ends within vectors.
    let run: i64 = shape[dim..].iter().product();
    (size >= 4 * window && run >= MIN_UNPADDED_RUN).or_decline("lines are short")?;

    let builder = rewriter.builder();
    let windows = |part: Value<'c>, edges: [i64; 2]| {
        let mut to = op.result(0).ty().shape().or_decline("the shape is not static")?;
        let own = part.ty().shape().or_decline("the shape is not static")?;
        to[dim] = own[dim] + edges[0] + edges[1] - window + 1;
        let mut all = padding.clone();
        all[2 * dim..2 * dim + 2].copy_from_slice(&edges);
        moved(&builder, op, combiner, part, &to, &all)
    };
    let mut parts = Vec::new();
    if low > 0 {
        parts.push(windows(builder.strided(value, dim, (0, window - 1, 1))?, [low, 0])?);
    }
    parts.push(windows(value, [0, 0])?);
    if high > 0 {
        let start = size - window + 1;
        parts.push(windows(builder.strided(value, dim, (start, window - 1, 1))?, [0, high])?);
    }
    let join = builder.op(stablehlo::CONCATENATE).operands(&parts);
    let along = int(integer(builder.context, 64), dim as i64);
    let value = join.attr("dimension", along).result(op.result(0).ty()).value();
    rewriter.replace(&[value]);
    Ok(())
}

/// `op` on another value, with that padding.
fn moved<'c>(
    builder: &Builder<'c>,
    op: Op<'c>,
    combiner: Op<'c>,
    value: Value<'c>,
    shape: &[i64],
    padding: &[i64],
) -> Outcome<Value<'c>> {
    let element = op.result(0).ty().element();
    let scalar = tensor(&[], element);
    let body = builder.region(&[scalar, scalar], |inner, args| {
        inner.returned(&[inner.same(combiner.name(), args)]);
    });
    let mut new = builder.op(op.name()).operands(&[value, op.operand(1)]);
    if padding.iter().any(|edge| *edge != 0) {
        let padding = i64_pairs(builder.context, padding).or_decline("there is no such padding")?;
        new = new.attr("padding", padding);
    }
    for name in ["window_dimensions", "window_strides", "window_dilations", "base_dilations"] {
        if op.attr(name).is_some() {
            new = new.attr(name, i64s(builder.context, &ints(op, name)?));
        }
    }
    Ok(new.result(tensor(shape, element)).region(body).value())
}
