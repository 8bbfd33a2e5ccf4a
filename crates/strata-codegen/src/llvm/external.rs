//! External constants: the kernel takes a pointer to all of them.
//!
//! ```mlir
//! llvm.func internal @mlp_main.kernel(…, %workspace: !llvm.ptr) {
//!   %0 = llvm.mlir.addressof @c : !llvm.ptr
//! ```
//! becomes
//! ```mlir
//! llvm.func internal @mlp_main.kernel(…, %workspace: !llvm.ptr, %weights: !llvm.ptr)
//!     attributes {strata.weights = array<i64: …>} {
//!   %offset = llvm.mlir.constant(64 : i64) : i64
//!   %0 = llvm.getelementptr %weights[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
//! ```
//! The constants stay in the module, unused, so that its text still contains them.

use melior::{Context, ir::Module};
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Builder, Op, WeightsFile, diagnostic_at, i64s, int, integer, llvm,
    llvm_function, llvm_pointer, llvm_void, module_op, type_attr,
};
use strata_options::SharedWeights;

use super::dispatch;
use crate::weights::{ATTRIBUTE, Outside, plan_file};

/// Marks an index of `llvm.getelementptr` that is an operand.
const IS_OPERAND: i32 = i32::MIN;

/// Makes the kernel take its large constants as an additional last argument; `shared` has their offsets if several
/// programs share a file.
pub(super) fn take_pointer<'c>(
    context: &'c Context,
    module: &Module<'c>,
    shared: Option<&SharedWeights>,
) -> Result<Option<WeightsFile>, Diagnostic> {
    let Some((file, places)) = plan_file(module, shared)? else { return Ok(None) };
    let kernels = dispatch::kernels(module)?;
    let pointer = llvm_pointer(context);
    let mut all = Vec::new();
    for kernel in &kernels {
        let broken = || diagnostic_at(codes::S9002, *kernel).reason("the kernel has no body");
        let body = kernel.region(0).first_block().ok_or_else(broken)?;
        all.push((*kernel, body.add_arg(pointer, kernel.location())));
        let ty = llvm_function(llvm_void(context), &vec![pointer; body.arg_count()]);
        kernel.set_attr("function_type", type_attr(ty));
    }
    if let Some((entry, _)) = all.last() {
        entry.set_attr(ATTRIBUTE, i64s(context, &file.numbers()));
    }
    for (kernel, weights) in &all {
        for call in dispatch::calls(*kernel, &kernels) {
            let operands = [call.operands(), vec![*weights]].concat();
            let builder = Builder::before(context, call);
            llvm::call(&builder, &[], &[]).callee_operands(&operands).attrs(&call.attrs()).build();
            call.erase();
        }
    }
    let (byte, word) = (integer(context, 8), integer(context, 64));
    for Outside { global, offset } in places {
        let name = global.attr("sym_name").and_then(|name| name.as_str()).unwrap_or_default();
        for user in addresses_of(module, name) {
            let around = all.iter().find(|(kernel, _)| kernel.encloses(user));
            let Some((_, weights)) = around.copied() else {
                return Err(diagnostic_at(codes::S9002, user)
                    .reason(format!("`@{name}` is read outside of the kernel")));
            };
            let builder = Builder::before(context, user);
            let at = llvm::mlir_constant(&builder, int(word, offset as i64), word).value();
            let indices = [IS_OPERAND];
            let address =
                llvm::getelementptr(&builder, weights, &[at], &indices, byte, pointer).value();
            user.result(0).replace_all_uses_with(address);
            user.erase();
        }
    }
    Ok(Some(file))
}

fn addresses_of<'c>(module: &Module<'c>, name: &str) -> Vec<Op<'c>> {
    module_op(module).collect(|op| {
        op.cast::<llvm::MlirAddressof>().and_then(|address| address.global_name()) == Some(name)
    })
}
