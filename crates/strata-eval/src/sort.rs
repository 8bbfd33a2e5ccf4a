//! sort and top_k.

use std::cmp::Ordering;

use crate::{
    element::{Element, I32},
    error::{EvalError, Result},
    index,
    reduce::{Body, common_shape, expect_count},
    tensor::Tensor,
};

/// A random number below another.
pub type Dice<'c> = dyn FnMut(usize) -> usize + 'c;

/// Sorts positions by `precedes`, stably, for any `precedes`. The list is split in halves, or elsewhere: if `precedes` is an
/// order, that does not matter.
fn merge_sort(
    order: &mut Vec<usize>,
    precedes: &mut dyn FnMut(usize, usize) -> Result<bool>,
    dice: &mut Option<&mut Dice<'_>>,
) -> Result<()> {
    if order.len() < 2 {
        return Ok(());
    }
    let cut = match dice {
        Some(dice) => 1 + dice(order.len() - 1),
        None => order.len() / 2,
    };
    let mut right = order.split_off(cut);
    merge_sort(order, precedes, dice)?;
    merge_sort(&mut right, precedes, dice)?;
    let left = std::mem::take(order);
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        // The right one goes first only if it must.
        let next = if precedes(*b, *a)? { right.next() } else { left.next() };
        order.extend(next);
    }
    order.extend(left);
    order.extend(right);
    Ok(())
}

/// Sorts the slices along `dimension` of all inputs together, always stably.
///
/// `comparator` gets the elements of the first input at two positions, then those of the second, and so on; it returns whether
/// the first position comes first.
pub fn sort(inputs: &[Tensor], dimension: usize, comparator: &mut Body<'_>) -> Result<Vec<Tensor>> {
    sort_open(inputs, dimension, comparator, &mut None)
}

/// As [`sort`]; but a slice whose order the comparator leaves open (`<` of floats with NaN among them) gets one of its elements
/// everywhere, as any may be anywhere.
pub fn sort_open(
    inputs: &[Tensor],
    dimension: usize,
    comparator: &mut Body<'_>,
    dice: &mut Option<&mut Dice<'_>>,
) -> Result<Vec<Tensor>> {
    let shape = common_shape(inputs)?;
    let Some(size) = shape.get(dimension).copied() else {
        return Err(EvalError::invalid("the dimension is out of range"));
    };
    let stride: usize = shape[dimension + 1..].iter().product();
    let mut outer = shape.clone();
    outer[dimension] = 1;
    let mut results = inputs.to_vec();
    let mut arguments = Vec::with_capacity(2 * inputs.len());
    index::try_for_each(&outer, |at, _| {
        let base = index::position(at, &shape);
        let mut order: Vec<usize> = (0..size).map(|place| base + place * stride).collect();
        let mut precedes = |a, b| {
            arguments.clear();
            for input in inputs {
                arguments.extend([input.get(a), input.get(b)]);
            }
            let answer = comparator(&arguments)?;
            expect_count(&answer, 1)?;
            answer[0].as_bool().ok_or_else(|| EvalError::invalid("the comparator must return i1"))
        };
        let given = order.clone();
        merge_sort(&mut order, &mut precedes, &mut None)?;
        if dice.is_some() {
            let mut other = given.clone();
            merge_sort(&mut other, &mut precedes, dice)?;
            if let Some(dice) = dice
                && other != order
            {
                let is_nan =
                    |at: &&usize| matches!(inputs[0].get(**at), Element::Float(x) if x.is_nan());
                let nans: Vec<usize> = given.iter().filter(is_nan).copied().collect();
                let pool = if nans.is_empty() || dice(2) == 0 { &given } else { &nans };
                order = vec![pool[dice(pool.len())]; given.len()];
            }
        }
        for (result, input) in results.iter_mut().zip(inputs) {
            for (place, from) in order.iter().enumerate() {
                result.copy_element(base + place * stride, input, *from);
            }
        }
        Ok(())
    })?;
    Ok(results)
}

/// The `k` largest elements of each row of the last dimension in descending order, and their indices;
/// of equal ones the first comes first. NaN is the largest number.
pub fn top_k(operand: &Tensor, k: usize) -> Result<(Tensor, Tensor)> {
    let mut shape = operand.shape().to_vec();
    let Some(size) = shape.pop().filter(|size| k <= *size) else {
        return Err(EvalError::invalid(format!("there are no {k} elements in a row")));
    };
    let rows = index::element_count(&shape);
    shape.push(k);
    let greater = |a: Element, b: Element| match (a, b) {
        (Element::Float(a), Element::Float(b)) => a.total_cmp(&b) == Ordering::Greater,
        (Element::Unsigned(a), Element::Unsigned(b)) => a > b,
        (a, b) => a.as_integer() > b.as_integer(),
    };
    let mut positions = Vec::with_capacity(rows * k);
    for row in 0..rows {
        let mut order: Vec<usize> = (row * size..(row + 1) * size).collect();
        let mut precedes = |a, b| Ok(greater(operand.get(a), operand.get(b)));
        merge_sort(&mut order, &mut precedes, &mut None)?;
        positions.extend_from_slice(&order[..k]);
    }
    let values = operand.rearranged(&shape, |position| positions[position]);
    let indices = Tensor::from_fn(&shape, I32, |position| {
        Element::Signed((positions[position] % size) as i64)
    });
    Ok((values, indices))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn less(arguments: &[Element]) -> Result<Vec<Element>> {
        Ok(vec![Element::Bool(arguments[0].as_integer() < arguments[1].as_integer())])
    }

    #[test]
    fn rows_and_columns() {
        let x = [Tensor::from_i32(&[2, 3], &[3, 1, 2, 1, 3, 2])];
        let rows = sort(&x, 1, &mut less).unwrap();
        assert_eq!(rows[0].to_i64s().unwrap(), [1, 2, 3, 1, 2, 3]);
        let columns = sort(&x, 0, &mut less).unwrap();
        assert_eq!(columns[0].to_i64s().unwrap(), [1, 1, 2, 3, 3, 2]);
    }

    #[test]
    fn payload_moves_along_and_equals_keep_their_order() {
        let keys = Tensor::from_i32(&[5], &[2, 1, 2, 1, 0]);
        let positions = Tensor::from_i32(&[5], &[0, 1, 2, 3, 4]);
        let sorted = sort(&[keys, positions], 0, &mut less).unwrap();
        assert_eq!(sorted[1].to_i64s().unwrap(), [4, 1, 3, 0, 2]);
    }

    #[test]
    fn an_inconsistent_comparator_does_no_harm() {
        let x = [Tensor::from_i32(&[40], &[1; 40])];
        let sorted = sort(&x, 0, &mut |_| Ok(vec![Element::Bool(true)])).unwrap();
        assert_eq!(sorted[0], x[0]);
    }

    #[test]
    fn the_largest_come_first() {
        let x = Tensor::from_f32(&[1, 5], &[1.0, 7.0, f32::NAN, 7.0, -1.0]);
        let (values, positions) = top_k(&x, 3).unwrap();
        assert!(values.to_f64s()[0].is_nan());
        assert_eq!(values.to_f64s()[1..], [7.0, 7.0]);
        assert_eq!(positions.to_i64s().unwrap(), [2, 1, 3]);
        assert!(top_k(&x, 6).is_err());
    }
}
