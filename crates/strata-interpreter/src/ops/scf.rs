//! `scf`: loops and branches.

use strata_ir::{Op, scf};

use super::unknown;
use crate::{
    element::{Bits, Elem},
    fault::{Fault, Run},
    machine::{Block, Machine, Operand, Slot},
    prepare::{Prepared, Preparer, elem, numbers, unsupported},
    value::Value,
};

pub(crate) fn prepare<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    match op.name() {
        scf::FOR => for_loop(p, op),
        scf::WHILE => while_loop(p, op),
        scf::IF => branch(p, op),
        scf::INDEX_SWITCH => switch(p, op),
        scf::PARALLEL => parallel(p, op),
        _ => unknown(),
    }
}

/// Sets the results of an operation.
pub(crate) fn give(machine: &mut Machine, results: &[Slot], values: Vec<Value>) {
    for (slot, value) in results.iter().zip(values) {
        machine.set(*slot, value);
    }
}

/// Iterates from `low` to below `high` with loop-carried values.
pub(crate) fn count(
    machine: &mut Machine,
    body: &Block,
    (low, high, step): (i64, i64, i64),
    mut state: Vec<Value>,
) -> Run<Vec<Value>> {
    if step <= 0 {
        return Err(Fault::undefined(format!("the loop counts by {step}")));
    }
    let mut at = low;
    while at < high {
        machine.set(body.args[0], Value::Scalar(at as u64 as Bits));
        for (slot, value) in body.args[1..].iter().zip(state) {
            machine.frame[*slot] = value;
        }
        machine.run(body)?;
        state = machine.all(&body.yields)?;
        let Some(next) = at.checked_add(step) else { break };
        at = next;
    }
    Ok(state)
}

fn for_loop<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    if op.has_attr("unsignedCmp") {
        return unsupported("it compares without a sign");
    }
    let element = elem(op.operand(0).ty())?;
    let operands = p.operands(op);
    let results = p.results(op);
    let body = p.body(op, 0)?;
    Ok(Box::new(move |machine| {
        let bound = |machine: &Machine, at: usize| {
            machine.scalar(operands[at]).map(|bits| element.signed(bits))
        };
        let range = (bound(machine, 0)?, bound(machine, 1)?, bound(machine, 2)?);
        let state = machine.all(&operands[3..])?;
        let state = count(machine, &body, range, state)?;
        give(machine, &results, state);
        Ok(())
    }))
}

fn while_loop<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let operands = p.operands(op);
    let results = p.results(op);
    let (before, after) = (p.body(op, 0)?, p.body(op, 1)?);
    Ok(Box::new(move |machine| {
        let mut state = machine.all(&operands)?;
        loop {
            let mut found = machine.run_with(&before, state)?;
            let goes_on = match found.first() {
                Some(Value::Scalar(bits)) => bits & 1 == 1,
                _ => return Err(Fault::internal("the condition is not a number")),
            };
            found.remove(0);
            if !goes_on {
                give(machine, &results, found);
                return Ok(());
            }
            state = machine.run_with(&after, found)?;
        }
    }))
}

fn branch<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (condition, results) = (p.operand(op, 0), p.results(op));
    let then = p.body(op, 0)?;
    let otherwise = match op.region(1).first_block() {
        Some(_) => p.body(op, 1)?,
        None => Block::default(),
    };
    Ok(Box::new(move |machine| {
        let chosen = if machine.scalar(condition)? & 1 == 1 { &then } else { &otherwise };
        let values = machine.run_with(chosen, Vec::new())?;
        give(machine, &results, values);
        Ok(())
    }))
}

fn switch<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let cases = numbers(op, "cases")?;
    let (argument, results) = (p.operand(op, 0), p.results(op));
    let default = p.body(op, 0)?;
    let bodies = (1..op.region_count()).map(|at| p.body(op, at)).collect::<Result<Vec<_>, _>>()?;
    Ok(Box::new(move |machine| {
        let value = machine.index(argument)?;
        let chosen = cases.iter().position(|case| *case == value);
        let body = chosen.and_then(|at| bodies.get(at)).unwrap_or(&default);
        let values = machine.run_with(body, Vec::new())?;
        give(machine, &results, values);
        Ok(())
    }))
}

/// Sequential iterations, in row-major order.
fn parallel<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    if op.result_count() > 0 {
        return unsupported("it reduces");
    }
    let groups = p.groups(op)?;
    let [lows, highs, steps, _] = &groups[..] else { return unsupported("it has no bounds") };
    let bounds: Vec<[Operand; 3]> =
        lows.iter().zip(highs).zip(steps).map(|((low, high), step)| [*low, *high, *step]).collect();
    let body = p.body(op, 0)?;
    Ok(Box::new(move |machine| {
        let mut trips = Vec::new();
        for [low, high, step] in &bounds {
            let (low, high) = (machine.index(*low)?, machine.index(*high)?);
            let step = machine.index(*step)?;
            if step <= 0 {
                return Err(Fault::undefined(format!("the loop counts by {step}")));
            }
            trips.push((low, step, ((high - low).max(0) as u64).div_ceil(step as u64) as i64));
        }
        let shape: Vec<i64> = trips.iter().map(|(.., count)| *count).collect();
        crate::value::each(&shape, |index| {
            let at = index.iter().zip(&trips).map(|(at, (low, step, _))| low + at * step);
            let values = at.map(|at| Value::Scalar(Elem::Index.wrap(at.into()))).collect();
            machine.run_with(&body, values).map(|_| ())
        })
    }))
}
