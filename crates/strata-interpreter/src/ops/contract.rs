//! Reductions and contractions of vectors.
//!
//! The elements are taken sequentially in row-major order, starting from the accumulator if there is one. LLVM may reorder them
//! where `reassoc` allows it: sums of floats then differ by rounding.

use std::rc::Rc;

use strata_ir::{AffineMap, AttributeExt as _, Op, TypeExt as _, vector::CombiningKind};

use super::{
    elementwise::Binary,
    float, integer,
    vector::{dims, elements, linear, of_type},
};
use crate::{
    element::{Bits, Elem},
    fault::{Fault, Run},
    prepare::{Prepared, Preparer, Unsupported, elem, numbers, unsupported},
    value::{Value, each},
};

/// The operation of a `#vector.kind<…>`.
fn kind(op: Op<'_>, ty: Elem) -> Result<Binary, Unsupported> {
    let kind = op.attr("kind").and_then(CombiningKind::of);
    let name = kind.map(CombiningKind::keyword).unwrap_or_default();
    let suffix = if matches!(ty, Elem::Float(_)) { "f" } else { "i" };
    let keyword = name;
    let name = match name {
        "add" | "mul" => format!("{name}{suffix}"),
        "and" => "andi".to_owned(),
        "or" => "ori".to_owned(),
        "xor" => "xori".to_owned(),
        other => other.to_owned(),
    };
    match integer::binary(&name, ty).or_else(|| float::binary(&name, ty)) {
        Some(f) => Ok(f),
        None => unsupported(format!("it reduces with `{keyword}`")),
    }
}

pub(crate) fn reduction<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let f = kind(op, elem(op.operand(0).ty())?)?;
    let (operands, result) = (p.operands(op), p.result(op));
    Ok(Box::new(move |machine| {
        let source = machine.vector(operands[0])?;
        let mut rest = source.iter();
        let mut found = match operands.get(1) {
            Some(start) => machine.scalar(*start)?,
            None => *rest.next().ok_or_else(|| Fault::undefined("a reduction of nothing"))?,
        };
        for bits in rest {
            found = f(found, *bits)?;
        }
        machine.set(result, Value::Scalar(found));
        Ok(())
    }))
}

pub(crate) fn multi_reduction<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let f = kind(op, elem(op.operand(0).ty())?)?;
    let reduced = numbers(op, "reduction_dims")?;
    let from = dims(op.operand(0).ty())?;
    let ty = op.result(0).ty();
    let (to, is_vector) = (dims(ty)?, ty.is_vector_type());
    let kept: Vec<usize> =
        (0..from.len()).filter(|dim| !reduced.contains(&(*dim as i64))).collect();
    let (source, start, result) = (p.operand(op, 0), p.operand(op, 1), p.result(op));
    Ok(Box::new(move |machine| {
        let source = machine.vector(source)?;
        let mut found = elements(&machine.frame[start.slot])?.to_vec();
        let mut at = 0;
        each(&from, |index| {
            let target: Vec<i64> = kept.iter().map(|dim| index[*dim]).collect();
            let target = linear(&target, &to);
            found[target] = f(found[target], source[at])?;
            at += 1;
            Ok(())
        })?;
        machine.set(result, of_type(is_vector, found)?);
        Ok(())
    }))
}

/// The element of an operand at an index of the domain, by its map.
fn place(map: &AffineMap, shape: &[i64], index: &[i64]) -> Run<usize> {
    let found = map.results.iter().map(|result| result.value(index, &[]));
    let found: Option<Vec<i64>> = found.collect();
    let found = found.ok_or_else(|| Fault::internal("a map has no value"))?;
    Ok(linear(&found, shape))
}

pub(crate) fn contract<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let element = elem(op.operand(0).ty())?;
    let maps = op.attr("indexing_maps").and_then(|maps| maps.as_array()).unwrap_or_default();
    let maps: Option<Vec<_>> = maps.into_iter().map(AffineMap::of).collect();
    let Some([left, right, out]) = maps.and_then(|maps| <[AffineMap; 3]>::try_from(maps).ok())
    else {
        return unsupported("it has no three maps");
    };
    if elem(op.result(0).ty())? != element || op.operand_count() != 3 {
        return unsupported("its elements are of several types, or it has masks");
    }
    let (f, multiply) = (kind(op, element)?, product(element)?);
    let shapes = [dims(op.operand(0).ty())?, dims(op.operand(1).ty())?, dims(op.result(0).ty())?];
    let mut domain = vec![1; left.dims];
    for (map, shape) in [&left, &right].into_iter().zip(&shapes) {
        for (result, size) in map.results.iter().zip(shape) {
            if let strata_ir::AffineExpr::Dim(dim) = result {
                domain[*dim] = *size;
            }
        }
    }
    let is_vector = op.result(0).ty().is_vector_type();
    let (operands, result) = (p.operands(op), p.result(op));
    Ok(Box::new(move |machine| {
        let (a, b) = (machine.vector(operands[0])?, machine.vector(operands[1])?);
        let mut found = elements(&machine.frame[operands[2].slot])?.to_vec();
        each(&domain, |index| {
            let term = multiply(
                a[place(&left, &shapes[0], index)?],
                b[place(&right, &shapes[1], index)?],
            )?;
            let at = place(&out, &shapes[2], index)?;
            found[at] = f(found[at], term)?;
            Ok(())
        })?;
        machine.set(result, of_type(is_vector, found)?);
        Ok(())
    }))
}

fn product(element: Elem) -> Result<Binary, Unsupported> {
    let f = integer::binary("muli", element).or_else(|| float::binary("mulf", element));
    f.map_or_else(|| unsupported("its elements cannot be multiplied"), Ok)
}

/// Every pair of elements multiplied, and added to the third operand; a scalar is broadcast.
pub(crate) fn outer_product<'c>(p: &mut Preparer<'c>, op: Op<'c>) -> Prepared {
    let element = elem(op.operand(0).ty())?;
    let (f, multiply) = (kind(op, element)?, product(element)?);
    let (operands, result) = (p.operands(op), p.result(op));
    Ok(Box::new(move |machine| {
        let a = elements(&machine.frame[operands[0].slot])?;
        let b = elements(&machine.frame[operands[1].slot])?;
        let start = operands.get(2).map(|start| machine.vector(*start)).transpose()?;
        let mut found: Vec<Bits> = Vec::with_capacity(a.len() * b.len());
        for x in a.iter() {
            for y in b.iter() {
                let term = multiply(*x, *y)?;
                found.push(match &start {
                    Some(start) => f(start[found.len()], term)?,
                    None => term,
                });
            }
        }
        machine.set(result, Value::Vector(Rc::new(found)));
        Ok(())
    }))
}
