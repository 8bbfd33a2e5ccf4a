//! No value lies in a destination that is overwritten while the value is still read.
//!
//! `eliminate-empty-tensors` lets the first value of a chain be computed in the destination of the last one.
//! Bufferization copies where the chain overwrites a value that is needed later, but it takes the destination for a
//! buffer that nothing else lies in: the copy of the last value over the first one is no conflict for it.
//!
//! Before:
//! ```mlir
//! %e = bufferization.to_tensor %out restrict writable
//! %first = linalg.generic … outs(%e)
//! %last = scf.for … iter_args(%a = %first)
//! bufferization.materialize_in_destination %last in restrict writable %out
//! … %first …
//! ```
//! After: `%e = tensor.empty()`.

use std::collections::{HashMap, HashSet};

use strata_ir::{Block, Builder, Context, Op, TypeExt as _, Value};

use super::accumulators::viewed;

/// The tensors that are made of buffers in `entry`.
pub fn tensors_of_buffers<'c>(entry: Op<'c>) -> HashSet<Op<'c>> {
    entry.collect(|op| op.is("bufferization.to_tensor")).into_iter().collect()
}

/// Gives the first value of a chain a buffer of its own where it, or another one of the chain, is read behind the
/// end of the chain. Tensors of buffers that were there before the elimination, `known`, are not its doing.
pub fn move_out<'c>(context: &'c Context, entry: Op<'c>, known: &HashSet<Op<'c>>) {
    let ends = entry.collect(|op| op.is("bufferization.materialize_in_destination"));
    let mut positions = Positions::default();
    for start in entry.collect(|op| op.is("bufferization.to_tensor") && !known.contains(&op)) {
        let place = viewed(start.operand(0));
        let own = ends.iter().filter(|end| viewed(end.operand(1)) == place);
        let aliases = closure(start.result(0), destinations_and_views);
        if own.into_iter().any(|end| positions.is_read_behind(&aliases, *end)) {
            let empty = Builder::before(context, start)
                .op("tensor.empty")
                .result(start.result(0).ty())
                .value();
            start.result(0).replace_all_uses_with(empty);
            start.erase();
        }
    }
}

/// The places of operations in their blocks, numbered once per block.
#[derive(Default)]
struct Positions<'c>(HashMap<Block<'c>, HashMap<Op<'c>, usize>>);

impl<'c> Positions<'c> {
    /// Whether one of `aliases` is read behind `end`, or handed to the next round of what is around it. What shows
    /// the value of `end` itself reads what it wrote.
    fn is_read_behind(&mut self, aliases: &HashSet<Value<'c>>, end: Op<'c>) -> bool {
        let Some(home) = end.block() else { return true };
        let numbered = || home.ops().into_iter().zip(0..).collect();
        let positions = self.0.entry(home).or_insert_with(numbered);
        let own = positions.get(&end).copied();
        let shown = closure(end.operand(0), views);
        aliases.difference(&shown).flat_map(|value| value.uses()).any(|(user, _)| {
            let mut around = std::iter::successors(Some(user), |op| op.parent());
            let sibling = around.find(|op| op.block() == Some(home));
            sibling.is_none_or(|op| positions.get(&op).copied() > own)
        })
    }
}

/// `first` and all values that `step` reaches from it.
fn closure<'c>(first: Value<'c>, step: fn(Op<'c>, usize) -> Vec<Value<'c>>) -> HashSet<Value<'c>> {
    let mut found = HashSet::from([first]);
    let mut work = vec![first];
    while let Some(value) = work.pop() {
        for (user, index) in value.uses() {
            let next = step(user, index).into_iter();
            work.extend(next.filter(|value| value.ty().is_tensor_type() && found.insert(*value)));
        }
    }
    found
}

/// The values that show the same elements, or some of them.
fn views<'c>(user: Op<'c>, _: usize) -> Vec<Value<'c>> {
    match user.name() {
        "tensor.cast"
        | "tensor.collapse_shape"
        | "tensor.expand_shape"
        | "tensor.extract_slice"
        | "tensor.reshape" => user.results(),
        _ => Vec::new(),
    }
}

/// The values that may lie in the buffer of operand `index` of `user`.
fn destinations_and_views<'c>(user: Op<'c>, index: usize) -> Vec<Value<'c>> {
    // The argument of a region and the result of its operation that an operand becomes.
    let state = |op: Op<'c>, region: usize, argument: usize, result: usize| {
        let blocks = op.region(region).blocks();
        let argument = blocks.first().and_then(|block| block.args().get(argument).copied());
        argument.into_iter().chain(op.results().get(result).copied()).collect()
    };
    match user.name() {
        "bufferization.materialize_in_destination"
        | "bufferization.to_buffer"
        | "tensor.dim"
        | "tensor.extract"
        | "vector.transfer_read" => Vec::new(),
        "tensor.insert" | "tensor.insert_slice" | "vector.transfer_write" if index != 1 => {
            Vec::new()
        }
        "scf.for" if index >= 3 => state(user, 0, index - 2, index - 3),
        "scf.while" => state(user, 0, index, usize::MAX),
        "scf.condition" | "scf.yield" => match user.parent() {
            Some(parent) if parent.is("scf.for") => state(parent, 0, index + 1, index),
            Some(parent) if parent.is("scf.while") && user.is("scf.yield") => {
                state(parent, 0, index, usize::MAX)
            }
            Some(parent) if parent.is("scf.while") => match index.checked_sub(1) {
                Some(index) => state(parent, 1, index, index),
                None => Vec::new(),
            },
            Some(parent) => parent.results(),
            None => Vec::new(),
        },
        _ if user.dialect() == "linalg" => {
            let inputs = user.operand_count() - user.result_count().min(user.operand_count());
            let output = index.checked_sub(inputs);
            output.and_then(|output| user.results().get(output).copied()).into_iter().collect()
        }
        // Whatever else it is, it may.
        _ => {
            let blocks = user.regions().into_iter().flat_map(|region| region.blocks());
            user.results().into_iter().chain(blocks.flat_map(|block| block.args())).collect()
        }
    }
}
