//! The attributes of StableHLO operations in the form that lowerings use: dimensions as positions,
//! roles instead of field names, defaults filled in.

use strata_ir::{
    AttributeExt as _, ConvDimensionNumbers, DotDimensionNumbers, GatherDimensionNumbers, Op,
    ScatterDimensionNumbers, TypeExt as _, Value,
};
use strata_rewrite::{Guard as _, Outcome};

/// The required integers of attribute `name`.
pub fn ints(op: Op<'_>, name: &'static str) -> Outcome<Vec<i64>> {
    let values = op.attr(name).and_then(|values| values.as_i64s());
    values.ok_or_else(|| format!("attribute `{name}` is missing").into())
}

/// The required dimensions of attribute `name`.
pub fn dims(op: Op<'_>, name: &'static str) -> Outcome<Vec<usize>> {
    Ok(positions(ints(op, name)?))
}

/// The integers of attribute `name`, or `count` times `default` where it is absent.
pub fn ints_or(op: Op<'_>, name: &'static str, count: usize, default: i64) -> Vec<i64> {
    op.attr(name)
        .and_then(|values| values.as_i64s())
        .filter(|values| values.len() == count)
        .unwrap_or_else(|| vec![default; count])
}

/// The `(low, high)` padding of each dimension; zero where attribute `padding` is absent.
pub fn padding(op: Op<'_>, count: usize) -> Vec<(i64, i64)> {
    ints_or(op, "padding", 2 * count, 0).chunks(2).map(|pair| (pair[0], pair[1])).collect()
}

/// The required integer of attribute `name`.
pub fn number(op: Op<'_>, name: &'static str) -> Outcome<i64> {
    let value = op.attr(name).and_then(|value| value.as_i64());
    value.ok_or_else(|| format!("attribute `{name}` is missing").into())
}

/// The static shape of a value.
pub fn shape(value: Value<'_>) -> Outcome<Vec<i64>> {
    value.ty().shape().or_decline("the operand is not a ranked tensor")
}

fn positions(dims: Vec<i64>) -> Vec<usize> {
    dims.into_iter().map(|dim| dim as usize).collect()
}

/// The dimension numbers of `dot_general`.
pub struct DotDims {
    /// Batching dimensions of the left and right operand, pairwise.
    pub batch: [Vec<usize>; 2],
    /// Contracting dimensions of the left and right operand, pairwise.
    pub contract: [Vec<usize>; 2],
}

/// Reads `dot_dimension_numbers`.
pub fn dot_dims(op: Op<'_>) -> Outcome<DotDims> {
    let numbers = op.attr("dot_dimension_numbers").and_then(DotDimensionNumbers::from_attribute);
    let numbers = numbers.or_decline("attribute `dot_dimension_numbers` is missing")?;
    Ok(DotDims {
        batch: [
            positions(numbers.lhs_batching_dimensions),
            positions(numbers.rhs_batching_dimensions),
        ],
        contract: [
            positions(numbers.lhs_contracting_dimensions),
            positions(numbers.rhs_contracting_dimensions),
        ],
    })
}

/// The dimension numbers of `gather`.
pub struct GatherDims {
    /// Result dimensions that run through a slice.
    pub offset: Vec<usize>,
    /// Operand dimensions of slice size 1, or 0, that the result lacks.
    pub collapsed: Vec<usize>,
    /// Operand dimensions that are batched with the indices.
    pub operand_batching: Vec<usize>,
    /// The dimensions of the indices that they are batched with.
    pub indices_batching: Vec<usize>,
    /// The operand dimension that component `i` of an index starts.
    pub start_index_map: Vec<usize>,
    /// The dimension of the indices that holds an index's components.
    pub index_vector_dim: usize,
}

impl GatherDims {
    /// Whether the slices have no elements although the result has: a dimension that it lacks is one of which nothing is taken.
    pub fn takes_nothing(&self, slice: &[i64]) -> bool {
        self.collapsed.iter().chain(&self.operand_batching).any(|dim| slice.get(*dim) == Some(&0))
    }
}

/// Reads the `dimension_numbers` of `gather`.
pub fn gather_dims(op: Op<'_>) -> Outcome<GatherDims> {
    let numbers = op.attr("dimension_numbers").and_then(GatherDimensionNumbers::from_attribute);
    let numbers = numbers.or_decline("attribute `dimension_numbers` is missing")?;
    Ok(GatherDims {
        offset: positions(numbers.offset_dims),
        collapsed: positions(numbers.collapsed_slice_dims),
        operand_batching: positions(numbers.operand_batching_dims),
        indices_batching: positions(numbers.start_indices_batching_dims),
        start_index_map: positions(numbers.start_index_map),
        index_vector_dim: numbers.index_vector_dim as usize,
    })
}

/// The dimension numbers of `scatter`.
pub struct ScatterDims {
    /// Update dimensions that run through a window.
    pub window: Vec<usize>,
    /// Input dimensions of window size 1 that the updates lack.
    pub inserted: Vec<usize>,
    /// Input dimensions that are batched with the indices.
    pub input_batching: Vec<usize>,
    /// The dimensions of the indices that they are batched with.
    pub indices_batching: Vec<usize>,
    /// The input dimension that component `i` of an index starts.
    pub to_operand: Vec<usize>,
    /// The dimension of the indices that holds an index's components.
    pub index_vector_dim: usize,
}

/// Reads the `scatter_dimension_numbers` of `scatter`.
pub fn scatter_dims(op: Op<'_>) -> Outcome<ScatterDims> {
    let numbers = op.attr("scatter_dimension_numbers");
    let numbers = numbers.and_then(ScatterDimensionNumbers::from_attribute);
    let numbers = numbers.or_decline("attribute `scatter_dimension_numbers` is missing")?;
    Ok(ScatterDims {
        window: positions(numbers.update_window_dims),
        inserted: positions(numbers.inserted_window_dims),
        input_batching: positions(numbers.input_batching_dims),
        indices_batching: positions(numbers.scatter_indices_batching_dims),
        to_operand: positions(numbers.scatter_dims_to_operand_dims),
        index_vector_dim: numbers.index_vector_dim as usize,
    })
}

/// Which dimension of an operand of a convolution is what.
#[derive(Clone)]
pub struct ConvOperand {
    /// The batch of input and output, the input feature of the kernel.
    pub first: usize,
    /// The feature of input and output, the output feature of the kernel.
    pub second: usize,
    /// The spatial dimensions in order.
    pub spatial: Vec<usize>,
}

/// The `dimension_numbers` of `convolution`: input, kernel, output.
pub fn conv_dims(op: Op<'_>) -> Outcome<[ConvOperand; 3]> {
    let numbers = op.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute);
    let numbers = numbers.or_decline("attribute `dimension_numbers` is missing")?;
    let operand = |first: i64, second: i64, spatial: Vec<i64>| ConvOperand {
        first: first as usize,
        second: second as usize,
        spatial: positions(spatial),
    };
    Ok([
        operand(
            numbers.input_batch_dimension,
            numbers.input_feature_dimension,
            numbers.input_spatial_dimensions,
        ),
        operand(
            numbers.kernel_input_feature_dimension,
            numbers.kernel_output_feature_dimension,
            numbers.kernel_spatial_dimensions,
        ),
        operand(
            numbers.output_batch_dimension,
            numbers.output_feature_dimension,
            numbers.output_spatial_dimensions,
        ),
    ])
}
