//! QR with elementary reflectors H = I - tau v v^H, stored as LAPACK stores them: v below the diagonal
//! without its leading 1, the scales in a vector.

use std::array;

use super::{Arguments, BadCall, Outcome, scalar::Scalar};

/// The reflector that takes `x` to a multiple of the first unit vector: `x[0]` becomes that multiple,
/// which is real, the rest the vector without its leading 1. Returns the scale; H^H x is the result.
pub fn reflector<T: Scalar>(x: &mut [T]) -> T {
    let Some((alpha, tail)) = x.split_first_mut() else { return T::ZERO };
    let largest = tail.iter().map(|one| one.magnitude()).fold(T::Part::ZERO, maximum);
    if largest == T::Part::ZERO && alpha.im() == T::Part::ZERO {
        return T::ZERO;
    }
    let largest = maximum(largest, alpha.magnitude());
    // Scaled, so that squares neither overflow nor underflow.
    let scaled = |one: &T| T::real(T::Part::ONE / largest) * *one;
    let sum = tail.iter().map(|one| scaled(one).square()).fold(T::Part::ZERO, |a, b| a + b);
    let norm = T::root(sum + scaled(alpha).square()) * largest;
    let beta = if alpha.re() >= T::Part::ZERO { -norm } else { norm };
    let tau = T::new((beta - alpha.re()) / beta, -alpha.im() / beta);
    let scale = T::ONE / (*alpha - T::real(beta));
    tail.iter_mut().for_each(|one| *one *= scale);
    *alpha = T::real(beta);
    tau
}

fn maximum<R: PartialOrd + Copy>(left: R, right: R) -> R {
    // NaN passes: no comparison with it holds.
    if left >= right { left } else { right }
}

/// Vectors of this length are multiplied by several sums at a time.
///
/// Measured on Rocket Lake: QR of 64x64 takes 0.69 of the time; with several sums for all lengths, that of 16x16 took 1.06 to 1.18.
const LONG: usize = 32;

/// Applies I - tau v v^H from the left to a column, with `v = [1, tail]`.
fn reflect<T: Scalar>(tail: &[T], tau: T, column: &mut [T]) {
    if tail.len() >= LONG {
        return reflect_long(tail, tau, column);
    }
    let Some((first, rest)) = column.split_first_mut() else { return };
    let mut product = *first;
    for (v, x) in tail.iter().zip(rest.iter()) {
        product += v.bar() * *x;
    }
    let scale = tau * product;
    *first -= scale;
    for (v, x) in tail.iter().zip(rest) {
        *x -= *v * scale;
    }
}

/// The same: a sum waits for the one before, so there are several, of every `SUMS`-th product.
#[inline(never)]
fn reflect_long<T: Scalar>(tail: &[T], tau: T, column: &mut [T]) {
    const SUMS: usize = 8;
    let Some((first, rest)) = column.split_first_mut() else { return };
    let ((v, v_end), (x, x_end)) = (tail.as_chunks::<SUMS>(), rest.as_chunks::<SUMS>());
    let sums = v.iter().zip(x).fold([T::ZERO; SUMS], |sums, (v, x)| {
        array::from_fn(|lane| sums[lane] + v[lane].bar() * x[lane])
    });
    let end = v_end.iter().zip(x_end).fold(*first, |sum, (v, x)| sum + v.bar() * *x);
    let scale = tau * sums.into_iter().fold(end, |all, one| all + one);
    *first -= scale;
    for (v, x) in tail.iter().zip(rest) {
        *x -= *v * scale;
    }
}

/// Column `from` below its diagonal, and the columns after it from the same row on.
fn split<T>(a: &mut [T], rows: usize, row: usize, from: usize) -> (&mut [T], &mut [T]) {
    let (left, right) = a.split_at_mut((from + 1) * rows);
    (&mut left[from * rows + row..], right)
}

fn eliminate<T: Scalar>(a: &mut [T], rows: usize, at: usize) -> T {
    let (column, trailing) = split(a, rows, at, at);
    let tau = reflector(column);
    for other in trailing.chunks_exact_mut(rows) {
        reflect(&column[1..], tau.bar(), &mut other[at..]);
    }
    tau
}

/// `geqrf`: R on and above the diagonal, the reflectors below it, their scales.
pub fn factor<T: Scalar>(call: &Arguments<'_>) -> Outcome {
    let mut a = call.updated::<T>(0, 0, T::CODE)?;
    let mut scales = call.output::<T>(1, T::CODE)?;
    let (columns, rows, batches) = (a.size(0)?, a.size(1)?, a.batches(2)?);
    let count = rows.min(columns);
    (scales.data.len() == batches * count).then_some(()).ok_or(BadCall)?;
    for index in 0..batches {
        let matrix = a.batch(index, batches);
        for (at, tau) in scales.batch(index, batches).iter_mut().enumerate() {
            *tau = eliminate(matrix, rows, at);
        }
    }
    Ok(())
}

/// `geqp3`: as `geqrf` with the remaining column of the largest norm next, and the order of the columns,
/// counted from 1. Columns whose entry in the given order is not 0 come first.
pub fn pivoted<T: Scalar>(call: &Arguments<'_>) -> Outcome {
    let mut a = call.updated::<T>(0, 0, T::CODE)?;
    let mut order = call.updated_integers(1, 1)?;
    let mut scales = call.output::<T>(2, T::CODE)?;
    let (columns, rows, batches) = (a.size(0)?, a.size(1)?, a.batches(2)?);
    let count = rows.min(columns);
    let sizes = scales.data.len() == batches * count && order.data.len() == batches * columns;
    sizes.then_some(()).ok_or(BadCall)?;
    for index in 0..batches {
        let (matrix, order) = (a.batch(index, batches), order.batch(index, batches));
        let mut fixed = 0;
        let wanted: Vec<bool> = order.iter().map(|one| *one != 0).collect();
        order.iter_mut().enumerate().for_each(|(at, one)| *one = at as i32 + 1);
        for (at, wanted) in wanted.into_iter().enumerate() {
            if wanted {
                exchange(matrix, rows, order, at, fixed);
                fixed += 1;
            }
        }
        for (at, tau) in scales.batch(index, batches).iter_mut().enumerate() {
            if at >= fixed {
                let norm = |column: &usize| -> T::Part {
                    let below = &matrix[column * rows + at..(column + 1) * rows];
                    below.iter().map(|one| one.square()).fold(T::Part::ZERO, |a, b| a + b)
                };
                let mut best = (at, norm(&at));
                for column in at + 1..columns {
                    let found = norm(&column);
                    if found > best.1 {
                        best = (column, found);
                    }
                }
                exchange(matrix, rows, order, at, best.0);
            }
            *tau = eliminate(matrix, rows, at);
        }
    }
    Ok(())
}

fn exchange<T>(matrix: &mut [T], rows: usize, order: &mut [i32], left: usize, right: usize) {
    if left != right {
        order.swap(left, right);
        for row in 0..rows {
            matrix.swap(left * rows + row, right * rows + row);
        }
    }
}

/// `orgqr`, `ungqr`: the first columns of the product of the reflectors.
pub fn form<T: Scalar>(call: &Arguments<'_>) -> Outcome {
    let mut a = call.updated::<T>(0, 0, T::CODE)?;
    let (scales, shape) = call.input::<T>(1, T::CODE)?;
    let (columns, rows, batches) = (a.size(0)?, a.size(1)?, a.batches(2)?);
    let count = shape.last().copied().ok_or(BadCall)?;
    let sizes = scales.len() == batches * count && count <= columns && columns <= rows;
    sizes.then_some(()).ok_or(BadCall)?;
    for index in 0..batches {
        form_in_place(a.batch(index, batches), rows, columns, &scales[index * count..][..count]);
    }
    Ok(())
}

/// Replaces reflectors in the first columns by the columns of their product.
pub fn form_in_place<T: Scalar>(matrix: &mut [T], rows: usize, columns: usize, scales: &[T]) {
    for column in scales.len()..columns {
        matrix[column * rows..(column + 1) * rows].fill(T::ZERO);
        matrix[column * rows + column] = T::ONE;
    }
    for (at, tau) in scales.iter().enumerate().rev() {
        let (column, trailing) = split(matrix, rows, at, at);
        for other in trailing.chunks_exact_mut(rows).take(columns - at - 1) {
            reflect(&column[1..], *tau, &mut other[at..]);
        }
        column[1..].iter_mut().for_each(|one| *one *= -*tau);
        column[0] = T::ONE - *tau;
        matrix[at * rows..at * rows + at].fill(T::ZERO);
    }
}

/// `ormqr`, `unmqr`: the product of the reflectors, or its conjugate transpose, times a matrix, or a
/// matrix times it.
pub fn apply<T: Scalar>(call: &Arguments<'_>) -> Outcome {
    let (reflectors, shape) = call.input::<T>(0, T::CODE)?;
    let (scales, _) = call.input::<T>(1, T::CODE)?;
    let mut c = call.updated::<T>(2, 0, T::CODE)?;
    let (left, transpose) = (call.number("left")? != 0, call.number("transpose")? != 0);
    let (columns, rows, batches) = (c.size(0)?, c.size(1)?, c.batches(2)?);
    let [.., order, held] = shape[..] else { return Err(BadCall) };
    let count = scales.len() / batches.max(1);
    let fits = order == if left { rows } else { columns };
    let sizes = fits && reflectors.len() == batches * order * held && count <= held.min(order);
    sizes.then_some(()).ok_or(BadCall)?;
    for index in 0..batches {
        let reflectors = &reflectors[index * order * held..][..order * held];
        let scales = &scales[index * count..][..count];
        let matrix = c.batch(index, batches);
        // Q = H1 H2 … Hk: from the left the last comes first, unless Q is transposed.
        let mut sequence: Vec<usize> = (0..count).collect();
        if left != transpose {
            sequence.reverse();
        }
        for at in sequence {
            let tail = &reflectors[at * order + at + 1..(at + 1) * order];
            let tau = if transpose { scales[at].bar() } else { scales[at] };
            if left {
                for column in matrix.chunks_exact_mut(rows) {
                    reflect(tail, tau, &mut column[at..]);
                }
            } else {
                reflect_rows(tail, tau, matrix, rows, at);
            }
        }
    }
    Ok(())
}

/// Applies I - tau v v^H from the right, with `v = [1, tail]` from column `at` on.
pub fn reflect_rows<T: Scalar>(tail: &[T], tau: T, matrix: &mut [T], rows: usize, at: usize) {
    let mut products: Vec<T> = matrix[at * rows..(at + 1) * rows].to_vec();
    for (offset, v) in tail.iter().enumerate() {
        let column = &matrix[(at + 1 + offset) * rows..][..rows];
        for (product, x) in products.iter_mut().zip(column) {
            *product += *x * *v;
        }
    }
    for (offset, v) in std::iter::once(&T::ONE).chain(tail).enumerate() {
        let scale = tau * v.bar();
        let column = &mut matrix[(at + offset) * rows..][..rows];
        for (product, x) in products.iter().zip(column) {
            *x -= *product * scale;
        }
    }
}

/// Applies I - tau v v^H from the left to some columns from row `at` on, with `v = [1, tail]`.
pub fn reflect_columns<T: Scalar>(tail: &[T], tau: T, columns: &mut [T], rows: usize, at: usize) {
    for column in columns.chunks_exact_mut(rows) {
        reflect(tail, tau, &mut column[at..]);
    }
}
