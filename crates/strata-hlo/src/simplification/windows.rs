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
    Builder, Op, OpKind, TypeExt as _, Value, i64_pairs, i64s, int, integer, stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::{
    MIN_UNPADDED_ELEMENTS, MIN_UNPADDED_RUN, MIN_WINDOW_GAIN,
};

use crate::{
    emit::Emit as _,
    pattern::{combines, ints, ints_or, is_whole, patterns},
};

patterns! {
    /// Windows along one padded dimension.
    WindowsOfPadded = "windows-of-padded" on [ReduceWindow] by windows_of_padded;
}

patterns! {
    /// Extremes of windows along two and more dimensions.
    WindowsApart = "windows-apart" on [ReduceWindow] by windows_apart;
}

/// Extremes of windows along one dimension, then those of these along the next: of 5 and 5 numbers instead of 25. Rows of channels are
/// vectors, which both passes read as they are; which numbers an extreme is of, and how often each, does not matter.
///
/// ```text
/// reduce_window(x : tensor<1x14x14x512xf32>) { maximum } of 1x5x5x1
///   → reduce_window(reduce_window(x) { maximum } of 1x5x1x1) { maximum } of 1x1x5x1
/// ```
fn windows_apart<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    is_whole(op)?;
    let combiner = combines(op)?;
    let element = op.result(0).ty().element();
    let is_extreme = matches!(combiner.kind(), OpKind::Maximum | OpKind::Minimum);
    (is_extreme && !element.is_complex()).or_decline("it is not an extreme of numbers")?;
    let value = op.operand(0);
    let shape = value.ty().shape().or_decline("the shape is not static")?;
    let to = op.result(0).ty().shape().or_decline("the shape is not static")?;
    let rank = shape.len();
    let window = ints(op, "window_dimensions")?;
    let mut along: Vec<_> = (0..rank).filter(|dim| window[*dim] != 1).collect();
    let last = along.pop().or_decline("windows have one element")?;
    (!along.is_empty() && last + 1 < rank)
        .or_decline("not along two dimensions beside channels")?;
    // What each pass reads for an element of the result, and all at once.
    let mut sizes = shape.clone();
    let mut reads = 0_i64;
    for dim in along.iter().chain([&last]) {
        sizes[*dim] = to[*dim];
        let pass = sizes.iter().product::<i64>().saturating_mul(window[*dim]);
        reads = reads.saturating_add(pass);
    }
    let whole = to.iter().chain(&window).fold(1_i64, |all, size| all.saturating_mul(*size));
    (reads.saturating_mul(MIN_WINDOW_GAIN) <= whole).or_decline("windows are small")?;

    let builder = rewriter.builder();
    let names = ["window_strides", "window_dilations", "base_dilations"];
    let mut result = value;
    let mut sizes = shape;
    for dim in along.into_iter().chain([last]) {
        sizes[dim] = to[dim];
        // Dimensions that have no windows but other attributes are of the last pass.
        let is_of_pass = |other: usize| other == dim || dim == last && window[other] == 1;
        if dim == last {
            sizes.clone_from(&to);
        }
        let list = |name: &'static str, none: i64| -> Outcome<Vec<i64>> {
            let all = ints_or(op, name, rank, none)?;
            let kept = all.into_iter().enumerate();
            Ok(kept.map(|(at, one)| if is_of_pass(at) { one } else { none }).collect())
        };
        let padding = ints_or(op, "padding", 2 * rank, 0)?.into_iter().enumerate();
        let padding: Vec<_> =
            padding.map(|(at, edge)| if is_of_pass(at / 2) { edge } else { 0 }).collect();
        let new = moved(&builder, op, combiner, result, &sizes, &padding)?;
        let pass = new.owner().or_decline("it has no owner")?;
        pass.set_attr("window_dimensions", i64s(builder.context, &list("window_dimensions", 1)?));
        for name in names.into_iter().filter(|name| op.attr(name).is_some()) {
            pass.set_attr(name, i64s(builder.context, &list(name, 1)?));
        }
        result = new;
    }
    rewriter.replace(&[result]);
    Ok(())
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
