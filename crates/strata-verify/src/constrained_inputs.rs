//! Inputs with constraints on their values: drawn so that the program's behaviour is defined.
//!
//! Group sizes (`chlo.ragged_dot`) are not negative, and add up to at most the size of the dimension that they partition. Sizes
//! that values set (`set_dimension_size`, the shapes of results whose types have bounds) are at most these bounds. Lists of rows
//! (`ragged_all_to_all`) name rows that are there.

use std::collections::BTreeMap;

use strata_eval::{Element, Tensor, rng::RngStream};
use strata_ir::{
    AttributeExt as _, DYNAMIC, Module, Op, OpKind, TypeExt as _, Value, dimension_bounds, entry,
    is_ragged, module_op,
};

/// The maximum depth of calls that a value is followed through.
const DEEPEST: usize = 16;

/// Replaces those random `inputs` of the function `entry_name` that are constrained.
pub fn restrict(module: &Module<'_>, entry_name: &str, inputs: &mut [Tensor], seed: u64) {
    let Ok(function) = entry(module, Some(entry_name)) else { return };
    let mut stream = RngStream::new(seed);
    for product in module_op(module).collect(|op| op.kind() == OpKind::ChloRaggedDot) {
        let Some(size) = ragged_size(product) else { continue };
        let mut found = Vec::new();
        inputs_of(module, function, (product.operand(2), 0), DEEPEST, &mut found);
        for (input, _) in found {
            if let Some(tensor) = inputs.get_mut(input) {
                *tensor = groups(tensor, size, &mut stream);
            }
        }
    }
    // What an element of an input may be: the intersection, if it is the size of several dimensions.
    let mut ranges = BTreeMap::<(usize, usize), (i64, i64)>::new();
    for op in module_op(module).collect(|op| !sizes_of(op).is_empty()) {
        for (size, (least, most)) in sizes_of(op) {
            let mut found = Vec::new();
            inputs_of(module, function, size, DEEPEST, &mut found);
            for element in found {
                let range = ranges.entry(element).or_insert((least, most));
                *range = (range.0.max(least), range.1.min(most));
            }
        }
    }
    for ((input, element), (least, most)) in ranges {
        let Some(tensor) = inputs.get_mut(input).filter(|tensor| element < tensor.len()) else {
            continue;
        };
        let ty = tensor.element_type();
        let most = most.min(i64::try_from(ty.max_integer()).unwrap_or(i64::MAX));
        let range = most.saturating_sub(least).max(0) as u64 + 1;
        let drawn = least + (stream.next_u64() % range) as i64;
        let value = |at| if at == element { ty.from_i64(drawn) } else { tensor.get(at) };
        *tensor = Tensor::from_fn(tensor.shape(), ty, value);
    }
}

/// An element of a list of integers.
type Place<'c> = (Value<'c>, usize);

/// A value of a program, and the least and the most that it may be.
type Limited<'c> = (Place<'c>, (i64, i64));

/// The lists of an exchange of ragged rows: at most half of the rows that both sides have, from and to where there are as many.
fn rows_of(op: Op<'_>) -> Vec<Limited<'_>> {
    let operands = op.operands();
    let [rows, output, from, sizes, to, _] = operands[..] else { return Vec::new() };
    let (Some(has), Some(room)) = (largest(rows, 0), largest(output, 0)) else { return Vec::new() };
    let most = has.min(room) / 2;
    let lists = [(from, has - most), (sizes, most), (to, room - most)];
    let each = lists.into_iter().flat_map(|(list, most)| {
        let count = list.ty().element_count().and_then(|count| usize::try_from(count).ok());
        (0..count.unwrap_or(0)).map(move |at| ((list, at), (0, most)))
    });
    each.collect()
}

/// The values that are sizes of an operation's result, or of what it moves, and what they may be, where values may set some of them.
fn sizes_of(op: Op<'_>) -> Vec<Limited<'_>> {
    let list = match op.kind() {
        OpKind::CustomCall if is_ragged(op) => return rows_of(op),
        OpKind::SetDimensionSize => {
            let dim = op.attr("dimension").and_then(|dim| dim.as_i64());
            let dim = dim.and_then(|dim| usize::try_from(dim).ok());
            let most = dim.and_then(|dim| largest(op.operand(0), dim));
            return most.map(|most| ((op.operand(1), 0), (0, most))).into_iter().collect();
        }
        OpKind::DynamicIota => op.operand(0),
        OpKind::DynamicBroadcastInDim | OpKind::DynamicReshape => op.operand(1),
        OpKind::RealDynamicSlice | OpKind::Rng => op.operand(2),
        _ => return Vec::new(),
    };
    let result = op.result(0);
    let shape = result.ty().shape().unwrap_or_default();
    let range = |(dim, size): (usize, &i64)| {
        let most = largest(result, dim)?;
        let least = if *size == DYNAMIC { 0 } else { *size };
        let (start, end) = match op.kind() {
            OpKind::RealDynamicSlice => {
                let starts = op.operand(1).owner().and_then(|starts| starts.attr("value"));
                (*starts?.as_i64s()?.get(dim)?, largest(op.operand(0), dim)?)
            }
            _ => (0, most),
        };
        Some(((list, dim), (start + least, start.saturating_add(most).min(end))))
    };
    shape.iter().enumerate().filter_map(range).collect()
}

/// The largest size of a dimension, by its type.
fn largest(value: Value<'_>, dim: usize) -> Option<i64> {
    let size = value.ty().shape()?.get(dim).copied().filter(|size| *size != DYNAMIC);
    size.or_else(|| dimension_bounds(value.ty())?.get(dim).copied().flatten())
}

/// The size of the dimension that is partitioned into groups.
fn ragged_size(product: Op<'_>) -> Option<i64> {
    let text = product.attr("ragged_dot_dimension_numbers")?.to_string();
    let (_, list) = text.split_once("lhs_ragged_dimensions = [")?;
    let first = list.split([',', ']']).next()?;
    product.operand(0).ty().shape()?.get(first.trim().parse::<usize>().ok()?).copied()
}

/// The elements of inputs of `function` that an element of a value is moved or converted from: position of the input, of the
/// element in it.
fn inputs_of<'c>(
    module: &Module<'c>,
    function: Op<'c>,
    (value, element): Place<'c>,
    depth: usize,
    found: &mut Vec<(usize, usize)>,
) {
    if depth == 0 {
        return;
    }
    if let Some(owner) = value.owner() {
        if let Some(from) = moved_from(owner, element) {
            inputs_of(module, function, from, depth - 1, found);
        }
        return;
    }
    let Some((block, position)) = value.block_arg() else { return };
    let Some(parent) = block.parent_op() else { return };
    if parent == function {
        found.push((position, element));
        return;
    }
    if parent.kind() == OpKind::SdyManualComputation {
        // The parts that devices have are of all elements.
        let operand = parent.operand(position);
        let is_whole = operand.ty() == value.ty();
        let count = operand.ty().element_count().and_then(|count| usize::try_from(count).ok());
        let all = 0..count.unwrap_or(0);
        for at in all.filter(|at| !is_whole || *at == element) {
            inputs_of(module, function, (operand, at), depth - 1, found);
        }
        return;
    }
    // An argument of another function is the operand of its callers.
    let Some(name) = parent.attr("sym_name").and_then(|name| name.as_str()) else { return };
    let calls = module_op(module).collect(|op| {
        let callee = op.attr("callee").or_else(|| op.attr("decomposition"));
        callee.and_then(|callee| callee.as_symbol()) == Some(name)
    });
    for call in calls.into_iter().filter(|call| position < call.operand_count()) {
        inputs_of(module, function, (call.operand(position), element), depth - 1, found);
    }
}

/// The element of an operand that an element of the result is.
fn moved_from(op: Op<'_>, element: usize) -> Option<Place<'_>> {
    match op.kind() {
        OpKind::Convert | OpKind::Reshape | OpKind::OptimizationBarrier => {
            (op.operand_count() == 1).then(|| (op.operand(0), element))
        }
        OpKind::BroadcastInDim => {
            (op.operand(0).ty().element_count() == Some(1)).then(|| (op.operand(0), 0))
        }
        OpKind::Slice if op.operand(0).ty().rank() == Some(1) => {
            let [start, stride] = ["start_indices", "strides"].map(|name| {
                Some(*op.attr(name)?.as_i64s()?.first()?).filter(|number| *number >= 0)
            });
            Some((op.operand(0), start? as usize + element * stride? as usize))
        }
        OpKind::Concatenate if op.result(0).ty().rank() == Some(1) => {
            let mut place = element;
            for part in op.operands() {
                let count = usize::try_from(part.ty().element_count()?).ok()?;
                if place < count {
                    return Some((part, place));
                }
                place -= count;
            }
            None
        }
        _ => None,
    }
}

/// Sizes of consecutive groups in `size` elements.
fn groups(like: &Tensor, size: i64, stream: &mut RngStream) -> Tensor {
    let per_row = like.shape().last().copied().unwrap_or(1).max(1);
    let size = size.min(i64::try_from(like.element_type().max_integer()).unwrap_or(i64::MAX));
    let mut elements = Vec::with_capacity(like.len());
    for _ in 0..like.len() / per_row {
        let draw = |_| (stream.next_u64() % (size.max(0) as u64 + 1)) as i64;
        let mut ends: Vec<i64> = (0..per_row).map(draw).collect();
        ends.sort_unstable();
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let sizes = ends.iter().zip(starts).map(|(end, start)| end - start);
        elements.extend(sizes.map(|size| like.element_type().from_i64(size)));
    }
    let fits = elements.len() == like.len();
    let at = |position: usize| elements.get(position).copied().unwrap_or(Element::Signed(0));
    if fits { Tensor::from_fn(like.shape(), like.element_type(), at) } else { like.clone() }
}
