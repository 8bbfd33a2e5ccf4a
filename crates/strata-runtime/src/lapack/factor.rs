//! `potrf` and `getrf`.

use faer::{
    Mat, MatMut, MatRef, Par, Side,
    dyn_stack::{MemBuffer, MemStack},
    linalg::lu::partial_pivoting::factor::{lu_in_place, lu_in_place_scratch},
};

use super::{Arguments, BadCall, Outcome, scalar::Scalar, small};

/// `potrf`: the Cholesky factor in the triangle that `uplo` names; the other one is not changed.
///
/// `info` is the order of the leading minor that is not positive definite.
pub fn cholesky<T: Scalar>(call: &Arguments<'_>) -> Outcome {
    let mut a = call.updated::<T>(0, 0, T::CODE)?;
    let info = call.integers(1)?;
    let lower = call.letter("uplo")? == b'L';
    let (n, batches) = (a.size(0)?, a.batches(2)?);
    (a.size(1)? == n && info.data.len() == batches).then_some(()).ok_or(BadCall)?;
    if n <= small::ORDER {
        small::Factors::new(n).replace(a.data, lower, info.data);
        return Ok(());
    }
    for index in 0..batches {
        let matrix = a.batch(index, batches);
        let side = if lower { Side::Lower } else { Side::Upper };
        info.data[index] = match MatRef::from_column_major_slice(matrix, n, n).llt(side) {
            Ok(factor) => {
                let factor = factor.L();
                for column in 0..n {
                    for row in column..n {
                        let value = factor[(row, column)];
                        if lower {
                            matrix[column * n + row] = value;
                        } else {
                            matrix[row * n + column] = value.bar();
                        }
                    }
                }
                0
            }
            Err(faer::linalg::cholesky::llt::factor::LltError::NonPositivePivot { index }) => {
                index as i32 + 1
            }
        };
    }
    Ok(())
}

/// `getrf`: L and U overwrite the matrix, and for each row the row that it was exchanged with,
/// counted from 1.
///
/// `info` is the position of the first zero on the diagonal of U.
pub fn lu<T: Scalar>(call: &Arguments<'_>) -> Outcome {
    let mut a = call.updated::<T>(0, 0, T::CODE)?;
    let mut pivots = call.integers(1)?;
    let info = call.integers(2)?;
    let (columns, rows, batches) = (a.size(0)?, a.size(1)?, a.batches(2)?);
    let diagonal = rows.min(columns);
    let sizes = info.data.len() == batches && pivots.data.len() == batches * diagonal;
    sizes.then_some(()).ok_or(BadCall)?;
    let (mut order, mut inverse) = (vec![0usize; rows], vec![0usize; rows]);
    let scratch = lu_in_place_scratch::<usize, T>(rows, columns, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let mut given = Vec::new();
    let is_small = rows.max(columns) <= small::ORDER;
    for index in 0..batches {
        let matrix = a.batch(index, batches);
        let pivots = pivots.batch(index, batches);
        if is_small {
            if diagonal > 0 {
                small::lu(matrix, rows, pivots);
            }
        } else if diagonal > 0 {
            given.clear();
            given.extend_from_slice(matrix);
            let view = MatMut::from_column_major_slice_mut(matrix, rows, columns);
            let stack = MemStack::new(&mut memory);
            lu_in_place(view, &mut order, &mut inverse, Par::Seq, stack, Default::default());
            exchanges(&order, pivots);
            let regular = |at: usize| matrix[at * rows + at].square() > T::Part::ZERO;
            if !(0..diagonal).all(regular) {
                matrix.copy_from_slice(&given);
                small::lu(matrix, rows, pivots);
            }
        }
        let zero = (0..diagonal).find(|at| matrix[at * rows + at].square() == T::Part::ZERO);
        info.data[index] = zero.map_or(0, |at| at as i32 + 1);
    }
    Ok(())
}

/// A permutation as a sequence of exchanges: row `i` with row `pivots[i]`, counted from 1.
fn exchanges(order: &[usize], pivots: &mut [i32]) {
    let mut now: Vec<usize> = (0..order.len()).collect();
    for (at, pivot) in pivots.iter_mut().enumerate() {
        let from =
            now[at..].iter().position(|row| *row == order[at]).map_or(at, |found| at + found);
        now.swap(at, from);
        *pivot = from as i32 + 1;
    }
}

/// A column-major slice as a matrix of its own.
pub fn matrix<T: Scalar>(data: &[T], rows: usize, columns: usize) -> Mat<T> {
    Mat::from_fn(rows, columns, |row, column| data[column * rows + row])
}
