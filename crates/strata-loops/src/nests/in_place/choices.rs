//! Rows of a few vectors: how many these are is decided before the rows.
//!
//! ```mlir
//! scf.for %i = %c0 to %c64 step %c1 {
//!   scf.for %j = %c0 to %tiles step %c64 { … }                   // whole tiles of four vectors
//!   scf.for %j = %tiles to %whole step %c16 { … }                // whole vectors
//!   scf.if %is_left { … }                                        // the last vector, which ends with the row
//!   scf.for %j = %rest to %size step %c16 { … }                  // a row of less than a vector, with a mask
//! }
//! ```
//! becomes
//! ```mlir
//! scf.index_switch %vectors
//! case 0 { scf.for %i … { the tiles } }
//! case 1 { scf.for %i … { the tiles, the last vector } }
//! case 2 { scf.for %i … { the tiles, a vector, the last one } }
//! …
//! default { scf.if %is_any { scf.for %i … { a vector with a mask } } }   // less than a vector
//! ```
//! Tiles of many operations are a nest before these, which is there once. Otherwise each row takes some ten cycles for the ends of these loops, as long as several vectors of a short computation.

use rustc_hash::FxHashMap;
use strata_ir::{
    AttributeExt as _, Builder, Context, Op, RegionBuilder, TASKS, Value, arith, constant_index,
    int, integer, scf,
};
use strata_target::tuning::rests;

/// On the parts of a row, while rows are copied: which [`Part`] it is.
const PART: &str = "strata.part";

/// A part of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    Last,
    Rest,
    Tiles,
}

impl Part {
    /// The part that an operation is.
    fn of(op: Op<'_>) -> Option<Self> {
        let number = op.attr(PART)?.as_i64()?;
        [Self::Whole, Self::Last, Self::Rest, Self::Tiles]
            .into_iter()
            .find(|part| *part as i64 == number)
    }
}

/// What a row has after its tiles.
pub struct Row<'c> {
    /// The loop over whole vectors.
    pub whole: Op<'c>,
    /// The last vector, where elements are left.
    pub last: Op<'c>,
    /// The loop for a row of less than a vector.
    pub rest: Option<Op<'c>>,
    /// Where the vectors end.
    pub end: Value<'c>,
    /// How many elements a vector has.
    pub unit: i64,
}

impl<'c> Row<'c> {
    /// Decides before the rows how many vectors they have, unless loops around this one, or in the same rows, are among `others`.
    pub fn choose(self, context: &'c Context, others: &[Op<'c>]) -> Option<()> {
        // Loops beside this one that are still to be cut would be copied, too.
        let rows =
            self.rows(others).filter(|rows| !others.iter().any(|one| rows.encloses(*one)))?;
        let parts = self.parts()?;
        let moved = hoist(context, rows);
        let start = self.whole.operand(0);
        let end = moved.get(&self.end).copied().unwrap_or(self.end);
        (!is_in(start, rows) && !is_in(end, rows)).then_some(())?;
        let own = [
            (Part::Whole, Some(self.whole)),
            (Part::Last, Some(self.last)),
            (Part::Rest, self.rest),
            (Part::Tiles, self.tiles()),
        ];
        for (part, op) in own {
            if let Some(op) = op {
                op.set_attr(PART, int(integer(context, 64), part as i64));
            }
        }
        let before = Builder { location: rows.location(), ..Builder::before(context, rows) };
        let left = before.same(arith::SUBI, &[end, start]);
        let left = before.same(arith::MAXSI, &[left, before.index(0)]);
        let left = before.offset(left, self.unit - 1);
        let mut number = before.same(arith::DIVUI, &[left, before.index(self.unit)]);
        if self.rest.is_some() {
            let fits = before.cmpi(arith::CmpIPredicate::Sge, end, before.index(self.unit));
            number = before.select(fits, number, before.index(parts + 1));
        }
        let copy = |at: &Builder<'c>| at.copy(rows, &mut FxHashMap::default());
        let is_long = self.tiles().is_some_and(|tiles| length(tiles) > rests::MAX_COPIED_TILE);
        if is_long {
            // Rows do not depend on each other: their tiles come first.
            let are_tiles = before.cmpi(arith::CmpIPredicate::Sgt, start, before.index(0));
            let tiles = before.region(&[], |inside, _| {
                let copy = copy(inside);
                for part in copy.collect(|op| op.has_attr(PART)) {
                    match Part::of(part) {
                        Some(Part::Tiles) => _ = part.remove_attr(PART),
                        _ => part.erase(),
                    }
                }
                scf::yield_(inside, &[]).build();
            });
            scf::if_(&before, are_tiles, &[], tiles, RegionBuilder::empty()).build();
        }
        let numbers: Vec<i64> = (i64::from(is_long)..=parts).collect();
        let of = |number: &i64| {
            before.region(&[], |inside, _| {
                let copy = copy(inside);
                for part in copy.collect(|op| op.has_attr(PART)) {
                    self.unroll(context, part, *number, is_long);
                }
                scf::yield_(inside, &[]).build();
            })
        };
        let regions = numbers.iter().map(of).collect();
        let short = before.region(&[], |inside, _| {
            if self.rest.is_some() {
                let is_any = inside.cmpi(arith::CmpIPredicate::Slt, start, end);
                let rows = inside.region(&[], |inside, _| {
                    let copy = copy(inside);
                    for part in copy.collect(|op| op.has_attr(PART)) {
                        shorten(context, part);
                    }
                    scf::yield_(inside, &[]).build();
                });
                scf::if_(inside, is_any, &[], rows, RegionBuilder::empty()).build();
            }
            scf::yield_(inside, &[]).build();
        });
        scf::index_switch(&before, number, &numbers, &[], short, regions).build();
        rows.erase();
        Some(())
    }

    /// The outermost loop around that has nothing else with a region in its body than loops around.
    fn rows(&self, others: &[Op<'c>]) -> Option<Op<'c>> {
        let is_loop = |each: &Op<'c>| {
            each.is(scf::FOR)
                && each.result_count() == 0
                && !each.has_attr(TASKS)
                && !others.contains(each)
        };
        let inner = self.whole.parent().filter(is_loop)?;
        let own = [Some(self.whole), Some(self.last), self.rest];
        let mut around = inner.body(0).ops().into_iter().filter(|op| op.region_count() > 0);
        let tiles = around.next().filter(|op| op.is(scf::FOR) && op.result_count() == 0)?;
        (around.all(|op| own.contains(&Some(op))) && !own.contains(&Some(tiles))).then_some(())?;
        (length(tiles) <= rests::MAX_CHOSEN_OPERATIONS).then_some(())?;
        let mut rows = inner;
        while let Some(outer) = rows.parent().filter(is_loop) {
            let mut ops = outer.body(0).ops().into_iter();
            if ops.any(|op| op.region_count() > 0 && op != rows) {
                break;
            }
            rows = outer;
        }
        Some(rows)
    }

    /// The loop over whole tiles.
    fn tiles(&self) -> Option<Op<'c>> {
        self.whole.parent()?.body(0).ops().into_iter().find(|op| op.region_count() > 0)
    }

    /// How many vectors a tile has.
    fn parts(&self) -> Option<i64> {
        let step = constant_index(self.tiles()?.operand(2))?;
        (step % self.unit == 0 && step > self.unit && step / self.unit <= rests::MAX_NUMBERS)
            .then_some(step / self.unit)
    }

    /// Replaces a part of a row by its code for `number` vectors.
    fn unroll(&self, context: &'c Context, part: Op<'c>, number: i64, are_tiles_done: bool) {
        let at = Builder { location: part.location(), ..Builder::before(context, part) };
        match Part::of(part) {
            Some(Part::Whole) => {
                for vector in 0..(number - 1).max(0) {
                    let mut known = FxHashMap::default();
                    known.insert(
                        part.body(0).arg(0),
                        at.offset(part.operand(0), vector * self.unit),
                    );
                    at.copy_body(part.body(0), &mut known);
                }
            }
            Some(Part::Last) if number > 0 => {
                at.copy_body(part.body(0), &mut FxHashMap::default());
            }
            Some(Part::Tiles) if !are_tiles_done => {
                part.remove_attr(PART);
                return;
            }
            _ => {}
        }
        part.erase();
    }
}

/// The number of operations in a loop.
fn length(each: Op<'_>) -> usize {
    each.collect(|op| op != each).len()
}

/// Replaces a part of a row that is shorter than a vector, but not empty: it has one vector with a mask.
fn shorten<'c>(context: &'c Context, part: Op<'c>) {
    if Part::of(part) == Some(Part::Rest) {
        let mut known = FxHashMap::default();
        known.insert(part.body(0).arg(0), part.operand(0));
        Builder { location: part.location(), ..Builder::before(context, part) }
            .copy_body(part.body(0), &mut known);
    }
    part.erase();
}

/// Whether a value is computed in a loop.
fn is_in<'c>(value: Value<'c>, each: Op<'c>) -> bool {
    let home = value.owner().or_else(|| value.block_arg()?.0.parent_op());
    home.is_some_and(|home| home == each || each.encloses(home))
}

/// Moves what loops compute of values outside of `rows` before it. Returns what values became.
fn hoist<'c>(context: &'c Context, rows: Op<'c>) -> FxHashMap<Value<'c>, Value<'c>> {
    let mut moved = FxHashMap::default();
    let before = Builder { location: rows.location(), ..Builder::before(context, rows) };
    let is_index =
        |op: &Op<'c>| matches!(op.dialect(), "arith" | "affine") && op.region_count() == 0;
    let loops: Vec<Op<'c>> = rows.collect(|op| op.is(scf::FOR));
    for op in loops.into_iter().flat_map(|each| each.body(0).ops()).filter(is_index) {
        if op.operands().into_iter().any(|operand| is_in(operand, rows)) {
            continue;
        }
        let copy = before.copy(op, &mut moved);
        for (old, new) in op.results().into_iter().zip(copy.results()) {
            old.replace_all_uses_with(new);
        }
        op.erase();
    }
    moved
}
