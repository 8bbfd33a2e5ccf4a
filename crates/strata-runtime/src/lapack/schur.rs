//! `gees` of complex matrices: the Schur decomposition by the QR iteration with one shift.

use super::{
    Arguments, BadCall, Outcome, arguments::Tensor, householder::form_in_place,
    reduce::hessenberg_in_place, scalar::Scalar,
};

/// Iterations for one eigenvalue, or a pair of them, after which the iteration gives up.
pub(super) const PATIENCE: usize = 60;

/// `gees`: the upper triangular form overwrites the matrix; the unitary transformation; the
/// eigenvalues, which are not sorted.
///
/// `info` is 1 where the iteration does not converge, as for elements that are not finite.
pub fn decompose<T>(call: &Arguments<'_>) -> Outcome
where
    T: Scalar<Part: Into<f64>>,
{
    decompose_each(call, |matrix, mut basis, n, [values]: &mut [&mut [T]; 1]| {
        if !iterate(matrix, &mut basis, n) {
            return None;
        }
        for (at, value) in values.iter_mut().enumerate() {
            *value = matrix[at * n + at];
        }
        Some(basis)
    })
}

/// Calls `form` with each matrix, in Hessenberg form, its basis, its size, and the positions of its eigenvalues:
/// `N` arrays. `form` gives the basis of the Schur form that it made of the matrix, or nothing if it failed.
pub(super) fn decompose_each<T: Scalar, const N: usize>(
    call: &Arguments<'_>,
    form: impl Fn(&mut [T], Vec<T>, usize, &mut [&mut [T]; N]) -> Option<Vec<T>>,
) -> Outcome {
    let mut a = call.updated::<T>(0, 0, T::CODE)?;
    let mut vectors = call.output::<T>(1, T::CODE)?;
    let mut values = Vec::with_capacity(N);
    for index in 2..2 + N {
        values.push(call.output::<T>(index, T::CODE)?);
    }
    let mut values: [Tensor<'_, T>; N] = values.try_into().map_err(|_| BadCall)?;
    let (selected, info) = (call.integers(2 + N)?, call.integers(3 + N)?);
    (call.letter("sort")? == b'N').then_some(()).ok_or(BadCall)?;
    let with_vectors = call.letter("mode")? == b'V';
    let (n, batches) = (a.size(0)?, a.batches(2)?);
    let sizes = a.size(1)? == n
        && info.data.len() == batches
        && selected.data.len() == batches
        && values.iter().all(|array| array.data.len() == batches * n)
        && (!with_vectors || vectors.data.len() == batches * n * n);
    sizes.then_some(()).ok_or(BadCall)?;
    for index in 0..batches {
        selected.data[index] = 0;
        let matrix = a.batch(index, batches);
        let mut positions = values.each_mut().map(|array| array.batch(index, batches));
        let is_finite = matrix.iter().all(|one| one.finite());
        let basis = is_finite.then(|| to_hessenberg(matrix, n));
        let basis = basis.and_then(|basis| form(matrix, basis, n, &mut positions));
        info.data[index] = i32::from(basis.is_none());
        if let Some(basis) = basis.filter(|_| with_vectors) {
            vectors.batch(index, batches).copy_from_slice(&basis);
        }
    }
    Ok(())
}

/// The Hessenberg form, which overwrites the matrix, and its basis.
fn to_hessenberg<T: Scalar>(matrix: &mut [T], n: usize) -> Vec<T> {
    let mut basis = vec![T::ZERO; n * n];
    let Some(less) = n.checked_sub(1) else { return basis };
    let mut scales = vec![T::ZERO; less];
    hessenberg_in_place(matrix, n, 0..n, &mut scales);
    let mut inner = vec![T::ZERO; less * less];
    for column in 0..less {
        for row in column + 1..less {
            let place = &mut matrix[column * n + row + 1];
            inner[column * less + row] = *place;
            *place = T::ZERO;
        }
    }
    form_in_place(&mut inner, less, less, &scales);
    basis[0] = T::ONE;
    for column in 0..less {
        for row in 0..less {
            basis[(column + 1) * n + row + 1] = inner[column * less + row];
        }
    }
    basis
}

/// Reduces a Hessenberg matrix to triangular form and updates `basis`; returns whether that succeeds.
fn iterate<T>(h: &mut [T], basis: &mut [T], n: usize) -> bool
where
    T: Scalar<Part: Into<f64>>,
{
    let size = |one: T| -> f64 { one.magnitude().into() };
    let precision = if size_of::<T::Part>() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON };
    let at = |row: usize, column: usize| column * n + row;
    let (mut last, mut tries) = (n.saturating_sub(1), 0);
    while last > 0 {
        let small = |row: usize, h: &[T]| {
            let beside = size(h[at(row, row)]) + size(h[at(row - 1, row - 1)]);
            size(h[at(row, row - 1)]) <= precision * beside
                || size(h[at(row, row - 1)]) < f64::from(f32::MIN_POSITIVE) * precision
        };
        let first = (1..=last).rev().find(|row| small(*row, h)).unwrap_or(0);
        if first > 0 {
            h[at(first, first - 1)] = T::ZERO;
        }
        if first == last {
            (last, tries) = (last - 1, 0);
            continue;
        }
        tries += 1;
        if tries > PATIENCE {
            return false;
        }
        let block = [
            h[at(last - 1, last - 1)],
            h[at(last - 1, last)],
            h[at(last, last - 1)],
            h[at(last, last)],
        ];
        // Now and then another shift, which breaks cycles.
        let shift = if tries % 10 == 0 {
            block[3] + T::real(block[2].magnitude())
        } else {
            nearest_eigenvalue(block)
        };
        step(h, basis, n, first..last + 1, shift);
    }
    true
}

/// The eigenvalue of a matrix of 2 by 2 that is nearest to its last element.
fn nearest_eigenvalue<T: Scalar>([a, b, c, d]: [T; 4]) -> T {
    let half = T::ONE / (T::ONE + T::ONE);
    let mean = (a - d) * half;
    let root = square_root(mean * mean + b * c);
    let (one, other) = (mean + root, mean - root);
    // The product of the two distances to d is -b c.
    let far = if one.square() >= other.square() { one } else { other };
    if far.square() == T::Part::ZERO { d } else { d - b * c / far }
}

fn square_root<T: Scalar>(value: T) -> T {
    let half = T::Part::ONE / (T::Part::ONE + T::Part::ONE);
    let magnitude = value.magnitude();
    if magnitude == T::Part::ZERO {
        return T::ZERO;
    }
    let re = T::root((magnitude + value.re()) * half);
    let im = T::root((magnitude - value.re()) * half);
    // Rounding may take the smaller one below zero.
    let clean = |part: T::Part| if part >= T::Part::ZERO { part } else { T::Part::ZERO };
    let sign = if value.im() < T::Part::ZERO { -T::Part::ONE } else { T::Part::ONE };
    T::new(clean(re), sign * clean(im))
}

/// One step of the QR iteration with `shift` on the rows and columns of `range`.
fn step<T: Scalar>(
    h: &mut [T],
    basis: &mut [T],
    n: usize,
    range: std::ops::Range<usize>,
    shift: T,
) {
    let at = |row: usize, column: usize| column * n + row;
    let first = range.start;
    let (mut x, mut y) = (h[at(first, first)] - shift, h[at(first + 1, first)]);
    for k in first..range.end - 1 {
        if k > first {
            (x, y) = (h[at(k, k - 1)], h[at(k + 1, k - 1)]);
        }
        let length = T::root(x.square() + y.square());
        if length == T::Part::ZERO {
            continue;
        }
        let scale = T::real(T::Part::ONE / length);
        let (c, s) = (x * scale, y * scale);
        for column in k.saturating_sub(usize::from(k > first))..n {
            let (upper, lower) = (h[at(k, column)], h[at(k + 1, column)]);
            h[at(k, column)] = c.bar() * upper + s.bar() * lower;
            h[at(k + 1, column)] = c * lower - s * upper;
        }
        for row in 0..range.end.min(k + 3) {
            rotate(h, at(row, k), at(row, k + 1), c, s);
        }
        for row in 0..n {
            rotate(basis, at(row, k), at(row, k + 1), c, s);
        }
    }
}

/// The rotation from the right, on one row.
fn rotate<T: Scalar>(values: &mut [T], left: usize, right: usize, c: T, s: T) {
    let (one, other) = (values[left], values[right]);
    values[left] = one * c + other * s;
    values[right] = other * c.bar() - one * s.bar();
}
