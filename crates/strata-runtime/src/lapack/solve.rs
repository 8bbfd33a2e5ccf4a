//! `trsm` and `gtsv`.

use faer::{Mat, MatMut, MatRef, Par, linalg::triangular_solve as triangle};

use super::{
    Arguments, BadCall, Outcome,
    factor::matrix,
    scalar::Scalar,
    small::{self, Triangle},
};

/// `trsm`: solves op(A) X = B or X op(A) = B for a triangular A; X overwrites B.
pub fn triangular<T: Scalar>(call: &Arguments<'_>) -> Outcome {
    let (a, shape) = call.input::<T>(0, T::CODE)?;
    let mut b = call.updated::<T>(1, 0, T::CODE)?;
    let left = call.letter("side")? == b'L';
    let lower = call.letter("uplo")? == b'L';
    let unit = call.letter("diag")? == b'U';
    let operation = call.letter("trans_x")?;
    let (columns, rows, batches) = (b.size(0)?, b.size(1)?, b.batches(2)?);
    let order = shape.last().copied().ok_or(BadCall)?;
    let fits = order == if left { rows } else { columns };
    (fits && a.len() == batches * order * order).then_some(()).ok_or(BadCall)?;
    let is_small = order > 0 && order.max(if left { columns } else { rows }) <= small::ORDER;
    let mut room = Vec::new();
    let mut lines = if is_small && !left { vec![T::ZERO; rows * columns] } else { Vec::new() };
    for index in 0..batches {
        let a = &a[index * order * order..][..order * order];
        let transposed = operation != b'N';
        if is_small {
            let b = b.batch(index, batches);
            let conjugated = operation == b'C';
            // Rows are columns of the transposed system.
            let transposed = transposed == left;
            let system = Triangle { elements: a, order, lower, unit, transposed, conjugated };
            if left {
                system.solve(&mut room, b);
            } else {
                small::transpose(b, rows, &mut lines);
                system.solve(&mut room, &mut lines);
                small::transpose(&lines, order, b);
            }
            continue;
        }
        let mut held: Mat<T> = matrix(a, order, order);
        if operation == b'C' {
            held = Mat::from_fn(order, order, |row, column| held[(row, column)].bar());
        }
        let view = held.as_ref();
        let transposed = transposed == left;
        let (view, lower) = if transposed { (view.transpose(), !lower) } else { (view, lower) };
        let right = MatMut::from_column_major_slice_mut(b.batch(index, batches), rows, columns);
        let right = if left { right } else { right.transpose_mut() };
        solve(view, right, lower, unit);
    }
    Ok(())
}

fn solve<T: Scalar>(a: MatRef<'_, T>, b: MatMut<'_, T>, lower: bool, unit: bool) {
    match (lower, unit) {
        (true, false) => triangle::solve_lower_triangular_in_place(a, b, Par::Seq),
        (true, true) => triangle::solve_unit_lower_triangular_in_place(a, b, Par::Seq),
        (false, false) => triangle::solve_upper_triangular_in_place(a, b, Par::Seq),
        (false, true) => triangle::solve_unit_upper_triangular_in_place(a, b, Par::Seq),
    }
}

/// `gtsv`: solves a tridiagonal system by elimination with row exchanges. The diagonals have one length
/// here: the first element of the lower and the last of the upper one are ignored.
///
/// `info` is the position of a pivot that is zero.
pub fn tridiagonal<T: Scalar>(call: &Arguments<'_>) -> Outcome {
    let mut lower = call.updated::<T>(0, 0, T::CODE)?;
    let mut diagonal = call.updated::<T>(1, 1, T::CODE)?;
    let mut upper = call.updated::<T>(2, 2, T::CODE)?;
    let mut b = call.updated::<T>(3, 3, T::CODE)?;
    let info = call.integers(4)?;
    let (columns, n, batches) = (b.size(0)?, b.size(1)?, b.batches(2)?);
    let length = batches * n;
    let sizes = [&lower, &diagonal, &upper].iter().all(|one| one.data.len() == length);
    (sizes && info.data.len() == batches).then_some(()).ok_or(BadCall)?;
    for index in 0..batches {
        let bands = [
            lower.batch(index, batches).get_mut(1..).unwrap_or_default(),
            diagonal.batch(index, batches),
            upper.batch(index, batches),
        ];
        let info = &mut info.data[index];
        *info = if n == 0 { 0 } else { eliminate(bands, b.batch(index, batches), n, columns) };
    }
    Ok(())
}

/// `below` ends up holding the second diagonal above the main one, which row exchanges fill.
fn eliminate<T: Scalar>(bands: [&mut [T]; 3], b: &mut [T], n: usize, columns: usize) -> i32 {
    let [below, diagonal, above] = bands;
    for at in 0..n - 1 {
        if diagonal[at].magnitude() >= below[at].magnitude() {
            if diagonal[at].square() == T::Part::ZERO {
                return at as i32 + 1;
            }
            let factor = below[at] / diagonal[at];
            diagonal[at + 1] -= factor * above[at];
            for column in 0..columns {
                let step = factor * b[column * n + at];
                b[column * n + at + 1] -= step;
            }
            below[at] = T::ZERO;
        } else {
            let factor = diagonal[at] / below[at];
            diagonal[at] = below[at];
            let next = diagonal[at + 1];
            diagonal[at + 1] = above[at] - factor * next;
            below[at] = T::ZERO;
            if at + 2 < n {
                below[at] = above[at + 1];
                above[at + 1] = -(factor * below[at]);
            }
            above[at] = next;
            for column in 0..columns {
                let (this, other) = (b[column * n + at], b[column * n + at + 1]);
                b[column * n + at] = other;
                b[column * n + at + 1] = this - factor * other;
            }
        }
    }
    if diagonal[n - 1].square() == T::Part::ZERO {
        return n as i32;
    }
    for x in b.chunks_exact_mut(n) {
        for at in (0..n).rev() {
            let mut value = x[at];
            if at + 1 < n {
                value -= above[at] * x[at + 1];
            }
            if at + 2 < n {
                value -= below[at] * x[at + 2];
            }
            x[at] = value / diagonal[at];
        }
    }
    0
}
