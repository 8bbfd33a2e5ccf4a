//! fft: discrete Fourier transforms of any length, in `f64`.

use std::f64::consts::TAU;

use num_complex::Complex64;

use crate::{
    element::{Element, ElementType},
    error::{EvalError, Result},
    tensor::Tensor,
};

/// The kind of transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FftType {
    /// Forward, complex to complex.
    Fft,
    /// Inverse, complex to complex, divided by the length.
    Ifft,
    /// Forward, real to the first half of the complex result.
    Rfft,
    /// Inverse of [`FftType::Rfft`].
    Irfft,
}

impl FftType {
    /// The kind with that name (`FFT`, `IFFT`, `RFFT`, `IRFFT`).
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "FFT" => FftType::Fft,
            "IFFT" => FftType::Ifft,
            "RFFT" => FftType::Rfft,
            "IRFFT" => FftType::Irfft,
            _ => return None,
        })
    }
}

/// `e` to the power of `-2 pi i numerator / denominator`.
fn root(numerator: usize, denominator: usize, inverse: bool) -> Complex64 {
    // Exact in the first octant's multiples, where sine and cosine of a rounded angle are not.
    let angle = TAU * ((numerator % denominator) as f64 / denominator as f64);
    let (sine, cosine) = match (numerator % denominator) * 4 {
        0 => (0.0, 1.0),
        n if n == denominator => (1.0, 0.0),
        n if n == 2 * denominator => (0.0, -1.0),
        n if n == 3 * denominator => (-1.0, 0.0),
        _ => angle.sin_cos(),
    };
    Complex64::new(cosine, if inverse { sine } else { -sine })
}

fn smallest_factor(n: usize) -> usize {
    (2..)
        .take_while(|factor| factor * factor <= n)
        .find(|factor| n.is_multiple_of(*factor))
        .unwrap_or(n)
}

/// The sums of `values[j] * exp(-2 pi i j k / n)` by splitting off the smallest prime factor.
fn transform(values: &[Complex64], inverse: bool) -> Vec<Complex64> {
    let n = values.len();
    if n < 2 {
        return values.to_vec();
    }
    let p = smallest_factor(n);
    let m = n / p;
    let parts: Vec<Vec<Complex64>> = (0..p)
        .map(|r| {
            let part: Vec<Complex64> = values.iter().skip(r).step_by(p).copied().collect();
            transform(&part, inverse)
        })
        .collect();
    (0..n).map(|k| (0..p).map(|r| root(r * k, n, inverse) * parts[r][k % m]).sum()).collect()
}

/// The longest line of [`without_zeros`], whose time is quadratic.
const LONGEST: usize = 4096;

/// Sums of [`LONGEST`] numbers up to this one do not overflow.
const LARGE: f64 = 1e300;

/// The scale of larger ones, a power of two.
const SMALLER: f64 = 1.0 / (1_u64 << 32) as f64;

/// The same sums in which a product with zero is zero, also of infinity and NaN, where `values` have any: what an
/// implementation gives that leaves such products out.
fn without_zeros(values: &[Complex64], inverse: bool) -> Vec<Complex64> {
    let n = values.len();
    let is_large = |value: &Complex64| value.re.abs() > LARGE || value.im.abs() > LARGE;
    if n <= LONGEST && values.iter().any(|value| value.is_finite() && is_large(value)) {
        // Partial sums in another order may stay below the largest number.
        let smaller: Vec<Complex64> = values.iter().map(|value| value * SMALLER).collect();
        let sums = products(&smaller, inverse);
        return sums.into_iter().map(|sum| sum / SMALLER).collect();
    }
    if n > LONGEST || values.iter().all(|value| value.is_finite()) {
        return transform(values, inverse);
    }
    products(values, inverse)
}

/// The sums, term by term, where a product with zero is zero.
fn products(values: &[Complex64], inverse: bool) -> Vec<Complex64> {
    let n = values.len();
    let product = |a: f64, b: f64| if a == 0.0 { 0.0 } else { a * b };
    let term = |k: usize, j: usize| {
        let (root, value) = (root(j * k, n, inverse), values[j]);
        Complex64::new(
            product(root.re, value.re) - product(root.im, value.im),
            product(root.re, value.im) + product(root.im, value.re),
        )
    };
    (0..n).map(|k| (0..n).map(|j| term(k, j)).sum()).collect()
}

/// The sums of one line.
type Sums = fn(&[Complex64], bool) -> Vec<Complex64>;

/// Transforms every line along `dimension` of a row-major array.
fn along(values: &mut [Complex64], shape: &[usize], dimension: usize, inverse: bool, sums: Sums) {
    let n = shape[dimension];
    let stride: usize = shape[dimension + 1..].iter().product();
    let lines = values.len().checked_div(n).unwrap_or(0);
    for line in 0..lines {
        let base = line / stride * stride * n + line % stride;
        let input: Vec<Complex64> = (0..n).map(|at| values[base + at * stride]).collect();
        let scale = if inverse { n as f64 } else { 1.0 };
        for (at, value) in sums(&input, inverse).into_iter().enumerate() {
            values[base + at * stride] = value / scale;
        }
    }
}

/// Transforms the last `lengths.len()` dimensions.
pub fn fft(operand: &Tensor, kind: FftType, lengths: &[usize]) -> Result<Tensor> {
    fft_by(operand, kind, lengths, transform)
}

/// The same without products with zero, which are NaN of infinity and NaN.
pub(crate) fn fft_without_zeros(
    operand: &Tensor,
    kind: FftType,
    lengths: &[usize],
) -> Result<Tensor> {
    fft_by(operand, kind, lengths, without_zeros)
}

fn fft_by(operand: &Tensor, kind: FftType, lengths: &[usize], sums: Sums) -> Result<Tensor> {
    let rank = operand.rank();
    if lengths.is_empty() || lengths.len() > rank {
        return Err(EvalError::invalid(
            "the number of FFT lengths does not fit the operand's rank",
        ));
    }
    let first = rank - lengths.len();
    let last = rank - 1;
    let part = match operand.element_type().real_part() {
        ElementType::Float(part) => part,
        other => return Err(EvalError::unsupported(format!("fft is not defined for {other}"))),
    };
    let mut shape = operand.shape().to_vec();
    let mut values: Vec<Complex64> = operand
        .elements()
        .into_iter()
        .map(|element| match element {
            Element::Complex(value) => value,
            Element::Float(value) => Complex64::new(value, 0.0),
            _ => Complex64::ZERO,
        })
        .collect();
    let mut expected = lengths.to_vec();
    if kind == FftType::Irfft {
        expected[lengths.len() - 1] = lengths[lengths.len() - 1] / 2 + 1;
    }
    // A half spectrum of nothing may itself be nothing.
    let fits = shape[first..] == expected || operand.is_empty();
    if !fits {
        return Err(EvalError::invalid(format!(
            "an operand of {shape:?}, but the last dimensions must be {expected:?}"
        )));
    }
    let inverse = matches!(kind, FftType::Ifft | FftType::Irfft);
    match kind {
        FftType::Fft | FftType::Ifft => {
            for dimension in (first..rank).rev() {
                along(&mut values, &shape, dimension, inverse, sums);
            }
        }
        FftType::Rfft => {
            for dimension in (first..rank).rev() {
                along(&mut values, &shape, dimension, inverse, sums);
                if dimension == last {
                    let (n, half) = (shape[last], lengths[lengths.len() - 1] / 2 + 1);
                    values = resize_rows(&values, n, if n == 0 { 0 } else { half }, |_, row| {
                        row.to_vec()
                    });
                    shape[last] = if n == 0 { 0 } else { half };
                }
            }
        }
        FftType::Irfft => {
            for dimension in first..last {
                along(&mut values, &shape, dimension, inverse, sums);
            }
            let n = lengths[lengths.len() - 1];
            values = resize_rows(&values, shape[last], n, complete);
            shape[last] = n;
            along(&mut values, &shape, last, inverse, sums);
        }
    }
    let result =
        if kind == FftType::Irfft { ElementType::Float(part) } else { ElementType::Complex(part) };
    Ok(Tensor::from_fn(&shape, result, |position| match kind {
        FftType::Irfft => Element::Float(values[position].re),
        _ => Element::Complex(values[position]),
    }))
}

/// Converts rows of `from` elements to rows of `to`.
fn resize_rows(
    values: &[Complex64],
    from: usize,
    to: usize,
    row: fn(usize, &[Complex64]) -> Vec<Complex64>,
) -> Vec<Complex64> {
    let mut resized = Vec::new();
    for line in values.chunks_exact(from.max(1)) {
        let mut line = row(to, line);
        line.resize(to, Complex64::ZERO);
        resized.append(&mut line);
    }
    resized
}

/// The spectrum of a real signal of `n` values from its first half.
fn complete(n: usize, half: &[Complex64]) -> Vec<Complex64> {
    (0..n)
        .map(|k| match k {
            0 => Complex64::new(half[0].re, 0.0),
            k if 2 * k == n => Complex64::new(half[k].re, 0.0),
            k if 2 * k < n => half[k],
            k => half[n - k].conj(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{C64, C128, F32, F64};

    fn naive(values: &[Complex64]) -> Vec<Complex64> {
        let n = values.len();
        (0..n).map(|k| (0..n).map(|j| values[j] * root(j * k, n, false)).sum()).collect()
    }

    fn signal(n: usize) -> Vec<Complex64> {
        (0..n).map(|i| Complex64::new((i * i % 7) as f64, (i % 3) as f64 - 1.0)).collect()
    }

    #[test]
    fn any_length() {
        for n in [1, 2, 3, 5, 6, 8, 12, 17, 30, 49] {
            let values = signal(n);
            let x = Tensor::of_complexes(&[n], C128, &values);
            let spectrum = fft(&x, FftType::Fft, &[n]).unwrap();
            for (k, expected) in naive(&values).into_iter().enumerate() {
                let Element::Complex(actual) = spectrum.get(k) else { panic!("not complex") };
                assert!((actual - expected).norm() < 1e-12, "{n} {k}");
            }
            let back = fft(&spectrum, FftType::Ifft, &[n]).unwrap();
            for (k, expected) in values.into_iter().enumerate() {
                let Element::Complex(actual) = back.get(k) else { panic!("not complex") };
                assert!((actual - expected).norm() < 1e-13, "{n} {k}");
            }
        }
    }

    #[test]
    fn real_signals_in_two_dimensions() {
        for shape in [[3, 4], [2, 5]] {
            let values: Vec<f64> = (0..shape[0] * shape[1]).map(|i| (i * i % 11) as f64).collect();
            let x = Tensor::from_f64(&shape, &values);
            let half = fft(&x, FftType::Rfft, &shape).unwrap();
            assert_eq!(half.shape(), [shape[0], shape[1] / 2 + 1]);
            let sum: f64 = values.iter().sum();
            assert_eq!(half.get(0), Element::Complex(Complex64::new(sum, 0.0)));
            let back = fft(&half, FftType::Irfft, &shape).unwrap();
            assert_eq!((back.element_type(), back.shape()), (F64, &shape[..]));
            for (a, b) in back.to_f64s().iter().zip(&values) {
                assert!((a - b).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn types_and_errors() {
        let x = Tensor::from_f32(&[4], &[1.0, 0.0, 0.0, 0.0]);
        assert_eq!(fft(&x, FftType::Rfft, &[4]).unwrap().element_type(), C64);
        assert!(fft(&x, FftType::Rfft, &[3]).is_err());
        assert!(fft(&Tensor::from_i32(&[1], &[1]), FftType::Rfft, &[1]).is_err());
        let empty = Tensor::from_f32(&[0, 4], &[]);
        assert_eq!(fft(&empty, FftType::Rfft, &[4]).unwrap().shape(), [0, 3]);
        assert_eq!(empty.element_type(), F32);
    }
}
