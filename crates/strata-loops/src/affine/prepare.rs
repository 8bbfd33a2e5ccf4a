//! Normalises the function on tensors for buffer assignment.
//!
//! No step changes the value of a tensor:
//!
//! - `while` loops carry scalars instead of tensors of rank 0;
//! - empty tensors are not computed;
//! - `tensor.pad` becomes a fill and an insertion, `tensor.splat` a fill;
//! - a view that no memref can express (a collapsed slice) becomes one of a copy.

use strata_ir::{
    AffineMap, Attribute, AttributeExt as _, Block, Builder, Context, LIMIT, Op, RegionBuilder,
    Type, TypeExt as _, Value, View as _, arith, linalg, scf, tensor,
};
use strata_target::tuning::reductions::{MIN_PARTIAL_PAD_BYTES, MIN_PARTIAL_ZERO_PAD_BYTES};

use super::paths::{Layout, Step};

/// Normalises `entry`.
pub fn prepare<'c>(context: &'c Context, entry: Op<'c>) {
    let mut loops = entry.collect(|op| op.is(scf::WHILE));
    // Inner loops first: rebuilding outer loops moves their operations.
    loops.reverse();
    for op in &loops {
        for nest in op.collect(|inner| inner.is(linalg::GENERIC)) {
            inline_numbers(context, nest);
        }
    }
    for op in loops {
        carry_numbers(context, op);
    }
    leave_out_empty(context, entry);
    let kinds = [tensor::PAD, tensor::SPLAT, tensor::COLLAPSE_SHAPE];
    let found = entry.collect(|op| kinds.contains(&op.name()));
    let (views, filled): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|op| op.is(tensor::COLLAPSE_SHAPE));
    for op in filled {
        match op.is(tensor::PAD) {
            true => {
                expand_pad(context, op);
            }
            false => expand_splat(context, op),
        }
    }
    for op in views {
        copy_what_cannot_be_shown(context, op);
    }
}

/// Replaces empty tensors by `tensor.empty`: they cannot be slices of a buffer, which would start past the last
/// element.
fn leave_out_empty<'c>(context: &'c Context, entry: Op<'c>) {
    let has_none = |value: Value<'c>| {
        value.ty().is_tensor_type()
            && value.ty().has_static_shape()
            && value.ty().element_count() == Some(0)
    };
    let mut found = entry.collect(|op| {
        let touches_none = (0..op.result_count()).any(|index| has_none(op.result(index)))
            || (0..op.operand_count()).any(|index| has_none(op.operand(index)));
        touches_none && !op.is(tensor::EMPTY)
    });
    // Users first, so that their operands become dead.
    found.reverse();
    for op in found {
        if op.is(tensor::INSERT_SLICE) && has_none(op.operand(0)) {
            op.result(0).replace_all_uses_with(op.operand(1));
            op.erase();
            continue;
        }
        for result in op.results().into_iter().filter(|one| has_none(*one) && one.has_uses()) {
            let builder = Builder::before(context, op);
            result.replace_all_uses_with(empty(&builder, result.ty()));
        }
        if matches!(op.dialect(), "tensor" | "linalg") && op.result_count() > 0 && op.is_unused() {
            op.erase();
        }
    }
}

fn empty<'c>(builder: &Builder<'c>, ty: Type<'c>) -> Value<'c> {
    tensor::empty(builder, &[], ty).value()
}

/// `linalg.fill`.
fn fill<'c>(builder: &Builder<'c>, number: Value<'c>, ty: Type<'c>) -> Value<'c> {
    builder.fill(number, empty(builder, ty))
}

/// Before: `%y = tensor.splat %a : tensor<4xf32>`
/// After: `%y = linalg.fill ins(%a : f32) outs(%e : tensor<4xf32>)`
fn expand_splat<'c>(context: &'c Context, op: Op<'c>) {
    let ty = op.result(0).ty();
    if !ty.has_static_shape() {
        return;
    }
    let filled = fill(&Builder::before(context, op), op.operand(0), ty);
    op.result(0).replace_all_uses_with(filled);
    op.erase();
}

/// Before: `%y = tensor.pad %x low[1] high[1] { tensor.yield %a } : tensor<4xf32> to tensor<6xf32>`
/// After: `%f = linalg.fill ins(%a) outs(%e)`, `%y = tensor.insert_slice %x into %f[1] [4] [1]`
///
/// Where the first elements are needed only, the fill and the insertion are nests with limits.
fn expand_pad<'c>(context: &'c Context, op: Op<'c>) -> Option<()> {
    let body = op.body(0);
    let end = body.terminator()?;
    let (source, ty) = (op.operand(0), op.result(0).ty());
    let low = op.attr("static_low")?.as_i64s()?;
    let is_static = source.ty().has_static_shape()
        && ty.has_static_shape()
        && low.iter().all(|one| *one >= 0)
        && op.operand_count() == 1;
    if !is_static || body.args().into_iter().any(Value::has_uses) {
        return None;
    }
    let builder = Builder::before(context, op);
    for inner in body.ops().into_iter().filter(|inner| *inner != end) {
        builder.adopt(inner);
    }
    let number = end.operand(0);
    let edges = Edges::of(source.ty(), ty, &low)?;
    let limits = op.attr(LIMIT).and_then(|limits| limits.as_array());
    let filled = match (edges.are_filled_alone(number), op.attr(LIMIT)) {
        (true, _) => edges.fill(&builder, number),
        (false, None) => fill(&builder, number, ty),
        (false, Some(limits)) => {
            let whole = elementwise(&builder, None, empty(&builder, ty), number);
            whole.set_attr(LIMIT, limits);
            whole.result(0)
        }
    };
    if source.ty().element_count() == Some(0) {
        // An empty insertion, which would start past the last element, is dropped.
        op.result(0).replace_all_uses_with(filled);
        op.erase();
        return Some(());
    }
    let part = match limits {
        None => source,
        Some(limits) => {
            let strides = vec![1; low.len()];
            let slice =
                tensor::extract_slice(&builder, filled, &low, &edges.inner, &strides, source.ty());
            let copy = elementwise(&builder, Some(source), slice.value(), number);
            copy.set_attr(LIMIT, moved(context, &limits, &low)?);
            copy.result(0)
        }
    };
    let inserted = insert(&builder, part, filled, &low);
    op.result(0).replace_all_uses_with(inserted);
    op.erase();
    Some(())
}

/// A nest that writes `source` to `into`, or `number` to each element.
fn elementwise<'c>(
    builder: &Builder<'c>,
    source: Option<Value<'c>>,
    into: Value<'c>,
    number: Value<'c>,
) -> Op<'c> {
    let ty = into.ty();
    let count = 1 + usize::from(source.is_some());
    let body = builder.region(&vec![ty.element(); count], |inside, arguments| {
        let value = if source.is_some() { arguments[0] } else { number };
        linalg::yield_(inside, &[value]).build();
    });
    let rank = ty.rank().unwrap_or(0);
    let maps = vec![AffineMap::identity(rank); count];
    let loops = vec![linalg::IteratorType::Parallel; rank];
    let nest = linalg::generic(builder, &maps, &loops, &[ty], body);
    nest.inputs(&Vec::from_iter(source)).outputs(&[into]).build().op()
}

/// The limits of what is at `low` in a tensor with these.
fn moved<'c>(context: &'c Context, limits: &[Attribute<'c>], low: &[i64]) -> Option<Attribute<'c>> {
    let maps = limits.iter().zip(low).map(|(limit, low)| {
        let map = AffineMap::of(*limit)?;
        let results = map.results.into_iter().map(|limit| limit + -low).collect();
        Some(AffineMap { results, ..map })
    });
    Some(AffineMap::list(context, &maps.collect::<Option<Vec<_>>>()?))
}

/// The padding of a pad.
struct Edges<'c> {
    /// The type of the padded tensor, and its sizes.
    ty: Type<'c>,
    sizes: Vec<i64>,
    /// The offsets of the source, and its sizes.
    low: Vec<i64>,
    inner: Vec<i64>,
}

impl<'c> Edges<'c> {
    fn of(source: Type<'c>, ty: Type<'c>, low: &[i64]) -> Option<Self> {
        let (sizes, inner) = (ty.shape()?, source.shape()?);
        Some(Self { ty, sizes, low: low.to_vec(), inner })
    }

    /// Whether the source is most of a large tensor that is padded with `number`.
    fn are_filled_alone(&self, number: Value<'c>) -> bool {
        let constant = number.owner().filter(|owner| owner.is(arith::CONSTANT));
        let value = constant.and_then(|constant| constant.attr("value"));
        let is_zero = value.is_some_and(|value| {
            value.as_i64() == Some(0) || value.as_f64().is_some_and(|one| one.to_bits() == 0)
        });
        let least = if is_zero { MIN_PARTIAL_ZERO_PAD_BYTES } else { MIN_PARTIAL_PAD_BYTES };
        let (all, inner) = (self.sizes.iter().product::<i64>(), self.inner.iter().product::<i64>());
        let bytes = self.ty.element().byte_width().and_then(|width| i64::try_from(width).ok());
        bytes.is_some_and(|bytes| all.saturating_mul(bytes) >= least) && inner > all / 2
    }

    /// A tensor filled with `number` except where the source goes.
    fn fill(&self, builder: &Builder<'c>, number: Value<'c>) -> Value<'c> {
        let mut filled = empty(builder, self.ty);
        for dim in 0..self.sizes.len() {
            let high_start = self.low[dim] + self.inner[dim];
            for (start, size) in [(0, self.low[dim]), (high_start, self.sizes[dim] - high_start)] {
                if size == 0 {
                    continue;
                }
                // Later dimensions entirely; of earlier ones what is not filled yet.
                let pick = |front: &[i64], own: i64, back: &[i64]| {
                    [&front[..dim], &[own], &back[dim + 1..]].concat()
                };
                let starts = pick(&self.low, start, &vec![0; self.sizes.len()]);
                let sizes = pick(&self.inner, size, &self.sizes);
                let edge = fill(builder, number, tensor(&sizes, self.ty.element()));
                filled = insert(builder, edge, filled, &starts);
            }
        }
        filled
    }
}

/// `into` with `part` at `starts`.
fn insert<'c>(
    builder: &Builder<'c>,
    part: Value<'c>,
    into: Value<'c>,
    starts: &[i64],
) -> Value<'c> {
    let sizes = part.ty().shape().unwrap_or_default();
    let strides = vec![1; sizes.len()];
    tensor::insert_slice(builder, part, into, starts, &sizes, &strides, into.ty()).value()
}

/// Before: `%c = tensor.collapse_shape %slice [[0, 1]]`
/// After: `%copy = linalg.generic {identity} ins(%slice) outs(%e)`, `%c = tensor.collapse_shape %copy [[0, 1]]`
fn copy_what_cannot_be_shown<'c>(context: &'c Context, op: Op<'c>) {
    if layout(op.result(0)).is_some() {
        return;
    }
    let builder = Builder::before(context, op);
    let source = op.operand(0);
    let ty = source.ty();
    let Some(rank) = ty.rank() else { return };
    let element = ty.element();
    let body = builder.region(&[element, element], |inside, arguments| {
        linalg::yield_(inside, &[arguments[0]]).build();
    });
    let maps = vec![AffineMap::identity(rank); 2];
    let loops = vec![linalg::IteratorType::Parallel; rank];
    let copy = linalg::generic(&builder, &maps, &loops, &[ty], body);
    op.set_operand(0, copy.inputs(&[source]).outputs(&[empty(&builder, ty)]).value());
}

/// The layout of `value` in the tensor that it is a view of.
fn layout(value: Value<'_>) -> Option<Layout> {
    let view = value.owner().and_then(|owner| Some((owner, Step::of(owner)?)));
    match view {
        Some((owner, step)) if !owner.is(tensor::INSERT_SLICE) => {
            layout(owner.operand(0))?.after(&step)
        }
        _ => Some(Layout::whole(&value.ty().shape()?)),
    }
}

fn is_number(value: Value<'_>) -> bool {
    value.ty().is_tensor_type() && value.ty().rank() == Some(0)
}

/// Makes a loop carry scalars instead of tensors of rank 0.
///
/// Before: `scf.while (%i = %zero) : (tensor<i32>) -> (tensor<i32>)`
/// After: `scf.while (%i = %c0) : (i32) -> (i32)`
fn carry_numbers<'c>(context: &'c Context, op: Op<'c>) {
    let (before, after) = (op.body(0), op.body(1));
    let (Some(condition), Some(end)) = (before.terminator(), after.terminator()) else {
        return;
    };
    if !op.operands().into_iter().chain(op.results()).any(is_number) {
        return;
    }
    let front = Builder::before(context, op);
    let first = numbers_of(&front, &op.operands());
    let passed = numbers_of(&Builder::before(context, condition), &condition.operands()[1..]);
    let yielded = numbers_of(&Builder::before(context, end), &end.operands());
    // Here, because operations that extract a scalar are erased once it is an argument.
    let types: Vec<_> = passed.iter().map(|value| value.ty()).collect();
    Builder::before(context, condition)
        .op(scf::CONDITION)
        .operand(condition.operand(0))
        .operands(&passed)
        .build();
    condition.erase();
    Builder::before(context, end).op(scf::YIELD).operands(&yielded).build();
    end.erase();
    for block in [before, after] {
        take_numbers(context, block, op);
    }
    let new = front
        .op(scf::WHILE)
        .operands(&first)
        .results(&types)
        .attrs(&op.attrs())
        .region(RegionBuilder::take(op.region(0)))
        .region(RegionBuilder::take(op.region(1)))
        .build();
    for (old, new) in op.results().into_iter().zip(new.results()) {
        match is_number(old) {
            true => hand_number(&front, old, new),
            false => old.replace_all_uses_with(new),
        }
    }
    op.erase();
}

fn numbers_of<'c>(builder: &Builder<'c>, values: &[Value<'c>]) -> Vec<Value<'c>> {
    let number = |value: &Value<'c>| match is_number(*value) {
        true => number(builder, *value),
        false => *value,
    };
    values.iter().map(number).collect()
}

/// Changes arguments of rank 0 of `block` to scalars.
fn take_numbers<'c>(context: &'c Context, block: Block<'c>, op: Op<'c>) {
    for argument in block.args() {
        let ty = argument.ty();
        let element = if is_number(argument) { ty.element() } else { ty };
        let new = block.add_arg(element, op.location());
        let start = Builder::at_start(context, block, op.location());
        match is_number(argument) {
            true => hand_number(&start, argument, new),
            false => argument.replace_all_uses_with(new),
        }
        block.erase_arg(0);
    }
}

/// The element of a tensor of rank 0.
fn number<'c>(builder: &Builder<'c>, tensor: Value<'c>) -> Value<'c> {
    let element = tensor.ty().element();
    match tensor.owner() {
        Some(owner) if owner.is(tensor::FROM_ELEMENTS) => return owner.operand(0),
        Some(owner) if owner.is(arith::CONSTANT) => {
            let splat = owner.attr("value").and_then(|value| value.splat_value());
            if let Some(splat) = splat.filter(|_| !element.is_complex()) {
                return builder.op(arith::CONSTANT).attr("value", splat).result(element).value();
            }
        }
        _ => {}
    }
    builder.op(tensor::EXTRACT).operand(tensor).result(element).value()
}

/// Replaces a tensor of rank 0 by its element in users that extract it.
fn hand_number<'c>(builder: &Builder<'c>, old: Value<'c>, number: Value<'c>) {
    // Created before anything is erased: the builder's insertion point may be an erased operation.
    let is_read = |(user, _): &(Op<'c>, usize)| user.is(tensor::EXTRACT);
    let made = (!old.uses().iter().all(is_read)).then(|| {
        builder.op(tensor::FROM_ELEMENTS).operand(number).result(tensor(&[], number.ty())).value()
    });
    for (user, _) in old.uses().into_iter().filter(is_read) {
        user.result(0).replace_all_uses_with(number);
        user.erase();
    }
    if let Some(made) = made {
        old.replace_all_uses_with(made);
    }
}

/// Replaces an operation on tensors of rank 0 by operations on their elements.
///
/// Before: `%j = linalg.generic … ins(%i : tensor<i32>) outs(%e : tensor<i32>) { … arith.addi … }`
/// After: `%0 = tensor.extract %i[]`, `%1 = arith.addi %0, …`, `%j = tensor.from_elements %1`
fn inline_numbers<'c>(context: &'c Context, nest: Op<'c>) {
    let loops = nest.attr("iterator_types").and_then(|list| list.as_array());
    let has_loops = loops.is_none_or(|loops| !loops.is_empty());
    if has_loops || !nest.operands().into_iter().all(is_number) {
        return;
    }
    let body = nest.body(0);
    let Some(end) = body.terminator() else { return };
    let builder = Builder::before(context, nest);
    for (argument, operand) in body.args().into_iter().zip(nest.operands()) {
        if argument.has_uses() {
            argument.replace_all_uses_with(number(&builder, operand));
        }
    }
    for op in body.ops().into_iter().filter(|op| *op != end) {
        builder.adopt(op);
    }
    for (result, value) in nest.results().into_iter().zip(end.operands()) {
        hand_number(&builder, result, value);
    }
    nest.erase();
}
