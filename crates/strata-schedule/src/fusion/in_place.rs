//! Lets an elementwise operation compute in the tensor that it reads.
//!
//! ```text
//! %r = linalg.generic { sum of products }
//! %s = linalg.generic { tanh } ins(%r) outs(%e)
//! ```
//! becomes
//! ```text
//! %s = linalg.generic { tanh } outs(%r)
//! ```
//! Where the two are fused in loops over tiles that are too much code for registers alone, the sums of a tile are then written to
//! where the results go, and need no memory of their own.

use std::collections::HashMap;

use strata_ir::{AffineMap, Builder, Context, Op, Value, View as _, linalg};

use crate::structured::{Structured, is_identity};

/// Makes `consumer` read the result of `producer` as the initial value of its own. `None` changes nothing: it reads it in another
/// order, more than once, or with another type, or others read it.
pub fn compute_in_place<'c>(
    context: &'c Context,
    producer: Op<'c>,
    consumer: &Structured<'c>,
) -> Option<Op<'c>> {
    let (value, op) = (producer.result(0), consumer.op);
    let is_fit = consumer.is_elementwise() && op.result_count() == 1;
    let [(user, read)] = value.uses().try_into().ok()?;
    let body = op.body(0);
    if !is_fit
        || user != op
        || read >= consumer.inputs
        || op.result(0).ty() != value.ty()
        || body.arg(consumer.inputs).has_uses()
        || !is_identity(&consumer.maps[read], consumer.extents.len())
    {
        return None;
    }
    let kept: Vec<_> = (0..consumer.inputs).filter(|operand| *operand != read).collect();
    let maps = op.indexing_maps()?;
    let maps: Vec<AffineMap> =
        kept.iter().chain([&read]).map(|operand| maps[*operand].clone()).collect();
    let inputs: Vec<Value<'c>> = kept.iter().map(|operand| op.operand(*operand)).collect();
    let types: Vec<_> = kept.iter().chain([&read]).map(|operand| body.arg(*operand).ty()).collect();
    let builder = Builder::before(context, op);
    let region = builder.region(&types, |inner, args| {
        let old = kept.iter().chain([&read]).map(|operand| body.arg(*operand));
        let mut known: HashMap<_, _> = old.zip(args.iter().copied()).collect();
        inner.copy_body(body, &mut known);
        let yielded = body.terminator().map(Op::operands).unwrap_or_default();
        let yielded: Vec<_> =
            yielded.into_iter().map(|value| known.get(&value).copied().unwrap_or(value)).collect();
        linalg::yield_(inner, &yielded).build();
    });
    let loops = op.cast::<linalg::Generic>()?.iterator_types()?;
    let new = linalg::generic(&builder, &maps, &loops, &[op.result(0).ty()], region)
        .inputs(&inputs)
        .outputs(&[value])
        .build()
        .op();
    op.result(0).replace_all_uses_with(new.result(0));
    op.erase();
    Some(new)
}
