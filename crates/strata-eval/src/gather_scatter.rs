//! gather, scatter, dynamic_slice, dynamic_update_slice, torch_index_select.

use strata_ir::Semantics;

use crate::{
    convert::convert_element,
    element::{Element, ElementType},
    error::{EvalError, Result},
    index,
    reduce::{Body, common_shape, expect_count},
    shape,
    tensor::Tensor,
};

/// Which dimensions of the operand an index vector addresses and where its slice goes.
///
/// `gather` and `scatter` share the form: the offset dimensions of one are the window dimensions of the
/// other, collapsed slices are inserted windows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexDimensions {
    /// Dimensions of the result (updates) that run through the slice.
    pub offset: Vec<usize>,
    /// Dimensions of the operand that a slice does not have, as it is of size 1 there.
    pub collapsed: Vec<usize>,
    /// Dimensions of the operand that run along with `index_batching`.
    pub operand_batching: Vec<usize>,
    /// Dimensions of the indices that run along with `operand_batching`.
    pub index_batching: Vec<usize>,
    /// The operand dimension that each element of an index vector addresses.
    pub index_map: Vec<usize>,
    /// The dimension of the indices that holds the index vectors; their rank means: scalars.
    pub index_vector: usize,
}

impl IndexDimensions {
    /// The operand dimensions that a slice has.
    fn slice_dimensions(&self, rank: usize) -> Vec<usize> {
        (0..rank)
            .filter(|d| !self.collapsed.contains(d) && !self.operand_batching.contains(d))
            .collect()
    }

    /// The shape of the indices without the index vector's dimension.
    fn batch_shape(&self, indices: &Tensor) -> Vec<usize> {
        let mut shape = indices.shape().to_vec();
        if self.index_vector < shape.len() {
            shape.remove(self.index_vector);
        }
        shape
    }

    fn check(&self, operand_rank: usize, indices: &Tensor) -> Result<()> {
        let in_operand = |list: &[usize]| list.iter().all(|d| *d < operand_rank);
        let vector = indices.shape().get(self.index_vector).copied().unwrap_or(1);
        let fits = in_operand(&self.collapsed)
            && in_operand(&self.operand_batching)
            && in_operand(&self.index_map)
            && self.index_vector <= indices.rank()
            && self.operand_batching.len() == self.index_batching.len()
            && self.index_batching.iter().all(|d| *d < indices.rank())
            && vector == self.index_map.len();
        if fits {
            return Ok(());
        }
        Err(EvalError::invalid("the dimension numbers do not fit the operands"))
    }

    /// Where in the operand the slice of the index vector at `batch` starts, unclamped.
    fn start(&self, indices: &Tensor, batch: &[usize], rank: usize) -> Result<Vec<i64>> {
        let mut start = vec![0; rank];
        let place = |element: usize| {
            let mut at = batch.to_vec();
            if self.index_vector < indices.rank() {
                at.insert(self.index_vector, element);
            }
            at
        };
        for (element, dimension) in self.index_map.iter().enumerate() {
            let value = indices.at(&place(element)).as_integer();
            start[*dimension] =
                value.ok_or_else(|| EvalError::invalid("the indices are not integers"))?;
        }
        let at = place(0);
        for (operand, index) in self.operand_batching.iter().zip(&self.index_batching) {
            start[*operand] = at[*index] as i64;
        }
        Ok(start)
    }
}

/// Slices of the operand at run-time positions, clamped to the operand; zeros where a dimension that the result lacks is one of which
/// slices take nothing, as XLA has it.
pub fn gather(
    operand: &Tensor,
    indices: &Tensor,
    dimensions: &IndexDimensions,
    slice_sizes: &[usize],
) -> Result<Tensor> {
    let rank = operand.rank();
    dimensions.check(rank, indices)?;
    let slice_dimensions = dimensions.slice_dimensions(rank);
    let mut lacking = dimensions.collapsed.iter().chain(&dimensions.operand_batching);
    let slice_fits = slice_sizes.len() == rank
        && lacking.clone().all(|dim| slice_sizes[*dim] <= 1)
        && slice_sizes.iter().zip(operand.shape()).all(|(size, of)| size <= of)
        && slice_dimensions.len() == dimensions.offset.len();
    if !slice_fits {
        return Err(EvalError::invalid(format!(
            "slices of {slice_sizes:?} do not fit an operand of {:?}",
            operand.shape()
        )));
    }
    let batch_shape = dimensions.batch_shape(indices);
    let slice_shape: Vec<usize> = slice_dimensions.iter().map(|d| slice_sizes[*d]).collect();
    let result_rank = batch_shape.len() + slice_shape.len();
    let batch_dimensions: Vec<usize> =
        (0..result_rank).filter(|d| !dimensions.offset.contains(d)).collect();
    if batch_dimensions.len() != batch_shape.len() {
        return Err(EvalError::invalid("an offset dimension is out of range"));
    }
    let mut shape = vec![0; result_rank];
    batch_dimensions.iter().zip(&batch_shape).for_each(|(d, size)| shape[*d] = *size);
    dimensions.offset.iter().zip(&slice_shape).for_each(|(d, size)| shape[*d] = *size);

    let result_strides = index::strides(&shape);
    let mut result = Tensor::zeros(&shape, operand.element_type())
        .with_quantization(operand.quantization().cloned());
    if lacking.any(|dim| slice_sizes[*dim] == 0) {
        return Ok(result);
    }
    index::try_for_each(&batch_shape, |batch, _| {
        let start = dimensions.start(indices, batch, rank)?;
        let origin: Vec<usize> = (0..rank)
            .map(|d| start[d].clamp(0, (operand.shape()[d] - slice_sizes[d]) as i64) as usize)
            .collect();
        let base: usize =
            batch_dimensions.iter().zip(batch).map(|(d, at)| at * result_strides[*d]).sum();
        index::for_each(&slice_shape, |offset, _| {
            let mut from = origin.clone();
            let mut to = base;
            for (which, at) in offset.iter().enumerate() {
                from[slice_dimensions[which]] += at;
                to += at * result_strides[dimensions.offset[which]];
            }
            result.copy_element(to, operand, index::position(&from, operand.shape()));
        });
        Ok(())
    })?;
    Ok(result)
}

/// Combines updates into slices of the inputs at run-time positions, in row-major order of the updates.
///
/// `body` gets the current elements of all inputs and then those of the updates. A window that is partly out of bounds of the inputs
/// is dropped, or by the specification those of its elements that are.
pub fn scatter(
    inputs: &[Tensor],
    indices: &Tensor,
    updates: &[Tensor],
    dimensions: &IndexDimensions,
    semantics: Semantics,
    types: &[ElementType],
    body: &mut Body<'_>,
) -> Result<Vec<Tensor>> {
    let input_shape = common_shape(inputs)?;
    let update_shape = common_shape(updates)?;
    let rank = input_shape.len();
    dimensions.check(rank, indices)?;
    let slice_dimensions = dimensions.slice_dimensions(rank);
    let batch_dimensions: Vec<usize> =
        (0..update_shape.len()).filter(|d| !dimensions.offset.contains(d)).collect();
    let batch_shape: Vec<usize> = batch_dimensions.iter().map(|d| update_shape[*d]).collect();
    let fits = inputs.len() == updates.len()
        && types.len() == inputs.len()
        && slice_dimensions.len() == dimensions.offset.len()
        && dimensions.offset.iter().all(|d| *d < update_shape.len())
        && batch_shape == dimensions.batch_shape(indices);
    if !fits {
        return Err(EvalError::invalid("the updates do not fit the indices and dimension numbers"));
    }
    let mut results: Vec<Tensor> =
        inputs.iter().zip(types).map(|(input, ty)| crate::convert::convert(input, *ty)).collect();
    let mut arguments = Vec::with_capacity(2 * inputs.len());
    // One window after the other, as compiled code and XLA do: the specification leaves the order open, which shows where
    // windows overlap.
    let window_shape: Vec<usize> = dimensions.offset.iter().map(|d| update_shape[*d]).collect();
    // How far a window reaches in each dimension of the inputs.
    let mut reach = vec![1; rank];
    slice_dimensions.iter().zip(&window_shape).for_each(|(dim, size)| reach[*dim] = *size);
    let in_order: Vec<usize> = batch_shape.iter().chain(&window_shape).copied().collect();
    let mut at = vec![0; update_shape.len()];
    index::try_for_each(&in_order, |ordered, _| {
        let (batch, window) = ordered.split_at(batch_shape.len());
        for (dimension, one) in
            batch_dimensions.iter().zip(batch).chain(dimensions.offset.iter().zip(window))
        {
            at[*dimension] = *one;
        }
        let position = index::position(&at, &update_shape);
        let mut place = dimensions.start(indices, batch, rank)?;
        let fits = place.iter().zip(&reach).zip(&input_shape).all(|((start, reach), size)| {
            *start >= 0 && start.saturating_add(*reach as i64) <= *size as i64
        });
        if semantics == Semantics::Xla && !fits {
            return Ok(());
        }
        for (which, dimension) in slice_dimensions.iter().enumerate() {
            let offset = window[which] as i64;
            // An index near the end of its range must not wrap back into the operand.
            place[*dimension] = place[*dimension].saturating_add(offset);
        }
        let outside =
            place.iter().zip(&input_shape).any(|(at, size)| *at < 0 || *at >= *size as i64);
        if outside {
            return Ok(());
        }
        let target = place
            .iter()
            .zip(&input_shape)
            .fold(0, |position, (at, size)| position * size + *at as usize);
        arguments.clear();
        arguments.extend(results.iter().map(|result| result.get(target)));
        arguments.extend(updates.iter().map(|update| update.get(position)));
        let combined = body(&arguments)?;
        expect_count(&combined, results.len())?;
        for (result, element) in results.iter_mut().zip(combined) {
            result.set(target, element);
        }
        Ok(())
    })?;
    Ok(results)
}

/// The start indices, clamped so that a slice of `sizes` is within `shape`.
fn clamped_start(starts: &[Tensor], shape: &[usize], sizes: &[usize]) -> Result<Vec<usize>> {
    let fits = starts.len() == shape.len()
        && sizes.len() == shape.len()
        && sizes.iter().zip(shape).all(|(size, of)| size <= of);
    if !fits {
        return Err(EvalError::invalid(format!("slices of {sizes:?} do not fit {shape:?}")));
    }
    starts
        .iter()
        .zip(shape.iter().zip(sizes))
        .map(|(start, (of, size))| {
            let start = start.single()?.as_integer();
            let start =
                start.ok_or_else(|| EvalError::invalid("a start index is not an integer"))?;
            Ok(start.clamp(0, (of - size) as i64) as usize)
        })
        .collect()
}

/// A slice of fixed size at a run-time position, clamped into the operand.
pub fn dynamic_slice(operand: &Tensor, starts: &[Tensor], sizes: &[usize]) -> Result<Tensor> {
    let start = clamped_start(starts, operand.shape(), sizes)?;
    let limit: Vec<usize> = start.iter().zip(sizes).map(|(start, size)| start + size).collect();
    shape::slice(operand, &start, &limit, &vec![1; operand.rank()])
}

/// The operand with a slice replaced at a run-time position, clamped into the operand.
pub fn dynamic_update_slice(
    operand: &Tensor,
    update: &Tensor,
    starts: &[Tensor],
) -> Result<Tensor> {
    let start = clamped_start(starts, operand.shape(), update.shape())?;
    let mut result = operand.clone();
    index::for_each(update.shape(), |at, position| {
        let place: Vec<usize> = start.iter().zip(at).map(|(start, at)| start + at).collect();
        result.copy_element(index::position(&place, operand.shape()), update, position);
    });
    Ok(result)
}

/// Elements of `operand` along `dim` at the positions in `index`, the first `batch_dims` dimensions
/// running along.
pub fn torch_index_select(
    operand: &Tensor,
    index: &Tensor,
    dim: usize,
    batch_dims: usize,
) -> Result<Tensor> {
    if dim >= operand.rank() || batch_dims > dim || batch_dims > index.rank() {
        return Err(EvalError::invalid("the dimension is out of range"));
    }
    let shape: Vec<usize> =
        [&operand.shape()[..dim], &index.shape()[batch_dims..], &operand.shape()[dim + 1..]]
            .concat();
    let indexed = index.rank() - batch_dims;
    let limit = operand.shape()[dim] as i64 - 1;
    let mut result = Tensor::zeros(&shape, operand.element_type());
    index::try_for_each(&shape, |at, position| {
        let which = [&at[..batch_dims], &at[dim..dim + indexed]].concat();
        let chosen = convert_element(index.at(&which), ElementType::Signed(64));
        let (Element::Signed(chosen), true) = (chosen, limit >= 0) else {
            return Err(EvalError::invalid("there is nothing to select from"));
        };
        let mut from = [&at[..dim], &[chosen.clamp(0, limit) as usize]].concat();
        from.extend_from_slice(&at[dim + indexed..]);
        result.copy_element(position, operand, index::position(&from, operand.shape()));
        Ok(())
    })?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::I32;

    fn table() -> Tensor {
        Tensor::from_i32(&[3, 2], &[1, 2, 3, 4, 5, 6])
    }

    fn rows() -> IndexDimensions {
        IndexDimensions {
            offset: vec![1],
            collapsed: vec![0],
            index_map: vec![0],
            index_vector: 1,
            ..IndexDimensions::default()
        }
    }

    fn values(tensor: Result<Tensor>) -> Vec<i64> {
        tensor.unwrap().to_i64s().unwrap()
    }

    fn add(arguments: &[Element]) -> Result<Vec<Element>> {
        let sum = arguments.iter().filter_map(|element| element.as_integer()).sum();
        Ok(vec![Element::Signed(sum)])
    }

    #[test]
    fn rows_are_gathered_and_clamped() {
        let indices = Tensor::from_i32(&[3], &[2, -5, 9]);
        let gathered = gather(&table(), &indices, &rows(), &[1, 2]);
        assert_eq!(values(gathered), [5, 6, 1, 2, 5, 6]);
    }

    #[test]
    fn slices_of_nothing_are_zeros_and_larger_ones_are_refused() {
        let indices = Tensor::from_i32(&[2], &[1, 9]);
        let take = |count| gather(&table(), &indices, &rows(), &[count, 2]);
        assert_eq!(values(take(0)), [0, 0, 0, 0]);
        assert!(take(2).is_err(), "the result lacks the dimension");
    }

    #[test]
    fn batches_run_along() {
        let dimensions = IndexDimensions {
            operand_batching: vec![0],
            index_batching: vec![0],
            index_map: vec![1],
            collapsed: vec![1],
            index_vector: 1,
            ..IndexDimensions::default()
        };
        let indices = Tensor::from_i32(&[3, 1], &[1, 0, 1]);
        assert_eq!(values(gather(&table(), &indices, &dimensions, &[1, 1])), [2, 3, 6]);
    }

    #[test]
    fn updates_outside_are_dropped() {
        let indices = Tensor::from_i32(&[3], &[0, 0, 7]);
        let updates = Tensor::from_i32(&[3, 2], &[10, 20, 30, 40, 50, 60]);
        let results =
            scatter(&[table()], &indices, &[updates], &rows(), Semantics::Xla, &[I32], &mut add)
                .unwrap();
        assert_eq!(results[0].to_i64s().unwrap(), [41, 62, 3, 4, 5, 6]);
    }

    #[test]
    fn a_window_may_reach_out_partly() {
        let dimensions = IndexDimensions {
            offset: vec![0],
            index_map: vec![0],
            index_vector: 0,
            ..IndexDimensions::default()
        };
        let inputs = [Tensor::from_i32(&[3], &[0, 0, 0])];
        let updates = [Tensor::from_i32(&[2], &[5, 6])];
        let at = |start: i64, semantics| {
            let at = Tensor::from_i64(&[1], &[start]);
            let scattered =
                scatter(&inputs, &at, &updates, &dimensions, semantics, &[I32], &mut add).unwrap();
            scattered[0].to_i64s().unwrap()
        };
        assert_eq!(at(2, Semantics::Spec), [0, 0, 5]);
        assert_eq!(at(-1, Semantics::Spec), [6, 0, 0]);
        for start in [i64::MIN, -1, 2, i64::MAX] {
            assert_eq!(at(start, Semantics::Xla), [0, 0, 0]);
        }
        for start in [i64::MIN, -2, 3, i64::MAX] {
            assert_eq!(at(start, Semantics::Spec), [0, 0, 0]);
        }
        for semantics in Semantics::ALL {
            assert_eq!(at(0, semantics), [5, 6, 0]);
            assert_eq!(at(1, semantics), [0, 5, 6]);
        }
    }

    #[test]
    fn slices_are_clamped() {
        let starts = [Tensor::from_i32(&[], &[5]), Tensor::from_i32(&[], &[-1])];
        assert_eq!(values(dynamic_slice(&table(), &starts, &[2, 1])), [3, 5]);
        let update = Tensor::from_i32(&[1, 1], &[9]);
        assert_eq!(values(dynamic_update_slice(&table(), &update, &starts)), [1, 2, 3, 4, 9, 6]);
        assert!(dynamic_slice(&table(), &starts, &[4, 1]).is_err());
    }

    #[test]
    fn selecting_along_a_dimension() {
        let index = Tensor::from_i32(&[2], &[1, 0]);
        assert_eq!(values(torch_index_select(&table(), &index, 0, 0)), [3, 4, 1, 2]);
        let index = Tensor::from_i32(&[3, 1], &[1, 0, 1]);
        assert_eq!(values(torch_index_select(&table(), &index, 1, 1)), [2, 3, 6]);
    }
}
