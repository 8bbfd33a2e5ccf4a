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
//! What constants determine may still have operands of unknown size. Nothing is done where they say other sizes than the type.

use strata_ir::{
    Attribute, AttributeExt as _, Builder, Context, Op, OpKind, OpName, TypeExt as _, Value,
    capture, i64s, stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    emit::Emit as _,
    pattern::{constant, defined_by, patterns},
    sizes::{declared, sizes_of},
};

patterns! {
    /// A shape operand that says what the result's type does.
    StaticShapeOperand = "static-shape-operand" on [DynamicBroadcastInDim, DynamicReshape, DynamicIota] by shape_operand;
    /// Padding that is constant.
    StaticPad = "static-pad" on [DynamicPad] by static_form;
    /// Bounds that are constant.
    StaticSlice = "static-slice" on [RealDynamicSlice] by static_form;
    /// Bounds that are a constant apart.
    SlidingSlice = "sliding-slice" on [RealDynamicSlice] by sliding_slice;
    /// Slice sizes that are constant.
    StaticGather = "static-gather" on [DynamicGather] by static_form;
    /// Padding of a window that is constant.
    StaticConvolution = "static-convolution" on [DynamicConv] by static_form;
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

/// A static form: an operation on the first operands, with the attributes except some, and others.
struct Form<'c> {
    name: OpName<'static>,
    operands: usize,
    dropped: Vec<&'static str>,
    added: Vec<(&'static str, Attribute<'c>)>,
}

impl<'c> Form<'c> {
    /// The operation before it has a place; what was computed may contradict the type of the result, which is an error.
    fn build(&self, op: Op<'c>, builder: &Builder<'c>) -> Result<Op<'c>, String> {
        let mut attributes = op.attrs();
        attributes.retain(|(name, _)| !self.dropped.contains(name));
        let new = builder
            .op(self.name)
            .operands(&op.operands()[..self.operands])
            .attrs(&attributes)
            .attrs(&self.added)
            .result(op.result(0).ty())
            .build_detached();
        let (is_valid, reports) = capture(builder.context, || new.verify());
        if is_valid {
            return Ok(new);
        }
        new.erase();
        Err(reports.into_iter().next().map(|report| report.message).unwrap_or_default())
    }
}

/// What the verifier says of the static form that an operation with constant operands has; `None` if it is right, or there is none.
pub fn contradiction<'c>(op: Op<'c>, builder: &Builder<'c>) -> Option<String> {
    match form(op, builder.context).ok()?.build(op, builder) {
        Ok(new) => {
            new.erase();
            None
        }
        Err(why) => Some(why),
    }
}

fn form<'c>(op: Op<'c>, context: &'c Context) -> Outcome<Form<'c>> {
    let constants = |first: usize, names: &[&'static str]| {
        let list = |(index, name): (usize, &&'static str)| {
            Ok((*name, i64s(context, &constant_ints(op.operand(first + index))?)))
        };
        names.iter().enumerate().map(list).collect::<Outcome<Vec<_>>>()
    };
    let plain = |name, operands, added| Form { name, operands, dropped: Vec::new(), added };
    Ok(match op.kind() {
        OpKind::DynamicPad => {
            let names = ["edge_padding_low", "edge_padding_high", "interior_padding"];
            plain(stablehlo::PAD, 2, constants(2, &names)?)
        }
        OpKind::RealDynamicSlice => {
            let names = ["start_indices", "limit_indices", "strides"];
            plain(stablehlo::SLICE, 1, constants(1, &names)?)
        }
        OpKind::DynamicGather => plain(stablehlo::GATHER, 2, constants(2, &["slice_sizes"])?),
        OpKind::DynamicConv => convolution(op, context)?,
        _ => return Err("the operation has no static form".into()),
    })
}

fn static_form<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let builder = rewriter.builder();
    let new = form(op, builder.context)?.build(op, &builder);
    let new = new.map_err(|_| "its sizes contradict its type")?;
    rewriter.replace(&[builder.insert(new).result(0)]);
    Ok(())
}

fn shape_operand<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    declared::agree(op)?;
    let new = of_type(op, &rewriter.builder())?;
    rewriter.replace(&[new]);
    Ok(())
}

/// The static form whose sizes are those of the result's type.
pub fn of_type<'c>(op: Op<'c>, builder: &Builder<'c>) -> Outcome<Value<'c>> {
    static_result(op)?;
    let operands = op.operands().len() - 1;
    let known = op.operands()[..operands].iter().all(|value| value.ty().has_static_shape());
    known.or_decline("the operand's shape is known at run time only")?;
    let name = match op.kind() {
        OpKind::DynamicBroadcastInDim => stablehlo::BROADCAST_IN_DIM,
        OpKind::DynamicReshape => stablehlo::RESHAPE,
        _ => stablehlo::IOTA,
    };
    let dropped = vec!["known_expanding_dimensions", "known_nonexpanding_dimensions"];
    let form = Form { name, operands, dropped, added: Vec::new() };
    let new = form.build(op, builder).map_err(|_| "its sizes contradict its type")?;
    Ok(builder.insert(new).result(0))
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
    declared::agree(op)?;
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

fn convolution<'c>(op: Op<'c>, context: &'c Context) -> Outcome<Form<'c>> {
    let edges = constant_ints(op.operand(2))?;
    let spatial = edges.len() / 2;
    let text =
        format!("dense<{:?}> : tensor<{spatial}x2xi64>", edges.chunks(2).collect::<Vec<_>>());
    let edges = strata_ir::parse_attr(context, &text);
    let edges = edges.or_decline("the padding has no elements")?;
    let (mut dropped, mut added) = (Vec::new(), vec![("padding", edges)]);
    let strides = op.attr("window_strides").and_then(|strides| strides.as_i64s());
    // A dynamic convolution may come with strides for more dimensions than it has.
    if let Some(strides) = strides.filter(|strides| strides.len() > spatial) {
        dropped.push("window_strides");
        added.push(("window_strides", i64s(context, &strides[..spatial])));
    }
    Ok(Form { name: stablehlo::CONVOLUTION, operands: 2, dropped, added })
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
    let ones = vec![1; to.len()];
    let slice = rewriter.builder().sliced(op.operand(0), &vec![0; to.len()], &to, &ones);
    rewriter.replace(&[slice]);
    Ok(())
}
