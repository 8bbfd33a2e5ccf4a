//! custom_call, and the expectations of the check dialect.

use std::collections::BTreeMap;

use crate::{
    chlo, compare, dynamic,
    element::{Element, ElementType},
    elementwise,
    error::{EvalError, Result},
    interpret::{
        Machine, Value,
        arguments::{one, several, tensor, tensors},
        bodies, ragged,
    },
    program::{Attr, Fields, Operation, Type},
    rng::{self, RngAlgorithm},
    shape, sort,
    tensor::Tensor,
};

/// A custom call target: from the operands to the results.
pub type CustomCall = dyn Fn(&[Tensor]) -> Result<Vec<Tensor>> + Send + Sync;

/// How far apart `expect_close` allows values unless it says otherwise.
const DEFAULT_ULPS: u64 = 3;
/// How far apart the custom call `check.expect_almost_eq` allows values.
const ALMOST: f64 = 1e-3;
/// How far apart `check.eq` allows values.
const QUANTIZED: f64 = 1e-4;

/// Evaluates one of the operations of this module; `None` for all others.
pub fn evaluate(
    machine: &Machine<'_>,
    op: &Operation,
    operands: &[Value],
) -> Result<Option<Vec<Value>>> {
    let operand = |index| tensor(operands, index);
    match op.name.as_str() {
        "check.expect_eq" => compare::equal(operand(0)?, operand(1)?)?,
        "check.expect_eq_const" => compare::equal(operand(0)?, expected(op)?)?,
        "check.expect_almost_eq" => {
            compare::almost_equal(operand(0)?, operand(1)?, tolerance(op))?;
        }
        "check.expect_almost_eq_const" => {
            compare::almost_equal(operand(0)?, expected(op)?, tolerance(op))?;
        }
        "check.expect_close" => {
            let (min, max) = ulp_bounds(op, 1)?;
            compare::close(operand(0)?, operand(1)?, min, max)?;
        }
        "check.expect_serialized_eq" => {
            let id = op.string("probe_id")?;
            let iteration =
                if op.attributes.contains_key("iteration") { op.size("iteration")? } else { 0 };
            let probed = machine.session.probed(id);
            let probed = probed.get(iteration).ok_or_else(|| {
                EvalError::check(format!("`{id}` was probed {} times only", probed.len()))
            })?;
            compare::equal(probed, operand(0)?)?;
        }
        "stablehlo.custom_call" => return custom_call(machine, op, operands).map(Some),
        _ => return Ok(None),
    }
    Ok(Some(Vec::new()))
}

/// The constant of a `check.*_const` operation.
fn expected(op: &Operation) -> Result<&Tensor> {
    match op.attr("value")? {
        Attr::Dense(tensor) => Ok(tensor),
        _ => Err(EvalError::unsupported("the expected elements cannot be read")),
    }
}

fn tolerance(op: &Operation) -> f64 {
    match op.attributes.get("tolerance") {
        Some(Attr::Float(tolerance)) => *tolerance,
        _ => QUANTIZED,
    }
}

fn ulp_bounds(op: &Operation, default: u64) -> Result<(u64, u64)> {
    let bound = |name: &str, default: u64| match op.attributes.get(name) {
        None => Ok(default),
        Some(attribute) => {
            let number = match attribute {
                Attr::Typed(inner, ty) => match inner.as_ref() {
                    // The bits are those of the unsigned number.
                    Attr::Int(value) if ty == "ui64" => Some(*value as u64),
                    Attr::Int(value) => u64::try_from(*value).ok(),
                    _ => None,
                },
                // The operation has only unsigned ones, a custom call any.
                Attr::Int(value) if op.name.starts_with("check.") => Some(*value as u64),
                Attr::Int(value) => u64::try_from(*value).ok(),
                _ => None,
            };
            number.ok_or_else(|| {
                EvalError::invalid(format!("{name} is not a number of units in the last place"))
            })
        }
    };
    let (min, max) = (bound("min_ulp_difference", 0)?, bound("max_ulp_difference", default)?);
    if min > max {
        return Err(EvalError::invalid(format!(
            "min_ulp_difference ({min}) is larger than max_ulp_difference ({max})"
        )));
    }
    Ok((min, max))
}

/// A message with the numbers of these operands in place of `{0}`, `{1}`, ….
fn filled(message: &str, operands: &[Value]) -> String {
    let fill = |text: String, at: usize| {
        let numbers = tensor(operands, at).and_then(|tensor| tensor.to_i64s()).unwrap_or_default();
        match numbers[..] {
            [number] => text.replace(&format!("{{{at}}}"), &number.to_string()),
            _ => text,
        }
    };
    (0..operands.len()).fold(message.to_owned(), fill)
}

fn custom_call(machine: &Machine<'_>, op: &Operation, operands: &[Value]) -> Result<Vec<Value>> {
    let target = op.string("call_target_name")?;
    if let Some(call) = machine.session.custom_call(target) {
        return Ok(call(&tensors(operands)?)?.into_iter().map(Value::Tensor).collect());
    }
    let operand = |index| tensor(operands, index);
    match target {
        "check.expect_eq" => compare::equal(operand(0)?, operand(1)?)?,
        "check.expect_close" => {
            let (min, max) = ulp_bounds(op, DEFAULT_ULPS)?;
            compare::close(operand(0)?, operand(1)?, min, max)?;
        }
        "check.expect_almost_eq" => compare::almost_equal(operand(0)?, operand(1)?, ALMOST)?,
        "check.eq" => {
            compare::almost_equal(operand(0)?, operand(1)?, QUANTIZED)?;
            return Ok(vec![Value::Tensor(Tensor::scalar(ElementType::Bool, Element::Bool(true)))]);
        }
        // Placement does not affect values.
        "Sharding"
        | "SPMDFullToShardShape"
        | "SPMDShardToFullShape"
        | "annotate_device_placement"
        | "LayoutConstraint"
            if operands.len() == op.types.len() =>
        {
            return Ok(operands.to_vec());
        }
        "shape_assertion" => match operand(0)?.single()? {
            Element::Bool(true) => {}
            _ => {
                let message = op.string("error_message").unwrap_or("a shape assertion fails");
                return Err(EvalError::invalid(filled(message, &operands[1..])));
            }
        },
        // Any elements are right; those of the compiled program are zeros.
        "AllocateBuffer" if operands.is_empty() => {
            let zeros =
                |ty: &Type| Ok(Value::Tensor(Tensor::zeros(&ty.static_shape()?, ty.element()?)));
            return op.types.iter().map(zeros).collect();
        }
        strata_ir::RAGGED_ALL_TO_ALL => return ragged::exchange(machine, op, operands),
        "ApproxTopK" => return approx_top_k(machine, op, operands),
        "stablehlo.shape_refinement_operand_wrapper" => {
            return Ok(vec![Value::Tensor(operand(0)?.clone())]);
        }
        "stablehlo.dynamic_reduce_window" => {
            let results = bodies::dynamic_reduce_window(machine, op, operands)?;
            return Ok(results.unwrap_or_default());
        }
        "stablehlo.dynamic_rng_bit_generator" => return random_bits(op, operands),
        "stablehlo.dynamic_top_k" => {
            let k = dynamic::sizes(operand(1)?)?;
            let k = *k.first().ok_or_else(|| EvalError::invalid("there is no `k`"))?;
            let (values, indices) = sort::top_k(operand(0)?, k)?;
            return Ok(vec![Value::Tensor(values), Value::Tensor(indices)]);
        }
        _ => {
            if let Some(results) = outside(machine, target, op, operands)? {
                return Ok(results);
            }
            return pointwise_target(target, op, operands);
        }
    }
    Ok(Vec::new())
}

/// `rng_bit_generator` of a shape that is an operand.
fn random_bits(op: &Operation, operands: &[Value]) -> Result<Vec<Value>> {
    let algorithm = op.word("rng_algorithm").and_then(RngAlgorithm::parse);
    let algorithm = algorithm.ok_or_else(|| EvalError::invalid("the algorithm is unknown"))?;
    let shape = dynamic::sizes(tensor(operands, 1)?)?;
    let ty = op.types.get(1).ok_or_else(|| EvalError::invalid("a result is missing"))?;
    let (state, bits) =
        rng::rng_bit_generator(tensor(operands, 0)?, algorithm, &shape, ty.element()?)?;
    Ok(vec![Value::Tensor(state), Value::Tensor(bits)])
}

/// The first elements of each row after a stable sort by the comparator that the operation names.
fn approx_top_k(machine: &Machine<'_>, op: &Operation, operands: &[Value]) -> Result<Vec<Value>> {
    let unknown = || EvalError::unsupported("this form of ApproxTopK is unknown");
    let inputs = tensors(operands.get(..op.types.len()).ok_or_else(unknown)?)?;
    let config = op.attributes.get("mhlo.backend_config").or(op.attributes.get("backend_config"));
    let Some(Attr::Dictionary(config)) = config else { return Err(unknown()) };
    let Some(Attr::Int(dim)) = config.get("reduction_dim").map(Attr::plain) else {
        return Err(unknown());
    };
    let dim = usize::try_from(*dim).map_err(|_| unknown())?;
    let Some(Attr::Array(names)) = op.attributes.get("called_computations") else {
        return Err(unknown());
    };
    let [Attr::Symbol(name)] = &names[..] else { return Err(unknown()) };
    let comparator = machine.function(name)?;
    let sorted = sort::sort(&inputs, dim, &mut |arguments| {
        let types = comparator.body.types.iter().map(Type::element);
        let scalar = |(element, ty): (&Element, Result<ElementType>)| {
            Ok(Value::Tensor(Tensor::scalar(ty?, *element)))
        };
        let arguments = arguments.iter().zip(types).map(scalar).collect::<Result<_>>()?;
        let answer = machine.call(comparator, arguments)?;
        answer.iter().map(|value| value.tensor()?.single()).collect()
    })?;
    let first = |(tensor, ty): (Tensor, &Type)| {
        let limits = ty.static_shape()?;
        let rank = limits.len();
        shape::slice(&tensor, &vec![0; rank], &limits, &vec![1; rank]).map(Value::Tensor)
    };
    sorted.into_iter().zip(&op.types).map(first).collect()
}

/// A function outside of the program, as one that evaluates such functions sees it: buffers in the
/// layouts that the program states, row-major ones otherwise.
#[derive(Clone, Debug)]
pub struct OutsideCall<'a> {
    /// The name of the function.
    pub target: &'a str,
    /// The version of its interface.
    pub version: i64,
    /// The operands; their shapes are those of the program, their elements are in the given layouts.
    pub operands: Vec<Tensor>,
    /// Shapes and element types of the results.
    pub results: Vec<(Vec<usize>, ElementType)>,
    /// For each result the operand whose buffer it shares, if any: what the function does not write is kept.
    pub aliases: Vec<Option<usize>>,
    /// The dictionary for a typed function.
    pub config: Option<&'a BTreeMap<String, Attr>>,
    /// The text for a function of version 3.
    pub text: &'a str,
}

fn outside(
    machine: &Machine<'_>,
    target: &str,
    op: &Operation,
    operands: &[Value],
) -> Result<Option<Vec<Value>>> {
    let Some(evaluate) = machine.session.outside() else { return Ok(None) };
    let operands = tensors(operands)?;
    let operand_count = operands.len();
    let given = shapes_of_results(op, &operands)?;
    let inputs = layouts(op, "operand_layouts", operands.len())?;
    let outputs = layouts(op, "result_layouts", op.types.len())?;
    // The shapes of results are known to the function.
    let shapes = op.optional_ints("indices_of_shape_operands")?.unwrap_or_default();
    let taken: Vec<usize> =
        (0..operand_count).filter(|index| !shapes.contains(&(*index as i64))).collect();
    let laid_out = operands
        .into_iter()
        .zip(inputs)
        .enumerate()
        .filter(|(index, _)| taken.contains(index))
        .map(|(_, (tensor, layout))| match layout {
            Some(layout) => {
                let moved = shape::transpose(&tensor, &layout)?;
                Tensor::from_bytes(tensor.shape(), tensor.element_type(), moved.bytes().to_vec())
            }
            None => Ok(tensor),
        })
        .collect::<Result<Vec<_>>>()?;
    let results = op.types.iter().zip(given).map(|(ty, given)| match given {
        Some(shape) => Ok((shape, ty.element()?)),
        None => Ok((ty.static_shape()?, ty.element()?)),
    });
    let config = ["mhlo.backend_config", "backend_config"].iter().find_map(|name| {
        match op.attributes.get(*name) {
            Some(Attr::Dictionary(entries)) => Some(entries),
            _ => None,
        }
    });
    let call = OutsideCall {
        target,
        version: op.int("api_version").unwrap_or(1),
        operands: laid_out,
        results: results.collect::<Result<_>>()?,
        aliases: aliases(op, &taken)?,
        config,
        text: op.string("backend_config").unwrap_or_default(),
    };
    let Some(found) = evaluate(&call)? else { return Ok(None) };
    let values = found.into_iter().zip(outputs).map(|(tensor, layout)| {
        let Some(layout) = layout else { return Ok(Value::Tensor(tensor)) };
        // The elements are in the given layout: first, their shape is the buffer's.
        let sizes: Vec<_> = layout.iter().map(|dim| tensor.shape()[*dim]).collect();
        let buffer = Tensor::from_bytes(&sizes, tensor.element_type(), tensor.bytes().to_vec())?;
        let mut back = vec![0; layout.len()];
        layout.iter().enumerate().for_each(|(at, dim)| back[*dim] = at);
        shape::transpose(&buffer, &back).map(Value::Tensor)
    });
    values.collect::<Result<_>>().map(Some)
}

/// The shapes of the results of a call that takes them as operands.
fn shapes_of_results(op: &Operation, operands: &[Tensor]) -> Result<Vec<Option<Vec<usize>>>> {
    let Some(given) = op.optional_ints("indices_of_shape_operands")? else {
        return Ok(vec![None; op.types.len()]);
    };
    let shape = |index: i64| {
        let operand = usize::try_from(index).ok().and_then(|index| operands.get(index));
        let operand = operand.ok_or_else(|| EvalError::invalid("a shape operand is missing"))?;
        dynamic::sizes(operand).map(Some)
    };
    given.into_iter().map(shape).collect()
}

/// For each result the operand whose buffer it shares, as a position among `taken`.
fn aliases(op: &Operation, taken: &[usize]) -> Result<Vec<Option<usize>>> {
    let mut aliases = vec![None; op.types.len()];
    let Some(Attr::Array(all)) = op.attributes.get("output_operand_aliases") else {
        return Ok(aliases);
    };
    let invalid = || EvalError::invalid("output_operand_aliases cannot be read");
    for attribute in all {
        let Attr::Text(text) = attribute else { return Err(invalid()) };
        let fields = Fields::new(text);
        let result = match fields.sizes("output_tuple_indices")?[..] {
            [] if aliases.len() == 1 => 0,
            [result] => result,
            _ => return Err(EvalError::unsupported("an alias inside of a tuple")),
        };
        if !fields.sizes("operand_tuple_indices")?.is_empty() {
            return Err(EvalError::unsupported("an alias inside of a tuple"));
        }
        let operand = fields.int("operand_index")?;
        let operand = taken.iter().position(|index| *index as i64 == operand);
        let slot = aliases.get_mut(result).ok_or_else(invalid)?;
        *slot = Some(operand.ok_or_else(invalid)?);
    }
    Ok(aliases)
}

/// For each value the dimensions of its buffer, outermost first; `None` for row-major ones.
fn layouts(op: &Operation, name: &str, count: usize) -> Result<Vec<Option<Vec<usize>>>> {
    let Some(Attr::Array(all)) = op.attributes.get(name) else { return Ok(vec![None; count]) };
    let invalid = || EvalError::invalid(format!("{name} cannot be read"));
    let layout = |attribute: &Attr| {
        let minor_first = match attribute {
            Attr::Ints(dims) => dims.clone(),
            Attr::Dense(dims) => dims
                .elements()
                .into_iter()
                .map(|dim| match dim {
                    Element::Signed(dim) => Ok(dim),
                    _ => Err(invalid()),
                })
                .collect::<Result<_>>()?,
            _ => return Err(invalid()),
        };
        let order = minor_first.iter().rev().map(|dim| usize::try_from(*dim));
        let order = order.collect::<std::result::Result<Vec<_>, _>>().map_err(|_| invalid())?;
        Ok((!order.is_sorted()).then_some(order))
    };
    let read = all.iter().map(layout).collect::<Result<Vec<_>>>()?;
    if read.len() == count { Ok(read) } else { Err(invalid()) }
}

/// Targets such as `mhlo.erf` that stand for an operation that StableHLO lacks.
fn pointwise_target(target: &str, op: &Operation, operands: &[Value]) -> Result<Vec<Value>> {
    let unknown = || EvalError::unsupported(format!("the custom call target @{target} is unknown"));
    let name = match target.split_once('.') {
        Some(("mhlo" | "chlo", name)) => name,
        Some(_) => return Err(unknown()),
        // Whatever has the name of a function may be one.
        None => return Err(EvalError::missing(target)),
    };
    let results = match operands {
        [x] => {
            if name == "topk" || name == "top_k" {
                let Some(Attr::Dictionary(attributes)) = op.attributes.get("mhlo.attributes")
                else {
                    return Err(unknown());
                };
                let Some(Attr::Int(k)) = attributes.get("k").map(Attr::plain) else {
                    return Err(unknown());
                };
                if matches!(attributes.get("largest"), Some(Attr::Bool(false))) {
                    return Err(unknown());
                }
                let k = usize::try_from(*k).map_err(|_| unknown())?;
                let (values, indices) = sort::top_k(x.tensor()?, k)?;
                several([values, indices])?
            } else {
                let row = chlo::UNARY.iter().find(|(row, _)| *row == name).ok_or_else(unknown)?;
                one(elementwise::map_unary(name, row.1, x.tensor()?)?)?
            }
        }
        [x, y] => {
            let row = chlo::BINARY.iter().find(|(row, _)| *row == name).ok_or_else(unknown)?;
            one(elementwise::map_binary(name, row.1, x.tensor()?, y.tensor()?)?)?
        }
        _ => return Err(unknown()),
    };
    Ok(results.unwrap_or_default())
}
