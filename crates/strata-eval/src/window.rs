//! reduce_window and select_and_scatter.

use crate::{
    conv::{dilated, window_count},
    convert::convert_element,
    element::{Element, ElementType},
    error::{EvalError, Result},
    fold::{Fold, Order},
    index,
    reduce::{Body, common_shape, expect_count, initial_elements},
    tensor::Tensor,
};

/// How a window moves: one entry per dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Elements in the window.
    pub dimensions: Vec<i64>,
    /// Step between neighbouring windows.
    pub strides: Vec<i64>,
    /// Distance of neighbouring input elements.
    pub base_dilations: Vec<i64>,
    /// Distance of neighbouring window elements.
    pub window_dilations: Vec<i64>,
    /// Padding before and after the dilated input; may be negative.
    pub padding: Vec<(i64, i64)>,
}

impl Window {
    fn check(&self, rank: usize) -> Result<()> {
        let lists = [&self.dimensions, &self.strides, &self.base_dilations, &self.window_dilations];
        let fits = self.padding.len() == rank
            && lists.iter().all(|list| list.len() == rank && list.iter().all(|size| *size > 0));
        if fits {
            return Ok(());
        }
        Err(EvalError::invalid("the window does not fit the operand's rank"))
    }

    /// The shape of the windows' positions.
    pub fn result_shape(&self, shape: &[usize]) -> Vec<usize> {
        (0..shape.len())
            .map(|d| {
                let (low, high) = self.padding[d];
                let padded = dilated(shape[d], self.base_dilations[d]) + low + high;
                let window = (self.dimensions[d] - 1) * self.window_dilations[d] + 1;
                window_count(padded, window, self.strides[d])
            })
            .collect()
    }

    fn size(&self) -> Vec<usize> {
        self.dimensions.iter().map(|size| *size as usize).collect()
    }

    /// The input position under window element `tap` of the window at `out`; `None` in the padding and
    /// between dilated elements.
    fn source(&self, out: &[usize], tap: &[usize], shape: &[usize]) -> Option<usize> {
        let mut position = 0;
        for d in 0..shape.len() {
            let place = out[d] as i64 * self.strides[d] + tap[d] as i64 * self.window_dilations[d]
                - self.padding[d].0;
            if place < 0 || place % self.base_dilations[d] != 0 {
                return None;
            }
            let place = (place / self.base_dilations[d]) as usize;
            if place >= shape[d] {
                return None;
            }
            position = position * shape[d] + place;
        }
        Some(position)
    }
}

/// Folds the elements of each window, starting from the initial values; padding holds those as well.
pub fn reduce_window(
    inputs: &[Tensor],
    inits: &[Tensor],
    window: &Window,
    types: &[ElementType],
    order: Order,
    body: &mut Body<'_>,
) -> Result<Vec<Tensor>> {
    let shape = common_shape(inputs)?;
    window.check(shape.len())?;
    if inits.len() != inputs.len() || types.len() != inputs.len() {
        return Err(EvalError::invalid("one initial value per input is needed"));
    }
    let initial = initial_elements(inits, types)?;
    let padding = inits.iter().map(Tensor::single).collect::<Result<Vec<_>>>()?;
    let result_shape = window.result_shape(&shape);
    let size = window.size();
    if let Some(running) = Running::new(window, &shape, &initial, &padding, body)? {
        return running.fold(inputs, &initial, types, order, body);
    }
    let mut columns: Vec<Vec<Element>> = vec![Vec::new(); inputs.len()];
    let mut elements = Vec::with_capacity(inputs.len());
    index::try_for_each(&result_shape, |out, _| {
        let mut fold = Fold::new(&initial, order);
        index::try_for_each(&size, |tap, _| {
            elements.clear();
            match window.source(out, tap, &shape) {
                Some(from) => elements.extend(inputs.iter().map(|input| input.get(from))),
                None => elements.extend_from_slice(&padding),
            }
            fold.push(&elements, body)
        })?;
        columns.iter_mut().zip(fold.value(body)?).for_each(|(column, sum)| column.push(sum));
        Ok(())
    })?;
    columns
        .iter()
        .zip(types)
        .map(|(column, ty)| Tensor::from_elements(&result_shape, *ty, column))
        .collect()
}

/// Windows along one dimension that each cover all elements before, or after: a running fold, such as
/// `cumsum`. Folding each separately would take quadratic time.
struct Running {
    dimension: usize,
    backwards: bool,
}

/// Smaller folds are done window by window.
const MANY: usize = 1 << 20;

impl Running {
    /// `None` if the windows are not of this kind, are few, or if the padding would matter.
    fn new(
        window: &Window,
        shape: &[usize],
        initial: &[Element],
        padding: &[Element],
        body: &mut Body<'_>,
    ) -> Result<Option<Self>> {
        let moving: Vec<usize> = (0..shape.len()).filter(|d| window.dimensions[*d] != 1).collect();
        let [dimension] = moving.as_slice() else { return Ok(None) };
        let (dimension, size) = (*dimension, window.dimensions[*dimension]);
        let plain = (0..shape.len()).all(|d| {
            window.strides[d] == 1
                && window.base_dilations[d] == 1
                && window.window_dilations[d] == 1
                && (d == dimension || window.padding[d] == (0, 0))
        });
        let backwards = match window.padding[dimension] {
            (low, 0) if low == size - 1 => false,
            (0, high) if high == size - 1 => true,
            _ => return Ok(None),
        };
        let folds = index::element_count(shape).saturating_mul(shape[dimension]);
        if !plain || size < shape[dimension] as i64 || folds < MANY {
            return Ok(None);
        }
        let neutral = body(&[initial, padding].concat())? == initial;
        Ok(neutral.then_some(Self { dimension, backwards }))
    }

    fn fold(
        &self,
        inputs: &[Tensor],
        initial: &[Element],
        types: &[ElementType],
        order: Order,
        body: &mut Body<'_>,
    ) -> Result<Vec<Tensor>> {
        let shape = inputs.first().map_or(&[][..], Tensor::shape);
        let size = shape[self.dimension];
        let stride: usize = shape[self.dimension + 1..].iter().product();
        let mut lines = shape.to_vec();
        lines[self.dimension] = 1;
        let mut results: Vec<Tensor> = types.iter().map(|ty| Tensor::zeros(shape, *ty)).collect();
        index::try_for_each(&lines, |at, _| {
            let base = index::position(at, shape);
            let mut fold = Fold::new(initial, order);
            // The elements keep their order in the fold.
            let mut ordered = |arguments: &[Element]| match self.backwards {
                true => body(&[&arguments[inputs.len()..], &arguments[..inputs.len()]].concat()),
                false => body(arguments),
            };
            for step in 0..size {
                let place = if self.backwards { size - 1 - step } else { step };
                let position = base + place * stride;
                let elements: Vec<Element> =
                    inputs.iter().map(|input| input.get(position)).collect();
                fold.push(&elements, &mut ordered)?;
                for (result, sum) in results.iter_mut().zip(fold.value(&mut ordered)?) {
                    result.set(position, sum);
                }
            }
            Ok(())
        })?;
        Ok(results)
    }
}

/// Per window the element that `select` prefers gets the window's source element, combined by `scatter`
/// with what is there, at first the initial value.
///
/// `select` gets the preferred element so far and the next; it answers whether to keep the former.
pub fn select_and_scatter(
    operand: &Tensor,
    source: &Tensor,
    init: &Tensor,
    window: &Window,
    result: ElementType,
    select: &mut Body<'_>,
    scatter: &mut Body<'_>,
) -> Result<Tensor> {
    let shape = operand.shape();
    window.check(shape.len())?;
    let positions = window.result_shape(shape);
    if positions != source.shape() {
        return Err(EvalError::invalid(format!(
            "{} windows for a source of shape {:?}",
            index::element_count(&positions),
            source.shape()
        )));
    }
    let mut scattered = Tensor::splat(shape, result, convert_element(init.single()?, result));
    let size = window.size();
    index::try_for_each(&positions, |out, position| {
        let mut chosen: Option<usize> = None;
        index::try_for_each(&size, |tap, _| {
            let Some(next) = window.source(out, tap, shape) else { return Ok(()) };
            let keep = match chosen {
                None => false,
                Some(best) => {
                    let answer = select(&[operand.get(best), operand.get(next)])?;
                    expect_count(&answer, 1)?;
                    answer[0]
                        .as_bool()
                        .ok_or_else(|| EvalError::invalid("select must return i1"))?
                }
            };
            if !keep {
                chosen = Some(next);
            }
            Ok(())
        })?;
        // A window entirely in the padding selects nothing.
        let Some(target) = chosen else { return Ok(()) };
        let combined = scatter(&[scattered.get(target), source.get(position)])?;
        expect_count(&combined, 1)?;
        scattered.set(target, combined[0]);
        Ok(())
    })?;
    Ok(scattered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::I32;

    fn add(arguments: &[Element]) -> Result<Vec<Element>> {
        let sum = arguments.iter().filter_map(|element| element.as_integer()).sum();
        Ok(vec![Element::Signed(sum)])
    }

    fn line(size: i64) -> Window {
        Window {
            dimensions: vec![size],
            strides: vec![1],
            base_dilations: vec![1],
            window_dilations: vec![1],
            padding: vec![(0, 0)],
        }
    }

    fn sums(values: &[i32], init: i32, window: &Window) -> Vec<i64> {
        let input = [Tensor::from_i32(&[values.len()], values)];
        let init = [Tensor::from_i32(&[], &[init])];
        reduce_window(&input, &init, window, &[I32], Order::Given, &mut add).unwrap()[0]
            .to_i64s()
            .unwrap()
    }

    #[test]
    fn windows_move_and_dilate() {
        assert_eq!(sums(&[1, 2, 3, 4], 0, &line(2)), [3, 5, 7]);
        let strided = Window { strides: vec![3], padding: vec![(1, 1)], ..line(2) };
        assert_eq!(sums(&[1, 2, 3, 4], 0, &strided), [1, 7]);
        let dilated = Window { window_dilations: vec![2], ..line(2) };
        assert_eq!(sums(&[1, 2, 3, 4], 0, &dilated), [4, 6]);
        let base = Window { base_dilations: vec![2], ..line(2) };
        assert_eq!(sums(&[1, 2, 3], 0, &base), [1, 2, 2, 3]);
        assert!(sums(&[1], 0, &line(2)).is_empty());
    }

    #[test]
    fn running_folds_do_not_start_again_for_each_window() {
        let size = 1100;
        let values: Vec<i32> = (0..size).collect();
        let window = line(i64::from(size));
        let before = Window { padding: vec![(i64::from(size) - 1, 0)], ..window.clone() };
        let sum = sums(&values, 0, &before);
        assert_eq!((sum[3], sum[1099]), (6, 1099 * 550));
        let after = Window { padding: vec![(0, i64::from(size) - 1)], ..window };
        let sum = sums(&values, 0, &after);
        assert_eq!((sum[0], sum[1098]), (1099 * 550, 1098 + 1099));
    }

    #[test]
    fn padding_holds_the_initial_value() {
        let padded = Window { padding: vec![(1, 0)], ..line(2) };
        assert_eq!(sums(&[1, 2], 10, &padded), [21, 13]);
    }

    #[test]
    fn the_largest_element_gets_the_source() {
        let operand = Tensor::from_i32(&[4], &[1, 5, 2, 2]);
        let source = Tensor::from_i32(&[3], &[10, 20, 30]);
        let scattered = select_and_scatter(
            &operand,
            &source,
            &Tensor::from_i32(&[], &[1]),
            &line(2),
            I32,
            &mut |pair| Ok(vec![Element::Bool(pair[0].as_integer() >= pair[1].as_integer())]),
            &mut add,
        );
        assert_eq!(scattered.unwrap().to_i64s().unwrap(), [1, 31, 31, 1]);
    }
}
