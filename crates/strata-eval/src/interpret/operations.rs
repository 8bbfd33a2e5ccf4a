//! Operations on tensors without regions: from the operation to the function of its family.

use crate::{
    batch_norm, chlo,
    compare_select::{self, Direction},
    constant_iota, conv, convert, dot, dynamic, elementwise,
    error::{EvalError, Result},
    fft::{self, FftType},
    gather_scatter,
    interpret::{
        Value,
        arguments::{self, one, several, tensor, tensors},
    },
    linear_algebra::{self, Transpose, TriangularOptions},
    program::{Attr, Operation},
    quantized,
    rng::{self, RngAlgorithm},
    shape, sort,
    tensor::Tensor,
};

/// Whether the operation computes numbers, rather than moving elements, so that quantized operands must
/// be dequantized first.
pub fn computes(op: &Operation) -> bool {
    let name = op.mnemonic();
    if op.name.starts_with("check.") || op.name.starts_with("interpreter.") {
        return false;
    }
    unary(op).is_some()
        || binary(op).is_some()
        || matches!(
            name,
            "compare"
                | "clamp"
                | "dot"
                | "dot_general"
                | "convolution"
                | "dynamic_conv"
                | "iota"
                | "dynamic_iota"
                | "einsum"
                | "unary_einsum"
                | "is_finite"
                | "batch_norm_inference"
                | "batch_norm_training"
                | "batch_norm_grad"
                | "cholesky"
                | "reduce_precision"
                | "top_k"
        )
}

fn lookup<F: Copy>(table: &[(&str, F)], name: &str) -> Option<F> {
    table.iter().find(|(row, _)| *row == name).map(|(_, function)| *function)
}

/// The row of a pointwise operation with one operand.
pub fn unary(op: &Operation) -> Option<elementwise::UnaryFn> {
    match op.name.split_once('.') {
        Some(("stablehlo", name)) => lookup(elementwise::UNARY, name),
        Some(("chlo", name)) => lookup(chlo::UNARY, name.trim_start_matches('_')),
        _ => None,
    }
}

/// The row of a pointwise operation with two operands.
pub fn binary(op: &Operation) -> Option<elementwise::BinaryFn> {
    match op.name.split_once('.') {
        Some(("stablehlo", name)) => lookup(elementwise::BINARY, name),
        Some(("chlo", name)) => {
            let name = name.strip_prefix("broadcast_").unwrap_or(name);
            lookup(chlo::BINARY, name).or_else(|| lookup(elementwise::BINARY, name))
        }
        _ => None,
    }
}

/// Both comparison attributes: the direction, and whether it is the total order.
pub fn comparison(op: &Operation) -> Result<(Direction, bool)> {
    let direction = op.word("comparison_direction").and_then(Direction::parse);
    let direction =
        direction.ok_or_else(|| EvalError::invalid("the comparison direction is unknown"))?;
    Ok((direction, op.word("compare_type") == Some("TOTALORDER")))
}

/// Evaluates one of the operations of this module; `None` for all others.
pub fn evaluate(op: &Operation, operands: &[Value]) -> Result<Option<Vec<Value>>> {
    if let Some(function) = unary(op) {
        return one(elementwise::map_unary(op.mnemonic(), function, tensor(operands, 0)?)?);
    }
    if let Some(function) = binary(op) {
        let (lhs, rhs) = (tensor(operands, 0)?, tensor(operands, 1)?);
        let mnemonic = op.mnemonic();
        if let Some(name) = mnemonic.strip_prefix("broadcast_") {
            let (lhs, rhs) = broadcast_pair(op, lhs, rhs)?;
            return one(elementwise::map_binary(name, function, &lhs, &rhs)?);
        }
        return one(elementwise::map_binary(mnemonic, function, lhs, rhs)?);
    }
    match op.name.split_once('.') {
        Some(("stablehlo", name)) => stablehlo(name, op, operands),
        Some(("chlo", name)) => chlo_operation(name, op, operands),
        Some(("sdy", "constant")) => constant(op),
        _ => Ok(None),
    }
}

/// The operations of a family; `None` for all others.
type Family = fn(&str, &Operation, &[Value]) -> Result<Option<Vec<Value>>>;

fn stablehlo(name: &str, op: &Operation, operands: &[Value]) -> Result<Option<Vec<Value>>> {
    const FAMILIES: [Family; 5] = [elements, movement, contraction, run_time_shapes, algorithm];
    for family in FAMILIES {
        if let Some(results) = family(name, op, operands)? {
            return Ok(Some(results));
        }
    }
    Ok(None)
}

/// Constants, comparisons and conversions.
fn elements(name: &str, op: &Operation, operands: &[Value]) -> Result<Option<Vec<Value>>> {
    let operand = |index| tensor(operands, index);
    match name {
        "constant" => constant(op),
        "iota" => {
            let ty = op.result_type()?;
            one(constant_iota::iota(&ty.static_shape()?, ty.element()?, op.size("iota_dimension")?))
        }
        "compare" => {
            let (direction, total_order) = comparison(op)?;
            one(compare_select::compare(operand(0)?, operand(1)?, direction, total_order)?)
        }
        "select" => one(compare_select::select(operand(0)?, operand(1)?, operand(2)?)?),
        "clamp" => one(compare_select::clamp(operand(0)?, operand(1)?, operand(2)?)?),
        "convert" => one(convert::convert(operand(0)?, op.result_type()?.element()?)),
        "bitcast_convert" => {
            let plain = operand(0)?.clone().with_quantization(None);
            one(convert::bitcast_convert(&plain, op.result_type()?.element()?)?)
        }
        "reduce_precision" => {
            let bits = |name| -> Result<u32> {
                u32::try_from(op.int(name)?)
                    .map_err(|_| EvalError::invalid(format!("{name} is negative")))
            };
            let (exponent, mantissa) = (bits("exponent_bits")?, bits("mantissa_bits")?);
            one(convert::reduce_precision(operand(0)?, exponent, mantissa)?)
        }
        "uniform_quantize" => {
            let quantization = op.result_type()?.quantization().cloned();
            let quantization =
                quantization.ok_or_else(|| EvalError::invalid("the result is not quantized"))?;
            one(quantized::uniform_quantize(operand(0)?, &quantization)?)
        }
        "uniform_dequantize" => one(quantized::uniform_dequantize(operand(0)?)?),
        _ => Ok(None),
    }
}

/// What moves elements.
fn movement(name: &str, op: &Operation, operands: &[Value]) -> Result<Option<Vec<Value>>> {
    let operand = |index| tensor(operands, index);
    match name {
        "reshape" => one(operand(0)?.reshaped(&op.result_type()?.static_shape()?)?),
        "transpose" => one(shape::transpose(operand(0)?, &op.sizes("permutation")?)?),
        "broadcast" => {
            let operand = operand(0)?;
            let sizes = op.sizes("broadcast_sizes")?;
            let dimensions: Vec<usize> = (0..operand.rank()).map(|d| d + sizes.len()).collect();
            let shape = [&sizes, operand.shape()].concat();
            one(shape::broadcast_in_dim(operand, &shape, &dimensions)?)
        }
        "broadcast_in_dim" => {
            let shape = op.result_type()?.static_shape()?;
            one(shape::broadcast_in_dim(operand(0)?, &shape, &op.sizes("broadcast_dimensions")?)?)
        }
        "slice" => one(shape::slice(
            operand(0)?,
            &op.sizes("start_indices")?,
            &op.sizes("limit_indices")?,
            &op.sizes("strides")?,
        )?),
        "pad" => one(shape::pad(
            operand(0)?,
            operand(1)?,
            &op.ints("edge_padding_low")?,
            &op.ints("edge_padding_high")?,
            &op.ints("interior_padding")?,
        )?),
        "concatenate" => one(shape::concatenate(&tensors(operands)?, op.size("dimension")?)?),
        "reverse" => one(shape::reverse(operand(0)?, &op.sizes("dimensions")?)),
        "gather" => {
            let sizes = op.sizes("slice_sizes")?;
            let dimensions = arguments::gather_dimensions(op)?;
            one(gather_scatter::gather(operand(0)?, operand(1)?, &dimensions, &sizes)?)
        }
        "dynamic_gather" => {
            let dimensions = arguments::gather_dimensions(op)?;
            one(dynamic::dynamic_gather(operand(0)?, operand(1)?, operand(2)?, &dimensions)?)
        }
        "dynamic_slice" => {
            let starts = tensors(&operands[1.min(operands.len())..])?;
            one(gather_scatter::dynamic_slice(operand(0)?, &starts, &op.sizes("slice_sizes")?)?)
        }
        "dynamic_update_slice" => {
            let starts = tensors(&operands[2.min(operands.len())..])?;
            one(gather_scatter::dynamic_update_slice(operand(0)?, operand(1)?, &starts)?)
        }
        "torch_index_select" => one(gather_scatter::torch_index_select(
            operand(0)?,
            operand(1)?,
            op.size("dim")?,
            op.size("batch_dims")?,
        )?),
        _ => Ok(None),
    }
}

/// Sums of products.
fn contraction(name: &str, op: &Operation, operands: &[Value]) -> Result<Option<Vec<Value>>> {
    let operand = |index| tensor(operands, index);
    match name {
        "dot_general" => {
            let dimensions = arguments::dot_dimensions(op)?;
            let ty = op.result_type()?.element()?;
            let (lhs, rhs) = (operand(0)?, operand(1)?);
            one(match arguments::dot_algorithm(op)? {
                Some(algorithm) => dot::dot_general_by(lhs, rhs, &dimensions, &algorithm, ty)?,
                None => dot::dot_general(lhs, rhs, &dimensions, ty)?,
            })
        }
        "dot" => one(dot::dot(operand(0)?, operand(1)?, op.result_type()?.element()?)?),
        "einsum" | "unary_einsum" => {
            let ty = op.result_type()?.element()?;
            one(dot::einsum(&tensors(operands)?, op.string("einsum_config")?, ty)?)
        }
        "convolution" | "dynamic_conv" => {
            let (dimensions, window) = arguments::conv(op, operands)?;
            let ty = op.result_type()?.element()?;
            one(conv::convolution(operand(0)?, operand(1)?, &dimensions, &window, ty)?)
        }
        _ => Ok(None),
    }
}

/// Operations whose shapes are operands.
fn run_time_shapes(name: &str, op: &Operation, operands: &[Value]) -> Result<Option<Vec<Value>>> {
    let operand = |index| tensor(operands, index);
    match name {
        "dynamic_broadcast_in_dim" => one(dynamic::dynamic_broadcast_in_dim(
            operand(0)?,
            operand(1)?,
            &op.sizes("broadcast_dimensions")?,
        )?),
        "dynamic_reshape" => one(dynamic::dynamic_reshape(operand(0)?, operand(1)?)?),
        "dynamic_iota" => {
            let ty = op.result_type()?.element()?;
            one(dynamic::dynamic_iota(operand(0)?, ty, op.size("iota_dimension")?)?)
        }
        "dynamic_pad" => one(dynamic::dynamic_pad(
            operand(0)?,
            operand(1)?,
            operand(2)?,
            operand(3)?,
            operand(4)?,
        )?),
        "real_dynamic_slice" => {
            one(dynamic::real_dynamic_slice(operand(0)?, operand(1)?, operand(2)?, operand(3)?)?)
        }
        "get_dimension_size" => {
            one(dynamic::get_dimension_size(operand(0)?, op.size("dimension")?)?)
        }
        "set_dimension_size" => {
            one(dynamic::set_dimension_size(operand(0)?, operand(1)?, op.size("dimension")?)?)
        }
        _ => Ok(None),
    }
}

/// Transforms, solvers, normalisation and random bits.
fn algorithm(name: &str, op: &Operation, operands: &[Value]) -> Result<Option<Vec<Value>>> {
    let operand = |index| tensor(operands, index);
    match name {
        "fft" => {
            let kind = op.word("fft_type").and_then(FftType::parse);
            let kind = kind.ok_or_else(|| EvalError::invalid("the kind of FFT is unknown"))?;
            one(fft::fft(operand(0)?, kind, &op.sizes("fft_length")?)?)
        }
        "cholesky" => one(linear_algebra::cholesky(operand(0)?, op.flag("lower"))?),
        "triangular_solve" => {
            let transpose = op.word("transpose_a").and_then(Transpose::parse);
            let options = TriangularOptions {
                left_side: op.flag("left_side"),
                lower: op.flag("lower"),
                unit_diagonal: op.flag("unit_diagonal"),
                transpose: transpose
                    .ok_or_else(|| EvalError::invalid("the kind of transposition is unknown"))?,
            };
            one(linear_algebra::triangular_solve(operand(0)?, operand(1)?, options)?)
        }
        "batch_norm_inference" | "batch_norm_training" | "batch_norm_grad" => {
            batch_normalization(name, op, operands)
        }
        "rng_bit_generator" => {
            let algorithm = op.word("rng_algorithm").and_then(RngAlgorithm::parse);
            let algorithm =
                algorithm.ok_or_else(|| EvalError::invalid("the algorithm is unknown"))?;
            let ty = op.types.get(1).ok_or_else(|| EvalError::invalid("a result is missing"))?;
            let (state, bits) =
                rng::rng_bit_generator(operand(0)?, algorithm, &ty.static_shape()?, ty.element()?)?;
            several([state, bits])
        }
        _ => Ok(None),
    }
}

fn constant(op: &Operation) -> Result<Option<Vec<Value>>> {
    let Attr::Dense(tensor) = op.attr("value")? else {
        return Err(EvalError::unsupported("the constant's elements cannot be read"));
    };
    let ty = op.result_type()?;
    // Stored integers are written without their sign.
    let is_stored = ty.quantization().is_some() && tensor.element_type() != ty.element()?;
    one(if is_stored { convert::bitcast_convert(tensor, ty.element()?)? } else { tensor.clone() })
}

fn batch_normalization(
    name: &str,
    op: &Operation,
    operands: &[Value],
) -> Result<Option<Vec<Value>>> {
    let operand = |index| tensor(operands, index);
    let feature = op.size("feature_index")?;
    let epsilon = match op.attr("epsilon")? {
        Attr::Float(epsilon) => *epsilon,
        _ => return Err(EvalError::invalid("epsilon is not a number")),
    };
    match name {
        "batch_norm_inference" => one(batch_norm::batch_norm_inference(
            operand(0)?,
            operand(1)?,
            operand(2)?,
            operand(3)?,
            operand(4)?,
            epsilon,
            feature,
        )?),
        "batch_norm_training" => several(batch_norm::batch_norm_training(
            operand(0)?,
            operand(1)?,
            operand(2)?,
            epsilon,
            feature,
        )?),
        _ => several(batch_norm::batch_norm_grad(
            operand(0)?,
            operand(1)?,
            operand(2)?,
            operand(3)?,
            operand(4)?,
            epsilon,
            feature,
        )?),
    }
}

/// Both operands under their common shape: trailing dimensions are paired, or `broadcast_dimensions` says
/// where those of the smaller one go.
fn broadcast_pair(op: &Operation, lhs: &Tensor, rhs: &Tensor) -> Result<(Tensor, Tensor)> {
    let rank = lhs.rank().max(rhs.rank());
    let given = op.optional_ints("broadcast_dimensions")?;
    let slots = |operand: &Tensor| -> Result<Vec<usize>> {
        match &given {
            Some(_) if operand.rank() < rank => op.sizes("broadcast_dimensions"),
            _ => Ok((rank - operand.rank()..rank).collect()),
        }
    };
    let (lhs_slots, rhs_slots) = (slots(lhs)?, slots(rhs)?);
    let mut shape = vec![1; rank];
    for (operand, slots) in [(lhs, &lhs_slots), (rhs, &rhs_slots)] {
        for (size, place) in operand.shape().iter().zip(slots) {
            match shape.get_mut(*place) {
                Some(common) if *common == 1 => *common = *size,
                Some(_) => {}
                None => return Err(EvalError::invalid("a broadcast dimension is out of range")),
            }
        }
    }
    Ok((
        shape::broadcast_in_dim(lhs, &shape, &lhs_slots)?,
        shape::broadcast_in_dim(rhs, &shape, &rhs_slots)?,
    ))
}

fn chlo_operation(name: &str, op: &Operation, operands: &[Value]) -> Result<Option<Vec<Value>>> {
    let operand = |index| tensor(operands, index);
    match name {
        "constant" => constant(op),
        "constant_like" => {
            let (shape, ty) = (operand(0)?.shape(), operand(0)?.element_type());
            let value = match op.attr("value")? {
                Attr::Int(value) => ty.from_i64(*value),
                Attr::Bool(value) => ty.from_i64(i64::from(*value)),
                Attr::Float(value) => convert::convert_element(crate::Element::Float(*value), ty),
                _ => return Err(EvalError::unsupported("the value cannot be read")),
            };
            one(Tensor::splat(shape, ty, value))
        }
        "broadcast_compare" => {
            let (direction, total_order) = comparison(op)?;
            let (lhs, rhs) = broadcast_pair(op, operand(0)?, operand(1)?)?;
            one(compare_select::compare(&lhs, &rhs, direction, total_order)?)
        }
        "broadcast_select" => {
            let (on_true, on_false) = broadcast_pair(op, operand(1)?, operand(2)?)?;
            let (pred, on_true) = broadcast_pair(op, operand(0)?, &on_true)?;
            let (_, on_false) = broadcast_pair(op, operand(0)?, &on_false)?;
            one(compare_select::select(&pred, &on_true, &on_false)?)
        }
        "top_k" => {
            let (values, indices) = sort::top_k(operand(0)?, op.size("k")?)?;
            several([values, indices])
        }
        "ragged_dot" => {
            let fields = op.fields("ragged_dot_dimension_numbers")?;
            let dimensions = dot::DotDimensions {
                lhs_batching: fields.sizes("lhs_batching_dimensions")?,
                rhs_batching: fields.sizes("rhs_batching_dimensions")?,
                lhs_contracting: fields.sizes("lhs_contracting_dimensions")?,
                rhs_contracting: fields.sizes("rhs_contracting_dimensions")?,
            };
            one(dot::ragged_dot(
                operand(0)?,
                operand(1)?,
                operand(2)?,
                &dimensions,
                &fields.sizes("lhs_ragged_dimensions")?,
                &fields.sizes("rhs_group_dimensions")?,
                op.result_type()?.element()?,
            )?)
        }
        _ => Ok(None),
    }
}
