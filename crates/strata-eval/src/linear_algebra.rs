//! cholesky and triangular_solve, in the carrier, rounded once.

use num_complex::Complex64;

use crate::{
    complex_math,
    element::{Element, ElementType},
    error::{EvalError, Result},
    tensor::Tensor,
};

/// What `triangular_solve` does to its matrix first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transpose {
    /// Nothing.
    No,
    /// Transposes it.
    Transpose,
    /// Transposes and conjugates it.
    Adjoint,
}

impl Transpose {
    /// The kind with that name (`NO_TRANSPOSE`, `TRANSPOSE`, `ADJOINT`).
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "NO_TRANSPOSE" => Transpose::No,
            "TRANSPOSE" => Transpose::Transpose,
            "ADJOINT" => Transpose::Adjoint,
            _ => return None,
        })
    }
}

/// Rows and columns of the last two dimensions.
fn matrix_size(tensor: &Tensor) -> Result<(usize, usize)> {
    match tensor.shape() {
        [.., rows, columns] => Ok((*rows, *columns)),
        _ => Err(EvalError::invalid("a matrix is needed")),
    }
}

fn complexes(tensor: &Tensor) -> Result<Vec<Complex64>> {
    tensor
        .elements()
        .into_iter()
        .map(|element| match element {
            Element::Float(value) => Ok(Complex64::new(value, 0.0)),
            Element::Complex(value) => Ok(value),
            _ => Err(EvalError::unsupported(format!(
                "linear algebra is not defined for {}",
                tensor.element_type()
            ))),
        })
        .collect()
}

fn rebuild(shape: &[usize], ty: ElementType, values: &[Complex64]) -> Tensor {
    Tensor::from_fn(shape, ty, |position| match ty {
        ElementType::Complex(_) => Element::Complex(values[position]),
        _ => Element::Float(values[position].re),
    })
}

/// `a / b`, real division if both are real, since a complex one would turn infinities into NaN.
fn quotient(a: Complex64, b: Complex64) -> Complex64 {
    if b.im == 0.0 { Complex64::new(a.re / b.re, a.im / b.re) } else { complex_math::divide(a, b) }
}

/// The factor `l` of `a = l l^H` (`lower`), or `u` of `a = u^H u`, of which only that triangle of `a` is
/// read; the other triangle of the result is zero. NaN where `a` is not positive definite.
pub fn cholesky(a: &Tensor, lower: bool) -> Result<Tensor> {
    let (n, columns) = matrix_size(a)?;
    if n != columns {
        return Err(EvalError::invalid(format!("a square matrix is needed, not {n}x{columns}")));
    }
    let mut values = complexes(a)?;
    for matrix in values.chunks_exact_mut((n * n).max(1)) {
        let read = |matrix: &[Complex64], row: usize, column: usize| {
            if lower { matrix[row * n + column] } else { matrix[column * n + row].conj() }
        };
        let source = matrix.to_vec();
        let mut l = vec![Complex64::ZERO; n * n];
        let mut definite = true;
        for row in 0..n {
            for column in 0..=row {
                let mut sum = read(&source, row, column);
                for k in 0..column {
                    sum -= l[row * n + k] * l[column * n + k].conj();
                }
                l[row * n + column] = if row == column {
                    definite &= sum.re > 0.0;
                    Complex64::new(sum.re.sqrt(), 0.0)
                } else {
                    quotient(sum, l[column * n + column])
                };
            }
        }
        for row in 0..n {
            for column in 0..n {
                let in_triangle = if lower { column <= row } else { row <= column };
                matrix[row * n + column] = match (in_triangle, definite) {
                    (false, _) => Complex64::ZERO,
                    (true, false) => Complex64::new(f64::NAN, f64::NAN),
                    // Real, whichever triangle it is read from.
                    (true, true) if row == column => l[row * n + row],
                    (true, true) => read(&l, row, column),
                };
            }
        }
    }
    Ok(rebuild(a.shape(), a.element_type(), &values))
}

/// Which system `triangular_solve` solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TriangularOptions {
    /// `op(a) x = b` rather than `x op(a) = b`.
    pub left_side: bool,
    /// The lower triangle of `a` is read rather than the upper one.
    pub lower: bool,
    /// The diagonal of `a` is not read, but assumed to be ones.
    pub unit_diagonal: bool,
    /// The form of `a`.
    pub transpose: Transpose,
}

/// The solution `x` of a triangular system.
pub fn triangular_solve(a: &Tensor, b: &Tensor, options: TriangularOptions) -> Result<Tensor> {
    let (n, columns) = matrix_size(a)?;
    let (b_rows, b_columns) = matrix_size(b)?;
    let (side, others) = if options.left_side { (b_rows, b_columns) } else { (b_columns, b_rows) };
    let batches = a.shape()[..a.rank() - 2] == b.shape()[..b.rank() - 2];
    if n != columns || side != n || !batches {
        return Err(EvalError::invalid(format!(
            "a system of {} cannot be solved for {}",
            a.type_text(),
            b.type_text()
        )));
    }
    let matrices = complexes(a)?;
    let mut values = complexes(b)?;
    // The system in the form t x = b: x op(a) = b is op(a)^T x^T = b^T.
    let transposed = (options.transpose != Transpose::No) == options.left_side;
    let conjugated = options.transpose == Transpose::Adjoint;
    let forward = options.lower != transposed;
    let size = (b_rows * b_columns).max(1);
    for (matrix, right) in matrices.chunks_exact((n * n).max(1)).zip(values.chunks_exact_mut(size))
    {
        let entry = |row: usize, column: usize| {
            let value =
                if transposed { matrix[column * n + row] } else { matrix[row * n + column] };
            if conjugated { value.conj() } else { value }
        };
        for other in 0..others {
            let place = |row: usize| {
                if options.left_side { row * b_columns + other } else { other * b_columns + row }
            };
            for step in 0..n {
                let row = if forward { step } else { n - 1 - step };
                let mut sum = right[place(row)];
                for known in 0..step {
                    let column = if forward { known } else { n - 1 - known };
                    sum -= entry(row, column) * right[place(column)];
                }
                right[place(row)] =
                    if options.unit_diagonal { sum } else { quotient(sum, entry(row, row)) };
            }
        }
    }
    Ok(rebuild(b.shape(), b.element_type(), &values))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dot::dot,
        element::{C128, F64},
    };

    #[test]
    fn factors_multiply_to_the_matrix() {
        let a = Tensor::from_f64(&[2, 2], &[4.0, 99.0, 2.0, 5.0]);
        let l = cholesky(&a, true).unwrap();
        assert_eq!(l.to_f64s(), [2.0, 0.0, 1.0, 2.0]);
        let a = Tensor::from_f64(&[2, 2], &[4.0, 2.0, 99.0, 5.0]);
        assert_eq!(cholesky(&a, false).unwrap().to_f64s(), [2.0, 1.0, 0.0, 2.0]);
    }

    #[test]
    fn hermitian_matrices() {
        let i = Complex64::i();
        let one = Complex64::new(1.0, 0.0);
        let a = Tensor::of_complexes(&[2, 2], C128, &[one * 2.0, Complex64::ZERO, i, one]);
        let l = cholesky(&a, true).unwrap();
        let Element::Complex(corner) = l.get(2) else { panic!("not complex") };
        assert!((corner - i / 2f64.sqrt()).norm() < 1e-15);
    }

    #[test]
    fn indefinite_matrices_have_no_factor() {
        let a = Tensor::from_f64(&[1, 1, 1], &[-1.0]);
        assert!(cholesky(&a, true).unwrap().to_f64s()[0].is_nan());
        assert!(cholesky(&Tensor::from_f64(&[1, 2], &[1.0, 1.0]), true).is_err());
        assert!(cholesky(&Tensor::from_f64(&[0, 0], &[]), true).unwrap().is_empty());
    }

    #[test]
    fn every_system_is_solved() {
        let lower = Tensor::from_f64(&[2, 2], &[2.0, 0.0, 3.0, 4.0]);
        let upper = Tensor::from_f64(&[2, 2], &[2.0, 3.0, 0.0, 4.0]);
        let b = Tensor::from_f64(&[2, 2], &[2.0, 4.0, 11.0, 6.0]);
        for left_side in [true, false] {
            for is_lower in [true, false] {
                for transpose in [Transpose::No, Transpose::Transpose, Transpose::Adjoint] {
                    let a = if is_lower { &lower } else { &upper };
                    let options = TriangularOptions {
                        left_side,
                        lower: is_lower,
                        unit_diagonal: false,
                        transpose,
                    };
                    let x = triangular_solve(a, &b, options).unwrap();
                    let a = if transpose == Transpose::No {
                        a.clone()
                    } else {
                        crate::shape::transpose(a, &[1, 0]).unwrap()
                    };
                    let product = if left_side { dot(&a, &x, F64) } else { dot(&x, &a, F64) };
                    assert_eq!(product.unwrap(), b, "{options:?}");
                }
            }
        }
    }

    #[test]
    fn a_unit_diagonal_is_not_read() {
        let a = Tensor::from_f64(&[2, 2], &[7.0, 0.0, 3.0, 7.0]);
        let b = Tensor::from_f64(&[2, 1], &[1.0, 5.0]);
        let options = TriangularOptions {
            left_side: true,
            lower: true,
            unit_diagonal: true,
            transpose: Transpose::No,
        };
        assert_eq!(triangular_solve(&a, &b, options).unwrap().to_f64s(), [1.0, 2.0]);
    }
}
