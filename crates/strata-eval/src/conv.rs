//! convolution and dynamic_conv.
//!
//! Products and sums are computed as in [`crate::dot`].

use num_complex::Complex;

use crate::{
    convert::convert,
    dot::{Number, in_class_of, numbers, sum_of_products, sum_type},
    element::ElementType,
    error::{EvalError, Result},
    float_format::FloatType,
    index,
    tensor::Tensor,
};

/// Where each kind of dimension is in the operands and the result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConvDimensions {
    /// The input's batch dimension.
    pub input_batch: usize,
    /// The input's feature dimension.
    pub input_feature: usize,
    /// The input's spatial dimensions.
    pub input_spatial: Vec<usize>,
    /// The kernel's input-feature dimension.
    pub kernel_input_feature: usize,
    /// The kernel's output-feature dimension.
    pub kernel_output_feature: usize,
    /// The kernel's spatial dimensions.
    pub kernel_spatial: Vec<usize>,
    /// The result's batch dimension.
    pub output_batch: usize,
    /// The result's feature dimension.
    pub output_feature: usize,
    /// The result's spatial dimensions.
    pub output_spatial: Vec<usize>,
}

/// How the kernel moves over the input: one entry per spatial dimension.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConvWindow {
    /// Step between neighbouring results.
    pub strides: Vec<i64>,
    /// Padding before and after the dilated input; may be negative.
    pub padding: Vec<(i64, i64)>,
    /// Distance of neighbouring input elements.
    pub lhs_dilation: Vec<i64>,
    /// Distance of neighbouring kernel elements.
    pub rhs_dilation: Vec<i64>,
    /// Whether the kernel is applied backwards.
    pub reversal: Vec<bool>,
    /// Groups of features.
    pub feature_groups: usize,
    /// Groups of batches.
    pub batch_groups: usize,
}

/// The size of a dimension after dilation by `dilation`.
pub fn dilated(size: usize, dilation: i64) -> i64 {
    if size == 0 { 0 } else { (size as i64 - 1) * dilation + 1 }
}

/// How many windows of `window` elements fit into `size` with steps of `stride`.
pub fn window_count(size: i64, window: i64, stride: i64) -> usize {
    if size <= 0 || window > size || stride <= 0 {
        return 0;
    }
    usize::try_from((size - window) / stride + 1).unwrap_or(0)
}

/// The convolution of `lhs`, the input, with `rhs`, the kernel.
pub fn convolution(
    lhs: &Tensor,
    rhs: &Tensor,
    dimensions: &ConvDimensions,
    window: &ConvWindow,
    result: ElementType,
) -> Result<Tensor> {
    let sums = sum_type([lhs, rhs], result);
    let sums_of_products = in_class_of!(sums, convolve(lhs, rhs, dimensions, window, sums))?;
    Ok(convert(&sums_of_products, result))
}

fn check(lhs: &Tensor, rhs: &Tensor, at: &ConvDimensions, window: &ConvWindow) -> Result<()> {
    let spatial = at.input_spatial.len();
    let rank = spatial + 2;
    let lists = [&at.input_spatial, &at.kernel_spatial, &at.output_spatial];
    let numbers = [
        at.input_batch,
        at.input_feature,
        at.kernel_input_feature,
        at.kernel_output_feature,
        at.output_batch,
        at.output_feature,
    ];
    let fits = lhs.rank() == rank
        && rhs.rank() == rank
        && lists.iter().all(|list| list.len() == spatial && list.iter().all(|d| *d < rank))
        && numbers.iter().all(|d| *d < rank)
        && window.strides.len() == spatial
        && window.padding.len() == spatial
        && window.lhs_dilation.len() == spatial
        && window.rhs_dilation.len() == spatial
        && window.reversal.len() == spatial
        && window.lhs_dilation.iter().chain(&window.rhs_dilation).all(|dilation| *dilation > 0)
        && window.feature_groups > 0
        && window.batch_groups > 0;
    if !fits {
        return Err(EvalError::invalid(
            "the dimension numbers or the window do not fit the operands",
        ));
    }
    let features = lhs.shape()[at.input_feature];
    if features != rhs.shape()[at.kernel_input_feature] * window.feature_groups {
        return Err(EvalError::invalid(format!(
            "{features} input features for a kernel of {} in {} groups",
            rhs.shape()[at.kernel_input_feature],
            window.feature_groups
        )));
    }
    Ok(())
}

/// The input position along spatial dimension `d` under tap `tap` of the window at `out`; `None` in the
/// padding and between dilated elements.
fn input_position(
    window: &ConvWindow,
    d: usize,
    out: usize,
    tap: usize,
    size: usize,
) -> Option<usize> {
    let place =
        out as i64 * window.strides[d] + tap as i64 * window.rhs_dilation[d] - window.padding[d].0;
    let dilation = window.lhs_dilation[d];
    if place < 0 || place % dilation != 0 {
        return None;
    }
    usize::try_from(place / dilation).ok().filter(|place| *place < size)
}

fn convolve<N: Number>(
    lhs: &Tensor,
    rhs: &Tensor,
    at: &ConvDimensions,
    window: &ConvWindow,
    result: ElementType,
) -> Result<Tensor> {
    check(lhs, rhs, at, window)?;
    let spatial = at.input_spatial.len();
    let (lhs_shape, rhs_shape) = (lhs.shape().to_vec(), rhs.shape().to_vec());
    let (lhs_strides, rhs_strides) = (index::strides(&lhs_shape), index::strides(&rhs_shape));
    let output_features = rhs_shape[at.kernel_output_feature];
    let group_features = rhs_shape[at.kernel_input_feature];
    let batch = lhs_shape[at.input_batch] / window.batch_groups;

    let mut shape = vec![0; spatial + 2];
    shape[at.output_batch] = batch;
    shape[at.output_feature] = output_features;
    for d in 0..spatial {
        let (low, high) = window.padding[d];
        let padded = dilated(lhs_shape[at.input_spatial[d]], window.lhs_dilation[d]) + low + high;
        let kernel = dilated(rhs_shape[at.kernel_spatial[d]], window.rhs_dilation[d]);
        shape[at.output_spatial[d]] = window_count(padded, kernel, window.strides[d]);
    }
    let kernel_shape: Vec<usize> = at.kernel_spatial.iter().map(|d| rhs_shape[*d]).collect();

    let output_spatial: Vec<usize> = at.output_spatial.iter().map(|d| shape[*d]).collect();
    let strides = index::strides(&shape);
    let (lhs, rhs) = (numbers::<N>(lhs, result), numbers::<N>(rhs, result));
    let mut sums = vec![N::ZERO.element(); index::element_count(&shape)];
    let mut taps = Vec::with_capacity(index::element_count(&kernel_shape));
    index::for_each(&output_spatial, |out, _| {
        // The input and kernel positions that meet under this window, whatever the features; no input
        // position in the padding.
        taps.clear();
        index::for_each(&kernel_shape, |tap, _| {
            let (mut lhs_tap, mut rhs_tap) = (Some(0), 0);
            for d in 0..spatial {
                let size = lhs_shape[at.input_spatial[d]];
                let place = input_position(window, d, out[d], tap[d], size);
                let place = place.map(|place| place * lhs_strides[at.input_spatial[d]]);
                lhs_tap = lhs_tap.zip(place).map(|(tap, place)| tap + place);
                let tap = if window.reversal[d] { kernel_shape[d] - 1 - tap[d] } else { tap[d] };
                rhs_tap += tap * rhs_strides[at.kernel_spatial[d]];
            }
            taps.push((lhs_tap, rhs_tap));
        });
        let place: usize =
            out.iter().zip(&at.output_spatial).map(|(out, d)| out * strides[*d]).sum();
        for batch_at in 0..batch {
            for feature in 0..output_features {
                let feature_group = feature * window.feature_groups / output_features;
                let batch_group = feature * window.batch_groups / output_features;
                let lhs_base = (batch_at + batch_group * batch) * lhs_strides[at.input_batch]
                    + feature_group * group_features * lhs_strides[at.input_feature];
                let rhs_base = feature * rhs_strides[at.kernel_output_feature];
                let mut term = |index: usize| {
                    let (tap, channel) = (index / group_features, index % group_features);
                    let (lhs_tap, rhs_tap) = taps[tap];
                    // Padding is zeros, whose products with infinities and NaN are NaN.
                    let element = lhs_tap.map_or(N::ZERO, |tap: usize| {
                        lhs[lhs_base + tap + channel * lhs_strides[at.input_feature]]
                    });
                    let weight =
                        rhs_base + rhs_tap + channel * rhs_strides[at.kernel_input_feature];
                    (element, rhs[weight])
                };
                let sum = sum_of_products(0..taps.len() * group_features, &mut term);
                let to = place
                    + batch_at * strides[at.output_batch]
                    + feature * strides[at.output_feature];
                sums[to] = sum.element();
            }
        }
    });
    Tensor::from_elements(&shape, result, &sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{F32, I32};

    /// [b, x, f] * [x, i, o] -> [b, x, f]
    fn one_dimension() -> ConvDimensions {
        ConvDimensions {
            input_batch: 0,
            input_feature: 2,
            input_spatial: vec![1],
            kernel_input_feature: 1,
            kernel_output_feature: 2,
            kernel_spatial: vec![0],
            output_batch: 0,
            output_feature: 2,
            output_spatial: vec![1],
        }
    }

    fn window() -> ConvWindow {
        ConvWindow {
            strides: vec![1],
            padding: vec![(0, 0)],
            lhs_dilation: vec![1],
            rhs_dilation: vec![1],
            reversal: vec![false],
            feature_groups: 1,
            batch_groups: 1,
        }
    }

    fn run(input: &Tensor, kernel: &Tensor, window: &ConvWindow) -> Tensor {
        convolution(input, kernel, &one_dimension(), window, I32).unwrap()
    }

    fn line(values: &[i32]) -> Tensor {
        Tensor::from_i32(&[1, values.len(), 1], values)
    }

    fn taps(values: &[i32]) -> Tensor {
        Tensor::from_i32(&[values.len(), 1, 1], values)
    }

    #[test]
    fn plain_padded_and_reversed() {
        let (input, kernel) = (line(&[1, 2, 3]), taps(&[10, 1]));
        assert_eq!(run(&input, &kernel, &window()).to_i64s().unwrap(), [12, 23]);
        let padded = ConvWindow { padding: vec![(1, -1)], ..window() };
        assert_eq!(run(&input, &kernel, &padded).to_i64s().unwrap(), [1, 12]);
        let reversed = ConvWindow { reversal: vec![true], ..window() };
        assert_eq!(run(&input, &kernel, &reversed).to_i64s().unwrap(), [21, 32]);
    }

    #[test]
    fn dilations_and_strides() {
        let (input, kernel) = (line(&[1, 2, 3]), taps(&[10, 1]));
        let lhs = ConvWindow { lhs_dilation: vec![2], ..window() };
        assert_eq!(run(&input, &kernel, &lhs).to_i64s().unwrap(), [10, 2, 20, 3]);
        let rhs = ConvWindow { rhs_dilation: vec![2], ..window() };
        assert_eq!(run(&input, &kernel, &rhs).to_i64s().unwrap(), [13]);
        let strided = ConvWindow { strides: vec![2], padding: vec![(0, 1)], ..window() };
        assert_eq!(run(&input, &kernel, &strided).to_i64s().unwrap(), [12, 30]);
    }

    #[test]
    fn groups() {
        let input = Tensor::from_i32(&[1, 1, 2], &[3, 5]);
        let kernel = Tensor::from_i32(&[1, 1, 2], &[10, 100]);
        let grouped = ConvWindow { feature_groups: 2, ..window() };
        assert_eq!(run(&input, &kernel, &grouped).to_i64s().unwrap(), [30, 500]);
        let batches = Tensor::from_i32(&[2, 1, 1], &[3, 5]);
        let grouped = ConvWindow { batch_groups: 2, ..window() };
        assert_eq!(run(&batches, &kernel, &grouped).to_i64s().unwrap(), [30, 500]);
    }

    #[test]
    fn a_window_that_does_not_fit_leaves_nothing() {
        assert!(run(&line(&[1]), &taps(&[1, 1]), &window()).is_empty());
        let wrong = Tensor::from_f32(&[1, 1, 2], &[0.0; 2]);
        assert!(convolution(&wrong, &wrong, &one_dimension(), &window(), F32).is_err());
    }
}
