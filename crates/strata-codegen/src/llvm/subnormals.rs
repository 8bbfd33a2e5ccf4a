//! Subnormal numbers as zeros (`--flush-subnormals`): what is called from outside tells the processor so, and restores its mode at the end.
//!
//! Before:
//! ```text
//! llvm.func @mlp_main(…) -> i32 { … llvm.return %status : i32 }
//! ```
//! After, on x86-64 (on AArch64 the mode is bits of `FPCR`):
//! ```text
//! llvm.func @mlp_main(…) -> i32 {
//!   llvm.call_intrinsic "llvm.x86.sse.stmxcsr"(%slot)
//!   %own = llvm.load %slot
//!   llvm.store (%own | 0x8040), %slot
//!   llvm.call_intrinsic "llvm.x86.sse.ldmxcsr"(%slot)
//!   …
//!   llvm.call_intrinsic "llvm.x86.sse.stmxcsr"(%slot)
//!   %now = llvm.load %slot                                        // flags that arithmetic raised stay
//!   llvm.store (%now & ~0x8040 | %own & 0x8040), %slot
//!   llvm.call_intrinsic "llvm.x86.sse.ldmxcsr"(%slot)
//!   llvm.return %status : i32
//! }
//! ```
//! So do the functions that an executor calls, on threads of its own.

use std::collections::BTreeSet;

use melior::ir::Module;
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Builder, Context, Op, Type, Value, function_name, int, integer, llvm,
    llvm_pointer, module_op,
};
use strata_target::Target;

/// Where a processor keeps the mode.
enum Register {
    /// `MXCSR` of x86-64, of 32 bits, which is moved to and from memory.
    Mxcsr,
    /// `FPCR` of AArch64, of 64 bits.
    Fpcr,
}

impl Register {
    /// # Errors
    /// `S0001` for another target.
    fn of(target: &Target) -> Result<Self, Diagnostic> {
        if target.triple.starts_with("x86_64") {
            Ok(Self::Mxcsr)
        } else if target.triple.starts_with("aarch64") {
            Ok(Self::Fpcr)
        } else {
            Err(Diagnostic::new(codes::S0001)
                .reason(format!("subnormal numbers cannot be flushed on `{}`", target.triple))
                .hint("x86-64 and AArch64 have a mode for it"))
        }
    }

    /// The bits that flush: of x86-64 operands (6) and results (15), of AArch64 both (24).
    fn flushes(&self) -> i64 {
        match self {
            Self::Mxcsr => 1 << 6 | 1 << 15,
            Self::Fpcr => 1 << 24,
        }
    }

    fn ty<'c>(&self, context: &'c Context) -> Type<'c> {
        match self {
            Self::Mxcsr => integer(context, 32),
            Self::Fpcr => integer(context, 64),
        }
    }

    fn read<'c>(&self, b: &Builder<'c>, slot: Value<'c>) -> Value<'c> {
        let ty = self.ty(b.context);
        match self {
            Self::Mxcsr => {
                llvm::call_intrinsic(b, "llvm.x86.sse.stmxcsr", &[], &[]).args(&[slot]).build();
                llvm::load(b, slot, ty).value()
            }
            Self::Fpcr => llvm::call_intrinsic(b, "llvm.aarch64.get.fpcr", &[], &[ty]).value(),
        }
    }

    fn write<'c>(&self, b: &Builder<'c>, slot: Value<'c>, mode: Value<'c>) {
        match self {
            Self::Mxcsr => {
                llvm::store(b, mode, slot).build();
                llvm::call_intrinsic(b, "llvm.x86.sse.ldmxcsr", &[], &[]).args(&[slot]).build();
            }
            Self::Fpcr => {
                llvm::call_intrinsic(b, "llvm.aarch64.set.fpcr", &[], &[]).args(&[mode]).build();
            }
        }
    }
}

/// Flushes in the function `exported`, and in those whose address is taken.
///
/// # Errors
/// `S0001` where the target has no mode for it.
pub(super) fn flush<'c>(
    context: &'c Context,
    module: &Module<'c>,
    exported: &str,
    target: &Target,
) -> Result<(), Diagnostic> {
    let register = Register::of(target)?;
    let root = module_op(module);
    let taken = root.collect(|op| op.is(llvm::MLIR_ADDRESSOF));
    let taken: BTreeSet<String> = taken
        .iter()
        .filter_map(|op| op.attr("global_name")?.as_symbol().map(str::to_owned))
        .collect();
    let functions = root.body(0).ops().into_iter().filter(|op| op.is(llvm::FUNC));
    for function in functions.filter(|op| op.region(0).first_block().is_some()) {
        let name = function_name(function);
        if name == exported || taken.contains(name) {
            flush_in(context, function, &register);
        }
    }
    Ok(())
}

fn flush_in<'c>(context: &'c Context, function: Op<'c>, register: &Register) {
    let Some(first) = function.region(0).first_block().and_then(|block| block.first_op()) else {
        return;
    };
    let (ty, flushes) = (register.ty(context), register.flushes());
    let constant = |b: &Builder<'c>, value| llvm::mlir_constant(b, int(ty, value), ty).value();
    let b = Builder::before(context, first);
    let word = integer(context, 64);
    let one = llvm::mlir_constant(&b, int(word, 1), word).value();
    let slot = llvm::alloca(&b, one, ty, llvm_pointer(context)).value();
    let own = register.read(&b, slot);
    register.write(&b, slot, llvm::or(&b, own, constant(&b, flushes)).value());
    let kept = llvm::and(&b, own, constant(&b, flushes)).value();
    for end in function.collect(|op| op.is(llvm::RETURN)) {
        let b = Builder::before(context, end);
        let others = llvm::and(&b, register.read(&b, slot), constant(&b, !flushes)).value();
        register.write(&b, slot, llvm::or(&b, others, kept).value());
    }
}
