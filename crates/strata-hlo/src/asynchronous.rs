//! Operations begun without waiting for their results, run in order.
//!
//! ```text
//! %f = async_start(%x) { ^bb0(%a): %0 = slice %a …; return %0 }      %0 = slice %x …
//! %y = negate %x                                                 →   %y = negate %x
//! %r = async_done(%f)
//! ```

use std::collections::HashMap;

use strata_ir::{Block, Builder, Context, Op, OpKind, Value, WalkOrder};

/// Puts the body of each `async_start` in its place, where its future is only waited for.
pub fn run_in_order<'c>(context: &'c Context, root: Op<'c>) {
    for start in root.collect(|op| op.kind() == OpKind::AsyncStart) {
        let uses = start.result(0).uses();
        let only_waits = uses.iter().all(|(user, _)| user.kind() == OpKind::AsyncDone);
        let Some(block) = start.region(0).first_block() else { continue };
        if !only_waits || block.arg_count() != start.operand_count() {
            continue;
        }
        let results = inline(context, start);
        if uses.iter().any(|(done, _)| done.result_count() != results.len()) {
            continue;
        }
        for (done, _) in uses {
            for (old, new) in done.results().into_iter().zip(&results) {
                old.replace_all_uses_with(*new);
            }
            done.erase();
        }
        start.erase();
    }
}

/// Copies the body in front of `start` and returns what it returns.
fn inline<'c>(context: &'c Context, start: Op<'c>) -> Vec<Value<'c>> {
    let block = start.body(0);
    let values = block.args().into_iter().zip(start.operands()).collect();
    copy_body(&Builder::before(context, start), block, values)
}

/// Copies the operations of `block` to where `builder` points and returns what it returns; `values` says what its arguments
/// become.
pub fn copy_body<'c>(
    builder: &Builder<'c>,
    block: Block<'c>,
    mut values: HashMap<Value<'c>, Value<'c>>,
) -> Vec<Value<'c>> {
    let end = block.terminator();
    for op in block.ops() {
        if Some(op) == end {
            return op
                .operands()
                .into_iter()
                .map(|value| values.get(&value).copied().unwrap_or(value))
                .collect();
        }
        let copy = builder.insert(op.clone_detached());
        copy.walk(WalkOrder::Pre, &mut |inner| {
            for (index, operand) in inner.operands().into_iter().enumerate() {
                if let Some(value) = values.get(&operand) {
                    inner.set_operand(index, *value);
                }
            }
        });
        values.extend(op.results().into_iter().zip(copy.results()));
    }
    Vec::new()
}
