//! `tridiagonal_solve_perturbed_ffi`: tridiagonal systems whose matrix may be singular.
//!
//! The matrix is factored with row exchanges decided on scaled rows, as LAPACK's `lagtf` does. A pivot over
//! which a solution would overflow is perturbed away from zero, as `lagts` can: by the precision times the
//! largest element of the upper factor, doubled until the quotient is finite.

use num_complex::Complex;

use super::{Arguments, BadCall, Outcome, scalar::Scalar};

/// Solves for the element type of the right-hand side.
pub fn solve(call: &Arguments<'_>) -> Outcome {
    solve_as::<f32>(call)
        .or_else(|_| solve_as::<f64>(call))
        .or_else(|_| solve_as::<Complex<f32>>(call))
        .or_else(|_| solve_as::<Complex<f64>>(call))
}

fn solve_as<T: Scalar>(call: &Arguments<'_>) -> Outcome {
    let (lower, _) = call.input::<T>(0, T::CODE)?;
    let (diagonal, _) = call.input::<T>(1, T::CODE)?;
    let (upper, _) = call.input::<T>(2, T::CODE)?;
    let mut b = call.updated::<T>(3, 0, T::CODE)?;
    let (n, batches) = (b.size(1)?, b.batches(2)?);
    let sizes = [&lower, &diagonal, &upper].iter().all(|one| one.len() == batches * n);
    sizes.then_some(()).ok_or(BadCall)?;
    if n == 0 {
        return Ok(());
    }
    for index in 0..batches {
        let band = |all: &[T]| all[index * n..][..n].to_vec();
        let factors = Factors::of(&band(&lower)[1..], band(&diagonal), band(&upper));
        for x in b.batch(index, batches).chunks_exact_mut(n) {
            factors.solve(x);
        }
    }
    Ok(())
}

/// `P A = L U` of a tridiagonal matrix.
struct Factors<T: Scalar> {
    /// The multiplier of each step, and whether its two rows were exchanged.
    steps: Vec<(T, bool)>,
    /// The three diagonals of U, each of the length of the main one.
    diagonals: [Vec<T>; 3],
    /// The perturbation of a pivot.
    tolerance: T::Part,
}

impl<T: Scalar> Factors<T> {
    fn of(below: &[T], mut a: Vec<T>, mut b: Vec<T>) -> Self {
        let n = a.len();
        b[n - 1] = T::ZERO;
        let mut d = vec![T::ZERO; n];
        let mut steps = Vec::with_capacity(n - 1);
        let mut scale = a[0].magnitude() + b[0].magnitude();
        for at in 0..n - 1 {
            let c = below[at];
            let next_scale = c.magnitude() + a[at + 1].magnitude() + b[at + 1].magnitude();
            let zero = T::Part::ZERO;
            let here = if a[at] == T::ZERO { zero } else { a[at].magnitude() / scale };
            if c == T::ZERO {
                scale = next_scale;
                steps.push((T::ZERO, false));
            } else if c.magnitude() / next_scale <= here {
                scale = next_scale;
                let factor = c / a[at];
                a[at + 1] -= factor * b[at];
                steps.push((factor, false));
            } else {
                scale /= next_scale;
                let factor = a[at] / c;
                let held = a[at + 1];
                a[at] = c;
                a[at + 1] = b[at] - factor * held;
                d[at] = b[at + 1];
                b[at + 1] = -(factor * d[at]);
                b[at] = held;
                steps.push((factor, true));
            }
        }
        let larger = |most: T::Part, one: &T| {
            let size = one.magnitude();
            if size > most { size } else { most }
        };
        let largest = a.iter().chain(&b).chain(&d).fold(T::Part::ZERO, larger);
        let least = T::EPSILON * largest;
        let tiny = T::TINY;
        let tolerance = if least > tiny { least } else { tiny };
        Self { steps, diagonals: [a, b, d], tolerance }
    }

    fn solve(&self, x: &mut [T]) {
        for (at, (factor, exchanged)) in self.steps.iter().enumerate() {
            if *exchanged {
                x.swap(at, at + 1);
            }
            let above = x[at];
            x[at + 1] -= *factor * above;
        }
        let [a, b, d] = &self.diagonals;
        for at in (0..x.len()).rev() {
            let mut value = x[at];
            if let Some(next) = x.get(at + 1) {
                value -= b[at] * *next;
            }
            if let Some(next) = x.get(at + 2) {
                value -= d[at] * *next;
            }
            x[at] = self.quotient(value, a[at]);
        }
    }

    /// `value / pivot`, with a pivot that keeps it finite.
    fn quotient(&self, value: T, mut pivot: T) -> T {
        let tiny = T::TINY;
        let one = T::Part::ONE;
        let mut step = self.tolerance;
        if pivot.is_negative() {
            step = -step;
        }
        // Terminates: the step doubles until the pivot is as large as one.
        while value.finite() && pivot.finite() && pivot.magnitude() < one {
            let size = pivot.magnitude();
            let overflows = size == T::Part::ZERO || value.magnitude() * tiny > size;
            if !overflows {
                break;
            }
            pivot += T::real(step);
            step = step + step;
        }
        value / pivot
    }
}
