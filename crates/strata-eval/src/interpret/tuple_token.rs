//! tuple, get_tuple_element, tokens, optimization_barrier.

use crate::{
    error::{EvalError, Result},
    interpret::Value,
    program::Operation,
};

/// Evaluates one of the operations of this module; `None` for all others.
pub fn evaluate(op: &Operation, operands: &[Value]) -> Result<Option<Vec<Value>>> {
    Ok(Some(match op.name.as_str() {
        "stablehlo.tuple" => vec![Value::Tuple(operands.to_vec())],
        "stablehlo.get_tuple_element" => match operands {
            [Value::Tuple(elements)] => {
                let element = elements.get(op.size("index")?).cloned();
                vec![element.ok_or_else(|| EvalError::invalid("the tuple has no such element"))?]
            }
            _ => return Err(EvalError::invalid("the operand is not a tuple")),
        },
        "stablehlo.after_all" | "stablehlo.create_token" => vec![Value::Token],
        "stablehlo.optimization_barrier" => operands.to_vec(),
        "sdy.sharding_group" => Vec::new(),
        // Placement does not affect values.
        name if name.starts_with("sdy.")
            && op.regions.is_empty()
            && operands.len() == op.results.len() =>
        {
            operands.to_vec()
        }
        _ => return Ok(None),
    }))
}
