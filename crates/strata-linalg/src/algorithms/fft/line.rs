//! Transforms of lines, the rows of a matrix, each line of length `n = n1 * n2` viewed as a matrix:
//!
//! ```text
//! y[k1, j2] = exp(-2πi k1 j2 / n) * transform of x[j1, j2] over j1 at k1        of columns
//! X[k1 + n1 * k2] = transform of y[k1, j2] over j2 at k2                        of rows, transposed
//! ```

use strata_ir::{Builder, Type, TypeExt as _, Value, arith, complex, linalg::IteratorType};
use strata_rewrite::{Guard as _, Outcome};
use strata_target::{Target, tuning::fft::MAX_FACTOR_TABLE};

use super::{
    codelet::{Arithmetic, Row, radices},
    panel::{self, Columns, Planes, offset, roots, trips},
};
use crate::{
    algorithms::short_vectors::{Lanes, insert_block, slice_block, slice_run},
    dims::shape,
    generic::{Indexed, generic},
    loops::Carried,
    lowerings::shape::{reshape::reshape, transpose},
};

/// The two factors of a line's length.
pub type Split = [i64; 2];

/// The factors of a length, as close to each other as possible; `None` if columns of many lines are faster.
pub fn split(length: i64, lines: i64) -> Option<Split> {
    radices(length)?;
    let root = length.isqrt();
    let first = (1..=root).rev().find(|factor| length % factor == 0)?;
    let short = first < 8 && lines > 1;
    (first > 1 && !short).then_some([first, length / first])
}

/// The parts of `count` complex numbers of `from` from `at` on, along the last dimension.
pub fn parts_of_run<'c>(
    b: &Builder<'c>,
    from: Value<'c>,
    at: &[Value<'c>],
    count: i64,
) -> Outcome<Planes<'c>> {
    split_parts(b, slice_run(b, from, at, count))
}

/// The real and imaginary parts of complex numbers.
pub fn split_parts<'c>(b: &Builder<'c>, numbers: Value<'c>) -> Outcome<Planes<'c>> {
    let part = numbers.ty().element().complex_element().or_decline("the operand is not complex")?;
    let sizes = shape(numbers)?;
    let to = Planes::empty(b, &sizes, part).both();
    let to = to.map(Indexed::identity);
    let loops = vec![IteratorType::Parallel; sizes.len()];
    let parts = generic(b, &[Indexed::identity(numbers)], &to, &loops, |b, args| {
        let (re, im) = b.parts(args[0])?;
        Ok(vec![re, im])
    })?;
    Ok(Planes::of(&parts))
}

/// The complex numbers of real and imaginary parts, times `scale`.
pub fn interleaved<'c>(b: &Builder<'c>, parts: Planes<'c>, scale: f64) -> Outcome<Value<'c>> {
    let part = parts.re.ty().element();
    let sizes = shape(parts.re)?;
    let from = parts.both().map(Indexed::identity);
    let to = Indexed::identity(b.empty(&sizes, complex(part)));
    let loops = vec![IteratorType::Parallel; sizes.len()];
    let numbers = generic(b, &from, &[to], &loops, |b, args| {
        let scaled = |value: Value<'c>| match scale == 1.0 {
            true => value,
            false => b.same(arith::MULF, &[value, b.float(part, scale)]),
        };
        Ok(vec![b.complex(scaled(args[0]), scaled(args[1]))])
    })?;
    Ok(numbers[0])
}

/// The transforms of the rows of a matrix of complex numbers, times `scale`.
pub fn transform_lines<'c>(
    b: &Builder<'c>,
    target: &Target,
    rows: Value<'c>,
    split: Split,
    inverse: bool,
    scale: f64,
) -> Outcome<Value<'c>> {
    let [lines, n] = shape(rows)?[..] else { return Err("the operand is not a matrix".into()) };
    if n > MAX_FACTOR_TABLE {
        return transform_large_lines(b, target, rows, split, inverse, scale);
    }
    let result = b.empty(&[lines, n], rows.ty().element());
    let done = trips(b, lines, &[result], |b, line, carried| {
        let at = [line, b.index(0)];
        let z = parts_of_run(b, rows, &at, n)?;
        let z = transform_line(b, target, z, split, inverse)?;
        let numbers = interleaved(b, z, scale)?;
        Ok(vec![insert_block(b, numbers, carried[0], &at)])
    })?;
    Ok(done[0])
}

/// As [`transform_lines`], for lines larger than the caches: real and imaginary parts are separated and
/// interleaved in blocks of columns.
fn transform_large_lines<'c>(
    b: &Builder<'c>,
    target: &Target,
    rows: Value<'c>,
    split: Split,
    inverse: bool,
    scale: f64,
) -> Outcome<Value<'c>> {
    let [n1, n2] = split;
    let [lines, n] = shape(rows)?[..] else { return Err("the operand is not a matrix".into()) };
    let element = rows.ty().element();
    let part = element.complex_element().or_decline("the operand is not complex")?;
    let matrices = reshape(b, rows, &[lines, n1, n2])?;
    let factors = Factors::new(b, part, split, Lanes::along(n2, part, target))?;
    let result = b.empty(&[lines, n2, n1], element);
    let done = trips(b, lines, &[result], |b, line, carried| {
        let mixed = Planes::empty(b, &[n1, n2], part).both();
        let width = block_width(n2);
        let mixed = tiles(b, n2, width, &mixed, |b, first, mixed| {
            let block = slice_block(b, matrices, &[line, b.index(0), first], &[n1, width]);
            let block = split_parts(b, block)?.swapped_if(inverse);
            first_half(b, target, block, split, &factors, first, mixed)
        })?;
        let width = block_width(n1);
        tiles(b, n1, width, carried, |b, first, carried| {
            let block = Planes::empty(b, &[n2, width], part);
            let block = second_half(b, target, Planes::of(&mixed), split, first, block)?;
            let block = interleaved(b, block.swapped_if(inverse), scale)?;
            Ok(vec![insert_block(b, block, carried[0], &[line, b.index(0), first])])
        })
    })?;
    reshape(b, done[0], &[lines, n])
}

/// The number of columns to separate or interleave at once: loops long enough to be vectorised.
pub fn block_width(columns: i64) -> i64 {
    columns.min(64)
}

/// A loop over tiles of `width` of an extent; `body` gets the start of a tile. The last tile ends at the extent
/// and may overlap the one before.
pub fn tiles<'c>(
    b: &Builder<'c>,
    extent: i64,
    width: i64,
    carried: &[Value<'c>],
    body: impl FnOnce(&Builder<'c>, Value<'c>, &[Value<'c>]) -> Carried<'c>,
) -> Carried<'c> {
    trips(b, (extent + width - 1) / width, carried, |b, number, carried| {
        let mut first = offset(b, b.index(0), width, number);
        if extent % width != 0 {
            first = b.same(arith::MINUI, &[first, b.index(extent - width)]);
        }
        body(b, first, carried)
    })
}

/// The transform of one line, given and returned as vectors of parts, without scaling.
pub fn transform_line<'c>(
    b: &Builder<'c>,
    target: &Target,
    line: Planes<'c>,
    split: Split,
    inverse: bool,
) -> Outcome<Planes<'c>> {
    let [n1, n2] = split;
    let part = line.re.ty().element();
    let matrix = |plane| reshape(b, plane, &[n1, n2]);
    let x = Planes { re: matrix(line.re)?, im: matrix(line.im)? }.swapped_if(inverse);
    let factors = Factors::new(b, part, split, Lanes::along(n2, part, target))?;
    let mixed = Planes::empty(b, &[n1, n2], part);
    let mixed = first_half(b, target, x, split, &factors, b.index(0), &mixed.both())?;
    let result = Planes::empty(b, &[n2, n1], part);
    let z =
        second_half(b, target, Planes::of(&mixed), split, b.index(0), result)?.swapped_if(inverse);
    Ok(Planes { re: reshape(b, z.re, &[n1 * n2])?, im: reshape(b, z.im, &[n1 * n2])? })
}

/// `y` of the module's head for the columns of `x`, stored to `mixed` from column `first` on.
fn first_half<'c>(
    b: &Builder<'c>,
    target: &Target,
    x: Planes<'c>,
    [n1, n2]: Split,
    factors: &Factors<'c>,
    first: Value<'c>,
    mixed: &[Value<'c>],
) -> Carried<'c> {
    let lanes = Lanes::along(n2, x.re.ty().element(), target);
    let width = shape(x.re)?[1];
    tiles(b, width, lanes.0, mixed, |b, column, mixed| {
        let to = b.same(arith::ADDI, &[first, column]);
        let mixed = panel::transform(
            b,
            Columns { planes: x, first: column },
            n1,
            lanes,
            Columns { planes: Planes::of(mixed), first: to },
            &|a, k1, value| a.multiply(value, factors.at(a, k1, to)),
        )?;
        Ok(mixed.both().to_vec())
    })
}

/// The transforms of rows of `mixed` from row `first` on, as the columns of `result`.
fn second_half<'c>(
    b: &Builder<'c>,
    target: &Target,
    mixed: Planes<'c>,
    [n1, n2]: Split,
    first: Value<'c>,
    result: Planes<'c>,
) -> Outcome<Planes<'c>> {
    let lanes = Lanes::along(n1, mixed.re.ty().element(), target);
    let count = shape(result.re)?[1];
    let done = tiles(b, count, lanes.0, &result.both(), |b, row, result| {
        let from = b.same(arith::ADDI, &[first, row]);
        let transposed = |plane| {
            let block = slice_block(b, plane, &[from, b.index(0)], &[lanes.0, n2]);
            transpose(b, block, &[1, 0])
        };
        let panel = Planes { re: transposed(mixed.re)?, im: transposed(mixed.im)? };
        let done = panel::transform(
            b,
            Columns { planes: panel, first: b.index(0) },
            n2,
            lanes,
            Columns { planes: Planes::of(result), first: row },
            &|_, _, value| value,
        )?;
        Ok(done.both().to_vec())
    })?;
    Ok(Planes::of(&done))
}

/// `exp(-2πi k1 j2 / n)` for vectors along `j2`.
enum Factors<'c> {
    /// A table of all.
    All(Planes<'c>),
    /// The product of three: with `e = k1 * (first j2 of the row) mod n`, at `e / step`, at `e mod step`, and at
    /// `k1` for each lane.
    Products { n: i64, step: i64, high: Planes<'c>, low: Planes<'c>, lanes: Planes<'c> },
}

impl<'c> Factors<'c> {
    fn new(b: &Builder<'c>, part: Type<'c>, [n1, n2]: Split, lanes: Lanes) -> Outcome<Self> {
        let n = n1 * n2;
        let grid = |columns| (0..n1).flat_map(move |k1| (0..columns).map(move |j2| k1 * j2));
        if n <= MAX_FACTOR_TABLE {
            return Ok(Self::All(roots(b, part, &[n1, n2], n, grid(n2))?));
        }
        // A power of two, so that quotient and remainder are shifts and masks.
        let step = (n.isqrt() as u64).next_power_of_two() as i64;
        let high = (n + step - 1) / step;
        Ok(Self::Products {
            n,
            step,
            high: roots(b, part, &[high], n, (0..high).map(move |at| at * step))?,
            low: roots(b, part, &[step], n, 0..step)?,
            lanes: roots(b, part, &[n1, lanes.0], n, grid(lanes.0))?,
        })
    }

    fn at(&self, a: &Arithmetic<'_, 'c>, k1: Value<'c>, from: Value<'c>) -> Row<'c> {
        let b = a.builder;
        match self {
            Self::All(planes) => planes.load(b, a.lanes, &[k1, from]),
            Self::Products { n, step, high, low, lanes } => {
                let exponent = b.same(arith::MULI, &[k1, from]);
                let exponent = b.same(arith::REMUI, &[exponent, b.index(*n)]);
                let quotient = b.same(arith::DIVUI, &[exponent, b.index(*step)]);
                let remainder = b.same(arith::REMUI, &[exponent, b.index(*step)]);
                let at = |planes: &Planes<'c>, index| {
                    let splat = |plane| a.lanes.splat(b, b.extract(plane, &[index]));
                    Row { re: splat(planes.re), im: splat(planes.im) }
                };
                let first = a.multiply(at(high, quotient), at(low, remainder));
                a.multiply(first, lanes.load(b, a.lanes, &[k1, b.index(0)]))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn lines_are_split_near_their_root() {
        assert_eq!(split(4096, 1), Some([64, 64]));
        assert_eq!(split(100, 3), Some([10, 10]));
        assert_eq!(split(12, 1), Some([3, 4]));
        assert_eq!(split(12, 5), None);
        assert_eq!(split(7, 1), None);
        assert_eq!(split(37 * 37, 1), None);
    }
}
