//! Tags that only schedules need, and initial values that nothing uses any more.

use strata_ir::{
    Block, Builder, Context, Op, RARELY, ROUNDED, arith, bufferization, linalg, tensor,
};

use crate::transform::tags;

/// Removes attributes that only schedules need.
pub fn tidy(context: &Context, func: Op<'_>) {
    for op in func.collect(|_| true) {
        let tags: Vec<_> = op
            .discardable_attrs()
            .into_iter()
            .map(|(name, _)| name)
            .filter(|name| {
                name.starts_with("strata.") && !matches!(*name, tags::SUMS | RARELY | ROUNDED)
            })
            .collect();
        for tag in tags {
            op.remove_attr(tag);
        }
        // A panel is an ordinary temporary, which stage `affine` assigns a buffer.
        if op.is(bufferization::ALLOC_TENSOR) && op.operand_count() == 0 {
            let empty =
                Builder::before(context, op).op(tensor::EMPTY).result(op.result(0).ty()).value();
            op.result(0).replace_all_uses_with(empty);
            op.erase();
        }
    }
}

/// Erases initial values that are dead after scheduling.
pub fn sweep(block: Block<'_>) {
    for op in block.ops().into_iter().rev() {
        let initial = matches!(op.name(), linalg::FILL | tensor::EMPTY | arith::CONSTANT);
        if initial && op.is_unused() {
            op.erase();
        }
    }
}
