//! Multi-dimensional indices of row-major tensors.

use crate::error::{EvalError, Result};

/// The product of the sizes.
pub fn element_count(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// The maximum size of a tensor in bytes.
const LARGEST: usize = 1 << 35;

/// Fails for a tensor that takes more memory than the evaluator gives to one.
pub fn check_bytes(shape: &[usize], element_bytes: usize) -> Result<()> {
    if shape.contains(&0) {
        return Ok(());
    }
    let bytes = shape.iter().try_fold(element_bytes, |bytes, size| bytes.checked_mul(*size));
    if bytes.is_some_and(|bytes| bytes <= LARGEST) {
        return Ok(());
    }
    Err(EvalError::unsupported(format!("a tensor of {shape:?} takes more than {LARGEST} bytes")))
}

/// How far apart neighbours are along each dimension, in elements.
pub fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for dimension in (1..shape.len()).rev() {
        strides[dimension - 1] = strides[dimension] * shape[dimension];
    }
    strides
}

/// The row-major position of `index`.
pub fn position(index: &[usize], shape: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |position, (at, size)| position * size + at)
}

/// The index at a row-major position.
pub fn unravel(mut position: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (at, size) in index.iter_mut().zip(shape).rev() {
        if *size > 0 {
            *at = position % size;
            position /= size;
        }
    }
    index
}

/// Calls `visit` with every index of `shape` and its position, in row-major order.
pub fn for_each(shape: &[usize], mut visit: impl FnMut(&[usize], usize)) {
    let mut index = vec![0; shape.len()];
    for position in 0..element_count(shape) {
        visit(&index, position);
        advance(&mut index, shape);
    }
}

/// As [`for_each`], stopping at the first error.
pub fn try_for_each<E>(
    shape: &[usize],
    mut visit: impl FnMut(&[usize], usize) -> std::result::Result<(), E>,
) -> std::result::Result<(), E> {
    let mut index = vec![0; shape.len()];
    for position in 0..element_count(shape) {
        visit(&index, position)?;
        advance(&mut index, shape);
    }
    Ok(())
}

fn advance(index: &mut [usize], shape: &[usize]) {
    for (at, size) in index.iter_mut().zip(shape).rev() {
        *at += 1;
        if *at < *size {
            return;
        }
        *at = 0;
    }
}

/// The sum of `index[i] * strides[i]`.
pub fn dot(index: &[usize], strides: &[usize]) -> usize {
    index.iter().zip(strides).map(|(at, stride)| at * stride).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_and_indices_agree() {
        let shape = [2, 1, 3];
        let mut seen = Vec::new();
        for_each(&shape, |at, place| {
            assert_eq!(position(at, &shape), place);
            assert_eq!(unravel(place, &shape), at);
            assert_eq!(dot(at, &strides(&shape)), place);
            seen.push(at.to_vec());
        });
        assert_eq!(seen.len(), 6);
        assert_eq!(seen.last(), Some(&vec![1, 0, 2]));
    }

    #[test]
    fn what_no_memory_holds_is_refused() {
        assert!(check_bytes(&[1 << 20, 1 << 20], 4).is_err());
        assert!(check_bytes(&[usize::MAX, 2], 1).is_err());
        assert!(check_bytes(&[usize::MAX, 0], 8).is_ok());
        assert!(check_bytes(&[1 << 20], 8).is_ok());
    }

    #[test]
    fn rank_zero_has_one_index_and_size_zero_has_none() {
        let mut count = 0;
        for_each(&[], |_, _| count += 1);
        assert_eq!(count, 1);
        for_each(&[3, 0], |_, _| count += 1);
        assert_eq!(count, 1);
    }
}
