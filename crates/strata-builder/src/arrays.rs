//! Literals of `ndarray`'s arrays, and back (feature `ndarray`).

use ndarray::{ArrayBase, ArrayD, Data, Dimension, IxDyn};
use strata_diag::{Diagnostic, codes};

use crate::{element::Native, error::Result, literal::Literal};

impl<T: Native, S: Data<Elem = T>, D: Dimension> From<&ArrayBase<S, D>> for Literal {
    /// The elements in row-major order, whatever the array's memory layout.
    fn from(array: &ArrayBase<S, D>) -> Self {
        let mut bytes = Vec::with_capacity(array.len() * size_of::<T>());
        array.iter().for_each(|value| value.put(&mut bytes));
        Self::filled(T::TYPE, array.shape().to_vec(), bytes)
    }
}

impl<T: Native, S: Data<Elem = T>, D: Dimension> From<ArrayBase<S, D>> for Literal {
    fn from(array: ArrayBase<S, D>) -> Self {
        Self::from(&array)
    }
}

impl Literal {
    /// The elements as an array.
    ///
    /// # Errors
    /// `S1803` where the elements are not of type `T`.
    pub fn to_ndarray<T: Native>(&self) -> Result<ArrayD<T>> {
        ArrayD::from_shape_vec(IxDyn(self.dimensions()), self.to_vec()?)
            .map_err(|error| Diagnostic::new(codes::S1802).reason(error.to_string()).into())
    }
}

#[cfg(test)]
mod tests {
    use crate::Literal;

    #[test]
    fn arrays_in_any_order_of_memory_become_literals_and_back() {
        let array = ndarray::array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
        assert_eq!(Literal::from(&array), Literal::from([[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]]));
        let transposed = array.t();
        assert_eq!(
            Literal::from(&transposed),
            Literal::from([[1.0_f32, 4.0], [2.0, 5.0], [3.0, 6.0]])
        );
        assert_eq!(Literal::from(&array).to_ndarray::<f32>().expect("floats"), array.into_dyn());
        assert!(Literal::from([1_i32]).to_ndarray::<f32>().is_err());
    }
}
