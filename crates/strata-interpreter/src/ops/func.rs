//! `func`: calls of functions of the module.

use strata_ir::{AttributeExt as _, Convention, ExternalCall, Op, func, function_name};

use super::{exchange, unknown};
use crate::{
    element::Bits,
    fault::Fault,
    machine::Operand,
    prepare::{Prepared, Preparer, unsupported},
    value::Value,
};

pub(crate) fn prepare<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    if !op.is(func::CALL) {
        return unknown();
    }
    let Some(name) = op.attr("callee").and_then(|callee| callee.as_symbol()) else {
        return unsupported("it names no function");
    };
    let Some(function) = p.functions.get(name).copied() else {
        return match declared(op, name) {
            Some(call) if call.convention == Convention::Collective => {
                exchange::prepare(p, op, &call)
            }
            Some(call) if call.convention == Convention::Condition => condition(p.operands(op)),
            _ => unsupported(format!("`@{name}` is an external function")),
        };
    };
    let (operands, results) = (p.operands(op), p.results(op));
    if p.tasks.contains(&function) {
        return prepare_tasks(operands, function);
    }
    Ok(Box::new(move |machine| {
        let values = machine.all(&operands)?;
        let found = machine.call(function, values)?;
        for (slot, value) in results.iter().zip(found) {
            machine.set(*slot, value);
        }
        Ok(())
    }))
}

/// A condition of the program, which is a boolean.
fn condition(operands: Vec<Operand>) -> Prepared {
    let Some(operand) = operands.first().copied() else {
        return unsupported("a condition has one operand");
    };
    Ok(Box::new(move |machine| {
        let value = machine.value(operand);
        match exchange::contents(machine, &value)?[..] {
            [byte] if byte != 0 => Ok(()),
            _ => Err(Fault::undefined("a condition on sizes does not hold")),
        }
    }))
}

/// What a declaration of the module says of a function of another library.
fn declared<'c>(op: Op<'c>, name: &str) -> Option<ExternalCall<'c>> {
    let root = std::iter::successors(Some(op), |op| op.parent()).last()?;
    let mut all = root.body(0).ops().into_iter().filter(|op| op.is(func::FUNC));
    ExternalCall::of(all.find(|op| function_name(*op) == name)?)?.ok()
}

/// Runs tasks from the last to the first, each with its own memory: their order is unspecified.
fn prepare_tasks(operands: Vec<Operand>, function: usize) -> Prepared {
    let Some((buffers, [first, end, _])) = operands.split_last_chunk::<3>() else {
        return unsupported("tasks take a range and a slot");
    };
    let (buffers, first, end) = (buffers.to_vec(), *first, *end);
    Ok(Box::new(move |machine| {
        let (first, end) = (machine.index(first)?, machine.index(end)?);
        let own = machine.all(&buffers)?;
        for task in (first..end).rev() {
            machine.memory.begin_task(task as u32);
            let range = [task, task + 1, task].map(|number| Value::Scalar(number as Bits));
            let values = own.iter().cloned().chain(range).collect();
            machine.call(function, values)?;
        }
        machine.memory.end_tasks();
        Ok(())
    }))
}
