//! The effects of operations on tensors: what they read, and which operand a result overwrites.

use strata_ir::{
    Op, TypeExt as _, Value, WalkOrder, arith, func, linalg, map_dims, planted, scf, tensor, vector,
};

use strata_ir::AttributeExt as _;

/// The kind of an operation for buffer assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It has no tensors.
    None,
    /// Its result is a view of its first operand.
    View,
    /// Its result is one of two tensors.
    Select,
    /// Its result is undefined.
    Undefined,
    /// Its result is a constant.
    Constant,
    /// It computes, reads and writes.
    Compute,
    /// Control flow: a loop, a branch, a terminator.
    Control,
}

/// A result tied to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tie {
    /// The destination.
    pub operand: usize,
    /// The result.
    pub result: usize,
    /// Whether the operation reads the destination, or keeps some of it.
    pub is_read: bool,
}

/// Classifies an operation.
pub fn role(op: Op<'_>) -> Role {
    match op.name() {
        scf::FOR
        | scf::WHILE
        | scf::IF
        | scf::INDEX_SWITCH
        | scf::YIELD
        | scf::CONDITION
        | func::RETURN => Role::Control,
        tensor::EXTRACT_SLICE | tensor::EXPAND_SHAPE | tensor::COLLAPSE_SHAPE => Role::View,
        tensor::EMPTY => Role::Undefined,
        _ if !touches_tensors(op) => Role::None,
        arith::CONSTANT => Role::Constant,
        arith::SELECT => Role::Select,
        _ => Role::Compute,
    }
}

fn touches_tensors(op: Op<'_>) -> bool {
    let own = (0..op.operand_count()).any(|index| is_tensor(op.operand(index)))
        || (0..op.result_count()).any(|index| is_tensor(op.result(index)));
    own || (op.region_count() > 0 && !captured(op).is_empty())
}

/// Whether `value` is a tensor.
pub fn is_tensor(value: Value<'_>) -> bool {
    value.ty().is_tensor_type()
}

/// Tensors that the regions of `op` capture.
pub fn captured<'c>(op: Op<'c>) -> Vec<Value<'c>> {
    let mut found: Vec<Value<'c>> = Vec::new();
    for region in op.regions() {
        for block in region.blocks() {
            for inner in block.ops() {
                inner.walk(WalkOrder::Pre, &mut |inner| {
                    let tensors = inner.operands().into_iter().filter(|value| is_tensor(*value));
                    for value in tensors {
                        let owner = value.owner().or_else(|| value.block_arg()?.0.parent_op());
                        let is_inner = owner.is_some_and(|owner| owner != op && op.encloses(owner));
                        if !is_inner && !found.contains(&value) {
                            found.push(value);
                        }
                    }
                });
            }
        }
    }
    found
}

/// The destinations of an operation that computes.
pub fn ties(op: Op<'_>) -> Vec<Tie> {
    match op.name() {
        vector::TRANSFER_WRITE | tensor::INSERT | tensor::INSERT_SLICE => {
            vec![Tie { operand: 1, result: 0, is_read: !planted("accesses-part-reads") }]
        }
        func::CALL => last_operands(op, |_| true),
        _ if op.dialect() == "linalg" => last_operands(op, |result| needs_destination(op, result)),
        _ => Vec::new(),
    }
}

/// The operation that computes `value` over a destination, and which operand that is.
pub fn tie_of<'c>(value: Value<'c>) -> Option<(Op<'c>, Tie)> {
    let owner = value.owner()?;
    let tie = ties(owner).into_iter().find(|tie| owner.result(tie.result) == value)?;
    Some((owner, tie))
}

/// Results are tied to the last operands, as many as there are results.
fn last_operands(op: Op<'_>, is_read: impl Fn(usize) -> bool) -> Vec<Tie> {
    let Some(first) = op.operand_count().checked_sub(op.result_count()) else { return Vec::new() };
    (0..op.result_count())
        .map(|result| Tie { operand: first + result, result, is_read: is_read(result) })
        .collect()
}

/// Whether a linalg operation reads a destination, or does not write all of it.
fn needs_destination(op: Op<'_>, result: usize) -> bool {
    let Some(first) = op.operand_count().checked_sub(op.result_count()) else { return true };
    let Some(body) = op.regions().first().and_then(|region| region.first_block()) else {
        return true;
    };
    let position = first + result;
    if position >= body.arg_count()
        || (body.arg(position).has_uses() && !planted("accesses-accumulator-reads"))
    {
        return true;
    }
    match maps(op) {
        // A loop that no dimension of the result belongs to may run not even once.
        Some(maps) => maps.get(position).is_none_or(|map| {
            !covers(map)
                || (map.0 > map.1.len()
                    && op.operands().into_iter().any(has_no_element)
                    && !planted("accesses-no-trip"))
        }),
        None => !matches!(op.name(), linalg::FILL | linalg::COPY),
    }
}

fn has_no_element(value: Value<'_>) -> bool {
    value.ty().shape().is_some_and(|shape| shape.contains(&0))
}

/// Which dimension of the loops each dimension of an operand is.
type Map = (usize, Vec<Option<usize>>);

fn maps(op: Op<'_>) -> Option<Vec<Map>> {
    op.attr("indexing_maps")?.as_array()?.into_iter().map(map_dims).collect()
}

/// Whether every element of the operand is accessed: each dimension has its own loop.
fn covers((_, dims): &Map) -> bool {
    let is_new = |index: usize| dims[index].is_some() && !dims[..index].contains(&dims[index]);
    (0..dims.len()).all(is_new)
}

/// Whether a linalg operation reads operand `input` element by element with the map of its results: they may be the
/// same memory.
pub fn is_pointwise(op: Op<'_>, input: usize) -> bool {
    let Some(first) = op.operand_count().checked_sub(op.result_count()) else { return false };
    if !op.is(linalg::GENERIC) || input >= first {
        return false;
    }
    let Some(maps) = maps(op) else { return false };
    let own = &maps[input];
    // Each iteration has its own elements, whatever the iterator types.
    own.0 == own.1.len()
        && covers(own)
        && (maps[first..].iter().all(|map| map == own) || planted("accesses-pointwise"))
}
