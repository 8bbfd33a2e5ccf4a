//! Operations on each element of scalars, vectors and tensors alike.

use std::rc::Rc;

use strata_ir::Op;

use crate::{
    element::{Bits, Elem},
    fault::{Fault, Run},
    machine::{Machine, Operand, unexpected},
    prepare::{Prepared, Preparer, elem},
    value::{Tensor, Value},
};

/// The operation on one element; fails if it is undefined.
pub(crate) type Unary = Box<dyn Fn(Bits) -> Run<Bits>>;
/// As [`Unary`], for two operands.
pub(crate) type Binary = Box<dyn Fn(Bits, Bits) -> Run<Bits>>;
/// As [`Unary`], for three operands.
pub(crate) type Ternary = Box<dyn Fn(Bits, Bits, Bits) -> Run<Bits>>;

/// `f` on each element of the operand.
pub(crate) fn unary<'c>(p: &mut Preparer<'c>, op: Op<'c>, f: Unary) -> Prepared {
    let (x, result, to) = (p.operand(op, 0), p.result(op), elem(op.result(0).ty())?);
    Ok(Box::new(move |machine| {
        let value = match &machine.frame[x.slot] {
            Value::Scalar(bits) => Value::Scalar(f(*bits)?),
            Value::Vector(elements) => {
                Value::Vector(Rc::new(elements.iter().map(|bits| f(*bits)).collect::<Run<_>>()?))
            }
            Value::Tensor(tensor) => over_tensor(tensor, to, |at| f(tensor.get(at)?))?,
            other => return Err(unexpected(other, "a number")),
        };
        machine.set(result, value);
        Ok(())
    }))
}

/// `f` on each pair of elements of the operands.
pub(crate) fn binary<'c>(p: &mut Preparer<'c>, op: Op<'c>, f: Binary) -> Prepared {
    let (x, y) = (p.operand(op, 0), p.operand(op, 1));
    let (result, to) = (p.result(op), elem(op.result(0).ty())?);
    Ok(Box::new(move |machine| {
        let value = match (&machine.frame[x.slot], &machine.frame[y.slot]) {
            (Value::Scalar(a), Value::Scalar(b)) => Value::Scalar(f(*a, *b)?),
            (Value::Vector(a), Value::Vector(b)) => {
                let pairs = a.iter().zip(b.iter());
                Value::Vector(Rc::new(pairs.map(|(a, b)| f(*a, *b)).collect::<Run<_>>()?))
            }
            (Value::Tensor(a), Value::Tensor(b)) => {
                over_tensor(a, to, |at| f(a.get(at)?, b.get(at)?))?
            }
            (other, _) => return Err(unexpected(other, "a number")),
        };
        machine.set(result, value);
        Ok(())
    }))
}

/// `f` on each triple of elements of the operands.
pub(crate) fn ternary<'c>(p: &mut Preparer<'c>, op: Op<'c>, f: Ternary) -> Prepared {
    let operands = p.operands(op);
    let result = p.result(op);
    Ok(Box::new(move |machine| {
        let [x, y, z] = operands[..] else { return Err(Fault::internal("not three operands")) };
        let values = (&machine.frame[x.slot], &machine.frame[y.slot], &machine.frame[z.slot]);
        let value = match values {
            (Value::Scalar(a), Value::Scalar(b), Value::Scalar(c)) => Value::Scalar(f(*a, *b, *c)?),
            (Value::Vector(a), Value::Vector(b), Value::Vector(c)) => {
                let triples = a.iter().zip(b.iter()).zip(c.iter());
                let results = triples.map(|((a, b), c)| f(*a, *b, *c)).collect::<Run<_>>()?;
                Value::Vector(Rc::new(results))
            }
            (other, ..) => return Err(unexpected(other, "a number")),
        };
        machine.set(result, value);
        Ok(())
    }))
}

/// Two results of two operands, such as the halves of a product.
pub(crate) fn binary_pair<'c>(
    p: &mut Preparer<'c>,
    op: Op<'c>,
    f: impl Fn(Bits, Bits) -> (Bits, Bits) + 'static,
) -> Prepared {
    let (x, y, results) = (p.operand(op, 0), p.operand(op, 1), p.results(op));
    Ok(Box::new(move |machine| {
        let (low, high) = match (&machine.frame[x.slot], &machine.frame[y.slot]) {
            (Value::Scalar(a), Value::Scalar(b)) => {
                let (low, high) = f(*a, *b);
                (Value::Scalar(low), Value::Scalar(high))
            }
            (Value::Vector(a), Value::Vector(b)) => {
                let pairs = a.iter().zip(b.iter()).map(|(a, b)| f(*a, *b));
                let (low, high): (Vec<_>, Vec<_>) = pairs.unzip();
                (Value::Vector(Rc::new(low)), Value::Vector(Rc::new(high)))
            }
            (other, _) => return Err(unexpected(other, "a number")),
        };
        machine.set(results[0], low);
        machine.set(results[1], high);
        Ok(())
    }))
}

/// `arith.select`: by one condition, or by one for each element.
pub(crate) fn select<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (condition, x, y) = (p.operand(op, 0), p.operand(op, 1), p.operand(op, 2));
    let (result, to) = (p.result(op), elem(op.result(0).ty())?);
    Ok(Box::new(move |machine| {
        let value = selected(machine, to, [condition, x, y])?;
        machine.set(result, value);
        Ok(())
    }))
}

fn selected(machine: &mut Machine, to: Elem, operands: [Operand; 3]) -> Run<Value> {
    let [condition, x, y] = operands;
    if let Value::Scalar(bits) = &machine.frame[condition.slot] {
        let chosen = if bits & 1 == 1 { x } else { y };
        return Ok(machine.value(chosen));
    }
    let frame = &machine.frame;
    match (&frame[condition.slot], &frame[x.slot], &frame[y.slot]) {
        (Value::Vector(c), Value::Vector(a), Value::Vector(b)) => {
            let lanes = c.iter().zip(a.iter().zip(b.iter()));
            let chosen = lanes.map(|(c, (a, b))| if c & 1 == 1 { *a } else { *b });
            Ok(Value::Vector(Rc::new(chosen.collect())))
        }
        (Value::Tensor(c), Value::Tensor(a), Value::Tensor(b)) => {
            over_tensor(c, to, |at| if c.get(at)? & 1 == 1 { a.get(at) } else { b.get(at) })
        }
        (other, ..) => Err(unexpected(other, "a condition")),
    }
}

fn over_tensor(like: &Tensor, to: Elem, f: impl Fn(usize) -> Run<Bits>) -> Run<Value> {
    let mut results = Tensor::empty(to, like.shape.clone());
    for at in 0..like.len() {
        results.set(at, f(at)?);
    }
    results.missing = None;
    Ok(Value::Tensor(Rc::new(results)))
}
