//! The operations, one module per dialect, and a table of them by name.

mod affine;
mod arith;
mod complex;
mod contract;
mod elementwise;
mod exchange;
mod float;
mod func;
mod integer;
mod linalg;
mod math;
mod memref;
mod named;
mod narrow;
mod scf;
mod slices;
mod tensor;
mod transfer;
mod vector;
mod vector_memory;
mod vector_shape;

use strata_ir::{Op, TypeExt as _, ub};

pub(crate) use memref::whole;

use crate::{
    prepare::{Prepared, Preparer, elem, unsupported},
    value::Value,
};

/// The action of an operation, whose position among the operations of the program is `place`.
pub(crate) fn prepare<'c>(p: &mut Preparer<'c>, op: Op<'c>, place: usize) -> Prepared {
    match op.dialect() {
        "affine" => affine::prepare(p, op),
        "arith" => arith::prepare(p, op),
        "complex" => complex::prepare(p, op),
        "func" => func::prepare(p, op),
        "linalg" => linalg::prepare(p, op),
        "math" => math::prepare(p, op),
        "memref" => memref::prepare(p, op, place),
        "narrow" => narrow::prepare(p, op),
        "scf" => scf::prepare(p, op),
        "tensor" => tensor::prepare(p, op),
        "vector" => vector::prepare(p, op),
        "ub" if op.is(ub::POISON) => poison(p, op),
        _ => unknown(),
    }
}

/// An operation that no module implements.
pub(crate) fn unknown<T>() -> Result<T, crate::prepare::Unsupported> {
    unsupported("no stage produces this operation, and the interpreter does not support it")
}

/// Poison.
fn poison<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let ty = op.result(0).ty();
    if ty.is_tensor_type() || ty.is_memref_type() {
        return unsupported("only numbers and vectors can be poison");
    }
    let bits = elem(ty)?.poison();
    let value = match ty.element_count() {
        Some(count) => Value::Vector(vec![bits; count as usize].into()),
        None => Value::Scalar(bits),
    };
    let result = p.result(op);
    Ok(Box::new(move |machine| {
        machine.set(result, value.clone());
        Ok(())
    }))
}
