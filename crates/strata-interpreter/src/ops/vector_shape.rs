//! Extraction, insertion, shuffles and casts of vectors.

use std::rc::Rc;

use strata_ir::{DYNAMIC, Op, TypeExt as _};

use super::vector::{Table, dims, elements, linear, moved, of_type};
use crate::{
    element::Bits,
    fault::{Fault, Run},
    machine::{Machine, Operand},
    prepare::{Prepared, Preparer, elem, numbers, unsupported},
    value::{Value, each, outside},
};

/// The position given by `static_position` and its dynamic operands.
struct Position {
    known: Vec<i64>,
    operands: Vec<Operand>,
    shape: Vec<i64>,
}

impl Position {
    /// The first element of the part at the position.
    fn start(&self, machine: &Machine) -> Run<usize> {
        let mut computed = self.operands.iter();
        let mut index = vec![0; self.shape.len()];
        for (dim, known) in self.known.iter().enumerate() {
            index[dim] = match (*known, *known == DYNAMIC) {
                (_, true) => {
                    let operand = computed.next().ok_or_else(|| Fault::internal("no position"))?;
                    machine.index(*operand)?
                }
                (known, false) => known,
            };
            if !(0..self.shape[dim]).contains(&index[dim]) {
                return Err(outside(index[dim], dim, self.shape[dim]));
            }
        }
        Ok(linear(&index, &self.shape))
    }
}

pub(crate) fn extract<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let operands = p.operands(op);
    let position = Position {
        known: numbers(op, "static_position")?,
        operands: operands[1..].to_vec(),
        shape: dims(op.operand(0).ty())?,
    };
    let ty = op.result(0).ty();
    let count = dims(ty)?.iter().product::<i64>() as usize;
    let (is_vector, source, result) = (ty.is_vector_type(), operands[0], p.result(op));
    Ok(Box::new(move |machine| {
        let start = position.start(machine)?;
        let whole = machine.vector(source)?;
        let part = whole[start..start + count].to_vec();
        machine.set(result, of_type(is_vector, part)?);
        Ok(())
    }))
}

pub(crate) fn insert<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let operands = p.operands(op);
    let position = Position {
        known: numbers(op, "static_position")?,
        operands: operands[2..].to_vec(),
        shape: dims(op.operand(1).ty())?,
    };
    let result = p.result(op);
    Ok(Box::new(move |machine| {
        let start = position.start(machine)?;
        let part = elements(&machine.frame[operands[0].slot])?;
        let mut whole = machine.vector(operands[1])?.to_vec();
        whole[start..start + part.len()].copy_from_slice(&part);
        machine.set(result, Value::Vector(Rc::new(whole)));
        Ok(())
    }))
}

/// Rows of two vectors along the first dimension, numbered through both.
pub(crate) fn shuffle<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let mask = numbers(op, "mask")?;
    let row = dims(op.operand(0).ty())?.iter().skip(1).product::<i64>() as usize;
    let poison = elem(op.result(0).ty())?.poison();
    let (x, y, result) = (p.operand(op, 0), p.operand(op, 1), p.result(op));
    Ok(Box::new(move |machine| {
        let both: Vec<Bits> =
            machine.vector(x)?.iter().chain(machine.vector(y)?.iter()).copied().collect();
        let mut found = Vec::with_capacity(mask.len() * row);
        for at in &mask {
            match usize::try_from(*at) {
                Ok(at) => found.extend_from_slice(&both[at * row..(at + 1) * row]),
                // -1 gives poison.
                Err(_) => found.extend(std::iter::repeat_n(poison, row)),
            }
        }
        machine.set(result, Value::Vector(Rc::new(found)));
        Ok(())
    }))
}

/// Dimension `i` of the result is dimension `permutation[i]` of the source.
pub(crate) fn transpose<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let permutation = numbers(op, "permutation")?;
    let (from, to) = (dims(op.operand(0).ty())?, dims(op.result(0).ty())?);
    let mut table = Table::new();
    let filled = each(&to, |index| {
        let mut source = vec![0; from.len()];
        for (at, dim) in index.iter().zip(&permutation) {
            source[*dim as usize] = *at;
        }
        table.push(linear(&source, &from));
        Ok(())
    });
    debug_assert!(filled.is_ok());
    moved(p, op, table)
}

pub(crate) fn shape_cast<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let count = dims(op.result(0).ty())?.iter().product::<i64>() as usize;
    moved(p, op, (0..count).collect())
}

/// The same bits along the last dimension in other widths; the first element has the lowest bits.
pub(crate) fn bitcast<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (from, to) = (elem(op.operand(0).ty())?.bits(), elem(op.result(0).ty())?.bits());
    let (source, result) = (p.operand(op, 0), p.result(op));
    if !from.is_multiple_of(to) && !to.is_multiple_of(from) {
        return unsupported("the widths are not multiples of each other");
    }
    Ok(Box::new(move |machine| {
        let source = machine.vector(source)?;
        let found = if from >= to {
            let parts = from / to;
            let cut = |bits: &Bits| {
                let bits = *bits;
                (0..parts).map(move |part| bits >> (part * to) & (Bits::MAX >> (128 - to)))
            };
            source.iter().flat_map(cut).collect()
        } else {
            let join = |parts: &[Bits]| {
                let shifted = parts.iter().zip(0_u32..).map(|(bits, part)| bits << (part * from));
                shifted.fold(0, |whole, bits| whole | bits)
            };
            source.chunks((to / from) as usize).map(join).collect()
        };
        machine.set(result, Value::Vector(Rc::new(found)));
        Ok(())
    }))
}

/// The positions of a slice's elements in a vector of `whole`.
fn slice_table(whole: &[i64], offsets: &[i64], sizes: &[i64], strides: &[i64]) -> Table {
    let mut table = Table::new();
    let mut shape = whole.to_vec();
    shape[..sizes.len()].copy_from_slice(sizes);
    let filled = each(&shape, |index| {
        let mut at = index.to_vec();
        for (dim, (offset, stride)) in offsets.iter().zip(strides).enumerate() {
            at[dim] = offset + index[dim] * stride;
        }
        table.push(linear(&at, whole));
        Ok(())
    });
    debug_assert!(filled.is_ok());
    table
}

pub(crate) fn extract_slice<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let whole = dims(op.operand(0).ty())?;
    let (offsets, sizes) = (numbers(op, "offsets")?, numbers(op, "sizes")?);
    let table = slice_table(&whole, &offsets, &sizes, &numbers(op, "strides")?);
    moved(p, op, table)
}

pub(crate) fn insert_slice<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (part, whole) = (dims(op.operand(0).ty())?, dims(op.operand(1).ty())?);
    let missing = whole.len() - part.len();
    let sizes: Vec<i64> = std::iter::repeat_n(1, missing).chain(part).collect();
    let strides: Vec<i64> =
        std::iter::repeat_n(1, missing).chain(numbers(op, "strides")?).collect();
    let table = slice_table(&whole, &numbers(op, "offsets")?, &sizes, &strides);
    let (part, whole, result) = (p.operand(op, 0), p.operand(op, 1), p.result(op));
    Ok(Box::new(move |machine| {
        let mut found = machine.vector(whole)?.to_vec();
        for (at, bits) in table.iter().zip(machine.vector(part)?.iter()) {
            found[*at] = *bits;
        }
        machine.set(result, Value::Vector(Rc::new(found)));
        Ok(())
    }))
}

pub(crate) fn from_elements<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (operands, result) = (p.operands(op), p.result(op));
    Ok(Box::new(move |machine| {
        let found = operands.iter().map(|operand| machine.scalar(*operand));
        let found = found.collect::<Run<_>>()?;
        machine.set(result, Value::Vector(Rc::new(found)));
        Ok(())
    }))
}

pub(crate) fn to_elements<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (source, results) = (p.operand(op, 0), p.results(op));
    Ok(Box::new(move |machine| {
        let source = machine.vector(source)?;
        for (slot, bits) in results.iter().zip(source.iter()) {
            machine.set(*slot, Value::Scalar(*bits));
        }
        Ok(())
    }))
}
