//! dot_general (and dot, einsum, ragged_dot): sums of products.
//!
//! Products are computed and added in `f64` for 64-bit results and in `f32` for all narrower ones, which are rounded once
//! at the end; integers wrap. (Sums in `f64` would be more accurate than any compiled `f32` code, and further from it than the
//! conformance data allows.) Long sums are split in halves, short ones are added sequentially.

use std::ops::{Add, Range};

use num_complex::Complex;

use crate::{
    convert::{self, convert_element},
    element::{Element, ElementType, F32, F64},
    error::{EvalError, Result},
    float_format::FloatType,
    fold, index, shape,
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
    /// As [`Self::multiply_add`], rounded once where there is an instruction for it.
    fn fused(self, a: Self, b: Self) -> Self {
        self.multiply_add(a, b)
    }
    fn plus(self, other: Self) -> Self;
}

/// The number of products that are added sequentially.
const SHORT: usize = 128;

/// The sum of the products of the pairs that `term` gives for `range`.
pub(crate) fn sum_of_products<N: Number>(
    range: Range<usize>,
    term: &mut impl FnMut(usize) -> (N, N),
) -> N {
    if range.len() > SHORT && !fold::is_in_order() {
        let middle = range.start + range.len() / 2;
        let first = sum_of_products(range.start..middle, term);
        return first.plus(sum_of_products(middle..range.end, term));
    }
    let add = if fold::is_in_order() { N::fused } else { N::multiply_add };
    range.fold(N::ZERO, |sum, index| {
        let (a, b) = term(index);
        add(sum, a, b)
    })
}

macro_rules! number {
    ($ty:ty, $variant:ident, $plus:expr, |$sum:ident, $a:ident, $b:ident| $step:expr $(, $fused:expr)?) => {
        impl Number for $ty {
            const ZERO: Self = 0 as Self;
            fn of(element: Element) -> Self {
                match element {
                    Element::$variant(value) => value as Self,
                    _ => Self::ZERO,
                }
            }
            fn element(self) -> Element {
                Element::$variant(self.into())
            }
            fn multiply_add(self, $a: Self, $b: Self) -> Self {
                let $sum = self;
                $step
            }
            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }
            $(fn fused(self, a: Self, b: Self) -> Self {
                $fused(a, b, self)
            })?
        }
    };
}

number!(i64, Signed, i64::wrapping_add, |sum, a, b| sum.wrapping_add(a.wrapping_mul(b)));
number!(u64, Unsigned, u64::wrapping_add, |sum, a, b| sum.wrapping_add(a.wrapping_mul(b)));
number!(f64, Float, Add::add, |sum, a, b| sum + a * b, f64::mul_add);
number!(f32, Float, Add::add, |sum, a, b| sum + a * b, f32::mul_add);

macro_rules! complex_number {
    ($part:ty) => {
        impl Number for Complex<$part> {
            const ZERO: Self = Complex::new(0.0, 0.0);
            fn of(element: Element) -> Self {
                match element {
                    Element::Complex(value) => Self::new(value.re as $part, value.im as $part),
                    _ => Self::ZERO,
                }
            }
            fn element(self) -> Element {
                Element::Complex(Complex::new(self.re.into(), self.im.into()))
            }
            fn multiply_add(self, a: Self, b: Self) -> Self {
                self + a * b
            }
            fn plus(self, other: Self) -> Self {
                self + other
            }
        }
    };
}

complex_number!(f64);
complex_number!(f32);

impl Number for bool {
    const ZERO: Self = false;
    fn of(element: Element) -> Self {
        element == Element::Bool(true)
    }
    fn element(self) -> Element {
        Element::Bool(self)
    }
    fn multiply_add(self, a: Self, b: Self) -> Self {
        self | (a & b)
    }
    fn plus(self, other: Self) -> Self {
        self | other
    }
}

/// Calls a function for the class of numbers in which sums of the given type are formed.
macro_rules! in_class_of {
    ($ty:expr, $function:ident($($argument:expr),*)) => {
        match $ty {
            ElementType::Bool => $function::<bool>($($argument),*),
            ElementType::Signed(_) => $function::<i64>($($argument),*),
            ElementType::Unsigned(_) => $function::<u64>($($argument),*),
            ElementType::Float(FloatType::F64) => $function::<f64>($($argument),*),
            ElementType::Float(_) => $function::<f32>($($argument),*),
            ElementType::Complex(FloatType::F64) => $function::<Complex<f64>>($($argument),*),
            ElementType::Complex(_) => $function::<Complex<f32>>($($argument),*),
        }
    };
}
pub(crate) use in_class_of;

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
    let sums = sum_type([lhs, rhs], result);
    let product = in_class_of!(sums, contract(lhs, rhs, dimensions, sums))?;
    Ok(convert::convert(&product, result))
}

/// The type that products of such operands are summed in: the result's, unless fractions or imaginary parts of operands would be lost
/// in it. Then the operands' is, with at least 32 bits, and the sums are converted.
pub(crate) fn sum_type<'t>(
    operands: impl IntoIterator<Item = &'t Tensor, IntoIter: Clone>,
    result: ElementType,
) -> ElementType {
    let types = operands.into_iter().map(Tensor::element_type);
    let complex = types.clone().filter(|ty| ty.is_complex()).max_by_key(|ty| ty.bits());
    let float = types.filter(|ty| ty.is_float()).max_by_key(|ty| ty.bits());
    match (complex, float) {
        (Some(_), _) if result.is_complex() => result,
        (Some(complex), _) => complex,
        (None, Some(float)) if !result.is_complex() && !result.is_float() => match float.bits() {
            ..32 => F32,
            _ => float,
        },
        _ => result,
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
                let mut term = |index: usize| {
                    let (left, right) = (lhs_terms[index], rhs_terms[index]);
                    (lhs[lhs_base + row + left], rhs[rhs_base + column + right])
                };
                sums.push(sum_of_products(0..lhs_terms.len(), &mut term).element());
            }
        }
    }
    Tensor::from_elements(&[batch, rows_shape, columns_shape].concat(), result, &sums)
}

/// The algorithm of a dot, if the program specifies one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DotAlgorithm {
    /// The types that the operands are rounded to, as MLIR writes them: `tf32` is one that no tensor has.
    pub precision: [String; 2],
    /// The type that sums are formed in.
    pub accumulation: String,
    /// Products of components per product; more than one emulates more precision than `precision` has.
    pub operations: i64,
}

/// [`dot_general`] by an algorithm. Sums are formed in a type with at least as many digits as its accumulation type;
/// an algorithm of several operations rounds nothing. Algorithms are about floats: to integers and complex numbers
/// none makes a difference.
pub fn dot_general_by(
    lhs: &Tensor,
    rhs: &Tensor,
    dimensions: &DotDimensions,
    algorithm: &DotAlgorithm,
    result: ElementType,
) -> Result<Tensor> {
    let sums = sum_type([lhs, rhs], result);
    if sums != result {
        let product = dot_general_by(lhs, rhs, dimensions, algorithm, sums)?;
        return Ok(convert::convert(&product, result));
    }
    let floats = [lhs.element_type(), rhs.element_type(), result];
    if algorithm.operations != 1 || !floats.iter().all(|ty| ty.is_float()) {
        return dot_general(lhs, rhs, dimensions, result);
    }
    let rounded = |operand: &Tensor, name: &str| {
        if name == "tf32" {
            return convert::reduce_precision(operand, 8, 10);
        }
        let ty = ElementType::parse(name).ok_or_else(|| {
            EvalError::unsupported(format!("operands cannot be rounded to `{name}`"))
        })?;
        Ok(convert::convert(&convert::convert(operand, ty), operand.element_type()))
    };
    let [left, right] = &algorithm.precision;
    let (lhs, rhs) = (rounded(lhs, left)?, rounded(rhs, right)?);
    let sums = match (algorithm.accumulation.as_str(), result) {
        ("f64", _) => F64,
        (_, ElementType::Float(FloatType::F64)) => F32,
        _ => result,
    };
    Ok(convert::convert(&dot_general(&lhs, &rhs, dimensions, sums)?, result))
}

/// The dot of two vectors, matrices, or one of each.
pub fn dot(lhs: &Tensor, rhs: &Tensor, result: ElementType) -> Result<Tensor> {
    let dimensions = DotDimensions {
        lhs_contracting: vec![lhs.rank().saturating_sub(1)],
        rhs_contracting: vec![0],
        ..DotDimensions::default()
    };
    dot_general(lhs, rhs, &dimensions, result)
}

/// Ragged dot: rows of the left operand times the part of the right operand of their group.
///
/// The ragged dimension of the left operand is split into consecutive groups of the given sizes. If it is a free
/// dimension, each group of rows is multiplied by its own part of the right operand along the group dimension, and rows
/// beyond all groups give zero; if it is contracted, each group gives a separate result, stacked in a new first dimension;
/// if it is a batching dimension, nothing depends on the groups.
pub fn ragged_dot(
    lhs: &Tensor,
    rhs: &Tensor,
    group_sizes: &Tensor,
    dimensions: &DotDimensions,
    ragged: &[usize],
    group: &[usize],
    result: ElementType,
) -> Result<Tensor> {
    let [ragged] = ragged else {
        return Err(EvalError::unsupported("there must be one ragged dimension"));
    };
    if dimensions.lhs_batching.contains(ragged) {
        return dot_general(lhs, rhs, dimensions, result);
    }
    if group_sizes.rank() != 1 {
        return Err(EvalError::unsupported("group sizes of more than one dimension"));
    }
    let sizes = crate::dynamic::sizes(group_sizes)?;
    let of = lhs.shape().get(*ragged).copied().unwrap_or(0);
    let total: usize = sizes.iter().sum();
    if total > of {
        return Err(EvalError::invalid(format!(
            "groups of {total} elements in a dimension of {of}"
        )));
    }
    let part = |tensor: &Tensor, dimension: usize, from: usize, to: usize| {
        let (mut start, mut limit) = (vec![0; tensor.rank()], tensor.shape().to_vec());
        (start[dimension], limit[dimension]) = (from, to);
        shape::slice(tensor, &start, &limit, &vec![1; tensor.rank()])
    };
    let contracted = dimensions.lhs_contracting.iter().position(|d| d == ragged);
    let mut start = 0;
    let mut products = Vec::with_capacity(sizes.len() + 1);
    if let Some(at) = contracted {
        for size in &sizes {
            let left = part(lhs, *ragged, start, start + size)?;
            let right = part(rhs, dimensions.rhs_contracting[at], start, start + size)?;
            let product = dot_general(&left, &right, dimensions, result)?;
            products.push(product.reshaped(&[&[1], product.shape()].concat())?);
            start += size;
        }
        return shape::concatenate(&products, 0);
    }
    let [group] = group else {
        return Err(EvalError::unsupported("there must be one group dimension"));
    };
    // Without the group dimension later dimensions are numbered one less.
    let without = |list: &[usize]| list.iter().map(|d| d - usize::from(d > group)).collect();
    let inner = DotDimensions {
        rhs_batching: without(&dimensions.rhs_batching),
        rhs_contracting: without(&dimensions.rhs_contracting),
        ..dimensions.clone()
    };
    let mut shape_of_part = rhs.shape().to_vec();
    if *group >= shape_of_part.len() || shape_of_part.remove(*group) != sizes.len() {
        return Err(EvalError::invalid("the group dimension does not fit the group sizes"));
    }
    for (which, size) in sizes.iter().enumerate() {
        let left = part(lhs, *ragged, start, start + size)?;
        let right = part(rhs, *group, which, which + 1)?.reshaped(&shape_of_part)?;
        products.push(dot_general(&left, &right, &inner, result)?);
        start += size;
    }
    let free = remaining(lhs.rank(), [&dimensions.lhs_batching, &dimensions.lhs_contracting]);
    let place = free.iter().position(|d| d == ragged).unwrap_or(0) + dimensions.lhs_batching.len();
    let mut rest = products.first().map(|first| first.shape().to_vec()).unwrap_or_default();
    if let Some(size) = rest.get_mut(place) {
        *size = of - total;
    }
    products.push(Tensor::zeros(&rest, result));
    shape::concatenate(&products, place)
}

/// The einsum that `config` describes: one letter per dimension, letters that the result lacks
/// are summed over (`ab,bc->ac`).
pub fn einsum(operands: &[Tensor], config: &str, result: ElementType) -> Result<Tensor> {
    let malformed =
        || EvalError::unsupported(format!("`{config}` is not an einsum of the operands"));
    let (inputs, output) = config.split_once("->").ok_or_else(malformed)?;
    let inputs: Vec<Vec<char>> =
        inputs.split(',').map(|part| part.trim().chars().collect()).collect();
    let output: Vec<char> = output.trim().chars().collect();
    let mut letters = output.clone();
    inputs.iter().flatten().for_each(|letter| {
        if !letters.contains(letter) {
            letters.push(*letter);
        }
    });
    let plain = letters.iter().all(char::is_ascii_alphabetic)
        && inputs.len() == operands.len()
        && inputs.iter().zip(operands).all(|(names, operand)| names.len() == operand.rank());
    if !plain {
        return Err(malformed());
    }
    let mut sizes = vec![None; letters.len()];
    let mut strides = vec![vec![0; letters.len()]; operands.len()];
    for ((names, operand), strides) in inputs.iter().zip(operands).zip(&mut strides) {
        for (dimension, stride) in index::strides(operand.shape()).into_iter().enumerate() {
            let letter = letters.iter().position(|letter| *letter == names[dimension]);
            let letter = letter.ok_or_else(malformed)?;
            let size = operand.shape()[dimension];
            if *sizes[letter].get_or_insert(size) != size {
                return Err(EvalError::invalid(format!(
                    "two sizes for the same letter in `{config}`"
                )));
            }
            strides[letter] += stride;
        }
    }
    let sizes: Option<Vec<usize>> = sizes.into_iter().collect();
    let sizes = sizes.ok_or_else(malformed)?;
    let (kept, summed) = sizes.split_at(output.len());
    let sums = sum_type(operands, result);
    let products = in_class_of!(sums, sum_over(operands, &strides, kept, summed, sums))?;
    Ok(convert::convert(&products, result))
}

/// Sums the products of all operands over the `summed` indices.
fn sum_over<N: Number>(
    operands: &[Tensor],
    strides: &[Vec<usize>],
    kept: &[usize],
    summed: &[usize],
    result: ElementType,
) -> Result<Tensor> {
    let values: Vec<Vec<N>> = operands.iter().map(|operand| numbers(operand, result)).collect();
    let one = N::of(result.from_i64(1));
    let mut sums = Vec::with_capacity(index::element_count(kept));
    index::for_each(kept, |at, _| {
        let mut products = Vec::with_capacity(index::element_count(summed));
        index::for_each(summed, |over, _| {
            let place = [at, over].concat();
            products.push(values.iter().zip(strides).fold(one, |product, (values, strides)| {
                N::ZERO.multiply_add(product, values[index::dot(&place, strides)])
            }));
        });
        let sum = sum_of_products(0..products.len(), &mut |index| (one, products[index]));
        sums.push(sum.element());
    });
    Tensor::from_elements(kept, result, &sums)
}

#[cfg(test)]
mod tests {
    use num_complex::Complex64;

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

    #[test]
    fn groups_of_rows() {
        let rows = Tensor::from_i32(&[4, 1], &[1, 2, 3, 4]);
        let parts = Tensor::from_i32(&[2, 1, 1], &[10, 100]);
        let sizes = Tensor::from_i32(&[2], &[1, 2]);
        let dimensions = DotDimensions {
            lhs_contracting: vec![1],
            rhs_contracting: vec![1],
            ..DotDimensions::default()
        };
        let product = ragged_dot(&rows, &parts, &sizes, &dimensions, &[0], &[0], I32).unwrap();
        assert_eq!(
            (product.shape(), product.to_i64s().unwrap()),
            (&[4, 1][..], vec![10, 200, 300, 0])
        );
        let dimensions = DotDimensions {
            lhs_contracting: vec![0],
            rhs_contracting: vec![0],
            ..DotDimensions::default()
        };
        let product = ragged_dot(&rows, &rows, &sizes, &dimensions, &[0], &[], I32).unwrap();
        assert_eq!((product.shape(), product.to_i64s().unwrap()), (&[2, 1, 1][..], vec![1, 13]));
    }

    #[test]
    fn letters() {
        let a = Tensor::from_i32(&[2, 2], &[1, 2, 3, 4]);
        let product = einsum(&[a.clone(), a.clone()], "ab,bc->ca", I32).unwrap();
        assert_eq!(product.to_i64s().unwrap(), [7, 15, 10, 22]);
        assert_eq!(einsum(std::slice::from_ref(&a), "aa->", I32).unwrap().to_i64s().unwrap(), [5]);
        assert_eq!(
            einsum(std::slice::from_ref(&a), "ab->b", I32).unwrap().to_i64s().unwrap(),
            [4, 6]
        );
        assert!(einsum(&[a], "...a->a", I32).is_err());
    }
}
