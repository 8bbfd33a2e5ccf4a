//! Operations whose shape is an operand: each reads the numbers and does what its static form does.

use crate::{
    constant_iota,
    element::{ElementType, I32},
    error::{EvalError, Result},
    gather_scatter::{self, IndexDimensions},
    shape,
    tensor::Tensor,
};

/// The sizes that a tensor of integers holds; fails for negative ones.
pub fn sizes(tensor: &Tensor) -> Result<Vec<usize>> {
    tensor
        .to_i64s()?
        .into_iter()
        .map(|size| {
            usize::try_from(size)
                .map_err(|_| EvalError::invalid(format!("{size} is not a size or position")))
        })
        .collect()
}

/// The shape that a tensor of integers holds, of a tensor that fits into memory.
fn shape_of(tensor: &Tensor, element: ElementType) -> Result<Vec<usize>> {
    let shape = sizes(tensor)?;
    crate::index::check_bytes(&shape, element.bytes())?;
    Ok(shape)
}

/// `broadcast_in_dim` to a run-time shape.
pub fn dynamic_broadcast_in_dim(
    operand: &Tensor,
    output_dimensions: &Tensor,
    dimensions: &[usize],
) -> Result<Tensor> {
    let shape = shape_of(output_dimensions, operand.element_type())?;
    shape::broadcast_in_dim(operand, &shape, dimensions)
}

/// `reshape` to a run-time shape.
pub fn dynamic_reshape(operand: &Tensor, output_shape: &Tensor) -> Result<Tensor> {
    operand.reshaped(&sizes(output_shape)?)
}

/// `iota` of a run-time shape.
pub fn dynamic_iota(
    output_shape: &Tensor,
    element_type: ElementType,
    dimension: usize,
) -> Result<Tensor> {
    let shape = shape_of(output_shape, element_type)?;
    Ok(constant_iota::iota(&shape, element_type, dimension))
}

/// `pad` by run-time amounts.
pub fn dynamic_pad(
    operand: &Tensor,
    value: &Tensor,
    low: &Tensor,
    high: &Tensor,
    interior: &Tensor,
) -> Result<Tensor> {
    shape::pad(operand, value, &low.to_i64s()?, &high.to_i64s()?, &interior.to_i64s()?)
}

/// `slice` with run-time starts, limits and strides.
pub fn real_dynamic_slice(
    operand: &Tensor,
    start: &Tensor,
    limit: &Tensor,
    strides: &Tensor,
) -> Result<Tensor> {
    shape::slice(operand, &sizes(start)?, &sizes(limit)?, &sizes(strides)?)
}

/// `gather` with run-time slice sizes.
pub fn dynamic_gather(
    operand: &Tensor,
    indices: &Tensor,
    slice_sizes: &Tensor,
    dimensions: &IndexDimensions,
) -> Result<Tensor> {
    gather_scatter::gather(operand, indices, dimensions, &sizes(slice_sizes)?)
}

/// The size of a dimension, as `i32`.
pub fn get_dimension_size(operand: &Tensor, dimension: usize) -> Result<Tensor> {
    let size = operand.shape().get(dimension).copied();
    let size = size.ok_or_else(|| EvalError::invalid("the dimension is out of range"))?;
    Ok(Tensor::of_integers(&[], I32, &[size as i64]))
}

/// The operand with a dimension truncated to the given size.
pub fn set_dimension_size(operand: &Tensor, size: &Tensor, dimension: usize) -> Result<Tensor> {
    let size = sizes(size)?;
    let mut limit = operand.shape().to_vec();
    match (limit.get_mut(dimension), size.as_slice()) {
        (Some(limit), [size]) if size <= limit => *limit = *size,
        _ => {
            return Err(EvalError::invalid(format!("the dimension cannot have the size {size:?}")));
        }
    }
    let rank = operand.rank();
    shape::slice(operand, &vec![0; rank], &limit, &vec![1; rank])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape_of(values: &[i64]) -> Tensor {
        Tensor::from_i64(&[values.len()], values)
    }

    #[test]
    fn shapes_come_from_operands() {
        let x = Tensor::from_i32(&[2, 3], &[1, 2, 3, 4, 5, 6]);
        assert_eq!(dynamic_reshape(&x, &shape_of(&[3, 2])).unwrap().shape(), [3, 2]);
        assert!(dynamic_reshape(&x, &shape_of(&[-1, 6])).is_err());
        let row = Tensor::from_i32(&[3], &[1, 2, 3]);
        let wide = dynamic_broadcast_in_dim(&row, &shape_of(&[2, 3]), &[1]).unwrap();
        assert_eq!(wide.to_i64s().unwrap(), [1, 2, 3, 1, 2, 3]);
        let counted = dynamic_iota(&shape_of(&[2, 2]), I32, 1).unwrap();
        assert_eq!(counted.to_i64s().unwrap(), [0, 1, 0, 1]);
        let part =
            real_dynamic_slice(&x, &shape_of(&[1, 0]), &shape_of(&[2, 3]), &shape_of(&[1, 2]));
        assert_eq!(part.unwrap().to_i64s().unwrap(), [4, 6]);
    }

    #[test]
    fn sizes_are_read_and_set() {
        let x = Tensor::from_i32(&[2, 3], &[1, 2, 3, 4, 5, 6]);
        assert_eq!(get_dimension_size(&x, 1).unwrap().to_i64s().unwrap(), [3]);
        let cut = set_dimension_size(&x, &Tensor::from_i32(&[], &[2]), 1).unwrap();
        assert_eq!(cut.to_i64s().unwrap(), [1, 2, 4, 5]);
        assert!(set_dimension_size(&x, &Tensor::from_i32(&[], &[4]), 1).is_err());
    }
}
