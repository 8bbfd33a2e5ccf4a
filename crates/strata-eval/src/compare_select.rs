//! compare, select, clamp.

use std::cmp::Ordering;

use crate::{
    element::{Element, ElementType},
    elementwise::{complex_less, maximum, minimum, same_shape},
    error::{EvalError, Result},
    tensor::Tensor,
};

/// Which relation `compare` asks for.
#[allow(missing_docs)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Eq,
    Ne,
    Ge,
    Gt,
    Le,
    Lt,
}

impl Direction {
    /// The direction with that name (`EQ`, `NE`, `GE`, `GT`, `LE`, `LT`).
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "EQ" => Direction::Eq,
            "NE" => Direction::Ne,
            "GE" => Direction::Ge,
            "GT" => Direction::Gt,
            "LE" => Direction::Le,
            "LT" => Direction::Lt,
            _ => return None,
        })
    }

    fn accepts(self, ordering: Option<Ordering>) -> bool {
        match (self, ordering) {
            // Only NE holds where a NaN is compared.
            (Direction::Ne, ordering) => ordering != Some(Ordering::Equal),
            (_, None) => false,
            (Direction::Eq, Some(ordering)) => ordering.is_eq(),
            (Direction::Ge, Some(ordering)) => ordering.is_ge(),
            (Direction::Gt, Some(ordering)) => ordering.is_gt(),
            (Direction::Le, Some(ordering)) => ordering.is_le(),
            (Direction::Lt, Some(ordering)) => ordering.is_lt(),
        }
    }
}

/// Compares two elements. With `total_order`, -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
pub fn compare_elements(
    lhs: Element,
    rhs: Element,
    direction: Direction,
    total_order: bool,
) -> Option<bool> {
    let ordering = match (lhs, rhs) {
        (Element::Bool(a), Element::Bool(b)) => Some(a.cmp(&b)),
        (Element::Signed(a), Element::Signed(b)) => Some(a.cmp(&b)),
        (Element::Unsigned(a), Element::Unsigned(b)) => Some(a.cmp(&b)),
        (Element::Float(a), Element::Float(b)) if total_order => Some(a.total_cmp(&b)),
        (Element::Float(a), Element::Float(b)) => a.partial_cmp(&b),
        (Element::Complex(a), Element::Complex(b)) => {
            if a == b {
                Some(Ordering::Equal)
            } else if complex_less(a, b) {
                Some(Ordering::Less)
            } else if complex_less(b, a) {
                Some(Ordering::Greater)
            } else {
                None
            }
        }
        _ => return None,
    };
    Some(direction.accepts(ordering))
}

/// Compares element by element.
pub fn compare(
    lhs: &Tensor,
    rhs: &Tensor,
    direction: Direction,
    total_order: bool,
) -> Result<Tensor> {
    same_shape(lhs, rhs)?;
    Tensor::try_from_fn(lhs.shape(), ElementType::Bool, |position| {
        compare_elements(lhs.get(position), rhs.get(position), direction, total_order)
            .map(Element::Bool)
            .ok_or_else(|| EvalError::invalid("the operands have different element types"))
    })
}

/// Takes each element from `on_true` where `pred` holds and from `on_false` elsewhere.
///
/// A `pred` of rank 0 chooses a whole tensor.
pub fn select(pred: &Tensor, on_true: &Tensor, on_false: &Tensor) -> Result<Tensor> {
    same_shape(on_true, on_false)?;
    if pred.rank() > 0 {
        same_shape(pred, on_true)?;
    }
    let mut result = on_false.clone();
    for position in 0..on_true.len() {
        let chosen = pred.get(if pred.rank() == 0 { 0 } else { position });
        if chosen.as_bool().ok_or_else(|| EvalError::invalid("the predicate is not i1"))? {
            result.copy_element(position, on_true, position);
        }
    }
    Ok(result)
}

/// `minimum(maximum(operand, min), max)`, where a bound of rank 0 holds for all elements.
pub fn clamp(min: &Tensor, operand: &Tensor, max: &Tensor) -> Result<Tensor> {
    let spread = |bound: &Tensor| {
        if bound.rank() == 0 && operand.rank() > 0 {
            bound.rearranged(operand.shape(), |_| 0)
        } else {
            bound.clone()
        }
    };
    minimum(&maximum(operand, &spread(min))?, &spread(max))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bools(tensor: Result<Tensor>) -> Vec<i64> {
        tensor.unwrap().to_i64s().unwrap()
    }

    #[test]
    fn nan_compares_only_as_different() {
        let a = Tensor::from_f32(&[3], &[f32::NAN, 0.0, 1.0]);
        let b = Tensor::from_f32(&[3], &[f32::NAN, -0.0, 2.0]);
        assert_eq!(bools(compare(&a, &b, Direction::Eq, false)), [0, 1, 0]);
        assert_eq!(bools(compare(&a, &b, Direction::Ne, false)), [1, 0, 1]);
        assert_eq!(bools(compare(&a, &b, Direction::Le, false)), [0, 1, 1]);
    }

    #[test]
    fn the_total_order_knows_signs() {
        let a = Tensor::from_f32(&[3], &[-f32::NAN, -0.0, f32::INFINITY]);
        let b = Tensor::from_f32(&[3], &[f32::NEG_INFINITY, 0.0, f32::NAN]);
        assert_eq!(bools(compare(&a, &b, Direction::Lt, true)), [1, 1, 1]);
        assert_eq!(bools(compare(&a, &a, Direction::Eq, true)), [1, 1, 1]);
    }

    #[test]
    fn select_by_scalar_and_by_element() {
        let a = Tensor::from_i32(&[2], &[1, 2]);
        let b = Tensor::from_i32(&[2], &[3, 4]);
        let scalar = Tensor::from_bools(&[], &[true]);
        assert_eq!(bools(select(&scalar, &a, &b)), [1, 2]);
        let mixed = Tensor::from_bools(&[2], &[false, true]);
        assert_eq!(bools(select(&mixed, &a, &b)), [3, 2]);
        assert!(select(&Tensor::from_bools(&[1], &[true]), &a, &b).is_err());
    }

    #[test]
    fn clamp_by_scalars() {
        let x = Tensor::from_i32(&[3], &[-5, 0, 5]);
        let clamped = clamp(&Tensor::from_i32(&[], &[-1]), &x, &Tensor::from_i32(&[], &[2]));
        assert_eq!(bools(clamped), [-1, 0, 2]);
    }
}
