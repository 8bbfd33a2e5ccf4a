//! Running reductions, which `reduce_window` expresses by windows that cover a line up to each element, in linear time.
//!
//! ```text
//! %1 = "stablehlo.reduce_window"(%0, %zero) <{window_dimensions = array<i64: 5>, padding = dense<[[4, 0]]>}> ({ add })
//!        : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
//! ```
//! becomes
//! ```text
//! scf.for %i = 1 to 5 iter_args(%sum = %0[0], %to) { %sum' = %sum + %0[%i];  to[%i] = %sum' }
//! ```
//! The error of a long float sum would grow with every element. Sums within a block are added to the total before the block,
//! which is kept as two numbers: the rounded sum and its error.

use strata_ir::{Builder, TypeExt as _, Value, arith, complex};
use strata_rewrite::{Lowerer, Outcome};
use strata_target::tuning::lowering::{SCAN_BLOCK, SCAN_BLOCK_ROWS, SCAN_LINES};

use crate::{
    loops::{for_loop, for_step, insert, when},
    lowerings::{reduce::Combiner, shape::reshape::reshape},
};

/// A running reduction along dimension `dim`.
pub struct Scan {
    /// The shape of operand and result.
    pub sizes: Vec<i64>,
    /// The dimension of the lines.
    pub dim: usize,
    /// Whether each element's window begins with the element, instead of ending with it.
    pub backward: bool,
    /// Whether lines may be needed up to some element only.
    pub open: bool,
}

/// Combines an accumulator and an element.
type Combine<'a, 'c> = &'a dyn Fn(&Builder<'c>, Value<'c>, Value<'c>) -> Outcome<Value<'c>>;

/// The operand and result of a scan as lines: sizes before, along and after its dimension.
struct Lines<'a, 'c> {
    cube: Value<'c>,
    /// The first result of a line, from its first element.
    begin: &'a dyn Fn(&Builder<'c>, Value<'c>) -> Outcome<Value<'c>>,
    length: i64,
    after: i64,
    backward: bool,
    open: bool,
}

/// Some positions of a line, one after the other.
struct Block<'c> {
    first: Value<'c>,
    end: End<'c>,
}

/// Where a block ends.
enum End<'c> {
    /// After so many positions.
    Count(i64),
    /// Before this position.
    At(Value<'c>),
}

impl<'c> Block<'c> {
    /// A loop over the positions. Where the line may end before the block does, the counter is the position itself, so that the loop
    /// can end there, too.
    fn steps(
        &self,
        b: &Builder<'c>,
        carried: &[Value<'c>],
        body: impl FnOnce(&Builder<'c>, Value<'c>, &[Value<'c>]) -> Outcome<Vec<Value<'c>>>,
    ) -> Outcome<Vec<Value<'c>>> {
        match self.end {
            End::Count(count) => {
                for_loop(b, b.index(0), b.index(count), carried, |b, step, carried| {
                    body(b, b.same(arith::ADDI, &[self.first, step]), carried)
                })
            }
            End::At(end) => for_loop(b, self.first, end, carried, body),
        }
    }
}

impl Scan {
    /// The running reduction of `x`, whose initial value only affects signs of zeros.
    pub fn build<'c>(
        &self,
        b: &Builder<'c>,
        [x, initial]: [Value<'c>; 2],
        combiner: &Combiner<'c>,
        lowerer: &Lowerer<'c>,
    ) -> Outcome<Value<'c>> {
        let before: i64 = self.sizes[..self.dim].iter().product();
        let length = self.sizes[self.dim];
        let after: i64 = self.sizes[self.dim + 1..].iter().product();
        let cube = reshape(b, x, &[before, length, after])?;
        let result = b.empty(&[before, length, after], x.ty().element());
        let combine = |b: &Builder<'c>, sum: Value<'c>, element: Value<'c>| -> Outcome<Value<'c>> {
            Ok(combiner.combine(b, &[sum], &[element], lowerer)?[0])
        };
        // The effect of a neutral initial value: signs of zeros.
        let is_exact = !combiner.adds_floats() && combiner.single_op().is_some();
        let begin = |b: &Builder<'c>, first: Value<'c>| match is_exact {
            true => Ok(first),
            false => combine(b, initial, first),
        };
        let Self { backward, open, .. } = *self;
        let lines = Lines { cube, begin: &begin, length, after, backward, open: open && !backward };
        let is_long = length > SCAN_BLOCK && combiner.adds_floats();
        if lines.open && is_long && after == 1 {
            let done = lines.first_of_all(b, before, result)?;
            return reshape(b, done, &self.sizes);
        }
        let (low, high) = (b.index(0), b.index(before));
        let done = for_loop(b, low, high, &[result], |b, line, carried| {
            let to = carried[0];
            let done = match (after == 1, is_long) {
                (true, false) => lines.along(b, line, to, &combine)?,
                (true, true) => lines.along_blocks(b, line, to)?,
                (false, false) => lines.adjacent(b, line, to, &combine)?,
                (false, true) => lines.adjacent_blocks(b, line, to)?,
            };
            Ok(vec![done])
        })?;
        reshape(b, done[0], &self.sizes)
    }
}

impl<'c> Lines<'_, 'c> {
    fn position(&self, b: &Builder<'c>, step: Value<'c>) -> Value<'c> {
        match self.backward {
            true => b.same(arith::SUBI, &[b.index(self.length - 1), step]),
            false => step,
        }
    }

    /// Inserts the first result of a line into `to`.
    fn first(
        &self,
        b: &Builder<'c>,
        line: Value<'c>,
        to: Value<'c>,
    ) -> Outcome<(Value<'c>, Value<'c>)> {
        let zero = b.index(0);
        let at = [line, self.position(b, zero), zero];
        let first = (self.begin)(b, b.extract(self.cube, &at))?;
        Ok((first, insert(b, first, to, &at)))
    }

    /// One line, element by element.
    fn along(
        &self,
        b: &Builder<'c>,
        line: Value<'c>,
        to: Value<'c>,
        combine: Combine<'_, 'c>,
    ) -> Outcome<Value<'c>> {
        let (first, to) = self.first(b, line, to)?;
        let (low, high) = (b.index(1), b.index(self.length));
        let done = for_loop(b, low, high, &[to, first], |b, step, carried| {
            let at = [line, self.position(b, step), b.index(0)];
            let sum = combine(b, carried[1], b.extract(self.cube, &at))?;
            Ok(vec![insert(b, sum, carried[0], &at), sum])
        })?;
        Ok(done[0])
    }

    /// All lines of floats, which may be needed up to some element only, block by block.
    fn first_of_all(&self, b: &Builder<'c>, count: i64, to: Value<'c>) -> Outcome<Value<'c>> {
        let groups = count / SCAN_LINES;
        let done = for_loop(b, b.index(0), b.index(groups), &[to], |b, group, carried| {
            let first = b.same(arith::MULI, &[group, b.index(SCAN_LINES)]);
            let lines = (0..SCAN_LINES).map(|line| b.same(arith::ADDI, &[first, b.index(line)]));
            Ok(vec![self.first_along_blocks(b, &lines.collect::<Vec<_>>(), carried[0])?])
        })?;
        if groups * SCAN_LINES == count {
            return Ok(done[0]);
        }
        let (low, high) = (b.index(groups * SCAN_LINES), b.index(count));
        let done = for_loop(b, low, high, &done, |b, line, carried| {
            Ok(vec![self.first_along_blocks(b, &[line], carried[0])?])
        })?;
        Ok(done[0])
    }

    /// One line of floats, block by block.
    fn along_blocks(&self, b: &Builder<'c>, line: Value<'c>, to: Value<'c>) -> Outcome<Value<'c>> {
        let (first, to) = self.first(b, line, to)?;
        let ty = first.ty();
        let start = [to, first, b.number(ty, 0.0)];
        let done = self.blocks(b, SCAN_BLOCK, &start, |b, block, carried| {
            let [to, total, left_out] = carried[..] else { return Ok(carried.to_vec()) };
            let inner = block.steps(b, &[to, b.number(ty, -0.0)], |b, step, carried| {
                let at = [line, self.position(b, step), b.index(0)];
                let own = add(b, carried[1], b.extract(self.cube, &at));
                let sum = add(b, total, add(b, left_out, own));
                Ok(vec![insert(b, sum, carried[0], &at), own])
            })?;
            let own = add(b, left_out, inner[1]);
            let (total, left_out) = sum_and_error(b, total, own)?;
            Ok(vec![inner[0], total, left_out])
        })?;
        Ok(done[0])
    }

    /// The same for lines that may be needed up to some element only, several at a time: each of a line's sums waits for the one before,
    /// and what it takes to end at a size is done once. The sum of a block is added where the next one begins: the last one, often the
    /// only one, does not wait for it.
    fn first_along_blocks(
        &self,
        b: &Builder<'c>,
        lines: &[Value<'c>],
        to: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let mut start = vec![to];
        for line in lines {
            let (first, next) = self.first(b, *line, start[0])?;
            start[0] = next;
            start.push(first);
        }
        let count = lines.len();
        let ty = to.ty().element();
        start.resize(1 + 3 * count, b.number(ty, 0.0));
        let done = self.blocks(b, SCAN_BLOCK, &start, |b, block, carried| {
            let (totals, own) = carried[1..].split_at(2 * count);
            let is_next = b.cmpi(arith::CmpIPredicate::Ugt, block.first, b.index(1));
            let totals = when(b, is_next, totals, |b| {
                let of = |line: usize| {
                    let own = add(b, totals[count + line], own[line]);
                    sum_and_error(b, totals[line], own)
                };
                let ended: Vec<_> = (0..count).map(of).collect::<Outcome<_>>()?;
                let (totals, left_out): (Vec<_>, Vec<_>) = ended.into_iter().unzip();
                Ok([totals, left_out].concat())
            })?;
            let mut inner = vec![carried[0]];
            inner.resize(1 + count, b.number(ty, -0.0));
            let inner = block.steps(b, &inner, |b, step, carried| {
                let position = self.position(b, step);
                let at = |line: usize| [lines[line], position, b.index(0)];
                let own = (0..count)
                    .map(|line| add(b, carried[1 + line], b.extract(self.cube, &at(line))));
                let own: Vec<_> = own.collect();
                let to = own.iter().enumerate().fold(carried[0], |to, (line, own)| {
                    let sum = add(b, totals[line], add(b, totals[count + line], *own));
                    insert(b, sum, to, &at(line))
                });
                Ok([vec![to], own].concat())
            })?;
            Ok([&inner[..1], &totals[..], &inner[1..]].concat())
        })?;
        Ok(done[0])
    }

    /// Iterates over all positions except the first in blocks.
    fn blocks(
        &self,
        b: &Builder<'c>,
        size: i64,
        start: &[Value<'c>],
        body: impl Fn(&Builder<'c>, &Block<'c>, &[Value<'c>]) -> Outcome<Vec<Value<'c>>>,
    ) -> Outcome<Vec<Value<'c>>> {
        if self.open {
            // Nothing comes after the loop over blocks, which then ends with the line.
            let bounds = [b.index(1), b.index(self.length), b.index(size)];
            return for_step(b, bounds, start, |b, first, carried| {
                let next = b.same(arith::ADDI, &[first, b.index(size)]);
                let end = End::At(b.same(arith::MINUI, &[next, b.index(self.length)]));
                body(b, &Block { first, end }, carried)
            });
        }
        let count = self.length - 1;
        let end = 1 + count / size * size;
        let bounds = [b.index(1), b.index(end), b.index(size)];
        let block = |first, count| Block { first, end: End::Count(count) };
        let done =
            for_step(b, bounds, start, |b, first, carried| body(b, &block(first, size), carried))?;
        match count % size {
            0 => Ok(done),
            rest => body(b, &block(b.index(end), rest), &done),
        }
    }

    /// Adjacent lines: each row of the result from the one before.
    fn adjacent(
        &self,
        b: &Builder<'c>,
        line: Value<'c>,
        to: Value<'c>,
        combine: Combine<'_, 'c>,
    ) -> Outcome<Value<'c>> {
        let begun = self.first_row(b, line, to)?;
        let (low, high) = (b.index(0), b.index(self.after));
        let (second, end) = (b.index(1), b.index(self.length));
        let done = for_loop(b, second, end, &[begun], |b, step, to| {
            let row = self.position(b, step);
            let previous = self.position(b, b.same(arith::SUBI, &[step, b.index(1)]));
            for_loop(b, low, high, to, |b, column, to| {
                let sum = b.extract(to[0], &[line, previous, column]);
                let at = [line, row, column];
                let sum = combine(b, sum, b.extract(self.cube, &at))?;
                Ok(vec![insert(b, sum, to[0], &at)])
            })
        })?;
        Ok(done[0])
    }

    /// The same of floats, block by block.
    fn adjacent_blocks(
        &self,
        b: &Builder<'c>,
        line: Value<'c>,
        to: Value<'c>,
    ) -> Outcome<Value<'c>> {
        let begun = self.first_row(b, line, to)?;
        let element = to.ty().element();
        let (low, high) = (b.index(0), b.index(self.after));
        let totals = b.empty(&[self.after], element);
        let totals = for_loop(b, low, high, &[totals], |b, column, carried| {
            let at = [line, self.position(b, b.index(0)), column];
            let first = (self.begin)(b, b.extract(self.cube, &at))?;
            Ok(vec![insert(b, first, carried[0], &[column])])
        })?;
        // The sums of a block start with the rounding error of the total.
        let own = b.filled(b.number(element, 0.0), &[self.after]);
        let done =
            self.blocks(b, SCAN_BLOCK_ROWS, &[begun, totals[0], own], |b, block, carried| {
                let [to, totals, own] = carried[..] else { return Ok(carried.to_vec()) };
                let done = block.steps(b, &[to, own], |b, step, carried| {
                    let row = self.position(b, step);
                    for_loop(b, low, high, carried, |b, column, carried| {
                        let at = [line, row, column];
                        let own = b.extract(carried[1], &[column]);
                        let own = add(b, own, b.extract(self.cube, &at));
                        let sum = add(b, b.extract(totals, &[column]), own);
                        let to = insert(b, sum, carried[0], &at);
                        Ok(vec![to, insert(b, own, carried[1], &[column])])
                    })
                })?;
                let ended = for_loop(b, low, high, &[totals, done[1]], |b, column, carried| {
                    let (total, own) =
                        (b.extract(carried[0], &[column]), b.extract(carried[1], &[column]));
                    let (total, left_out) = sum_and_error(b, total, own)?;
                    let totals = insert(b, total, carried[0], &[column]);
                    Ok(vec![totals, insert(b, left_out, carried[1], &[column])])
                })?;
                Ok(vec![done[0], ended[0], ended[1]])
            })?;
        Ok(done[0])
    }

    fn first_row(&self, b: &Builder<'c>, line: Value<'c>, to: Value<'c>) -> Outcome<Value<'c>> {
        let first = self.position(b, b.index(0));
        let (low, high) = (b.index(0), b.index(self.after));
        let begun = for_loop(b, low, high, &[to], |b, column, to| {
            let at = [line, first, column];
            let first = (self.begin)(b, b.extract(self.cube, &at))?;
            Ok(vec![insert(b, first, to[0], &at)])
        })?;
        Ok(begun[0])
    }
}

/// `x + y` of floats or complex numbers.
fn add<'c>(b: &Builder<'c>, x: Value<'c>, y: Value<'c>) -> Value<'c> {
    b.same(if x.ty().is_complex() { complex::ADD } else { arith::ADDF }, &[x, y])
}

/// The rounded sum of `x` and `y`, and its rounding error, zero if that is NaN.
fn sum_and_error<'c>(
    b: &Builder<'c>,
    x: Value<'c>,
    y: Value<'c>,
) -> Outcome<(Value<'c>, Value<'c>)> {
    if x.ty().is_complex() {
        let ((x_re, x_im), (y_re, y_im)) = (b.parts(x)?, b.parts(y)?);
        let (re, re_error) = sum_and_error(b, x_re, y_re)?;
        let (im, im_error) = sum_and_error(b, x_im, y_im)?;
        return Ok((b.complex(re, im), b.complex(re_error, im_error)));
    }
    let difference = |x, y| b.same(arith::SUBF, &[x, y]);
    let sum = add(b, x, y);
    let of_y = difference(sum, x);
    let of_x = difference(sum, of_y);
    let error = add(b, difference(x, of_x), difference(y, of_y));
    let known = b.cmpf(arith::CmpFPredicate::Ord, error, error);
    Ok((sum, b.select(known, error, b.number(x.ty(), 0.0))))
}
