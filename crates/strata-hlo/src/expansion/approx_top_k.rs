//! `ApproxTopK`, as JAX's `approx_max_k` calls it, by sorting: on CPUs the approximation is exact.
//!
//! ```text
//! %0:2 = custom_call @ApproxTopK(%x, %positions, %a, %b) {called_computations = [@before],
//!          mhlo.backend_config = {reduction_dim = 1, top_k = 3, …}} : … -> (tensor<5x3xf32>, tensor<5x3xi32>)
//! ```
//! becomes
//! ```text
//! %1:2 = sort(%x, %positions) dimension = 1 { the body of @before }
//! %0:2 = slices of the first three elements of each row
//! ```

use std::collections::HashMap;

use strata_ir::{
    AttributeExt as _, Builder, Context, Op, OpKind, TypeExt as _, boolean, func, i64s, int,
    integer, stablehlo,
};

/// Replaces every call of a known form; others are rejected later.
pub fn expand<'c>(context: &'c Context, root: Op<'c>) {
    let is_call = |op: Op<'c>| {
        op.kind() == OpKind::CustomCall
            && op.attr("call_target_name").and_then(|name| name.as_str()) == Some("ApproxTopK")
    };
    for call in root.collect(is_call) {
        // Declines before building anything.
        let _ = expand_one(context, root, call);
    }
}

fn expand_one<'c>(context: &'c Context, root: Op<'c>, call: Op<'c>) -> Option<()> {
    let config = call.attr("mhlo.backend_config").or_else(|| call.attr("backend_config"))?;
    let dim = config.entry("reduction_dim")?.as_i64()?;
    let computations = call.attr("called_computations")?.as_array()?;
    let [comparator] = computations[..] else { return None };
    let name = comparator.as_symbol()?;
    let named = |op: &Op<'c>| {
        op.is(func::FUNC) && op.attr("sym_name").and_then(|found| found.as_str()) == Some(name)
    };
    let function = root.body(0).ops().into_iter().find(named)?;
    let body = function.region(0).first_block()?;

    let count = call.result_count();
    let inputs = call.operands().get(..count)?.to_vec();
    let shape = inputs.first()?.ty().shape()?;
    let kept = call.result(0).ty().shape()?;
    let at = usize::try_from(dim).ok().filter(|at| *at < shape.len())?;
    let fits = inputs.iter().all(|input| input.ty().shape().as_ref() == Some(&shape))
        && kept.len() == shape.len()
        && (0..shape.len()).all(|one| match one == at {
            true => kept[one] <= shape[one],
            false => kept[one] == shape[one],
        });
    if !fits || body.arg_count() != 2 * count || call.operand_count() != 2 * count {
        return None;
    }

    let builder = Builder::before(context, call);
    let types: Vec<_> = body.args().into_iter().map(|argument| argument.ty()).collect();
    let region = builder.region(&types, |inner, args| {
        let mut values: HashMap<_, _> = body.args().into_iter().zip(args.iter().copied()).collect();
        let returned = inner.copy_body(body, &mut values);
        inner.op(stablehlo::RETURN).operands(&returned).build();
    });
    let types: Vec<_> = inputs.iter().map(|input| input.ty()).collect();
    let sorted = builder
        .op(stablehlo::SORT)
        .operands(&inputs)
        .attr("dimension", int(integer(context, 64), dim))
        .attr("is_stable", boolean(context, true))
        .results(&types)
        .region(region)
        .build();
    for (old, all) in call.results().into_iter().zip(sorted.results()) {
        let first = builder.op(stablehlo::SLICE).operand(all);
        let first = first.attr("start_indices", i64s(context, &vec![0; shape.len()]));
        let first = first.attr("limit_indices", i64s(context, &kept));
        let first = first.attr("strides", i64s(context, &vec![1; shape.len()]));
        old.replace_all_uses_with(first.result(old.ty()).value());
    }
    call.erase();
    Some(())
}
