//! Transposes of squares where few rows or columns are left after whole squares: these are moved element by element.
//!
//! ```mlir
//! scf.for %i = %c0 to %c128 step %c16 {
//!   scf.for %j = %c0 to %c128 step %c16 {
//!     %x = vector.transfer_read %a[%i, %j] : memref<128x128xf32>, vector<16x16xf32>
//!     %y = vector.transpose %x, [1, 0] : vector<16x16xf32> to vector<16x16xf32>
//!     vector.transfer_write %y, %b[%j, %i] : vector<16x16xf32>, memref<128x128xf32>
//!   } {strata.limit = affine_map<(d0) -> (d0)>}
//! } {strata.limit = affine_map<(d0) -> (d0)>}
//! ```
//! becomes
//! ```mlir
//! scf.if %are_few {                      // one or two rows and columns are left at most
//!   …                                    // the loops up to the last whole square, then elements: columns of all rows, the last rows
//! } else {
//!   …                                    // the loops as they are, whose last squares begin earlier
//! }
//! ```
//! A square takes as long as several rows of single elements.

use rustc_hash::FxHashMap;
use strata_ir::{
    AffineMap, Attribute, AttributeExt as _, Builder, Context, LIMIT, Op, TASKS, TypeExt as _,
    Value, View as _, arith, memref, scf, vector,
};
use strata_target::tuning::rests::MAX_STRIP_ROWS;

use super::say_below;
use crate::nests::{counted::Counted, limits};

/// Two loops over squares, and the accesses in them.
struct Squares<'c> {
    loops: [Counted<'c>; 2],
    read: Op<'c>,
    write: Op<'c>,
    /// The dimensions of what is read and of what is written that each loop counts.
    dims: [[usize; 2]; 2],
}

/// Gives the transposes of `entry` that end at sizes code for few rows and columns after whole squares; `known` has limits.
pub fn cut<'c>(context: &'c Context, entry: Op<'c>, known: &mut FxHashMap<usize, Value<'c>>) {
    for op in entry.collect(|op| op.is(vector::EXTRACT)) {
        plain(context, op);
    }
    for each in entry.collect(|op| op.is(scf::FOR)) {
        if let Some(squares) = Squares::of(each) {
            squares.split(context, entry, known);
        }
    }
}

/// Lets the transpose of a square of a batch be that of the square.
///
/// ```mlir
/// %all = vector.broadcast %x : vector<16x16xf32> to vector<1x16x16xf32>
/// %transposed = vector.transpose %all, [0, 2, 1] : vector<1x16x16xf32> to vector<1x16x16xf32>
/// %y = vector.extract %transposed[0] : vector<16x16xf32> from vector<1x16x16xf32>
/// ```
fn plain<'c>(context: &'c Context, op: Op<'c>) -> Option<()> {
    let turn = op.operand(0).owner().filter(|turn| turn.is(vector::TRANSPOSE))?;
    let around = turn.operand(0).owner().filter(|around| around.is(vector::BROADCAST))?;
    let square = around.operand(0);
    let shape = square.ty().shape()?;
    let (all, order) = (turn.operand(0).ty().shape()?, turn.attr("permutation")?.as_i64s()?);
    let outer = all.len().checked_sub(2).filter(|outer| *outer > 0)?;
    let (first, second) = (outer as i64, outer as i64 + 1);
    let is_same = op.operand_count() == 1
        && shape.len() == 2
        && all[outer..] == shape[..]
        && all[..outer].iter().all(|one| *one == 1)
        && order[outer..] == [second, first]
        && op.result(0).ty().shape()? == [shape[1], shape[0]];
    is_same.then_some(())?;
    let at = Builder { location: turn.location(), ..Builder::before(context, op) };
    let plain = vector::transpose(&at, square, &[1, 0], op.result(0).ty()).value();
    op.result(0).replace_all_uses_with(plain);
    [op, turn, around].into_iter().filter(|op| op.is_unused()).for_each(Op::erase);
    Some(())
}

impl<'c> Squares<'c> {
    fn of(outer: Op<'c>) -> Option<Self> {
        let [inner, end] = outer.body(0).ops()[..] else { return None };
        (inner.is(scf::FOR) && end.is(scf::YIELD)).then_some(())?;
        let [read, turn, write, end] = inner.body(0).ops()[..] else { return None };
        let is_square = read.is(vector::TRANSFER_READ)
            && turn.is(vector::TRANSPOSE)
            && write.is(vector::TRANSFER_WRITE)
            && end.is(scf::YIELD);
        let own = |each: Op<'c>| {
            let is_plain = each.result_count() == 0 && !each.has_attr(TASKS);
            Counted::of(each).filter(|own| is_plain && own.first == 0 && own.last % own.step == 0)
        };
        let loops = [own(outer)?, own(inner)?];
        let step = loops[0].step;
        let is_transposed = is_square
            && loops[1].step == step
            && step > MAX_STRIP_ROWS
            && turn.operand(0) == read.result(0)
            && write.operand(0) == turn.result(0)
            && turn.attr("permutation")?.as_i64s()? == [1, 0]
            && read.result(0).ty().shape()? == [step, step];
        is_transposed.then_some(())?;
        let counters = [loops[0].counter(), loops[1].counter()];
        let [rows, columns] = along(read, 1, counters)?;
        let [own_columns, own_rows] = along(write, 2, [counters[1], counters[0]])?;
        let is_open = loops.iter().any(|each| each.op.has_attr(LIMIT));
        let dims = [[rows, columns], [own_rows, own_columns]];
        is_open.then_some(Self { loops, read, write, dims })
    }

    fn split(
        &self,
        context: &'c Context,
        entry: Op<'c>,
        known: &mut FxHashMap<usize, Value<'c>>,
    ) -> Option<()> {
        let [outer, _] = &self.loops;
        let step = outer.step;
        let limits = [0, 1].map(|at| self.loops[at].op.attr(LIMIT));
        let mut sizes = [None; 2];
        for (size, limit) in sizes.iter_mut().zip(limits) {
            if let Some(limit) = limit {
                *size = Some(limits::value(context, entry, limit, known)?);
            }
        }
        let at = Builder { location: outer.op.location(), ..Builder::before(context, outer.op) };
        let zero = at.index(0);
        let mut ends = [zero; 2];
        let mut wholes = [zero; 2];
        let (mut left, mut few) = (zero, None);
        for (dim, size) in sizes.into_iter().enumerate() {
            let last = at.index(self.loops[dim].last);
            (ends[dim], wholes[dim]) = (last, last);
            let Some(size) = size else { continue };
            let end = at.same(arith::MAXSI, &[at.same(arith::MINSI, &[last, size]), zero]);
            let rest = at.same(arith::REMUI, &[end, at.index(step)]);
            (ends[dim], wholes[dim]) = (end, at.same(arith::SUBI, &[end, rest]));
            let own = at.cmpi(arith::CmpIPredicate::Sle, rest, at.index(MAX_STRIP_ROWS));
            few = Some(few.map_or(own, |few| at.same(arith::ANDI, &[few, own])));
            left = at.same(arith::ADDI, &[left, rest]);
        }
        let is_any = at.cmpi(arith::CmpIPredicate::Sgt, left, zero);
        let are_few = at.same(arith::ANDI, &[few?, is_any]);
        let strips = at.region(&[], |inside, _| {
            self.whole(context, inside, wholes, limits);
            self.elements(context, inside, [[zero, ends[0]], [wholes[1], ends[1]]], limits);
            self.elements(context, inside, [[wholes[0], ends[0]], [zero, wholes[1]]], limits);
            scf::yield_(inside, &[]).build();
        });
        let others = at.region(&[], |inside, _| {
            inside.copy(outer.op, &mut FxHashMap::default());
            scf::yield_(inside, &[]).build();
        });
        scf::if_(&at, are_few, &[], strips, others).build();
        outer.op.erase();
        Some(())
    }

    /// The loops up to whole squares.
    fn whole(
        &self,
        context: &'c Context,
        at: &Builder<'c>,
        ends: [Value<'c>; 2],
        limits: [Option<Attribute<'c>>; 2],
    ) {
        let copy = at.copy(self.loops[0].op, &mut FxHashMap::default());
        for (each, end) in copy.collect(|op| op.is(scf::FOR)).into_iter().zip(ends) {
            each.set_operand(1, end);
            each.remove_attr(LIMIT);
        }
        for (name, dims) in
            [vector::TRANSFER_READ, vector::TRANSFER_WRITE].into_iter().zip(self.dims)
        {
            for access in copy.collect(|op| op.is(name)) {
                stay_below(context, access, dims, limits);
            }
        }
    }

    /// Moves the elements between these rows and columns, one after the other.
    fn elements(
        &self,
        context: &'c Context,
        at: &Builder<'c>,
        [rows, columns]: [[Value<'c>; 2]; 2],
        limits: [Option<Attribute<'c>>; 2],
    ) {
        let each = |at: &Builder<'c>,
                    [low, high]: [Value<'c>; 2],
                    body: &dyn Fn(&Builder<'c>, Value<'c>)| {
            let body = at.region(&[low.ty()], |inside, counter| {
                body(inside, counter[0]);
                scf::yield_(inside, &[]).build();
            });
            scf::for_(at, low, high, at.index(1), &[], &[], body).build();
        };
        let indices = |access: Op<'c>, first: usize, dims: [usize; 2], own: [Value<'c>; 2]| {
            let rank = access.operand(first - 1).ty().rank().unwrap_or_default();
            let mut indices = access.operands()[first..first + rank].to_vec();
            for (dim, index) in dims.into_iter().zip(own) {
                indices[dim] = index;
            }
            indices
        };
        let (read, write) = (self.read, self.write);
        each(at, rows, &|inside, row| {
            each(inside, columns, &|inside, column| {
                let from = read.operand(0);
                let own = indices(read, 1, self.dims[0], [row, column]);
                let one = memref::load(inside, from, &own, from.ty().element()).value();
                let own = indices(write, 2, self.dims[1], [row, column]);
                let put = memref::store(inside, one, write.operand(1), &own).build().op();
                stay_below(context, put, self.dims[1], limits);
                if let Some(load) = one.owner() {
                    stay_below(context, load, self.dims[0], limits);
                }
            });
        });
    }
}

/// Says that an access is below these limits in these dimensions.
fn stay_below<'c>(
    context: &'c Context,
    access: Op<'c>,
    dims: [usize; 2],
    limits: [Option<Attribute<'c>>; 2],
) {
    for (dim, limit) in dims.into_iter().zip(limits) {
        if let (Ok(dim), Some(limit)) = (i64::try_from(dim), limit) {
            say_below(context, access, dim, limit);
        }
    }
}

/// The dimensions that two counters count, those of the vector in order.
fn along<'c>(access: Op<'c>, first: usize, counters: [Value<'c>; 2]) -> Option<[usize; 2]> {
    let rank = access.operand(first - 1).ty().rank()?;
    let indices = &access.operands()[first..first + rank];
    let map = access.attr("permutation_map").and_then(AffineMap::of)?.projected()?;
    let operands = first + rank + usize::from(access.is(vector::TRANSFER_READ));
    let is_own = |(dim, counter): (&usize, Value<'c>)| indices.get(*dim) == Some(&counter);
    let is_plain = access.operand_count() == operands
        && map.len() == 2
        && map.iter().zip(counters).all(is_own)
        && indices.iter().filter(|index| counters.contains(index)).count() == 2;
    is_plain.then(|| [map[0], map[1]])
}
