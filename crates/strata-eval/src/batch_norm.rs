//! batch_norm_inference, batch_norm_training, batch_norm_grad, in `f64`, rounded once.

use crate::{
    error::{EvalError, Result},
    index,
    tensor::Tensor,
};

/// The feature of each element, and how many elements a feature has.
fn features(operand: &Tensor, feature_index: usize) -> Result<(Vec<usize>, usize, usize)> {
    let Some(count) = operand.shape().get(feature_index).copied() else {
        return Err(EvalError::invalid("the feature dimension is out of range"));
    };
    let mut feature = Vec::with_capacity(operand.len());
    index::for_each(operand.shape(), |at, _| feature.push(at[feature_index]));
    let each = operand.len().checked_div(count).unwrap_or(0);
    Ok((feature, count, each))
}

fn per_feature(tensor: &Tensor, count: usize) -> Result<Vec<f64>> {
    if tensor.shape() == [count] {
        return Ok(tensor.to_f64s());
    }
    Err(EvalError::invalid(format!("{}, expected one value per feature", tensor.type_text())))
}

/// `(operand - mean) / sqrt(variance + epsilon) * scale + offset`.
pub fn batch_norm_inference(
    operand: &Tensor,
    scale: &Tensor,
    offset: &Tensor,
    mean: &Tensor,
    variance: &Tensor,
    epsilon: f64,
    feature_index: usize,
) -> Result<Tensor> {
    let (feature, count, _) = features(operand, feature_index)?;
    let (scale, offset) = (per_feature(scale, count)?, per_feature(offset, count)?);
    let (mean, variance) = (per_feature(mean, count)?, per_feature(variance, count)?);
    let values: Vec<f64> = operand
        .to_f64s()
        .iter()
        .zip(&feature)
        .map(|(x, f)| (x - mean[*f]) / (variance[*f] + epsilon).sqrt() * scale[*f] + offset[*f])
        .collect();
    Ok(Tensor::of_floats(operand.shape(), operand.element_type(), &values))
}

/// The normalized operand, and the mean and (biased) variance of each feature.
pub fn batch_norm_training(
    operand: &Tensor,
    scale: &Tensor,
    offset: &Tensor,
    epsilon: f64,
    feature_index: usize,
) -> Result<[Tensor; 3]> {
    let (feature, count, each) = features(operand, feature_index)?;
    let values = operand.to_f64s();
    let mut mean = vec![0.0; count];
    values.iter().zip(&feature).for_each(|(x, f)| mean[*f] += x);
    mean.iter_mut().for_each(|sum| *sum /= each as f64);
    let mut variance = vec![0.0; count];
    values.iter().zip(&feature).for_each(|(x, f)| variance[*f] += (x - mean[*f]).powi(2));
    variance.iter_mut().for_each(|sum| *sum /= each as f64);
    let ty = operand.element_type();
    let mean = Tensor::of_floats(&[count], ty, &mean);
    let variance = Tensor::of_floats(&[count], ty, &variance);
    let output =
        batch_norm_inference(operand, scale, offset, &mean, &variance, epsilon, feature_index)?;
    Ok([output, mean, variance])
}

/// The gradients of the training operation for its operand, scale and offset.
pub fn batch_norm_grad(
    operand: &Tensor,
    scale: &Tensor,
    mean: &Tensor,
    variance: &Tensor,
    grad_output: &Tensor,
    epsilon: f64,
    feature_index: usize,
) -> Result<[Tensor; 3]> {
    crate::elementwise::same_shape(operand, grad_output)?;
    let (feature, count, each) = features(operand, feature_index)?;
    let scale = per_feature(scale, count)?;
    let (mean, variance) = (per_feature(mean, count)?, per_feature(variance, count)?);
    let (x, grad) = (operand.to_f64s(), grad_output.to_f64s());
    let mut grad_sum = vec![0.0; count];
    let mut weighted_sum = vec![0.0; count];
    // Of no elements it is 0, whatever the variance.
    let mut grad_scale = vec![0.0; count];
    for ((x, grad), f) in x.iter().zip(&grad).zip(&feature) {
        let centered = x - mean[*f];
        grad_sum[*f] += grad;
        weighted_sum[*f] += grad * centered;
        grad_scale[*f] += grad * (centered / (variance[*f] + epsilon).sqrt());
    }
    let each = each as f64;
    let grad_operand: Vec<f64> = x
        .iter()
        .zip(&grad)
        .zip(&feature)
        .map(|((x, grad), f)| {
            let spread = variance[*f] + epsilon;
            let centered = x - mean[*f];
            let inner = grad * each - grad_sum[*f] - weighted_sum[*f] * centered / spread;
            scale[*f] / spread.sqrt() / each * inner
        })
        .collect();
    let ty = operand.element_type();
    Ok([
        Tensor::of_floats(operand.shape(), ty, &grad_operand),
        Tensor::of_floats(&[count], ty, &grad_scale),
        Tensor::of_floats(&[count], ty, &grad_sum),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ones(count: usize) -> Tensor {
        Tensor::from_f64(&[count], &vec![1.0; count])
    }

    fn zeros(count: usize) -> Tensor {
        Tensor::from_f64(&[count], &vec![0.0; count])
    }

    #[test]
    fn training_normalizes_each_feature() {
        let x = Tensor::from_f64(&[3, 2], &[1.0, 10.0, 2.0, 10.0, 3.0, 40.0]);
        let [y, mean, variance] = batch_norm_training(&x, &ones(2), &zeros(2), 0.0, 1).unwrap();
        assert_eq!(mean.to_f64s(), [2.0, 20.0]);
        assert_eq!(variance.to_f64s(), [2.0 / 3.0, 200.0]);
        assert!(y.to_f64s().iter().sum::<f64>().abs() < 1e-12);
    }

    #[test]
    fn the_gradient_is_the_slope() {
        let values = [0.3, -1.2, 0.8, 2.1];
        let weights = [0.5, -0.25, 1.0, 2.0];
        let epsilon = 0.01;
        let scale = Tensor::from_f64(&[1], &[1.5]);
        let loss = |values: &[f64]| -> f64 {
            let x = Tensor::from_f64(&[4, 1], values);
            let [y, _, _] = batch_norm_training(&x, &scale, &zeros(1), epsilon, 1).unwrap();
            y.to_f64s().iter().zip(&weights).map(|(y, w)| y * w).sum()
        };
        let x = Tensor::from_f64(&[4, 1], &values);
        let [_, mean, variance] = batch_norm_training(&x, &scale, &zeros(1), epsilon, 1).unwrap();
        let grad = Tensor::from_f64(&[4, 1], &weights);
        let [slope, _, offset] =
            batch_norm_grad(&x, &scale, &mean, &variance, &grad, epsilon, 1).unwrap();
        assert_eq!(offset.to_f64s(), [3.25]);
        for (at, slope) in slope.to_f64s().into_iter().enumerate() {
            let mut up = values;
            let mut down = values;
            up[at] += 1e-6;
            down[at] -= 1e-6;
            let difference = (loss(&up) - loss(&down)) / 2e-6;
            assert!((slope - difference).abs() < 1e-7, "{slope} {difference}");
        }
    }

    #[test]
    fn wrong_sizes_are_errors() {
        let x = Tensor::from_f64(&[1, 2], &[0.0; 2]);
        assert!(batch_norm_training(&x, &ones(3), &zeros(2), 0.0, 1).is_err());
        assert!(batch_norm_training(&x, &ones(2), &zeros(2), 0.0, 2).is_err());
    }
}
