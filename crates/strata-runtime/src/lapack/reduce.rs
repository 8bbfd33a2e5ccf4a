//! `gehrd` and `sytrd`, `hetrd`: reductions by reflectors from both sides.

use super::{
    Arguments, BadCall, Outcome,
    householder::{reflect_columns, reflect_rows, reflector},
    scalar::Scalar,
};

/// `gehrd`: the Hessenberg form, the reflectors below its first subdiagonal, their scales.
pub fn hessenberg<T: Scalar>(call: &Arguments<'_>) -> Outcome {
    let mut a = call.updated::<T>(0, 0, T::CODE)?;
    let mut scales = call.output::<T>(1, T::CODE)?;
    let info = call.integers(2)?;
    let (low, high) = (call.number("low")?, call.number("high")?);
    let (n, batches) = (a.size(0)?, a.batches(2)?);
    let position = |one: i64| usize::try_from(one).map_err(|_| BadCall);
    let (low, high) = (position(low - 1)?, position(high)?);
    let sizes = a.size(1)? == n
        && high <= n
        && low <= high
        && scales.data.len() == batches * n.saturating_sub(1)
        && info.data.len() == batches;
    sizes.then_some(()).ok_or(BadCall)?;
    for index in 0..batches {
        let scales = scales.batch(index, batches);
        scales.fill(T::ZERO);
        hessenberg_in_place(a.batch(index, batches), n, low..high, scales);
        info.data[index] = 0;
    }
    Ok(())
}

/// The same for one matrix.
pub fn hessenberg_in_place<T: Scalar>(
    matrix: &mut [T],
    n: usize,
    range: std::ops::Range<usize>,
    scales: &mut [T],
) {
    for at in range.start..range.end.saturating_sub(1) {
        let from = at * n + at + 1;
        let column = &mut matrix[from..at * n + range.end];
        let tau = reflector(column);
        scales[at] = tau;
        let tail = column[1..].to_vec();
        // Rows and columns beyond the range are zero where the reflector reaches.
        let rows = &mut matrix[..range.end * n];
        reflect_rows(&tail, tau, rows, n, at + 1);
        let rest = &mut matrix[(at + 1) * n..];
        reflect_columns(&tail, tau.bar(), rest, n, at + 1);
    }
}

/// `sytrd`, `hetrd`: diagonal, off-diagonal and the reflectors that make them.
pub fn tridiagonal<T: Scalar>(call: &Arguments<'_>) -> Outcome {
    let mut a = call.updated::<T>(0, 0, T::CODE)?;
    let mut diagonal = call.output::<T::Part>(1, T::REAL_CODE)?;
    let mut beside = call.output::<T::Part>(2, T::REAL_CODE)?;
    let mut scales = call.output::<T>(3, T::CODE)?;
    let info = call.integers(4)?;
    let lower = call.letter("uplo")? == b'L';
    let (n, batches) = (a.size(0)?, a.batches(2)?);
    let less = n.saturating_sub(1) * batches;
    let sizes = a.size(1)? == n
        && diagonal.data.len() == n * batches
        && beside.data.len() == less
        && scales.data.len() == less
        && info.data.len() == batches;
    sizes.then_some(()).ok_or(BadCall)?;
    // The upper triangle, read from its end, is a lower one.
    let place = |row: usize, column: usize| {
        if lower { column * n + row } else { (n - 1 - column) * n + n - 1 - row }
    };
    for index in 0..batches {
        let matrix = a.batch(index, batches);
        let mut work = vec![T::ZERO; n * n];
        for column in 0..n {
            for row in column..n {
                work[column * n + row] = matrix[place(row, column)];
            }
        }
        let own = (
            diagonal.batch(index, batches),
            beside.batch(index, batches),
            scales.batch(index, batches),
        );
        reduce_lower(&mut work, n, own.0, own.1, own.2);
        if !lower {
            own.0.reverse();
            own.1.reverse();
            own.2.reverse();
        }
        for column in 0..n {
            for row in column..n {
                matrix[place(row, column)] = work[column * n + row];
            }
        }
        info.data[index] = 0;
    }
    Ok(())
}

fn reduce_lower<T: Scalar>(
    a: &mut [T],
    n: usize,
    diagonal: &mut [T::Part],
    beside: &mut [T::Part],
    scales: &mut [T],
) {
    for at in 0..n {
        diagonal[at] = a[at * n + at].re();
        if at + 1 == n {
            break;
        }
        let column = &mut a[at * n + at + 1..(at + 1) * n];
        let tau = reflector(column);
        beside[at] = column[0].re();
        scales[at] = tau;
        let mut v = column.to_vec();
        v[0] = T::ONE;
        let (from, size) = (at + 1, n - at - 1);
        let mut x = vec![T::ZERO; size];
        for column in 0..size {
            let below = &a[(from + column) * n + from..(from + column + 1) * n];
            x[column] += T::real(below[column].re()) * v[column];
            for row in column + 1..size {
                x[row] += below[row] * v[column];
                x[column] += below[row].bar() * v[row];
            }
        }
        x.iter_mut().for_each(|one| *one *= tau);
        let mut product = T::ZERO;
        for (left, right) in x.iter().zip(&v) {
            product += left.bar() * *right;
        }
        let half = T::ONE / (T::ONE + T::ONE);
        let shift = -(half * tau * product);
        for (one, v) in x.iter_mut().zip(&v) {
            *one += shift * *v;
        }
        for column in 0..size {
            let below = &mut a[(from + column) * n + from..(from + column + 1) * n];
            for row in column..size {
                below[row] -= v[row] * x[column].bar() + x[row] * v[column].bar();
            }
        }
    }
}
