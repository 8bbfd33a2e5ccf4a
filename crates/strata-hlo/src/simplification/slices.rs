//! Slices of slices and of concatenations, and dynamic slices with constant indices.
//!
//! ```text
//! slice(slice(x))                                    → slice(x)
//! slice(concatenate(x, y)) within y                  → slice(y)
//! concatenate(slice(x)[0:2], slice(x)[2:5])          → slice(x)[0:5]
//! concatenate(concatenate(x, y), z), one dimension   → concatenate(x, y, z)
//! dynamic_slice(x, constants)                        → slice(x), the starts clamped
//! dynamic_slice(x) of x's own size                   → x
//! dynamic_update_slice(x, y) of x's own size         → y
//! reverse(reverse(x)), the same dimensions           → x
//! ```

use strata_ir::{
    AttributeExt as _, Builder, Op, OpKind, Type, TypeExt as _, Value, i64s, stablehlo,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::pattern::{defined_by, ints, patterns, splat};

patterns! {
    /// Two slices are one.
    SliceOfSlice = "slice-of-slice" on [Slice] by slice_of_slice;
    /// A slice inside one operand of a concatenation.
    SliceOfConcatenate = "slice-of-concatenate" on [Slice] by slice_of_concatenate;
    /// Adjacent slices of one value.
    ConcatenateOfSlices = "concatenate-of-slices" on [Concatenate] by concatenate_of_slices;
    /// A concatenation within one along the same dimension.
    ConcatenateOfConcatenate = "concatenate-of-concatenate" on [Concatenate] by concatenate_of_concatenate;
    /// A dynamic slice with constant indices.
    StaticDynamicSlice = "dynamic-slice-static" on [DynamicSlice] by static_dynamic_slice;
    /// An update of everything.
    FullUpdate = "dynamic-update-slice-full" on [DynamicUpdateSlice] by full_update;
    /// Two reversals cancel.
    ReverseOfReverse = "reverse-of-reverse" on [Reverse] by reverse_of_reverse;
}

/// Start, limit and stride along each dimension.
struct Bounds {
    starts: Vec<i64>,
    limits: Vec<i64>,
    strides: Vec<i64>,
}

impl Bounds {
    fn of(slice: Op<'_>) -> Outcome<Self> {
        Ok(Self {
            starts: ints(slice, "start_indices")?,
            limits: ints(slice, "limit_indices")?,
            strides: ints(slice, "strides")?,
        })
    }

    fn slice<'c>(&self, builder: &Builder<'c>, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        let list = |list: &[i64]| i64s(builder.context, list);
        builder
            .op(stablehlo::SLICE)
            .operand(value)
            .attr("start_indices", list(&self.starts))
            .attr("limit_indices", list(&self.limits))
            .attr("strides", list(&self.strides))
            .result(ty)
            .value()
    }
}

fn dimension(op: Op<'_>) -> Outcome<usize> {
    let dim = op.attr("dimension").and_then(|dim| dim.as_i64());
    dim.map(|dim| dim as usize).or_decline("attribute `dimension` is missing")
}

fn slice_of_slice<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let inner_op = defined_by(op.operand(0), OpKind::Slice)?;
    let (inner, outer) = (Bounds::of(inner_op)?, Bounds::of(op)?);
    let mut both = Bounds { starts: Vec::new(), limits: Vec::new(), strides: Vec::new() };
    for dim in 0..outer.starts.len() {
        let (start, stride) = (inner.starts[dim], inner.strides[dim]);
        let first = start + outer.starts[dim] * stride;
        // Past the last element, which is inside the inner slice.
        let last = outer.limits[dim].max(outer.starts[dim] + 1) - 1;
        let limit = match outer.limits[dim] > outer.starts[dim] {
            true => start + last * stride + 1,
            false => first.min(inner.limits[dim]),
        };
        both.starts.push(first.min(limit));
        both.limits.push(limit);
        let step = if strata_ir::planted("hlo-slice-stride") { 1 } else { outer.strides[dim] };
        both.strides.push(stride * step);
    }
    let value = both.slice(&rewriter.builder(), inner_op.operand(0), op.result(0).ty());
    rewriter.replace(&[value]);
    Ok(())
}

fn slice_of_concatenate<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let joined = defined_by(op.operand(0), OpKind::Concatenate)?;
    let dim = dimension(joined)?;
    let mut bounds = Bounds::of(op)?;
    for operand in joined.operands() {
        let size = operand.ty().shape().and_then(|shape| shape.get(dim).copied());
        let size = size.filter(|size| *size >= 0).or_decline("the shape is not static")?;
        let holds = bounds.limits[dim] <= size && bounds.limits[dim] > bounds.starts[dim];
        if holds && bounds.starts[dim] >= 0 {
            let value = bounds.slice(&rewriter.builder(), operand, op.result(0).ty());
            rewriter.replace(&[value]);
            return Ok(());
        }
        bounds.starts[dim] -= size;
        bounds.limits[dim] -= size;
        (bounds.starts[dim] >= 0).or_decline("the slice spans several operands")?;
    }
    Err("the slice is empty".into())
}

fn concatenate_of_slices<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let dim = dimension(op)?;
    let slice = |value| defined_by(value, OpKind::Slice);
    let mut operands: Vec<Value<'c>> = Vec::new();
    let mut merged = false;
    let builder = rewriter.builder();
    // Declines before it builds: checks for a matching pair first.
    let fits = |left: Op<'c>, right: Op<'c>| -> Outcome<Option<Bounds>> {
        let (mut a, b) = (Bounds::of(left)?, Bounds::of(right)?);
        let others = (0..a.starts.len()).filter(|other| *other != dim);
        let same = others.into_iter().all(|other| {
            a.starts[other] == b.starts[other]
                && a.limits[other] == b.limits[other]
                && a.strides[other] == b.strides[other]
        });
        let adjacent = left.operand(0) == right.operand(0)
            && a.strides[dim] == 1
            && b.strides[dim] == 1
            && (a.limits[dim] == b.starts[dim] || strata_ir::planted("hlo-slices-adjacent"));
        a.limits[dim] = b.limits[dim];
        Ok((same && adjacent).then_some(a))
    };
    for value in op.operands() {
        let pair = operands.last().and_then(|last| Some((slice(*last).ok()?, slice(value).ok()?)));
        let joined = match pair {
            Some((left, right)) => fits(left, right)?.map(|bounds| (left, bounds)),
            None => None,
        };
        match joined {
            None => operands.push(value),
            Some((left, bounds)) => {
                let mut shape =
                    left.result(0).ty().shape().or_decline("the shape is not static")?;
                shape[dim] = bounds.limits[dim] - bounds.starts[dim];
                let ty = strata_ir::tensor(&shape, left.result(0).ty().element());
                operands.pop();
                operands.push(bounds.slice(&builder, left.operand(0), ty));
                merged = true;
            }
        }
    }
    merged.or_decline("no operands are adjacent slices")?;
    replace_by_concatenate(op, rewriter, &operands)
}

fn replace_by_concatenate<'c>(
    op: Op<'c>,
    rewriter: &mut Rewriter<'c>,
    operands: &[Value<'c>],
) -> Outcome {
    let dimension = op.attr("dimension").or_decline("attribute `dimension` is missing")?;
    let concatenate = rewriter.builder().op(stablehlo::CONCATENATE).operands(operands);
    let value = concatenate.attr("dimension", dimension).result(op.result(0).ty()).value();
    rewriter.replace(&[value]);
    Ok(())
}

fn concatenate_of_concatenate<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let dim = dimension(op)?;
    let mut operands = Vec::new();
    for value in op.operands() {
        let inner = defined_by(value, OpKind::Concatenate).ok().filter(|_| value.has_one_use());
        match inner {
            Some(inner) if dimension(inner)? == dim => operands.extend(inner.operands()),
            _ => operands.push(value),
        }
    }
    (operands.len() > op.operand_count()).or_decline("no operand is such a concatenation")?;
    replace_by_concatenate(op, rewriter, &operands)
}

fn static_dynamic_slice<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let (value, ty) = (op.operand(0), op.result(0).ty());
    if value.ty() == ty && ty.has_static_shape() {
        rewriter.replace(&[value]);
        return Ok(());
    }
    let shape = value.ty().shape().or_decline("the shape is not static")?;
    let sizes = ints(op, "slice_sizes")?;
    let mut starts = Vec::with_capacity(sizes.len());
    for (dim, size) in sizes.iter().enumerate() {
        (shape[dim] >= 0).or_decline("the shape is not static")?;
        // If the slice covers the dimension, the start does not matter.
        let start = match shape[dim] == *size {
            true => 0,
            false => index(op.operand(1 + dim))?,
        };
        starts.push(start.clamp(0, shape[dim] - size));
    }
    let limits = starts.iter().zip(&sizes).map(|(start, size)| start + size).collect();
    let bounds = Bounds { strides: vec![1; starts.len()], starts, limits };
    let value = bounds.slice(&rewriter.builder(), value, ty);
    rewriter.replace(&[value]);
    Ok(())
}

/// The constant index; unsigned ones beyond `i64` count as the largest.
fn index(value: Value<'_>) -> Outcome<i64> {
    let start = splat(value)?.as_i64().or_decline("the start is not an integer")?;
    let is_unsigned = value.ty().element().is_unsigned_int();
    Ok(if is_unsigned && start < 0 { i64::MAX } else { start })
}

fn full_update<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let update = op.operand(1);
    update.ty().has_static_shape().or_decline("the shape is not static")?;
    (update.ty() == op.result(0).ty()).or_decline("the update does not cover the operand")?;
    rewriter.replace(&[update]);
    Ok(())
}

fn reverse_of_reverse<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let inner = defined_by(op.operand(0), OpKind::Reverse)?;
    let sorted = |op| {
        ints(op, "dimensions").map(|mut dims| {
            dims.sort_unstable();
            dims
        })
    };
    (sorted(op)? == sorted(inner)?).or_decline("other dimensions are reversed")?;
    rewriter.replace(&[inner.operand(0)]);
    Ok(())
}
