//! `cholesky` and `triangular_solve` of real matrices by tiles: nearly all work is matmuls of tiles, which stage
//! `schedule` turns into matmul kernels.
//!
//! ```text
//! cholesky, with U = transpose of L, tile column j:
//!   U[j, j] = factor of A[j, j] - sum over k < j of L[j, k] U[k, j]
//!   L[i, j] = (A[i, j] - sum over k < j of L[i, k] U[k, j]) * inverse of U[j, j]      for i > j
//! triangular_solve, M X = B, M lower, tile row i:
//!   X[i] = inverse of M[i, i] * (B[i] - sum over k < i of M[i, k] X[k])
//! ```
//! Triangular tiles are inverted row by row. Matrices are padded to whole tiles by an identity. Other forms of
//! systems are transposed to this one.

use strata_ir::{Builder, TypeExt as _, Value, arith, linalg::IteratorType, math};
use strata_rewrite::Outcome;
use strata_target::{Target, tuning::linear_algebra::TILE};

use crate::{
    algorithms::short_vectors::{Lanes, insert_block, slice_block},
    dims::shape,
    generic::{Indexed, generic, loop_position},
    loops::{Carried, for_loop, insert},
    lowerings::shape::{extract_slice, insert_slice, transpose},
};

/// A loop over `low..high` by 1.
fn steps<'c>(
    b: &Builder<'c>,
    low: Value<'c>,
    high: i64,
    carried: &[Value<'c>],
    body: impl FnOnce(&Builder<'c>, Value<'c>, &[Value<'c>]) -> Carried<'c>,
) -> Carried<'c> {
    for_loop(b, low, b.index(high), carried, body)
}

fn scaled<'c>(b: &Builder<'c>, index: Value<'c>) -> Value<'c> {
    b.same(arith::MULI, &[index, b.index(TILE)])
}

/// The tile that begins at row tile `i` and column `column`.
fn tile<'c>(
    b: &Builder<'c>,
    from: Value<'c>,
    i: Value<'c>,
    column: Value<'c>,
    width: i64,
) -> Value<'c> {
    slice_block(b, from, &[scaled(b, i), column], &[TILE, width])
}

/// `sum + x * y`.
fn multiply_add<'c>(
    b: &Builder<'c>,
    x: Value<'c>,
    y: Value<'c>,
    sum: Value<'c>,
) -> Outcome<Value<'c>> {
    let inputs = [Indexed::by(x, 3, &[0, 2]), Indexed::by(y, 3, &[2, 1])];
    let output = Indexed::by(sum, 3, &[0, 1]);
    let loops = [IteratorType::Parallel, IteratorType::Parallel, IteratorType::Reduction];
    let sums = generic(b, &inputs, &[output], &loops, |b, args| {
        let product = b.same(arith::MULF, &args[..2]);
        Ok(vec![b.same(arith::ADDF, &[args[2], product])])
    })?;
    Ok(sums[0])
}

fn difference<'c>(b: &Builder<'c>, x: Value<'c>, y: Value<'c>) -> Outcome<Value<'c>> {
    let inputs = [x, y].map(Indexed::identity);
    let output = Indexed::identity(b.empty(&shape(x)?, x.ty().element()));
    let values = generic(b, &inputs, &[output], &[IteratorType::Parallel; 2], |b, args| {
        Ok(vec![b.same(arith::SUBF, &args[..2])])
    })?;
    Ok(values[0])
}

fn zeros<'c>(b: &Builder<'c>, like: Value<'c>, sizes: &[i64]) -> Value<'c> {
    b.filled(b.number(like.ty().element(), 0.0), sizes)
}

/// A square matrix extended to whole tiles by an identity.
fn extended<'c>(b: &Builder<'c>, matrix: Value<'c>) -> Outcome<Value<'c>> {
    let order = shape(matrix)?[0];
    let whole = (order + TILE - 1) / TILE * TILE;
    if whole == order {
        return Ok(matrix);
    }
    let zeros = zeros(b, matrix, &[whole, whole]);
    let inner = insert_slice(b, matrix, zeros, &[0, 0], &[1, 1])?;
    let one = b.float(matrix.ty().element(), 1.0);
    let done = steps(b, b.index(order), whole, &[inner], |b, i, carried| {
        Ok(vec![insert(b, one, carried[0], &[i, i])])
    })?;
    Ok(done[0])
}

/// A row operation on a tile: vectors at `row`, all columns.
fn each_row_part<'c>(
    b: &Builder<'c>,
    target: &Target,
    matrix: Value<'c>,
    mut change: impl FnMut(Lanes, Value<'c>, Value<'c>) -> Value<'c>,
) -> Outcome<Value<'c>> {
    let lanes = Lanes::along(TILE, matrix.ty().element(), target);
    let mut result = matrix;
    for column in (0..TILE).step_by(lanes.0 as usize) {
        result = change(lanes, result, b.index(column));
    }
    Ok(result)
}

/// `matrix` with `factor` times row `from` of `other` subtracted from row `row`.
fn subtract_row<'c>(
    b: &Builder<'c>,
    target: &Target,
    matrix: Value<'c>,
    row: Value<'c>,
    factor: Value<'c>,
    from: Value<'c>,
) -> Outcome<Value<'c>> {
    each_row_part(b, target, matrix, |lanes, matrix, column| {
        let own = lanes.load(b, matrix, &[row, column]);
        let other = lanes.load(b, matrix, &[from, column]);
        let product = b.same(arith::MULF, &[lanes.splat(b, factor), other]);
        lanes.store(b, b.same(arith::SUBF, &[own, product]), matrix, &[row, column])
    })
}

/// `matrix` with row `row` divided.
fn divide_row<'c>(
    b: &Builder<'c>,
    target: &Target,
    matrix: Value<'c>,
    row: Value<'c>,
    divisor: Value<'c>,
) -> Outcome<Value<'c>> {
    each_row_part(b, target, matrix, |lanes, matrix, column| {
        let own = lanes.load(b, matrix, &[row, column]);
        let quotient = b.same(arith::DIVF, &[own, lanes.splat(b, divisor)]);
        lanes.store(b, quotient, matrix, &[row, column])
    })
}

/// The upper factor of a tile whose upper triangle is given.
fn factor_tile<'c>(b: &Builder<'c>, target: &Target, a: Value<'c>) -> Outcome<Value<'c>> {
    let done = steps(b, b.index(0), TILE, &[a], |b, k, carried| {
        let pivot = b.same(math::SQRT, &[b.extract(carried[0], &[k, k])]);
        let scaled = divide_row(b, target, carried[0], k, pivot)?;
        // The quotient of a number and its own root may be off by a bit.
        let scaled = insert(b, pivot, scaled, &[k, k]);
        let next = b.same(arith::ADDI, &[k, b.index(1)]);
        steps(b, next, TILE, &[scaled], |b, i, carried| {
            let factor = b.extract(carried[0], &[k, i]);
            Ok(vec![subtract_row(b, target, carried[0], i, factor, k)?])
        })
    })?;
    let input = Indexed::identity(done[0]);
    let output = Indexed::identity(b.empty(&[TILE, TILE], a.ty().element()));
    let upper = generic(b, &[input], &[output], &[IteratorType::Parallel; 2], |b, args| {
        let [row, column] = [0, 1].map(|dim| loop_position(b, dim, TILE));
        let below = b.cmpi(arith::CmpIPredicate::Ugt, row, column);
        let zero = b.float(args[0].ty(), 0.0);
        Ok(vec![b.select(below, zero, args[0])])
    })?;
    Ok(upper[0])
}

/// The inverse of a triangular tile; the other triangle is not read.
fn inverse_tile<'c>(
    b: &Builder<'c>,
    target: &Target,
    matrix: Value<'c>,
    lower: bool,
    unit: bool,
) -> Outcome<Value<'c>> {
    let one = b.float(matrix.ty().element(), 1.0);
    let identity =
        steps(b, b.index(0), TILE, &[zeros(b, matrix, &[TILE, TILE])], |b, i, carried| {
            Ok(vec![insert(b, one, carried[0], &[i, i])])
        })?;
    let done = steps(b, b.index(0), TILE, &identity, |b, step, carried| {
        // Each row depends on the earlier rows of the triangle.
        let place = |b: &Builder<'c>, step| match lower {
            true => step,
            false => b.same(arith::SUBI, &[b.index(TILE - 1), step]),
        };
        let i = place(b, step);
        let reduced = for_loop(b, b.index(0), step, carried, |b, earlier, carried| {
            let k = place(b, earlier);
            let factor = b.extract(matrix, &[i, k]);
            Ok(vec![subtract_row(b, target, carried[0], i, factor, k)?])
        })?;
        match unit {
            true => Ok(reduced),
            false => {
                let pivot = b.extract(matrix, &[i, i]);
                Ok(vec![divide_row(b, target, reduced[0], i, pivot)?])
            }
        }
    })?;
    Ok(done[0])
}

/// The factor of a symmetric matrix of which one triangle is given.
pub fn cholesky<'c>(
    b: &Builder<'c>,
    target: &Target,
    matrix: Value<'c>,
    lower: bool,
) -> Outcome<Value<'c>> {
    let order = shape(matrix)?[0];
    let a = if lower { matrix } else { transpose(b, matrix, &[1, 0])? };
    let a = extended(b, a)?;
    let whole = shape(a)?[0];
    let count = whole / TILE;
    let both = [zeros(b, a, &[whole, whole]), zeros(b, a, &[whole, whole])];
    let done = steps(b, b.index(0), count, &both, |b, j, carried| {
        let column = scaled(b, j);
        // A[i, j] less the products of the tile columns before.
        let rest = |b: &Builder<'c>, i: Value<'c>, carried: &[Value<'c>]| {
            let none = zeros(b, a, &[TILE, TILE]);
            let sum = for_loop(b, b.index(0), j, &[none], |b, k, sum| {
                let x = tile(b, carried[0], i, scaled(b, k), TILE);
                let y = tile(b, carried[1], k, column, TILE);
                Ok(vec![multiply_add(b, x, y, sum[0])?])
            })?[0];
            difference(b, tile(b, a, i, column, TILE), sum)
        };
        let diagonal = rest(b, j, carried)?;
        let upper = factor_tile(b, target, transpose(b, diagonal, &[1, 0])?)?;
        let inverse = inverse_tile(b, target, upper, false, false)?;
        let below = transpose(b, upper, &[1, 0])?;
        let l = insert_block(b, below, carried[0], &[column, column]);
        let u = insert_block(b, upper, carried[1], &[column, column]);
        let next = b.same(arith::ADDI, &[j, b.index(1)]);
        steps(b, next, count, &[l, u], |b, i, carried| {
            let rest = rest(b, i, carried)?;
            let below = multiply_add(b, rest, inverse, zeros(b, a, &[TILE, TILE]))?;
            let above = transpose(b, below, &[1, 0])?;
            let row = scaled(b, i);
            Ok(vec![
                insert_block(b, below, carried[0], &[row, column]),
                insert_block(b, above, carried[1], &[column, row]),
            ])
        })
    })?;
    let factor = if lower { done[0] } else { done[1] };
    Ok(match whole == order {
        true => factor,
        false => extract_slice(b, factor, &[0, 0], &[order, order], &[1, 1]),
    })
}

/// The solution `X` of `M X = B`, `M` triangular.
pub fn solve<'c>(
    b: &Builder<'c>,
    target: &Target,
    matrix: Value<'c>,
    rhs: Value<'c>,
    lower: bool,
    unit: bool,
) -> Outcome<Value<'c>> {
    let [order, lines] = shape(rhs)?[..] else { return Err("the operand is not a matrix".into()) };
    let matrix = extended(b, matrix)?;
    let whole = shape(matrix)?[0];
    let rhs = match whole == order {
        true => rhs,
        false => insert_slice(b, rhs, zeros(b, rhs, &[whole, lines]), &[0, 0], &[1, 1])?,
    };
    let count = whole / TILE;
    let width = lines.min(TILE);
    let place = |b: &Builder<'c>, step: Value<'c>| match lower {
        true => step,
        false => b.same(arith::SUBI, &[b.index(count - 1), step]),
    };
    let solution = b.empty(&[whole, lines], rhs.ty().element());
    let done = steps(b, b.index(0), count, &[solution], |b, step, carried| {
        let i = place(b, step);
        let diagonal = tile(b, matrix, i, scaled(b, i), TILE);
        let inverse = inverse_tile(b, target, diagonal, lower, unit)?;
        let tiles = (lines + width - 1) / width;
        steps(b, b.index(0), tiles, carried, |b, number, carried| {
            // The last tile ends with the lines and may overlap the one before.
            let column = b.same(arith::MULI, &[number, b.index(width)]);
            let column = b.same(arith::MINUI, &[column, b.index(lines - width)]);
            let none = zeros(b, rhs, &[TILE, width]);
            let sum = for_loop(b, b.index(0), step, &[none], |b, earlier, sum| {
                let k = place(b, earlier);
                let x = tile(b, matrix, i, scaled(b, k), TILE);
                let y = tile(b, carried[0], k, column, width);
                Ok(vec![multiply_add(b, x, y, sum[0])?])
            })?[0];
            let rest = difference(b, tile(b, rhs, i, column, width), sum)?;
            let value = multiply_add(b, inverse, rest, zeros(b, rhs, &[TILE, width]))?;
            Ok(vec![insert_block(b, value, carried[0], &[scaled(b, i), column])])
        })
    })?;
    Ok(match whole == order {
        true => done[0],
        false => extract_slice(b, done[0], &[0, 0], &[order, lines], &[1, 1]),
    })
}
