//! Programs whose numbers of `bf16` and `f16` may have more digits than their type.
//!
//! Such a number has its digits beside it, in `f32`: arithmetic computes with these, everything else with the number. Calls, and what
//! only arranges elements, pass both on. Compiled code may have rounded a number where this does not, as one that is moved before arithmetic
//! reads it, and computes functions to fewer digits than `f32`: with rounding noise digits are off by a part of what rounding takes away.

use std::sync::Arc;

use crate::{
    convert::convert,
    element::{BF16, Element, ElementType, F16, F32},
    error::Result,
    interpret::{Frame, Machine, Value, operations},
    program::{Block, Operation, Type},
    rng::RngStream,
    tensor::Tensor,
};

/// What an operation does with digits.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Computes,
    Converts,
    Arranges,
    Calls,
    /// It reads numbers of their own type.
    Other,
}

fn role(op: &Operation) -> Role {
    match op.mnemonic() {
        "call" | "composite" | "named_computation" => Role::Calls,
        "convert" => Role::Converts,
        "broadcast"
        | "broadcast_in_dim"
        | "dynamic_broadcast_in_dim"
        | "dynamic_reshape"
        | "reshape"
        | "transpose" => Role::Arranges,
        "reduce" | "reduce_window" => {
            let folds = op.regions.iter().all(|body| body.operations.iter().all(folds));
            if folds { Role::Computes } else { Role::Other }
        }
        "dot"
        | "dot_general"
        | "convolution"
        | "dynamic_conv"
        | "einsum"
        | "unary_einsum"
        | "iota"
        | "dynamic_iota"
        | "cholesky"
        | "reduce_precision"
        | "top_k"
        | "next_after"
        | "broadcast_next_after"
        | "bitcast_convert" => Role::Other,
        "select" | "broadcast_select" => Role::Computes,
        _ if operations::computes(op) => Role::Computes,
        _ => Role::Other,
    }
}

fn folds(inner: &Operation) -> bool {
    matches!(inner.mnemonic(), "add" | "multiply" | "maximum" | "minimum")
}

fn is_half(ty: ElementType) -> bool {
    ty == BF16 || ty == F16
}

/// The results of one operation; those of `bf16` and `f16` have digits beside them.
pub fn evaluate(
    machine: &Machine<'_>,
    op: &Operation,
    operands: &[Value],
    frame: &mut Frame,
) -> Result<Vec<Value>> {
    match role(op) {
        Role::Computes => {
            let halves = op.types.iter().filter_map(|ty| ty.element().ok()).any(is_half);
            let mut reads = operands.iter().filter_map(|one| one.tensor().ok());
            if !halves && !reads.any(|one| is_half(one.element_type())) {
                return machine.evaluate_alone(op, operands, frame);
            }
            let operands: Vec<_> = operands.iter().map(with_digits).collect();
            let results = machine.evaluate_alone(&widened(op), &operands, frame)?;
            let results = results.into_iter().zip(&op.types);
            Ok(results.map(|(one, ty)| half(machine, one, ty, op.mnemonic())).collect())
        }
        Role::Converts => converted(machine, op, operands, frame),
        Role::Arranges => {
            let mut results = machine.evaluate_alone(op, &rounded(operands), frame)?;
            if let [Value::Tensor(number), rest @ ..] = operands
                && let [Value::Tensor(result)] = &mut results[..]
                && let Some(digits) = number.digits()
            {
                let operands = [&[Value::Tensor(digits.clone())], rest].concat();
                let arranged = machine.evaluate_alone(&widened(op), &operands, frame)?;
                if let [Value::Tensor(digits)] = &arranged[..] {
                    *result = result.clone().with_digits(Some(Arc::new(digits.clone())));
                }
            }
            Ok(results)
        }
        Role::Calls => machine.evaluate_alone(op, operands, frame),
        Role::Other => Ok(rounded(&machine.evaluate_alone(op, &rounded(operands), frame)?)),
    }
}

/// Without digits.
pub fn rounded(values: &[Value]) -> Vec<Value> {
    let round = |value: &Value| match value {
        Value::Tensor(tensor) => Value::Tensor(tensor.clone().with_digits(None)),
        Value::Tuple(values) => Value::Tuple(rounded(values)),
        Value::Token => Value::Token,
    };
    values.iter().map(round).collect()
}

/// A number of `bf16` or `f16` in `f32`, with its digits; anything else as it is.
fn with_digits(value: &Value) -> Value {
    match value {
        Value::Tensor(tensor) if is_half(tensor.element_type()) => {
            let digits = tensor.digits().cloned();
            Value::Tensor(digits.unwrap_or_else(|| convert(tensor, F32)))
        }
        other => other.clone(),
    }
}

/// The operation with `f32` for `bf16` and `f16`.
fn widened(op: &Operation) -> Operation {
    let wide = |ty: &Type| match ty {
        Type::Tensor { shape, element, quantization: None, bounds } if is_half(*element) => {
            let (shape, bounds) = (shape.clone(), bounds.clone());
            Type::Tensor { shape, element: F32, quantization: None, bounds }
        }
        other => other.clone(),
    };
    let block = |body: &Block| Block {
        types: body.types.iter().map(wide).collect(),
        operations: body.operations.iter().map(widened).collect(),
        ..body.clone()
    };
    Operation {
        types: op.types.iter().map(wide).collect(),
        regions: op.regions.iter().map(block).collect(),
        ..op.clone()
    }
}

/// A result in `f32` as one of its type, with its digits.
fn half(machine: &Machine<'_>, value: Value, ty: &Type, name: &str) -> Value {
    match (value, ty.element()) {
        (Value::Tensor(digits), Ok(element)) if is_half(element) => {
            let permitted = permitted(name, element);
            Value::Tensor(with_noise(machine, convert(&digits, element), digits, permitted))
        }
        (other, _) => other,
    }
}

/// How far digits of a function may be from its value, as a part of that: docs/numerics.md.
fn permitted(name: &str, element: ElementType) -> f64 {
    let bits = match name {
        "exponential" | "logistic" | "tanh" if element == BF16 => 15,
        "exponential" | "logistic" => 17,
        "tanh" => 20,
        _ => return 0.0,
    };
    0.5_f64.powi(bits)
}

/// A number with its digits. With rounding noise half of these are on the way to the rounded number, or that number where they may be off
/// by as much, such as those of a `tanh` of 1; and the sign of NaN is any, as a conversion leaves it.
fn with_noise(machine: &Machine<'_>, number: Tensor, digits: Tensor, permitted: f64) -> Tensor {
    let noisy = |stream: &mut RngStream| {
        let mut is_odd = || !stream.next_u64().is_multiple_of(2);
        let number =
            Tensor::from_fn(number.shape(), number.element_type(), |position| {
                match number.get(position) {
                    Element::Float(nan) if nan.is_nan() && is_odd() => Element::Float(-nan),
                    other => other,
                }
            });
        let digits = Tensor::from_fn(digits.shape(), F32, |position| {
            match (digits.get(position), number.get(position)) {
                (Element::Float(kept), rounded) if kept.is_nan() => rounded,
                (kept, _) if is_odd() => kept,
                (Element::Float(kept), Element::Float(rounded)) if rounded.is_finite() => {
                    let is_near = (rounded - kept).abs() <= permitted * rounded.abs();
                    Element::Float(if is_near { rounded } else { kept + (rounded - kept) * WAY })
                }
                (_, rounded) => rounded,
            }
        });
        (number, digits)
    };
    let (number, digits) = machine.session.with_noise(noisy).unwrap_or((number, digits));
    number.with_digits(Some(Arc::new(digits)))
}

/// How far noise moves digits to the rounded number: results may be several times as far from each other as those with noise.
const WAY: f64 = 0.25;

fn converted(
    machine: &Machine<'_>,
    op: &Operation,
    operands: &[Value],
    frame: &mut Frame,
) -> Result<Vec<Value>> {
    let number = operands.first().and_then(|one| one.tensor().ok());
    let to = op.types.first().and_then(|ty| ty.element().ok());
    let (Some(number), Some(to)) = (number, to) else {
        return machine.evaluate_alone(op, operands, frame);
    };
    let wide = [with_digits(&operands[0])];
    let is_float = matches!(number.element_type(), ElementType::Float(_));
    let to_wide = !is_half(to) && matches!(to, ElementType::Float(_)) && to.bits() >= 32;
    let keeps = is_half(number.element_type()) && (is_half(to) || to_wide);
    let numbers = if keeps { wide.to_vec() } else { rounded(operands) };
    let mut results = machine.evaluate_alone(op, &numbers, frame)?;
    let is_real = is_float || !number.element_type().is_complex();
    if is_half(to)
        && is_real
        && let ([Value::Tensor(result)], [Value::Tensor(number)]) = (&mut results[..], &wide)
    {
        *result = with_noise(machine, result.clone(), convert(number, F32), 0.0);
    }
    Ok(results)
}
