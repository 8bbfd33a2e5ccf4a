//! Rows of narrow elements that are streamed from memory several at a time, asked for one block of rows ahead.
//!
//! A vector times a matrix reads the matrix in blocks of a few rows, a few vectors of each. Of bytes and `bf16` these are one to four cache
//! lines of a row, then as many of the next: too few for the processor to see that it reads along rows.
//!
//! Before:
//! ```mlir
//! scf.for %k = 0 to 768 step 8 {
//!   scf.for %j = 0 to 768 step 128 {
//!     %sums:8 = scf.for %i = 0 to 8 step 2 iter_args(…) { … %b[%k + %i, %j + …] … %b[%k + %i + 1, %j + …] … }
//!   }
//! }
//! ```
//! After:
//! ```mlir
//! scf.for %k = 0 to 768 step 8 {
//!   %below = %k + 8 if %k + 16 <= 768 else %k       // the next block, or this one again
//!   scf.for %j = 0 to 768 step 128 {
//!     memref.prefetch %b[%below, %j], %b[%below, %j + 64], %b[%below + 1, %j], … to %b[%below + 7, %j + 64]
//!     %sums:8 = scf.for %i = 0 to 8 step 2 iter_args(…) { … as before }
//!   }
//! }
//! ```

mod rows;

use rustc_hash::FxHashSet;
use strata_ir::{
    Builder, Context, Op, TypeExt as _, Value, arith, boolean, constant_index, int, integer,
    memref, memref_layout, scf, vector,
};
use strata_target::{
    Target,
    tuning::{
        panels::LINE_BYTES,
        streams::{MAX_LINES, MAX_ROWS, MAX_ROWS_OF_STEP, MIN_BYTES, MIN_ROWS},
    },
};

use super::{
    accumulators::{is_outside, origin},
    counted::Counted,
    indices::Place,
};

/// Asks for what the loops in `root` read next of such rows, and of rows that are reduced where the target gains by it.
pub fn ask_ahead<'c>(context: &'c Context, root: Op<'c>, target: &Target) {
    if target.has_tiles() {
        rows::ask_ahead(context, root);
    }
    let is_plain = |op: &Op<'c>| op.is(scf::FOR) && op.result_count() == 0;
    for block in root.collect(|op| is_plain(&op)) {
        for columns in block.body(0).ops().into_iter().filter(is_plain) {
            let inner = columns.body(0).ops().into_iter();
            let sums = inner.filter_map(Counted::of).filter(|inner| inner.op.result_count() > 0);
            sums.for_each(|sums| Tile { block, columns, sums }.ask(context));
        }
    }
}

/// The loops of a tile of sums: over blocks of rows, over columns, and over the rows of a block.
struct Tile<'c> {
    block: Op<'c>,
    columns: Op<'c>,
    sums: Counted<'c>,
}

/// A line of a row of a matrix, as far as the first iteration of the sums reads it.
struct Line<'c> {
    matrix: Value<'c>,
    row: Place<'c>,
    /// By how many rows the next iteration is further down, and by how many the next block.
    steps: [i64; 2],
    /// Its first column and byte in the row of the tile.
    column: i64,
    byte: i64,
}

impl<'c> Tile<'c> {
    fn ask(&self, context: &'c Context) {
        let reads = self.sums.body().ops().into_iter().filter(|op| op.is(vector::TRANSFER_READ));
        let mut groups: Vec<Vec<Line<'c>>> = Vec::new();
        for line in reads.filter_map(|read| self.lines(read)).flatten() {
            let is_own = |one: &Line<'c>| {
                (one.matrix, one.steps) == (line.matrix, line.steps)
                    && (one.row.factor, &one.row.terms) == (line.row.factor, &line.row.terms)
            };
            match groups.iter_mut().find(|group| group.first().is_some_and(is_own)) {
                Some(group) => group.push(line),
                None => groups.push(vec![line]),
            }
        }
        groups.into_iter().for_each(|group| self.prefetch(context, group));
    }

    /// The lines that begin in what is read of a row, of a large matrix of narrow elements.
    fn lines(&self, read: Op<'c>) -> Option<Vec<Line<'c>>> {
        let matrix = read.operand(0);
        let ty = matrix.ty();
        let shape = ty.shape().filter(|shape| shape.len() == 2 && shape[0] > 0 && shape[1] > 0)?;
        let width = i64::try_from(ty.element().byte_width()?).ok().filter(|width| *width <= 2)?;
        let bytes = width.checked_mul(shape[0])?.checked_mul(shape[1])?;
        let is_along_rows = memref_layout(ty)?.0.last() == Some(&1);
        if bytes < MIN_BYTES
            || !is_along_rows
            || !is_elsewhere(matrix)
            || !is_outside(matrix, self.block)
        {
            return None;
        }
        let along = Place::of(read.operand(2), self.columns)?;
        let (row, inner) = (read.operand(1), self.sums.counter());
        let of = |counter: Value<'c>| {
            let terms = Place::with_inner(row, self.block)?.terms;
            Some(terms.into_iter().find(|(value, _)| *value == counter).map_or(0, |term| term.1))
        };
        let [down, across] = [of(inner)?, of(self.columns.body(0).arg(0))?];
        let row = Place::least(row, self.block)?;
        if row.factor <= 0 || across != 0 || along.factor != 1 || !along.terms.is_empty() {
            return None;
        }
        let block = constant_index(self.block.operand(2))?;
        let steps = [down.checked_mul(self.sums.step)?, row.factor.checked_mul(block)?];
        let lanes = i64::try_from(read.result(0).ty().element_count()?).ok()?;
        let columns =
            (along.more..along.more + lanes).step_by(LINE_BYTES as usize / width as usize);
        let line = |column| Line { matrix, row: row.clone(), steps, column, byte: column * width };
        Some(columns.map(line).collect())
    }

    /// Asks for lines of the next block, or in the last one for its own.
    fn prefetch(&self, context: &'c Context, all: Vec<Line<'c>>) {
        let mut lines: Vec<Line<'c>> = Vec::new();
        for line in all {
            let is_known = |one: &Line<'c>| {
                one.row.more == line.row.more && (line.byte - one.byte).abs() < LINE_BYTES as i64
            };
            if !lines.iter().any(is_known) {
                lines.push(line);
            }
        }
        let rows: FxHashSet<_> = lines.iter().map(|line| line.row.more).collect();
        let in_all = |number: usize| self.sums.trips().saturating_mul(number as i64);
        let is_stream =
            rows.len() <= MAX_ROWS_OF_STEP && (MIN_ROWS..=MAX_ROWS).contains(&in_all(rows.len()));
        let first = lines.iter().min_by_key(|line| line.row.more);
        let Some(first) = first.filter(|_| is_stream && in_all(lines.len()) <= MAX_LINES) else {
            return;
        };
        let before = Builder::before(context, self.columns);
        let terms = first.row.terms.iter().copied();
        let terms = terms.chain([(self.block.body(0).arg(0), first.row.factor)]);
        let row = terms.fold(before.index(first.row.more), |sum, (value, factor)| {
            let term = match factor {
                1 => value,
                factor => before.same(arith::MULI, &[value, before.index(factor)]),
            };
            before.same(arith::ADDI, &[sum, term])
        });
        let height = before.index(first.matrix.ty().shape().unwrap_or_default()[0]);
        let [_, block] = first.steps;
        let end = before.offset(row, 2 * block);
        let is_inside = before.cmpi(arith::CmpIPredicate::Sle, end, height);
        let below = before.select(is_inside, before.offset(row, block), row);

        let Some(start) = self.columns.body(0).ops().first().copied() else { return };
        let inside = Builder::before(context, start);
        for trip in 0..self.sums.trips() {
            for line in &lines {
                let down = line.row.more - first.row.more + trip * line.steps[0];
                let column = inside.offset(self.columns.body(0).arg(0), line.column);
                request(&inside, line.matrix, &[inside.offset(below, down), column]);
            }
        }
    }
}

/// Whether it is an input or a constant: a temporary was written a moment ago.
fn is_elsewhere(matrix: Value<'_>) -> bool {
    let is_read = |from: Value<'_>| from.owner().is_none_or(|owner| owner.is(memref::GET_GLOBAL));
    origin(matrix).is_some_and(is_read)
}

/// Asks for the line of an element.
fn request<'c>(at: &Builder<'c>, buffer: Value<'c>, indices: &[Value<'c>]) {
    at.op(memref::PREFETCH)
        .operands(&[&[buffer], indices].concat())
        .attr("isWrite", boolean(at.context, false))
        .attr("localityHint", int(integer(at.context, 32), 3))
        .attr("isDataCache", boolean(at.context, true))
        .build();
}
