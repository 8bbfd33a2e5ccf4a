//! dot_general (and dot, einsum's products, ragged_dot): sums of products.
//!
//! Products and sums are formed in the carrier of the result's class and rounded once at the end, so the
//! result is more accurate than any order of additions in the element type.

use num_complex::Complex64;

use crate::{
    convert::convert_element,
    element::{Element, ElementType},
    error::{EvalError, Result},
    index,
    tensor::Tensor,
};

/// Which dimensions are paired.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DotDimensions {
    /// Dimensions of the left operand that are looped over together with `rhs_batching`.
    pub lhs_batching: Vec<usize>,
    /// Their counterparts.
    pub rhs_batching: Vec<usize>,
    /// Dimensions of the left operand that are summed over together with `rhs_contracting`.
    pub lhs_contracting: Vec<usize>,
    /// Their counterparts.
    pub rhs_contracting: Vec<usize>,
}

/// A class of numbers that can be multiplied and summed up.
pub(crate) trait Number: Copy {
    const ZERO: Self;
    fn of(element: Element) -> Self;
    fn element(self) -> Element;
    fn multiply_add(self, a: Self, b: Self) -> Self;
}

macro_rules! number {
    ($ty:ty, $variant:ident, $zero:expr, |$sum:ident, $a:ident, $b:ident| $step:expr) => {
        impl Number for $ty {
            const ZERO: Self = $zero;
            fn of(element: Element) -> Self {
                match element {
                    Element::$variant(value) => value,
                    _ => $zero,
                }
            }
            fn element(self) -> Element {
                Element::$variant(self)
            }
            fn multiply_add(self, $a: Self, $b: Self) -> Self {
                let $sum = self;
                $step
            }
        }
    };
}

number!(bool, Bool, false, |sum, a, b| sum | (a & b));
number!(i64, Signed, 0, |sum, a, b| sum.wrapping_add(a.wrapping_mul(b)));
number!(u64, Unsigned, 0, |sum, a, b| sum.wrapping_add(a.wrapping_mul(b)));
number!(f64, Float, 0.0, |sum, a, b| sum + a * b);
number!(Complex64, Complex, Complex64::new(0.0, 0.0), |sum, a, b| sum + a * b);

/// The elements in the class of `ty`, of which operands of another type are converted to it first.
pub(crate) fn numbers<N: Number>(tensor: &Tensor, ty: ElementType) -> Vec<N> {
    let same_class = ty.holds(tensor.element_type().zero());
    tensor
        .elements()
        .into_iter()
        .map(|element| N::of(if same_class { element } else { convert_element(element, ty) }))
        .collect()
}

/// The dimensions of `rank` that are in none of the lists.
fn remaining(rank: usize, taken: [&[usize]; 2]) -> Vec<usize> {
    (0..rank).filter(|d| !taken[0].contains(d) && !taken[1].contains(d)).collect()
}

fn pick(from: &[usize], which: &[usize]) -> Vec<usize> {
    which.iter().map(|at| from[*at]).collect()
}

/// The result's dimensions are the batching ones, the left operand's others, the right operand's others.
pub fn dot_general(
    lhs: &Tensor,
    rhs: &Tensor,
    dimensions: &DotDimensions,
    result: ElementType,
) -> Result<Tensor> {
    match result {
        ElementType::Bool => contract::<bool>(lhs, rhs, dimensions, result),
        ElementType::Signed(_) => contract::<i64>(lhs, rhs, dimensions, result),
        ElementType::Unsigned(_) => contract::<u64>(lhs, rhs, dimensions, result),
        ElementType::Float(_) => contract::<f64>(lhs, rhs, dimensions, result),
        ElementType::Complex(_) => contract::<Complex64>(lhs, rhs, dimensions, result),
    }
}

fn contract<N: Number>(
    lhs: &Tensor,
    rhs: &Tensor,
    dimensions: &DotDimensions,
    result: ElementType,
) -> Result<Tensor> {
    let DotDimensions { lhs_batching, rhs_batching, lhs_contracting, rhs_contracting } = dimensions;
    let in_range = |list: &[usize], rank| list.iter().all(|d| *d < rank);
    let fits = in_range(lhs_batching, lhs.rank())
        && in_range(lhs_contracting, lhs.rank())
        && in_range(rhs_batching, rhs.rank())
        && in_range(rhs_contracting, rhs.rank());
    if !fits {
        return Err(EvalError::invalid("a dimension number is out of range"));
    }
    let (lhs_shape, rhs_shape) = (lhs.shape(), rhs.shape());
    let batch = pick(lhs_shape, lhs_batching);
    let contracted = pick(lhs_shape, lhs_contracting);
    if batch != pick(rhs_shape, rhs_batching) || contracted != pick(rhs_shape, rhs_contracting) {
        return Err(EvalError::invalid(format!(
            "the paired dimensions of {lhs_shape:?} and {rhs_shape:?} differ in size"
        )));
    }
    let lhs_free = remaining(lhs.rank(), [lhs_batching, lhs_contracting]);
    let rhs_free = remaining(rhs.rank(), [rhs_batching, rhs_contracting]);
    let lhs_strides = index::strides(lhs_shape);
    let rhs_strides = index::strides(rhs_shape);

    // Positions are sums of parts: one for each of batch, free and contracted indices.
    let parts = |shape: &[usize], strides: Vec<usize>| {
        let mut offsets = Vec::with_capacity(index::element_count(shape));
        index::for_each(shape, |at, _| offsets.push(index::dot(at, &strides)));
        offsets
    };
    let lhs_batch = parts(&batch, pick(&lhs_strides, lhs_batching));
    let rhs_batch = parts(&batch, pick(&rhs_strides, rhs_batching));
    let lhs_terms = parts(&contracted, pick(&lhs_strides, lhs_contracting));
    let rhs_terms = parts(&contracted, pick(&rhs_strides, rhs_contracting));
    let rows_shape = pick(lhs_shape, &lhs_free);
    let columns_shape = pick(rhs_shape, &rhs_free);
    let rows = parts(&rows_shape, pick(&lhs_strides, &lhs_free));
    let columns = parts(&columns_shape, pick(&rhs_strides, &rhs_free));

    let (lhs, rhs) = (numbers::<N>(lhs, result), numbers::<N>(rhs, result));
    let mut sums = Vec::with_capacity(lhs_batch.len() * rows.len() * columns.len());
    for (lhs_base, rhs_base) in lhs_batch.iter().zip(&rhs_batch) {
        for row in &rows {
            for column in &columns {
                let mut sum = N::ZERO;
                for (left, right) in lhs_terms.iter().zip(&rhs_terms) {
                    sum = sum
                        .multiply_add(lhs[lhs_base + row + left], rhs[rhs_base + column + right]);
                }
                sums.push(sum.element());
            }
        }
    }
    Tensor::from_elements(&[batch, rows_shape, columns_shape].concat(), result, &sums)
}

/// The product of two vectors, matrices, or one of each.
pub fn dot(lhs: &Tensor, rhs: &Tensor, result: ElementType) -> Result<Tensor> {
    let dimensions = DotDimensions {
        lhs_contracting: vec![lhs.rank().saturating_sub(1)],
        rhs_contracting: vec![0],
        ..DotDimensions::default()
    };
    dot_general(lhs, rhs, &dimensions, result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{C64, F32, I8, I32};

    #[test]
    fn matrices() {
        let a = Tensor::from_f32(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let b = Tensor::from_f32(&[3, 1], &[1.0, 0.5, -1.0]);
        let product = dot(&a, &b, F32).unwrap();
        assert_eq!((product.shape(), product.to_f64s()), (&[2, 1][..], vec![-1.0, 0.5]));
        assert!(dot(&a, &a, F32).is_err());
    }

    #[test]
    fn batches_in_any_position() {
        // lhs[k, b, m], rhs[b, n, k]
        let a = Tensor::from_i32(&[2, 2, 1], &[1, 2, 3, 4]);
        let b = Tensor::from_i32(&[2, 1, 2], &[5, 6, 7, 8]);
        let dimensions = DotDimensions {
            lhs_batching: vec![1],
            rhs_batching: vec![0],
            lhs_contracting: vec![0],
            rhs_contracting: vec![2],
        };
        let product = dot_general(&a, &b, &dimensions, I32).unwrap();
        assert_eq!(product.shape(), [2, 1, 1]);
        assert_eq!(product.to_i64s().unwrap(), [5 + 18, 14 + 32]);
    }

    #[test]
    fn operands_widen_to_the_result() {
        let a = Tensor::of_integers(&[2], I8, &[100, 100]);
        assert_eq!(dot(&a, &a, I32).unwrap().to_i64s().unwrap(), [20_000]);
        assert_eq!(dot(&a, &a, I8).unwrap().to_i64s().unwrap(), [32]);
    }

    #[test]
    fn empty_sums_are_zero() {
        let a = Tensor::from_f32(&[2, 0], &[]);
        let b = Tensor::from_f32(&[0, 1], &[]);
        assert_eq!(dot(&a, &b, F32).unwrap().to_f64s(), [0.0, 0.0]);
    }

    #[test]
    fn complex_numbers() {
        let z = Tensor::of_complexes(&[1], C64, &[Complex64::new(0.0, 2.0)]);
        assert_eq!(dot(&z, &z, C64).unwrap().get(0), Element::Complex(Complex64::new(-4.0, 0.0)));
    }
}
