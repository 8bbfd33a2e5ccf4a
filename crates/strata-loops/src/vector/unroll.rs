//! Sets LLVM's unroll factor of loops with the accumulators of a reduction.
//!
//! By default LLVM does not unroll such a loop, because its body is long. Counting and branching then
//! take issue slots from the multiply-adds of every step.
//!
//! ```text
//! %s:24 = scf.for %k = 0 to 512 step 1 iter_args(24 × vector<16xf32>) { 24 × math.fma }
//! ```
//! becomes
//! ```text
//! … { 24 × math.fma } {loop_annotation = #llvm.loop_annotation<unroll = <count = 4 : i32, …>>}
//! ```
//! A loop over blocks of such sums stays rolled: with several blocks in a row, LLVM keeps the totals of one in registers that
//! the tile of the next one needs. So does one that fills row after row, which LLVM would unroll to hundreds of stores, and one
//! that is more code than LLVM unrolls: it need not find that out, for which it asks for the cost of each instruction, those of the copies
//! of a loop in it, too. A plain loop along a row is left to be made of vectors first.
//!
//! Where a client waits for the compilation, sums that run for microseconds in a call stay as they are: of the multiply-adds of a tile
//! a step has enough to do, and four copies take LLVM four times as long.

use strata_ir::{
    AttributeExt as _, Context, DYNAMIC, Op, TypeExt as _, Value, arith, func, math, memref,
    parse_attr, scf, vector,
};
use strata_target::tuning::unrolling::{
    K_BLOCK_STEPS, MIN_LONG_BODY, MIN_LONG_LOOP, MIN_LONG_NEST, MIN_LONG_NEST_BODY,
    MIN_MULTIPLY_ADDS, MIN_ROLLED_FILL, MIN_ROLLED_ROWS, MIN_ROW, MIN_TRIPS, REDUCTION_STEPS,
};

use super::interleave::split;

/// Marks the loops of `func` that are worth unrolling; `short_work` is how many multiply-adds of vectors a sum has in a call, at most, for
/// it not to be.
pub fn annotate<'c>(context: &'c Context, func: Op<'c>, short_work: Option<i64>) {
    let loops = func.collect(|op| op.is(scf::FOR));
    let mut unrolled = Vec::new();
    for each in loops.iter().copied() {
        let is_up_to_a_size = takes_rows_up_to_a_size(each) || writes_rows_of_a_size(each);
        if adds_blocks(each) || fills(each) || writes_row(each) || is_up_to_a_size {
            roll(context, each);
            continue;
        }
        let sums = each.result_count();
        // Blocks of a sum restart: 8 steps are a tenth slower than 4 on Zen 5.
        let is_between_slots = each.parent().is_some_and(|outer| {
            outer.is(scf::FOR) && sums > 0 && outer.result_count() == sums && !adds_blocks(outer)
        });
        let steps = if is_between_slots { K_BLOCK_STEPS } else { REDUCTION_STEPS };
        if is_register_reduction(each, steps) {
            if short_work.is_some_and(|most| work(each).is_some_and(|work| work <= most)) {
                roll(context, each);
                continue;
            }
            let text =
                format!("#llvm.loop_annotation<unroll = <disable = false, count = {steps} : i32>>");
            let Some(annotation) = parse_attr(context, &text) else { return };
            each.set_attr("loop_annotation", annotation);
            unrolled.push((each, steps));
        } else if is_long(each) {
            roll(context, each);
        }
    }
    for each in loops {
        if !each.has_attr("loop_annotation") && is_around_long(each, &unrolled) {
            roll(context, each);
        }
    }
}

/// Tells LLVM not to unroll a loop.
pub fn roll<'c>(context: &'c Context, each: Op<'c>) {
    if let Some(rolled) = parse_attr(context, "#llvm.loop_annotation<unroll = <disable = true>>") {
        each.set_attr("loop_annotation", rolled);
    }
}

/// Whether the loop is more code than LLVM unrolls, which it would find out by the cost of each instruction.
fn is_long(each: Op<'_>) -> bool {
    let Some(trips) = trips(each) else { return false };
    let inside = each.collect(|op| op != each);
    let vectors = inside.iter().flat_map(|op| op.results()).filter(|one| one.ty().is_vector_type());
    let body = vectors.count();
    body >= MIN_LONG_BODY
        && body as i64 * trips >= MIN_LONG_LOOP
        && !inside.iter().any(|op| op.is(scf::FOR))
}

/// The same of a loop around others, once those that are to be `unrolled` are.
fn is_around_long<'c>(each: Op<'c>, unrolled: &[(Op<'c>, i64)]) -> bool {
    let is_around = !each.collect(|op| op != each && op.is(scf::FOR)).is_empty();
    let code = code(each, unrolled);
    is_around && code >= MIN_LONG_NEST_BODY && code * trips(each).unwrap_or(2) >= MIN_LONG_NEST
}

/// The vectors in an operation's regions, as often as they are in the code.
fn code<'c>(op: Op<'c>, unrolled: &[(Op<'c>, i64)]) -> i64 {
    let blocks = (0..op.region_count()).flat_map(|index| op.region(index).blocks());
    let inside = blocks.flat_map(|block| block.ops()).map(|inner| match inner.region_count() {
        0 => inner.results().iter().filter(|one| one.ty().is_vector_type()).count() as i64,
        _ => {
            let copies = unrolled.iter().find(|(one, _)| *one == inner);
            copies.map_or(1, |(_, steps)| *steps) * code(inner, unrolled)
        }
    });
    inside.sum()
}

/// Whether the loop writes one number after the other, as plain loops do. LLVM makes vectors of it, unless it has unrolled it before:
/// then it makes vectors of the loop around it, by gathering and scattering.
fn writes_row(each: Op<'_>) -> bool {
    let ops = each.body(0).ops();
    let counter = each.body(0).arg(0);
    let is_next = |op: &Op<'_>| {
        let last = op.operands().pop().filter(|_| op.is(memref::STORE) && op.operand_count() > 2);
        last.is_some_and(|index| split(index).0 == Some(counter))
    };
    let is_scalar = |op: &Op<'_>| {
        op.region_count() == 0 && !op.results().iter().any(|one| one.ty().is_vector_type())
    };
    each.result_count() == 0
        && trips(each).is_some_and(|trips| trips >= MIN_ROW)
        && ops.iter().all(is_scalar)
        && ops.iter().any(is_next)
}

/// Whether the loop ends at a size of a call and combines several rows: LLVM knows how many iterations it has at most, and would make code for
/// each of them.
fn takes_rows_up_to_a_size(each: Op<'_>) -> bool {
    let of_vectors = each.results().iter().filter(|one| one.ty().is_vector_type()).count();
    of_vectors >= MIN_ROLLED_ROWS
        && trips(each).is_none()
        && each.body(0).ops().iter().all(|op| op.region_count() == 0)
}

/// Whether the loop writes vectors of one row after the other whose length is a size of a call: each needs addresses of its own, and those of
/// several rows are more than there are registers.
fn writes_rows_of_a_size(each: Op<'_>) -> bool {
    let counter = each.body(0).arg(0);
    let is_row = |op: &Op<'_>| {
        let place = match op.name() {
            vector::STORE => 1,
            vector::MASKEDSTORE => 0,
            _ => return false,
        };
        let shape = op.operand(place).ty().shape().unwrap_or_default();
        let index = |dim: usize| op.operand(place + 1 + dim);
        let mut along = (0..shape.len()).filter(|dim| split(index(*dim)).0 == Some(counter));
        along.any(|dim| shape[dim + 1..].contains(&DYNAMIC))
    };
    each.result_count() == 0 && each.body(0).ops().iter().any(is_row)
}

/// Whether the loop has many iterations, and only fills a row in each.
fn fills(each: Op<'_>) -> bool {
    let inside = each.collect(|op| op != each);
    let has_rows = inside.iter().any(|op| op.is(scf::FOR));
    let only_stores = inside.iter().all(|op| match op.name() {
        memref::STORE => op.operand(0).owner().is_some_and(|owner| !each.encloses(owner)),
        scf::FOR => op.result_count() == 0,
        scf::YIELD => true,
        _ => op.dialect() == "arith",
    });
    has_rows && only_stores && trips(each).is_some_and(|trips| trips >= MIN_ROLLED_FILL)
}

/// Whether the loop adds the result of an inner loop to a loop-carried vector.
fn adds_blocks(each: Op<'_>) -> bool {
    let body = each.body(0);
    let carried = body.args();
    let adds = |(user, operand): (Op<'_>, usize)| {
        user.is(arith::ADDF) && carried[1..].contains(&user.operand(1 - operand))
    };
    let inner = body.ops().into_iter().filter(|op| op.is(scf::FOR));
    inner.flat_map(Op::results).any(|sum| sum.uses().into_iter().any(adds))
}

fn is_register_reduction(each: Op<'_>, steps: i64) -> bool {
    let Some(trips) = trips(each) else { return false };
    if trips < MIN_TRIPS || trips % steps != 0 {
        return false;
    }
    let body = each.body(0).ops();
    multiply_adds(each) >= MIN_MULTIPLY_ADDS && body.iter().all(|op| op.region_count() == 0)
}

/// The multiply-adds of vectors in the loop's body.
fn multiply_adds(each: Op<'_>) -> usize {
    let is_one = |op: &Op<'_>| op.is(math::FMA) && op.result(0).ty().is_vector_type();
    each.body(0).ops().iter().filter(|op| is_one(op)).count()
}

/// How many multiply-adds of vectors the loop has in a call; `None` where a loop around it has unknown bounds, or the function is called for
/// parts of the work.
fn work(each: Op<'_>) -> Option<i64> {
    let mut work = multiply_adds(each) as i64 * trips(each)?;
    let mut outer = each.parent()?;
    while !outer.is(func::FUNC) {
        if outer.is(scf::FOR) {
            work = work.saturating_mul(trips(outer)?);
        }
        outer = outer.parent()?;
    }
    Some(work)
}

/// The trip count of a loop with constant bounds.
pub(super) fn trips(each: Op<'_>) -> Option<i64> {
    let [first, last, step] = [0, 1, 2].map(|bound| constant(each.operand(bound)));
    let step = step.filter(|step| *step > 0)?;
    Some((last? - first?) / step)
}

pub(super) fn constant(value: Value<'_>) -> Option<i64> {
    value.owner().filter(|op| op.is(arith::CONSTANT))?.attr("value")?.as_i64()
}
