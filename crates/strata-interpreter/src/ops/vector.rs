//! `vector`: dispatch to modules, broadcasts, masks, constants.

use std::rc::Rc;

use strata_ir::{Op, Type, TypeExt as _, vector};

use super::{contract, elementwise::ternary, transfer, unknown, vector_memory, vector_shape};
use crate::{
    element::{Bits, Elem, fused, number as float, rounded},
    fault::Fault,
    prepare::{Prepared, Preparer, elem, numbers, shape},
    value::{Value, each},
};

pub(crate) fn prepare<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    match op.name() {
        vector::TRANSFER_READ => transfer::read(p, op),
        vector::TRANSFER_WRITE => transfer::write(p, op),
        vector::LOAD => vector_memory::load(p, op),
        vector::STORE => vector_memory::store(p, op),
        vector::MASKEDLOAD => vector_memory::masked_load(p, op),
        vector::MASKEDSTORE => vector_memory::masked_store(p, op),
        vector::BROADCAST => broadcast(p, op),
        vector::FMA => fma(p, op),
        vector::STEP => step(p, op),
        vector::CONSTANT_MASK => constant_mask(p, op),
        vector::CREATE_MASK => create_mask(p, op),
        vector::REDUCTION => contract::reduction(p, op),
        vector::MULTI_REDUCTION => contract::multi_reduction(p, op),
        vector::CONTRACT => contract::contract(p, op),
        vector::OUTERPRODUCT => contract::outer_product(p, op),
        vector::EXTRACT => vector_shape::extract(p, op),
        vector::INSERT => vector_shape::insert(p, op),
        vector::SHUFFLE => vector_shape::shuffle(p, op),
        vector::TRANSPOSE => vector_shape::transpose(p, op),
        vector::SHAPE_CAST => vector_shape::shape_cast(p, op),
        vector::BITCAST => vector_shape::bitcast(p, op),
        vector::EXTRACT_STRIDED_SLICE => vector_shape::extract_slice(p, op),
        vector::INSERT_STRIDED_SLICE => vector_shape::insert_slice(p, op),
        vector::FROM_ELEMENTS => vector_shape::from_elements(p, op),
        vector::TO_ELEMENTS => vector_shape::to_elements(p, op),
        _ => unknown(),
    }
}

/// The dimensions of a vector type; none of a scalar.
pub(crate) fn dims(ty: Type<'_>) -> Result<Vec<i64>, crate::prepare::Unsupported> {
    if ty.is_vector_type() { shape(ty) } else { Ok(Vec::new()) }
}

/// The elements of a vector, or the one that a scalar is.
pub(crate) fn elements(value: &Value) -> crate::fault::Run<Rc<Vec<Bits>>> {
    match value {
        Value::Vector(elements) => Ok(Rc::clone(elements)),
        Value::Scalar(bits) => Ok(Rc::new(vec![*bits])),
        other => Err(crate::machine::unexpected(other, "a vector")),
    }
}

/// The value of a type with these elements.
pub(crate) fn of_type(ty_is_vector: bool, elements: Vec<Bits>) -> crate::fault::Run<Value> {
    if ty_is_vector {
        return Ok(Value::Vector(Rc::new(elements)));
    }
    let first = elements.first().copied();
    first.map(Value::Scalar).ok_or_else(|| Fault::internal("a scalar without an element"))
}

/// The row-major position of an index, which is in bounds.
pub(crate) fn linear(index: &[i64], shape: &[i64]) -> usize {
    index.iter().zip(shape).fold(0, |at, (index, size)| at * size + index) as usize
}

/// For each element of the result, its source element.
pub(crate) type Table = Vec<usize>;

/// An operation that moves the elements of its first operand.
pub(crate) fn moved<'c>(p: &mut Preparer<'c>, op: Op<'c>, table: Table) -> Prepared {
    let is_vector = op.result(0).ty().is_vector_type();
    let (source, result) = (p.operand(op, 0), p.result(op));
    Ok(Box::new(move |machine| {
        let source = elements(&machine.frame[source.slot])?;
        let found = table.iter().map(|at| source[*at]).collect();
        machine.set(result, of_type(is_vector, found)?);
        Ok(())
    }))
}

/// Trailing dimensions are those of the source, of which those of size 1 are broadcast.
fn broadcast<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (from, to) = (dims(op.operand(0).ty())?, dims(op.result(0).ty())?);
    let skipped = to.len() - from.len();
    let mut table = Table::new();
    let filled = each(&to, |index| {
        let source = index[skipped..].iter().zip(&from);
        let source: Vec<i64> = source.map(|(at, size)| if *size == 1 { 0 } else { *at }).collect();
        table.push(linear(&source, &from));
        Ok(())
    });
    debug_assert!(filled.is_ok());
    moved(p, op, table)
}

fn fma<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let Elem::Float(ty) = elem(op.result(0).ty())? else { return unknown() };
    let f = move |a, b, c| Ok(rounded(ty, fused(ty, float(ty, a), float(ty, b), float(ty, c))));
    ternary(p, op, Box::new(f))
}

fn fixed<'c>(p: &mut Preparer<'c>, op: Op<'c>, elements: Vec<Bits>) -> Prepared {
    let (value, result) = (Value::Vector(Rc::new(elements)), p.result(op));
    Ok(Box::new(move |machine| {
        machine.set(result, value.clone());
        Ok(())
    }))
}

fn step<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let count = shape(op.result(0).ty())?.iter().product::<i64>();
    fixed(p, op, (0..count as Bits).collect())
}

/// Which elements lie below all of `bounds`.
fn mask(shape: &[i64], bounds: &[i64]) -> Vec<Bits> {
    let mut found = Vec::new();
    let filled = each(shape, |index| {
        found.push(Bits::from(index.iter().zip(bounds).all(|(at, bound)| at < bound)));
        Ok(())
    });
    debug_assert!(filled.is_ok());
    found
}

fn constant_mask<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let shape = shape(op.result(0).ty())?;
    let elements = mask(&shape, &numbers(op, "mask_dim_sizes")?);
    fixed(p, op, elements)
}

fn create_mask<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let shape = shape(op.result(0).ty())?;
    let (operands, result) = (p.operands(op), p.result(op));
    Ok(Box::new(move |machine| {
        let bounds = machine.indices(&operands)?;
        machine.set(result, Value::Vector(Rc::new(mask(&shape, &bounds))));
        Ok(())
    }))
}
