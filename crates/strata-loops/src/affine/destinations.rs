//! Where tensor operations put their results, decided before bufferization.

use strata_ir::{AttributeExt as _, Builder, Context, Op, Value, unit};

use crate::maps::Map;

/// Gives every use of a `tensor.empty` an empty of its own: an empty that two operations share
/// looks like one buffer to the passes behind.
pub fn split_empties<'c>(context: &'c Context, root: Op<'c>) {
    for empty in root.collect(|op| op.is("tensor.empty")) {
        for (user, index) in empty.result(0).uses().into_iter().skip(1) {
            let own = Builder::before(context, user).insert(empty.clone_detached());
            user.set_operand(index, own.result(0));
        }
    }
}

/// Lets an output that is put together of parts be put together in its place, so that parts that come before it find
/// their places there; the tensors of those outputs.
///
/// Before:
/// ```mlir
/// %e = tensor.empty() : tensor<8xf32>
/// %y = tensor.insert_slice %part into %e[0] [4] [1]
/// bufferization.materialize_in_destination %y in restrict writable %out
/// ```
/// After:
/// ```mlir
/// %e = bufferization.to_tensor %out restrict writable : memref<8xf32> to tensor<8xf32>
/// ```
pub fn assemble_outputs<'c>(context: &'c Context, root: Op<'c>) -> Vec<Op<'c>> {
    let mut places = Vec::new();
    for end in root.collect(|op| op.is("bufferization.materialize_in_destination")) {
        let (mut value, target) = (end.operand(0), end.operand(1));
        let mut last = None;
        while let Some(part) = value.owner().filter(|owner| owner.is("tensor.insert_slice")) {
            if !value.has_one_use() {
                break;
            }
            (value, last) = (part.operand(1), Some(part));
        }
        let empty = value.owner().filter(|owner| owner.is("tensor.empty"));
        let (Some(first), Some(empty)) = (last, empty) else { continue };
        // Where the output is known, in front of everything that is computed.
        let start = match target.owner() {
            Some(owner) => owner.next(),
            None => end.block().and_then(|block| block.first_op()),
        };
        let Some(start) = start.filter(|_| empty.block() == end.block()) else { continue };
        let place = Builder { location: end.location(), ..Builder::before(context, start) }
            .op("bufferization.to_tensor")
            .operand(target)
            .attrs(&[("restrict", unit(context)), ("writable", unit(context))])
            .result(value.ty())
            .value();
        first.set_operand(1, place);
        places.extend(place.owner());
    }
    places
}

/// Makes tensors without content that parts are put into ahead of all else in their block: the elimination of
/// empties computes a part in its place only where that place is there already.
pub fn hoist_empties(root: Op<'_>) {
    for empty in root.collect(|op| op.is("tensor.empty") && op.operand_count() == 0) {
        let takes_parts =
            |(user, operand): (Op<'_>, usize)| user.is("tensor.insert_slice") && operand == 1;
        let first = empty.block().and_then(|block| block.first_op());
        if let Some(first) = first.filter(|first| *first != empty)
            && empty.result(0).uses().into_iter().any(takes_parts)
        {
            empty.move_before(first);
        }
    }
}

/// Lets pointwise operations write over an operand that dies there.
///
/// Before:
/// ```mlir
/// %e = tensor.empty() : tensor<4xf32>
/// %y = linalg.generic … ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
/// ```
/// After:
/// ```mlir
/// %y = linalg.generic … ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>)
/// ```
/// Bufferization still allocates where the reuse would be wrong, so this is a wish only.
pub fn reuse_operands(root: Op<'_>) {
    for op in root.collect(|op| op.is("linalg.generic")) {
        if let Some((output, operand)) = reusable(op) {
            op.set_operand(output, operand);
        }
    }
}

fn reusable<'c>(op: Op<'c>) -> Option<(usize, Value<'c>)> {
    let iterators = op.attr("iterator_types")?.as_array()?;
    if !iterators.iter().all(|one| one.to_string().contains("parallel")) || op.result_count() != 1 {
        return None;
    }
    let maps = op.attr("indexing_maps")?.as_array()?;
    let identity = maps.last().copied().and_then(Map::read).is_some_and(|map| map.is_identity());
    let output = op.operand_count().checked_sub(1)?;
    let destination = op.operand(output);
    if !destination.owner()?.is("tensor.empty") || op.body(0).arg(output).has_uses() {
        return None;
    }
    (0..output)
        .map(|index| (index, op.operand(index)))
        .find(|(index, value)| {
            value.ty() == destination.ty()
                && value.has_one_use()
                && maps.get(*index) == maps.last()
                && identity
                && value.owner().is_some_and(is_computed)
        })
        .map(|(_, value)| (output, value))
}

/// Whether the value lives in a buffer that may be written: not an input, not a constant.
fn is_computed(owner: Op<'_>) -> bool {
    matches!(owner.dialect(), "linalg" | "scf")
}
