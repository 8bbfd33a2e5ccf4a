//! Folds operations that move elements of constants.
//!
//! ```text
//! transpose, slice, reverse, broadcast_in_dim, concatenate, pad of constants → constant
//! ```
//!
//! Elements of every type move as bytes. Large results are not folded, nor are broadcasts that repeat
//! elements: the program would grow.

use strata_ir::{Attribute, AttributeExt as _, Op, OpKind, TypeExt as _, Value, dense_bytes};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::MAX_FOLDED_ELEMENTS;

use crate::pattern::{constant, ints, new_constant, patterns};

patterns! {
    /// Elements selected from one constant.
    FoldPick = "fold-pick" on [BroadcastInDim, Reverse, Slice, Transpose] by fold_pick;
    /// A constant that is only read backwards, of any size: the program does not grow.
    FoldReverse = "fold-reverse" on [Reverse] by fold_reverse;
    /// Concatenated constants.
    FoldConcatenate = "fold-concatenate" on [Concatenate] by fold_concatenate;
    /// A constant with constant padding.
    FoldPad = "fold-pad" on [Pad] by fold_pad;
}

/// A constant's elements as bytes.
struct Bytes {
    shape: Vec<i64>,
    width: usize,
    bytes: Vec<u8>,
}

impl Bytes {
    fn of(value: Value<'_>) -> Outcome<Self> {
        let ty = value.ty();
        let count = ty.element_count().or_decline("the shape is not static")?;
        (count <= MAX_FOLDED_ELEMENTS).or_decline("the constant is large")?;
        let bytes = constant(value)?.raw_elements().or_decline("the constant is not dense")?;
        let width = ty.element().byte_width().or_decline("the elements have no width")?;
        let shape = ty.shape().or_decline("the shape is not static")?;
        Ok(Self { shape, width: width as usize, bytes })
    }

    fn at(&self, place: &[i64]) -> Outcome<&[u8]> {
        let index = flat(&self.shape, place) as usize * self.width;
        self.bytes.get(index..index + self.width).or_decline("an index is out of range")
    }
}

/// The position of an index in row-major order.
fn flat(shape: &[i64], place: &[i64]) -> i64 {
    shape.iter().zip(place).fold(0, |sum, (size, index)| sum * size + index)
}

/// Calls `visit` with every index of `shape` in row-major order.
fn for_each(shape: &[i64], mut visit: impl FnMut(&[i64]) -> Outcome) -> Outcome {
    let mut place = vec![0; shape.len()];
    for _ in 0..shape.iter().product::<i64>() {
        visit(&place)?;
        for (index, size) in place.iter_mut().zip(shape).rev() {
            *index += 1;
            if *index < *size {
                break;
            }
            *index = 0;
        }
    }
    Ok(())
}

fn result_shape(op: Op<'_>) -> Outcome<Vec<i64>> {
    let ty = op.result(0).ty();
    let count = ty.element_count().or_decline("the shape is not static")?;
    (count <= MAX_FOLDED_ELEMENTS).or_decline("the result is large")?;
    ty.shape().or_decline("the shape is not static")
}

fn replace<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>, bytes: &[u8]) -> Outcome {
    let ty = op.result(0).ty();
    let value = dense_bytes(ty, bytes).or_decline("the elements do not fit the type")?;
    let value = new_constant(&rewriter.builder(), ty, value);
    rewriter.replace(&[value]);
    Ok(())
}

/// The constant that only this operation reads, backwards.
pub fn reversed_constant<'c>(op: Op<'c>) -> Outcome<Attribute<'c>> {
    (op.kind() == OpKind::Reverse).or_decline("it is not reversed")?;
    (op.operand(0).uses().len() == 1).or_decline("the constant has other users")?;
    let value = constant(op.operand(0))?;
    value.splat_value().is_none().or_decline("all elements are equal").map(|()| value)
}

fn fold_reverse<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let (value, ty) = (reversed_constant(op)?, op.operand(0).ty());
    let shape = ty.shape().or_decline("the shape is not static")?;
    let bytes = value.dense_bytes().or_decline("the constant is not dense")?;
    let width = ty.element().byte_width().or_decline("the elements have no width")? as usize;
    let reversed = ints(op, "dimensions")?;
    let mut places = vec![0];
    for (dim, size) in shape.into_iter().enumerate() {
        let is_reversed = reversed.contains(&(dim as i64));
        let at = |index: i64| if is_reversed { size - 1 - index } else { index };
        places = places
            .iter()
            .flat_map(|place| (0..size).map(move |index| place * size + at(index)))
            .collect();
    }
    let mut elements = Vec::with_capacity(bytes.len());
    for place in places {
        let start = place as usize * width;
        let element = bytes.get(start..start + width);
        elements.extend_from_slice(element.or_decline("an element is missing")?);
    }
    replace(op, rewriter, &elements)
}

/// The position in the operand of an element of the result.
type Pick = Box<dyn Fn(&[i64]) -> Vec<i64>>;

fn fold_pick<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let shape = result_shape(op)?;
    let source = Bytes::of(op.operand(0))?;
    // A broadcast is free for its users, a larger constant is not.
    let grows = op.result(0).ty().element_count() > op.operand(0).ty().element_count();
    (!grows).or_decline("the constant would grow")?;
    let list = |name| ints(op, name);
    let pick: Pick = match op.kind() {
        OpKind::BroadcastInDim => {
            let (dims, sizes) = (list("broadcast_dimensions")?, source.shape.clone());
            Box::new(move |place| {
                let along = dims.iter().zip(&sizes);
                along.map(|(dim, size)| if *size == 1 { 0 } else { place[*dim as usize] }).collect()
            })
        }
        OpKind::Reverse => {
            let (dims, sizes) = (list("dimensions")?, source.shape.clone());
            Box::new(move |place| {
                let mirrored = |dim: usize| match dims.contains(&(dim as i64)) {
                    true if strata_ir::planted("hlo-fold-reverse") => place[dim],
                    true => sizes[dim] - 1 - place[dim],
                    false => place[dim],
                };
                (0..place.len()).map(mirrored).collect()
            })
        }
        OpKind::Slice => {
            let (starts, strides) = (list("start_indices")?, list("strides")?);
            Box::new(move |place| {
                let along = place.iter().zip(starts.iter().zip(&strides));
                along.map(|(index, (start, stride))| start + index * stride).collect()
            })
        }
        _ => {
            let permutation = list("permutation")?;
            Box::new(move |place| {
                let mut source = vec![0; place.len()];
                for (index, dim) in place.iter().zip(&permutation) {
                    source[*dim as usize] = *index;
                }
                source
            })
        }
    };
    let mut bytes = Vec::new();
    for_each(&shape, |place| {
        bytes.extend_from_slice(source.at(&pick(place))?);
        Ok(())
    })?;
    replace(op, rewriter, &bytes)
}

fn fold_concatenate<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let shape = result_shape(op)?;
    let dim = op.attr("dimension").and_then(|dim| dim.as_i64());
    let dim = dim.or_decline("attribute `dimension` is missing")? as usize;
    let parts = op.operands().into_iter().map(Bytes::of).collect::<Outcome<Vec<_>>>()?;
    let mut bytes = Vec::new();
    for_each(&shape, |place| {
        let mut place = place.to_vec();
        for part in &parts {
            if place[dim] < part.shape[dim] {
                bytes.extend_from_slice(part.at(&place)?);
                return Ok(());
            }
            place[dim] -= part.shape[dim];
        }
        Err("the operands do not fill the result".into())
    })?;
    replace(op, rewriter, &bytes)
}

fn fold_pad<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let shape = result_shape(op)?;
    let (source, padding) = (Bytes::of(op.operand(0))?, Bytes::of(op.operand(1))?);
    let low = ints(op, "edge_padding_low")?;
    let interior = ints(op, "interior_padding")?;
    let mut bytes = Vec::new();
    for_each(&shape, |place| {
        let from = |dim: usize| {
            let step = if strata_ir::planted("hlo-fold-pad") { 1 } else { interior[dim] + 1 };
            let index = place[dim] - low[dim];
            let inside = index >= 0 && index % step == 0 && index / step < source.shape[dim];
            inside.then_some(index / step)
        };
        let element = match (0..place.len()).map(from).collect::<Option<Vec<_>>>() {
            Some(place) => source.at(&place)?,
            None => padding.at(&[])?,
        };
        bytes.extend_from_slice(element);
        Ok(())
    })?;
    replace(op, rewriter, &bytes)
}
