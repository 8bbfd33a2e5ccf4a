//! Outlines loop nests of large programs to functions; equal nests share one.
//!
//! LLVM takes more than linear time for a function; outlining keeps the time for a program linear in its length,
//! and repeated layers are compiled once. Small programs stay one function, which LLVM optimises as a whole, but for heavy nests
//! that they have several times.
//!
//! Before:
//! ```mlir
//! %a = memref.view %workspace[%c0][] : memref<128xi8> to memref<8xf32>
//! affine.for %i = 0 to 8 { … %x, %a … }
//! affine.for %i = 0 to 8 { … %a, %out … }
//! ```
//! After:
//! ```mlir
//! %a = memref.view %workspace[%c0][] : memref<128xi8> to memref<8xf32>
//! call @strata.kernel.0(%x, %a) : (memref<8xf32>, memref<8xf32>) -> ()
//! call @strata.kernel.0(%a, %out) : (memref<8xf32>, memref<8xf32>) -> ()
//! …
//! func.func private @strata.kernel.0(%0: memref<8xf32> {llvm.noalias, …}, %1: …) attributes {strata.kernel}
//! ```
//! A range of tasks ([`super::tasks`]) becomes a function in every program: `@strata.kernel.1(…, %begin, %end,
//! %slot)`, which runs the tasks from `%begin` up to `%end` with slot `%slot` of the per-task memory.
//!
//! A function takes whole buffers: temporaries, constants, and arguments of the entry. Views of them and scalars
//! are recomputed inside.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};
use strata_ir::{
    Attribute, AttributeExt as _, Block, Builder, Context, DYNAMIC, KERNEL, Module, Op, PARTS,
    RANGES, TASKS, TypeExt as _, Value, WalkOrder, affine, arith, array, dictionary, func,
    function, index, int, integer, math, memref, module_op, scf, string, symbol, type_attr, ub,
    unit,
};
use strata_options::Options;
use strata_remarks::{Decision, Remark, remark, subject};
use strata_target::tuning::kernels::{
    FUNCTION_OPERATIONS, MAX_BUFFERS, MAX_KERNEL_OPERATIONS, MAX_USER_DISTANCE, MAX_WHOLE_PROGRAM,
    MIN_CUT_REGION, MIN_EQUAL, MIN_EQUAL_OPERATIONS, MIN_STRAIGHT_LINE, STRAIGHT_LINE,
};

use super::tasks::{END, SLOT};
use crate::content::Content;

/// The number of arguments of a range of tasks besides buffers.
const RANGE: usize = 3;
/// The alignment of temporaries and constants in bytes.
const ALIGNMENT: i64 = 64;

/// Outlines the nests of a large entry.
pub fn outline<'c>(context: &'c Context, module: &Module<'c>, entry: Op<'c>, options: &Options) {
    let Some(body) = entry.region(0).first_block() else { return };
    let (with_locations, tasks) = (options.debug_info, RefCell::default());
    let workspace = body.args().last().copied();
    let stage = Outliner { context, entry, body, workspace, with_locations, tasks };
    let mut kernels = Kernels { names: FxHashMap::default(), top: module_op(module).body(0) };
    // All but the workspace.
    let buffers = body.arg_count().saturating_sub(1);
    let is_large = size(entry) > MAX_WHOLE_PROGRAM || buffers > MAX_BUFFERS;
    for range in entry.collect(|op| op.has_attr(TASKS)) {
        let members = [range];
        match stage.captures(&members) {
            Some(captures) => stage.move_out(&members, &captures, &mut kernels),
            // It is a loop like any other.
            None => {
                stay_whole(range, "it uses memory that cannot be passed to a task");
                unmark(range);
            }
        }
    }
    if is_large {
        stage.visit(body, &mut |group, captures| {
            stage.move_out(&group.members, &captures, &mut kernels);
        });
        return;
    }
    let mut heavy = Vec::new();
    stage.visit(body, &mut |group, captures| {
        if group.weight >= MIN_EQUAL_OPERATIONS
            && let Some(content) = stage.content_of(&group.members, &captures)
        {
            heavy.push((group.members, captures, content));
        }
    });
    let mut counts: FxHashMap<&[usize], usize> = FxHashMap::default();
    for (.., content) in &heavy {
        *counts.entry(content).or_default() += 1;
    }
    for (members, captures, content) in &heavy {
        if counts.get(content.as_slice()).is_some_and(|count| *count >= MIN_EQUAL) {
            stage.move_out(members, captures, &mut kernels);
        }
    }
}

/// State shared by all kernels of a program.
struct Outliner<'c> {
    context: &'c Context,
    entry: Op<'c>,
    body: Block<'c>,
    /// Its last argument.
    workspace: Option<Value<'c>>,
    /// Shared code would have the same source location for all callers.
    with_locations: bool,
    /// The names of the functions that are tasks.
    tasks: RefCell<Vec<String>>,
}

/// The functions made so far.
struct Kernels<'c> {
    /// The name of the function, by content.
    names: FxHashMap<Vec<usize>, String>,
    top: Block<'c>,
}

/// The values that a kernel captures.
#[derive(Default)]
struct Captures<'c> {
    /// Buffers and scalars that become arguments.
    arguments: Vec<Value<'c>>,
    /// The same, to find them.
    known: FxHashSet<Value<'c>>,
    /// Definitions to clone, in order.
    copies: Vec<Op<'c>>,
    /// The same, to find them.
    copied: FxHashSet<Op<'c>>,
}

/// Consecutive operations to be outlined.
#[derive(Default)]
struct Group<'c> {
    members: Vec<Op<'c>>,
    results: FxHashSet<Value<'c>>,
    /// Uses of the results by operations that are not among the members yet.
    open: usize,
    /// Operations, those in loops included.
    size: usize,
    /// The same, with what functions become.
    weight: usize,
    has_loop: bool,
}

impl<'c> Group<'c> {
    fn add(&mut self, op: Op<'c>) {
        let (mut size, mut functions, mut uses) = (0, 0, 0);
        op.walk(WalkOrder::Pre, &mut |nested| {
            size += 1;
            functions += usize::from(nested.dialect() == "math" && !nested.is(math::FMA));
            uses += nested.operands().iter().filter(|value| self.results.contains(value)).count();
        });
        self.open -= uses;
        self.size += size;
        self.weight += size + functions * FUNCTION_OPERATIONS;
        self.has_loop |= op.region_count() > 0;
        self.members.push(op);
        for result in op.results() {
            self.open += result.uses().len();
            self.results.insert(result);
        }
    }
}

impl<'c> Outliner<'c> {
    /// Calls `found` with each group of operations that can be a function, in order.
    fn visit(&self, block: Block<'c>, found: &mut dyn FnMut(Group<'c>, Captures<'c>)) {
        let mut group = Group::default();
        let ops = block.ops();
        let positions: FxHashMap<_, _> = ops.iter().copied().zip(0..).collect();
        for (position, op) in ops.iter().copied().enumerate() {
            if is_shared(op) || is_in_place(op) {
                continue;
            }
            let is_control = matches!(op.name(), scf::WHILE | scf::IF | scf::INDEX_SWITCH)
                || (op.is(scf::FOR) && !op.has_attr(strata_ir::SCHEDULE));
            let is_large = is_control && size(op) > MIN_CUT_REGION;
            let is_needed_far_away = || {
                let users = op.results().into_iter().flat_map(Value::uses);
                let place = |user| positions.get(&sibling(user, block)?).copied();
                users
                    .map(|(user, _)| place(user))
                    .any(|user| user.is_none_or(|user| user > position + MAX_USER_DISTANCE))
            };
            if is_large
                || is_fixed(op)
                || group.members.len() >= MAX_KERNEL_OPERATIONS
                || is_needed_far_away()
            {
                self.finish(&mut group, found);
                if is_large {
                    for inner in op.regions().into_iter().flat_map(|region| region.blocks()) {
                        self.visit(inner, found);
                    }
                }
                continue;
            }
            group.add(op);
            if group.open == 0 && (group.has_loop || group.size >= STRAIGHT_LINE) {
                self.finish(&mut group, found);
            }
        }
        self.finish(&mut group, found)
    }

    /// Calls `found` with a group if it is worth a call and its results are not used after it.
    fn finish(&self, group: &mut Group<'c>, found: &mut dyn FnMut(Group<'c>, Captures<'c>)) {
        let group = std::mem::take(group);
        if group.open > 0 || (!group.has_loop && group.size < MIN_STRAIGHT_LINE) {
            return;
        }
        if let Some(captures) = self.captures(&group.members) {
            found(group, captures);
        }
    }

    /// The values that the operations capture; `None` if one of them cannot be passed to a function.
    fn captures(&self, members: &[Op<'c>]) -> Option<Captures<'c>> {
        let mut captures = Captures::default();
        let own: FxHashSet<_> = members.iter().copied().collect();
        let is_own = |op: Op<'c>| {
            std::iter::successors(Some(op), |op| op.parent()).any(|op| own.contains(&op))
        };
        let mut fits = true;
        for member in members {
            member.walk(WalkOrder::Pre, &mut |op| {
                // External calls take the executor, which only the entry has; functions that start tasks are
                // passed it.
                let are_tasks = || {
                    let callee = op.attr("callee").and_then(|callee| callee.as_symbol());
                    callee.is_some_and(|name| self.tasks.borrow().iter().any(|own| own == name))
                };
                fits &= op.dialect() != "func" || are_tasks();
                for value in op.operands() {
                    let inside = value.home().is_some_and(is_own);
                    fits = fits && (inside || self.capture(value, &mut captures).is_some());
                }
            });
        }
        fits.then_some(captures)
    }

    fn capture(&self, value: Value<'c>, captures: &mut Captures<'c>) -> Option<()> {
        if captures.known.contains(&value) {
            return Some(());
        }
        let is_buffer = |value: Value<'c>| {
            let is_constant = |owner: Op<'c>| owner.is(memref::GET_GLOBAL);
            self.is_carried(value)
                || self.range(value).is_some()
                || value.owner().is_some_and(is_constant)
        };
        match value.owner() {
            Some(owner) if captures.copied.contains(&owner) => return Some(()),
            Some(owner) if is_cloned(owner) && !is_buffer(value) => {
                for operand in owner.operands() {
                    self.capture(operand, captures)?;
                }
                captures.copies.push(owner);
                captures.copied.insert(owner);
                return Some(());
            }
            _ => {}
        }
        let ty = value.ty();
        let is_whole = ty.is_memref_type()
            && ty.element_count().is_some_and(|count| count > 0)
            && ty.shape().is_some_and(|shape| ty == memref(&shape, ty.element()))
            && (self.is_argument(value) || is_buffer(value));
        // Bytes of an argument in place, of which the kernel has a view of its own.
        let is_open = self.is_argument(value) && ty.shape().is_some_and(|all| all == [DYNAMIC]);
        let is_number = match ty.bit_width() {
            Some(32 | 64) => ty.is_index() || ty.is_int() || ty.is_float_type(),
            bits => ty.is_int() && matches!(bits, Some(1 | 8 | 16)),
        };
        (is_whole || is_open || is_number).then(|| {
            captures.arguments.push(value);
            captures.known.insert(value);
        })
    }

    fn is_argument(&self, value: Value<'c>) -> bool {
        value.block_arg().is_some_and(|(block, _)| block == self.body)
    }

    /// Whether a value is a temporary whose offset in the workspace is loop-carried.
    fn is_carried(&self, value: Value<'c>) -> bool {
        let view = value.owner().filter(|owner| owner.is(memref::VIEW));
        view.is_some_and(|view| view.operand_count() == 2 && self.range(value).is_none())
    }

    /// The bytes of the workspace that a temporary, or the workspace itself, occupies.
    fn range(&self, value: Value<'c>) -> Option<(i64, i64)> {
        let workspace = self.workspace?;
        let bytes = i64::try_from(bytes(value)?).ok()?;
        if value == workspace {
            return Some((0, bytes));
        }
        let view = value.owner().filter(|owner| owner.is(memref::VIEW))?;
        if view.operand_count() != 2 || view.operand(0) != workspace {
            return None;
        }
        let start = view.operand(1).owner()?.attr("value")?.as_i64()?;
        Some((start, start + bytes))
    }

    /// The attributes of an argument. `shares` says that another one may have some of its bytes.
    fn promises(
        &self,
        value: Value<'c>,
        range: Option<(i64, i64)>,
        shares: bool,
    ) -> Option<Attribute<'c>> {
        let word = integer(self.context, 64);
        let mut entries = vec![("llvm.noundef", unit(self.context))];
        if value.ty().is_memref_type() {
            if !shares || strata_ir::planted("kernels-noalias") {
                entries.push(("llvm.noalias", unit(self.context)));
            }
            // Loop-carried buffers are live throughout the loop: they do not overlap others used in it.
            let is_own = range.is_some() || !self.is_argument(value);
            let natural = value.ty().element().byte_width()?;
            let halves = 1 + u64::from(value.ty().element().is_complex());
            let alignment = if is_own { ALIGNMENT } else { (natural / halves) as i64 };
            entries.push(("llvm.align", int(word, alignment)));
            let bytes = bytes(value).and_then(|bytes| i64::try_from(bytes).ok());
            entries.extend(bytes.map(|bytes| ("llvm.dereferenceable", int(word, bytes))));
        }
        dictionary(self.context, &entries)
    }

    /// The attributes of all arguments; `None` if one of them cannot be passed.
    fn all_promises(&self, captures: &Captures<'c>) -> Option<Vec<Attribute<'c>>> {
        let ranges: Vec<_> = captures.arguments.iter().map(|value| self.range(*value)).collect();
        let shares = overlapping(&ranges);
        let all = captures.arguments.iter().zip(ranges).zip(shares);
        all.map(|((value, range), shares)| self.promises(*value, range, shares)).collect()
    }

    /// The [content](Self::content) of the function that the operations can be.
    fn content_of(&self, members: &[Op<'c>], captures: &Captures<'c>) -> Option<Vec<usize>> {
        let promises = self.all_promises(captures)?;
        Some(self.content(members, captures, &promises))
    }

    /// Replaces the operations by a call of a function with their copies.
    fn move_out(&self, members: &[Op<'c>], captures: &Captures<'c>, kernels: &mut Kernels<'c>) {
        let Some((last, _)) = members.split_last() else { return };
        let Some(promises) = self.all_promises(captures) else {
            for member in members {
                if member.has_attr(TASKS) {
                    stay_whole(*member, "two of the buffers that it uses overlap");
                }
                unmark(*member);
            }
            return;
        };
        let content = self.content(members, captures, &promises);
        let name = match kernels.names.get(&content) {
            Some(known) => known.clone(),
            None => {
                let name = format!("{KERNEL}.{}", kernels.names.len());
                self.write(&name, members, captures, &promises, kernels.top);
                kernels.names.insert(content, name.clone());
                name
            }
        };
        if last.has_attr(TASKS) {
            self.tasks.borrow_mut().push(name.clone());
        }
        let before = Builder::before(self.context, *last);
        let tasks = last.attr(TASKS).and_then(|tasks| tasks.as_i64());
        // All tasks, in one range.
        let range = tasks.map(|tasks| [0, tasks, 0].map(|number| before.index(number)));
        before
            .op(func::CALL)
            .operands(&captures.arguments)
            .operands(range.as_ref().map_or(&[], |range| range))
            .attr("callee", symbol(self.context, &name))
            .build();
        for member in members.iter().rev() {
            member.erase();
        }
    }

    /// A canonical form of a function as numbers: equal for equal functions only.
    fn content(
        &self,
        members: &[Op<'c>],
        captures: &Captures<'c>,
        promises: &[Attribute<'c>],
    ) -> Vec<usize> {
        let mut content = Content::default();
        for (value, promise) in captures.arguments.iter().zip(promises) {
            content.define(*value);
            if !strata_ir::planted("kernels-content") {
                content.add_attribute(*promise);
            }
        }
        // Shared code would have the same source location for all callers.
        for op in captures.copies.iter().chain(members) {
            content.add(*op, self.with_locations);
        }
        content.into_words()
    }

    /// Emits the operations as a function.
    fn write(
        &self,
        name: &str,
        members: &[Op<'c>],
        captures: &Captures<'c>,
        promises: &[Attribute<'c>],
        top: Block<'c>,
    ) {
        let tasks = members.first().and_then(|range| Some((*range, range.attr(TASKS)?)));
        let mut types: Vec<_> = captures.arguments.iter().map(|value| value.ty()).collect();
        let mut promises = promises.to_vec();
        if tasks.is_some() {
            let number = dictionary(self.context, &[("llvm.noundef", unit(self.context))]);
            types.extend([index(self.context); RANGE]);
            promises.extend(number.into_iter().cycle().take(RANGE));
        }
        let top = Builder::at_end(self.context, top, self.entry.location());
        let region = top.region(&types, |inner, arguments| {
            let mut known: FxHashMap<_, _> =
                captures.arguments.iter().copied().zip(arguments.iter().copied()).collect();
            for op in &captures.copies {
                inner.copy(*op, &mut known);
            }
            match tasks {
                Some((range, _)) => {
                    let own = &arguments[captures.arguments.len()..];
                    write_range(inner, range, [own[0], own[1], own[2]], &mut known);
                }
                None => members.iter().for_each(|op| {
                    inner.copy(*op, &mut known);
                }),
            }
            inner.op(func::RETURN).build();
        });
        let kernel = top
            .op(func::FUNC)
            .attr("sym_name", string(self.context, name))
            .attr("sym_visibility", string(self.context, "private"))
            .attr("function_type", type_attr(function(self.context, &types, &[])))
            .attr("arg_attrs", array(self.context, &promises))
            .attr(KERNEL, unit(self.context))
            .region(region)
            .build();
        if let Some((range, count)) = tasks {
            kernel.set_attr(TASKS, count);
            if range.has_attr(RANGES) {
                kernel.set_attr(RANGES, unit(self.context));
            }
            if let Some(parts) = range.attr(PARTS) {
                kernel.set_attr(PARTS, parts);
            }
        }
    }
}

/// Whether each range has bytes in common with another one: temporaries that are not live at the same time may overlap.
fn overlapping(ranges: &[Option<(i64, i64)>]) -> Vec<bool> {
    let mut shares = vec![false; ranges.len()];
    let mut order: Vec<_> = ranges
        .iter()
        .enumerate()
        .filter_map(|(place, range)| Some((*range.as_ref()?, place)))
        .collect();
    order.sort_unstable();
    let mut end = i64::MIN;
    for (at, ((start, stop), place)) in order.iter().enumerate() {
        let next = order.get(at + 1).map_or(i64::MAX, |((next, _), _)| *next);
        shares[*place] = *start < end || next < *stop;
        end = end.max(*stop);
    }
    shares
}

/// Hides the bounds of a loop over all tasks from the optimiser.
fn unmark(range: Op<'_>) {
    for op in range.collect(|_| true) {
        for mark in [TASKS, RANGES, PARTS, END, SLOT] {
            op.remove_attr(mark);
        }
    }
}

/// Emits the body of a loop over all tasks for those from `begin` up to `end`.
fn write_range<'c>(
    at: &Builder<'c>,
    range: Op<'c>,
    [begin, end, slot]: [Value<'c>; RANGE],
    known: &mut FxHashMap<Value<'c>, Value<'c>>,
) {
    let body = range.body(0);
    known.insert(body.arg(0), begin);
    let last = body.terminator();
    for op in body.ops().into_iter().filter(|op| Some(*op) != last) {
        if op.has_attr(END) {
            known.insert(op.result(0), end);
            continue;
        }
        let copy = at.copy(op, known);
        if copy.remove_attr(SLOT) {
            copy.set_operand(0, slot);
        }
    }
}

/// Whether an operation cannot be outlined: terminators, and calls of external functions.
fn is_fixed(op: Op<'_>) -> bool {
    op.dialect() == "func" || matches!(op.name(), scf::YIELD | scf::CONDITION | affine::YIELD)
}

/// Whether the operation can be cloned into every function that needs it: constants, and reshapes of a buffer.
fn is_shared(op: Op<'_>) -> bool {
    matches!(
        op.name(),
        arith::CONSTANT
            | memref::CAST
            | memref::COLLAPSE_SHAPE
            | memref::EXPAND_SHAPE
            | memref::GET_GLOBAL
            | memref::REINTERPRET_CAST
            | memref::SUBVIEW
            | memref::TRANSPOSE
            | memref::VIEW
            | ub::POISON
    ) && op.operands().into_iter().all(|value| match value.owner() {
        Some(owner) => is_shared(owner),
        None => value.ty().is_memref_type(),
    })
}

/// Says why a loop that was split does not become tasks.
fn stay_whole(range: Op<'_>, because: &str) {
    let tasks = range.attr(TASKS).and_then(|tasks| tasks.as_i64()).unwrap_or_default();
    let decision = Decision::Whole { tasks, because: because.to_owned() };
    remark(|| Remark { subject: subject(range), decision });
}

/// As [`is_shared`], or a slice of such a buffer at run-time offsets, which are arguments.
fn is_cloned(op: Op<'_>) -> bool {
    let is_slice = || {
        (op.is(memref::SUBVIEW) || is_in_place(op))
            && op.operands().into_iter().all(|value| {
                value.ty().is_index()
                    || value.owner().map_or(value.ty().is_memref_type(), is_cloned)
            })
    };
    is_shared(op) || is_slice()
}

/// Whether an operation gives bytes of an argument the sizes of the call ([`super::in_place`]).
fn is_in_place(op: Op<'_>) -> bool {
    op.is(memref::VIEW) && op.operand_count() > 2
}

/// The operation of `block` that is `op` or contains it.
fn sibling<'c>(op: Op<'c>, block: Block<'c>) -> Option<Op<'c>> {
    std::iter::successors(Some(op), |op| op.parent()).find(|op| op.block() == Some(block))
}

/// The operations in `op`, itself included.
fn size(op: Op<'_>) -> usize {
    let mut count = 0;
    op.walk(WalkOrder::Pre, &mut |_| count += 1);
    count
}

/// Bytes of a buffer.
fn bytes(value: Value<'_>) -> Option<u64> {
    let ty = value.ty();
    ty.element_count()?.checked_mul(ty.element().byte_width()?)
}

#[cfg(test)]
mod tests;
