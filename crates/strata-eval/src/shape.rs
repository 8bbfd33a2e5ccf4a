//! Moving elements: reshape, transpose, broadcast, slice, pad, concatenate, reverse.
//!
//! Elements are copied byte by byte, whatever their type.

use crate::{
    error::{EvalError, Result},
    index,
    tensor::Tensor,
};

/// Swaps dimensions: dimension `i` of the result is dimension `permutation[i]` of the operand.
pub fn transpose(operand: &Tensor, permutation: &[usize]) -> Result<Tensor> {
    let shape: Option<Vec<usize>> =
        permutation.iter().map(|from| operand.shape().get(*from).copied()).collect();
    let Some(shape) = shape.filter(|shape| shape.len() == operand.rank()) else {
        return Err(EvalError::invalid("the permutation does not fit the operand's rank"));
    };
    let strides = index::strides(operand.shape());
    let strides: Vec<usize> = permutation.iter().map(|from| strides[*from]).collect();
    Ok(gathered(operand, &shape, |at| Some(index::dot(at, &strides))))
}

/// A tensor whose element at `index` is the operand's at `source(index)`; zero if there is none.
fn gathered(
    operand: &Tensor,
    shape: &[usize],
    mut source: impl FnMut(&[usize]) -> Option<usize>,
) -> Tensor {
    let mut result = Tensor::zeros(shape, operand.element_type())
        .with_quantization(operand.quantization().cloned());
    index::for_each(shape, |at, position| {
        if let Some(from) = source(at) {
            result.copy_element(position, operand, from);
        }
    });
    result
}

/// Copies the operand along new or size-1 dimensions: its dimension `i` becomes `dimensions[i]`.
pub fn broadcast_in_dim(operand: &Tensor, shape: &[usize], dimensions: &[usize]) -> Result<Tensor> {
    if dimensions.len() != operand.rank() {
        return Err(EvalError::invalid("one broadcast dimension per operand dimension is needed"));
    }
    let mut strides = vec![0; shape.len()];
    let own = index::strides(operand.shape());
    for (dimension, to) in dimensions.iter().enumerate() {
        let from_size = operand.shape()[dimension];
        let to_size = shape.get(*to).copied();
        if from_size != 1 && Some(from_size) != to_size {
            return Err(EvalError::invalid(format!(
                "dimension {dimension} of size {from_size} cannot be broadcast to {shape:?}"
            )));
        }
        if from_size != 1 {
            strides[*to] = own[dimension];
        }
    }
    Ok(gathered(operand, shape, |at| Some(index::dot(at, &strides))))
}

/// The elements from `start` up to `limit` (excluded) with steps of `strides`.
pub fn slice(
    operand: &Tensor,
    start: &[usize],
    limit: &[usize],
    strides: &[usize],
) -> Result<Tensor> {
    let rank = operand.rank();
    if start.len() != rank || limit.len() != rank || strides.len() != rank {
        return Err(EvalError::invalid("one start, limit and stride per dimension is needed"));
    }
    let mut shape = Vec::with_capacity(rank);
    for dimension in 0..rank {
        let (from, to, step) = (start[dimension], limit[dimension], strides[dimension]);
        if from > to || to > operand.shape()[dimension] || step == 0 {
            return Err(EvalError::invalid(format!(
                "slice {from}:{to}:{step} of a dimension of size {}",
                operand.shape()[dimension]
            )));
        }
        shape.push((to - from).div_ceil(step));
    }
    let own = index::strides(operand.shape());
    let offset = index::dot(start, &own);
    let steps: Vec<usize> = own.iter().zip(strides).map(|(own, step)| own * step).collect();
    Ok(gathered(operand, &shape, |at| Some(offset + index::dot(at, &steps))))
}

/// The size of a padded dimension; `None` if it would be negative.
pub fn padded_size(size: usize, low: i64, high: i64, interior: i64) -> Option<usize> {
    let size = i64::try_from(size).ok()?;
    let inner = size.checked_add((size - 1).max(0).checked_mul(interior)?)?;
    usize::try_from(inner.checked_add(low)?.checked_add(high)?).ok()
}

/// Pads with `value` around and between the elements; negative `low` and `high` crop.
pub fn pad(
    operand: &Tensor,
    value: &Tensor,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
) -> Result<Tensor> {
    let rank = operand.rank();
    if low.len() != rank || high.len() != rank || interior.len() != rank {
        return Err(EvalError::invalid("one padding per dimension is needed"));
    }
    let shape: Option<Vec<usize>> =
        (0..rank).map(|d| padded_size(operand.shape()[d], low[d], high[d], interior[d])).collect();
    let Some(shape) = shape.filter(|_| interior.iter().all(|gap| *gap >= 0)) else {
        return Err(EvalError::invalid("the padding leaves a dimension of negative size"));
    };
    value.single()?;
    index::check_bytes(&shape, operand.element_type().bytes())?;
    let mut result = value.rearranged(&shape, |_| 0);
    index::for_each(operand.shape(), |at, position| {
        let mut target = Vec::with_capacity(rank);
        for d in 0..rank {
            let to = low[d] + at[d] as i64 * (interior[d] + 1);
            match usize::try_from(to) {
                Ok(to) if to < shape[d] => target.push(to),
                _ => return,
            }
        }
        result.copy_element(index::position(&target, &shape), operand, position);
    });
    Ok(result.with_quantization(operand.quantization().cloned()))
}

/// The operands one after the other along `dimension`.
pub fn concatenate(inputs: &[Tensor], dimension: usize) -> Result<Tensor> {
    let first = inputs.first().ok_or_else(|| EvalError::invalid("nothing to concatenate"))?;
    let mut shape = first.shape().to_vec();
    if dimension >= shape.len() {
        return Err(EvalError::invalid("the dimension is out of range"));
    }
    shape[dimension] = inputs.iter().map(|input| input.shape().get(dimension).unwrap_or(&0)).sum();
    let mut result = Tensor::zeros(&shape, first.element_type())
        .with_quantization(first.quantization().cloned());
    let mut offset = 0;
    for input in inputs {
        let mut expected = shape.clone();
        expected[dimension] = *input.shape().get(dimension).unwrap_or(&0);
        if input.shape() != expected || input.element_type() != first.element_type() {
            return Err(EvalError::invalid(format!(
                "{} cannot be concatenated with {}",
                input.type_text(),
                first.type_text()
            )));
        }
        index::for_each(input.shape(), |at, position| {
            let mut target = at.to_vec();
            target[dimension] += offset;
            result.copy_element(index::position(&target, &shape), input, position);
        });
        offset += input.shape()[dimension];
    }
    Ok(result)
}

/// Reverses the order along `dimensions`.
pub fn reverse(operand: &Tensor, dimensions: &[usize]) -> Tensor {
    let shape = operand.shape().to_vec();
    gathered(operand, &shape, |at| {
        let mut source = at.to_vec();
        for dimension in dimensions {
            if let (Some(at), Some(size)) = (source.get_mut(*dimension), shape.get(*dimension)) {
                *at = size - 1 - *at;
            }
        }
        Some(index::position(&source, &shape))
    })
}

/// The outputs without what is not valid of them, and without the shapes beside them: what the evaluator returns.
pub fn valid_parts(mut outputs: Vec<Tensor>, shapes: &[(usize, usize)]) -> Vec<Tensor> {
    for (output, list) in shapes {
        let (Some(whole), Some(list)) = (outputs.get(*output), outputs.get(*list)) else { break };
        let sizes = (0..list.len()).map(|at| usize::try_from(list.get(at).as_integer()?).ok());
        let sizes: Vec<usize> = sizes.collect::<Option<_>>().unwrap_or_default();
        let (first, step) = (vec![0; sizes.len()], vec![1; sizes.len()]);
        if let Ok(part) = slice(whole, &first, &sizes, &step) {
            outputs[*output] = part;
        }
    }
    outputs.truncate(outputs.len() - shapes.len().min(outputs.len()));
    outputs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Tensor {
        Tensor::from_i32(&[2, 3], &[1, 2, 3, 4, 5, 6])
    }

    fn values(tensor: &Tensor) -> Vec<i64> {
        tensor.to_i64s().unwrap()
    }

    #[test]
    fn transposed() {
        let transposed = transpose(&matrix(), &[1, 0]).unwrap();
        assert_eq!(
            (transposed.shape(), values(&transposed)),
            (&[3, 2][..], vec![1, 4, 2, 5, 3, 6])
        );
        assert!(transpose(&matrix(), &[0]).is_err());
    }

    #[test]
    fn broadcast() {
        let row = Tensor::from_i32(&[1, 2], &[7, 8]);
        let wide = broadcast_in_dim(&row, &[2, 3], &[1, 0]).unwrap();
        assert_eq!(values(&wide), [7, 7, 7, 8, 8, 8]);
        assert!(broadcast_in_dim(&row, &[3, 3], &[1, 0]).is_err());
        assert_eq!(
            values(&broadcast_in_dim(&Tensor::from_i32(&[], &[5]), &[2], &[]).unwrap()),
            [5, 5]
        );
    }

    #[test]
    fn sliced_with_strides() {
        let part = slice(&matrix(), &[0, 0], &[2, 3], &[1, 2]).unwrap();
        assert_eq!(values(&part), [1, 3, 4, 6]);
        assert!(slice(&matrix(), &[0, 0], &[2, 4], &[1, 1]).is_err());
    }

    #[test]
    fn padded_with_gaps_and_cuts() {
        let zero = Tensor::from_i32(&[], &[0]);
        let wide = pad(&matrix(), &zero, &[0, 1], &[1, -1], &[0, 1]).unwrap();
        assert_eq!(wide.shape(), [3, 5]);
        assert_eq!(values(&wide), [0, 1, 0, 2, 0, 0, 4, 0, 5, 0, 0, 0, 0, 0, 0]);
        let cut = pad(&matrix(), &zero, &[-1, -1], &[0, 0], &[0, 0]).unwrap();
        assert_eq!(values(&cut), [5, 6]);
        let empty = Tensor::from_i32(&[0], &[]);
        assert_eq!(values(&pad(&empty, &zero, &[1], &[1], &[2]).unwrap()), [0, 0]);
    }

    #[test]
    fn joined_and_reversed() {
        let joined = concatenate(&[matrix(), Tensor::from_i32(&[2, 0], &[]), matrix()], 1).unwrap();
        assert_eq!(values(&joined), [1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6]);
        assert!(concatenate(&[matrix(), Tensor::from_i32(&[1], &[0])], 0).is_err());
        assert_eq!(values(&reverse(&matrix(), &[1])), [3, 2, 1, 6, 5, 4]);
    }
}
