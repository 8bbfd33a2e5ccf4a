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
    AttributeExt as _, Builder, Op, SharedWeights, WeightsFile, diagnostic_at, i32s, i64s, int,
    integer, marked_entry, module_op, parse_type, type_attr,
};

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
    let kernel = marked_entry(module)?;
    let broken = |reason: &str| diagnostic_at(codes::S9002, kernel).reason(reason);
    let pointer = parse_type(context, "!llvm.ptr").ok_or_else(|| broken("no pointer type"))?;
    let body = kernel.region(0).first_block().ok_or_else(|| broken("the kernel has no body"))?;
    let weights = body.add_arg(pointer, kernel.location());
    let list = vec!["ptr"; body.arg_count()].join(", ");
    let ty = parse_type(context, &format!("!llvm.func<void ({list})>"))
        .ok_or_else(|| broken("no function type"))?;
    kernel.set_attr("function_type", type_attr(ty));
    kernel.set_attr(ATTRIBUTE, i64s(context, &file.numbers()));
    let byte = type_attr(integer(context, 8));
    for Outside { global, offset } in places {
        let name = global.attr("sym_name").and_then(|name| name.as_str()).unwrap_or_default();
        for user in addresses_of(module, name) {
            if !kernel.encloses(user) {
                return Err(diagnostic_at(codes::S9002, user)
                    .reason(format!("`@{name}` is read outside of the kernel")));
            }
            let builder = Builder::before(context, user);
            let word = integer(context, 64);
            let at = builder
                .op("llvm.mlir.constant")
                .attr("value", int(word, offset as i64))
                .result(word)
                .value();
            let address = builder
                .op("llvm.getelementptr")
                .operands(&[weights, at])
                .attr("rawConstantIndices", i32s(context, &[IS_OPERAND]))
                .attr("elem_type", byte)
                .result(pointer)
                .value();
            user.result(0).replace_all_uses_with(address);
            user.erase();
        }
    }
    Ok(Some(file))
}

fn addresses_of<'c>(module: &Module<'c>, name: &str) -> Vec<Op<'c>> {
    module_op(module).collect(|op| {
        op.is("llvm.mlir.addressof")
            && op.attr("global_name").and_then(|symbol| symbol.as_symbol()) == Some(name)
    })
}
