//! `vector.load`, `vector.store` and their masked forms: contiguous elements along the last dimension of
//! a buffer.

use std::rc::Rc;

use strata_ir::{AttributeExt as _, Op};

use crate::{
    element::Bits,
    fault::{Fault, Run},
    machine::{Machine, Operand},
    memory::View,
    ops::memref::{address_of, is_copied},
    prepare::{Prepared, Preparer, shape},
    value::{Value, each},
};

/// The bytes of the elements of a vector of `shape` at an index of a view.
fn places(
    machine: &Machine,
    view: &View,
    indices: &[Operand],
    shape: &[i64],
    mut visit: impl FnMut(usize, Run<i64>) -> Run,
) -> Run {
    let start = machine.indices(indices)?;
    if shape.len() > start.len() {
        return Err(Fault::internal("the vector has more dimensions than the buffer"));
    }
    let first = start.len() - shape.len();
    let mut index = start.clone();
    let mut lane = 0;
    each(shape, |along| {
        for (dim, at) in along.iter().enumerate() {
            index[first + dim] = start[first + dim] + at;
        }
        visit(lane, view.at(&index))?;
        lane += 1;
        Ok(())
    })
}

/// The vector of the elements read.
pub(crate) fn vector_of(elements: Vec<Option<Bits>>) -> Value {
    match elements.iter().copied().collect::<Option<Vec<Bits>>>() {
        Some(elements) => Value::Vector(Rc::new(elements)),
        None => Value::Missing(Rc::new(elements)),
    }
}

pub(crate) fn load<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let shape = shape(op.result(0).ty())?;
    let (operands, result, is_copied) = (p.operands(op), p.result(op), is_copied(op));
    Ok(Box::new(move |machine| {
        let view = machine.view(operands[0])?;
        let mut elements = Vec::with_capacity(shape.iter().product::<i64>() as usize);
        places(machine, &view, &operands[1..], &shape, |_, at| {
            let at = at?;
            elements.push(match is_copied {
                true => machine.memory.peek(&view, at)?,
                false => Some(machine.memory.read(&view, at)?),
            });
            Ok(())
        })?;
        machine.set(result, vector_of(elements));
        Ok(())
    }))
}

pub(crate) fn store<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let shape = shape(op.operand(0).ty())?;
    let operands = p.operands(op);
    let alignment = op.attr("alignment").and_then(|bytes| bytes.as_i64()).unwrap_or(1);
    Ok(Box::new(move |machine| {
        let view = machine.view(operands[1])?;
        let found = located(machine, &view, &operands[2..], &shape)?;
        if let Some(Ok(first)) = found.first()
            && address_of(&view, *first) % alignment != 0
        {
            let reason = format!("byte {first} is stored to as one of a multiple of {alignment}");
            return Err(Fault::outside(reason));
        }
        if let Some(elements) = machine.missing(operands[0]) {
            let mut pairs = found.into_iter().zip(elements.iter());
            return pairs.try_for_each(|(at, bits)| machine.memory.put(&view, at?, *bits));
        }
        let elements = machine.vector(operands[0])?;
        write(machine, &view, found, &elements, None)
    }))
}

/// The position of each element, or the fault.
fn located(
    machine: &Machine,
    view: &View,
    indices: &[Operand],
    shape: &[i64],
) -> Run<Vec<Run<i64>>> {
    let mut found = Vec::new();
    places(machine, view, indices, shape, |_, at| {
        found.push(at);
        Ok(())
    })?;
    Ok(found)
}

fn write(
    machine: &mut Machine,
    view: &View,
    places: Vec<Run<i64>>,
    elements: &[Bits],
    mask: Option<&[Bits]>,
) -> Run {
    for (lane, at) in places.into_iter().enumerate() {
        if mask.is_none_or(|mask| mask[lane] & 1 == 1) {
            machine.memory.write(view, at?, elements[lane])?;
        }
    }
    Ok(())
}

/// Masked-off elements do not access memory.
pub(crate) fn masked_load<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let shape = shape(op.result(0).ty())?;
    let (operands, result) = (p.operands(op), p.result(op));
    Ok(Box::new(move |machine| {
        let [buffer, indices @ .., mask, pass] = &operands[..] else {
            return Err(Fault::internal("operands are missing"));
        };
        let view = machine.view(*buffer)?;
        let (mask, pass) = (machine.vector(*mask)?, machine.vector(*pass)?);
        let mut elements = Vec::new();
        places(machine, &view, indices, &shape, |lane, at| {
            let is_on = mask[lane] & 1 == 1;
            elements.push(if is_on { machine.memory.read(&view, at?)? } else { pass[lane] });
            Ok(())
        })?;
        machine.set(result, Value::Vector(Rc::new(elements)));
        Ok(())
    }))
}

pub(crate) fn masked_store<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let shape = shape(op.operand(op.operand_count() - 1).ty())?;
    let operands = p.operands(op);
    Ok(Box::new(move |machine| {
        let [buffer, indices @ .., mask, value] = &operands[..] else {
            return Err(Fault::internal("operands are missing"));
        };
        let view = machine.view(*buffer)?;
        let (mask, elements) = (machine.vector(*mask)?, machine.vector(*value)?);
        let found = located(machine, &view, indices, &shape)?;
        write(machine, &view, found, &elements, Some(&mask))
    }))
}
