//! Bits that are packed into integers, as `jnp.packbits` writes it: predicates as bytes, shifted, and summed in 32 bits.
//!
//! ```text
//! convert(reduce(convert(x : i8) : i32) add) : i8   → reduce(x) add        modulo 2^8
//! shift_left(convert(p), broadcast(n))              → select(p, broadcast(shift_left(1, n)), 0)
//! reshape(convert(p))                               → convert(reshape(p))
//! reshape(compare(argument, splat))                 → compare(reshape(argument), splat)
//! compare NE (p, false)   compare EQ (p, true)      → p                    booleans
//! ```
//! The shift is then of one number a column, and what makes the predicates is one nest with the sum.

use strata_ir::{
    AttributeExt as _, ComparisonDirection, Op, OpKind, TypeExt as _, Value, stablehlo,
};
use strata_rewrite::{Guard as _, Outcome, Rewriter};
use strata_target::tuning::simplification::MAX_KNOWN_OPERATIONS;

use crate::{
    emit::Emit as _,
    pattern::{defined_by, ints, is_whole, new_splat, patterns, splat, sums},
    simplification::{elements::constant_of, fold_elementwise::known_elements},
};

patterns! {
    /// The low bits of a sum of narrower integers.
    NarrowSum = "narrow-sum" on [Convert] by narrow_sum;
    /// A predicate as a bit of an integer.
    ShiftOfPredicate = "shift-of-predicate" on [ShiftLeft] by shift_of_predicate;
    /// A reshape after a predicate.
    ReshapeOfPredicate = "reshape-of-predicate" on [Reshape] by reshape_of_predicate;
    /// A boolean compared with a constant.
    CompareWithBoolean = "compare-with-boolean" on [Compare] by compare_with_boolean;
}

fn is_bool(value: Value<'_>) -> bool {
    value.ty().element().bit_width() == Some(1)
}

/// Bits of integers, which are not booleans unless `or_bool`.
fn bits(value: Value<'_>, or_bool: bool) -> Outcome<u32> {
    let bits = value.ty().element().bit_width().filter(|_| value.ty().element().is_int());
    bits.filter(|bits| *bits > 1 || or_bool).or_decline("the elements are not integers")
}

fn narrow_sum<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let sum = defined_by(op.operand(0), OpKind::Reduce)?;
    sums(sum)?;
    (sum.result(0).uses().len() == 1).or_decline("the sum has other users")?;
    let wide = defined_by(sum.operand(0), OpKind::Convert)?;
    let kept = bits(op.result(0), false)?;
    (bits(sum.result(0), false)? > kept).or_decline("the sum is not narrowed")?;
    (bits(wide.operand(0), true)? <= kept).or_decline("what is summed is wider")?;
    let element = op.result(0).ty().element();
    let builder = rewriter.builder();
    let value = builder.converted(wide.operand(0), element);
    let start = builder.converted(sum.operand(1), element);
    let over: Vec<_> = ints(sum, "dimensions")?.iter().map(|dim| *dim as usize).collect();
    let value = builder.reduced(stablehlo::ADD, [value, start], &over)?;
    rewriter.replace(&[value]);
    Ok(())
}

fn shift_of_predicate<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let converted = defined_by(op.operand(0), OpKind::Convert)?;
    let predicate = converted.operand(0);
    is_bool(predicate).or_decline("a number is shifted")?;
    bits(op.result(0), false)?;
    let broadcast = defined_by(op.operand(1), OpKind::BroadcastInDim)?;
    let places = broadcast.operand(0);
    let ty = op.result(0).ty();
    let shape = ty.shape().or_decline("the shape is not static")?;
    let dims = ints(broadcast, "broadcast_dimensions")?;
    let builder = rewriter.builder();
    let one = builder.int_constant(places.ty(), 1);
    let bit = builder.op(op.name()).operands(&[one, places]).result(places.ty()).value();
    // Which bit it is follows from the place, usually.
    let bit = match known_elements(bit, &mut { MAX_KNOWN_OPERATIONS }) {
        Ok(known) => constant_of(&builder, bit.ty(), &known.list, known.is_splat)?,
        Err(_) => bit,
    };
    let bit = builder.broadcast_in_dim(bit, &shape, &dims);
    let value = builder.selected(predicate, bit, builder.int_constant(ty, 0));
    rewriter.replace(&[value]);
    Ok(())
}

fn reshape_of_predicate<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let source = op.operand(0);
    (source.uses().len() == 1).or_decline("the predicate has other users")?;
    is_whole(op)?;
    let inner = source.owner().or_decline("the operand is an argument")?;
    let shape = op.result(0).ty().shape().or_decline("the shape is not static")?;
    let builder = rewriter.builder();
    let value = match inner.kind() {
        OpKind::Convert if is_bool(inner.operand(0)) => {
            let of = |value: Value<'c>| match defined_by(value, OpKind::Compare) {
                Ok(compare) => compare.operand(0),
                Err(_) => value,
            };
            // What computes the predicate would be stored before the reshape.
            of(inner.operand(0)).block_arg().or_decline("the predicate is computed")?;
            let predicate = builder.reshaped(inner.operand(0), &shape);
            builder.converted(predicate, op.result(0).ty().element())
        }
        OpKind::Compare => {
            let (number, constant) = (inner.operand(0), splat(inner.operand(1))?);
            number.block_arg().or_decline("the number is computed")?;
            let number = builder.reshaped(number, &shape);
            let constant = new_splat(&builder, number.ty(), constant);
            let attrs = inner.attrs();
            let compare = builder.op(inner.name()).operands(&[number, constant]).attrs(&attrs);
            compare.result(op.result(0).ty()).value()
        }
        _ => return Err("the operand is not a predicate".into()),
    };
    rewriter.replace(&[value]);
    Ok(())
}

fn compare_with_boolean<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let value = op.operand(0);
    is_bool(value).or_decline("the operands are not booleans")?;
    (value.ty() == op.result(0).ty()).or_decline("the type changes")?;
    let constant = splat(op.operand(1))?.as_i64().or_decline("the constant is not i1")?;
    let direction = op.attr("comparison_direction").and_then(ComparisonDirection::from_attribute);
    let kept = match direction.or_decline("it has no direction")? {
        ComparisonDirection::Ne => constant == 0,
        ComparisonDirection::Eq => constant != 0,
        _ => false,
    };
    kept.or_decline("the comparison is not with what keeps a boolean")?;
    rewriter.replace(&[value]);
    Ok(())
}
