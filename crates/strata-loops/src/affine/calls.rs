//! Calls of outside functions take buffers.
//!
//! Before:
//! ```mlir
//! %into = tensor.empty() : tensor<3xf32>
//! %y = call @strata.call.0(%x, %into) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
//! ```
//! After:
//! ```mlir
//! %in = bufferization.to_buffer %x read_only : tensor<3xf32> to memref<3xf32>
//! %out = memref.alloc() : memref<3xf32>
//! call @strata.call.0(%in, %out) : (memref<3xf32>, memref<3xf32>) -> ()
//! %y = bufferization.to_tensor %out restrict writable : memref<3xf32> to tensor<3xf32>
//! ```
//! A destination that is an operand of the program (an alias) is written in place where that is legal,
//! and copied by bufferization where it is not.

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Builder, CALL, Context, Op, Type, TypeExt as _, Value, diagnostic_at,
    function, memref, type_attr, unit,
};

/// Gives buffers to the calls in `entry` of the functions that `root` declares.
///
/// # Errors
/// `S9002` for a call on something else than static tensors.
pub fn take_buffers<'c>(
    context: &'c Context,
    root: Op<'c>,
    entry: Op<'c>,
) -> Result<(), Diagnostic> {
    for declaration in declarations(root) {
        for call in calls_of(entry, declaration) {
            rewrite(context, call, declaration)?;
        }
    }
    Ok(())
}

/// The declarations of outside functions.
pub fn declarations<'c>(root: Op<'c>) -> Vec<Op<'c>> {
    root.body(0).ops().into_iter().filter(|op| op.has_attr(CALL)).collect()
}

/// The calls in `entry` of `declaration`.
pub fn calls_of<'c>(entry: Op<'c>, declaration: Op<'c>) -> Vec<Op<'c>> {
    let name = strata_ir::function_name(declaration);
    entry.collect(|op| {
        op.is("func.call") && op.attr("callee").and_then(|callee| callee.as_symbol()) == Some(name)
    })
}

fn rewrite<'c>(context: &'c Context, call: Op<'c>, declaration: Op<'c>) -> Result<(), Diagnostic> {
    let operands = call.operands();
    let Some(inputs) = operands.len().checked_sub(call.result_count()) else {
        return Err(diagnostic_at(codes::S9002, call).reason("a result has no destination"));
    };
    let builder = Builder::before(context, call);
    let mut buffers = Vec::with_capacity(operands.len());
    for (index, value) in operands.iter().enumerate() {
        buffers.push(buffer(&builder, call, *value, index >= inputs)?);
    }
    let types: Vec<_> = buffers.iter().map(|value| value.ty()).collect();
    builder.op("func.call").operands(&buffers).attrs(&call.attrs()).build();
    for (result, place) in call.results().into_iter().zip(&buffers[inputs..]) {
        let tensor = builder
            .op("bufferization.to_tensor")
            .operand(*place)
            .result(result.ty())
            .attrs(&[("restrict", unit(context)), ("writable", unit(context))])
            .value();
        result.replace_all_uses_with(tensor);
    }
    call.erase();
    declaration.set_attr("function_type", type_attr(function(context, &types, &[])));
    Ok(())
}

/// The buffer for one operand; a destination without content gets a new one.
fn buffer<'c>(
    builder: &Builder<'c>,
    call: Op<'c>,
    value: Value<'c>,
    written: bool,
) -> Result<Value<'c>, Diagnostic> {
    let ty = buffer_type(value.ty()).ok_or_else(|| {
        diagnostic_at(codes::S9002, call).reason(format!("`{}` is no static tensor", value.ty()))
    })?;
    if written && value.owner().is_some_and(|owner| owner.is("tensor.empty")) {
        let segments = strata_ir::i32s(builder.context, &[0, 0]);
        let alloc = builder.op("memref.alloc").attr("operandSegmentSizes", segments);
        return Ok(alloc.result(ty).value());
    }
    let view = builder.op("bufferization.to_buffer").operand(value).result(ty);
    Ok(if written { view } else { view.attr("read_only", unit(builder.context)) }.value())
}

fn buffer_type(ty: Type<'_>) -> Option<Type<'_>> {
    (ty.is_tensor_type() && ty.has_static_shape())
        .then(|| ty.shape())
        .flatten()
        .map(|shape| memref(&shape, ty.element()))
}

/// Lets calls write straight into an output of the program.
///
/// Before:
/// ```mlir
/// %place = memref.alloc() : memref<3xf32>
/// call @strata.call.0(%in, %place) : (memref<3xf32>, memref<3xf32>) -> ()
/// memref.copy %place, %out : memref<3xf32> to memref<3xf32>
/// ```
/// After:
/// ```mlir
/// call @strata.call.0(%in, %out) : (memref<3xf32>, memref<3xf32>) -> ()
/// ```
pub fn write_outputs(root: Op<'_>, entry: Op<'_>) {
    for declaration in declarations(root) {
        for call in calls_of(entry, declaration) {
            for place in call.operands() {
                write_output(entry, place);
            }
        }
    }
}

/// Replaces `place` by the output that it is copied to, where nothing else touches that output and
/// nothing touches `place` after the copy.
fn write_output<'c>(entry: Op<'c>, place: Value<'c>) -> Option<()> {
    let body = entry.region(0).first_block()?;
    let allocation =
        place.owner().filter(|op| op.is("memref.alloc") && op.block() == Some(body))?;
    let users: Vec<_> = place.uses().into_iter().map(|(user, _)| user).collect();
    let copy = users.iter().copied().find(|user| {
        user.is("memref.copy") && user.operand(0) == place && user.block() == Some(body)
    })?;
    let output = copy.operand(1);
    let is_argument = output.block_arg().is_some_and(|(block, _)| block == body);
    if !is_argument || !output.has_one_use() || output.ty() != place.ty() {
        return None;
    }
    let order = body.ops();
    let end = order.iter().position(|op| *op == copy)?;
    let before = |user: &Op<'c>| order[..=end].iter().any(|op| op == user || op.encloses(*user));
    if !aliases_users(place)?.iter().all(before) {
        return None;
    }
    copy.erase();
    place.replace_all_uses_with(output);
    allocation.erase();
    Some(())
}

/// What touches the buffer, through views as well; `None` where a name for it leaves the operation.
fn aliases_users<'c>(buffer: Value<'c>) -> Option<Vec<Op<'c>>> {
    let mut found = Vec::new();
    let mut work = vec![buffer];
    while let Some(value) = work.pop() {
        for (user, _) in value.uses() {
            if matches!(user.name(), "scf.yield" | "scf.condition" | "scf.for" | "scf.while") {
                return None;
            }
            found.push(user);
            work.extend(user.results().into_iter().filter(|one| one.ty().is_memref_type()));
        }
    }
    Some(found)
}
