//! `arith`: constants, integers, floats, conversions, comparisons.

use strata_ir::{Attribute, AttributeExt as _, LIMIT, Op, Type, TypeExt as _};

use super::{
    elementwise::{binary, binary_pair, select, unary},
    float, integer, unknown,
};
use crate::{
    element::{Bits, Elem, rounded, to_odd},
    prepare::{Prepared, Preparer, Unsupported, elem, number, unsupported},
    value::{Tensor, Value},
};

pub(crate) fn prepare<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let name = op.name().mnemonic();
    match name {
        "constant" => return constant(p, op),
        "select" => return select(p, op),
        _ => {}
    }
    let from = elem(op.operand(0).ty())?;
    let to = elem(op.result(0).ty())?;
    if name == "minsi" && op.has_attr(LIMIT) {
        return limit(p, op, from);
    }
    if let Some(f) = integer::binary(name, from) {
        return binary(p, op, f);
    }
    if let Some(f) = float::binary(name, from) {
        return binary(p, op, f);
    }
    match name {
        "cmpi" => binary(p, op, integer::compare(number(op, "predicate")?, from)?),
        "cmpf" => binary(p, op, float::compare(number(op, "predicate")?, from)?),
        "mului_extended" => binary_pair(p, op, move |a, b| {
            let product = a * b;
            (product & from.mask(), product >> from.bits() & from.mask())
        }),
        "mulsi_extended" => binary_pair(p, op, move |a, b| {
            let product = i128::from(from.signed(a)) * i128::from(from.signed(b));
            (from.wrap(product), from.wrap(product >> from.bits()))
        }),
        "addui_extended" => binary_pair(p, op, move |a, b| {
            let sum = a + b;
            (sum & from.mask(), sum >> from.bits() & 1)
        }),
        _ => conversion(p, op, name, from, to),
    }
}

/// The end that a limit gives a loop. What is beyond it is not needed, but defined if all loops are run up to their bounds, as they are where
/// reads of what was never written are faults.
fn limit<'c>(p: &mut Preparer<'c>, op: Op<'c>, ty: Elem) -> Prepared {
    let (bound, end, result) = (p.operand(op, 0), p.operand(op, 1), p.result(op));
    Ok(Box::new(move |machine| {
        let (bound, end) = (machine.scalar(bound)?, machine.scalar(end)?);
        let is_limited = machine.has_limits && ty.signed(end) < ty.signed(bound);
        machine.set(result, Value::Scalar(if is_limited { end } else { bound }));
        Ok(())
    }))
}

fn conversion<'c>(p: &mut Preparer<'c>, op: Op<'c>, name: &str, from: Elem, to: Elem) -> Prepared {
    match name {
        "negf" => match from {
            Elem::Float(ty) => unary(p, op, Box::new(move |x| Ok(float::negated(ty, x)))),
            _ => unknown(),
        },
        "extsi" | "index_cast" => {
            unary(p, op, Box::new(move |x| Ok(to.wrap(i128::from(from.signed(x))))))
        }
        "extui" | "trunci" | "index_castui" => unary(p, op, Box::new(move |x| Ok(x & to.mask()))),
        "bitcast" if from.bits() == to.bits() => unary(p, op, Box::new(Ok)),
        "extf" | "truncf" => match (from, to) {
            (Elem::Float(from), Elem::Float(to)) => {
                unary(p, op, Box::new(move |x| Ok(rounded(to, crate::element::number(from, x)))))
            }
            _ => unknown(),
        },
        "sitofp" | "uitofp" => {
            let is_signed = name == "sitofp";
            let Elem::Float(to) = to else { return unknown() };
            unary(
                p,
                op,
                Box::new(move |x| {
                    let value = if is_signed { i128::from(from.signed(x)) } else { x as i128 };
                    Ok(rounded(to, to_odd_or_exact(to, value)))
                }),
            )
        }
        "fptosi" | "fptoui" => {
            let is_signed = name == "fptosi";
            let Elem::Float(from) = from else { return unknown() };
            unary(p, op, Box::new(move |x| Ok(float::to_integer(from, x, to, is_signed))))
        }
        _ => unknown(),
    }
}

/// For doubles the conversion is the only rounding.
fn to_odd_or_exact(to: strata_eval::FloatType, value: i128) -> f64 {
    if to == strata_eval::FloatType::F64 { value as f64 } else { to_odd(value) }
}

fn constant<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let Some(attribute) = op.attr("value") else { return unsupported("it has no value") };
    let value = attribute_value(attribute, op.result(0).ty())?;
    let result = p.result(op);
    Ok(Box::new(move |machine| {
        machine.set(result, value.clone());
        Ok(())
    }))
}

/// The value of a constant of that type.
pub(crate) fn attribute_value(
    attribute: Attribute<'_>,
    ty: Type<'_>,
) -> Result<Value, Unsupported> {
    let element = elem(ty)?;
    if ty.rank().is_none() {
        return scalar(attribute, element).map(Value::Scalar);
    }
    let Some(bytes) = attribute.raw_elements() else {
        return unsupported("its elements are not in the program");
    };
    let width = element.bytes();
    if ty.is_vector_type() {
        let elements = bytes.chunks_exact(width).map(|bytes| element.load(bytes)).collect();
        return Ok(Value::Vector(std::rc::Rc::new(elements)));
    }
    let sizes = crate::prepare::shape(ty)?.into_iter().map(|size| size as usize).collect();
    let tensor = Tensor { elem: element, shape: sizes, data: bytes, missing: None, read: None };
    Ok(Value::Tensor(std::rc::Rc::new(tensor)))
}

/// The bits of an integer, index, boolean or floating-point attribute.
pub(crate) fn scalar(attribute: Attribute<'_>, element: Elem) -> Result<Bits, Unsupported> {
    if let Some(value) = attribute.as_i64() {
        return Ok(element.wrap(i128::from(value)));
    }
    match (attribute.as_f64(), element) {
        (Some(value), Elem::Float(ty)) => Ok(rounded(ty, value)),
        _ => unsupported(format!("no number can be read from {attribute}")),
    }
}
