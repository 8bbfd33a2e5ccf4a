//! Programs with many buffers: the kernel takes the arrays of pointers instead of the pointers.
//!
//! ```mlir
//! llvm.func internal @mlp_main.kernel(%0: !llvm.ptr, …, %299: !llvm.ptr, %workspace: !llvm.ptr) {
//!   llvm.call @strata.kernel.0(%0, %workspace) : (!llvm.ptr, !llvm.ptr) -> ()
//! ```
//! becomes
//! ```mlir
//! llvm.func internal @mlp_main.kernel(%workspace: !llvm.ptr, %inputs: !llvm.ptr, %outputs: !llvm.ptr) {
//!   %at = llvm.getelementptr %inputs[0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
//!   %0 = llvm.load %at invariant : !llvm.ptr -> !llvm.ptr
//!   llvm.call @strata.kernel.0(%0, %workspace) : (!llvm.ptr, !llvm.ptr) -> ()
//! ```
//! LLVM takes more than linear time for a function with thousands of arguments, and for a block that loads them all.

use melior::Context;
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Builder, Op, Value, diagnostic_at, llvm, llvm_function, llvm_pointer, llvm_void, type_attr,
};
use strata_target::tuning::kernels::MAX_BUFFERS;

use super::{Entry, kept_inputs};

/// The pointers of an array that the kernel has as arguments, in their order.
type Places = Vec<usize>;

/// Whether the kernel of a program takes arrays. Functions for given sizes are called with buffers that may be copies.
pub(super) fn are_taken(entry: &Entry) -> bool {
    entry.specializations.is_none()
        && entry.signature.inputs.len() + entry.signature.outputs.len() > MAX_BUFFERS
}

/// Makes the kernel take the array of the inputs and that of the outputs as its last arguments; `leaves` says that it returns a
/// status.
///
/// # Errors
/// `S9002` for a kernel without an argument for each buffer.
pub(super) fn take<'c>(
    context: &'c Context,
    kernel: Op<'c>,
    entry: &Entry,
    leaves: bool,
) -> Result<(), Diagnostic> {
    let broken = |reason: &str| diagnostic_at(codes::S9002, kernel).reason(reason);
    let body = kernel.region(0).first_block().ok_or_else(|| broken("the kernel has no body"))?;
    let pointer = llvm_pointer(context);
    let places: [Places; 2] =
        [kept_inputs(&entry.signature), (0..entry.signature.outputs.len()).collect()];
    let count = places.iter().map(Vec::len).sum::<usize>();
    let old = body.args();
    if old.len() <= count {
        return Err(broken("the kernel has fewer arguments than buffers"));
    }
    let mut buffers = old[..count].iter();
    for list in &places {
        let array = body.add_arg(pointer, kernel.location());
        for (place, buffer) in list.iter().zip(&mut buffers) {
            load_where_used(context, array, *place, *buffer);
        }
    }
    for index in (0..count).rev() {
        body.erase_arg(index);
    }
    let result = match leaves {
        true => strata_ir::integer(context, 32),
        false => llvm_void(context),
    };
    let ty = llvm_function(result, &vec![pointer; body.arg_count()]);
    kernel.set_attr("function_type", type_attr(ty));
    Ok(())
}

/// Replaces a buffer by the pointer at `place` in `array`, which each user loads: where all are loaded at once, all are live.
fn load_where_used<'c>(context: &'c Context, array: Value<'c>, place: usize, buffer: Value<'c>) {
    let pointer = llvm_pointer(context);
    let mut known: Option<(Op<'c>, Value<'c>)> = None;
    for (user, operand) in buffer.uses() {
        let loaded = match known {
            Some((before, loaded)) if before == user => loaded,
            _ => {
                let builder = Builder::before(context, user);
                let index = [i32::try_from(place).unwrap_or(i32::MAX)];
                let at =
                    llvm::getelementptr(&builder, array, &[], &index, pointer, pointer).value();
                llvm::load(&builder, at, pointer).invariant().value()
            }
        };
        known = Some((user, loaded));
        user.set_operand(operand, loaded);
    }
}

/// What the kernel may assume of the two arrays.
pub(super) fn promises(entry: &Entry) -> [String; 2] {
    let array = |count: usize| match count {
        // An array without elements may be NULL.
        0 => "{llvm.noundef}".to_owned(),
        _ => format!(
            "{{llvm.align = 8 : i64, llvm.dereferenceable = {} : i64, llvm.noalias, llvm.noundef, llvm.readonly}}",
            8 * count
        ),
    };
    [array(entry.signature.inputs.len()), array(entry.signature.outputs.len())]
}
