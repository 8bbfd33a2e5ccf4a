//! What holds at the end of stage `affine`.

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Module, Op, Options, Type, TypeExt as _, WORKSPACE_SIZE, WalkOrder,
    diagnostic_at, function_types, marked_entry, memref, module_op,
};

/// Checks the output contract: no tensor, no allocation, no linalg left; the entry takes buffers
/// with the identity layout and a workspace of the recorded size; globals are constants.
///
/// # Errors
/// `S9002` naming the first operation that breaks it.
pub fn check(module: &Module<'_>, _options: &Options) -> Result<(), Diagnostic> {
    let entry = marked_entry(module)?;
    check_signature(entry)?;
    let mut broken = None;
    module_op(module).walk(WalkOrder::Pre, &mut |op| {
        if broken.is_none()
            && let Some(reason) = violation(op)
        {
            broken = Some(diagnostic_at(codes::S9002, op).reason(reason));
        }
    });
    broken.map_or(Ok(()), Err)
}

fn check_signature(entry: Op<'_>) -> Result<(), Diagnostic> {
    let broken = |reason: &str| Err(diagnostic_at(codes::S9002, entry).reason(reason));
    let Some((inputs, results)) =
        entry.attr("function_type").and_then(|ty| ty.as_type()).and_then(function_types)
    else {
        return broken("the entry is not a function");
    };
    let Some(size) = entry.attr(WORKSPACE_SIZE).and_then(|size| size.as_i64()) else {
        return broken("the entry does not record its workspace size");
    };
    let identity = |ty: &strata_ir::Type<'_>| {
        ty.is_memref_type() && ty.shape().is_some_and(|shape| *ty == memref(&shape, ty.element()))
    };
    if !results.is_empty() || !inputs.iter().all(identity) {
        return broken("the entry takes or returns something else than plain buffers");
    }
    let is_workspace = |ty: &strata_ir::Type<'_>| {
        ty.element().to_string() == "i8" && *ty == memref(&[size], ty.element())
    };
    if !inputs.last().is_some_and(is_workspace) {
        return broken("the entry's last argument is not the workspace");
    }
    Ok(())
}

fn violation(op: Op<'_>) -> Option<&'static str> {
    let on_tensors =
        op.results().iter().chain(&op.operands()).any(|value| value.ty().is_tensor_type());
    if on_tensors {
        return Some("a tensor has no buffer");
    }
    let is_dense =
        |ty: Type<'_>| ty.shape().is_some_and(|shape| ty == memref(&shape, ty.element()));
    match op.name() {
        "func.call"
            if op.operands().iter().any(|one| one.ty().is_memref_type() && !is_dense(one.ty())) =>
        {
            Some("a call is given a slice, of which it gets the pointer only")
        }
        "memref.alloc" | "memref.alloca" | "memref.dealloc" | "memref.realloc" => {
            Some("a buffer is outside the memory plan")
        }
        "memref.global" if !op.has_attr("constant") => Some("a global can be written"),
        _ => match op.dialect() {
            "linalg" | "tensor" | "bufferization" => Some("the operation should be gone by now"),
            _ => None,
        },
    }
}
