//! `vector.transfer_read` and `vector.transfer_write`, on tensors and buffers.

use std::rc::Rc;

use strata_ir::{AffineExpr, AffineMap, AttributeExt as _, Op, TypeExt as _, ub};

use crate::{
    element::Bits,
    fault::{Fault, Run},
    machine::{Machine, Operand, unexpected},
    memory::View,
    ops::{memref::is_copied, vector_memory::vector_of},
    prepare::{Prepared, Preparer, Unsupported, elem, shape, unsupported},
    value::{Tensor, Value, each, outside, position},
};

/// How the elements of a vector map to the source or destination.
struct Transfer {
    /// For each dimension of the vector the dimension of the memory; `None` for a broadcast one.
    along: Vec<Option<usize>>,
    /// The dimensions of the vector.
    shape: Vec<i64>,
    /// Which of them are `in_bounds`.
    in_bounds: Vec<bool>,
    indices: Vec<Operand>,
    mask: Option<Operand>,
}

impl Transfer {
    fn new<'c>(
        p: &mut Preparer<'c>,
        op: Op<'c>,
        vector: strata_ir::Type<'c>,
        (indices, mask): (usize, usize),
    ) -> Result<Self, Unsupported> {
        let groups = p.groups(op)?;
        let shape = shape(vector)?;
        let Some(map) = op.attr("permutation_map").and_then(AffineMap::of) else {
            return unsupported("it has no permutation");
        };
        let along = map.results.iter().map(|result| match result {
            AffineExpr::Dim(dim) => Ok(Some(*dim)),
            AffineExpr::Constant(0) => Ok(None),
            _ => unsupported("its map is not a permutation"),
        });
        let promised = op.attr("in_bounds").and_then(|list| list.as_array()).unwrap_or_default();
        let promised: Vec<bool> =
            promised.into_iter().map(|flag| flag.as_bool().unwrap_or(false)).collect();
        Ok(Self {
            along: along.collect::<Result<_, _>>()?,
            in_bounds: if promised.is_empty() { vec![false; shape.len()] } else { promised },
            shape,
            indices: groups.get(indices).cloned().unwrap_or_default(),
            mask: groups.get(mask).and_then(|mask| mask.first()).copied(),
        })
    }

    /// Calls `visit` with each position in the vector and the index in memory; `None` if it is out of bounds.
    fn each(
        &self,
        machine: &mut Machine,
        memory: &[i64],
        mut visit: impl FnMut(&mut Machine, usize, Option<&[i64]>) -> Run,
    ) -> Run {
        let start = machine.indices(&self.indices)?;
        for (dim, (at, size)) in start.iter().zip(memory).enumerate() {
            let is_along = self.along.contains(&Some(dim));
            if !is_along && !(0..*size).contains(at) {
                return Err(outside(*at, dim, *size));
            }
        }
        let mask = self.mask.map(|mask| machine.vector(mask)).transpose()?;
        let mut lane = 0;
        each(&self.shape, |index| {
            let is_on = mask.as_ref().is_none_or(|mask| mask[lane] & 1 == 1);
            let place = if is_on { self.place(&start, index, memory)? } else { None };
            visit(machine, lane, place.as_deref())?;
            lane += 1;
            Ok(())
        })
    }

    /// The position of an element in memory; `None` if out of bounds, an error if marked `in_bounds`.
    fn place(&self, start: &[i64], index: &[i64], memory: &[i64]) -> Run<Option<Vec<i64>>> {
        let mut place = start.to_vec();
        for (at, dim) in self.along.iter().enumerate() {
            if let Some(dim) = dim {
                place[*dim] += index[at];
                if !(0..memory[*dim]).contains(&place[*dim]) {
                    if self.in_bounds[at] {
                        return Err(outside(place[*dim], *dim, memory[*dim]));
                    }
                    return Ok(None);
                }
            }
        }
        Ok(Some(place))
    }
}

pub(crate) fn read<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let ty = op.result(0).ty();
    elem(ty)?;
    let transfer = Transfer::new(p, op, ty, (1, 3))?;
    let padding_is_poison =
        op.operand(p_padding(op)).owner().is_some_and(|owner| owner.is(ub::POISON));
    let (source, padding) = (p.operand(op, 0), p.operand(op, p_padding(op)));
    let (result, is_copied) = (p.result(op), is_copied(op));
    Ok(Box::new(move |machine| {
        let padding = machine.scalar(padding)?;
        let source = machine.frame[source.slot].clone();
        let memory = dimensions(&source)?;
        let has_mask = transfer.mask.is_some();
        let mut elements = Vec::with_capacity(transfer.shape.iter().product::<i64>() as usize);
        transfer.each(machine, &memory, |machine, _, place| {
            elements.push(match place {
                Some(place) => match &source {
                    Value::Buffer(view) if is_copied => {
                        machine.memory.peek(view, view.at(place)?)?
                    }
                    _ => Some(get(machine, &source, place)?),
                },
                None if padding_is_poison && !has_mask => {
                    return Err(Fault::outside("it reads out of bounds and has no padding"));
                }
                None => Some(padding),
            });
            Ok(())
        })?;
        machine.set(result, vector_of(elements));
        Ok(())
    }))
}

/// The position of the padding operand: after the source and its indices.
fn p_padding(op: Op<'_>) -> usize {
    1 + op.operand(0).ty().rank().unwrap_or(0)
}

pub(crate) fn write<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let transfer = Transfer::new(p, op, op.operand(0).ty(), (2, 3))?;
    let (value, target) = (p.operand(op, 0), p.operand(op, 1));
    let results = p.results(op);
    Ok(Box::new(move |machine| {
        let missing = machine.missing(value);
        let mut target = machine.value(target);
        let memory = dimensions(&target)?;
        if let (Some(elements), Value::Buffer(view)) = (&missing, &target) {
            return transfer.each(machine, &memory, |machine, lane, place| match place {
                Some(place) => machine.memory.put(view, view.at(place)?, elements[lane]),
                None => Ok(()),
            });
        }
        let elements = machine.vector(value)?;
        transfer.each(machine, &memory, |machine, lane, place| match place {
            Some(place) => put(machine, &mut target, place, elements[lane]),
            None => Ok(()),
        })?;
        if let (Some(result), Value::Tensor(_)) = (results.first(), &target) {
            machine.set(*result, target);
        }
        Ok(())
    }))
}

/// The dimensions of a tensor or buffer.
fn dimensions(value: &Value) -> Run<Vec<i64>> {
    match value {
        Value::Tensor(tensor) => Ok(tensor.shape.iter().map(|size| *size as i64).collect()),
        Value::Buffer(view) => Ok(view.shape.clone()),
        other => Err(unexpected(other, "a tensor or buffer")),
    }
}

fn get(machine: &Machine, source: &Value, place: &[i64]) -> Run<Bits> {
    match source {
        Value::Tensor(tensor) => element(tensor, place),
        Value::Buffer(view) => buffer_element(machine, view, place),
        other => Err(unexpected(other, "a tensor or buffer")),
    }
}

fn element(tensor: &Tensor, place: &[i64]) -> Run<Bits> {
    tensor.get(position(place, &tensor.shape)?)
}

fn buffer_element(machine: &Machine, view: &View, place: &[i64]) -> Run<Bits> {
    machine.memory.read(view, view.at(place)?)
}

fn put(machine: &mut Machine, target: &mut Value, place: &[i64], bits: Bits) -> Run {
    match target {
        Value::Tensor(tensor) => {
            let at = position(place, &tensor.shape)?;
            Rc::make_mut(tensor).set(at, bits);
            Ok(())
        }
        Value::Buffer(view) => {
            let at = view.at(place)?;
            machine.memory.write(view, at, bits)
        }
        other => Err(unexpected(other, "a tensor or buffer")),
    }
}
