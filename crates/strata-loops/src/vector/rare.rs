//! Loops without the formulas that only a few numbers take.
//!
//! A selection marked [`RARELY`] chooses between a value and a correction of it that costs far more, such as a complex product and
//! the same with scaled factors, which counts where the first overflows. A loop computes both for every element. Instead:
//!
//! ```mlir
//! scf.for %i = %low to %high step %c1 { …  %r = arith.select %open, %scaled, %plain {strata.rarely} … }
//! ```
//! becomes
//! ```mlir
//! scf.for %c = %low to %high step %c256 {
//!   %end = min(%c + 256, %high)
//!   %open = scf.for %i = %c to %end step %c1 iter_args(%any = 0) { …  %plain … }     // LLVM makes vectors of it
//!   scf.if (%open != 0) { scf.for %i = %c to %end step %c1 { both, as before } }
//! }
//! ```
//! The second loop starts from the same numbers as the first: it does nothing that the original did not, so the results are the
//! same in every bit. It needs the memory that the first one read, so loops that overwrite what they read stay as they are. A marked
//! branch of scalars, such as the sine of large numbers, is a selection, too: LLVM would compute both sides for every element.

use rustc_hash::FxHashMap;
use strata_ir::{
    AttributeExt as _, Builder, Context, FORMULA, Op, RARELY, Type, TypeExt as _, Value, View as _,
    arith, constant_index, func, index, integer, memref, scf, vector,
};
use strata_target::tuning::rare::{BLOCK, MIN_TRIPS};

use super::interleave::{is_alone, is_pure};
use crate::nests::is_view;

/// Rewrites the loops of `function`; marks are gone afterwards.
pub fn apply<'c>(context: &'c Context, function: Op<'c>) {
    let loops = function.collect(|op| op.is(scf::FOR));
    for work in loops.into_iter().filter_map(Work::of) {
        work.split(context);
    }
    for selection in function.collect(|op| op.has_attr(RARELY)) {
        selection.remove_attr(RARELY);
    }
}

/// A loop with marked selections.
struct Work<'c> {
    op: Op<'c>,
    marked: Vec<Op<'c>>,
    /// Where bounds and step are constant.
    trips: Option<i64>,
}

impl<'c> Work<'c> {
    fn of(op: Op<'c>) -> Option<Self> {
        let mut all = op.body(0).ops();
        all.pop()?;
        let is_marked = |one: &Op<'c>| {
            one.has_attr(RARELY) && (one.is(arith::SELECT) || is_branch_of_scalars(*one))
        };
        let (marked, others): (Vec<_>, Vec<_>) = all.iter().copied().partition(is_marked);
        let scalar = marked.iter().all(|one| !one.operand(0).ty().is_vector_type());
        let step = constant_index(op.operand(2)).filter(|step| *step > 0);
        let range = constant_index(op.operand(0)).zip(constant_index(op.operand(1)));
        let trips = step
            .zip(range)
            .and_then(|(step, (low, high))| Some(high.checked_sub(low)?.max(0) / step));
        let is_long = trips.is_none_or(|trips| trips >= MIN_TRIPS);
        (!marked.is_empty() && scalar && step.is_some() && is_long && can_run_twice(&others))
            .then_some(Self { op, marked, trips })
    }

    fn split(&self, context: &'c Context) {
        let outside = Builder::before(context, self.op);
        let [low, high, step] = [0, 1, 2].map(|bound| self.op.operand(bound));
        let starts = self.op.operands().split_off(3);
        let results = match self.trips {
            Some(trips) if trips <= BLOCK => self.block(&outside, [low, high], &starts),
            _ => {
                let types: Vec<_> = starts.iter().map(|start| start.ty()).collect();
                let trips = outside.index(BLOCK);
                let length = outside.same(arith::MULI, &[step, trips]);
                let arguments = [vec![index(context)], types.clone()].concat();
                let body = outside.region(&arguments, |inside, own| {
                    let end = inside.same(arith::ADDI, &[own[0], length]);
                    let is_whole = self.trips.is_some_and(|trips| trips % BLOCK == 0);
                    let end = if is_whole { end } else { inside.same(arith::MINSI, &[end, high]) };
                    let results = self.block(inside, [own[0], end], &own[1..]);
                    scf::yield_(inside, &results).build();
                });
                scf::for_(&outside, low, high, length, &starts, &types, body).build().op().results()
            }
        };
        for (old, new) in self.op.results().into_iter().zip(results) {
            old.replace_all_uses_with(new);
        }
        self.op.erase();
    }

    /// Both loops over a part of the range; the values that the loop carries.
    fn block(
        &self,
        b: &Builder<'c>,
        [low, high]: [Value<'c>; 2],
        starts: &[Value<'c>],
    ) -> Vec<Value<'c>> {
        let step = self.op.operand(2);
        let mut types: Vec<_> = starts.iter().map(|start| start.ty()).collect();
        let again = b.region(&[], |inside, _| {
            let arguments = [vec![index(b.context)], types.clone()].concat();
            let body = inside.region(&arguments, |within, own| {
                let mut known = self.arguments(own);
                let results = within.copy_body(self.op.body(0), &mut known);
                scf::yield_(within, &results).build();
            });
            let whole = scf::for_(inside, low, high, step, starts, &types, body).build().op();
            scf::yield_(inside, &whole.results()).build();
        });
        let flag = self.flag(b.context);
        let none = b.int(flag, 0);
        let carried = types.clone();
        types.push(flag);
        let arguments = [vec![index(b.context)], types.clone()].concat();
        let body = b.region(&arguments, |within, own| {
            let results = self.usual(within, own);
            scf::yield_(within, &results).build();
        });
        let starts = [starts, &[none]].concat();
        let fast = scf::for_(b, low, high, step, &starts, &types, body).build().op();
        let mut results = fast.results();
        let Some(any) = results.pop() else { return results };
        let any = b.cmpi(arith::CmpIPredicate::Ne, any, none);
        let kept = b.region(&[], |inside, _| {
            scf::yield_(inside, &results).build();
        });
        scf::if_(b, any, &carried, again, kept).build().op().results()
    }

    /// The type of what says whether another choice is due: as wide as the numbers, which LLVM then keeps beside them in vectors.
    fn flag(&self, context: &'c Context) -> Type<'c> {
        let results = self.marked.iter().flat_map(|one| one.results());
        let widest = results.filter_map(|result| result.ty().element().bit_width()).max();
        integer(context, if widest.is_some_and(|bits| bits <= 32) { 32 } else { 64 })
    }

    fn arguments(&self, own: &[Value<'c>]) -> FxHashMap<Value<'c>, Value<'c>> {
        self.op.body(0).args().into_iter().zip(own.iter().copied()).collect()
    }

    /// The body with what marked selections choose usually; yields also whether another choice was due.
    fn usual(&self, within: &Builder<'c>, own: &[Value<'c>]) -> Vec<Value<'c>> {
        let mut known = self.arguments(own);
        let body = self.op.body(0);
        let mut any = own.last().copied();
        for op in body.ops() {
            let get = |value: Value<'c>| known.get(&value).copied().unwrap_or(value);
            if self.marked.contains(&op) {
                let flag = self.flag(within.context);
                // Not sign-extended, which LLVM makes selections of that keep it from vectors.
                let due = within.cast(arith::EXTUI, get(op.operand(0)), flag);
                any = any.map(|any| within.same(arith::ORI, &[any, due]));
                let usual = match op.is(scf::IF) {
                    true => op.body(1).terminator().map(Op::operands).unwrap_or_default(),
                    false => vec![op.operand(2)],
                };
                let usual: Vec<_> = usual.into_iter().map(get).collect();
                known.extend(op.results().into_iter().zip(usual));
            } else if Some(op) == body.terminator() {
                return op.operands().into_iter().map(get).chain(any).collect();
            } else {
                within.copy(op, &mut known);
            }
        }
        Vec::new()
    }
}

/// Whether a branch computes scalars, or a function of the module does, and its other side has nothing to compute.
fn is_branch_of_scalars(op: Op<'_>) -> bool {
    let calls_formula = |one: Op<'_>| {
        let callee = one.attr("callee").and_then(|callee| callee.as_symbol());
        one.is(func::CALL) && callee.is_some_and(|callee| callee.starts_with(FORMULA))
    };
    let computes = |one: Op<'_>| is_pure(one) || calls_formula(one);
    op.is(scf::IF)
        && op.results().iter().all(|result| !result.ty().is_vector_type())
        && op.body(0).ops().into_iter().all(computes)
        && op.region(1).first_block().is_some_and(|usual| usual.ops().len() == 1)
}

/// Whether a body only computes, reads, and writes other memory than it reads.
fn can_run_twice(body: &[Op<'_>]) -> bool {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    for op in body {
        match op.name() {
            memref::LOAD | vector::LOAD => read.push(op.operand(0)),
            memref::STORE | vector::STORE => written.push(op.operand(1)),
            _ if op.region_count() == 0 && (is_pure(*op) || op.dialect() == "complex") => {}
            _ => return false,
        }
    }
    written.into_iter().all(|to| read.iter().all(|from| are_apart(to, *from)))
}

/// Whether two buffers share no byte.
fn are_apart(one: Value<'_>, other: Value<'_>) -> bool {
    let ((first, own), (second, others)) = (place(one), place(other));
    if first != second {
        let is_constant = second.owner().is_some_and(|op| op.is(memref::GET_GLOBAL));
        let are_alone = is_argument(second) && (is_alone(first) || is_alone(second));
        return is_argument(first) && (is_constant || are_alone);
    }
    match (own, others) {
        (Some((start, end)), Some((begin, stop))) => end <= begin || stop <= start,
        _ => false,
    }
}

/// The argument or constant that a buffer is in, and the bytes there if they are known.
fn place(mut buffer: Value<'_>) -> (Value<'_>, Option<(i64, i64)>) {
    while let Some(owner) = buffer.owner().filter(|owner| is_view(*owner)) {
        buffer = owner.operand(0);
    }
    let Some(view) = buffer.owner().filter(|owner| owner.is(memref::VIEW)) else {
        return (buffer, None);
    };
    let arena = view.operand(0);
    let bytes = bytes(buffer.ty()).filter(|_| is_argument(arena));
    let start = constant_index(view.operand(1));
    (arena, start.zip(bytes).map(|(start, bytes)| (start, start + bytes)))
}

/// The size of a buffer of static shape without gaps.
fn bytes(ty: Type<'_>) -> Option<i64> {
    let bytes = ty.element_count()?.checked_mul(ty.element().byte_width()?)?;
    i64::try_from(bytes).ok()
}

fn is_argument(root: Value<'_>) -> bool {
    let owner = root.block_arg().and_then(|(block, _)| block.parent_op());
    owner.is_some_and(|owner| owner.is(func::FUNC))
}
