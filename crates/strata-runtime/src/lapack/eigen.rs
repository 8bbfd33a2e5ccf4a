//! `syevd`, `heevd` and `geev`.

use faer::{Mat, MatRef, Side};
use num_complex::Complex;

use super::{
    Arguments, BadCall, Outcome,
    scalar::{Scalar, normalise},
};

/// Eigenvalues and eigenvectors, in columns.
type Eigen<R> = (Vec<Complex<R>>, Mat<Complex<R>>);

/// The differences between real and complex matrices.
pub trait General: Scalar {
    /// The eigenvalues and right eigenvectors of a matrix in column-major order; `None` where the
    /// iteration does not converge.
    fn eigen(matrix: &[Self], n: usize) -> Option<Eigen<Self::Part>>;
}

macro_rules! general {
    ($($real:ty),*) => { $(
        impl General for $real {
            fn eigen(matrix: &[Self], n: usize) -> Option<Eigen<$real>> {
                let found = MatRef::from_column_major_slice(matrix, n, n).eigen().ok()?;
                Some(((0..n).map(|at| found.S()[at]).collect(), found.U().to_owned()))
            }
        }

        impl General for Complex<$real> {
            /// A matrix of real numbers is one: its conjugate eigenvalues are so exactly, and the one with a positive imaginary
            /// part is first, as those that LAPACK finds.
            fn eigen(matrix: &[Self], n: usize) -> Option<Eigen<$real>> {
                if matrix.iter().all(|one| one.im == 0.0) {
                    let real: Vec<$real> = matrix.iter().map(|one| one.re).collect();
                    return General::eigen(&real, n);
                }
                let found = MatRef::from_column_major_slice(matrix, n, n).eigen().ok()?;
                Some(((0..n).map(|at| found.S()[at]).collect(), found.U().to_owned()))
            }
        }
    )* };
}

general! { f32, f64 }

/// `syevd`, `heevd`: eigenvalues in ascending order, eigenvectors overwrite the matrix.
///
/// `info` is 1 where the iteration does not converge, as for elements that are not finite.
pub fn hermitian<T: Scalar>(call: &Arguments<'_>) -> Outcome {
    let mut a = call.updated::<T>(0, 0, T::CODE)?;
    let mut values = call.output::<T::Part>(1, T::REAL_CODE)?;
    let info = call.integers(2)?;
    let lower = call.letter("uplo")? == b'L';
    let with_vectors = call.letter("mode")? == b'V';
    let (n, batches) = (a.size(0)?, a.batches(2)?);
    let sizes = a.size(1)? == n && values.data.len() == n * batches && info.data.len() == batches;
    sizes.then_some(()).ok_or(BadCall)?;
    if n == 0 {
        info.data.fill(0);
        return Ok(());
    }
    for index in 0..batches {
        let (matrix, values) = (a.batch(index, batches), values.batch(index, batches));
        let side = if lower { Side::Lower } else { Side::Upper };
        let finite = matrix.iter().all(|one| one.finite());
        let scale = if finite { normalise(matrix) } else { T::Part::ONE };
        let view = MatRef::from_column_major_slice(matrix, n, n);
        let found = finite.then(|| view.self_adjoint_eigen(side).ok()).flatten();
        let Some(found) = found else {
            info.data[index] = 1;
            continue;
        };
        info.data[index] = 0;
        for (at, value) in values.iter_mut().enumerate() {
            *value = found.S()[at].re() * scale;
        }
        if with_vectors {
            for column in 0..n {
                for row in 0..n {
                    matrix[column * n + row] = found.U()[(row, column)];
                }
            }
        }
    }
    Ok(())
}

/// `geev`: eigenvalues (for real matrices separate real and imaginary parts), left and right eigenvectors
/// of norm 1 whose largest component is real.
pub fn general<T: General>(call: &Arguments<'_>) -> Outcome
where
    Complex<T::Part>: Scalar<Part = T::Part>,
{
    let (a, shape) = call.input::<T>(0, T::CODE)?;
    let [.., n, columns] = shape[..] else { return Err(BadCall) };
    let batches = shape[..shape.len() - 2].iter().product();
    let split = T::CODE == T::REAL_CODE;
    let first = usize::from(split) + 1;
    let complex = <Complex<T::Part> as Scalar>::CODE;
    let mut left = call.output::<Complex<T::Part>>(first, complex)?;
    let mut right = call.output::<Complex<T::Part>>(first + 1, complex)?;
    let info = call.integers(first + 2)?;
    let with_left = call.letter("compute_left")? == b'V';
    let with_right = call.letter("compute_right")? == b'V';
    (n == columns && info.data.len() == batches).then_some(()).ok_or(BadCall)?;
    let size = n * n;
    let held = |wanted: bool, len: usize| !wanted || len == batches * size;
    let sizes = held(with_left, left.data.len()) && held(with_right, right.data.len());
    sizes.then_some(()).ok_or(BadCall)?;
    for index in 0..batches {
        let matrix = &a[index * size..(index + 1) * size];
        let finite = matrix.iter().all(|one| one.finite());
        let found = finite.then(|| T::eigen(matrix, n)).flatten();
        info.data[index] = i32::from(found.is_none());
        let Some((values, vectors)) = found else { continue };
        write_values::<T>(call, split, index, &values)?;
        if with_right {
            store(&normalised(&vectors), right.batch(index, batches));
        }
        if with_left {
            match left_vectors(matrix, n, &values) {
                Some(vectors) => store(&normalised(&vectors), left.batch(index, batches)),
                None => info.data[index] = 1,
            }
        }
    }
    Ok(())
}

fn write_values<T: Scalar>(
    call: &Arguments<'_>,
    split: bool,
    index: usize,
    values: &[Complex<T::Part>],
) -> Outcome
where
    Complex<T::Part>: Scalar<Part = T::Part>,
{
    let n = values.len();
    if !split {
        let complex = <Complex<T::Part> as Scalar>::CODE;
        let all = call.output::<Complex<T::Part>>(0, complex)?;
        all.data.get_mut(index * n..(index + 1) * n).ok_or(BadCall)?.copy_from_slice(values);
        return Ok(());
    }
    let re = call.output::<T::Part>(0, T::REAL_CODE)?;
    let im = call.output::<T::Part>(1, T::REAL_CODE)?;
    let re = re.data.get_mut(index * n..(index + 1) * n).ok_or(BadCall)?;
    let im = im.data.get_mut(index * n..(index + 1) * n).ok_or(BadCall)?;
    for (at, value) in values.iter().enumerate() {
        (re[at], im[at]) = (value.re, value.im);
    }
    Ok(())
}

/// The left eigenvectors: those of the adjoint matrix, each matched to the eigenvalue nearest to the conjugate of its own. (The
/// inverse of the right ones has them as rows too, but there is none where an eigenvalue has too few eigenvectors.)
fn left_vectors<T: General>(
    matrix: &[T],
    n: usize,
    values: &[Complex<T::Part>],
) -> Option<Mat<Complex<T::Part>>>
where
    Complex<T::Part>: Scalar<Part = T::Part>,
{
    let adjoint: Vec<T> = (0..n * n).map(|at| matrix[at % n * n + at / n].bar()).collect();
    let (found, vectors) = T::eigen(&adjoint, n)?;
    let mut free: Vec<usize> = (0..n).collect();
    let mut order = Vec::with_capacity(n);
    for value in values {
        let distance = |column: usize| (found[column].bar() - *value).square();
        let nearest = (1..free.len())
            .fold(0, |best, at| if distance(free[at]) < distance(free[best]) { at } else { best });
        order.push(free.remove(nearest));
    }
    Some(Mat::from_fn(n, n, |row, column| vectors[(row, order[column])]))
}

/// Normalises columns to norm 1 with a real largest component.
fn normalised<T: Scalar>(vectors: &Mat<T>) -> Mat<T> {
    let mut result = vectors.clone();
    for column in 0..result.ncols() {
        let (mut sum, mut largest) = (T::Part::ZERO, T::ZERO);
        for row in 0..result.nrows() {
            let value = result[(row, column)];
            sum += value.square();
            if value.square() > largest.square() {
                largest = value;
            }
        }
        if sum == T::Part::ZERO {
            continue;
        }
        let scale = largest.bar() * T::real(T::Part::ONE / (largest.magnitude() * T::root(sum)));
        // A real vector keeps its sign.
        let scale = if largest.im() == T::Part::ZERO {
            T::real(T::Part::ONE / T::root(sum))
        } else {
            scale
        };
        for row in 0..result.nrows() {
            result[(row, column)] *= scale;
        }
    }
    result
}

fn store<T: Scalar>(matrix: &Mat<T>, into: &mut [T]) {
    let rows = matrix.nrows();
    for column in 0..matrix.ncols() {
        for row in 0..rows {
            into[column * rows + row] = matrix[(row, column)];
        }
    }
}
