//! Elementwise nests all of whose tensors are used in place, with the same sizes: one loop over all elements, whose rows follow each other.
//!
//! ```mlir
//! scf.for %i = %c0 to %c64 step %c1 {
//!   scf.for %j = %c0 to %c128 step %c32 {                     // rows of %size elements
//!     %v = vector.transfer_read %x[%i, %j] : memref<64x?xf32>, vector<8xf32>
//!     …
//!   } {strata.limit = affine_map<(d0) -> (d0)>}
//! } {strata.flat}
//! ```
//! becomes
//! ```mlir
//! %n = arith.muli %size, %c64
//! %all = memref.view %x[%c0][%n] : memref<?xi8> to memref<?xf32>
//! scf.for %j = %c0 to %c8192 step %c32 {
//!   %v = vector.transfer_read %all[%j] : memref<?xf32>, vector<8xf32>
//!   …
//! } {strata.limit = affine_map<(d0) -> (d0 * 64)>}
//! ```
//! and ends as other loops with limits do, also where the number of rows is a size: the limit is then a product of sizes. Otherwise each row has a last tile, a loop over vectors and a last vector.

use rustc_hash::FxHashMap;
use strata_ir::{
    AffineExpr, AffineMap, Builder, Context, DYNAMIC, LIMIT, Op, ROWS, TASKS, TypeExt as _, Value,
    View as _, arith, i64s, index, memref, scf, unit, vector,
};
use strata_options::Options;

use super::{
    Buffer, GUARDED,
    back::{Lanes, only_indexes},
    candidates,
    whole::Whole,
};
use crate::nests::{counted::Counted, indices::Place, rests};

/// On the outermost loop of such a nest, until its tensors are in place.
const FLAT: &str = "strata.flat";

/// Whether the loop is in a nest that becomes one loop.
pub fn is_flat(each: Op<'_>) -> bool {
    std::iter::successors(Some(each), |op| op.parent()).any(|op| op.has_attr(FLAT))
}

/// Marks the nests of `entry` that become one loop.
pub fn mark<'c>(context: &'c Context, entry: Op<'c>, options: &Options) {
    let Some(body) = entry.region(0).first_block().filter(|_| options.is_specialization) else {
        return;
    };
    let (buffers, _) = candidates(context, entry, body, options);
    for nest in body.ops().into_iter().filter(|_| !buffers.is_empty()) {
        if is_elementwise(nest, &buffers) == Some(true) {
            nest.set_attr(FLAT, unit(context));
        } else if let Some(whole) = Whole::of(context, nest).filter(|one| one.is_of(&buffers)) {
            whole.loops().into_iter().for_each(|each| each.set_attr(FLAT, unit(context)));
        }
    }
}

/// The loops of a nest from the outermost one on, all from 0 on. All but the innermost one, whose body has no loop, count by 1.
fn loops(nest: Op<'_>) -> Option<Vec<Counted<'_>>> {
    let mut loops = Vec::new();
    let mut next = nest;
    loop {
        let own = Counted::of(next).filter(|own| own.first == 0)?;
        if next.result_count() > 0 || next.has_attr(TASKS) {
            return None;
        }
        loops.push(own);
        let ops = own.body().ops();
        // Where the rows of a tensor begin that has them after each other.
        let others = ops.iter().filter(|op| !op.has_attr(ROWS)).copied().collect::<Vec<_>>();
        match others[..] {
            [inner, _] if inner.is(scf::FOR) => {
                (own.step == 1).then_some(())?;
                next = inner;
            }
            _ if others.len() == ops.len() => return Some(loops),
            _ => return None,
        }
    }
}

/// Whether the lanes of all vectors of a nest are elements of `buffers` at the same place, which are all those that are valid.
fn is_elementwise<'c>(nest: Op<'c>, buffers: &[Buffer<'c>]) -> Option<bool> {
    let loops = loops(nest)?;
    let (inner, outer) = loops.split_last().filter(|(_, outer)| !outer.is_empty())?;
    let limit = inner.op.attr(LIMIT).and_then(AffineMap::of)?;
    let [length] = &limit.results[..] else { return None };
    let counts = outer.iter().map(count).collect::<Option<Vec<_>>>()?;
    let ops = inner.body().ops();
    let width = ops.iter().find(|op| op.is(vector::TRANSFER_WRITE))?.operand(0).ty().shape()?;
    let [width] = width[..] else { return None };
    let mut lanes = Lanes::new(inner.op, width);
    for op in &ops {
        lanes.add(*op)?;
        let Some((place, argument)) = tensor_of(*op) else {
            (!op.is(memref::LOAD) || op.operand_count() == 1).then_some(())?;
            continue;
        };
        let buffer = buffers.iter().find(|buffer| buffer.argument == argument)?;
        let value = if place == 0 { op.result(0) } else { op.operand(0) };
        let map = op.attr("permutation_map").and_then(AffineMap::of)?;
        let shape = argument.ty().shape()?;
        if shape.len() == 1 && value.ty().shape()? == [width] {
            let is_joined = is_joined(*op, (place, width), (inner, outer), &buffer.map.results[0]);
            (is_joined && map == AffineMap::identity(1)).then_some(())?;
            continue;
        }
        let is_row = map == AffineMap::projection(loops.len(), &[outer.len()]);
        if !is_row || shape.len() != loops.len() || value.ty().shape()? != [width] {
            return None;
        }
        for (dim, each) in loops.iter().enumerate() {
            let (index, size) = (op.operand(place + 1 + dim), &buffer.map.results[dim]);
            let is_whole = match dim == outer.len() {
                true => {
                    let at = Place::of(index, inner.op)?;
                    (at.factor, at.terms.len()) == (1, 0)
                        && (0..=inner.step - width).contains(&at.more)
                        && size == length
                }
                false => index == each.counter() && *size == counts[dim],
            };
            if !is_whole || shape[dim] != each.last {
                return None;
            }
        }
    }
    let is_read = |(user, operand): (Op<'c>, usize)| match user.name() {
        vector::TRANSFER_READ => operand > 0,
        vector::TRANSFER_WRITE => operand > 1,
        arith::MULI => user.has_attr(ROWS),
        _ => false,
    };
    let are_indices = outer.iter().all(|each| each.counter().uses().into_iter().all(is_read));
    // What is less than a vector in all has a mask, once instead of in each row.
    all(&limit, outer)?;
    Some(are_indices && only_indexes(inner.op))
}

/// Whether an access is of rows that are after each other in one dimension, `size` elements in all.
fn is_joined<'c>(
    op: Op<'c>,
    (place, width): (usize, i64),
    (inner, outer): (&Counted<'c>, &[Counted<'c>]),
    size: &AffineExpr,
) -> bool {
    let joined = || {
        let [rows] = outer else { return None };
        let limit = inner.op.attr(LIMIT)?;
        let at = Place::of(op.operand(place + 1), inner.op)?;
        let [(start, 1)] = at.terms[..] else { return None };
        let start = start.owner().filter(|start| start.attr(ROWS) == Some(limit))?;
        let length = AffineMap::of(limit)?.results.first()?.clone();
        let is_all = length * rows.last == *size && count(rows)?.as_constant() == Some(rows.last);
        let is_own = start.operand(0) == rows.counter() && at.factor == 1;
        Some(is_all && is_own && (0..=inner.step - width).contains(&at.more))
    };
    joined() == Some(true)
}

/// The operand that is read or written by a transfer of elements at indices, with its position.
fn tensor_of(op: Op<'_>) -> Option<(usize, Value<'_>)> {
    let place = match op.name() {
        vector::TRANSFER_READ => 0,
        vector::TRANSFER_WRITE => 1,
        _ => return None,
    };
    Some((place, op.operand(place))).filter(|(_, tensor)| tensor.ty().rank() != Some(0))
}

/// How often a loop around rows runs.
fn count(each: &Counted<'_>) -> Option<AffineExpr> {
    let Some(limit) = each.op.attr(LIMIT) else { return Some(AffineExpr::Constant(each.last)) };
    match &AffineMap::of(limit)?.results[..] {
        [only] => Some(only.clone()),
        _ => None,
    }
}

/// The number of elements of rows up to `limit`, from the sizes, which are the symbols, too: in a product one factor is of symbols.
fn all(limit: &AffineMap, outer: &[Counted<'_>]) -> Option<AffineMap> {
    let symbols: Vec<_> = (0..limit.dims).map(AffineExpr::Symbol).collect();
    let mut all = AffineMap { symbols: 0, ..limit.clone() };
    for each in outer {
        let count = count(each)?;
        if count.as_constant().is_none() {
            all.symbols = limit.dims;
        }
        let more = count.with_dims(&symbols)?;
        let rows = all.results.first()?.clone();
        all.results = vec![AffineExpr::Mul(Box::new(rows), Box::new(more))];
    }
    Some(all)
}

/// Makes the marked nests of `entry`, whose tensors are in place, one loop each.
pub fn apply<'c>(context: &'c Context, entry: Op<'c>, options: &Options) {
    let least = options.least_sizes();
    let mut known = FxHashMap::default();
    let nests = entry.collect(|op| op.remove_attr(FLAT));
    let mut is_reduced = false;
    // Second loops of reductions go with the first ones.
    for nest in nests.into_iter().filter(|nest| nest.result_count() == 0) {
        match Whole::of(context, nest) {
            Some(whole) => {
                is_reduced |= whole.flatten(context, entry, (&mut known, &least)).is_some();
            }
            None => {
                flatten(context, entry, nest, (&mut known, &least));
            }
        }
    }
    if is_reduced {
        rests::erase_unread(entry);
    }
}

fn flatten<'c>(
    context: &'c Context,
    entry: Op<'c>,
    nest: Op<'c>,
    (known, least): (&mut FxHashMap<usize, Value<'c>>, &[i64]),
) -> Option<()> {
    let loops = loops(nest)?;
    let (inner, outer) = loops.split_last()?;
    let rows = outer.iter().try_fold(1i64, |rows, each| rows.checked_mul(each.last))?;
    let known_rows = outer.iter().filter(|each| !each.op.has_attr(LIMIT));
    let known_rows: i64 = known_rows.map(|each| each.last).product();
    let all = all(&inner.op.attr(LIMIT).and_then(AffineMap::of)?, outer)?.to_attribute(context);
    let before = Builder { location: nest.location(), ..Builder::before(context, nest) };
    let mut views: Vec<[Value<'c>; 2]> = Vec::new();
    let mut counts: Vec<(Vec<Value<'c>>, Value<'c>)> = Vec::new();
    let mut tensors: Vec<_> = inner.body().ops().into_iter().filter_map(tensor_of).collect();
    // Those that have their rows after each other end where the others do.
    tensors.sort_by_key(|(_, own)| own.ty().rank() == Some(1));
    for (_, own) in tensors {
        if views.iter().any(|[other, _]| *other == own) {
            continue;
        }
        let view = own.owner().filter(|view| view.is(memref::VIEW))?;
        let sizes = view.operands().split_off(2);
        // Tensors of one size end at one value.
        let is_joined = own.ty().rank() == Some(1);
        let count = match counts.iter().find(|(other, _)| *other == sizes || is_joined) {
            Some((_, count)) => *count,
            None => {
                let own =
                    sizes.iter().copied().reduce(|one, by| before.same(arith::MULI, &[one, by]))?;
                match known_rows {
                    1 => own,
                    rows => before.same(arith::MULI, &[own, before.index(rows)]),
                }
            }
        };
        counts.push((sizes, count));
        let ty = memref(&[DYNAMIC], own.ty().element());
        let flat = memref::view(&before, view.operand(0), before.index(0), &[count], ty).value();
        views.push([own, flat]);
    }
    let body = before.region(&[index(context)], |inside, at| {
        copy(inside, inner.op, at[0], (&views, loops.len()));
        scf::yield_(inside, &[]).build();
    });
    let bounds = [0, inner.last * rows, inner.step].map(|bound| before.index(bound));
    let each = scf::for_(&before, bounds[0], bounds[1], bounds[2], &[], &[], body);
    let each = each.attrs(&nest.discardable_attrs()).build().op();
    each.set_attr(LIMIT, all);
    // As it is written in the IR.
    let all = AffineMap::of(all)?;
    nest.erase();
    rests::split_one(context, entry, each, (known, least));
    let least = i64s(context, &[all.results[0].value(least, least)?]);
    for (user, _) in views.iter().flat_map(|[_, flat]| flat.uses()) {
        if !rests::is_below(user, 0, &all) {
            user.set_attr(GUARDED, least);
        }
    }
    Some(())
}

/// The body of a loop with the elements at `at` of the views.
fn copy<'c>(
    b: &Builder<'c>,
    each: Op<'c>,
    at: Value<'c>,
    (views, rank): (&[[Value<'c>; 2]], usize),
) {
    let mut known = FxHashMap::default();
    known.insert(each.body(0).arg(0), at);
    // Places in what has its rows after each other.
    let mut joined: Vec<Value<'c>> = Vec::new();
    let row = AffineMap::projection(1, &[0]);
    let flat = |own| views.iter().find(|[other, _]| *other == own).map(|[_, flat]| *flat);
    for op in each.body(0).ops().into_iter().filter(|op| !op.is(scf::YIELD)) {
        let b = Builder { location: op.location(), ..*b };
        let of = |value: Value<'c>| known.get(&value).copied().unwrap_or(value);
        let tensor = tensor_of(op).and_then(|(place, tensor)| Some((place, flat(tensor)?)));
        let is_of_rows = |value: &Value<'c>| {
            joined.contains(value) || value.owner().is_some_and(|owner| owner.has_attr(ROWS))
        };
        let place = tensor.map(|(first, _)| {
            let index = op.operand(first + op.operand(first).ty().rank().unwrap_or(rank));
            match Place::of(index, each).filter(|_| is_of_rows(&index)) {
                Some(place) => b.offset(at, place.more),
                None => of(index),
            }
        });
        match (tensor, place) {
            (Some((0, from)), Some(place)) => {
                let padding = of(op.operand(1 + op.operand(0).ty().rank().unwrap_or(rank)));
                let ty = op.result(0).ty();
                let read = vector::transfer_read(&b, from, &row, padding, &[true], ty);
                let read = read.indices(&[place]).value();
                known.insert(op.result(0), read);
            }
            (Some((_, to)), Some(place)) => {
                let value = of(op.operand(0));
                vector::transfer_write(&b, value, to, &row, &[true], &[]).indices(&[place]).build();
            }
            _ if op.operands().iter().any(is_of_rows) => joined.extend(op.results()),
            _ => {
                b.copy(op, &mut known);
            }
        }
    }
}
