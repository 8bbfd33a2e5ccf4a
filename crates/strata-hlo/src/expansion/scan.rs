//! Expands `chlo.scan` to a loop along its dimension.
//!
//! ```text
//! %out, %end = chlo.scan(%x) inits(%init) dimension=0 {
//!   ^bb0(%row, %carry): … return %row_out, %next }
//! ```
//! becomes
//! ```text
//! %i, %out, %end = while(%i = 0, %o = zeros, %carry = %init) cond { %i < size } do {
//!   %row = reshape(dynamic_slice(%x, %i)); …
//!   return %i + 1, dynamic_update_slice(%o, reshape(%row_out), %i), %next }
//! ```
//!
//! A reversed scan starts at the last index. Whether the body is associative does not matter here.

use strata_ir::{AttributeExt as _, Op, TypeExt as _, Value, stablehlo};
use strata_rewrite::{Guard as _, Outcome, Rewriter};

use crate::{
    emit::{Emit as _, counted},
    pattern::patterns,
};

patterns! {
    /// One loop iteration per slice.
    ExpandScan = "expand-scan" on [ChloScan] by expand;
}

fn expand<'c>(op: Op<'c>, rewriter: &mut Rewriter<'c>) -> Outcome {
    let first = |sizes: Option<Vec<usize>>| sizes.and_then(|sizes| sizes.first().copied());
    let inputs = first(op.operand_segments()).or_decline("its operands are in no groups")?;
    let outputs = first(op.result_segments()).or_decline("its results are in no groups")?;
    let dim = op.attr("dimension").and_then(|dim| dim.as_i64());
    let dim = dim.or_decline("attribute `dimension` is missing")? as usize;
    let reversed = op.attr("is_reverse").and_then(|flag| flag.as_bool()).unwrap_or(false);
    let values = [op.operands(), op.results()].concat();
    let is_static = values.iter().all(|value| value.ty().has_static_shape());
    is_static.or_decline("a shape is known only at run time")?;
    let (operands, results) = (op.operands(), op.results());
    let sliced = operands[..inputs].first().or(results[..outputs].first());
    let size = match sliced.and_then(|value| value.ty().shape()?.get(dim).copied()) {
        Some(size) => Some(size),
        None => op.attr("scan_dim_size").and_then(|size| size.as_i64()),
    };
    let size = size.or_decline("the number of slices is not known")?;
    let block = op.body(0);
    let returned = block.terminator().or_decline("the body has no terminator")?;
    let matches = |value: Value<'c>, result: &Value<'c>| {
        let (found, wanted) = (value.ty().element_count(), result.ty().element_count());
        let slices = if size == 0 { Some(0) } else { found.map(|found| found * size as u64) };
        slices == wanted
    };
    let fits = returned.operands().into_iter().zip(&results[..outputs]);
    fits.into_iter().all(|(value, result)| matches(value, result)).or_decline("slices differ")?;

    let builder = rewriter.builder();
    let mut initial = Vec::with_capacity(results.len());
    for result in &results[..outputs] {
        initial.push(builder.zeros(result.ty())?);
    }
    initial.extend_from_slice(&operands[inputs..]);
    if size == 0 {
        rewriter.replace(&initial);
        return Ok(());
    }
    let last = builder.counter(size - 1);
    let ends = counted(&builder, size, &initial, |inner, counter, carried| {
        let place = match reversed {
            true => inner.same(stablehlo::SUBTRACT, &[last, counter]),
            false => counter,
        };
        for (argument, input) in block.args().into_iter().zip(&operands[..inputs]) {
            argument.replace_all_uses_with(inner.taken(*input, dim, place)?);
        }
        for (argument, carry) in block.args()[inputs..].iter().zip(&carried[outputs..]) {
            argument.replace_all_uses_with(*carry);
        }
        for op in block.ops() {
            if op != returned {
                inner.adopt(op);
            }
        }
        let mut next = returned.operands();
        for (value, output) in next.iter_mut().zip(&carried[..outputs]) {
            *value = inner.put(*output, *value, dim, place)?;
        }
        Ok(next)
    })?;
    rewriter.replace(&ends);
    Ok(())
}
