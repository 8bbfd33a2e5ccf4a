//! if, case, while, calls, composites, and regions that run once.

use crate::{
    element::Element,
    error::{EvalError, Result},
    interpret::{Frame, Machine, Value, arguments::tensor, check_type, manual, precision},
    program::Operation,
};

/// Evaluates one of the operations of this module; `None` for all others.
pub fn evaluate(
    machine: &Machine<'_>,
    op: &Operation,
    operands: &[Value],
    frame: &mut Frame,
) -> Result<Option<Vec<Value>>> {
    match op.name.as_str() {
        "stablehlo.composite" => call(machine, op.string("decomposition")?, operands).map(Some),
        "stablehlo.if" => {
            let branch = if truth(tensor(operands, 0)?.single()?)? { 0 } else { 1 };
            machine.run(op.region(branch)?, Vec::new(), frame).map(Some)
        }
        "stablehlo.case" => {
            let index = tensor(operands, 0)?.single()?.as_integer();
            let last = op.regions.len().saturating_sub(1);
            // An index out of range means the last branch.
            let branch = index
                .and_then(|index| usize::try_from(index).ok())
                .map_or(last, |index| index.min(last));
            machine.run(op.region(branch)?, Vec::new(), frame).map(Some)
        }
        "stablehlo.while" => {
            let (condition, body) = (op.region(0)?, op.region(1)?);
            let mut state = operands.to_vec();
            loop {
                let answer = machine.run(condition, state.clone(), frame)?;
                if !truth(tensor(&answer, 0)?.single()?)? {
                    return Ok(Some(state));
                }
                state = precision::rounded(&machine.run(body, state, frame)?);
            }
        }
        // The region of async_start gets the operands as arguments; it runs synchronously.
        "stablehlo.async_start" => {
            let results = machine.run(op.region(0)?, operands.to_vec(), frame)?;
            Ok(Some(vec![Value::Tuple(results)]))
        }
        "stablehlo.async_done" => match operands {
            [Value::Tuple(results)] => Ok(Some(results.clone())),
            _ => Err(EvalError::invalid("the operand is not a future")),
        },
        // On one device a part of the program that is written for each device is that part itself; on several each runs it on
        // its part of the values.
        "sdy.manual_computation" | "sdy.named_computation" => {
            let body = op.region(0)?;
            if op.name == "sdy.manual_computation"
                && let Some(process) = machine.process
            {
                return manual::manual_computation(machine, process, op, operands, frame).map(Some);
            }
            let whole =
                operands.iter().zip(&body.types).all(|(value, ty)| check_type(value, ty).is_ok());
            if !whole {
                return Err(EvalError::unsupported(
                    "the computation is divided over several devices",
                ));
            }
            machine.run(body, operands.to_vec(), frame).map(Some)
        }
        _ => Ok(None),
    }
}

/// Runs a function of the program.
pub fn call(machine: &Machine<'_>, name: &str, operands: &[Value]) -> Result<Vec<Value>> {
    machine.call(machine.program.function(name)?, operands.to_vec())
}

fn truth(element: Element) -> Result<bool> {
    element.as_bool().ok_or_else(|| EvalError::invalid("a condition must be i1"))
}
