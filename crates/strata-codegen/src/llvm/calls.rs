//! External calls: the definition of each declaration, and the early return from the program when one
//! of them fails.
//!
//! ```mlir
//! llvm.func @strata.call.0(!llvm.ptr, !llvm.ptr) attributes {strata.call = {target = "mine", …}}
//! llvm.func @mlp_main.kernel(%x: !llvm.ptr, %out: !llvm.ptr, %workspace: !llvm.ptr) {
//!   llvm.call @strata.call.0(%x, %out) : (!llvm.ptr, !llvm.ptr) -> ()
//!   …
//! ```
//! becomes
//! ```mlir
//! llvm.func @mine(!llvm.ptr, !llvm.ptr) -> i32
//! llvm.func internal @strata.call.0(%x: !llvm.ptr, %out: !llvm.ptr, %executor: !llvm.ptr) -> i32 {
//!   … llvm.call @mine(%out, %in) …
//! }
//! llvm.func @mlp_main.kernel(…, %executor: !llvm.ptr) -> i32 {
//!   %status = llvm.call @strata.call.0(%x, %out, %executor) : (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
//!   %failed = llvm.icmp "ne" %status, %ok : i32
//!   llvm.cond_br %failed, ^exit(%status : i32), ^on
//! ^on:
//!   …
//! ^exit(%code: i32):
//!   llvm.return %code : i32
//! ```

use std::collections::BTreeMap;

use melior::{Context, ir::Module};
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Builder, CALL, Convention, Devices, Exchange, ExternalCall, Op, Phase, Value, diagnostic_at,
    int, integer, llvm, llvm_function, llvm_pointer, module_op, parse_text, type_attr,
};
use strata_options::Options;

use super::{TargetMarks, call_text, dispatch, tasks};
use crate::{emit::is_allowed, reserved_names, runtime, symbols::Symbols};

/// Defines the external calls of the program, including the executor's callbacks.
///
/// # Errors
/// `S1202` for a target that is called with two conventions or collides with a symbol of the object.
pub(super) fn define<'c>(
    context: &'c Context,
    module: &Module<'c>,
    symbols: &Symbols,
    options: &Options,
) -> Result<Leaving, Diagnostic> {
    let kernels = dispatch::kernels(module)?;
    let calls_of = |declaration: Op<'c>| -> Vec<(Op<'c>, Op<'c>)> {
        let calls = |kernel: &Op<'c>| {
            let own = calls_of(*kernel, declaration).into_iter();
            let kernel = *kernel;
            own.map(move |call| (kernel, call))
        };
        kernels.iter().flat_map(calls).collect()
    };
    let root = module_op(module);
    let mut targets = BTreeMap::new();
    let (mut any, mut devices, mut starting) = (false, None, Vec::new());
    let declared = root.body(0).ops().into_iter().filter(|op| op.has_attr(CALL));
    let declared: Vec<_> = declared.collect();
    for declaration in declared {
        let calls = calls_of(declaration);
        if calls.is_empty() {
            declaration.erase();
            continue;
        }
        let Some(call) = ExternalCall::of(declaration) else { continue };
        let call = call?;
        check_target(root, symbols, declaration, &call, &mut targets)?;
        if let Some(exchange) = Exchange::of(&call)
            && devices.is_none()
        {
            devices = Some(exchange.devices);
            let text = call_text::devices(exchange.devices);
            insert(context, module, declaration, &text, options)?;
        }
        let begins =
            Exchange::of(&call).is_some_and(|it| matches!(it.phase, Some((Phase::Start, _))));
        if begins && starting.is_empty() {
            insert(context, module, declaration, &call_text::abandon(), options)?;
        }
        add(context, module, declaration, &call, options)?;
        if !any {
            take_executors(context, &kernels)?;
            any = true;
        }
        for (kernel, call) in calls {
            leave_on_failure(context, kernel, call)?;
            if begins && !starting.contains(&kernel) {
                starting.push(kernel);
            }
        }
    }
    for kernel in starting {
        abandon_on_failure(context, kernel)?;
    }
    for (target, convention) in targets {
        declare(context, root, &target, convention)?;
    }
    let own = tasks::of(module);
    if !own.is_empty() {
        if !any {
            take_executors(context, &kernels)?;
        }
        tasks::define(context, module, &kernels, &own, options)?;
    }
    Ok(Leaving { any: any || !own.is_empty(), devices })
}

/// All functions with code get the executor; an entry with dynamic shapes passes it on, and stops where one of the others fails.
fn take_executors<'c>(context: &'c Context, kernels: &[Op<'c>]) -> Result<(), Diagnostic> {
    for kernel in kernels {
        take_executor(context, *kernel)?;
    }
    for kernel in kernels {
        for call in dispatch::calls(*kernel, kernels) {
            leave_on_failure(context, *kernel, call)?;
        }
    }
    Ok(())
}

/// What makes the kernel take the executor and return a status.
pub(super) struct Leaving {
    /// Whether something does.
    pub any: bool,
    /// The devices that the program is for, if it exchanges values with others.
    pub devices: Option<Devices>,
}

fn calls_of<'c>(kernel: Op<'c>, declaration: Op<'c>) -> Vec<Op<'c>> {
    let name = strata_ir::function_name(declaration);
    kernel.collect(|op| op.cast::<llvm::Call>().and_then(llvm::Call::callee) == Some(name))
}

/// A symbol has one type.
fn check_target(
    root: Op<'_>,
    symbols: &Symbols,
    declaration: Op<'_>,
    call: &ExternalCall<'_>,
    targets: &mut BTreeMap<String, Convention>,
) -> Result<(), Diagnostic> {
    if !call.convention.is_symbol() {
        return Ok(());
    }
    let refused = |reason: String| Err(diagnostic_at(codes::S1202, declaration).reason(reason));
    let target = &call.target;
    let known = targets.insert(target.clone(), call.convention);
    if known.is_some_and(|convention| convention != call.convention) {
        return refused(format!("`{target}` is called with two versions of the interface"));
    }
    let defined = root.body(0).ops().iter().any(|op| strata_ir::function_name(*op) == target);
    if defined || symbols.is_reserved(target) {
        return refused(format!("the object itself defines `{target}`"));
    }
    let is_library = reserved_names::is_of_library(target) || is_allowed(target, false);
    if is_library || runtime::defines(target) {
        return refused(format!("`{target}` is a name of the C library or the compiler's"));
    }
    if reserved_names::is_keyword(target) {
        return refused(format!("`{target}` is a keyword of C"));
    }
    if reserved_names::is_of_header(target) {
        return refused(format!("`{target}` is already defined in the header of every object"));
    }
    Ok(())
}

/// Replaces a declaration by a definition.
fn add<'c>(
    context: &'c Context,
    module: &Module<'c>,
    declaration: Op<'c>,
    call: &ExternalCall<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    let name = strata_ir::function_name(declaration).to_owned();
    let combined = Exchange::of(call).and_then(|exchange| exchange.reduction);
    let combined = combined.map(|(_, function)| combined_type(module, &function));
    let text = call_text::function(&name, call, combined.transpose()?.as_deref());
    insert(context, module, declaration, &text, options)?;
    declaration.erase();
    Ok(())
}

/// The type that the function of a reduction takes.
fn combined_type(module: &Module<'_>, function: &str) -> Result<String, Diagnostic> {
    let root = module_op(module);
    let functions = root.body(0).ops();
    let found = functions.iter().find(|op| strata_ir::function_name(**op) == function);
    let argument = found.and_then(|op| op.region(0).first_block()?.args().first().copied());
    let argument = argument.ok_or_else(|| {
        diagnostic_at(codes::S9002, root).reason(format!("there is no function `@{function}`"))
    })?;
    Ok(argument.ty().to_string())
}

/// Adds what `text` defines: functions with a body, and constants.
fn insert<'c>(
    context: &'c Context,
    module: &Module<'c>,
    declaration: Op<'c>,
    text: &str,
    options: &Options,
) -> Result<(), Diagnostic> {
    let parsed = parse_text(context, text)?;
    let builder = Builder::at_end(context, module_op(module).body(0), declaration.location());
    let description = declaration.attr(CALL);
    let name = strata_ir::function_name(declaration);
    let marks = TargetMarks::of(context, options)?;
    for op in module_op(&parsed).body(0).ops() {
        let is_function = op.is(llvm::FUNC);
        // The target is declared once for all its callers.
        if is_function && op.region(0).first_block().is_none() {
            continue;
        }
        let copy = builder.insert(op.clone_detached());
        if is_function {
            marks.set(copy);
            if let Some(description) = description.filter(|_| strata_ir::function_name(op) == name)
            {
                copy.set_attr(CALL, description);
            }
        }
    }
    Ok(())
}

/// Declares a target, marked as an allowed undefined symbol.
fn declare<'c>(
    context: &'c Context,
    root: Op<'c>,
    target: &str,
    convention: Convention,
) -> Result<(), Diagnostic> {
    let parsed = parse_text(context, &call_text::declaration(target, convention))?;
    for op in module_op(&parsed).body(0).ops() {
        Builder::at_end(context, root.body(0), root.location()).insert(op.clone_detached());
    }
    Ok(())
}

/// The kernel gets the executor as its last argument and returns a status.
fn take_executor<'c>(context: &'c Context, kernel: Op<'c>) -> Result<(), Diagnostic> {
    let broken = || diagnostic_at(codes::S9001, kernel).reason("the kernel has no body");
    let pointer = llvm_pointer(context);
    let body = kernel.region(0).first_block().ok_or_else(broken)?;
    body.add_arg(pointer, kernel.location());
    let word = integer(context, 32);
    let ty = llvm_function(word, &vec![pointer; body.arg_count()]);
    kernel.set_attr("function_type", type_attr(ty));
    for end in kernel.collect(|op| op.is(llvm::RETURN)) {
        let builder = Builder::before(context, end);
        let zero = constant(&builder, 0);
        llvm::return_(&builder).arg(&[zero]).build();
        end.erase();
    }
    let exit = kernel.region(0).add_block();
    let code = exit.add_arg(word, kernel.location());
    let end = Builder::at_end(context, exit, kernel.location());
    llvm::return_(&end).arg(&[code]).build();
    Ok(())
}

/// Passes the executor to a call, and returns from the kernel if its status is not 0.
fn leave_on_failure<'c>(
    context: &'c Context,
    kernel: Op<'c>,
    call: Op<'c>,
) -> Result<(), Diagnostic> {
    let broken = || diagnostic_at(codes::S9001, call).reason("the call is not in the kernel");
    let blocks = kernel.region(0).blocks();
    let (Some(first), Some(exit)) = (blocks.first(), blocks.last()) else { return Err(broken()) };
    let block = call.block().ok_or_else(broken)?;
    let next = call.next().ok_or_else(broken)?;
    let executor = first.args().last().copied().ok_or_else(broken)?;
    let operands = [call.operands(), vec![executor]].concat();
    let builder = Builder::before(context, call);
    let status = llvm::call(&builder, &[], &[integer(context, 32)])
        .callee_operands(&operands)
        .attrs(&call.attrs())
        .value();
    let ok = constant(&builder, 0);
    let bit = integer(context, 1);
    let failed = llvm::icmp(&builder, llvm::ICmpPredicate::Ne, status, ok, bit).value();
    call.erase();
    let on = block.split_before(next);
    let end = Builder::at_end(context, block, builder.location);
    llvm::cond_br(&end, failed, *exit, on)
        .true_dest_operands(&[status])
        .branch_weights(&[0, 1])
        .build();
    Ok(())
}

/// Where the kernel leaves early, ends the exchanges that it has under way.
fn abandon_on_failure<'c>(context: &'c Context, kernel: Op<'c>) -> Result<(), Diagnostic> {
    let broken = || diagnostic_at(codes::S9001, kernel).reason("the kernel has no exit");
    let blocks = kernel.region(0).blocks();
    let (Some(first), Some(exit)) = (blocks.first(), blocks.last()) else { return Err(broken()) };
    let executor = first.args().last().copied().ok_or_else(broken)?;
    let builder = Builder::before(context, exit.terminator().ok_or_else(broken)?);
    llvm::call(&builder, &[], &[]).callee(call_text::ABANDON).callee_operands(&[executor]).build();
    Ok(())
}

fn constant<'c>(builder: &Builder<'c>, value: i64) -> Value<'c> {
    let word = integer(builder.context, 32);
    llvm::mlir_constant(builder, int(word, value), word).value()
}
