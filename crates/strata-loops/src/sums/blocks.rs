//! Splits chains of additions into partial sums.

use strata_ir::{
    AffineMap, Attribute, Builder, Context, LIMIT, Op, TypeExt as _, Value, affine, arith, complex,
    index, linalg, scf, tensor, vector,
};
use strata_target::tuning::sums::{
    FAN_IN, MAX_STREAM_CHAIN, MAX_TENSOR_CHAIN, MAX_TILE_CHAIN, MIN_TILE_SUMS, STREAM_BLOCK,
    TENSOR_BLOCK, TILE_BLOCK,
};

use super::{
    SCHEDULE, SUMS,
    chain::{Sum, sums},
};
use crate::nests::counted::{Counted, part_of};

/// How the loop-carried sums of a loop are split.
#[derive(Clone, Copy)]
struct Cut {
    /// Additions of a block.
    block: i64,
    /// Chains of up to so many additions are not split.
    longest: i64,
}

/// If each addition loads its own element from memory.
const STREAM: Cut = Cut { block: STREAM_BLOCK, longest: MAX_STREAM_CHAIN };
/// In a register tile of a contraction: the totals do not fit the registers next to the tile.
const TILE: Cut = Cut { block: TILE_BLOCK, longest: MAX_TILE_CHAIN };
/// If the sums are tensors, in iterations.
const TENSOR: Cut = Cut { block: TENSOR_BLOCK, longest: MAX_TENSOR_CHAIN };
/// Shortens the chains of an outermost loop.
pub fn shorten_whole<'c>(context: &'c Context, op: Op<'c>) {
    let (op, length) = shorten(context, op, Cut::of(op));
    // A start in memory is itself a sum.
    let starts = sums(op).into_iter().map(|sum| op.operand(3 + sum.position).owner());
    let from_elsewhere = |owner: Option<Op<'c>>| {
        owner.is_some_and(|owner| matches!(owner.name(), vector::TRANSFER_READ | scf::FOR))
    };
    let registers = !op.has_attr(SUMS) && starts.into_iter().any(from_elsewhere);
    if registers && length >= FAN_IN {
        close(context, op);
    }
}

/// Shortens the chain of a loop that adds the sum of a block in each iteration.
pub fn shorten_blocks<'c>(context: &'c Context, op: Op<'c>) {
    let Some(mut nest) = Counted::of(op) else { return };
    while nest.trips() > FAN_IN {
        nest = cut(context, nest, FAN_IN);
    }
}

impl Cut {
    /// The splitting of the sums that `op` carries.
    fn of(op: Op<'_>) -> Self {
        if op.has_attr(SUMS) {
            return TENSOR;
        }
        let innermost =
            |op: &Op<'_>| op.is(scf::FOR) && op.collect(|inner| inner.is(scf::FOR)).len() == 1;
        let is_tile = |op: Op<'_>| {
            let whole = |read: Op<'_>| {
                read.is(vector::TRANSFER_READ) && read.result(0).ty().rank() == Some(1)
            };
            let reads = op.collect(whole).len();
            let carried = sums(op).len();
            carried >= MIN_TILE_SUMS && carried > reads
        };
        match op.collect(|inner| innermost(&inner)).into_iter().any(is_tile) {
            true => TILE,
            false => STREAM,
        }
    }
}

/// Splits the loop and the inner ones that carry its sums; returns the new loop, and the length of its chain
/// of additions.
fn shorten<'c>(context: &'c Context, op: Op<'c>, at: Cut) -> (Op<'c>, i64) {
    let Some(mut nest) = Counted::of(op) else { return (op, 1) };
    let all = sums(op);
    // Each inner loop once, with the additions that it stands for.
    let mut loops: Vec<(Op<'c>, i64)> = Vec::new();
    for inner in all.iter().flat_map(|sum| &sum.loops) {
        if loops.iter().any(|(known, _)| known == inner) {
            continue;
        }
        let (new, length) = shorten(context, *inner, at);
        let closes = length * nest.trips() > at.longest && 2 * length >= at.block;
        if closes {
            close(context, new);
        }
        loops.push((*inner, if closes { 1 } else { length }));
    }
    let length = |inner: &Op<'c>| {
        loops.iter().find(|(known, _)| known == inner).map_or(0, |(_, length)| *length)
    };
    let chain = |sum: &Sum<'c>| sum.additions + sum.loops.iter().map(length).sum::<i64>();
    let per_trip = all.iter().map(chain).max().unwrap_or(0);
    if per_trip * nest.trips() <= at.longest {
        return (op, per_trip * nest.trips());
    }
    // A trip with more than half of a block's additions is not one alone: its chain would go on.
    let mut wanted = (at.block / per_trip).max(2);
    while nest.trips() > FAN_IN && wanted > 1 {
        nest = cut(context, nest, wanted);
        wanted = FAN_IN;
    }
    (nest.op, nest.trips())
}

/// Whether a loop has inner loops.
fn is_nested(op: Op<'_>) -> bool {
    !op.collect(|inner| inner != op && inner.is(scf::FOR)).is_empty()
}

/// A block size near `wanted`: a divisor of `trips`, if possible a multiple of the unroll factor.
pub fn even(trips: i64, wanted: i64) -> i64 {
    let near = (wanted + 1) / 2..=2 * wanted;
    let distance = |size: &i64| (wanted - size).abs();
    let divisors = || near.clone().filter(|size| trips % size == 0);
    let unrolled = |unit: i64| divisors().filter(|size| size % unit == 0).min_by_key(distance);
    let any = || divisors().min_by_key(distance);
    unrolled(8).or_else(|| unrolled(4)).or_else(any).unwrap_or(wanted)
}

/// Wraps `nest` in a loop over blocks of about `wanted` iterations.
fn cut<'c>(context: &'c Context, nest: Counted<'c>, wanted: i64) -> Counted<'c> {
    let Counted { op, first, last, step } = nest;
    let size = even(nest.trips(), wanted);
    let whole = first + nest.trips() / size * size * step;
    // The remainder is a separate loop if that costs little code and constant trip counts help unrolling.
    let apart = whole < last && !is_nested(op);
    let end = if apart { whole } else { last };
    let before = Builder::before(context, op);
    let even_blocks = apart || whole == last;
    let blocks = Counted { op, first, last: end, step: size * step };
    let blocks = Counted { op: loop_over(&before, blocks, even_blocks), ..blocks };
    if apart {
        let bounds = [before.index(whole), op.operand(1)];
        let rest = part_of(&before, op, bounds, &blocks.op.results());
        keep_limit(rest, op.attr(LIMIT));
        replace(op, &rest.results());
        close(context, rest);
    } else {
        replace(op, &blocks.op.results());
    }
    op.erase();
    blocks
}

/// The loop over blocks of `blocks.step`, each with a copy of the loop `blocks.op`.
fn loop_over<'c>(before: &Builder<'c>, blocks: Counted<'c>, are_even: bool) -> Op<'c> {
    let Counted { op, first, last, step } = blocks;
    let limit = op.attr(LIMIT);
    let bounds = [first, last, step].map(|bound| before.index(bound));
    let types = op.result_types();
    let arguments = [vec![index(before.context)], types.clone()].concat();
    let body = before.region(&arguments, |inside, arguments| {
        let (at, totals) = (arguments[0], &arguments[1..]);
        let part = match are_even {
            true if limit.is_none() => whole_block(inside, op, at, step, totals),
            true => {
                let next = inside.same(arith::ADDI, &[at, inside.index(step)]);
                part_of(inside, op, [at, next], totals)
            }
            false => {
                let emit = *inside;
                let next = emit.same(arith::ADDI, &[at, emit.index(step)]);
                let next = emit.same(arith::MINSI, &[next, emit.index(last)]);
                part_of(inside, op, [at, next], totals)
            }
        };
        inside.op(scf::YIELD).operands(&part.results()).build();
        close(before.context, part);
        part.remove_attr(SCHEDULE);
        keep_limit(part, limit);
    });
    let blocks = before.op(scf::FOR).operands(&bounds).operands(&op.operands()[3..]);
    blocks.results(&types).attrs(&op.discardable_attrs()).region(body).build()
}

/// Ends a part of a loop where the loop ends: it has the same counter.
fn keep_limit<'c>(part: Op<'c>, limit: Option<Attribute<'c>>) {
    if let Some(limit) = limit {
        part.set_attr(LIMIT, limit);
    }
}

fn replace<'c>(op: Op<'c>, results: &[Value<'c>]) {
    for (old, new) in op.results().into_iter().zip(results) {
        old.replace_all_uses_with(*new);
    }
}

/// The iterations of `op` from `at` on, counted from zero so that the trip count is constant.
fn whole_block<'c>(
    inside: &Builder<'c>,
    op: Op<'c>,
    at: Value<'c>,
    extent: i64,
    starts: &[Value<'c>],
) -> Op<'c> {
    let emit = *inside;
    let part = part_of(inside, op, [emit.index(0), emit.index(extent)], starts);
    let counter = part.body(0).arg(0);
    let start = Builder::at_start(inside.context, part.body(0), op.location());
    let place = start.same(arith::ADDI, &[at, counter]);
    counter.replace_all_uses_with(place);
    if let Some(sum) = place.owner() {
        sum.set_operand(1, counter);
    }
    part
}

/// Makes the sums of a loop start from zero; their initial values are added after it.
fn close<'c>(context: &'c Context, op: Op<'c>) {
    let positions: Vec<_> = sums(op).into_iter().map(|sum| sum.position).collect();
    start_from_nothing(context, op, 3, &positions);
}

/// The same for the results of `op` at `positions`, whose initial values are the operands from number
/// `first` on.
pub fn start_from_nothing<'c>(context: &'c Context, op: Op<'c>, first: usize, positions: &[usize]) {
    let Some(next) = op.next() else { return };
    let before = Builder::before(context, op);
    let after = Builder { location: op.location(), ..Builder::before(context, next) };
    let mut vector: Option<Value<'c>> = None;
    for position in positions {
        let (start, result) = (op.operand(first + position), op.result(*position));
        let uses = result.uses();
        // A separate tensor for each; vectors are values.
        let known = vector.filter(|known| known.ty() == start.ty() && !start.ty().is_tensor_type());
        let nothing = known.unwrap_or_else(|| neutral(&before, start));
        vector = Some(nothing);
        op.set_operand(first + position, nothing);
        if let Some(read) = start.owner().filter(|read| can_wait(*read, op)) {
            read.move_before(next);
        }
        let sum = added(&after, start, result);
        for (user, operand) in uses {
            user.set_operand(operand, sum);
        }
    }
}

/// Whether `read`, before `op`, reads the same after it.
fn can_wait<'c>(read: Op<'c>, op: Op<'c>) -> bool {
    let may_write = |inner: Op<'c>| match inner.dialect() {
        "arith" | "math" => false,
        _ => !matches!(
            inner.name(),
            affine::APPLY | scf::FOR | scf::YIELD | vector::BROADCAST | vector::TRANSFER_READ
        ),
    };
    read.is(vector::TRANSFER_READ)
        && read.is_unused()
        && read.block() == op.block()
        && op.collect(may_write).is_empty()
}

/// The empty sum, -0.0, which is neutral, in the type of `like`.
fn neutral<'c>(builder: &Builder<'c>, like: Value<'c>) -> Value<'c> {
    let emit = *builder;
    let ty = like.ty();
    if !ty.is_tensor_type() {
        return emit.float(ty, -0.0);
    }
    let element = ty.element();
    let zero = match element.complex_element() {
        None => emit.float(element, -0.0),
        Some(part) => {
            let zero = emit.float(part, -0.0);
            emit.apply(complex::CREATE, &[zero, zero], element)
        }
    };
    builder.fill(zero, tensor::empty(builder, &[], ty).value())
}

/// `total + part`.
fn added<'c>(builder: &Builder<'c>, total: Value<'c>, part: Value<'c>) -> Value<'c> {
    let ty = total.ty();
    let emit = *builder;
    if !ty.is_tensor_type() {
        return emit.same(arith::ADDF, &[total, part]);
    }
    let element = ty.element();
    let name = if element.is_complex() { complex::ADD } else { arith::ADDF };
    let body = builder.region(&[element, element], |inner, arguments| {
        let sum = inner.op(name).operands(&[arguments[1], arguments[0]]).result(element).value();
        linalg::yield_(inner, &[sum]).build();
    });
    let rank = ty.rank().unwrap_or(0);
    let maps = vec![AffineMap::identity(rank); 2];
    let loops = vec![linalg::IteratorType::Parallel; rank];
    linalg::generic(builder, &maps, &loops, &[ty], body).inputs(&[part]).outputs(&[total]).value()
}
