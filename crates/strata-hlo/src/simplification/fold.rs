//! Constant folding that does not compute on many elements.
//!
//! ```text
//! reshape(constant)                        → constant, for splats and small constants
//! transpose, slice, reverse of a splat     → the splat of the new shape
//! convert(x) to the same type              → x
//! get_dimension_size(x, d)                 → constant
//! ```
//!
//! Large constants are weights: they are neither copied nor expanded here.

use strata_ir::{AttributeExt as _, Op, TypeExt as _, dense_bytes, integer};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::MAX_COPIED_ELEMENTS;

use crate::pattern::{constant, new_constant, new_splat, patterns};

patterns! {
    /// The shape of a constant may change freely.
    ReshapeOfConstant = "reshape-of-constant" on [Reshape] by reshape_of_constant;
    /// Moving the elements of a splat changes only its shape.
    MoveOfSplat = "move-of-splat" on [Transpose, Slice, Reverse] by move_of_splat;
    /// A conversion to the same type is its operand.
    IdentityConvert = "convert-identity" on [Convert, BitcastConvert] by identity_convert;
    /// The size of a static dimension is a constant.
    StaticDimensionSize = "get-dimension-size-static" on [GetDimensionSize] by dimension_size;
}

fn reshape_of_constant<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let value = constant(op.operand(0))?;
    let ty = op.result(0).ty();
    ty.has_static_shape().or_decline("the shape is not static")?;
    let builder = rewriter.builder();
    let new = match value.splat_value() {
        Some(_) if ty.element().is_complex() => return Err("complex splats stay reshaped".into()),
        Some(element) => new_splat(&builder, ty, element),
        None => {
            let small = ty.element_count().is_some_and(|count| count <= MAX_COPIED_ELEMENTS);
            small.or_decline("the constant is large")?;
            let bytes = value.raw_elements().or_decline("the constant is not dense")?;
            let value = dense_bytes(ty, &bytes).or_decline("the constant is not dense")?;
            new_constant(&builder, ty, value)
        }
    };
    rewriter.replace(&[new]);
    Ok(())
}

fn move_of_splat<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let element =
        constant(op.operand(0))?.splat_value().or_decline("the constant is not a splat")?;
    let ty = op.result(0).ty();
    ty.has_static_shape().or_decline("the shape is not static")?;
    (!ty.element().is_complex()).or_decline("complex splats stay")?;
    let value = new_splat(&rewriter.builder(), ty, element);
    rewriter.replace(&[value]);
    Ok(())
}

fn identity_convert<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    (op.operand(0).ty() == op.result(0).ty()).or_decline("the type changes")?;
    rewriter.replace(&[op.operand(0)]);
    Ok(())
}

fn dimension_size<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let dim = op.attr("dimension").and_then(|dim| dim.as_i64());
    let dim = dim.or_decline("attribute `dimension` is missing")? as usize;
    let shape = op.operand(0).ty().shape().or_decline("the operand is not ranked")?;
    let size = *shape.get(dim).or_decline("there is no such dimension")?;
    (size >= 0).or_decline("the dimension is known only at run time")?;
    // The result would wrap around.
    (size <= i32::MAX.into()).or_decline("the size is not a 32-bit number")?;
    let element = strata_ir::int(integer(rewriter.context(), 32), size);
    let value = new_splat(&rewriter.builder(), op.result(0).ty(), element);
    rewriter.replace(&[value]);
    Ok(())
}
