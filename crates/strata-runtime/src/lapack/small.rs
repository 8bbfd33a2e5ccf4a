//! Small matrices: what methods for large ones do before they begin takes longer than all the arithmetic of these.

use std::array;

use super::scalar::Scalar;

/// Matrices up to this order are small: blocks of larger ones pay.
///
/// Measured on Rocket Lake: of this order a Cholesky factor with the product before it takes 0.54, a triangular system
/// 0.57 to 0.68, LU and two systems 0.6 of faer's time. Not measured above it.
pub const ORDER: usize = 16;

/// Matrices that are factored together, and elements of a column that are computed together.
const LANES: usize = 8;

/// `y - x * factor`.
fn subtract<T: Scalar>(y: &mut [T], x: &[T], factor: T) {
    const GROUP: usize = 4;
    let ((y, y_rest), (x, x_rest)) = (y.as_chunks_mut::<GROUP>(), x.as_chunks::<GROUP>());
    for (y, x) in y.iter_mut().zip(x) {
        *y = array::from_fn(|lane| y[lane] - x[lane] * factor);
    }
    for (y, x) in y_rest.iter_mut().zip(x_rest) {
        *y -= *x * factor;
    }
}

/// `a / b`; quotients of complex numbers by the inverse, which is scaled.
pub fn quotient<T: Scalar>(a: T, b: T) -> T {
    if T::CODE == T::REAL_CODE { a / b } else { a * T::recip_impl(&b) }
}

/// Cholesky factors of some matrices at a time, one in each lane: rows of the lower factors, one after another.
pub struct Factors<T> {
    order: usize,
    rows: Vec<[T; LANES]>,
}

impl<T: Scalar> Factors<T> {
    /// For matrices of `order` rows.
    pub fn new(order: usize) -> Self {
        Self { order, rows: vec![[T::ZERO; LANES]; order * order] }
    }

    /// Replaces one triangle of each of the matrices, which follow each other in column-major order, by its factor, and says at
    /// which pivot that failed: it was not positive, or not finite. Such matrices stay.
    pub fn replace(&mut self, matrices: &mut [T], lower: bool, info: &mut [i32]) {
        let size = self.order * self.order;
        if size == 0 {
            return info.fill(0);
        }
        for (group, info) in matrices.chunks_mut(size * LANES).zip(info.chunks_mut(LANES)) {
            self.fill(group, lower);
            let failed = self.compute();
            for ((matrix, info), lane) in group.chunks_exact_mut(size).zip(info).zip(0..) {
                *info = failed[lane];
                if failed[lane] == 0 {
                    self.store(matrix, lower, lane);
                }
            }
        }
    }

    /// Where an element of the lower factor is in a matrix: the upper factor is the conjugate transpose.
    fn place(&self, row: usize, column: usize, lower: bool) -> usize {
        if lower { column * self.order + row } else { row * self.order + column }
    }

    /// Lanes for which there is no matrix have the last one's elements.
    fn fill(&mut self, group: &[T], lower: bool) {
        let (n, size) = (self.order, self.order * self.order);
        let last = group.len() / size - 1;
        for row in 0..n {
            for column in 0..=row {
                let place = self.place(row, column, lower);
                let read = |lane: usize| group[lane.min(last) * size + place];
                self.rows[row * n + column] = match lower {
                    true => array::from_fn(read),
                    false => array::from_fn(|lane| read(lane).bar()),
                };
            }
        }
    }

    fn store(&self, matrix: &mut [T], lower: bool, lane: usize) {
        for row in 0..self.order {
            for column in 0..=row {
                let value = self.rows[row * self.order + column][lane];
                let place = self.place(row, column, lower);
                matrix[place] = if lower { value } else { value.bar() };
            }
        }
    }

    /// For each lane the first pivot that is not one, counted from 1, or 0. Lanes after that hold nothing of use.
    fn compute(&mut self) -> [i32; LANES] {
        let n = self.order;
        let mut failed = [0; LANES];
        for row in 0..n {
            let (before, own) = self.rows.split_at_mut(row * n);
            for (column, other) in before.chunks_exact(n).enumerate() {
                let root = other[column];
                let value = rest(own[column], &own[..column], &other[..column]);
                own[column] = array::from_fn(|lane| {
                    let (value, root) = (value[lane], root[lane].re());
                    T::new(value.re() / root, value.im() / root)
                });
            }
            let pivot = rest(own[row], &own[..row], &own[..row]);
            for ((pivot, failed), own) in pivot.iter().zip(&mut failed).zip(&mut own[row]) {
                let root = T::root(pivot.re());
                if *failed == 0 && !(pivot.re() > T::Part::ZERO && root.finite()) {
                    *failed = row as i32 + 1;
                }
                *own = T::real(root);
            }
        }
        failed
    }
}

/// `value - sum of x * conj(y)`, in each lane.
#[inline(always)]
fn rest<T: Scalar>(value: [T; LANES], x: &[[T; LANES]], y: &[[T; LANES]]) -> [T; LANES] {
    x.iter()
        .zip(y)
        .fold(value, |all, (x, y)| array::from_fn(|lane| all[lane] - x[lane] * y[lane].bar()))
}

/// A triangle in column-major order, and what a system takes as its coefficients.
#[derive(Clone, Copy)]
pub struct Triangle<'a, T> {
    /// The elements of both triangles.
    pub elements: &'a [T],
    /// The number of rows.
    pub order: usize,
    /// Whether the lower triangle holds the coefficients.
    pub lower: bool,
    /// Whether the diagonal is ones.
    pub unit: bool,
    /// Whether rows are columns.
    pub transposed: bool,
    /// Whether elements are conjugated.
    pub conjugated: bool,
}

impl<T: Scalar> Triangle<'_, T> {
    /// Solves for the columns of `b`, with room for a matrix.
    pub fn solve(mut self, room: &mut Vec<T>, b: &mut [T]) {
        let n = self.order;
        if self.transposed || self.conjugated {
            room.resize(n * n, T::ZERO);
            for column in 0..n {
                let rows = if self.lower { column..n } else { 0..column + 1 };
                for row in rows {
                    let value = self.elements[column * n + row];
                    let place = if self.transposed { row * n + column } else { column * n + row };
                    room[place] = if self.conjugated { value.bar() } else { value };
                }
            }
            self.lower = self.lower != self.transposed;
            return self.plain(room, b);
        }
        self.plain(self.elements, b);
    }

    fn plain(&self, elements: &[T], b: &mut [T]) {
        let n = self.order;
        for step in 0..n {
            let k = if self.lower { step } else { n - 1 - step };
            let others = if self.lower { k + 1..n } else { 0..k };
            let column = &elements[k * n..(k + 1) * n];
            for x in b.chunks_exact_mut(n) {
                if !self.unit {
                    x[k] = quotient(x[k], column[k]);
                }
                let known = x[k];
                subtract(&mut x[others.clone()], &column[others.clone()], known);
            }
        }
    }
}

/// The transpose of a matrix in column-major order.
pub fn transpose<T: Scalar>(from: &[T], rows: usize, to: &mut [T]) {
    let columns = from.len() / rows.max(1);
    for (at, column) in from.chunks_exact(rows.max(1)).enumerate() {
        for (row, value) in column.iter().enumerate() {
            to[row * columns + at] = *value;
        }
    }
}

/// L and U with exchanges of rows, and for each row the one that it was exchanged with, counted from 1; a column without a pivot
/// is skipped.
pub fn lu<T: Scalar>(matrix: &mut [T], rows: usize, pivots: &mut [i32]) {
    for (at, place) in pivots.iter_mut().enumerate() {
        let size = |value: T| value.re().magnitude() + value.im().magnitude();
        let column = &matrix[at * rows..(at + 1) * rows];
        let mut pivot = at;
        for row in at + 1..rows {
            if size(column[row]) > size(column[pivot]) {
                pivot = row;
            }
        }
        *place = pivot as i32 + 1;
        let value = column[pivot];
        if value == T::ZERO {
            continue;
        }
        if pivot != at {
            for column in matrix.chunks_exact_mut(rows) {
                column.swap(at, pivot);
            }
        }
        let (left, right) = matrix.split_at_mut((at + 1) * rows);
        let factors = &mut left[at * rows + at + 1..];
        factors.iter_mut().for_each(|one| *one = quotient(*one, value));
        for column in right.chunks_exact_mut(rows) {
            let factor = column[at];
            subtract(&mut column[at + 1..], factors, factor);
        }
    }
}
