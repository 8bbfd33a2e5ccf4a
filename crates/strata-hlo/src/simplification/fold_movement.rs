//! Folds operations that move elements of constants.
//!
//! ```text
//! transpose, slice, reverse, broadcast_in_dim, concatenate, pad of constants → constant
//! ```
//!
//! Elements of every type move as bytes. Large results are not folded, but for constants that are only read backwards, nor are broadcasts
//! that repeat elements: the program would grow.

use strata_ir::{AttributeExt as _, Op, OpKind, TypeExt as _, Value, dense_bytes};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::MAX_FOLDED_ELEMENTS;

use crate::pattern::{constant, ints, new_constant, patterns};

patterns! {
    /// Elements selected from one constant.
    FoldPick = "fold-pick" on [BroadcastInDim, Reverse, Slice, Transpose] by fold_pick;
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
        let count = value.ty().element_count().or_decline("the shape is not static")?;
        (count <= MAX_FOLDED_ELEMENTS).or_decline("the constant is large")?;
        Self::of_any(value)
    }

    /// However many there are.
    fn of_any(value: Value<'_>) -> Outcome<Self> {
        let ty = value.ty();
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
pub fn reversed_constant(op: Op<'_>) -> Outcome {
    (op.kind() == OpKind::Reverse).or_decline("it is not reversed")?;
    (op.operand(0).uses().len() == 1).or_decline("the constant has other users")?;
    let value = constant(op.operand(0))?;
    value.splat_value().is_none().or_decline("all elements are equal")
}

/// The position in the operand of an element of the result.
type Pick = Box<dyn Fn(&[i64]) -> Vec<i64>>;

fn fold_pick<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    // The program does not grow by what is only read backwards.
    let (shape, source) = match reversed_constant(op) {
        Ok(_) => {
            let source = Bytes::of_any(op.operand(0))?;
            (source.shape.clone(), source)
        }
        Err(_) => (result_shape(op)?, Bytes::of(op.operand(0))?),
    };
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

#[cfg(test)]
mod tests {
    use crate::tests::simplified;

    /// Constants of any size that are only read backwards.
    #[test]
    fn large_constants_are_reversed_where_nothing_else_reads_them() {
        let row = |row: i32| {
            let numbers: Vec<_> =
                (50 * row..50 * (row + 1)).map(|number| number.to_string()).collect();
            format!("[{}]", numbers.join(", "))
        };
        let rows: Vec<_> = (0..40).map(row).collect();
        let reversed = |results: &str, values: &str| {
            let body = format!(
                "%0 = stablehlo.constant dense<[{}]> : tensor<40x50xi32>
                %1 = stablehlo.reverse %0, dims = [1] : tensor<40x50xi32>
                return {values}",
                rows.join(", ")
            );
            simplified(&format!("() -> {results}"), &body)
        };
        let ty = "tensor<40x50xi32>";
        let alone = reversed(ty, &format!("%1 : {ty}"));
        // 49, 48, … of the first row.
        assert!(alone.contains("0x310000003000000") && !alone.contains("reverse"), "{alone}");
        let shared = reversed(&format!("({ty}, {ty})"), &format!("%0, %1 : {ty}, {ty}"));
        assert!(shared.contains("reverse"), "{shared}");
    }
}
