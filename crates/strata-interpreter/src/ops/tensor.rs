//! `tensor`: slices, shapes, padding, elements.

use std::rc::Rc;

use strata_ir::{DYNAMIC, Op, tensor};

use super::{
    slices::{Extent, Slice, extents, kept, only, reassociation, values},
    unknown,
};
use crate::{
    element::Elem,
    fault::{Fault, Run},
    machine::{Machine, Operand},
    prepare::{Prepared, Preparer, Unsupported, elem, shape, unsupported},
    value::{Tensor, Value, each, position},
};

pub(crate) fn prepare<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    match op.name() {
        tensor::EMPTY => empty(p, op),
        tensor::EXTRACT => extract(p, op),
        tensor::INSERT => insert(p, op),
        tensor::EXTRACT_SLICE => extract_slice(p, op),
        tensor::INSERT_SLICE => insert_slice(p, op),
        tensor::COLLAPSE_SHAPE | tensor::EXPAND_SHAPE => reshape(p, op),
        tensor::FROM_ELEMENTS => from_elements(p, op),
        tensor::SPLAT => splat(p, op),
        tensor::PAD => pad(p, op),
        tensor::GENERATE => generate(p, op),
        tensor::CAST => cast(p, op),
        tensor::DIM => dim(p, op),
        tensor::CONCAT => concat(p, op),
        tensor::GATHER => gather(p, op),
        _ => unknown(),
    }
}

/// The dimensions as sizes; negative ones are dynamic.
pub(crate) fn sizes(shape: &[i64]) -> Run<Vec<usize>> {
    let size = |size: &i64| {
        usize::try_from(*size).map_err(|_| Fault::outside(format!("a dimension of {size}")))
    };
    shape.iter().map(size).collect()
}

/// The sizes of a shape whose unknown dimensions are operands.
fn result_extents(op: Op<'_>, operands: &[Operand]) -> Result<Vec<Extent>, Unsupported> {
    let mut operands = operands.iter();
    let extent = |size| match (size, size == DYNAMIC) {
        (_, true) => match operands.next() {
            Some(operand) => Ok(Extent::Computed(*operand)),
            None => unsupported("a size is missing"),
        },
        (size, false) => Ok(Extent::Known(size)),
    };
    shape(op.result(0).ty())?.into_iter().map(extent).collect()
}

fn empty<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let element = elem(op.result(0).ty())?;
    let operands = p.operands(op);
    let (extents, result) = (result_extents(op, &operands)?, p.result(op));
    Ok(Box::new(move |machine| {
        let shape = sizes(&values(machine, &extents)?)?;
        let tensor = machine.memory.tensor(Tensor::empty(element, shape));
        machine.set(result, Value::Tensor(Rc::new(tensor)));
        Ok(())
    }))
}

fn extract<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (operands, result) = (p.operands(op), p.result(op));
    Ok(Box::new(move |machine| {
        let index = machine.indices(&operands[1..])?;
        let tensor = borrowed(machine, operands[0])?;
        let bits = tensor.get(position(&index, &tensor.shape)?)?;
        machine.set(result, Value::Scalar(bits));
        Ok(())
    }))
}

fn borrowed(machine: &Machine, operand: Operand) -> Run<&Tensor> {
    match &machine.frame[operand.slot] {
        Value::Tensor(tensor) => Ok(tensor),
        other => Err(crate::machine::unexpected(other, "a tensor")),
    }
}

fn insert<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (operands, result) = (p.operands(op), p.result(op));
    Ok(Box::new(move |machine| {
        let bits = machine.scalar(operands[0])?;
        let index = machine.indices(&operands[2..])?;
        let mut tensor = machine.tensor(operands[1])?;
        let at = position(&index, &tensor.shape)?;
        Rc::make_mut(&mut tensor).set(at, bits);
        machine.set(result, Value::Tensor(tensor));
        Ok(())
    }))
}

fn signed(shape: &[usize]) -> Vec<i64> {
    shape.iter().map(|size| *size as i64).collect()
}

fn extract_slice<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let slice = Slice::new(p, op)?;
    let kept = kept(&slice.sizes, &shape(op.result(0).ty())?)?;
    let (source, result) = (p.operand(op, 0), p.result(op));
    Ok(Box::new(move |machine| {
        let part = slice.part(machine)?;
        let source = machine.tensor(source)?;
        part.check(&signed(&source.shape))?;
        let shape = sizes(&only(&part.sizes, &kept))?;
        let mut found = Tensor::splat(source.elem, shape, 0);
        let mut at = 0;
        each(&part.sizes, |index| {
            found.copy(at, &source, position(&part.whole(index), &source.shape)?);
            at += 1;
            Ok(())
        })?;
        machine.set(result, Value::Tensor(Rc::new(found)));
        Ok(())
    }))
}

fn insert_slice<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let slice = Slice::new(p, op)?;
    kept(&slice.sizes, &shape(op.operand(0).ty())?)?;
    let (source, into, result) = (p.operand(op, 0), p.operand(op, 1), p.result(op));
    Ok(Box::new(move |machine| {
        let part = slice.part(machine)?;
        let source = machine.tensor(source)?;
        let mut whole = machine.tensor(into)?;
        part.check(&signed(&whole.shape))?;
        if part.sizes.iter().product::<i64>() != source.len() as i64 {
            return Err(Fault::outside(format!("{:?} into {:?}", source.shape, part.sizes)));
        }
        let target = Rc::make_mut(&mut whole);
        let mut from = 0;
        each(&part.sizes, |index| {
            let at = position(&part.whole(index), &target.shape)?;
            target.copy(at, &source, from);
            from += 1;
            Ok(())
        })?;
        machine.set(result, Value::Tensor(whole));
        Ok(())
    }))
}

fn reshape<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let groups = reassociation(op)?;
    let expands = op.is(tensor::EXPAND_SHAPE);
    let known = shape(op.result(0).ty())?;
    let operands = p.operands(op);
    let wanted =
        if expands { extents(op, "static_output_shape", &operands[1..])? } else { Vec::new() };
    let (source, result) = (operands[0], p.result(op));
    Ok(Box::new(move |machine| {
        let shape = if expands { sizes(&values(machine, &wanted)?)? } else { Vec::new() };
        let tensor = machine.tensor(source)?;
        let shape = if expands {
            shape
        } else if known.contains(&DYNAMIC) {
            groups
                .iter()
                .map(|group| group.iter().map(|dim| tensor.shape[*dim]).product())
                .collect()
        } else {
            sizes(&known)?
        };
        let tensor = Rc::unwrap_or_clone(tensor).reshaped(shape)?;
        machine.set(result, Value::Tensor(Rc::new(tensor)));
        Ok(())
    }))
}

fn from_elements<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let ty = op.result(0).ty();
    let (element, known) = (elem(ty)?, shape(ty)?);
    let (operands, result) = (p.operands(op), p.result(op));
    Ok(Box::new(move |machine| {
        let mut tensor = Tensor::splat(element, sizes(&known)?, 0);
        for (at, operand) in operands.iter().enumerate() {
            tensor.set(at, machine.scalar(*operand)?);
        }
        machine.set(result, Value::Tensor(Rc::new(tensor)));
        Ok(())
    }))
}

fn splat<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let element = elem(op.result(0).ty())?;
    let operands = p.operands(op);
    let (extents, result) = (result_extents(op, &operands[1..])?, p.result(op));
    Ok(Box::new(move |machine| {
        let shape = sizes(&values(machine, &extents)?)?;
        let tensor = Tensor::splat(element, shape, machine.scalar(operands[0])?);
        machine.set(result, Value::Tensor(Rc::new(tensor)));
        Ok(())
    }))
}

/// The region gives the padding at each index of the result.
fn pad<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let groups = p.groups(op)?;
    let [_, low, high] = &groups[..] else { return unsupported("its operands are not known") };
    let low = extents(op, "static_low", low)?;
    let high = extents(op, "static_high", high)?;
    let (source, result) = (p.operand(op, 0), p.result(op));
    let body = p.body(op, 0)?;
    Ok(Box::new(move |machine| {
        let (low, high) = (values(machine, &low)?, values(machine, &high)?);
        let source = machine.tensor(source)?;
        let inner = signed(&source.shape);
        let around = inner.iter().zip(low.iter().zip(&high));
        let shape: Vec<i64> = around.map(|(size, (low, high))| low + size + high).collect();
        let mut padded = Tensor::empty(source.elem, sizes(&shape)?);
        let mut at = 0;
        each(&shape, |index| {
            let from: Vec<i64> = index.iter().zip(&low).map(|(index, low)| index - low).collect();
            match position(&from, &source.shape) {
                Ok(from) => padded.copy(at, &source, from),
                Err(_) => padded.set(at, computed(machine, &body, index)?),
            }
            at += 1;
            Ok(())
        })?;
        machine.set(result, Value::Tensor(Rc::new(padded)));
        Ok(())
    }))
}

/// What a region yields for an index.
fn computed(
    machine: &mut Machine,
    body: &crate::machine::Block,
    index: &[i64],
) -> Run<crate::element::Bits> {
    let index = index.iter().map(|at| Value::Scalar(Elem::Index.wrap((*at).into())));
    match machine.run_with(body, index.collect())?.first() {
        Some(Value::Scalar(bits)) => Ok(*bits),
        _ => Err(Fault::internal("the region yields no number")),
    }
}

fn generate<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let element = elem(op.result(0).ty())?;
    let operands = p.operands(op);
    let (extents, result) = (result_extents(op, &operands)?, p.result(op));
    let body = p.body(op, 0)?;
    Ok(Box::new(move |machine| {
        let shape = values(machine, &extents)?;
        let mut tensor = Tensor::empty(element, sizes(&shape)?);
        let mut at = 0;
        each(&shape, |index| {
            tensor.set(at, computed(machine, &body, index)?);
            at += 1;
            Ok(())
        })?;
        machine.set(result, Value::Tensor(Rc::new(tensor)));
        Ok(())
    }))
}

fn cast<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (source, result) = (p.operand(op, 0), p.result(op));
    let known = shape(op.result(0).ty())?;
    Ok(Box::new(move |machine| {
        let tensor = machine.tensor(source)?;
        let fits = |(size, known): (&usize, &i64)| *known == DYNAMIC || *size as i64 == *known;
        if !tensor.shape.iter().zip(&known).all(fits) {
            return Err(Fault::outside(format!("{:?} taken for {known:?}", tensor.shape)));
        }
        machine.set(result, Value::Tensor(tensor));
        Ok(())
    }))
}

fn dim<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (source, dim, result) = (p.operand(op, 0), p.operand(op, 1), p.result(op));
    Ok(Box::new(move |machine| {
        let dim = machine.index(dim)?;
        let size = usize::try_from(dim).ok().and_then(|dim| {
            borrowed(machine, source).ok().and_then(|tensor| tensor.shape.get(dim).copied())
        });
        let size = size.ok_or_else(|| Fault::outside(format!("dimension {dim}")))?;
        machine.set(result, Value::Scalar(size as u128));
        Ok(())
    }))
}

/// Tensors of one dimension, one after the other.
fn concat<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let ty = op.result(0).ty();
    let (element, known) = (elem(ty)?, shape(ty)?);
    if known.len() != 1 {
        return unsupported("tensors of several dimensions");
    }
    let (operands, result) = (p.operands(op), p.result(op));
    Ok(Box::new(move |machine| {
        let mut whole = Tensor::empty(element, sizes(&known)?);
        let mut at = 0;
        for operand in &operands {
            let part = machine.tensor(*operand)?;
            if at + part.len() > whole.len() {
                return Err(Fault::outside(format!("{} elements after {at}", part.len())));
            }
            for from in 0..part.len() {
                whole.copy(at + from, &part, from);
            }
            at += part.len();
        }
        machine.set(result, Value::Tensor(Rc::new(whole)));
        Ok(())
    }))
}

/// Elements of a tensor of one dimension.
fn gather<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let ty = op.result(0).ty();
    let (element, known) = (elem(ty)?, shape(ty)?);
    if shape(op.operand(0).ty())?.len() != 1 {
        return unsupported("a source of several dimensions");
    }
    let (source, places, result) = (p.operand(op, 0), p.operand(op, 1), p.result(op));
    let place = elem(op.operand(1).ty())?;
    Ok(Box::new(move |machine| {
        let (source, places) = (machine.tensor(source)?, machine.tensor(places)?);
        let mut taken = Tensor::empty(element, sizes(&known)?);
        if places.len() != taken.len() {
            return Err(Fault::outside(format!("{} places", places.len())));
        }
        for at in 0..taken.len() {
            let from = place.signed(places.get(at)?);
            taken.copy(at, &source, position(&[from], &source.shape)?);
        }
        machine.set(result, Value::Tensor(Rc::new(taken)));
        Ok(())
    }))
}
