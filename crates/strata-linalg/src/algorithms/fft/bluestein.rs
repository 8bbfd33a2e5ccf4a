//! Transforms of a length with a large prime factor as a convolution (Bluestein): with `c[j]` = exp(-πi j² / n),
//!
//! ```text
//! X[k] = c[k] * sum over j of (c[j] x[j]) * conj c[k - j]
//! ```
//! The convolution runs over a power of two of at least `2 n - 1` points, in which the transform of `conj c` is a
//! constant.

use std::f64::consts::TAU;

use strata_ir::{Builder, TypeExt as _, Value, arith, linalg::IteratorType};
use strata_rewrite::{Guard as _, Outcome};
use strata_target::Target;

use super::{
    codelet::root_of_unity,
    cube_transform,
    panel::{Planes, table},
};
use crate::{
    dims::shape,
    generic::{Indexed, generic},
    lowerings::shape::{extract_slice, insert_slice},
};

/// The transform along the middle dimension of a cube of complex numbers, times `scale`.
pub fn transform<'c>(
    b: &Builder<'c>,
    target: &Target,
    cube: Value<'c>,
    inverse: bool,
    scale: f64,
) -> Outcome<Value<'c>> {
    let [before, n, inner] = shape(cube)?[..] else {
        return Err("the operand is not of rank 3".into());
    };
    let element = cube.ty().element();
    let part = element.complex_element().or_decline("the operand is not complex")?;
    let points = (2 * n as u64 - 1).next_power_of_two() as i64;
    let chirp: Vec<_> = (0..n)
        .map(|j| root_of_unity((i128::from(j) * i128::from(j) % i128::from(2 * n)) as i64, 2 * n))
        .collect();
    let mut kernel = vec![(0.0, 0.0); points as usize];
    for (j, (re, im)) in chirp.iter().enumerate() {
        kernel[j] = (*re, -*im);
        kernel[(points as usize - j) % points as usize] = (*re, -*im);
    }
    // Divided here by the number of points: the inverse transform below sums numbers of the result's size.
    let spectrum: Vec<_> = power_of_two_transform(&kernel)
        .into_iter()
        .map(|(re, im)| (re / points as f64, im / points as f64))
        .collect();
    let constant = |numbers: &[(f64, f64)]| -> Outcome<Planes<'c>> {
        let sizes = [numbers.len() as i64];
        Ok(Planes {
            re: table(b, part, &sizes, numbers.iter().map(|number| number.0))?,
            im: table(b, part, &sizes, numbers.iter().map(|number| number.1))?,
        })
    };
    let chirp = constant(&chirp)?;
    // An inverse transform is the conjugate of the transform of the conjugate.
    let modulated = product(b, cube, chirp, [inverse, false], 1.0)?;
    let zeros = b.filled(b.number(element, 0.0), &[before, points, inner]);
    let padded = insert_slice(b, modulated, zeros, &[0; 3], &[1; 3])?;
    let there = cube_transform(b, target, padded, false, 1.0)?;
    let filtered = product(b, there, constant(&spectrum)?, [false; 2], 1.0)?;
    let back = cube_transform(b, target, filtered, true, 1.0)?;
    let kept = extract_slice(b, back, &[0; 3], &[before, n, inner], &[1; 3]);
    product(b, kept, chirp, [false, inverse], scale)
}

/// The product of each line with the same numbers, optionally conjugated before and afterwards, times `scale`.
fn product<'c>(
    b: &Builder<'c>,
    cube: Value<'c>,
    factors: Planes<'c>,
    [before, after]: [bool; 2],
    scale: f64,
) -> Outcome<Value<'c>> {
    let from = [
        Indexed::identity(cube),
        Indexed::by(factors.re, 3, &[1]),
        Indexed::by(factors.im, 3, &[1]),
    ];
    let to = Indexed::identity(b.empty(&shape(cube)?, cube.ty().element()));
    let product = generic(b, &from, &[to], &[IteratorType::Parallel; 3], |b, args| {
        let (re, im) = b.parts(args[0])?;
        let im = if before { b.same(arith::NEGF, &[im]) } else { im };
        let times = |x, y| b.same(arith::MULF, &[x, y]);
        let mut x = b.same(arith::SUBF, &[times(re, args[1]), times(im, args[2])]);
        let mut y = b.same(arith::ADDF, &[times(re, args[2]), times(im, args[1])]);
        if scale != 1.0 {
            let scale = b.float(x.ty(), scale);
            (x, y) = (times(x, scale), times(y, scale));
        }
        Ok(vec![b.complex(x, if after { b.same(arith::NEGF, &[y]) } else { y })])
    })?;
    Ok(product[0])
}

/// The transform of a power of two of points, at compile time.
fn power_of_two_transform(x: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let n = x.len();
    let bits = n.trailing_zeros();
    let reversed =
        |index: usize| if bits == 0 { 0 } else { index.reverse_bits() >> (usize::BITS - bits) };
    let mut y: Vec<_> = (0..n).map(|index| x[reversed(index)]).collect();
    let mut half = 1;
    while half < n {
        let factors: Vec<_> = (0..half)
            .map(|k| (TAU * k as f64 / (2 * half) as f64).sin_cos())
            .map(|(sin, cos)| (cos, -sin))
            .collect();
        for start in (0..n).step_by(2 * half) {
            for (k, (cos, sin)) in factors.iter().enumerate() {
                let (a, b) = (y[start + k], y[start + k + half]);
                let b = (b.0 * cos - b.1 * sin, b.0 * sin + b.1 * cos);
                y[start + k] = (a.0 + b.0, a.1 + b.1);
                y[start + k + half] = (a.0 - b.0, a.1 - b.1);
            }
        }
        half *= 2;
    }
    y
}

#[cfg(test)]
mod tests {
    use super::power_of_two_transform;

    #[test]
    fn a_shifted_impulse_becomes_a_wave() {
        let wave = power_of_two_transform(&[(0.0, 0.0), (1.0, 0.0), (0.0, 0.0), (0.0, 0.0)]);
        let expected = [(1.0, 0.0), (0.0, -1.0), (-1.0, 0.0), (0.0, 1.0)];
        for (found, expected) in wave.iter().zip(expected) {
            assert!((found.0 - expected.0).abs() < 1e-15 && (found.1 - expected.1).abs() < 1e-15);
        }
    }
}
