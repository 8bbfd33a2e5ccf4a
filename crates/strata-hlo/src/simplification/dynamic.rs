//! Operations with dynamic shapes that turn out to be static.
//!
//! ```text
//! dynamic_broadcast_in_dim(x, shape), dynamic_reshape(x, shape) of static type → the static form
//! dynamic_iota(shape) of static type                                          → iota
//! dynamic_pad(x, v, constants)                                                → pad
//! real_dynamic_slice(x, constants)                                            → slice
//! real_dynamic_slice(x, i, i + constant, ones)                                → dynamic_slice
//! dynamic_gather(x, indices, constant)                                        → gather
//! dynamic_conv(x, kernel, constant)                                           → convolution
//! set_dimension_size(x, the size that it has)                                 → x
//! set_dimension_size(x, a constant) of static type                            → slice
//! ```
//!
//! A static result type determines the shape operand, which need not be constant; what constants determine may still have
//! operands of unknown size.

use strata_ir::{
    AttributeExt as _, Op, OpKind, OpName, TypeExt as _, Value, capture, i64s, stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    emit::Emit as _,
    pattern::{constant, defined_by, patterns},
    sizes::sizes_of,
};

patterns! {
    /// The result's type determines the shape operand.
    StaticShapeOperand = "static-shape-operand" on [DynamicBroadcastInDim, DynamicReshape, DynamicIota] by shape_operand;
    /// Padding that is constant.
    StaticPad = "static-pad" on [DynamicPad] by pad;
    /// Bounds that are constant.
    StaticSlice = "static-slice" on [RealDynamicSlice] by slice;
    /// Bounds that are a constant apart.
    SlidingSlice = "sliding-slice" on [RealDynamicSlice] by sliding_slice;
    /// Slice sizes that are constant.
    StaticGather = "static-gather" on [DynamicGather] by gather;
    /// Padding of a window that is constant.
    StaticConvolution = "static-convolution" on [DynamicConv] by convolution;
    /// A size that the dimension has already.
    FullDimension = "full-dimension" on [SetDimensionSize] by full_dimension;
    /// A smaller constant size that matches the result's type.
    ShorterDimension = "shorter-dimension" on [SetDimensionSize] by shorter_dimension;
}

fn static_result<'c>(op: Op<'c>) -> Outcome {
    op.result(0).ty().has_static_shape().or_decline("the result's shape is known at run time only")
}

fn constant_ints(value: Value<'_>) -> Outcome<Vec<i64>> {
    constant(value)?.as_i64s().or_decline("the constant holds no integers")
}

/// Replaces `op` by `name` on its first `count` operands, with its attributes except `dropped`, and `added`.
fn replace<'c>(
    op: Op<'c>,
    rewriter: &mut Rewriter<'c>,
    name: OpName<'static>,
    count: usize,
    dropped: &[&str],
    added: &[(&str, strata_ir::Attribute<'c>)],
) -> Outcome {
    let mut attributes = op.attrs();
    attributes.retain(|(name, _)| !dropped.contains(name));
    let builder = rewriter.builder();
    let new = builder
        .op(name)
        .operands(&op.operands()[..count])
        .attrs(&attributes)
        .attrs(added)
        .result(op.result(0).ty())
        .build_detached();
    // What was computed may contradict the type of the result.
    let (is_valid, _) = capture(builder.context, || new.verify());
    if !is_valid {
        new.erase();
        return Err("its sizes contradict its type".into());
    }
    rewriter.replace(&[builder.insert(new).result(0)]);
    Ok(())
}

fn shape_operand<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    static_result(op)?;
    let operands = op.operands();
    let sources = &operands[..operands.len() - 1];
    let known = sources.iter().all(|value| value.ty().has_static_shape());
    known.or_decline("the operand's shape is known at run time only")?;
    let hints = ["known_expanding_dimensions", "known_nonexpanding_dimensions"];
    let name = match op.kind() {
        OpKind::DynamicBroadcastInDim => stablehlo::BROADCAST_IN_DIM,
        OpKind::DynamicReshape => stablehlo::RESHAPE,
        _ => stablehlo::IOTA,
    };
    replace(op, rewriter, name, sources.len(), &hints, &[])
}

fn pad<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let context = rewriter.context();
    let names = ["edge_padding_low", "edge_padding_high", "interior_padding"];
    let mut added = Vec::new();
    for (index, name) in names.into_iter().enumerate() {
        added.push((name, i64s(context, &constant_ints(op.operand(2 + index))?)));
    }
    replace(op, rewriter, stablehlo::PAD, 2, &[], &added)
}

fn slice<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let context = rewriter.context();
    let names = ["start_indices", "limit_indices", "strides"];
    let mut added = Vec::new();
    for (index, name) in names.into_iter().enumerate() {
        added.push((name, i64s(context, &constant_ints(op.operand(1 + index))?)));
    }
    replace(op, rewriter, stablehlo::SLICE, 1, &[], &added)
}

fn sliding_slice<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let (start, limit) = (op.operand(1), op.operand(2));
    let strides = constant_ints(op.operand(3))?;
    strides.iter().all(|stride| *stride == 1).or_decline("the strides are not 1")?;
    let sum = defined_by(limit, OpKind::Add)?;
    let sizes = match (sum.operand(0) == start, sum.operand(1) == start) {
        (true, _) => sum.operand(1),
        (_, true) => sum.operand(0),
        _ => return Err("the limit is not a sum with the start".into()),
    };
    let sizes = sizes_of(sizes)?;
    let ty = op.operand(0).ty();
    let shape = ty.shape().or_decline("the operand has no rank")?;
    (shape.len() == sizes.len() && ty.has_static_shape())
        .or_decline("the operand is not static")?;
    let fits = sizes.iter().zip(&shape).all(|(size, length)| size <= length);
    fits.or_decline("the slice is larger than the operand")?;
    let (builder, element) = (rewriter.builder(), start.ty().element());
    let mut operands = vec![op.operand(0)];
    for dim in 0..sizes.len() as i64 {
        let bound = |at: i64| i64s(builder.context, &[at]);
        let slice = builder.op(stablehlo::SLICE).operand(start).attr("start_indices", bound(dim));
        let slice = slice.attr("limit_indices", bound(dim + 1)).attr("strides", bound(1));
        operands.push(builder.reshaped(slice.result(tensor(&[1], element)).value(), &[]));
    }
    let value = builder
        .op(stablehlo::DYNAMIC_SLICE)
        .operands(&operands)
        .attr("slice_sizes", i64s(builder.context, &sizes))
        .result(tensor(&sizes, ty.element()))
        .value();
    rewriter.replace(&[value]);
    Ok(())
}

fn gather<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let sizes = i64s(rewriter.context(), &constant_ints(op.operand(2))?);
    replace(op, rewriter, stablehlo::GATHER, 2, &[], &[("slice_sizes", sizes)])
}

fn convolution<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let edges = constant_ints(op.operand(2))?;
    let spatial = edges.len() / 2;
    let text =
        format!("dense<{:?}> : tensor<{spatial}x2xi64>", edges.chunks(2).collect::<Vec<_>>());
    let edges = strata_ir::parse_attr(rewriter.context(), &text);
    let edges = edges.or_decline("the padding has no elements")?;
    let (mut dropped, mut added) = (Vec::new(), vec![("padding", edges)]);
    let strides = op.attr("window_strides").and_then(|strides| strides.as_i64s());
    // A dynamic convolution may come with strides for more dimensions than it has.
    if let Some(strides) = strides.filter(|strides| strides.len() > spatial) {
        dropped.push("window_strides");
        added.push(("window_strides", i64s(rewriter.context(), &strides[..spatial])));
    }
    replace(op, rewriter, stablehlo::CONVOLUTION, 2, &dropped, &added)
}

/// The shape of the operand of `set_dimension_size`, the dimension that it names and the size that this one gets.
fn resized(op: Op<'_>) -> Outcome<(Vec<i64>, usize, i64)> {
    let shape = op.operand(0).ty().shape().or_decline("the operand is unranked")?;
    let dim = op.attr("dimension").and_then(|dim| dim.as_i64());
    let dim = dim.and_then(|dim| usize::try_from(dim).ok()).filter(|dim| *dim < shape.len());
    let dim = dim.or_decline("there is no such dimension")?;
    let sizes = constant_ints(op.operand(1))?;
    let size = sizes.first().or_decline("there is no size")?;
    Ok((shape, dim, *size))
}

fn full_dimension<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let (shape, dim, size) = resized(op)?;
    (shape[dim] == size).or_decline("the dimension gets another size")?;
    (op.operand(0).ty() == op.result(0).ty()).or_decline("the type changes")?;
    rewriter.replace(&[op.operand(0)]);
    Ok(())
}

fn shorter_dimension<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    static_result(op)?;
    let (mut to, dim, size) = resized(op)?;
    op.operand(0).ty().has_static_shape().or_decline("the operand's shape is not known")?;
    (0..=to[dim]).contains(&size).or_decline("the dimension grows")?;
    to[dim] = size;
    (op.result(0).ty().shape() == Some(to.clone())).or_decline("the result has another shape")?;
    let context = rewriter.context();
    let slice = rewriter
        .builder()
        .op(stablehlo::SLICE)
        .operand(op.operand(0))
        .attr("start_indices", i64s(context, &vec![0; to.len()]))
        .attr("limit_indices", i64s(context, &to))
        .attr("strides", i64s(context, &vec![1; to.len()]))
        .result(op.result(0).ty())
        .value();
    rewriter.replace(&[slice]);
    Ok(())
}
