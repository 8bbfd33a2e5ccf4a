//! reduce, map, and scan: folding a computation over elements.

use crate::{
    convert::convert_element,
    element::{Element, ElementType},
    error::{EvalError, Result},
    fold::{Fold, Order},
    index,
    tensor::Tensor,
};

/// A computation on scalars: the elements of its arguments, in order, to those of its results.
pub type Body<'a> = dyn FnMut(&[Element]) -> Result<Vec<Element>> + 'a;

/// Fails unless `count` elements came out of a body.
pub(crate) fn expect_count(results: &[Element], count: usize) -> Result<()> {
    if results.len() == count {
        return Ok(());
    }
    Err(EvalError::invalid(format!("the body returned {} values, not {count}", results.len())))
}

/// Fails unless the inputs have one shape; returns it.
pub(crate) fn common_shape(inputs: &[Tensor]) -> Result<Vec<usize>> {
    let first = inputs.first().ok_or_else(|| EvalError::invalid("there is no input"))?;
    if inputs.iter().all(|input| input.shape() == first.shape()) {
        return Ok(first.shape().to_vec());
    }
    Err(EvalError::invalid("the inputs have different shapes"))
}

/// The single elements of the initial values, in the types of the results.
pub(crate) fn initial_elements(inits: &[Tensor], types: &[ElementType]) -> Result<Vec<Element>> {
    inits.iter().zip(types).map(|(init, ty)| Ok(convert_element(init.single()?, *ty))).collect()
}

/// Folds the elements along `dimensions`, in row-major order or in that of [`Order`], starting from the initial values.
///
/// `body` gets the accumulated values and then the elements.
pub fn reduce(
    inputs: &[Tensor],
    inits: &[Tensor],
    dimensions: &[usize],
    types: &[ElementType],
    order: Order,
    body: &mut Body<'_>,
) -> Result<Vec<Tensor>> {
    let shape = common_shape(inputs)?;
    if inits.len() != inputs.len() || types.len() != inputs.len() {
        return Err(EvalError::invalid("one initial value per input is needed"));
    }
    let kept: Vec<usize> = (0..shape.len()).filter(|d| !dimensions.contains(d)).collect();
    let result_shape: Vec<usize> = kept.iter().map(|d| shape[*d]).collect();
    let result_strides = index::strides(&result_shape);
    let initial = initial_elements(inits, types)?;
    let mut folds = vec![Fold::new(&initial, order); index::element_count(&result_shape)];
    let mut elements = Vec::with_capacity(inputs.len());
    index::try_for_each(&shape, |at, position| {
        let target: usize =
            kept.iter().zip(&result_strides).map(|(d, stride)| at[*d] * stride).sum();
        elements.clear();
        elements.extend(inputs.iter().map(|input| input.get(position)));
        folds[target].push(&elements, body)
    })?;
    let sums = folds.iter().map(|fold| fold.value(body)).collect::<Result<Vec<_>>>()?;
    Ok(types
        .iter()
        .enumerate()
        .map(|(at, ty)| Tensor::from_fn(&result_shape, *ty, |position| sums[position][at]))
        .collect())
}

/// Applies `body` to the elements at each index of all inputs.
pub fn map(inputs: &[Tensor], result: ElementType, body: &mut Body<'_>) -> Result<Tensor> {
    let shape = common_shape(inputs)?;
    Tensor::try_from_fn(&shape, result, |position| {
        let arguments: Vec<Element> = inputs.iter().map(|input| input.get(position)).collect();
        let mapped = body(&arguments)?;
        expect_count(&mapped, 1)?;
        Ok(mapped[0])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{I32, I64};

    fn add(arguments: &[Element]) -> Result<Vec<Element>> {
        match arguments {
            [Element::Signed(a), Element::Signed(b)] => Ok(vec![Element::Signed(a + b)]),
            _ => Err(EvalError::invalid("two integers")),
        }
    }

    #[test]
    fn sums_along_any_dimensions() {
        let x = Tensor::from_i32(&[2, 3], &[1, 2, 3, 4, 5, 6]);
        let init = [Tensor::from_i32(&[], &[10])];
        let inputs = [x];
        let along = |dimensions: &[usize]| {
            let sums = reduce(&inputs, &init, dimensions, &[I32], Order::Given, &mut add).unwrap();
            sums[0].to_i64s().unwrap()
        };
        assert_eq!(along(&[0]), [15, 17, 19]);
        assert_eq!(along(&[1]), [16, 25]);
        assert_eq!(along(&[0, 1]), [31]);
        assert_eq!(along(&[]), [11, 12, 13, 14, 15, 16]);
    }

    #[test]
    fn nothing_to_fold_leaves_the_initial_value() {
        let x = [Tensor::from_i32(&[0, 2], &[])];
        let sums = reduce(&x, &[Tensor::from_i32(&[], &[7])], &[0], &[I32], Order::Given, &mut add)
            .unwrap();
        assert_eq!(sums[0].to_i64s().unwrap(), [7, 7]);
    }

    #[test]
    fn several_inputs_are_folded_together() {
        // The position of the largest element.
        let values = Tensor::from_i32(&[4], &[3, 9, 2, 9]);
        let positions = Tensor::from_i64(&[4], &[0, 1, 2, 3]);
        let inits = [Tensor::from_i32(&[], &[i32::MIN]), Tensor::from_i64(&[], &[-1])];
        let best = reduce(
            &[values, positions],
            &inits,
            &[0],
            &[I32, I64],
            Order::Given,
            &mut |arguments| {
                let better = arguments[2].as_integer() > arguments[0].as_integer();
                Ok(if better { arguments[2..].to_vec() } else { arguments[..2].to_vec() })
            },
        );
        let best = best.unwrap();
        assert_eq!(best[1].to_i64s().unwrap(), [1]);
        assert_eq!(best[0].to_i64s().unwrap(), [9]);
    }

    #[test]
    fn mapping() {
        let x = Tensor::from_i32(&[2], &[1, 2]);
        let sum = map(&[x.clone(), x], I32, &mut add).unwrap();
        assert_eq!(sum.to_i64s().unwrap(), [2, 4]);
        assert!(map(&[], I32, &mut add).is_err());
    }
}
