//! Scatters of one window at a known place, as JAX writes `x.at[1:-1].add(y)`.
//!
//! ```text
//! scatter(x, [1], y) ({ add })           → dynamic_update_slice(x, slice(x)[1:9] + y, 1)
//! ```
//! The sum is an elementwise operation then, which others join; a scatter is a loop over its updates. Windows that reach out of the operand
//! stay scatters, which leave out what is outside.

use strata_ir::{Op, ScatterDimensionNumbers, TypeExt as _, Value, integer, stablehlo, tensor};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::MAX_KNOWN_OPERATIONS;

use crate::{
    emit::Emit as _,
    pattern::{is_whole, patterns},
    simplification::{
        concatenate_splitting::is_elementwise, elements::Element, fold_elementwise::known_elements,
    },
};

patterns! {
    /// A scatter of one window at a known place is an update of a slice.
    ScatterOfWindow = "scatter-of-window" on [Scatter] by scatter_of_window;
}

fn scatter_of_window<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    is_whole(op)?;
    let [input, indices, updates] = op.operands()[..] else {
        return Err("it has several inputs".into());
    };
    let numbers = op
        .attr("scatter_dimension_numbers")
        .and_then(ScatterDimensionNumbers::from_attribute)
        .or_decline("it has no dimensions")?;
    let shape = |value: Value<'c>| {
        let shape = value.ty().shape().filter(|_| value.ty().has_static_shape());
        shape.or_decline("the shape is not static")
    };
    let (sizes, taken) = (shape(input)?, shape(updates)?);
    let map = &numbers.scatter_dims_to_operand_dims;
    let count = shape(indices)?.iter().product::<i64>();
    let is_only = !map.is_empty() && count == map.len() as i64;
    (is_only && numbers.input_batching_dims.is_empty()).or_decline("it has several windows")?;
    let elements: i64 = taken.iter().product();
    (elements > 0).or_decline("its window is empty")?;
    let mut window = vec![1; sizes.len()];
    let kept =
        (0..sizes.len()).filter(|dim| !numbers.inserted_window_dims.contains(&(*dim as i64)));
    for (dim, from) in kept.zip(&numbers.update_window_dims) {
        let from = usize::try_from(*from).ok().and_then(|from| taken.get(from));
        window[dim] = *from.or_decline("the updates lack a dimension")?;
    }
    (window.iter().product::<i64>() == elements).or_decline("it has several windows")?;
    let places = known_elements(indices, &mut { MAX_KNOWN_OPERATIONS })?;
    let mut starts = vec![0; sizes.len()];
    for (at, dim) in map.iter().enumerate() {
        let start = usize::try_from(*dim).ok().and_then(|dim| starts.get_mut(dim));
        let Element::Int(place) = places.at(at) else { return Err("a place is unknown".into()) };
        *start.or_decline("there is no such dimension")? =
            i64::try_from(place).ok().or_decline("a place is far outside")?;
    }
    let limits: Vec<_> = starts.iter().zip(&window).map(|(start, size)| start + size).collect();
    let is_inside = starts.iter().all(|start| *start >= 0)
        && limits.iter().zip(&sizes).all(|(limit, size)| limit <= size);
    is_inside.or_decline("its window reaches out of the operand")?;
    let b = rewriter.builder();
    let body = op.region(0).first_block().or_decline("the body is empty")?;
    let (ops, args) = (body.ops(), body.args());
    let update = b.reshaped(updates, &window);
    let combined = match ops[..] {
        [end] if end.operands() == [args[1]] => update,
        [step, end] if end.operands() == [step.result(0)] => {
            let is_whole = is_elementwise(step.kind()) && step.result(0).ty() == args[0].ty();
            is_whole.or_decline("the body is not an operation on elements of one type")?;
            let old = b.sliced(input, &starts, &limits, &vec![1; sizes.len()]);
            let operand = |value: &Value<'c>| match args.iter().position(|arg| arg == value) {
                Some(0) => Ok(old),
                Some(1) => Ok(update),
                _ => Err("the body uses another value"),
            };
            let operands = step.operands().iter().map(operand).collect::<Result<Vec<_>, _>>()?;
            let step = b.op(step.name()).operands(&operands).attrs(&step.attrs());
            step.result(old.ty()).value()
        }
        _ => return Err("the body is not a single operation".into()),
    };
    if window == sizes {
        rewriter.replace(&[combined]);
        return Ok(());
    }
    let place = tensor(&[], integer(b.context, 64));
    let starts: Vec<_> = starts.into_iter().map(|start| b.int_constant(place, start)).collect();
    let updated = b.op(stablehlo::DYNAMIC_UPDATE_SLICE).operands(&[input, combined]);
    rewriter.replace(&[updated.operands(&starts).result(input.ty()).value()]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::tests::simplified;

    fn scattered(place: &str, body: &str) -> String {
        let body = format!(
            "%i = stablehlo.constant dense<{place}> : tensor<2xi32>
            %0 = \"stablehlo.scatter\"(%x, %i, %y) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1],
                scatter_dims_to_operand_dims = [1, 0]>}}> ({{
            ^bb0(%a: tensor<f32>, %b: tensor<f32>):
                {body}
            }}) : (tensor<5x7xf32>, tensor<2xi32>, tensor<2x3xf32>) -> tensor<5x7xf32>
            return %0 : tensor<5x7xf32>"
        );
        simplified("(%x: tensor<5x7xf32>, %y: tensor<2x3xf32>) -> tensor<5x7xf32>", &body)
    }

    #[test]
    fn a_scatter_of_one_window_is_an_update_of_a_slice() {
        let minus = "%c = stablehlo.subtract %b, %a : tensor<f32>
            stablehlo.return %c : tensor<f32>";
        let printed = scattered("[4, 3]", minus);
        assert!(!printed.contains("scatter"), "{printed}");
        assert!(printed.contains("stablehlo.slice %arg0 [3:5, 4:7]"), "{printed}");
        assert!(printed.contains("stablehlo.subtract %arg1, %"), "{printed}");
        assert!(printed.contains("stablehlo.dynamic_update_slice %arg0, %"), "{printed}");
        let printed = scattered("[0, 1]", "stablehlo.return %b : tensor<f32>");
        assert!(printed.contains("stablehlo.dynamic_update_slice %arg0, %arg1"), "{printed}");
        // What is outside stays out.
        for place in ["[5, 0]", "[0, 4]", "[-1, 0]"] {
            let printed = scattered(place, "stablehlo.return %b : tensor<f32>");
            assert!(printed.contains("stablehlo.scatter"), "{printed}");
        }
        // A body that combines otherwise.
        let twice = "%c = stablehlo.add %a, %b : tensor<f32>
            %d = stablehlo.add %c, %b : tensor<f32>
            stablehlo.return %d : tensor<f32>";
        assert!(scattered("[0, 0]", twice).contains("stablehlo.scatter"));
    }
}
