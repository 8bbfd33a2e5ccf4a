//! The contract of stage `affine`.

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, ElementType, Module, Op, OpName, TASKS, Type, TypeExt as _, WORKSPACE_SIZE,
    WalkOrder, arith, constant_index, diagnostic_at, func, function_name, function_types,
    marked_entry, memref, module_op, scf,
};
use strata_options::Options;

use super::flights;

/// Checks the output contract: no tensor, no allocation, no linalg left; every buffer is an argument, a constant or a slice
/// of the workspace; the entry takes buffers
/// with the identity layout and a workspace of the recorded size; globals are constants; exchanges that may be under way have the same
/// buffers when they are waited for.
///
/// # Errors
/// `S9002` naming the first operation that violates it.
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
    broken.map_or(Ok(()), Err)?;
    flights::check(module_op(module))?;
    check_tasks(module_op(module))
}

/// A call of tasks covers all of them, with the first one's slot, and is not inside another task.
fn check_tasks(module: Op<'_>) -> Result<(), Diagnostic> {
    let functions = module.body(0).ops();
    let tasks = functions.iter().filter_map(|op| Some((function_name(*op), op.attr(TASKS)?)));
    let tasks: Vec<_> =
        tasks.map(|(name, count)| (name, count.as_i64().filter(|count| *count > 0))).collect();
    if tasks.is_empty() {
        return Ok(());
    }
    for call in module.collect(|op| op.is(func::CALL)) {
        let callee = call.attr("callee").and_then(|name| name.as_symbol());
        let Some((_, count)) = tasks.iter().find(|(name, _)| Some(*name) == callee) else {
            continue;
        };
        let broken = |reason: &str| Err(diagnostic_at(codes::S9002, call).reason(reason));
        let around = std::iter::successors(call.parent(), |op| op.parent());
        if around.into_iter().any(|op| op.has_attr(TASKS) && op.is(func::FUNC)) {
            return broken("tasks cannot start tasks");
        }
        let operands = call.operands();
        let range = operands.last_chunk::<3>().map(|range| range.map(constant_index));
        if count.is_none() || range != Some([Some(0), *count, Some(0)]) {
            return broken(
                "a call of tasks must cover all of them, from 0 to `strata.tasks`, with slot 0",
            );
        }
    }
    Ok(())
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
        return broken("the entry takes or returns something other than plain buffers");
    }
    let is_workspace = |ty: &strata_ir::Type<'_>| {
        ElementType::from_type(ty.element()) == Some(ElementType::Signed(8))
            && *ty == memref(&[size], ty.element())
    };
    if !inputs.last().is_some_and(is_workspace) {
        return broken("the entry's last argument is not the workspace");
    }
    Ok(())
}

/// Operations that give a constant, or one of the buffers that they are given or a slice of it.
const PASSED_ON: &[OpName<'static>] = &[
    arith::SELECT,
    memref::CAST,
    memref::COLLAPSE_SHAPE,
    memref::EXPAND_SHAPE,
    memref::GET_GLOBAL,
    memref::REINTERPRET_CAST,
    memref::SUBVIEW,
    scf::FOR,
    scf::IF,
    scf::INDEX_SWITCH,
    scf::WHILE,
];

fn makes_buffer(op: Op<'_>) -> bool {
    op.results().iter().any(|value| value.ty().is_memref_type())
}

/// Whether a slice of the workspace ends outside of it. Offsets that are not constant are those of other slices, loop-carried, or
/// depend on the slot of a task; the interpreter checks these.
fn is_outside(view: Op<'_>) -> bool {
    let bytes = |ty: Type<'_>| ty.element_count()?.checked_mul(ty.element().byte_width()?);
    let Some(offset) = constant_index(view.operand(1)) else { return false };
    let (part, whole) = (bytes(view.result(0).ty()), bytes(view.operand(0).ty()));
    let (Some(part), Some(whole)) = (part, whole) else { return offset < 0 };
    u64::try_from(offset)
        .ok()
        .and_then(|offset| offset.checked_add(part))
        .is_none_or(|end| end > whole)
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
        func::CALL
            if op.operands().iter().any(|one| one.ty().is_memref_type() && !is_dense(one.ty())) =>
        {
            Some("the operand of an external call is a slice, but only its pointer is passed")
        }
        memref::ALLOC | memref::ALLOCA | memref::DEALLOC | memref::REALLOC => {
            Some("a buffer is not in the memory plan")
        }
        memref::GLOBAL if !op.has_attr("constant") => Some("a global is not constant"),
        memref::VIEW if is_outside(op) => Some("a buffer ends outside the workspace"),
        memref::VIEW => None,
        name if makes_buffer(op) && !PASSED_ON.contains(&name) => {
            Some("a buffer is not an argument, not a constant and has no offset in the workspace")
        }
        _ => match op.dialect() {
            "linalg" | "tensor" | "bufferization" => Some("the operation should have been lowered"),
            _ => None,
        },
    }
}
