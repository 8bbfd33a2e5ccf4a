//! Copies of one body in an unrolled loop alternate, operation by operation.
//!
//! ```text
//! scf.for %i … step 32 { load a0; the 20 operations of exp on a0; store; load a1; the same on a1; store }
//! ```
//! becomes
//! ```text
//! scf.for %i … step 32 { load a0; load a1; … store; store }
//! ```
//! A formula is a chain of operations, each of which waits for the one before. A processor looks ahead 50 to 100 vector operations,
//! so that after one long formula it does not find enough of the next one, and LLVM's scheduler keeps the order.
//!
//! Only the order changes. It may if no copy uses a result of another one, and none accesses what another one writes.

use rustc_hash::{FxHashMap, FxHashSet};
use strata_ir::{
    AttributeExt as _, Block, KERNEL, Op, Type, TypeExt as _, Value, WalkOrder, arith,
    constant_index, func, memref, scf, vector,
};
use strata_target::tuning::unrolling::{INTERLEAVED, MIN_INTERLEAVED};

use crate::nests::is_view;

/// Interleaves the bodies of the loops in `function`.
pub fn apply(function: Op<'_>) {
    for each in function.collect(|op| op.is(scf::FOR)) {
        if let Some(copies) = Copies::of(each.body(0)) {
            copies.interleave();
        }
    }
}

/// The operations of a loop's body.
struct Copies<'c> {
    /// Those that compute indices from the loop's counter.
    indices: Vec<Op<'c>>,
    /// All others, copy after copy.
    work: Vec<Op<'c>>,
    /// Operations of one copy.
    length: usize,
}

impl<'c> Copies<'c> {
    fn of(body: Block<'c>) -> Option<Self> {
        let mut all = body.ops();
        all.pop()?;
        let mut known = FxHashSet::default();
        let mut is_index = |op: &Op<'c>| {
            let free = op.is(arith::CONSTANT) || computes_index(*op);
            let from = |value: Value<'c>| {
                value.owner().is_none_or(|by| by.block() != Some(body) || known.contains(&by))
            };
            let is = free && op.operands().into_iter().all(from);
            is && known.insert(*op)
        };
        let (indices, work): (Vec<_>, Vec<_>) = all.into_iter().partition(|op| is_index(op));
        let length = period(&work)?;
        let copies = Self { indices, work, length };
        (copies.are_independent(body) && copies.are_apart()).then_some(copies)
    }

    /// Whether no copy uses a result of another one.
    fn are_independent(&self, body: Block<'c>) -> bool {
        let position: FxHashMap<Op<'c>, usize> = self.work.iter().copied().zip(0..).collect();
        self.work.iter().zip(0..).all(|(op, place)| {
            let mut is_own = true;
            op.walk(WalkOrder::Pre, &mut |inner| {
                let owners = inner.operands().into_iter().filter_map(Value::owner);
                let mut others = owners.filter(|owner| owner.block() == Some(body));
                is_own &= others.all(|owner| {
                    let by = position.get(&owner);
                    by.is_none_or(|by| by / self.length == place / self.length)
                });
            });
            is_own
        })
    }

    /// Whether no copy accesses what another one writes.
    fn are_apart(&self) -> bool {
        let mut accesses = Vec::new();
        for (op, place) in self.work.iter().zip(0..) {
            match Access::of(*op) {
                Some(access) => accesses.push((place / self.length, access)),
                None if is_pure(*op) => {}
                None => return false,
            }
        }
        let written = accesses.iter().filter(|(_, one)| one.is_write);
        written.into_iter().all(|(copy, write)| {
            accesses.iter().all(|(other, access)| copy == other || write.is_apart(access))
        })
    }

    fn interleave(&self) {
        let Some(first) = self.work.first() else { return };
        self.indices.iter().for_each(|op| op.move_before(*first));
        for group in self.work.chunks(INTERLEAVED * self.length) {
            let (leader, others) = group.split_at(self.length);
            for (index, next) in leader.iter().enumerate().skip(1) {
                others.chunks(self.length).for_each(|copy| copy[index - 1].move_before(*next));
            }
        }
    }
}

/// The length of the shortest sequence of operations that `work` repeats, if it is long enough.
fn period(work: &[Op<'_>]) -> Option<usize> {
    let kinds: Vec<_> = work.iter().map(|op| (op.name(), op.result_types())).collect();
    let repeats = |length: &usize| {
        kinds.len() % length == 0 && kinds.iter().zip(&kinds[*length..]).all(|(a, b)| a == b)
    };
    let shortest = (1..=kinds.len() / 2).find(repeats)?;
    (shortest >= MIN_INTERLEAVED).then_some(shortest)
}

/// Whether an operation computes indices or integers from others.
fn computes_index(op: Op<'_>) -> bool {
    let is_index = |ty: &Type<'_>| ty.is_index() || ty.is_int();
    op.dialect() == "arith" && op.result_types().iter().all(is_index)
}

/// Whether an operation, and all in it, does nothing but compute its results.
pub(super) fn is_pure(op: Op<'_>) -> bool {
    let mut all = true;
    op.walk(WalkOrder::Pre, &mut |one| {
        all &= matches!(one.dialect(), "arith" | "math" | "narrow" | "vector" | "ub")
            || one.is(scf::IF)
            || one.is(scf::YIELD);
        all &= !one.operands().iter().any(|value| value.ty().is_memref_type());
    });
    all
}

/// An access of memory.
struct Access<'c> {
    /// The argument or other value that the buffer is a part of.
    root: Value<'c>,
    buffer: Value<'c>,
    /// The indices but the last.
    row: Vec<Value<'c>>,
    /// The last one: a value, and a constant.
    column: (Option<Value<'c>>, i64),
    lanes: i64,
    is_write: bool,
}

impl<'c> Access<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        let (buffer, moved, is_write) = match op.name() {
            vector::LOAD | memref::LOAD => (op.operand(0), op.result(0), false),
            vector::STORE | memref::STORE => (op.operand(1), op.operand(0), true),
            _ => return None,
        };
        let mut row = op.operands().split_off(usize::from(is_write) + 1);
        let column = row.pop().map_or((None, 0), split);
        let lanes = match moved.ty().is_vector_type() {
            true => i64::try_from(moved.ty().element_count()?).ok()?,
            false => 1,
        };
        // The elements of a buffer may be vectors themselves.
        let counts = buffer.ty().element() == moved.ty().element();
        counts.then_some(Self { root: root(buffer), buffer, row, column, lanes, is_write })
    }

    /// Whether this one, which writes, and another one share no element.
    fn is_apart(&self, other: &Self) -> bool {
        if self.root != other.root {
            return is_alone(self.root);
        }
        let distance = self.column.1 - other.column.1;
        let between = if distance < 0 { self.lanes } else { other.lanes };
        self.buffer == other.buffer
            && self.row == other.row
            && self.column.0 == other.column.0
            && distance.abs() >= between
    }
}

/// A value as one that it is computed from, and a constant.
pub(super) fn split(mut value: Value<'_>) -> (Option<Value<'_>>, i64) {
    let mut sum = 0;
    loop {
        if let Some(number) = constant_index(value) {
            return (None, sum + number);
        }
        let Some(owner) = value.owner().filter(|owner| owner.is(arith::ADDI)) else {
            return (Some(value), sum);
        };
        let [left, right] = [owner.operand(0), owner.operand(1)];
        match (constant_index(left), constant_index(right)) {
            (_, Some(more)) => (value, sum) = (left, sum + more),
            (Some(more), _) => (value, sum) = (right, sum + more),
            _ => return (Some(value), sum),
        }
    }
}

/// What a buffer is a part of.
fn root(mut buffer: Value<'_>) -> Value<'_> {
    let is_part = |op: &Op<'_>| is_view(*op) || op.is(memref::VIEW);
    while let Some(owner) = buffer.owner().filter(is_part) {
        buffer = owner.operand(0);
    }
    buffer
}

/// Whether an argument overlaps no other one: temporaries that kernels are called with may.
pub(super) fn is_alone(root: Value<'_>) -> bool {
    let Some((block, position)) = root.block_arg() else { return false };
    let Some(function) = block.parent_op().filter(|op| op.is(func::FUNC)) else { return false };
    let promises = function.attr("arg_attrs").and_then(|all| all.as_array());
    let promised = promises.and_then(|all| all.get(position)?.entry("llvm.noalias")).is_some();
    promised || !function.has_attr(KERNEL)
}
