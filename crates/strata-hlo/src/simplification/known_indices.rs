//! Components of index vectors that are known: places along a dimension of the index vectors, and numbers.
//!
//! ```text
//! gather(x, concatenate(iota dim = 0, i))     → gather(x, i), the dimension of places being one that both have (a batching dimension)
//! gather(x, concatenate(1 + 2 * iota, i))     → gather(slice(x)[1, 3, …], i), the same
//! gather(x, concatenate(3, i))                → gather(slice(x)[3], i)
//! gather(x, concatenate(iota, iota))          → broadcast_in_dim(x)
//! scatter(x, concatenate(iota dim = 0, i), y) → scatter(x, i, y), likewise
//! ```
//! Programs write `x[arange(n)[:, None], i]` so, and exporters `vmap` over an index. Places outside are moved inside by gathers and left out by scatters:
//! components have to be inside.

use strata_ir::{
    AttributeExt as _, GatherDimensionNumbers, Op, OpKind, ScatterDimensionNumbers, TypeExt as _,
    Value, boolean, int, integer, stablehlo, tensor,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    counted::{Counted, Static},
    emit::Emit as _,
    pattern::{ints, is_whole, patterns},
    simplification::gather::{numbers_of, replace},
};

patterns! {
    /// A gather does not read components of index vectors that are known.
    GatherAtKnown = "gather-at-known" on [Gather] by gather_at_known;
    /// A scatter does not read components of index vectors that are known.
    ScatterAtKnown = "scatter-at-known" on [Scatter] by scatter_at_known;
}

/// Where slices begin along a dimension of the operand.
#[derive(Clone, Copy)]
enum Start {
    /// The same everywhere.
    At(i64),
    /// At `start + step * i`, where `i` is the place along a dimension of the index vectors.
    Along { dim: usize, start: i64, step: i64 },
}

/// The components of index vectors along this dimension, each with its size there.
fn components(indices: Value<'_>, vector_dim: i64) -> Outcome<Vec<Value<'_>>> {
    let shape = indices.ty().shape().or_decline("the shape is not static")?;
    match usize::try_from(vector_dim).ok().and_then(|dim| shape.get(dim)) {
        None | Some(1) => return Ok(vec![indices]),
        Some(_) => (),
    }
    let pieces = indices.owner().filter(|owner| owner.kind() == OpKind::Concatenate);
    let pieces = pieces.or_decline("its index vectors are not concatenated")?;
    let dim = pieces.attr("dimension").and_then(|dim| dim.as_i64());
    (dim == Some(vector_dim)).or_decline("its index vectors are not concatenated")?;
    let parts = pieces.operands().into_iter().map(|part| components(part, vector_dim));
    Ok(parts.collect::<Outcome<Vec<_>>>()?.concat())
}

/// Where slices of `taken` elements of `size` begin by this component, if that is known and they are inside.
fn start_of(component: Value<'_>, vector_dim: i64, size: i64, taken: i64) -> Option<Start> {
    let counted = Counted::of(component, &Static::default())?;
    let (first, step) = (counted.start.as_constant()?, counted.step);
    let is_inside = |place: i64| place >= 0 && place <= size - taken;
    let Some(dim) = counted.dim else { return is_inside(first).then_some(Start::At(first)) };
    let count = *component.ty().shape()?.get(dim)?;
    if count == 1 {
        return is_inside(first).then_some(Start::At(first));
    }
    let last = first.checked_add(step.checked_mul(count.checked_sub(1)?)?)?;
    let is_places = count > 0 && step > 0 && taken == 1 && dim as i64 != vector_dim;
    (is_places && is_inside(first) && is_inside(last)).then_some(Start::Along {
        dim,
        start: first,
        step,
    })
}

/// The index vectors of these components, if there are any.
fn joined<'c>(rewriter: &Rewriter<'c>, parts: &[Value<'c>], dim: i64) -> Option<Value<'c>> {
    let [first, others @ ..] = parts else { return None };
    if others.is_empty() {
        return Some(*first);
    }
    let mut shape = first.ty().shape()?;
    *shape.get_mut(usize::try_from(dim).ok()?)? = parts.len() as i64;
    let b = rewriter.builder();
    let join = b.op(stablehlo::CONCATENATE).operands(parts);
    let join = join.attr("dimension", int(integer(b.context, 64), dim));
    Some(join.result(tensor(&shape, first.ty().element())).value())
}

fn gather_at_known<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    is_whole(op)?;
    let mut numbers = numbers_of(op)?;
    let shape = op.operand(0).ty().shape().filter(|_| op.operand(0).ty().has_static_shape());
    let shape = shape.or_decline("the shape is not static")?;
    let taken = ints(op, "slice_sizes")?;
    let takes = op.result(0).ty().element_count() > Some(0) && !taken.contains(&0);
    takes.or_decline("it takes nothing")?;
    let vector_dim = numbers.index_vector_dim;
    let parts = components(op.operand(1), vector_dim)?;
    (parts.len() == numbers.start_index_map.len()).or_decline("there are other components")?;
    let (mut left, mut mapped) = (Vec::new(), Vec::new());
    let mut operand = op.operand(0);
    for (part, dim) in parts.iter().zip(&numbers.start_index_map) {
        let at = usize::try_from(*dim).ok().filter(|at| *at < shape.len());
        let at = at.or_decline("there is no such dimension")?;
        // The only place that there is.
        let only = (shape[at] == taken[at]).then_some(Start::At(0));
        let start = only.or_else(|| start_of(*part, vector_dim, shape[at], taken[at]));
        let along = |dim: usize| !numbers.start_indices_batching_dims.contains(&(dim as i64));
        match start {
            Some(Start::At(start)) => {
                operand = rewriter.builder().strided(operand, at, (start, taken[at], 1))?;
            }
            Some(Start::Along { dim: of, start, step })
                if along(of) && numbers.collapsed_slice_dims.contains(dim) =>
            {
                let sizes = part.ty().shape().or_decline("the shape is not static")?;
                operand = rewriter.builder().strided(operand, at, (start, sizes[of], step))?;
                numbers.collapsed_slice_dims.retain(|collapsed| collapsed != dim);
                add_batching(
                    (&mut numbers.operand_batching_dims, &mut numbers.start_indices_batching_dims),
                    (*dim, of as i64),
                );
            }
            _ => {
                left.push(*part);
                mapped.push(*dim);
            }
        }
    }
    (mapped.len() < parts.len()).or_decline("no component is known")?;
    numbers.start_index_map = mapped;
    let Some(indices) = joined(rewriter, &left, vector_dim) else {
        return spread(op, rewriter, &numbers, (operand, &taken));
    };
    replace(op, rewriter, [operand, indices], (&numbers, &taken))
}

/// Adds a pair of batching dimensions, in the order of those of the operand.
fn add_batching(dims: (&mut Vec<i64>, &mut Vec<i64>), (own, of_indices): (i64, i64)) {
    let at = dims.0.partition_point(|other| *other < own);
    dims.0.insert(at, own);
    dims.1.insert(at, of_indices);
}

/// Replaces a gather that takes all of its operand once for each place along the dimensions that it does not share with its index vectors.
fn spread<'c>(
    op: Op<'c>,
    rewriter: &mut Rewriter<'c>,
    numbers: &GatherDimensionNumbers,
    (mut operand, taken): (Value<'c>, &[i64]),
) -> Outcome {
    for (dim, size) in taken.iter().enumerate() {
        if !numbers.operand_batching_dims.contains(&(dim as i64)) {
            operand = rewriter.builder().strided(operand, dim, (0, *size, 1))?;
        }
    }
    let shape = op.result(0).ty().shape().or_decline("the shape is not static")?;
    let own = operand.ty().shape().or_decline("the shape is not static")?;
    let batch = (0..shape.len() as i64).filter(|dim| !numbers.offset_dims.contains(dim));
    let batch: Vec<_> = batch.collect();
    let mut offsets = numbers.offset_dims.iter();
    let (mut sizes, mut to) = (Vec::new(), Vec::new());
    for (dim, size) in own.iter().enumerate() {
        let dim = dim as i64;
        if numbers.collapsed_slice_dims.contains(&dim) {
            continue;
        }
        let shared = numbers.operand_batching_dims.iter().position(|other| *other == dim);
        to.push(match shared {
            Some(at) => {
                let of = numbers.start_indices_batching_dims[at];
                let of = of - i64::from(of > numbers.index_vector_dim);
                *usize::try_from(of).ok().and_then(|of| batch.get(of)).or_decline("no dimension")?
            }
            None => *offsets.next().or_decline("there are fewer dimensions")?,
        });
        sizes.push(*size);
    }
    let b = rewriter.builder();
    let value = b.broadcast_in_dim(b.reshaped(operand, &sizes), &shape, &to);
    rewriter.replace(&[value]);
    Ok(())
}

fn scatter_at_known<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    is_whole(op)?;
    let count = op.result_count();
    (count > 0 && op.operand_count() == 2 * count + 1).or_decline("the operands do not match")?;
    let numbers = op.attr("scatter_dimension_numbers");
    let numbers = numbers.and_then(ScatterDimensionNumbers::from_attribute);
    let mut numbers = numbers.or_decline("it has no dimensions")?;
    let ty = op.operand(0).ty();
    let shape = ty.shape().filter(|_| ty.has_static_shape());
    let shape = shape.or_decline("the shape is not static")?;
    let (indices, vector_dim) = (op.operand(count), numbers.index_vector_dim);
    let parts = components(indices, vector_dim)?;
    let map = &numbers.scatter_dims_to_operand_dims;
    (parts.len() == map.len()).or_decline("there are other components")?;
    let (mut left, mut mapped) = (Vec::new(), Vec::new());
    for (part, dim) in parts.iter().zip(map) {
        let size = usize::try_from(*dim).ok().and_then(|dim| shape.get(dim));
        let size = *size.or_decline("there is no such dimension")?;
        let is_single = numbers.inserted_window_dims.contains(dim);
        match start_of(*part, vector_dim, size, 1).filter(|_| is_single) {
            Some(Start::At(0)) => (),
            // A batching dimension is as long as that of the index vectors.
            Some(Start::Along { dim: of, start: 0, step: 1 })
                if part.ty().shape().is_some_and(|sizes| sizes[of] == size)
                    && !numbers.scatter_indices_batching_dims.contains(&(of as i64)) =>
            {
                numbers.inserted_window_dims.retain(|inserted| inserted != dim);
                add_batching(
                    (&mut numbers.input_batching_dims, &mut numbers.scatter_indices_batching_dims),
                    (*dim, of as i64),
                );
            }
            _ => {
                left.push(*part);
                mapped.push(*dim);
            }
        }
    }
    (mapped.len() < parts.len()).or_decline("no component is known")?;
    numbers.scatter_dims_to_operand_dims = mapped;
    let indices = joined(rewriter, &left, vector_dim).or_decline("all components are known")?;
    let context = rewriter.context();
    let numbers = numbers.to_attribute(context).or_decline("the dimensions do not fit")?;
    rewriter.modify(|op| {
        op.set_operand(count, indices);
        op.set_attr("scatter_dimension_numbers", numbers);
        op.set_attr("indices_are_sorted", boolean(context, false));
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::tests::simplified;

    /// A gather of points of a 4x5 operand at index vectors of 3x2, which are components `%a` and `%b` of this program.
    fn gathered(components: &str) -> String {
        let body = format!(
            "{components}
            %at = stablehlo.concatenate %a, %b, dim = 1 : (tensor<3x1x2xi32>, tensor<3x1x2xi32>) -> tensor<3x2x2xi32>
            %0 = \"stablehlo.gather\"(%x, %at) <{{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [1, 0],
                index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>}}> : (tensor<4x5xf32>, tensor<3x2x2xi32>) -> tensor<3x2xf32>
            return %0 : tensor<3x2xf32>"
        );
        simplified(
            "(%x: tensor<4x5xf32>, %a: tensor<3x1x2xi32>, %i: tensor<3xi32>) -> tensor<3x2xf32>",
            &body,
        )
    }

    const PLACES: &str = "%j = stablehlo.iota dim = 0 : tensor<3xi32>
        %zero = stablehlo.constant dense<0> : tensor<3xi32>
        %size = stablehlo.constant dense<4> : tensor<3xi32>
        %is_negative = stablehlo.compare LT, %j, %zero : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
        %from_end = stablehlo.add %j, %size : tensor<3xi32>
        %place = stablehlo.select %is_negative, %from_end, %j : tensor<3xi1>, tensor<3xi32>";

    #[test]
    fn places_are_batching_dimensions() {
        let component = "%b = stablehlo.broadcast_in_dim %place, dims = [0] : (tensor<3xi32>) -> tensor<3x1x2xi32>";
        let printed = gathered(&format!("{PLACES}\n{component}"));
        assert!(printed.contains("operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1]"), "{printed}");
        assert!(printed.contains("stablehlo.slice %arg0 [0:3, 0:5]"), "{printed}");
        assert!(!printed.contains("concatenate"), "{printed}");
        // From the second row on, of which the last one is there.
        let later = "%one = stablehlo.constant dense<1> : tensor<3xi32>
            %next = stablehlo.add %place, %one : tensor<3xi32>
            %b = stablehlo.broadcast_in_dim %next, dims = [0] : (tensor<3xi32>) -> tensor<3x1x2xi32>";
        let printed = gathered(&format!("{PLACES}\n{later}"));
        assert!(printed.contains("stablehlo.slice %arg0 [1:4, 0:5]"), "{printed}");
        // Places that are outside, or in the other order, or those of an input.
        for step in ["add %place, %next", "subtract %one, %place", "add %place, %i"] {
            let component = format!("%one = stablehlo.constant dense<2> : tensor<3xi32>
                %next = stablehlo.add %one, %zero : tensor<3xi32>
                %p = stablehlo.{step} : tensor<3xi32>
                %b = stablehlo.broadcast_in_dim %p, dims = [0] : (tensor<3xi32>) -> tensor<3x1x2xi32>");
            let printed = gathered(&format!("{PLACES}\n{component}"));
            assert!(printed.contains("start_index_map = [1, 0]"), "{step}: {printed}");
        }
    }

    #[test]
    fn numbers_are_slices() {
        let printed = gathered("%b = stablehlo.constant dense<3> : tensor<3x1x2xi32>");
        assert!(printed.contains("stablehlo.slice %arg0 [3:4, 0:5]"), "{printed}");
        assert!(printed.contains("start_index_map = [1]"), "{printed}");
        // Moved inside when it is read.
        for outside in [-1, 4] {
            let printed =
                gathered(&format!("%b = stablehlo.constant dense<{outside}> : tensor<3x1x2xi32>"));
            assert!(printed.contains("start_index_map = [1, 0]"), "{printed}");
        }
    }

    #[test]
    fn a_gather_of_all_is_a_broadcast() {
        let body = "%j = stablehlo.iota dim = 1 : tensor<2x3x1xi64>
            %k = stablehlo.iota dim = 0 : tensor<2x3x1xi64>
            %at = stablehlo.concatenate %j, %k, dim = 2 : (tensor<2x3x1xi64>, tensor<2x3x1xi64>) -> tensor<2x3x2xi64>
            %0 = \"stablehlo.gather\"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0, 1],
                start_index_map = [0, 1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 5>}> : (tensor<3x4x5xf32>, tensor<2x3x2xi64>) -> tensor<5x2x3xf32>
            return %0 : tensor<5x2x3xf32>";
        let printed = simplified("(%x: tensor<3x4x5xf32>) -> tensor<5x2x3xf32>", body);
        assert!(!printed.contains("gather"), "{printed}");
        assert!(printed.contains("stablehlo.slice %arg0 [0:3, 0:2, 0:5]"), "{printed}");
    }

    #[test]
    fn scatters_have_batching_dimensions_of_all_places_only() {
        for (rows, is_known) in [(3, true), (4, false)] {
            let body = format!(
                "%b = stablehlo.iota dim = 0 : tensor<3x2x1xi32>
                %at = stablehlo.concatenate %b, %i, dim = 2 : (tensor<3x2x1xi32>, tensor<3x2x1xi32>) -> tensor<3x2x2xi32>
                %0 = \"stablehlo.scatter\"(%x, %at, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1],
                    scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>}}> ({{
                ^bb0(%old: tensor<f32>, %new: tensor<f32>):
                    %sum = stablehlo.add %old, %new : tensor<f32>
                    stablehlo.return %sum : tensor<f32>
                }}) : (tensor<{rows}x5xf32>, tensor<3x2x2xi32>, tensor<3x2xf32>) -> tensor<{rows}x5xf32>
                return %0 : tensor<{rows}x5xf32>"
            );
            let types = format!(
                "(%x: tensor<{rows}x5xf32>, %i: tensor<3x2x1xi32>, %u: tensor<3x2xf32>) -> tensor<{rows}x5xf32>"
            );
            let printed = simplified(&types, &body);
            assert_eq!(
                printed.contains("input_batching_dims = [0], scatter_indices_batching_dims = [0]"),
                is_known,
                "{printed}"
            );
        }
    }
}
