//! `gees` of real matrices: the Schur decomposition by the QR iteration with two shifts, after Francis.
//!
//! Blocks of 2 by 2 on the diagonal have equal diagonal elements and off-diagonal ones of opposite signs: each
//! stands for a pair of complex eigenvalues. Pairs of real ones are split.

use std::ops::Range;

use super::{
    Arguments, Outcome,
    scalar::Scalar,
    schur::{PATIENCE, decompose_each},
};

/// `gees`: the quasi-triangular form overwrites the matrix; the orthogonal transformation; the real and the
/// imaginary parts of the eigenvalues, which are not sorted.
///
/// `info` is 1 where the iteration does not converge, as for elements that are not finite.
pub fn decompose<T>(call: &Arguments<'_>) -> Outcome
where
    T: Scalar<Part = T> + PartialOrd + Into<f64>,
{
    decompose_each(call, |h, basis, n, [re, im]: &mut [&mut [T]; 2]| {
        let mut form = Form { h, basis, n };
        let converges = form.iterate();
        if converges {
            form.eigenvalues(re, im);
        }
        converges.then_some(form.basis)
    })
}

fn precision<T>() -> f64 {
    if size_of::<T>() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// A matrix during the iteration, and its basis; both in column-major order.
struct Form<'a, T> {
    h: &'a mut [T],
    basis: Vec<T>,
    n: usize,
}

impl<T> Form<'_, T>
where
    T: Scalar<Part = T> + PartialOrd + Into<f64>,
{
    fn at(&self, row: usize, column: usize) -> T {
        self.h[column * self.n + row]
    }

    fn set(&mut self, row: usize, column: usize, value: T) {
        self.h[column * self.n + row] = value;
    }

    /// Whether the element left of the diagonal in `row` counts as zero.
    fn is_small(&self, row: usize) -> bool {
        let size = |row, column| -> f64 { self.at(row, column).magnitude().into() };
        let beside = size(row, row) + size(row - 1, row - 1);
        let below = size(row, row - 1);
        below <= precision::<T>() * beside
            || below < f64::from(f32::MIN_POSITIVE) * precision::<T>()
    }

    /// Reduces a Hessenberg matrix to the form; returns whether that succeeds.
    fn iterate(&mut self) -> bool {
        let (mut end, mut tries) = (self.n, 0);
        while end > 1 {
            let last = end - 1;
            let first = (1..=last).rev().find(|row| self.is_small(*row)).unwrap_or(0);
            if first > 0 {
                self.set(first, first - 1, T::ZERO);
            }
            match end - first {
                1 => (end, tries) = (first, 0),
                2 => {
                    self.split(first);
                    (end, tries) = (first, 0);
                }
                _ if tries == PATIENCE => return false,
                _ => {
                    tries += 1;
                    self.step(first..end, tries % 10 == 0);
                }
            }
        }
        true
    }

    /// One step of the iteration on the rows and columns of `range`, at least three. The shifts are the eigenvalues of the
    /// last block; others now and then, which breaks cycles.
    fn step(&mut self, range: Range<usize>, other_shifts: bool) {
        let (first, last) = (range.start, range.end - 1);
        let (mut sum, mut product) = (
            self.at(last - 1, last - 1) + self.at(last, last),
            self.at(last - 1, last - 1) * self.at(last, last)
                - self.at(last - 1, last) * self.at(last, last - 1),
        );
        if other_shifts {
            let size =
                self.at(last, last - 1).magnitude() + self.at(last - 1, last - 2).magnitude();
            (sum, product) = (size + size, size * size);
        }
        let corner = self.at(first, first);
        let below = self.at(first + 1, first);
        // The first column of (H - a)(H - b), of which three elements are not zero.
        let mut bulge = [
            corner * corner + self.at(first, first + 1) * below - sum * corner + product,
            below * (corner + self.at(first + 1, first + 1) - sum),
            below * self.at(first + 2, first + 1),
        ];
        for k in first..last {
            let count = if k + 2 <= last { 3 } else { 2 };
            if k > first {
                bulge = [
                    self.at(k, k - 1),
                    self.at(k + 1, k - 1),
                    if count == 3 { self.at(k + 2, k - 1) } else { T::ZERO },
                ];
            }
            let columns = k.saturating_sub(usize::from(k > first))..self.n;
            self.reflect(&bulge[..count], k, columns, (k + 4).min(range.end));
            if k > first {
                for row in k + 1..k + count {
                    self.set(row, k - 1, T::ZERO);
                }
            }
        }
    }

    /// The reflection that takes `vector` to a multiple of the first unit vector, on the rows from `first` on in `columns`, and
    /// on the columns from `first` on in the first `rows` rows and in the basis.
    fn reflect(&mut self, vector: &[T], first: usize, columns: Range<usize>, rows: usize) {
        let largest = vector.iter().map(|one| one.magnitude());
        let largest = largest.fold(T::ZERO, |most, one| if one > most { one } else { most });
        if largest == T::ZERO {
            return;
        }
        let mut v = [T::ZERO; 3];
        vector.iter().zip(&mut v).for_each(|(from, to)| *to = *from / largest);
        let squares = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        let length = T::root(squares);
        v[0] += if v[0] < T::ZERO { -length } else { length };
        let norm = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        let twice = (T::ONE + T::ONE) / norm;
        let n = self.n;
        let count = vector.len();
        let apply = |data: &mut [T], start: usize, stride: usize| {
            let dot = (0..count).fold(T::ZERO, |sum, i| sum + v[i] * data[start + i * stride]);
            (0..count).for_each(|i| data[start + i * stride] -= twice * dot * v[i]);
        };
        columns.for_each(|column| apply(self.h, column * n + first, 1));
        (0..rows).for_each(|row| apply(self.h, first * n + row, n));
        (0..n).for_each(|row| apply(&mut self.basis, first * n + row, n));
    }

    /// Brings the block of 2 by 2 at `first` into the form.
    fn split(&mut self, first: usize) {
        let next = first + 1;
        let [a, b, c, d] = self.block(first);
        let two = T::ONE + T::ONE;
        let half = (a - d) / two;
        // Scaled, so that squares stay in range.
        let scale = [half, b, c].into_iter().map(|one| one.magnitude());
        let scale = scale.fold(T::ZERO, |most, one| if one > most { one } else { most });
        if c == T::ZERO || scale == T::ZERO {
            return;
        }
        let (p, q, r) = (half / scale, b / scale, c / scale);
        let discriminant = p * p + q * r;
        if discriminant >= T::ZERO {
            // The eigenvector of the eigenvalue further from d: (z, c), which becomes the first of the basis.
            let root = T::root(discriminant);
            let z = if p < T::ZERO { p - root } else { p + root };
            let length = T::root(z * z + r * r);
            self.rotate(first, z / length, r / length);
            self.set(next, first, T::ZERO);
            return;
        }
        // By half the angle at which the difference of the diagonal elements vanishes.
        let (difference, sum) = (p + p, q + r);
        let length = T::root(difference * difference + sum * sum);
        if length == T::ZERO {
            return;
        }
        let cosine = T::root((T::ONE + sum.magnitude() / length) / two);
        let sine = difference / (length * cosine * two);
        self.rotate(first, cosine, if sum < T::ZERO { sine } else { -sine });
        let [a, _, _, d] = self.block(first);
        let mean = (a + d) / two;
        self.set(first, first, mean);
        self.set(next, next, mean);
    }

    fn block(&self, first: usize) -> [T; 4] {
        let next = first + 1;
        [self.at(first, first), self.at(first, next), self.at(next, first), self.at(next, next)]
    }

    /// The rotation of the rows and columns `first` and the next one.
    fn rotate(&mut self, first: usize, cosine: T, sine: T) {
        let n = self.n;
        let apply = |data: &mut [T], one: usize, other: usize| {
            let (x, y) = (data[one], data[other]);
            data[one] = cosine * x + sine * y;
            data[other] = cosine * y - sine * x;
        };
        (first..n).for_each(|column| apply(self.h, column * n + first, column * n + first + 1));
        (0..first + 2).for_each(|row| apply(self.h, first * n + row, (first + 1) * n + row));
        (0..n).for_each(|row| apply(&mut self.basis, first * n + row, (first + 1) * n + row));
    }

    /// The eigenvalues; of a pair first the one with a positive imaginary part.
    fn eigenvalues(&self, re: &mut [T], im: &mut [T]) {
        for at in 0..self.n {
            (re[at], im[at]) = (self.at(at, at), T::ZERO);
        }
        for first in 0..self.n.saturating_sub(1) {
            let [_, b, c, _] = self.block(first);
            if c != T::ZERO {
                let part = T::root(b.magnitude()) * T::root(c.magnitude());
                (im[first], im[first + 1]) = (part, -part);
            }
        }
    }
}
