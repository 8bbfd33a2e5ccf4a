//! Replaces asynchronous operations by synchronous ones.
//!
//! ```text
//! %f = async_start(%x) { ^bb0(%a): %0 = slice %a …; return %0 }      %0 = slice %x …
//! %y = negate %x                                                 →   %y = negate %x
//! %r = async_done(%f)
//! ```

use std::collections::HashMap;

use strata_ir::{Builder, Context, Op, OpKind, Value};

/// Inlines the body of each `async_start` whose future is only awaited.
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

/// Copies the body before `start` and returns its results.
fn inline<'c>(context: &'c Context, start: Op<'c>) -> Vec<Value<'c>> {
    let block = start.body(0);
    let mut values: HashMap<_, _> = block.args().into_iter().zip(start.operands()).collect();
    Builder::before(context, start).copy_body(block, &mut values)
}
