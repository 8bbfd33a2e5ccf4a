//! Entries with dynamic shapes: the functions that they call, and their buffers as pointers.
//!
//! ```mlir
//! func.func @main(%x: memref<?xi8>, …) { … }
//! ```
//! becomes
//! ```mlir
//! func.func @main(%x: !llvm.ptr, …) {
//!   %0 = llvm.mlir.undef : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
//!   %1 = llvm.insertvalue %x, %0[0] : …
//!   …
//!   %5 = builtin.unrealized_conversion_cast %4 : … to memref<?xi8>
//! ```
//! A pointer says all of a memref only where its shape is static. How many bytes such a buffer has is not asked.

use melior::{Context, ir::Module};
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Builder, DISPATCH, DYNAMIC, Op, Type, Value, builtin, diagnostic_at, func,
    function, function_name, int, integer, llvm, llvm_pointer, marked_entry, memref, module_op,
    parse_type, string, symbol, type_attr,
};
use strata_shapes::Specializations;

use crate::symbols::Symbols;

/// What a memref of bytes is in the LLVM dialect.
const DESCRIPTOR: &str = "!llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>";

/// The functions with code of a program: the entry, or what an entry with dynamic shapes calls, and that entry last. Each calls those
/// before it only.
pub(super) fn kernels<'c>(module: &Module<'c>) -> Result<Vec<Op<'c>>, Diagnostic> {
    let mut all = Specializations::functions(module);
    let entry = marked_entry(module)?;
    all.extend(copying(module, entry));
    all.push(entry);
    Ok(all)
}

/// The functions beside an entry with dynamic shapes that choose among functions for given sizes, too.
fn copying<'c>(module: &Module<'c>, entry: Op<'c>) -> Vec<Op<'c>> {
    let all = module_op(module).body(0).ops().into_iter();
    all.filter(|op| *op != entry && op.has_attr(DISPATCH)).collect()
}

/// The calls of such functions in another one.
pub(super) fn calls<'c>(caller: Op<'c>, kernels: &[Op<'c>]) -> Vec<Op<'c>> {
    let names: Vec<_> = kernels.iter().map(|kernel| function_name(*kernel)).collect();
    caller.collect(|op| {
        let callee = op.attr("callee").and_then(|callee| callee.as_symbol());
        callee.is_some_and(|name| names.contains(&name))
    })
}

/// Gives the functions for given sizes names that no other program of an object has.
pub(super) fn rename<'c>(
    context: &'c Context,
    module: &Module<'c>,
    entry: Op<'c>,
    symbols: &Symbols,
) {
    let mut all = Specializations::functions(module);
    let copying = copying(module, entry);
    all.extend(&copying);
    let callers = copying.iter().chain([&entry]);
    let calls: Vec<_> = callers.flat_map(|caller| calls(*caller, &all)).collect();
    let prefix = format!("{}.", function_name(entry));
    for kernel in all {
        let old = function_name(kernel).to_owned();
        let Some(label) = old.strip_prefix(&prefix) else { continue };
        let new = format!("{}.{label}", symbols.entry);
        for call in &calls {
            let callee = call.attr("callee").and_then(|callee| callee.as_symbol());
            if callee == Some(old.as_str()) {
                call.set_attr("callee", symbol(context, &new));
            }
        }
        kernel.set_attr("sym_name", string(context, &new));
    }
}

/// Makes the buffers of bytes that functions take pointers: those of an entry with dynamic shapes, and what functions that it calls
/// take in place.
///
/// # Errors
/// `S9001` if the type of a memref in the LLVM dialect does not parse.
pub(super) fn take_pointers<'c>(
    context: &'c Context,
    module: &Module<'c>,
) -> Result<(), Diagnostic> {
    let entry = marked_entry(module)?;
    if !entry.has_attr(DISPATCH) || !entry.is(func::FUNC) {
        return Ok(());
    }
    let broken = |why: &str| diagnostic_at(codes::S9001, entry).reason(why);
    let descriptor = parse_type(context, DESCRIPTOR).ok_or_else(|| broken("no descriptor"))?;
    let buffer = memref(&[DYNAMIC], integer(context, 8));
    let mut changed = Vec::new();
    for each in module_op(module).body(0).ops().into_iter().filter(|op| op.is(func::FUNC)) {
        let Some(body) = each.region(0).first_block() else { continue };
        let old = body.args();
        if old.iter().all(|argument| argument.ty() != buffer) {
            continue;
        }
        for argument in &old {
            let is_open = argument.ty() == buffer;
            let ty = if is_open { llvm_pointer(context) } else { argument.ty() };
            let new = body.add_arg(ty, argument.location());
            let value = match is_open {
                true => memref_of(
                    &Builder::at_start(context, body, each.location()),
                    new,
                    [descriptor, buffer],
                ),
                false => new,
            };
            argument.replace_all_uses_with(value);
        }
        for index in (0..old.len()).rev() {
            body.erase_arg(index);
        }
        let types: Vec<_> = body.args().into_iter().map(Value::ty).collect();
        each.set_attr("function_type", type_attr(function(context, &types, &[])));
        changed.push(function_name(each).to_owned());
    }
    for call in module_op(module).collect(|op| op.is(func::CALL)) {
        let callee = call.attr("callee").and_then(|callee| callee.as_symbol());
        if !callee.is_some_and(|name| changed.iter().any(|own| own == name)) {
            continue;
        }
        let before = Builder::before(context, call);
        for (at, operand) in call.operands().into_iter().enumerate() {
            if operand.ty() == buffer {
                call.set_operand(at, pointer_of(&before, operand, descriptor));
            }
        }
    }
    Ok(())
}

/// The pointer to the first byte of a memref of bytes.
fn pointer_of<'c>(builder: &Builder<'c>, buffer: Value<'c>, descriptor: Type<'c>) -> Value<'c> {
    let whole = builder.cast(builtin::UNREALIZED_CONVERSION_CAST, buffer, descriptor);
    llvm::extractvalue(builder, whole, &[1], llvm_pointer(builder.context)).value()
}

/// The memref of bytes at a pointer.
fn memref_of<'c>(
    builder: &Builder<'c>,
    pointer: Value<'c>,
    [descriptor, buffer]: [Type<'c>; 2],
) -> Value<'c> {
    let word = integer(builder.context, 64);
    let number = |value| llvm::mlir_constant(builder, int(word, value), word).value();
    let fields: [(Value<'c>, &[i64]); 5] = [
        (pointer, &[0]),
        (pointer, &[1]),
        (number(0), &[2]),
        (number(i64::MAX), &[3, 0]),
        (number(1), &[4, 0]),
    ];
    let start = llvm::mlir_undef(builder, descriptor).value();
    let whole = fields.into_iter().fold(start, |whole, (field, place)| {
        llvm::insertvalue(builder, whole, field, place, descriptor).value()
    });
    builder.cast(builtin::UNREALIZED_CONVERSION_CAST, whole, buffer)
}
