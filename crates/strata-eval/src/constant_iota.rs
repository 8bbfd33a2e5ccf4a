//! constant and iota.

use crate::{element::ElementType, tensor::Tensor};

/// Each element is its own index along `dimension`, converted to the element type.
pub fn iota(shape: &[usize], element_type: ElementType, dimension: usize) -> Tensor {
    let strides = crate::index::strides(shape);
    let (Some(stride), Some(size)) = (strides.get(dimension), shape.get(dimension)) else {
        return Tensor::zeros(shape, element_type);
    };
    Tensor::from_fn(shape, element_type, |position| {
        element_type.from_i64((position / stride % size) as i64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{F32, I32};

    #[test]
    fn counts_along_one_dimension() {
        assert_eq!(iota(&[2, 3], I32, 1).to_i64s().unwrap(), [0, 1, 2, 0, 1, 2]);
        assert_eq!(iota(&[2, 3], F32, 0).to_f64s(), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        // 9 does not fit into four signed bits and wraps.
        let wrapped = iota(&[10], ElementType::Signed(4), 0).to_i64s().unwrap();
        assert_eq!(wrapped[9], -7);
        assert!(iota(&[0], I32, 0).is_empty());
    }
}
