//! Reading operands and structured attributes.

use crate::{
    conv::{ConvDimensions, ConvWindow},
    dot::{DotAlgorithm, DotDimensions},
    error::{EvalError, Result},
    gather_scatter::IndexDimensions,
    interpret::Value,
    program::{Attr, Operation, conv_dimensions},
    tensor::Tensor,
    window::Window,
};

/// Operand `index` as a tensor.
pub fn tensor(operands: &[Value], index: usize) -> Result<&Tensor> {
    operands
        .get(index)
        .ok_or_else(|| EvalError::invalid(format!("operand {index} is missing")))?
        .tensor()
}

/// All operands as tensors.
pub fn tensors(operands: &[Value]) -> Result<Vec<Tensor>> {
    operands.iter().map(|operand| operand.tensor().cloned()).collect()
}

/// One result, a tensor.
pub fn one(tensor: Tensor) -> Result<Option<Vec<Value>>> {
    Ok(Some(vec![Value::Tensor(tensor)]))
}

/// Results that are all tensors.
pub fn several(tensors: impl IntoIterator<Item = Tensor>) -> Result<Option<Vec<Value>>> {
    Ok(Some(tensors.into_iter().map(Value::Tensor).collect()))
}

pub fn dot_dimensions(op: &Operation) -> Result<DotDimensions> {
    let fields = op.fields("dot_dimension_numbers")?;
    Ok(DotDimensions {
        lhs_batching: fields.sizes("lhs_batching_dimensions")?,
        rhs_batching: fields.sizes("rhs_batching_dimensions")?,
        lhs_contracting: fields.sizes("lhs_contracting_dimensions")?,
        rhs_contracting: fields.sizes("rhs_contracting_dimensions")?,
    })
}

/// Of a dot or convolution the number of products in a sum, and for each dimension of the right operand the dimension of the result
/// that it becomes; `None` for other operations.
pub fn contraction(
    op: &Operation,
    lhs_rank: usize,
    rhs: &[usize],
) -> Result<Option<(usize, Vec<Option<usize>>)>> {
    let mut kept = vec![None; rhs.len()];
    match op.mnemonic() {
        "dot" => {
            let free = kept.iter_mut().skip(1).enumerate();
            free.for_each(|(at, place)| *place = Some(lhs_rank.saturating_sub(1) + at));
        }
        "dot_general" => {
            let dimensions = dot_dimensions(op)?;
            let mut next = lhs_rank.saturating_sub(dimensions.lhs_contracting.len());
            for (dimension, place) in kept.iter_mut().enumerate() {
                let batch = dimensions.rhs_batching.iter().position(|batch| *batch == dimension);
                if batch.is_some() {
                    *place = batch;
                } else if !dimensions.rhs_contracting.contains(&dimension) {
                    *place = Some(next);
                    next += 1;
                }
            }
        }
        "convolution" | "dynamic_conv" => {
            let Attr::Text(text) = op.attr("dimension_numbers")? else {
                return Err(EvalError::invalid("the dimension numbers are missing"));
            };
            let dimensions = conv_dimensions(text)?;
            if let Some(place) = kept.get_mut(dimensions.kernel_output_feature) {
                *place = Some(dimensions.output_feature);
            }
        }
        _ => return Ok(None),
    }
    let summed = rhs.iter().zip(&kept).filter(|(_, place)| place.is_none());
    Ok(Some((summed.map(|(size, _)| *size).product(), kept)))
}

/// The algorithm of a dot, if it has one.
pub fn dot_algorithm(op: &Operation) -> Result<Option<DotAlgorithm>> {
    if !op.attributes.contains_key("algorithm") {
        return Ok(None);
    }
    let fields = op.fields("algorithm")?;
    let name = |field: &str| {
        let name = fields.get(field).map(str::to_owned);
        name.ok_or_else(|| EvalError::invalid(format!("the algorithm has no {field}")))
    };
    Ok(Some(DotAlgorithm {
        precision: [name("lhs_precision_type")?, name("rhs_precision_type")?],
        accumulation: name("accumulation_type")?,
        operations: fields.int("num_primitive_operations")?,
    }))
}

pub fn gather_dimensions(op: &Operation) -> Result<IndexDimensions> {
    let fields = op.fields("dimension_numbers")?;
    Ok(IndexDimensions {
        offset: fields.sizes("offset_dims")?,
        collapsed: fields.sizes("collapsed_slice_dims")?,
        operand_batching: fields.sizes("operand_batching_dims")?,
        index_batching: fields.sizes("start_indices_batching_dims")?,
        index_map: fields.sizes("start_index_map")?,
        index_vector: index_vector(&fields)?,
    })
}

pub fn scatter_dimensions(op: &Operation) -> Result<IndexDimensions> {
    let fields = op.fields("scatter_dimension_numbers")?;
    Ok(IndexDimensions {
        offset: fields.sizes("update_window_dims")?,
        collapsed: fields.sizes("inserted_window_dims")?,
        operand_batching: fields.sizes("input_batching_dims")?,
        index_batching: fields.sizes("scatter_indices_batching_dims")?,
        index_map: fields.sizes("scatter_dims_to_operand_dims")?,
        index_vector: index_vector(&fields)?,
    })
}

fn index_vector(fields: &crate::program::Fields<'_>) -> Result<usize> {
    usize::try_from(fields.int("index_vector_dim")?)
        .map_err(|_| EvalError::invalid("index_vector_dim is negative"))
}

/// A list of `rank` integers, `default` if the attribute is absent or empty.
fn list(op: &Operation, name: &str, rank: usize, default: i64) -> Result<Vec<i64>> {
    let given = op.optional_ints(name)?.filter(|list| !list.is_empty());
    Ok(given.unwrap_or_else(|| vec![default; rank]))
}

/// Pairs of padding before and after, zero if the attribute is absent.
fn padding(op: &Operation, rank: usize) -> Result<Vec<(i64, i64)>> {
    let flat = list(op, "padding", 2 * rank, 0)?;
    Ok(flat.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}

pub fn conv(op: &Operation, operands: &[Value]) -> Result<(ConvDimensions, ConvWindow)> {
    let Attr::Text(text) = op.attr("dimension_numbers")? else {
        return Err(EvalError::invalid("the dimension numbers are missing"));
    };
    let dimensions = conv_dimensions(text)?;
    let rank = dimensions.input_spatial.len();
    let padding = match operands.get(2) {
        // dynamic_conv has its padding as an operand.
        Some(given) => {
            let flat = given.tensor()?.to_i64s()?;
            flat.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
        }
        None => padding(op, rank)?,
    };
    let window = ConvWindow {
        strides: list(op, "window_strides", rank, 1)?,
        padding,
        lhs_dilation: list(op, "lhs_dilation", rank, 1)?,
        rhs_dilation: list(op, "rhs_dilation", rank, 1)?,
        reversal: list(op, "window_reversal", rank, 0)?.into_iter().map(|flag| flag != 0).collect(),
        feature_groups: op.size("feature_group_count")?,
        batch_groups: op.size("batch_group_count")?,
    };
    Ok((dimensions, window))
}

pub fn window(op: &Operation, rank: usize) -> Result<Window> {
    Ok(Window {
        dimensions: list(op, "window_dimensions", rank, 1)?,
        strides: list(op, "window_strides", rank, 1)?,
        base_dilations: list(op, "base_dilations", rank, 1)?,
        window_dilations: list(op, "window_dilations", rank, 1)?,
        padding: padding(op, rank)?,
    })
}

/// The number of operands that a window is given by.
pub const WINDOW_OPERANDS: usize = 5;

/// A window of sizes, strides, dilations of operand and window, and pairs of padding.
pub fn window_of_operands(operands: &[Value]) -> Result<Window> {
    let list = |index| tensor(operands, index)?.to_i64s();
    let padding = list(4)?;
    Ok(Window {
        dimensions: list(0)?,
        strides: list(1)?,
        base_dilations: list(2)?,
        window_dilations: list(3)?,
        padding: padding.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect(),
    })
}
