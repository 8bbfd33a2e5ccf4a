//! Outputs that share an input's buffer: the program finds the input in the output's buffer and
//! overwrites it there.
//!
//! Before:
//! ```mlir
//! func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {strata.donations = array<i64: 0>} {
//!   return %y : tensor<4xf32>
//! }
//! ```
//! After:
//! ```mlir
//! func.func @main(%out: memref<4xf32>) {
//!   %x = bufferization.to_tensor %out restrict writable : memref<4xf32> to tensor<4xf32>
//!   %new = bufferization.to_buffer %y read_only : tensor<4xf32> to memref<4xf32>
//!   memref.copy %new, %out {strata.donated}
//!   return
//! }
//! ```
//! `writable` lets bufferization compute `%y` in place where nothing reads `%x` later; the copy is then one of
//! a buffer onto itself and goes away. Where it is not in place, the copy makes the result right.

use strata_ir::{
    AttributeExt as _, Block, Builder, Context, DONATIONS, Op, Type, TypeExt as _, Value, memref,
    unit,
};

use super::{
    accumulators::{is_view, may_lie_in},
    state::STATE,
};
use crate::maps::Map;

/// Marks the copies that write donated buffers at the end.
const DONATED: &str = "strata.donated";

/// For each of `count` outputs the input whose buffer it shares.
pub fn input_of_outputs(entry: Op<'_>, count: usize) -> Vec<Option<usize>> {
    let listed = entry.attr(DONATIONS).and_then(|list| list.as_i64s()).unwrap_or_default();
    let input = |output: usize| usize::try_from(*listed.get(output)?).ok();
    (0..count).map(input).collect()
}

/// The input in the buffer `argument`.
pub fn read<'c>(start: &Builder<'c>, argument: Value<'c>, tensor: Type<'c>) -> Value<'c> {
    start
        .op("bufferization.to_tensor")
        .operand(argument)
        .result(tensor)
        .attrs(&[("restrict", unit(start.context)), ("writable", unit(start.context))])
        .value()
}

/// Writes the output to the buffer `argument`.
pub fn write<'c>(builder: &Builder<'c>, value: Value<'c>, argument: Value<'c>) {
    let mark = unit(builder.context);
    let source = builder
        .op("bufferization.to_buffer")
        .operand(value)
        .attr("read_only", mark)
        .result(argument.ty())
        .value();
    builder.op("memref.copy").operands(&[source, argument]).attr(DONATED, mark).build();
}

/// Whether `op` is the copy of a result to where it belongs: a donated output, or the state of a loop.
fn is_marked(op: Op<'_>) -> bool {
    op.is("memref.copy") && (op.has_attr(DONATED) || op.has_attr(STATE))
}

/// Lets the pointwise operation that computes a donated output from its own input write over it.
///
/// Before:
/// ```mlir
/// %y = linalg.generic … ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>)
/// ```
/// After:
/// ```mlir
/// %y = linalg.generic … ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>)
/// ```
/// Bufferization still allocates where something else reads `%x` later.
pub fn reuse_inputs(root: Op<'_>) {
    for copy in root.collect(is_marked) {
        let Some(value) = copy.operand(0).owner().map(|owner| owner.operand(0)) else { continue };
        if let Some((op, output, input)) = reusable(value, copy.operand(1)) {
            op.set_operand(output, input);
        }
    }
}

/// The operation that computes `value`, the position of its destination, and the input that lies in `buffer`.
fn reusable<'c>(value: Value<'c>, buffer: Value<'c>) -> Option<(Op<'c>, usize, Value<'c>)> {
    let op = value.owner().filter(|op| op.is("linalg.generic") && op.result_count() == 1)?;
    let iterators = op.attr("iterator_types")?.as_array()?;
    let maps = op.attr("indexing_maps")?.as_array()?;
    let output = op.operand_count().checked_sub(1)?;
    let is_pointwise = iterators.iter().all(|one| one.to_string().contains("parallel"))
        && op.operand(output).owner()?.is("tensor.empty")
        && !op.body(0).arg(output).has_uses()
        && maps.last().copied().and_then(Map::read)?.is_identity();
    let holds_the_input = |index: &usize| {
        let owner = op.operand(*index).owner();
        maps.get(*index) == maps.last()
            && op.operand(*index).ty() == value.ty()
            && owner
                .is_some_and(|one| one.is("bufferization.to_tensor") && one.operand(0) == buffer)
    };
    let input = (0..output).find(holds_the_input).filter(|_| is_pointwise)?;
    Some((op, output, op.operand(input)))
}

/// Lets pointwise nests that are vector code already write to the donated buffer where they write what is
/// copied there later.
///
/// Before:
/// ```mlir
/// scf.for … { %a = vector.transfer_read %out[%i], … ; vector.transfer_write %b, %new[%i] }
/// memref.copy %new, %out {strata.donated}
/// ```
/// After:
/// ```mlir
/// scf.for … { %a = vector.transfer_read %out[%i], … ; vector.transfer_write %b, %out[%i] }
/// ```
/// Right where every element of the new buffer is written once, and from the first write on the old content is
/// read only in front of the write of the same elements.
pub fn overwrite(entry: Op<'_>) {
    for copy in entry.collect(is_marked) {
        let (new, donated) = (copy.operand(0), copy.operand(1));
        if new.ty() == donated.ty() && may_overwrite(copy, new, donated) == Some(true) {
            let owner = new.owner();
            if let Some(owner) = owner {
                lift(donated, owner);
            }
            new.replace_all_uses_with(donated);
            copy.erase();
            owner.into_iter().for_each(Op::erase);
        }
    }
}

/// Moves the views that `buffer` is in front of `op` where they stand behind it.
fn lift<'c>(buffer: Value<'c>, op: Op<'c>) {
    let Some(view) = buffer.owner().filter(|view| is_view(*view) && view.block() == op.block())
    else {
        return;
    };
    let siblings = op.block().map(Block::ops).unwrap_or_default();
    let place = |one: Op<'c>| siblings.iter().position(|sibling| *sibling == one);
    if place(view) > place(op) {
        lift(view.operand(0), op);
        view.move_before(op);
    }
}

fn may_overwrite<'c>(copy: Op<'c>, new: Value<'c>, donated: Value<'c>) -> Option<bool> {
    let owner = new.owner().filter(|owner| owner.is("memref.alloc"))?;
    let siblings = copy.block().filter(|block| owner.block() == Some(*block))?.ops();
    let top = |user: Op<'c>| siblings.iter().position(|one| one.encloses(user));
    let uses = accesses(new, copy);
    let (writes, others): (Vec<_>, Vec<_>) =
        uses.into_iter().partition(|user| user.is("vector.transfer_write"));
    let carried = |user: &Op<'c>| {
        matches!(user.name(), "scf.for" | "scf.yield")
            && user.results().iter().all(|result| !result.has_uses())
    };
    let mut written = 0;
    for write in &writes {
        let rounds = rounds(*write, copy.parent()?)?;
        written += write.operand(0).ty().element_count()?.checked_mul(rounds)?;
    }
    // Written in full, because the copy reads all of it; so each element was written once.
    let is_once = Some(written) == new.ty().element_count() && others.iter().all(carried);
    let first = writes.iter().filter_map(|write| top(*write)).min()?;
    let harmless = accesses(donated, copy).into_iter().all(|user| match top(user) {
        Some(place) if place < first => {
            !user.results().iter().any(|result| result.ty().is_memref_type())
        }
        Some(_) => reads_what_is_overwritten(user, &writes) == Some(true),
        // In front of the loop, behind it, or in its condition.
        None => copy.has_attr(STATE),
    });
    Some(is_once && harmless)
}

/// What uses the buffer, also under a shape with fewer dimensions; `copy` left out.
fn accesses<'c>(buffer: Value<'c>, copy: Op<'c>) -> Vec<Op<'c>> {
    let users = buffer.uses().into_iter().map(|(user, _)| user).filter(|user| *user != copy);
    users
        .flat_map(|user| match user.is("memref.collapse_shape") {
            true => accesses(user.result(0), copy),
            false => vec![user],
        })
        .collect()
}

/// How often the operation runs each time that the body of `root` does: the rounds of the loops around it, where
/// they are constants.
fn rounds<'c>(op: Op<'c>, root: Op<'c>) -> Option<u64> {
    let parent = op.parent()?;
    if parent == root {
        return Some(1);
    }
    let bound = |index: usize| {
        let constant = parent.operand(index).owner()?.attr("value")?.as_i64();
        constant.filter(|_| parent.is("scf.for"))
    };
    let (low, high, step) = (bound(0)?, bound(1)?, bound(2)?);
    let distance = u64::try_from(high.checked_sub(low)?).ok()?;
    distance
        .div_ceil(u64::try_from(step).ok().filter(|step| *step > 0)?)
        .checked_mul(rounds(parent, root)?)
}

/// Whether `read` stands in front of the write of its block that writes the elements that it reads. No other
/// one does, because each element is written once.
fn reads_what_is_overwritten<'c>(read: Op<'c>, writes: &[Op<'c>]) -> Option<bool> {
    if !read.is("vector.transfer_read") {
        return Some(false);
    }
    let buffer = read.operand(0).ty();
    let rank = buffer.rank()?;
    let siblings = read.block()?.ops();
    let place = |op: Op<'c>| siblings.iter().position(|one| *one == op);
    let here: Vec<_> =
        writes.iter().copied().filter(|write| write.block() == read.block()).collect();
    let same_elements = |write: &Op<'c>| {
        let indices = (0..rank).all(|dim| read.operand(1 + dim) == write.operand(2 + dim));
        // A mask would come behind the indices and the padding.
        let is_plain = read.operand_count() == rank + 2 && write.operand_count() == rank + 2;
        write.operand(1).ty() == buffer
            && is_plain
            && indices
            && read.result(0).ty() == write.operand(0).ty()
            && read.attr("permutation_map") == write.attr("permutation_map")
    };
    let in_front = |write: &Op<'c>| place(*write) > place(read);
    Some(here.iter().any(|write| same_elements(write) && in_front(write)))
}

/// Takes copies apart whose source lies in a buffer that one of them writes: all sources are saved
/// before the first is overwritten.
///
/// Before:
/// ```mlir
/// memref.copy %a, %b {strata.donated}
/// memref.copy %b, %a {strata.donated}
/// ```
/// After:
/// ```mlir
/// %0 = memref.alloc() : memref<4xf32>
/// memref.copy %a, %0
/// %1 = memref.alloc() : memref<4xf32>
/// memref.copy %b, %1
/// memref.copy %0, %b
/// memref.copy %1, %a
/// ```
pub fn settle<'c>(context: &'c Context, entry: Op<'c>) {
    let copies = entry.collect(|op| op.is("memref.copy") && op.has_attr(DONATED));
    let Some(first) = copies.first() else { return };
    let builder = Builder::before(context, *first);
    let written: Vec<_> = copies.iter().map(|copy| copy.operand(1)).collect();
    for copy in &copies {
        copy.remove_attr(DONATED);
        let (source, target) = (copy.operand(0), copy.operand(1));
        if source == target || !written.iter().any(|place| may_lie_in(source, *place)) {
            continue;
        }
        let Some(shape) = source.ty().shape() else { continue };
        let saved = builder
            .op("memref.alloc")
            .result(memref(&shape, source.ty().element()))
            .attr("operandSegmentSizes", strata_ir::i32s(context, &[0, 0]));
        let saved = saved.value();
        // Views of the source stand behind it, all of them in front of the first copy.
        builder.op("memref.copy").operands(&[source, saved]).build();
        copy.set_operand(0, saved);
    }
}
