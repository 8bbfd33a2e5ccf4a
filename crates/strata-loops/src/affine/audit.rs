//! Checks that temporaries that share bytes of the workspace are never live at the same time.
//!
//! The proof works on the finished function with all offsets, and shares no code with [`super::liveness`] and [`super::plan`],
//! which chose them: each view of the workspace is followed through its aliases to all accesses. It is live from the first to the
//! last of these, and throughout loops that it is live into or out of, except loops around the block in which it was allocated
//! ([`HOME`]). Two views that overlap must not be live at the same time.
//!
//! Per-task memory of different tasks must be disjoint. The attributes of kernel arguments (no alias, alignment) are proved at
//! each call in the same way ([`promises`]).

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AffineExpr, AffineMap, AttributeExt as _, Block, ENTRY, KERNEL, Op, TASKS, Type, TypeExt as _,
    Value, affine, arith, diagnostic_at, func, function_name, memref, scf, vector,
};

use super::arena::HOME;
use crate::nests::tasks::SLOT;

/// The live range of a slot of the workspace.
struct Slot<'c> {
    view: Op<'c>,
    bytes: (u64, u64),
    needed: (u32, u32),
}

/// Checks the plan of `entry`, whose last argument is the workspace.
///
/// # Errors
/// `S9002` naming a temporary that overlaps another one.
pub fn check(entry: Op<'_>) -> Result<(), Diagnostic> {
    let Some(body) = entry.region(0).first_block() else { return Ok(()) };
    let Some(workspace) = body.args().last().copied() else { return Ok(()) };
    let mut points = Points::default();
    points.number(entry);
    let limit = workspace.ty().element_count().unwrap_or(0);
    let mut slots = Vec::new();
    for (constant, at, views) in offsets(workspace)? {
        let sizes = views.iter().map(|view| bytes(view.result(0)));
        let size = sizes.max().flatten().ok_or_else(|| broken(views[0], "has no known size"))?;
        if at.checked_add(size).is_none_or(|end| end > limit) {
            return Err(broken(views[0], "does not end in the workspace"));
        }
        let accesses = points.accesses(&views);
        if let Some(needed) = points.needed(constant, &accesses) {
            slots.push(Slot { view: views[0], bytes: (at, at + size), needed });
        }
    }
    disjoint(slots)?;
    entry.collect(|op| op.has_attr(SLOT)).into_iter().try_for_each(own_memory)
}

/// Checks that the memory of a task, from byte `slot` of a buffer on, ends before that of the next task, and that the buffer is
/// large enough for all tasks.
fn own_memory(slot: Op<'_>) -> Result<(), Diagnostic> {
    let number = |value: Value<'_>| {
        let constant = value.owner().filter(|owner| owner.is(arith::CONSTANT))?;
        u64::try_from(constant.attr("value")?.as_i64()?).ok()
    };
    let unknown = || broken(slot, "of a task has a place that is not known");
    let tasks = slot.parent().and_then(|range| range.attr(TASKS)?.as_i64());
    let tasks = tasks.and_then(|tasks| u64::try_from(tasks).ok()).ok_or_else(unknown)?;
    let stride = number(slot.operand(1)).filter(|_| slot.is(arith::MULI)).ok_or_else(unknown)?;
    let mut places = vec![(slot.result(0), 0)];
    while let Some((place, offset)) = places.pop() {
        for (user, operand) in place.uses() {
            if user.is(arith::ADDI) && offset == 0 {
                let more = number(user.operand(1 - operand)).ok_or_else(unknown)?;
                places.push((user.result(0), more));
                continue;
            }
            let all = (user.is(memref::VIEW) && operand == 1).then(|| user.operand(0));
            let all = all.and_then(|buffer| bytes_of(buffer.ty())).ok_or_else(unknown)?;
            let own = bytes(user.result(0)).ok_or_else(unknown)?;
            let fits = offset.checked_add(own).is_some_and(|end| end <= stride);
            if !fits || stride.checked_mul(tasks).is_none_or(|end| end > all) {
                return Err(broken(
                    user,
                    "of a task reaches into what other tasks have for themselves",
                ));
            }
        }
    }
    Ok(())
}

/// Checks the attributes of kernel arguments in a module: `noalias` ones overlap no other argument, and aligned ones are aligned.
///
/// # Errors
/// `S9002` naming a call that violates an attribute.
pub fn promises(module: Op<'_>) -> Result<(), Diagnostic> {
    let mut kernels = FxHashMap::default();
    for function in module.body(0).ops().into_iter().filter(|op| op.has_attr(KERNEL)) {
        if let Some(promised) = function.attr("arg_attrs").and_then(|list| list.as_array()) {
            kernels.insert(function_name(function), promised);
        }
    }
    if kernels.is_empty() {
        return Ok(());
    }
    for call in module.collect(|op| op.is(func::CALL)) {
        let callee = call.attr("callee").and_then(|name| name.as_symbol());
        let Some(promised) = callee.and_then(|name| kernels.get(name)) else { continue };
        let arguments = call.operands();
        if arguments.len() != promised.len() {
            return Err(broken(call, "is promised to a kernel of other arguments"));
        }
        let ranges: Vec<_> = arguments.iter().map(|value| place(*value)).collect();
        for (at, promise) in promised.iter().enumerate() {
            let entries = promise.as_dictionary().unwrap_or_default();
            let entry =
                |name| entries.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
            let align = entry("llvm.align").and_then(|align| align.as_i64());
            let align = align.and_then(|align| u64::try_from(align).ok()).unwrap_or(1);
            let Some((start, end)) = ranges[at] else {
                // Buffers of the caller are only known to be aligned to their elements; the workspace, the last argument, is
                // aligned. A kernel's own arguments have the attributes that it declares.
                let is_given = arguments[at].block_arg().is_some_and(|(block, index)| {
                    let is_entry = block.parent_op().is_some_and(|op| op.has_attr(ENTRY));
                    is_entry && index + 1 < block.arg_count()
                });
                if is_given && align > arguments[at].ty().element().byte_width().unwrap_or(1) {
                    return Err(broken(call, "is promised to be aligned, and may not be"));
                }
                continue;
            };
            if align != 0 && !start.is_multiple_of(align) {
                return Err(broken(call, "is promised to be aligned, and is not"));
            }
            let others = ranges.iter().enumerate().filter(|(other, _)| *other != at);
            let overlaps =
                others.filter_map(|(_, range)| *range).any(|(low, high)| low < end && start < high);
            if overlaps && entry("llvm.noalias").is_some() {
                return Err(broken(call, "is promised to share no byte with another, and does"));
            }
        }
    }
    Ok(())
}

/// The bytes of the workspace covered by a view at a constant offset.
fn place(value: Value<'_>) -> Option<(u64, u64)> {
    let view = value.owner().filter(|owner| owner.is(memref::VIEW))?;
    let start = u64::try_from(view.operand(1).owner()?.attr("value")?.as_i64()?).ok()?;
    Some((start, start.checked_add(bytes(value)?)?))
}

fn broken(op: Op<'_>, what: &str) -> Diagnostic {
    diagnostic_at(codes::S9002, op).reason(format!("a temporary {what}"))
}

/// Checks that slots that are live at the same time do not overlap.
fn disjoint(mut slots: Vec<Slot<'_>>) -> Result<(), Diagnostic> {
    slots.sort_by_key(|slot| (slot.needed, slot.bytes));
    let mut ends: Vec<usize> = (0..slots.len()).collect();
    ends.sort_by_key(|index| slots[*index].needed.1);
    let mut ended = ends.into_iter().peekable();
    // The live slots, by offset.
    let mut now: BTreeMap<u64, usize> = BTreeMap::new();
    for (index, slot) in slots.iter().enumerate().filter(|(_, slot)| slot.bytes.0 < slot.bytes.1) {
        while let Some(other) = ended.next_if(|other| slots[*other].needed.1 < slot.needed.0) {
            if now.get(&slots[other].bytes.0) == Some(&other) {
                now.remove(&slots[other].bytes.0);
            }
        }
        let before = now.range(..slot.bytes.1).next_back();
        if let Some((_, other)) = before.filter(|(_, other)| slots[**other].bytes.1 > slot.bytes.0)
        {
            let (one, other) = (slot.bytes, slots[*other].bytes);
            return Err(broken(
                slot.view,
                &format!(
                    "in bytes {} to {} of the workspace overlaps another one in bytes {} to {} that is live at the same time",
                    one.0, one.1, other.0, other.1
                ),
            ));
        }
        now.insert(slot.bytes.0, index);
    }
    Ok(())
}

/// Bytes of a buffer of static shape.
fn bytes_of(ty: Type<'_>) -> Option<u64> {
    ty.element_count()?.checked_mul(ty.element().byte_width()?)
}

fn bytes(value: Value<'_>) -> Option<u64> {
    let (mut count, element) = (1_u64, value.ty().element());
    let view = value.owner()?;
    let mut sizes = view.operands().into_iter().skip(2);
    for size in value.ty().shape()? {
        let size = match u64::try_from(size) {
            Ok(size) => size,
            Err(_) => largest(sizes.next()?)?,
        };
        count = count.checked_mul(size)?;
    }
    let width = match element.is_vector_type() {
        true => element.element_count()?.checked_mul(element.element().byte_width()?)?,
        false => element.byte_width()?,
    };
    count.checked_mul(width)
}

/// An upper bound of a dynamic size.
fn largest(size: Value<'_>) -> Option<u64> {
    let owner = size.owner()?;
    match owner.name() {
        arith::CONSTANT => u64::try_from(owner.attr("value")?.as_i64()?).ok(),
        affine::MIN => {
            let map = owner.attr("map").and_then(AffineMap::of)?;
            let constants = map.results.iter().filter_map(AffineExpr::as_constant);
            constants.filter_map(|constant| u64::try_from(constant).ok()).min()
        }
        arith::MINSI | arith::MINUI => owner.operands().into_iter().filter_map(largest).min(),
        _ => None,
    }
}

/// The offset of each temporary, as a value and as a number, and its views. Each temporary has its own constant, which loops may
/// carry.
type Offset<'c> = (Value<'c>, u64, Vec<Op<'c>>);

fn offsets<'c>(workspace: Value<'c>) -> Result<Vec<Offset<'c>>, Diagnostic> {
    let mut found: Vec<Offset<'c>> = Vec::new();
    let mut numbers: FxHashMap<Value<'c>, usize> = FxHashMap::default();
    let mut views: Vec<Op<'c>> = workspace.uses().into_iter().map(|(user, _)| user).collect();
    // Uses are in reverse order.
    views.reverse();
    for view in views {
        if !view.is(memref::VIEW) {
            return Err(broken(view, "is not a view of the workspace"));
        }
        let unknown = || broken(view, "has an offset that is not known");
        for constant in constants(view.operand(1)).ok_or_else(unknown)? {
            let at = constant.owner().and_then(|owner| owner.attr("value")?.as_i64());
            let at = at.and_then(|at| u64::try_from(at).ok()).ok_or_else(unknown)?;
            let number = *numbers.entry(constant).or_insert_with(|| {
                found.push((constant, at, Vec::new()));
                found.len() - 1
            });
            found[number].2.push(view);
        }
    }
    Ok(found)
}

/// The possible values of a number, if it is a loop-carried choice of constants; `None` if it may be something else.
fn constants(value: Value<'_>) -> Option<Vec<Value<'_>>> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        if !seen.insert(value) {
            continue;
        }
        match (value.owner(), value.block_arg()) {
            (Some(owner), _) if owner.is(arith::CONSTANT) => found.push(value),
            (Some(owner), _) => work.extend(carried(owner, value.result_index()?, true)?),
            (None, Some((block, index))) => {
                let owner = block.parent_op()?;
                let is_condition = owner.is(scf::WHILE) && owner.body(0) == block;
                work.extend(carried(owner, index, !is_condition)?);
            }
            (None, None) => return None,
        }
    }
    Some(found)
}

/// The values that flow into result or argument `index` of a loop; `is_passed` for those that the condition passes on.
fn carried<'c>(op: Op<'c>, index: usize, is_passed: bool) -> Option<Vec<Value<'c>>> {
    if !op.is(scf::WHILE) {
        return None;
    }
    let end =
        |region: usize, index: usize| op.body(region).terminator()?.operands().get(index).copied();
    match is_passed {
        true => Some(vec![end(0, 1 + index)?]),
        false => Some(vec![op.operands().get(index).copied()?, end(1, index)?]),
    }
}

/// The order of all operations.
#[derive(Default)]
struct Points<'c> {
    next: u32,
    spans: FxHashMap<Op<'c>, (u32, u32)>,
}

/// An operation that accesses a slot.
#[derive(Clone, Copy)]
struct Access<'c> {
    op: Op<'c>,
    is_write: bool,
}

impl<'c> Points<'c> {
    fn number(&mut self, op: Op<'c>) {
        let first = self.next;
        self.next += 1;
        for block in op.regions().into_iter().flat_map(|region| region.blocks()) {
            for inner in block.ops() {
                self.number(inner);
            }
        }
        self.spans.insert(op, (first, self.next - 1));
    }

    fn span(&self, op: Op<'c>) -> (u32, u32) {
        self.spans.get(&op).copied().unwrap_or((0, u32::MAX))
    }

    /// The operations that access the memory of `views`.
    fn accesses(&self, views: &[Op<'c>]) -> Vec<Access<'c>> {
        let mut found = Vec::new();
        let mut seen: FxHashSet<Value<'c>> = views.iter().map(|view| view.result(0)).collect();
        let mut work: Vec<Value<'c>> = views.iter().map(|view| view.result(0)).collect();
        while let Some(value) = work.pop() {
            for (user, operand) in value.uses() {
                let shown = user.results().into_iter().filter(|one| one.ty().is_memref_type());
                let mut is_alias = false;
                for one in shown {
                    is_alias = true;
                    if seen.insert(one) {
                        work.push(one);
                    }
                }
                if !is_alias {
                    found.push(Access { op: user, is_write: only_writes(user, operand) });
                }
            }
        }
        found.sort_by_key(|access| (self.span(access.op).0, access.is_write));
        found
    }

    /// From the first to the last point at which the contents are live; `None` if nothing accesses it.
    fn needed(&self, offset: Value<'c>, accesses: &[Access<'c>]) -> Option<(u32, u32)> {
        let (first, last) = (accesses.first()?, accesses.last()?);
        let mut hull = (self.span(first.op).0, self.span(last.op).1);
        // Visited blocks; nothing is loop-carried outside of the block in which the live range starts.
        let mut known: FxHashSet<Block<'c>> = home(offset, accesses).into_iter().collect();
        for access in accesses {
            let mut around = access.op;
            while around.block().is_some_and(|block| known.insert(block)) {
                let Some(parent) = around.parent() else { break };
                if is_loop(parent) && self.is_carried(parent, offset, accesses) {
                    let span = self.span(parent);
                    hull = (hull.0.min(span.0), hull.1.max(span.1));
                }
                around = parent;
            }
        }
        Some(hull)
    }

    /// Whether it is live into or out of the loop, or from one iteration into the next.
    fn is_carried(&self, op: Op<'c>, offset: Value<'c>, accesses: &[Access<'c>]) -> bool {
        if op.operands().contains(&offset) {
            return true;
        }
        let (first, last) = self.span(op);
        let start = accesses.partition_point(|access| self.span(access.op).0 < first);
        let end = accesses.partition_point(|access| self.span(access.op).0 <= last);
        let is_outside = start > 0 || end < accesses.len();
        is_outside || accesses.get(start).is_some_and(|access| !access.is_write)
    }
}

/// The block in which the temporary at `offset` was allocated, which contains all accesses: the one at the recorded depth. The
/// contents are undefined when that block starts.
fn home<'c>(offset: Value<'c>, accesses: &[Access<'c>]) -> Option<Block<'c>> {
    let depth = offset.owner()?.attr(HOME)?.as_i64()?;
    let depth = usize::try_from(depth).ok()?;
    let home_of = |access: &Access<'c>| {
        // The operation and its ancestors up to the one in the entry's block.
        let around: Vec<_> = std::iter::successors(Some(access.op), |op| op.parent())
            .take_while(|op| !op.has_attr(ENTRY))
            .collect();
        around.len().checked_sub(depth + 1).and_then(|at| around[at].block())
    };
    let mut homes = accesses.iter().map(home_of);
    let first = homes.next()??;
    homes.all(|home| home == Some(first)).then_some(first)
}

/// Whether an operation only writes to the buffer in operand `number`.
fn only_writes(op: Op<'_>, operand: usize) -> bool {
    match op.name() {
        memref::STORE | affine::STORE | vector::TRANSFER_WRITE | vector::STORE => operand == 1,
        memref::COPY => operand == 1,
        // A call may write before it reads: the attributes are checked at the call.
        func::CALL => true,
        _ => false,
    }
}

fn is_loop(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        scf::FOR | scf::WHILE | scf::PARALLEL | scf::FORALL | affine::FOR | affine::PARALLEL
    )
}
