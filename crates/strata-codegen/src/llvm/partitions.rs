//! Partitions of lanes as the target's instructions: both sides compressed, the others moved up past the selected ones.
//!
//! Before:
//! ```text
//! %r, %n = narrow.partition %x by %m : vector<16xi32>, vector<16xi1>
//! ```
//! After:
//! ```text
//! %n = math.ctpop of the bits of %m
//! %o = llvm.call_intrinsic "llvm.x86.avx512.mask.compress"(%x, 0, not %m)
//! %u = llvm.call_intrinsic "llvm.x86.avx512.permvar.si.512"(%o, (0, 1, ... 15) - %n)
//! %r = llvm.call_intrinsic "llvm.x86.avx512.mask.compress"(%x, %u, %m)
//! ```

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Builder, Context, Op, TypeExt as _, arith, dense_bytes, diagnostic_at, index, integer, llvm,
    math, narrow, vector,
};
use strata_target::{Isa, Target};

/// Rewrites all partitions in `root`.
///
/// # Errors
/// `S9002` for one that the target has no instructions for.
pub(super) fn lower<'c>(
    context: &'c Context,
    root: Op<'c>,
    target: &Target,
) -> Result<(), Diagnostic> {
    for op in root.collect(|op| op.is(narrow::PARTITION)) {
        let ty = op.result(0).ty();
        let width = ty.element().bit_width().unwrap_or(0);
        let lanes = ty.shape().and_then(|shape| shape.first().copied()).unwrap_or(0);
        let permute = match (target.isa, lanes, width) {
            (Isa::Avx512, 16, 32) => "llvm.x86.avx512.permvar.si.512",
            (Isa::Avx512, 8, 64) => "llvm.x86.avx512.permvar.di.512",
            _ => {
                let reason = format!("the target does not partition `{ty}`");
                return Err(diagnostic_at(codes::S9002, op).reason(reason));
            }
        };
        let b = Builder::before(context, op);
        let (lane, mask) = (op.operand(0), op.operand(1));
        let bits = integer(context, lanes as u32);
        let selected = vector::bitcast(&b, mask, vector(&[1], bits)).value();
        let selected = vector::extract(&b, selected, &[], &[0], bits).value();
        let count = b.op(math::CTPOP).operand(selected).result(bits).value();
        let moved = b.cast(arith::EXTUI, count, ty.element());
        let moved = b.broadcast(moved, ty);
        let places = (0..lanes).flat_map(|lane| lane.to_le_bytes()[..width as usize / 8].to_vec());
        let Some(places) = dense_bytes(ty, &places.collect::<Vec<_>>()) else {
            return Err(diagnostic_at(codes::S9002, op).reason("MLIR refuses the places"));
        };
        let places = arith::constant(&b, places, ty).value();
        let places = b.same(arith::SUBI, &[places, moved]);
        let all = b.int(mask.ty(), -1);
        let other = b.same(arith::XORI, &[mask, all]);
        let compress = |rest, mask| {
            let name = "llvm.x86.avx512.mask.compress";
            llvm::call_intrinsic(&b, name, &[], &[ty]).args(&[lane, rest, mask]).value()
        };
        let others = compress(b.int(ty, 0), other);
        let moved = llvm::call_intrinsic(&b, permute, &[], &[ty]).args(&[others, places]).value();
        op.result(0).replace_all_uses_with(compress(moved, mask));
        let count = b.cast(arith::INDEX_CASTUI, count, index(context));
        op.result(1).replace_all_uses_with(count);
        op.erase();
    }
    Ok(())
}
