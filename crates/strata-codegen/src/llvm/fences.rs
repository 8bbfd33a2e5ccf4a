//! Orders non-temporal stores.
//!
//! On x86 such stores may become visible after ordinary ones that follow them, so that a thread that was told that a task is done
//! could read what the output held before. Neither LLVM nor the locks of an executor prevent that.
//!
//! ```mlir
//! llvm.store %v, %p {alignment = 64 : i64, nontemporal}
//! llvm.return
//! ```
//! becomes
//! ```mlir
//! llvm.store %v, %p {alignment = 64 : i64, nontemporal}
//! llvm.call_intrinsic "llvm.x86.sse.sfence"() : () -> ()
//! llvm.return
//! ```

use melior::Context;
use strata_ir::{Builder, Op, llvm};

/// Ends each function that makes such stores with a fence.
pub(super) fn add<'c>(context: &'c Context, root: Op<'c>) {
    for function in root.body(0).ops().into_iter().filter(|op| op.is(llvm::FUNC)) {
        let is_streamed =
            |op: Op<'c>| op.cast::<llvm::Store>().is_some_and(llvm::Store::nontemporal);
        if function.collect(is_streamed).is_empty() {
            continue;
        }
        for end in function.collect(|op| op.is(llvm::RETURN)) {
            let before = Builder::before(context, end);
            llvm::call_intrinsic(&before, "llvm.x86.sse.sfence", &[], &[]).build();
        }
    }
}
