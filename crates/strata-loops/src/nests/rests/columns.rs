//! The last tile of a loop over columns whose body has a loop over rows that ends at a size, too: code for half of its vectors.
//!
//! ```mlir
//! scf.for %j = %c0 to %c128 step %c32 {                       // four vectors of columns
//!   scf.for %i = %c0 to %c128 step %c5 {
//!     …
//!   } {strata.limit = affine_map<(d0, d1) -> (d0)>}
//! } {strata.limit = affine_map<(d0, d1) -> (d1)>}
//! ```
//! becomes
//! ```mlir
//! scf.for %j = %c0 to %c128 step %c32 {
//!   …
//! } {strata.limit = affine_map<(d0, d1) -> ((d1 + 7) floordiv 32 * 32)>}
//! scf.if %are_three { … }                                     // vectors that are left: the body for %j = %whole, which writes two
//! scf.index_switch %vectors                                   // that are left then
//! case 1 { … }                                                // the body, which writes one
//! case 2 { … }
//! default {}
//! ```
//! Each of these bodies gets code for the last rows later: as many vectors as there may be, each with code for all numbers of rows, would
//! be several times the code. Where a tile begins at its own multiples only, as packed columns do, one of which more than half is left is
//! computed whole.

use rustc_hash::FxHashMap;
use strata_ir::{
    AffineMap, Builder, Context, LIMIT, Op, RegionBuilder, TypeExt as _, Value, arith,
    constant_index, memref, scf, vector,
};

use super::{Tile, repeats::begins_anywhere};
use crate::nests::{counted::Counted, limits};

/// Gives the loops of `entry` over columns their last tiles. Returns these loops.
pub fn halve<'c>(
    context: &'c Context,
    entry: Op<'c>,
    known: &mut FxHashMap<usize, Value<'c>>,
) -> Vec<Op<'c>> {
    let loops = entry.collect(|op| op.is(scf::FOR) && has_limited_rows(op));
    let is_halved = |each: &Op<'c>| {
        let tile = Tile::of(*each).filter(|tile| (2..tile.each.step).contains(&tile.unit));
        tile.and_then(|tile| tile.halve(context, entry, known)).is_some()
    };
    loops.into_iter().filter(is_halved).collect()
}

/// Whether a loop over tiles of rows in the body of one that ends at a size ends at one, too.
fn has_limited_rows(each: Op<'_>) -> bool {
    let is_tiled = |op: &Op<'_>| {
        op.result_count() == 0
            && op.has_attr(LIMIT)
            && Counted::of(*op).is_some_and(|rows| rows.step > 1)
    };
    each.has_attr(LIMIT) && each.collect(|op| op != each && op.is(scf::FOR)).iter().any(is_tiled)
}

impl<'c> Tile<'c> {
    /// Gives the loop code for at most half of the vectors in a tile, after it, for one or two such parts.
    fn halve(
        &self,
        context: &'c Context,
        entry: Op<'c>,
        known: &mut FxHashMap<usize, Value<'c>>,
    ) -> Option<()> {
        let each = self.each.op;
        let (step, unit) = (self.each.step, self.unit);
        let map = AffineMap::of(self.limit).filter(|map| map.results.len() == 1)?;
        let next = each.next()?;
        let size = limits::value(context, entry, self.limit, known)?;
        let (count, most) = (step / unit, step / unit / 2);
        // The second part begins within a tile.
        let is_in_two = most < count - 1 && begins_anywhere(each);
        // Of more vectors than these the rest is rounded up.
        let left = if is_in_two { count - 1 } else { most };
        let tiles = (map.results[0].clone() + (step - 1 - left * unit)).floor_div(step) * step;
        let tiles = AffineMap::new(map.dims, vec![tiles]).to_attribute(context);
        let start = limits::value(context, entry, tiles, known)?;
        each.set_attr(LIMIT, tiles);
        self.mark_rows(context);
        let after = Builder { location: each.location(), ..Builder::before(context, next) };
        let (start, end) = (self.within(&after, start), self.within(&after, size));
        let left = after.same(arith::SUBI, &[end, start]);
        let left = after.same(arith::MAXSI, &[left, after.index(0)]);
        let number = after.same(arith::DIVUI, &[after.offset(left, unit - 1), after.index(unit)]);
        let (mut rest, mut copies) = ((start, number), Vec::new());
        if is_in_two {
            // Not a loop over both: LLVM would compute what each case needs before it.
            let are_more = after.cmpi(arith::CmpIPredicate::Sgt, number, after.index(most));
            let first = after.region(&[], |inside, _| {
                let all = inside.index(most);
                copies.push(self.choose(context, inside, start, (all, vec![most]), size));
                scf::yield_(inside, &[]).build();
            });
            scf::if_(&after, are_more, &[], first, RegionBuilder::empty()).build();
            let passed = |by: i64| after.select(are_more, after.index(by), after.index(0));
            rest = (
                after.same(arith::ADDI, &[start, passed(most * unit)]),
                after.same(arith::SUBI, &[number, passed(most)]),
            );
        }
        copies.push(self.choose(context, &after, rest.0, (rest.1, (1..=most).collect()), size));
        shorten(context, each, &copies);
        self.unmark_rows();
        Some(())
    }
}

/// Ends the loops that pack columns, as for transposed operands, in each case of `choices`, beside the loop `each`: it reads the first ones
/// only.
fn shorten<'c>(context: &'c Context, each: Op<'c>, choices: &[Op<'c>]) {
    let within = [&[each], choices].concat();
    for choice in choices {
        for case in 1..choice.region_count() {
            let Some(body) = choice.region(case).first_block() else { continue };
            let ops = body.ops();
            for (at, pack) in ops.iter().enumerate() {
                let beside = (&ops[..at], &ops[at + 1..]);
                if let Some(end) = columns_read(*pack, beside, &within) {
                    pack.set_operand(1, Builder::before(context, *pack).index(end));
                }
            }
        }
    }
}

/// Where the columns end that are read after `pack`, if it writes more: a loop that writes a buffer which only operations in `within` use, and
/// in this case none before it.
fn columns_read<'c>(
    pack: Op<'c>,
    (before, after): (&[Op<'c>], &[Op<'c>]),
    within: &[Op<'c>],
) -> Option<i64> {
    let own = Counted::of(pack).filter(|own| own.first == 0 && pack.result_count() == 0)?;
    let mut packed = None;
    for op in pack.collect(|op| matches!(op.name(), vector::TRANSFER_WRITE | memref::STORE)) {
        let dim = op.operands().into_iter().skip(2).position(|index| index == own.counter())?;
        let place = (op.operand(1), dim);
        if length(op, op.operand(0), dim)? != own.step || *packed.get_or_insert(place) != place {
            return None;
        }
    }
    let (buffer, dim) = packed?;
    let mut end = 0;
    for (user, position) in buffer.uses() {
        let is_inside = |op: &Op<'c>| op.encloses(user);
        if !within.iter().any(is_inside) || before.iter().any(is_inside) {
            return None;
        }
        if is_inside(&pack) {
            if !matches!(user.name(), vector::TRANSFER_WRITE | memref::STORE) {
                return None;
            }
        } else if after.iter().any(is_inside) {
            if !user.is(vector::TRANSFER_READ) || position != 0 {
                return None;
            }
            let first = constant_index(user.operand(1 + dim)).filter(|first| *first >= 0)?;
            end = end.max(first + length(user, user.result(0), dim)?);
        }
    }
    let end = (end + own.step - 1) / own.step * own.step;
    (0 < end && end < own.last).then_some(end)
}

/// How many elements a vector has along dimension `dim` of the buffer that it is read from or written to.
fn length<'c>(access: Op<'c>, vector: Value<'c>, dim: usize) -> Option<i64> {
    let Some(map) = access.attr("permutation_map").and_then(AffineMap::of) else { return Some(1) };
    let at = map.projected()?.iter().position(|own| *own == dim);
    at.map_or(Some(1), |at| vector.ty().shape()?.get(at).copied())
}
