//! Reductions of all elements of tensors that are used in place, with the same sizes: one loop over all elements, whose rows follow each other.
//!
//! ```mlir
//! scf.for %j = %c0 to %c128 step %c64 {                       // columns, up to %size
//!   %s:4 = scf.for %i = %c0 to %c64 step %c1 iter_args(…) {
//!     %v = vector.transfer_read %x[%i, %j] : memref<64x?xf32>, vector<16xf32>
//!     %n = arith.addf %s0, %v
//!     …
//!   }
//!   vector.transfer_write %s#0, %t[%j]
//!   …
//! } {strata.limit = affine_map<(d0) -> (d0)>}
//! %r:4 = scf.for %j = %c0 to %c128 step %c64 iter_args(…) {   // the columns' results, with a mask
//!   …
//! } {strata.limit = affine_map<(d0) -> (d0)>}
//! ```
//! becomes
//! ```mlir
//! %n = arith.muli %size, %c64
//! %all = memref.view %x[%c0][%n] : memref<?xi8> to memref<?xf32>
//! %b:4 = scf.for %k = %c0 to %c8192 step %c2048 iter_args(…) { // of sums: blocks
//!   %s:4 = scf.for %j = %c0 to %c2048 step %c64 iter_args(…) {
//!     %v = vector.transfer_read %all[%k + %j] : memref<?xf32>, vector<16xf32>
//!     …
//!   }
//!   …
//! } {strata.limit = affine_map<(d0) -> (d0 * 64 floordiv 2048 * 2048)>}
//! %s:4 = scf.for %j = %blocks to %whole step %c64 iter_args(…) { … }
//! %r:4 = scf.if %is_left { … }                                // the same with masks, once
//! ```
//! which reads what follows each other, without a last tile in each block of columns. Nothing but the order of the reduction is another.

mod matched;

use rustc_hash::FxHashMap;
use strata_ir::{
    AffineExpr, AffineMap, Attribute, Builder, Context, DYNAMIC, LIMIT, Op, OpName, TASKS,
    TypeExt as _, Value, View as _, arith, i64s, integer, memref, scf, vector,
};

use strata_target::tuning::sums::STREAM_BLOCK;

use self::matched::{
    Offsets, axes, carried, combines, is_all, is_of_elements, is_start, levels, offsets,
};
use super::{Buffer, GUARDED, back::only_indexes};
use crate::{
    nests::{counted::Counted, indices::Place, limits},
    sums,
};

/// A reduction of columns, and of their results.
pub struct Whole<'c> {
    columns: Counted<'c>,
    limit: AffineMap,
    /// The dimensions around columns: how many there are at most, and for the sizes of a call.
    axes: Vec<(i64, AffineExpr)>,
    /// The loop with the accesses, and the elements of a vector.
    innermost: Op<'c>,
    width: i64,
    offsets: Offsets<'c>,
    /// What combines elements.
    name: OpName<'c>,
    /// The reduction of the columns' results.
    second: Op<'c>,
}

impl<'c> Whole<'c> {
    /// The reduction that begins with the loop `columns`.
    pub fn of(context: &'c Context, columns: Op<'c>) -> Option<Self> {
        let own = Counted::of(columns).filter(|own| own.first == 0 && own.last % own.step == 0)?;
        let limit = columns.attr(LIMIT)?;
        (columns.result_count() == 0 && !columns.has_attr(TASKS)).then_some(())?;
        let map = AffineMap::of(limit).filter(|map| map.results.len() == 1)?;
        let levels = levels(columns)?;
        let (first, innermost) = (*levels.first()?, *levels.last()?);
        let axes = axes(&levels)?;
        let vector = first.results().first()?.ty();
        let [width] = vector.shape()?[..] else { return None };
        let is_whole = first.result_types().iter().all(|ty| *ty == vector)
            && i64::try_from(first.result_count()).ok()? * width == own.step;
        (is_whole && only_indexes(columns)).then_some(())?;
        // What is written of the columns, and what it is computed from.
        let terms: Vec<_> = axes.iter().map(|axis| &axis.terms[..]).collect();
        let offsets = offsets(columns, innermost, (&terms, width))?;
        let (mut written, mut target, mut name) = (Vec::new(), None, None);
        let body: Vec<_> = columns.body(0).ops();
        for write in body.into_iter().filter(|op| op.is(vector::TRANSFER_WRITE)) {
            let (at, buffer) = (write.operand(0).result_index()?, write.operand(1));
            let is_own = write.operand(0).owner() == Some(first)
                && write.operand_count() == 3
                && *target.get_or_insert(buffer) == buffer
                && write.operand(0).uses().len() == 1;
            let place = Place::of(write.operand(2), columns)?;
            let (kind, value) = carried(context, &levels, at)?;
            let is_alike = *name.get_or_insert(kind) == kind;
            let is_at = (place.factor, place.terms.len()) == (1, 0)
                && value.iter().any(|value| offsets.contains_key(value))
                && value
                    .iter()
                    .all(|value| offsets.get(value).is_none_or(|own| *own == place.more));
            (is_own && is_alike && is_at).then_some(())?;
            written.push(place.more);
        }
        let (target, name) = (target?, name?);
        is_all(written, width, own.step)?;
        let uses = target.uses();
        let readers = uses.iter().filter(|(user, _)| !columns.encloses(*user));
        let second = readers.clone().next()?.0.parent()?;
        let is_read = |(user, operand): &(Op<'c>, usize)| {
            user.is(vector::TRANSFER_READ) && *operand == 0 && user.parent() == Some(second)
        };
        // A result of the program is not only read here.
        let is_temporary = target.owner().is_some_and(|view| view.is(memref::VIEW));
        let is_alone =
            is_temporary && readers.clone().all(is_read) && second.block() == columns.block();
        is_alone.then_some(())?;
        let start = second.operands().get(3)?.owner()?.attr("value")?;
        let is_same = |value: &Value<'c>| is_start(context, *value, start, name);
        let is_second = combines(context, second, (target, name), (&own, limit, width), start)
            && first.operands()[3..].iter().all(is_same);
        let axes = axes.into_iter().map(|axis| (axis.extent, axis.count)).collect();
        let found =
            Self { columns: own, limit: map, axes, innermost, width, offsets, name, second };
        is_second.then_some(found)
    }

    /// Whether all that it reads are valid elements of `buffers`, all of them.
    pub fn is_of(&self, buffers: &[Buffer<'c>]) -> bool {
        let is_own = |read: Op<'c>| {
            let Some(buffer) = buffers.iter().find(|one| one.argument == read.operand(0)) else {
                return false;
            };
            let Some(shape) = read.operand(0).ty().shape() else { return false };
            let axes = self.axes.iter().map(|(extent, count)| (*extent, count));
            let all = axes.chain([(self.columns.last, &self.limit.results[0])]);
            all.eq(shape.into_iter().zip(&buffer.map.results))
        };
        self.reads().into_iter().all(is_own) && self.all().is_some()
    }

    /// Its loops.
    pub fn loops(&self) -> [Op<'c>; 2] {
        [self.columns.op, self.second]
    }

    fn reads(&self) -> Vec<Op<'c>> {
        self.columns.op.collect(is_of_elements)
    }

    /// The number of elements.
    fn all(&self) -> Option<AffineMap> {
        let symbols: Vec<_> = (0..self.limit.dims).map(AffineExpr::Symbol).collect();
        let mut all = AffineMap { symbols: 0, ..self.limit.clone() };
        for (_, count) in &self.axes {
            if count.as_constant().is_none() {
                all.symbols = self.limit.dims;
            }
            let more = count.with_dims(&symbols)?;
            let rows = all.results.first()?.clone();
            all.results = vec![AffineExpr::Mul(Box::new(rows), Box::new(more))];
        }
        Some(all)
    }

    /// Makes it one loop. Sizes are at least `least`.
    pub fn flatten(
        self,
        context: &'c Context,
        entry: Op<'c>,
        (known, least): (&mut FxHashMap<usize, Value<'c>>, &[i64]),
    ) -> Option<()> {
        let rows = self.axes.iter().try_fold(1i64, |rows, (own, _)| rows.checked_mul(*own))?;
        let last = self.columns.last.checked_mul(rows)?;
        let (columns, step) = (self.columns.op, self.columns.step);
        let all = self.all()?;
        let end = limits::value(context, entry, all.to_attribute(context), known)?;
        let at = Builder { location: columns.location(), ..Builder::before(context, columns) };
        let mut views: Vec<[Value<'c>; 2]> = Vec::new();
        for read in self.reads() {
            let own = read.operand(0);
            if views.iter().any(|[other, _]| *other == own) {
                continue;
            }
            let view = own.owner().filter(|view| view.is(memref::VIEW))?;
            let ty = memref(&[DYNAMIC], own.ty().element());
            let flat = memref::view(&at, view.operand(0), view.operand(1), &[end], ty).value();
            views.push([own, flat]);
        }
        let rest = at.same(arith::REMUI, &[end, at.index(step)]);
        let whole = at.same(arith::SUBI, &[end, rest]);
        let value = self.second.operand(3).owner()?.attr("value")?;
        let count = self.innermost.result_count();
        let types = self.innermost.result_types();
        let start = at.op(arith::CONSTANT).attr("value", value).result(types[0]).value();
        let starts = vec![start; count];
        let over = |b: &Builder<'c>, bounds: [Value<'c>; 2], from, starts: &[Value<'c>]| {
            let arguments = [&[b.index(0).ty()], &types[..]].concat();
            let body = b.region(&arguments, |inside, own| {
                let place = match from {
                    Some(from) => inside.same(arith::ADDI, &[from, own[0]]),
                    None => own[0],
                };
                let next = self.step(inside, place, &own[1..], &views, None);
                scf::yield_(inside, &next).build();
            });
            let step = b.index(step);
            scf::for_(b, bounds[0], bounds[1], step, starts, &types, body).build().op()
        };
        let carried = match self.name {
            arith::ADDF => {
                // Blocks of one length, which LLVM unrolls, and what is left of one.
                let block = STREAM_BLOCK * step;
                let nothing = vec![at.float(types[0], -0.0); count];
                let add = |b: &Builder<'c>, totals: &[Value<'c>], parts: Vec<Value<'c>>| {
                    let both = totals.iter().zip(parts);
                    both.map(|(one, part)| b.same(arith::ADDF, &[*one, part])).collect::<Vec<_>>()
                };
                let arguments = [&[at.index(0).ty()], &types[..]].concat();
                let body = at.region(&arguments, |inside, own| {
                    let bounds = [0, block].map(|bound| inside.index(bound));
                    let part = over(inside, bounds, Some(own[0]), &nothing);
                    let next = add(inside, &own[1..], part.results());
                    scf::yield_(inside, &next).build();
                });
                let [zero, last] = [0, (last + block - 1) / block * block].map(|one| at.index(one));
                let blocks = scf::for_(&at, zero, last, at.index(block), &starts, &types, body);
                let blocks = blocks.build().op();
                let tiles = AffineExpr::Mul(
                    Box::new(all.results[0].clone().floor_div(block)),
                    Box::new(AffineExpr::Constant(block)),
                );
                let tiles = AffineMap { results: vec![tiles], ..all.clone() };
                blocks.set_attr(LIMIT, tiles.to_attribute(context));
                let left = at.same(arith::REMUI, &[end, at.index(block)]);
                let first = at.same(arith::SUBI, &[end, left]);
                let left = over(&at, [first, whole], None, &nothing);
                let totals = add(&at, &blocks.results(), left.results());
                sums::of_blocks(context, blocks);
                totals
            }
            _ => over(&at, [at.index(0), whole], None, &starts).results(),
        };
        let smallest = i64s(context, &[all.results[0].value(least, least)?]);
        let is_left = at.cmpi(arith::CmpIPredicate::Sgt, rest, at.index(0));
        let masked = at.region(&[], |inside, _| {
            let next = self.step(inside, whole, &carried, &views, Some((end, smallest)));
            scf::yield_(inside, &next).build();
        });
        let same = at.region(&[], |inside, _| {
            scf::yield_(inside, &carried).build();
        });
        let left = scf::if_(&at, is_left, &types, masked, same).build().op().results();
        for (position, result) in self.second.results().into_iter().enumerate() {
            let own = left.iter().copied().skip(position).step_by(self.second.result_count());
            let one = own.reduce(|one, other| at.same(self.name, &[one, other]));
            result.replace_all_uses_with(one.unwrap_or(start));
        }
        self.second.erase();
        columns.erase();
        Some(())
    }

    /// What an iteration computes, of the vectors from `place` on. Of those that reach over the end, which is given with the smallest there is,
    /// only elements before it count.
    fn step(
        &self,
        b: &Builder<'c>,
        place: Value<'c>,
        carried: &[Value<'c>],
        views: &[[Value<'c>; 2]],
        end: Option<(Value<'c>, Attribute<'c>)>,
    ) -> Vec<Value<'c>> {
        let body = self.innermost.body(0);
        let mut known = FxHashMap::default();
        known.extend(body.args().into_iter().skip(1).zip(carried.iter().copied()));
        let is_copied = |op: &Op<'c>| {
            !op.is(scf::YIELD) && op.results().iter().all(|result| !result.ty().is_index())
        };
        for op in body.ops().into_iter().filter(is_copied) {
            let b = Builder { location: op.location(), ..*b };
            let view = views.iter().find(|[own, _]| is_of_elements(op) && *own == op.operand(0));
            let Some([_, view]) = view else {
                b.copy(op, &mut known);
                continue;
            };
            let padding = op.operand(1 + op.operand(0).ty().rank().unwrap_or(0));
            let padding = known.get(&padding).copied().unwrap_or(padding);
            let row = AffineMap::projection(1, &[0]);
            let at = b.offset(place, self.offsets.get(&op.result(0)).copied().unwrap_or(0));
            let ty = op.result(0).ty();
            let read = vector::transfer_read(&b, *view, &row, padding, &[true], ty);
            let read = read.indices(&[at]).value();
            known.insert(op.result(0), read);
            if let (Some((_, least)), Some(read)) = (end, read.owner()) {
                read.set_attr(GUARDED, least);
            }
        }
        let returned = body.terminator().map(Op::operands).unwrap_or_default();
        let next = |(old, own): (Value<'c>, &Value<'c>)| {
            let new = known.get(&old).copied().unwrap_or(old);
            let Some((end, _)) = end else { return new };
            let at = b.offset(place, self.offsets.get(&old).copied().unwrap_or(0));
            let ty = vector(&[self.width], integer(b.context, 1));
            let mask = b.apply(vector::CREATE_MASK, &[b.same(arith::SUBI, &[end, at])], ty);
            b.select(mask, new, *own)
        };
        returned.into_iter().zip(carried).map(next).collect()
    }
}
