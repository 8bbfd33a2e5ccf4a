//! What an operation reads and writes, by its semantics and its buffers.

use strata_ir::{
    AttributeExt as _, DYNAMIC, Op, TypeExt as _, Value, func, linalg, tensor, vector,
};

use super::{
    memories::{MapShape, Memories},
    paths::Node,
};

/// A tensor that an operation reads.
pub struct Read<'c> {
    /// The tensor.
    pub value: Value<'c>,
    /// The buffer that is read; `None` if it has none.
    pub place: Option<Node>,
    /// Whether the operation overwrites it itself before or without reading it.
    pub except: Option<Node>,
    /// Whether only some elements are read, which may be valid although the rest of the tensor is not.
    pub is_part: bool,
    /// The writes, by number, that may be to the same memory: each element is read just before it is written.
    pub same: Vec<usize>,
    /// Whether this is the tensor that the operation updates: it must be in the result's buffer.
    pub is_changed: bool,
}

/// What an operation reads, then writes, and what holds afterwards.
#[derive(Default)]
pub struct Effects<'c> {
    /// All tensors that are read.
    pub reads: Vec<Read<'c>>,
    /// All memory that is written.
    pub writes: Vec<Node>,
    /// The buffer of each result afterwards.
    pub results: Vec<(Node, Value<'c>)>,
}

/// An operation with the memory of its operands and results.
pub struct Placed<'c> {
    /// The operation.
    pub op: Op<'c>,
    /// The memory of its operands.
    pub operands: Vec<Option<Node>>,
    /// The memory of its results.
    pub results: Vec<Option<Node>>,
    /// The tensors that its regions read.
    pub captured: Vec<(Value<'c>, Node)>,
}

/// The effects of `placed`.
pub fn effects<'c>(places: &mut Memories<'c>, placed: &Placed<'c>) -> Effects<'c> {
    let op = placed.op;
    let mut done = Effects::default();
    for (value, place) in &placed.captured {
        done.reads.push(Read { place: Some(*place), ..read(*value) });
    }
    for (index, place) in placed.results.iter().enumerate() {
        done.results.extend(place.map(|place| (place, op.result(index))));
    }
    match op.name() {
        tensor::DIM | tensor::RANK => {}
        tensor::EXTRACT | vector::TRANSFER_READ => {
            done.reads.extend(operand(placed, 0).map(|source| Read { is_part: true, ..source }));
        }
        tensor::INSERT | vector::TRANSFER_WRITE => element_write(places, placed, &mut done),
        tensor::INSERT_SLICE => insertion(places, placed, &mut done),
        func::CALL => destinations(placed, &mut done, |_| true, |_, _| false),
        _ if op.dialect() == "linalg" => structured(placed, &mut done),
        _ => {
            (0..op.operand_count()).for_each(|index| done.reads.extend(operand(placed, index)));
            done.writes = done.results.iter().map(|(place, _)| *place).collect();
        }
    }
    done
}

fn read(value: Value<'_>) -> Read<'_> {
    Read { value, place: None, except: None, is_part: false, same: Vec::new(), is_changed: false }
}

/// The read of an operand; `None` if it is not a tensor.
fn operand<'c>(placed: &Placed<'c>, index: usize) -> Option<Read<'c>> {
    let value = placed.op.operand(index);
    let place = placed.operands.get(index).copied().flatten();
    value.ty().is_tensor_type().then(|| Read { place, ..read(value) })
}

fn element_write<'c>(places: &mut Memories<'c>, placed: &Placed<'c>, done: &mut Effects<'c>) {
    let op = placed.op;
    let Some((place, _)) = done.results.first().copied() else { return };
    let written = places.written_part(op, place);
    let rank = op.operand(1).ty().rank().unwrap_or(0);
    let is_masked = op.is(vector::TRANSFER_WRITE) && op.operand_count() > 2 + rank;
    done.reads.extend(operand(placed, 1).map(|rest| Read {
        place: Some(place),
        except: written.filter(|_| !is_masked && written == Some(place)),
        is_changed: true,
        ..rest
    }));
    done.writes.push(written.unwrap_or(place));
}

fn insertion<'c>(places: &mut Memories<'c>, placed: &Placed<'c>, done: &mut Effects<'c>) {
    let Some((place, _)) = done.results.first().copied() else { return };
    let Some(written) = places.written_part(placed.op, place) else { return };
    if let Some(inserted) = operand(placed, 0) {
        // Contents that are already in place are not copied.
        if inserted.place != Some(written) && inserted.place.is_some() {
            done.writes.push(written);
        }
        done.reads.push(inserted);
    }
    done.reads.extend(operand(placed, 1).map(|rest| Read {
        place: Some(place),
        except: Some(written),
        is_changed: true,
        ..rest
    }));
}

/// An operation whose last operands are the destinations of its results. `is_read` returns whether the destination
/// of a result is read, `is_pointwise` whether an input may share the buffer of a result.
fn destinations<'c>(
    placed: &Placed<'c>,
    done: &mut Effects<'c>,
    is_read: impl Fn(usize) -> bool,
    is_pointwise: impl Fn(usize, usize) -> bool,
) {
    let op = placed.op;
    let inputs = op.operand_count().saturating_sub(op.result_count());
    let written: Vec<_> =
        (0..op.result_count()).filter(|index| placed.results[*index].is_some()).collect();
    for index in 0..inputs {
        done.reads.extend(operand(placed, index).map(|input| {
            let pointwise = |write: &usize| is_pointwise(index, written[*write]);
            Read { same: (0..written.len()).filter(pointwise).collect(), ..input }
        }));
    }
    for index in written.iter().copied().filter(|index| is_read(*index)) {
        let place = placed.results[index];
        let rest = operand(placed, inputs + index);
        done.reads.extend(rest.map(|rest| Read { place, is_changed: true, ..rest }));
    }
    done.writes = done.results.iter().map(|(place, _)| *place).collect();
}

fn structured<'c>(placed: &Placed<'c>, done: &mut Effects<'c>) {
    let op = placed.op;
    let inputs = op.operand_count().saturating_sub(op.result_count());
    let body = op.regions().first().and_then(|region| region.first_block());
    let is_used = |argument: usize| {
        body.is_none_or(|body| body.args().get(argument).is_some_and(|one| one.has_uses()))
    };
    let maps = op.attr("indexing_maps").and_then(|maps| maps.as_array()).unwrap_or_default();
    match op.name() {
        linalg::FILL | linalg::TRANSPOSE | linalg::BROADCAST => {
            destinations(placed, done, |_| false, |_, _| false);
        }
        // Each element depends on the same element of the inputs only.
        linalg::COPY => destinations(placed, done, |_| false, |_, _| true),
        linalg::MAP => destinations(placed, done, |index| is_used(inputs + index), |_, _| true),
        linalg::GENERIC => {
            let map = |operand: usize| maps.get(operand).copied().and_then(MapShape::read);
            destinations(
                placed,
                done,
                |index| is_used(inputs + index) || !is_covered(op, map(inputs + index)),
                |input, index| {
                    // With such a map each iteration has its own element.
                    maps.get(input) == maps.get(inputs + index)
                        && map(inputs + index).is_some_and(|map| map.permutes())
                },
            );
        }
        _ => destinations(placed, done, |_| true, |_, _| false),
    }
}

/// Whether `op` writes all elements of an output with that map.
fn is_covered(op: Op<'_>, map: Option<MapShape>) -> bool {
    let may_be_empty = || {
        let types = op.operands().into_iter().map(|value| value.ty());
        types.filter_map(|ty| ty.shape()).flatten().any(|size| size == 0 || size == DYNAMIC)
    };
    // A loop that no dimension of the output depends on may have no iterations.
    map.is_some_and(|map| map.permutes() || map.picks() && !may_be_empty())
}
