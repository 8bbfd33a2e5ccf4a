//! The larger and the smaller of two floats, as LLVM's own operations.
//!
//! Before: `arith.maximumf %a, %b : vector<8xf32>`
//! After: `llvm.intr.maximum(%a, %b) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>`
//!
//! `arith-expand` would compare and select, which gives either zero where the operands are zeros of both signs; LLVM knows
//! for each machine what else it takes.

use strata_ir::{Builder, Context, Op, TypeExt as _};

/// Rewrites all such operations in `root` on types that LLVM computes with.
pub(super) fn lower<'c>(context: &'c Context, root: Op<'c>) {
    for op in root.collect(|op| intrinsic(op).is_some()) {
        let Some(name) = intrinsic(op) else { continue };
        let lowered = Builder::before(context, op)
            .op(name)
            .operands(&op.operands())
            .result(op.result(0).ty())
            .value();
        op.result(0).replace_all_uses_with(lowered);
        op.erase();
    }
}

fn intrinsic(op: Op<'_>) -> Option<&'static str> {
    let name = match op.name() {
        "arith.maximumf" => "llvm.intr.maximum",
        "arith.minimumf" => "llvm.intr.minimum",
        _ => return None,
    };
    let element = op.result(0).ty().element().to_string();
    let known = matches!(element.as_str(), "f16" | "f32" | "f64");
    (known && !strata_ir::planted("codegen-zeros")).then_some(name)
}
