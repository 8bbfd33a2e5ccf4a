//! The limits of loops: those that stage `schedule` found to be needed up to a size only end there.
//!
//! ```mlir
//! scf.for %i = %c0 to %c128 step %c6 { … } {strata.limit = affine_map<(d0) -> (d0)>}
//! ```
//! becomes
//! ```mlir
//! %size = memref.load %s[] : memref<i64>                  // at the start of the entry
//! %bound = affine.apply affine_map<(d0) -> (d0)>(%size_as_index)
//! %limit = arith.minsi %large, %bound {strata.limit}
//! …
//! %end = arith.minsi %c128, %limit
//! scf.for %i = %c0 to %end step %c6 { … }
//! ```
//! Buffers are assigned, and the assignment is checked, for the loop up to its bound. What it no longer writes has no reader whose
//! results are needed, so that it does not matter what other tensor was in that memory before.

use rustc_hash::FxHashMap;
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AGAIN, AffineExpr, AffineMap, Attribute, AttributeExt as _, BLOCKS, Builder, Context, LIMIT,
    MASK, OUTPUTS, Op, ROWS, RegionBuilder, TypeExt as _, Value, View as _, affine, arith,
    attribute_address, constant_index, diagnostic_at, index, integer, memref, scf, unit,
};
use strata_target::tuning::rests::MAX_OPERATIONS;

use super::{
    masks,
    rests::{self, BELOW, few::FEW},
};

/// More than the bound of any loop: the interpreter, which reports what is not initialised, takes this for each limit and so
/// computes what is not needed, too.
const NO_LIMIT: i64 = 1 << 40;

/// Puts the limits of those `nests` without a schedule that `is_one` chooses before them: their loops are made by passes that keep no
/// attributes. Returns whether there are any.
pub fn announce<'c>(
    context: &'c Context,
    nests: &[Op<'c>],
    is_one: impl Fn(Op<'c>) -> bool,
) -> bool {
    let mut count = 0;
    for nest in nests.iter().filter(|nest| is_one(**nest)) {
        let (Some(limits), Some(output)) = (nest.attr(LIMIT), nest.operands().last().copied())
        else {
            continue;
        };
        count += 1;
        // An operation that no pattern removes, and that no program has here.
        Builder::before(context, *nest)
            .op(memref::DEALLOC)
            .operand(output)
            .attr(LIMIT, limits)
            .build();
        nest.remove_attr(LIMIT);
    }
    count > 0
}

/// Gives the loops after each of what [`announce`] put there their limits.
pub fn attach(entry: Op<'_>) {
    for mark in entry.collect(|op| op.is(memref::DEALLOC) && op.has_attr(LIMIT)) {
        let limits = mark.attr(LIMIT).and_then(|limits| limits.as_array()).unwrap_or_default();
        let mut next = mark.next();
        mark.erase();
        for limit in limits {
            let Some(each) = next.filter(|op| is_loop(*op)) else { break };
            if AffineMap::of(limit).is_some_and(|map| map.results.len() == 1) {
                each.set_attr(LIMIT, limit);
            }
            next = each.body(0).ops().into_iter().find(|op| is_loop(*op));
        }
    }
}

fn is_loop(op: Op<'_>) -> bool {
    op.is(affine::FOR) || op.is(scf::FOR)
}

/// Takes the limits from loops that end before them at the smallest sizes, `least`, as that over a window of two elements does: the number
/// of iterations is then a constant.
pub fn drop_unneeded(entry: Op<'_>, least: &[i64]) {
    for each in entry.collect(|op| is_loop(op) && op.has_attr(LIMIT)) {
        let last = match each.cast::<affine::For>() {
            Some(own) => own.upper_bound_map().and_then(|map| map.results.first()?.as_constant()),
            None => constant_index(each.operand(1)),
        };
        let limit = each.attr(LIMIT).and_then(AffineMap::of);
        let limit = limit.filter(|map| map.dims == least.len() && map.results.len() == 1);
        let limit = limit.and_then(|map| map.results[0].value(least, least));
        if limit.zip(last).is_some_and(|(limit, last)| limit >= last) {
            each.remove_attr(LIMIT);
        }
    }
}

/// Gives all loops with a limit their ends.
///
/// # Errors
/// `S9002` for a limit that the contract of stage `schedule` does not allow.
pub fn lower<'c>(context: &'c Context, entry: Op<'c>) -> Result<(), Diagnostic> {
    if masks::count_places(context, entry) {
        rests::erase_unread(entry);
    }
    entry.collect(|op| {
        let of_rows = op.remove_attr(ROWS) | op.remove_attr(FEW);
        op.remove_attr(BELOW) | op.remove_attr(MASK) | op.remove_attr(AGAIN) | of_rows
    });
    let loops = entry.collect(|op| op.has_attr(LIMIT));
    let mut ends: FxHashMap<usize, Value<'c>> = FxHashMap::default();
    for each in loops {
        let Some(limit) = each.attr(LIMIT) else { continue };
        each.remove_attr(LIMIT);
        if !is_loop(each) {
            continue;
        }
        let end = value(context, entry, limit, &mut ends).ok_or_else(|| {
            diagnostic_at(codes::S9002, each)
                .reason("the limit of a loop is not an expression of the entry's sizes")
        })?;
        let before = Builder::before(context, each);
        if each.is(scf::FOR) {
            let block = next_block(each);
            each.set_operand(1, before.same(arith::MINSI, &[each.operand(1), end]));
            if let Some(next) = block {
                in_two(&before, each, next);
            }
        } else {
            limit_affine(&before, each, end).ok_or_else(|| {
                diagnostic_at(codes::S9002, each).reason("a loop with a limit has no bounds")
            })?;
        }
    }
    lower_blocks(context, entry, &mut ends);
    Ok(())
}

/// Gives loops within blocks their ends. One that is no longer in the loop over its blocks computes all.
fn lower_blocks<'c>(context: &'c Context, entry: Op<'c>, ends: &mut FxHashMap<usize, Value<'c>>) {
    let inner = entry.collect(|op| op.attr(BLOCKS).is_some_and(|of| of.as_array().is_some()));
    for each in inner {
        let of = each.attr(BLOCKS).and_then(|of| of.as_array()).unwrap_or_default();
        let [number, limit] = of[..] else { continue };
        let mut around = std::iter::successors(each.parent(), |op| op.parent());
        let outer = around.find(|op| op.attr(BLOCKS) == Some(number));
        let outer = outer.filter(|outer| outer.is(scf::FOR) && each.is(scf::FOR));
        if let Some(outer) = outer
            && let Some(end) = value(context, entry, limit, ends)
        {
            let before = Builder::before(context, each);
            let left = before.same(arith::SUBI, &[end, outer.body(0).arg(0)]);
            each.set_operand(1, before.same(arith::MINSI, &[each.operand(1), left]));
        }
    }
    entry.collect(|op| op.remove_attr(BLOCKS));
}

/// Where the next block begins, for a loop over a block whose length is a constant unless it is the last one.
fn next_block<'c>(each: Op<'c>) -> Option<Value<'c>> {
    let first = each.operand(0);
    let ops = each.body(0).ops();
    if constant_index(first).is_some()
        || constant_index(each.operand(2)) != Some(1)
        || each.result_types().iter().any(|ty| ty.is_vector_type())
        || ops.len() > MAX_OPERATIONS
        || ops.iter().any(|op| op.region_count() > 0)
    {
        return None;
    }
    let mut ends = vec![each.operand(1)];
    while let Some(end) = ends.pop() {
        let Some(owner) = end.owner() else { continue };
        match owner.name() {
            arith::MINUI | arith::MINSI => ends.extend(owner.operands()),
            arith::ADDI if owner.operand(0) == first => {
                return constant_index(owner.operand(1)).map(|_| end);
            }
            _ => {}
        }
    }
    None
}

/// A loop for blocks that end at `next`, whose number of iterations is known, beside `each`.
fn in_two<'c>(before: &Builder<'c>, each: Op<'c>, next: Value<'c>) {
    let is_whole = before.cmpi(arith::CmpIPredicate::Sge, each.operand(1), next);
    let region = |end: Value<'c>| {
        before.region(&[], |inner, _| {
            let copy = inner.copy(each, &mut FxHashMap::default());
            copy.set_operand(1, end);
            scf::yield_(inner, &copy.results()).build();
        })
    };
    let (whole, part) = (region(next), region(each.operand(1)));
    let chosen = scf::if_(before, is_whole, &each.result_types(), whole, part).build();
    for (old, new) in each.results().into_iter().zip(chosen.op().results()) {
        old.replace_all_uses_with(new);
    }
    each.erase();
}

/// A loop whose upper bound is the smaller one of its own and `end`.
fn limit_affine<'c>(before: &Builder<'c>, each: Op<'c>, end: Value<'c>) -> Option<()> {
    let own = each.cast::<affine::For>()?;
    let (lower, upper, step) = (own.lower_bound_map()?, own.upper_bound_map()?, own.step()?);
    let limited = AffineMap {
        symbols: upper.symbols + 1,
        results: [&upper.results[..], &[AffineExpr::Symbol(upper.symbols)]].concat(),
        ..upper
    };
    let highs = [own.upper_bound_operands(), vec![end]].concat();
    let lows = own.lower_bound_operands();
    let body = RegionBuilder::take(each.region(0));
    let limited = affine::for_(before, &lower, &limited, step, &each.result_types(), body)
        .lower_bound_operands(&lows)
        .upper_bound_operands(&highs)
        .inits(&own.inits())
        .attrs(&each.discardable_attrs())
        .build();
    for (old, new) in each.results().into_iter().zip(limited.op().results()) {
        old.replace_all_uses_with(new);
    }
    each.erase();
    Some(())
}

/// Whether a loop has to end at its limit: what it would read beyond may have no value, since loops of other nests that make what only
/// it reads end there, too.
pub fn is_exact(each: Op<'_>) -> bool {
    each.has_attr(LIMIT)
}

/// Whether a loop may end before its bound.
pub fn may_end_early(each: Op<'_>) -> bool {
    each.has_attr(LIMIT) || each.attr(BLOCKS).is_some_and(|of| of.as_array().is_some())
}

/// The value of a limit at the start of the entry, which `known` may have.
pub fn value<'c>(
    context: &'c Context,
    entry: Op<'c>,
    limit: Attribute<'c>,
    known: &mut FxHashMap<usize, Value<'c>>,
) -> Option<Value<'c>> {
    let key = attribute_address(limit);
    if let Some(value) = known.get(&key) {
        return Some(*value);
    }
    let value = computed(context, entry, limit)?;
    known.insert(key, value);
    Some(value)
}

fn computed<'c>(context: &'c Context, entry: Op<'c>, limit: Attribute<'c>) -> Option<Value<'c>> {
    let map = AffineMap::of(limit).filter(|map| map.results.len() == 1)?;
    // Symbols are the sizes again, of which products are made.
    (map.symbols == 0 || map.symbols == map.dims).then_some(())?;
    let body = entry.region(0).first_block()?;
    // Sizes are the last inputs: outputs and the workspace come after them.
    let arguments = body.args();
    let outputs = entry.attr(OUTPUTS)?.as_array()?.len();
    let first = arguments.len().checked_sub(1 + outputs + map.dims)?;
    let mut used = map.results[0].dims();
    if map.symbols > 0 {
        used = (0..map.dims).collect();
    }
    used.sort_unstable();
    used.dedup();
    let sizes: Vec<_> = used.iter().map(|size| arguments[first + size]).collect();
    if sizes.iter().any(|size| size.ty() != memref(&[], integer(context, 64))) {
        return None;
    }
    let at = Builder::at_start(context, body, entry.location());
    let load = |size: Value<'c>| {
        let size = at.op(memref::LOAD).operand(size).result(integer(context, 64)).value();
        at.cast(arith::INDEX_CAST, size, index(context))
    };
    let sizes: Vec<_> = sizes.into_iter().map(load).collect();
    let place = |size: usize| used.iter().position(|own| *own == size).unwrap_or(0);
    let places: Vec<_> = (0..map.dims).map(|size| AffineExpr::dim(place(size))).collect();
    let own =
        AffineMap { dims: sizes.len(), results: vec![map.results[0].with_dims(&places)?], ..map };
    let symbols = &sizes[..own.symbols];
    let apply = at.op(affine::APPLY).operands(&sizes).operands(symbols);
    let apply = apply.attr("map", own.to_attribute(context));
    let bound = apply.result(index(context)).value();
    let end = at.op(arith::MINSI).operands(&[at.index(NO_LIMIT), bound]);
    Some(end.attr(LIMIT, unit(context)).result(index(context)).value())
}
