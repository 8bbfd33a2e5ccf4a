//! The orders in which a convolution is computed: features last.

use strata_ir::{AttributeExt as _, ConvDimensionNumbers, Op, TypeExt as _};
use strata_target::tuning::lowering::{MIN_CONV_FEATURES, MIN_CONV_WORK};

use super::ways::{Order, Way, has_orders, moves_nothing};

fn numbers(op: Op<'_>) -> Option<ConvDimensionNumbers> {
    op.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute)
}

/// Whether the batch is the input's outermost dimension.
pub fn has_batch_first(op: Op<'_>) -> bool {
    numbers(op).is_some_and(|numbers| numbers.input_batch_dimension == 0)
}

/// The way of a convolution whose features come last, as the next stage computes it; `None` where they do, or where it does not.
pub fn way(op: Op<'_>) -> Option<Way> {
    let numbers = numbers(op)?;
    let values = [op.operand(0), op.operand(1), op.result(0)];
    if !values.iter().all(|value| has_orders(*value)) || !is_computed_so(op, &numbers)? {
        return None;
    }
    let batch_first = |batch: i64, spatial: &[i64], feature: i64| -> Order {
        [&[batch], spatial, &[feature]].concat().into_iter().map(|dim| dim as usize).collect()
    };
    let input = batch_first(
        numbers.input_batch_dimension,
        &numbers.input_spatial_dimensions,
        numbers.input_feature_dimension,
    );
    let output = batch_first(
        numbers.output_batch_dimension,
        &numbers.output_spatial_dimensions,
        numbers.output_feature_dimension,
    );
    let last = [
        numbers.kernel_input_feature_dimension as usize,
        numbers.kernel_output_feature_dimension as usize,
    ];
    let spatial = numbers.kernel_spatial_dimensions.iter().map(|dim| *dim as usize);
    let kernel = spatial.chain(last).collect();
    let stays = |value: strata_ir::Value<'_>, order: &Order| {
        value.ty().shape().is_none_or(|shape| moves_nothing(&shape, order))
    };
    if stays(op.operand(0), &input) && stays(op.result(0), &output) {
        return None;
    }
    Some(Way { operands: vec![input, kernel], results: vec![output] })
}

/// Whether the next stage would bring the features last.
fn is_computed_so(op: Op<'_>, numbers: &ConvDimensionNumbers) -> Option<bool> {
    let count = |name: &str| op.attr(name).and_then(|count| count.as_i64()).unwrap_or(1);
    let (batches, groups) = (count("batch_group_count"), count("feature_group_count"));
    let [input, kernel, output] =
        [op.operand(0), op.operand(1), op.result(0)].map(|value| value.ty().shape());
    let (input, kernel, output) = (input?, kernel?, output?);
    let rank = numbers.input_spatial_dimensions.len();
    if output.contains(&0) || batches != 1 {
        return Some(false);
    }
    if groups == 1 {
        return Some((1..=3).contains(&rank));
    }
    let channels = *input.get(numbers.input_feature_dimension as usize)?;
    let features = *kernel.get(numbers.kernel_output_feature_dimension as usize)?;
    if groups == channels && features == channels && rank <= 2 {
        return Some(true);
    }
    let places = numbers.output_spatial_dimensions.iter();
    let positions: i64 = places.map(|dim| output[*dim as usize]).product();
    let products = positions.saturating_mul(kernel.iter().product());
    Some(features / groups.max(1) >= MIN_CONV_FEATURES && products >= MIN_CONV_WORK)
}
