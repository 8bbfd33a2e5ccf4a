//! Shape refinement: static types for values whose sizes follow from operands.
//!
//! ```text
//! %1 = convert %0 : (tensor<3xf32>) -> tensor<?xf32>              →  -> tensor<3xf32>
//! %2 = dynamic_broadcast_in_dim %z, dense<[3, 4]> : tensor<?x4xf32> →  tensor<3x4xf32>
//! %3 = while(%i = %1) : tensor<?xf32> { … }                       →  tensor<3xf32>, in the regions too
//! %4 = manual_computation(%b = %5 : tensor<8xf32>) { … }           →  %b : tensor<2xf32>, of four devices
//! ```
//!
//! Shapes come from the dialects' own inference, and from shape operands that are constant. The types of values only become
//! more specific; where two static sizes disagree, nothing changes and the verifier reports it afterwards.

use strata_ir::{
    AttributeExt as _, DYNAMIC, Op, OpKind, TensorSharding, Type, TypeExt as _, Value, axis_names,
    dimension_bounds, groups_of, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Pattern, Rewriter};
use strata_shapes::SHAPE_OPERANDS;

use crate::{
    interop::custom_call::target,
    pattern::{constant, defined_by},
};

/// Gives results and arguments of regions the types that follow from operands.
pub struct RefineTypes;

impl Pattern for RefineTypes {
    fn name(&self) -> &'static str {
        "refine-types"
    }

    fn roots(&self) -> &'static [OpKind] {
        OpKind::ALL
    }

    fn rewrite<'c>(&self, op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
        match op.kind() {
            OpKind::While => return refine_loop(op, rewriter),
            OpKind::SdyManualComputation => return refine_parts(op, rewriter),
            _ => {}
        }
        let is_open = op.results().iter().any(|result| is_dynamic(result.ty()));
        is_open.or_decline("all types are static")?;
        let shapes = shapes(op)?;
        let changed = op.results().into_iter().zip(shapes).filter(|(result, shape)| {
            narrowed(result.ty(), shape).is_some_and(|ty| {
                rewriter.retype(*result, ty);
                true
            })
        });
        (changed.count() > 0).or_decline("no size follows")
    }
}

/// Whether `ty` is a tensor with a dimension of unknown size.
pub fn is_dynamic(ty: Type<'_>) -> bool {
    ty.is_tensor_type() && !ty.has_static_shape()
}

/// The type with the sizes of `shape` where it has none; `None` if nothing changes or the two disagree.
fn narrowed<'c>(ty: Type<'c>, shape: &[i64]) -> Option<Type<'c>> {
    let old = ty.shape().filter(|old| is_dynamic(ty) && old.len() == shape.len())?;
    let meet = |(old, new): (&i64, &i64)| match (*old, *new) {
        (DYNAMIC, new) => Some(new),
        (old, DYNAMIC) => Some(old),
        (old, new) => (old == new).then_some(old),
    };
    let new: Vec<_> = old.iter().zip(shape).map(meet).collect::<Option<_>>()?;
    exceeded(ty, shape).is_none().then_some(())?;
    // A bound is given up with the last dimension that it could be of, not before.
    let is_static = !new.contains(&DYNAMIC);
    (new != old && (is_static || dimension_bounds(ty).is_none()))
        .then(|| tensor(&new, ty.element()))
}

/// A dimension with its size in `shape` and the smaller bound that the type has for it.
fn exceeded(ty: Type<'_>, shape: &[i64]) -> Option<(usize, i64, i64)> {
    let bounds = dimension_bounds(ty)?.into_iter().zip(shape).enumerate();
    let mut known = bounds.filter_map(|(dim, (bound, size))| Some((dim, *size, bound?)));
    known.find(|(_, size, bound)| *size != DYNAMIC && size > bound)
}

/// Why the sizes of an operation's results contradict their bounds.
pub fn beyond_bound(op: Op<'_>) -> Option<String> {
    let has_bound = |result: &Value<'_>| dimension_bounds(result.ty()).is_some();
    op.results().iter().any(has_bound).then_some(())?;
    let pairs = op.results().into_iter().zip(shapes(op).ok()?);
    let (dim, size, bound) = pairs.filter_map(|(one, shape)| exceeded(one.ty(), &shape)).next()?;
    Some(format!("dimension {dim} of its result is {size}, and the bound in its type {bound}"))
}

/// The sizes of each result that follow from the operands, [`DYNAMIC`] where none does.
fn shapes(op: Op<'_>) -> Outcome<Vec<Vec<i64>>> {
    let of = |value: Value<'_>| value.ty().shape().or_decline("an operand has no rank");
    let one = match op.kind() {
        OpKind::Convert | OpKind::UniformQuantize => of(op.operand(0))?,
        OpKind::BitcastConvert => bitcast(op)?,
        OpKind::Dot => dot(op)?,
        OpKind::DynamicBroadcastInDim | OpKind::DynamicReshape | OpKind::DynamicIota => {
            let sizes = op.operands().pop().or_decline("there is no shape operand")?;
            known_sizes(sizes)?
        }
        OpKind::CustomCall => return called(op),
        OpKind::AllGather => {
            return gathered(op, "all_gather_dim", |size, members| size.checked_mul(members));
        }
        OpKind::ReduceScatter => {
            let part = |size: i64, members| (size % members == 0).then_some(size / members);
            return gathered(op, "scatter_dimension", part);
        }
        _ => {
            let types = op.inferred_types().or_decline("the operation does not infer its types")?;
            let shape = |ty: Type<'_>| ty.shape().unwrap_or_default();
            return Ok(types.into_iter().map(shape).collect());
        }
    };
    Ok(vec![one])
}

/// The sizes of what a group has together, or of each member's part of it, which differ from those of the operands in one dimension.
fn gathered(
    op: Op<'_>,
    along: &str,
    size: impl Fn(i64, i64) -> Option<i64>,
) -> Outcome<Vec<Vec<i64>>> {
    let dim = op.attr(along).and_then(|dim| dim.as_i64());
    let dim = dim.and_then(|dim| usize::try_from(dim).ok()).or_decline("it has no dimension")?;
    let members = groups_of(op)?.first().map_or(1, Vec::len).max(1) as i64;
    let shape = |operand: Value<'_>| {
        let mut shape = operand.ty().shape().or_decline("an operand has no rank")?;
        let own = shape.get_mut(dim).or_decline("an operand has no such dimension")?;
        if *own != DYNAMIC {
            *own = size(*own, members).or_decline("its members do not divide a size")?;
        }
        Ok(shape)
    };
    op.operands().into_iter().map(shape).collect()
}

/// The numbers of a constant that are sizes.
pub fn sizes_of(value: Value<'_>) -> Outcome<Vec<i64>> {
    let sizes = constant(value)?.as_i64s().or_decline("the constant holds no integers")?;
    sizes.iter().all(|size| *size >= 0).or_decline("a size is negative")?;
    Ok(sizes)
}

/// The sizes in a list that is concatenated from constants and others, [`DYNAMIC`] for the others.
fn known_sizes(value: Value<'_>) -> Outcome<Vec<i64>> {
    if let Ok(sizes) = sizes_of(value) {
        return Ok(sizes);
    }
    let parts = defined_by(value, OpKind::Concatenate)?.operands().into_iter().map(|part| {
        let count = part.ty().element_count().or_decline("a part has no length")?;
        Ok(sizes_of(part).unwrap_or_else(|_| vec![DYNAMIC; count as usize]))
    });
    Ok(parts.collect::<Outcome<Vec<_>>>()?.concat())
}

/// The operand's shape, with the last dimension gone where the result's elements are wider, and added where they are narrower.
fn bitcast(op: Op<'_>) -> Outcome<Vec<i64>> {
    let (from, to) = (op.operand(0).ty(), op.result(0).ty());
    let mut shape = from.shape().or_decline("the operand has no rank")?;
    let (wide, narrow) = (from.element().bit_width(), to.element().bit_width());
    match wide.cmp(&narrow) {
        std::cmp::Ordering::Less => {
            shape.pop();
        }
        std::cmp::Ordering::Equal => {}
        std::cmp::Ordering::Greater => shape.push(DYNAMIC),
    }
    Ok(shape)
}

/// `dot` contracts the last dimension of the left operand with the first of the right one.
fn dot(op: Op<'_>) -> Outcome<Vec<i64>> {
    let shape = |index| op.operand(index).ty().shape().or_decline("an operand has no rank");
    let (mut left, right) = (shape(0)?, shape(1)?);
    left.pop();
    left.extend(right.into_iter().skip(1));
    Ok(left)
}

/// The results of a call whose last operands are the shapes of its results.
fn called(op: Op<'_>) -> Outcome<Vec<Vec<i64>>> {
    let given = op.attr(SHAPE_OPERANDS).and_then(|given| given.as_i64s());
    let given = given.or_decline("the call has no shape operands")?;
    if target(op) == "stablehlo.shape_refinement_operand_wrapper" {
        return Ok(vec![sizes_of(op.operand(1))?]);
    }
    let shape = |index: i64| {
        let operand =
            usize::try_from(index).ok().and_then(|index| op.operands().get(index).copied());
        known_sizes(operand.or_decline("there is no such shape operand")?)
    };
    given.into_iter().map(shape).collect()
}

/// The state of a loop has the types that it starts with.
fn refine_loop<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let mut changed = false;
    for (index, operand) in op.operands().into_iter().enumerate() {
        let shape = operand.ty().shape().unwrap_or_default();
        let blocks = op.regions().into_iter().filter_map(|region| region.first_block());
        let mut values: Vec<_> =
            blocks.filter_map(|block| block.args().get(index).copied()).collect();
        values.push(op.result(index));
        for value in values {
            if let Some(ty) = narrowed(value.ty(), &shape) {
                rewriter.retype(value, ty);
                changed = true;
            }
        }
    }
    changed.or_decline("no size follows")
}

/// A body that devices run on parts has parts of the sizes outside, and what it returns are parts of its results. What is a constant
/// outside is one in it: exporters pass sizes along.
fn refine_parts<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let body = op.region(0).first_block().or_decline("it has no body")?;
    let returned = body.terminator().map(Op::operands).unwrap_or_default();
    let manual = op.attr("manual_axes").map(axis_names).unwrap_or_default();
    let shardings = |name: &str| -> Outcome<Vec<TensorSharding>> {
        let listed = op.attr(name).and_then(TensorSharding::list_from_attribute);
        let mut listed = listed.or_decline("its shardings cannot be read")?;
        for one in &mut listed {
            one.remove_axes(|part| !manual.contains(&part.axis));
        }
        Ok(listed)
    };
    let sizes = |value: Value<'c>, sharding: &TensorSharding, of: fn(i64, i64) -> Option<i64>| {
        let shape = value.ty().shape()?;
        let mesh = sharding.mesh.resolve(op)?;
        let size = |(dim, size): (usize, &i64)| {
            let count =
                if sharding.dims.is_empty() { 1 } else { sharding.count_along(&mesh, dim)? };
            Some(if *size == DYNAMIC { DYNAMIC } else { of(*size, count)? })
        };
        shape.iter().enumerate().map(size).collect::<Option<Vec<_>>>()
    };
    let part = |size: i64, count: i64| (count > 0 && size % count == 0).then(|| size / count);
    let mut changed = false;
    let inputs = body.args().into_iter().zip(op.operands()).zip(shardings("in_shardings")?);
    for ((argument, operand), sharding) in inputs {
        if let Some(ty) =
            sizes(operand, &sharding, part).and_then(|shape| narrowed(argument.ty(), &shape))
        {
            rewriter.retype(argument, ty);
            changed = true;
        }
        let is_same = sharding.axes().next().is_none() && argument.ty() == operand.ty();
        if is_same && constant(operand).is_ok() && !argument.uses().is_empty() {
            rewriter.replace_argument(argument, operand);
            changed = true;
        }
    }
    let outputs = op.results().into_iter().zip(returned).zip(shardings("out_shardings")?);
    for ((result, value), sharding) in outputs {
        let shape = sizes(value, &sharding, |size, count| size.checked_mul(count));
        if let Some(ty) = shape.and_then(|shape| narrowed(result.ty(), &shape)) {
            rewriter.retype(result, ty);
            changed = true;
        }
    }
    changed.or_decline("no size follows")
}
