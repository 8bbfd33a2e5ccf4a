//! `narrow`: lanes of 32 bits that hold several elements.

use std::rc::Rc;

use strata_eval::FloatType;
use strata_ir::{AttributeExt as _, Op, TypeExt as _, narrow};
use strata_target::{Lane, Subword};

use super::{
    elementwise::{binary, ternary, unary},
    tensor::sizes,
    unknown,
    vector::{elements, of_type},
};
use crate::{
    element::{Bits, Elem, rounded},
    fault::Fault,
    prepare::{Prepared, Preparer, Unsupported, elem, shape, unsupported},
    value::{Tensor, Value, unravel},
};

pub(crate) fn prepare<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    match op.name() {
        narrow::DOT => dot(p, op),
        narrow::MATMUL => matmul(p, op),
        narrow::PACK => pack(p, op),
        narrow::PARTITION => partition(p, op),
        narrow::SCALE => scale(p, op),
        narrow::WIDEN => widen(p, op),
        _ => unknown(),
    }
}

fn lane(op: Op<'_>, name: &str) -> Result<Lane, Unsupported> {
    let found = op.attr(name).and_then(|name| Lane::named(name.as_str()?));
    found.map_or_else(|| unsupported("a lane of an unknown kind"), Ok)
}

/// An element of a lane.
fn element(lane: Lane, bits: Bits, number: i64) -> i128 {
    let width = lane.bits();
    let own = bits >> (u64::from(width) * number as u64) & ((1 << width) - 1);
    match lane.is_signed() && own >> (width - 1) == 1 {
        true => own as i128 - (1 << width),
        false => own as i128,
    }
}

fn dot<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (left, right) = (lane(op, "left")?, lane(op, "right")?);
    let sum = dot_of(left, right);
    binary(p, op, Box::new(move |a, b| Ok(sum(a, b))))
}

/// The dot of two lanes.
fn dot_of(left: Lane, right: Lane) -> impl Fn(Bits, Bits) -> Bits {
    let number = move |lane: Bits, at: u32| match left {
        Lane::F16 => FloatType::F16.decode(((lane as u32) >> (16 * at) & 0xFFFF).into()),
        _ => f64::from(f32::from_bits((lane as u32) >> (16 * at) << 16)),
    };
    move |a, b| {
        if left.is_float() {
            let sum = number(a, 0) * number(b, 0) + number(a, 1) * number(b, 1);
            return Bits::from((sum as f32).to_bits());
        }
        let products = (0..left.count()).map(|at| element(left, a, at) * element(right, b, at));
        Elem::Int(32).wrap(products.sum())
    }
}

fn matmul<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let (left, right) = (lane(op, "left")?, lane(op, "right")?);
    let sizes = |operand: usize| -> Result<[usize; 2], Unsupported> {
        match shape(op.operand(operand).ty())?[..] {
            [rows, columns] => Ok([rows as usize, columns as usize]),
            _ => unsupported("a matrix with other dimensions"),
        }
    };
    let [[rows, depth], [_, columns]] = [sizes(0)?, sizes(1)?];
    let operands = p.operands(op);
    let (result, dot) = (p.result(op), dot_of(left, right));
    let add = move |sum: Bits, product: Bits| match left {
        Lane::Bf16 | Lane::F16 => {
            let [sum, product] = [sum, product].map(|bits| f32::from_bits(bits as u32));
            Bits::from((sum + product).to_bits())
        }
        _ => Elem::Int(32).wrap((sum + product) as i128),
    };
    Ok(Box::new(move |machine| {
        let matrix = |at: usize| elements(&machine.frame[operands[at].slot]);
        let [lhs, rhs, sums] = [matrix(0)?, matrix(1)?, matrix(2)?];
        let mut found = sums.as_ref().clone();
        for (at, sum) in found.iter_mut().enumerate() {
            let (row, column) = (at / columns, at % columns);
            for step in 0..depth {
                let product = dot(lhs[row * depth + step], rhs[step * columns + column]);
                *sum = add(*sum, product);
            }
        }
        debug_assert_eq!(found.len(), rows * columns);
        machine.set(result, of_type(true, found)?);
        Ok(())
    }))
}

fn partition<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let ty = op.result(0).ty();
    let (is_vector, element) = (ty.is_vector_type(), elem(ty)?);
    let (operands, results) = ([p.operand(op, 0), p.operand(op, 1)], p.results(op));
    Ok(Box::new(move |machine| {
        let mut lanes = |operand| match is_vector {
            true => machine.vector(operand).map(|lanes| lanes.as_ref().clone()),
            false => {
                let row = machine.tensor(operand)?;
                (0..row.len()).map(|at| row.get(at)).collect()
            }
        };
        let pairs = lanes(operands[0])?.into_iter().zip(lanes(operands[1])?);
        let (selected, others): (Vec<_>, Vec<_>) = pairs.partition(|(_, mask)| *mask == 1);
        let count = selected.len() as Bits;
        let ordered = selected.into_iter().chain(others).map(|(lane, _)| lane);
        let ordered = match is_vector {
            true => Value::Vector(Rc::new(ordered.collect())),
            false => {
                let ordered: Vec<_> = ordered.collect();
                let mut row = Tensor::empty(element, vec![ordered.len()]);
                ordered.into_iter().enumerate().for_each(|(at, lane)| row.set(at, lane));
                Value::Tensor(Rc::new(row))
            }
        };
        machine.set(results[0], ordered);
        machine.set(results[1], Value::Scalar(count));
        Ok(())
    }))
}

fn subword(op: Op<'_>) -> Option<Subword> {
    op.attr("from").and_then(|name| Subword::named(name.as_str()?))
}

fn widen<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let Some(subword) = subword(op) else { return unsupported("integers of an unknown kind") };
    unary(p, op, Box::new(move |lane| Ok(both(subword, lane as u32))))
}

/// The lowest integers of the halves of a word as `bf16`.
fn both(subword: Subword, word: u32) -> Bits {
    let half = |bits: u32| Bits::from(subword.bf16_bits(bits));
    half(word) | half(word >> 16) << 16
}

/// Both numbers of a lane of `bf16`, less a zero point, times a scale.
fn scaled(lane: Bits, scale: Bits, zero_point: Option<Bits>) -> Bits {
    let half = |shift: u32| {
        let number = f32::from_bits((lane as u32) >> shift << 16);
        let less = zero_point.map_or(0.0, |bits| f32::from_bits(bits as u32));
        let product = (number - less) * f32::from_bits(scale as u32);
        rounded(FloatType::BF16, f64::from(product)) << shift
    };
    half(0) | half(16)
}

fn scale<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    match op.operand_count() {
        2 => binary(p, op, Box::new(|lane, scale| Ok(scaled(lane, scale, None)))),
        3 => ternary(p, op, Box::new(|lane, scale, zero| Ok(scaled(lane, scale, Some(zero))))),
        _ => unsupported("lanes without a scale"),
    }
}

/// The lanes of words.
fn unpack<'c>(p: &mut Preparer<'c>, op: Op<'c>, subword: Subword) -> Prepared {
    let dimension = op.attr("dimension").and_then(|dimension| dimension.as_i64());
    let dimension = dimension.and_then(|dimension| usize::try_from(dimension).ok()).unwrap_or(0);
    let stride = op.attr("stride").and_then(|stride| stride.as_i64()).unwrap_or(1);
    let (extents, operands, result) = (shape(op.result(0).ty())?, p.operands(op), p.result(op));
    Ok(Box::new(move |machine| {
        let tensors: Vec<_> =
            operands.iter().map(|operand| machine.tensor(*operand)).collect::<Result<_, _>>()?;
        let [source, params @ ..] = &tensors[..] else {
            return Err(Fault::internal("no words"));
        };
        let shape = sizes(&extents)?;
        let mut unpacked = Tensor::empty(Elem::Int(32), shape.clone());
        for at in 0..unpacked.len() {
            let mut index = unravel(at, &shape);
            let place = index[dimension];
            let [word, number] = subword.word_of(place as i64, stride);
            index[dimension] = word as usize;
            let element = |tensor: &Tensor, index: &[usize]| {
                tensor.get(index.iter().zip(&tensor.shape).fold(0, |at, (i, n)| at * n + i))
            };
            let mut lane =
                both(subword, (element(source, &index)? as u32) >> (subword.bits() * number));
            if let [scale, rest @ ..] = params {
                // Groups have as many lanes each, of words that have all of theirs.
                let lanes = source.shape[dimension] * subword.lanes() as usize;
                index[dimension] = place / (lanes / scale.shape[dimension]);
                let zero_point = rest.first().map(|zero| element(zero, &index)).transpose()?;
                lane = scaled(lane, element(scale, &index)?, zero_point);
            }
            unpacked.set(at, lane);
        }
        machine.set(result, Value::Tensor(Rc::new(unpacked)));
        Ok(())
    }))
}

fn pack<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    if let Some(subword) =
        subword(op).filter(|_| op.operand(0).ty().element().bit_width() == Some(32))
    {
        return unpack(p, op, subword);
    }
    let (from, to) = (lane(op, "from")?, lane(op, "to")?);
    let dimension = op.attr("dimension").and_then(|dimension| dimension.as_i64());
    let dimension = dimension.and_then(|dimension| usize::try_from(dimension).ok()).unwrap_or(0);
    let (extents, operand, result) = (shape(op.result(0).ty())?, p.operand(op, 0), p.result(op));
    // The numbers of bytes that differ in their sign alone: 128 less or more.
    let flip = if to.bits() == 8 && from.is_signed() != to.is_signed() { 0x80 } else { 0 };
    Ok(Box::new(move |machine| {
        let source = machine.tensor(operand)?;
        let shape = sizes(&extents)?;
        let mut packed = Tensor::empty(Elem::Int(32), shape.clone());
        for at in 0..packed.len() {
            let mut index = unravel(at, &shape);
            let first = index[dimension] * to.count() as usize;
            let mut lane = 0;
            for number in 0..to.count() as usize {
                index[dimension] = first + number;
                if index[dimension] < source.shape[dimension] {
                    let position = index.iter().zip(&source.shape).fold(0, |at, (i, n)| at * n + i);
                    let byte = source.get(position)? ^ flip;
                    let bits = if to.bits() == 8 { byte } else { element(from, byte, 0) as Bits };
                    lane |= (bits & ((1 << to.bits()) - 1)) << (to.bits() as usize * number);
                }
            }
            packed.set(at, lane);
        }
        machine.set(result, Value::Tensor(Rc::new(packed)));
        Ok(())
    }))
}
