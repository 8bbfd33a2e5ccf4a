//! Tasks on the caller's threads.
//!
//! ```mlir
//! llvm.func @strata.kernel.0(%x: !llvm.ptr, %begin: i64, %end: i64, %slot: i64) attributes {strata.tasks = 16}
//! llvm.func @mlp_main.kernel(…) { llvm.call @strata.kernel.0(%x, %c0, %c16, %c0) … }
//! ```
//! becomes a call of `@strata.kernel.0.run`, which passes the tasks to the executor's `parallel_for`, if there is one with several
//! threads, and runs them all itself otherwise. Each range of tasks uses the slot of its first task; ranges are disjoint.
//!
//! Where each range of some tasks that follow each other repeats work or has memory of its own ([`PARTS`]), the executor gets groups of
//! them ([`GROUPS`]). With few threads nothing is repeated, with many all have work.

use std::{collections::BTreeMap, fmt::Write as _};

use melior::{Context, ir::Module};
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Builder, Op, PARTS, RANGES, TASKS, Type, Value, WalkOrder, array,
    diagnostic_at, dictionary, function_name, llvm, llvm_function, llvm_pointer, llvm_void,
    module_op, parse_text, type_attr,
};
use strata_options::Options;

use super::TargetMarks;

/// The fields of `strata_executor`.
const EXECUTOR: &str = "!llvm.struct<(ptr, i64, ptr, ptr)>";

/// The number of groups of tasks that are `parts` of each of some `iterations`, for some threads: a multiple of `iterations`. One that all
/// threads share evenly, unless that is more than eight for each; else four for each.
const GROUPS: &str =
    "llvm.func internal @strata.groups(%iterations: i64, %parts: i64, %several: i64) -> i64 {
  %none = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %four = llvm.mlir.constant(4 : i64) : i64
  %eight = llvm.mlir.constant(8 : i64) : i64
  %all = llvm.mul %iterations, %parts : i64
  %threads = llvm.intr.umin(%several, %all) : (i64, i64) -> i64
  llvm.br ^divide(%iterations, %threads : i64, i64)
^divide(%a: i64, %b: i64):
  %rest = llvm.urem %a, %b : i64
  %is_divisor = llvm.icmp \"eq\" %rest, %none : i64
  llvm.cond_br %is_divisor, ^found, ^divide(%b, %rest : i64, i64)
^found:
  %even = llvm.udiv %threads, %b : i64
  %even_groups = llvm.mul %even, %iterations : i64
  %most_groups = llvm.mul %threads, %eight : i64
  %is_few = llvm.icmp \"ule\" %even_groups, %most_groups : i64
  %is_possible = llvm.icmp \"ule\" %even, %parts : i64
  %is_even = llvm.and %is_few, %is_possible : i1
  %wanted = llvm.mul %threads, %four : i64
  %before = llvm.sub %iterations, %one : i64
  %rounded = llvm.add %wanted, %before : i64
  %each = llvm.udiv %rounded, %iterations : i64
  %some = llvm.intr.umin(%each, %parts) : (i64, i64) -> i64
  %own = llvm.select %is_even, %even, %some : i1, i64
  %groups = llvm.mul %own, %iterations : i64
  llvm.return %groups : i64
}
";

/// A loop over calls is not worth inlining or unrolling.
pub(crate) const ROLLED: &str = "#llvm.loop_annotation<unroll = <disable = true>>";

/// The functions in `module` that are tasks.
pub(super) fn of<'c>(module: &Module<'c>) -> Vec<Op<'c>> {
    let all = module_op(module).body(0).ops().into_iter();
    all.filter(|op| op.is(llvm::FUNC) && op.has_attr(TASKS)).collect()
}

/// Defines the functions that pass `tasks` to the executor, the last argument of each of `kernels`, and makes these call them.
///
/// # Errors
/// `S9002` for calls of tasks that stage `affine` does not produce.
pub(super) fn define<'c>(
    context: &'c Context,
    module: &Module<'c>,
    kernels: &[Op<'c>],
    tasks: &[Op<'c>],
    options: &Options,
) -> Result<(), Diagnostic> {
    let broken = |op: Op<'c>, reason: &str| diagnostic_at(codes::S9002, op).reason(reason);
    let executor_of = |kernel: Op<'c>| {
        let body = kernel.region(0).first_block();
        body.and_then(|block| block.args().last().copied())
            .ok_or_else(|| broken(kernel, "the kernel takes no executor"))
    };
    let root = module_op(module);
    let calls = calls_by_callee(root);
    let marks = TargetMarks::of(context, options)?;
    // The other functions that start tasks, with their executors.
    let mut takers: Vec<(Op<'c>, Value<'c>)> = Vec::new();
    let mut has_groups = false;
    for function in tasks {
        let name = function_name(*function).to_owned();
        let count = function
            .attr(TASKS)
            .and_then(|count| count.as_i64())
            .filter(|count| *count > 0)
            .ok_or_else(|| broken(*function, "the number of tasks is none"))?;
        let types: Vec<String> = function
            .region(0)
            .first_block()
            .map(|block| block.args().iter().map(|arg| arg.ty().to_string()).collect())
            .unwrap_or_default();
        let Some((own, [_, _, _])) = types.split_last_chunk::<3>() else {
            return Err(broken(*function, "tasks take no range"));
        };
        for &call in calls.get(&name).into_iter().flatten() {
            let around =
                function_around(call).ok_or_else(|| broken(call, "it is in no function"))?;
            if around.has_attr(TASKS) {
                return Err(broken(call, "tasks are called by other tasks"));
            }
            let executor = match kernels.contains(&around) {
                true => executor_of(around)?,
                false => match takers.iter().find(|(taker, _)| *taker == around) {
                    Some((_, executor)) => *executor,
                    None => {
                        let own = take_executor(context, around, llvm_pointer(context))?;
                        takers.push((around, own));
                        own
                    }
                },
            };
            let mut operands = call.operands();
            operands.truncate(own.len());
            operands.push(executor);
            replace(context, call, &format!("{name}.run"), &operands);
        }
        let parts = function.attr(PARTS).and_then(|parts| parts.as_i64());
        if parts.is_some_and(|parts| parts <= 0 || count % parts != 0) {
            return Err(broken(*function, "the number of tasks is not one of whole iterations"));
        }
        let source = text(&name, own, count, function.has_attr(RANGES), parts);
        let parsed = parse_text(context, &source)?;
        let end = Builder::at_end(context, root.body(0), function.location());
        let grouped = parts.is_some();
        for op in module_op(&parsed).body(0).ops() {
            let is_known = function_name(op) == "strata.groups" && has_groups;
            if is_known || op.region(0).first_block().is_none() {
                continue;
            }
            let copy = end.insert(op.clone_detached());
            marks.set(copy);
        }
        has_groups |= grouped;
    }
    for (taker, _) in takers {
        for &call in calls.get(function_name(taker)).into_iter().flatten() {
            let around = function_around(call).filter(|around| kernels.contains(around));
            let Some(around) = around else {
                return Err(broken(
                    call,
                    "a function that starts tasks is not called by the entry",
                ));
            };
            let operands = [call.operands(), vec![executor_of(around)?]].concat();
            replace(context, call, function_name(taker), &operands);
        }
    }
    Ok(())
}

/// All calls, in the order of the program. Found in one walk: a walk for each function takes a tenth of the time of a
/// program of hundreds of functions.
fn calls_by_callee<'c>(root: Op<'c>) -> BTreeMap<String, Vec<Op<'c>>> {
    let mut calls: BTreeMap<_, Vec<_>> = BTreeMap::new();
    root.walk(WalkOrder::Pre, &mut |op| {
        if let Some(callee) = op.cast::<llvm::Call>().and_then(llvm::Call::callee) {
            calls.entry(callee.to_owned()).or_default().push(op);
        }
    });
    calls
}

fn function_around(op: Op<'_>) -> Option<Op<'_>> {
    std::iter::successors(op.parent(), |op| op.parent()).find(|op| op.is(llvm::FUNC))
}

/// Replaces a call without results by another.
fn replace<'c>(context: &'c Context, call: Op<'c>, callee: &str, operands: &[Value<'c>]) {
    let builder = Builder::before(context, call);
    llvm::call(&builder, &[], &[]).callee(callee).callee_operands(operands).build();
    call.erase();
}

/// Gives a function the executor as its last argument.
fn take_executor<'c>(
    context: &'c Context,
    function: Op<'c>,
    pointer: Type<'c>,
) -> Result<Value<'c>, Diagnostic> {
    let broken = || diagnostic_at(codes::S9001, function).reason("the function has no body");
    let body = function.region(0).first_block().ok_or_else(broken)?;
    let executor = body.add_arg(pointer, function.location());
    let types: Vec<_> = body.args().iter().map(|arg| arg.ty()).collect();
    let ty = llvm_function(llvm_void(context), &types);
    function.set_attr("function_type", type_attr(ty));
    if let Some(mut promises) = function.attr("arg_attrs").and_then(|list| list.as_array()) {
        promises.extend(dictionary(context, &[]));
        function.set_attr("arg_attrs", array(context, &promises));
    }
    Ok(executor)
}

/// The function that the kernel calls and the one that the executor calls.
fn text(name: &str, own: &[String], count: i64, are_ranges: bool, parts: Option<i64>) -> String {
    let mut text = String::new();
    let arguments: Vec<_> = (0..own.len()).map(|at| format!("%a{at}")).collect();
    let typed: String =
        arguments.iter().zip(own).map(|(arg, ty)| format!("{arg}: {ty}, ")).collect();
    let listed: String = arguments.iter().map(|arg| format!("{arg}, ")).collect();
    let types: String = own.iter().map(|ty| format!("{ty}, ")).collect();
    // The number of groups comes last.
    let fields: Vec<_> = own.iter().map(|ty| ty.replace("!llvm.", "")).collect();
    let fields: Vec<_> = fields.into_iter().chain(parts.map(|_| "i64".to_owned())).collect();
    let state = format!("!llvm.struct<({})>", fields.join(", "));
    // Runs a range of tasks, at once or one by one, with the slot of the first.
    let all = |begin: &str, end: &str, next: &str| match are_ranges {
        true => format!(
            "llvm.call @{name}({listed}{begin}, {end}, {begin}) : ({types}i64, i64, i64) -> ()\n  \
             llvm.br {next}"
        ),
        false => format!(
            "llvm.br ^task({begin} : i64)\n\
             ^task(%this: i64):\n  \
             %next = llvm.add %this, %one : i64\n  \
             llvm.call @{name}({listed}%this, %next, {begin}) : ({types}i64, i64, i64) -> ()\n  \
             %more = llvm.icmp \"ult\" %next, {end} : i64\n  \
             llvm.cond_br %more, ^task(%next : i64), {next} {{loop_annotation = {ROLLED}}}"
        ),
    };
    if parts.is_some() {
        text.push_str(GROUPS);
    }
    let here = all("%first", "%count", "^done");
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "llvm.func @{name}({types}i64, i64, i64)\n\
         llvm.func internal @{name}.run({typed}%executor: !llvm.ptr) {{\n  \
         %null = llvm.mlir.zero : !llvm.ptr\n  \
         %one = llvm.mlir.constant(1 : i64) : i64\n  \
         %first = llvm.mlir.constant(0 : i64) : i64\n  \
         %count = llvm.mlir.constant({count} : i64) : i64\n  \
         %state = llvm.alloca %one x {state} : (i64) -> !llvm.ptr\n  \
         %alone = llvm.icmp \"eq\" %executor, %null : !llvm.ptr\n  \
         llvm.cond_br %alone, ^here, ^some\n\
         ^some:\n  \
         %several_at = llvm.getelementptr %executor[0, 1] : (!llvm.ptr) -> !llvm.ptr, {EXECUTOR}\n  \
         %several = llvm.load %several_at : !llvm.ptr -> i64\n  \
         %for_at = llvm.getelementptr %executor[0, 2] : (!llvm.ptr) -> !llvm.ptr, {EXECUTOR}\n  \
         %for = llvm.load %for_at : !llvm.ptr -> !llvm.ptr\n  \
         %is_one = llvm.icmp \"ule\" %several, %one : i64\n  \
         %has_none = llvm.icmp \"eq\" %for, %null : !llvm.ptr\n  \
         %is_alone = llvm.or %is_one, %has_none : i1\n  \
         llvm.cond_br %is_alone, ^here, ^there\n\
         ^there:\n"
    );
    for (at, (argument, ty)) in arguments.iter().zip(own).enumerate() {
        let _ = write!(
            text,
            "  %s{at} = llvm.getelementptr %state[0, {at}] : (!llvm.ptr) -> !llvm.ptr, {state}\n  \
             llvm.store {argument}, %s{at} : {ty}, !llvm.ptr\n"
        );
    }
    let groups = match parts {
        Some(parts) => {
            let _ = write!(text, "{}", groups(own.len(), &state, count, parts));
            "%groups"
        }
        None => "%count",
    };
    let _ = write!(
        text,
        "  %context = llvm.load %executor : !llvm.ptr -> !llvm.ptr\n  \
         %task = llvm.mlir.addressof @{name}.task : !llvm.ptr\n  \
         llvm.call %for(%context, {groups}, %task, %state) : !llvm.ptr, (!llvm.ptr, i64, !llvm.ptr, !llvm.ptr) -> ()\n  \
         llvm.return\n\
         ^here:\n  \
         {here}\n^done:\n  llvm.return\n}}\n\
         llvm.func internal @{name}.task(%state: !llvm.ptr, %begin: i64, %end: i64) {{\n  \
         %one = llvm.mlir.constant(1 : i64) : i64\n  \
         %some = llvm.icmp \"ult\" %begin, %end : i64\n  \
         llvm.cond_br %some, ^do, ^done\n\
         ^do:\n"
    );
    for (at, (argument, ty)) in arguments.iter().zip(own).enumerate() {
        let _ = write!(
            text,
            "  %s{at} = llvm.getelementptr %state[0, {at}] : (!llvm.ptr) -> !llvm.ptr, {state}\n  \
             {argument} = llvm.load %s{at} : !llvm.ptr -> {ty}\n"
        );
    }
    let there = match parts {
        Some(_) => {
            let at = own.len();
            let _ = write!(
                text,
                "  %s{at} = llvm.getelementptr %state[0, {at}] : (!llvm.ptr) -> !llvm.ptr, {state}\n  \
                 %groups = llvm.load %s{at} : !llvm.ptr -> i64\n  \
                 %all = llvm.mlir.constant({count} : i64) : i64\n  \
                 %b = llvm.mul %begin, %all : i64\n  \
                 %e = llvm.mul %end, %all : i64\n  \
                 %from = llvm.udiv %b, %groups : i64\n  \
                 %to = llvm.udiv %e, %groups : i64\n"
            );
            all("%from", "%to", "^done")
        }
        None => all("%begin", "%end", "^done"),
    };
    let _ = write!(text, "  {there}\n^done:\n  llvm.return\n}}\n");
    text
}

/// Stores the number of groups of tasks in the state.
fn groups(at: usize, state: &str, count: i64, parts: i64) -> String {
    let iterations = count / parts;
    format!(
        "  %parts = llvm.mlir.constant({parts} : i64) : i64\n  \
         %iterations = llvm.mlir.constant({iterations} : i64) : i64\n  \
         %groups = llvm.call @strata.groups(%iterations, %parts, %several) : (i64, i64, i64) -> i64\n  \
         %s{at} = llvm.getelementptr %state[0, {at}] : (!llvm.ptr) -> !llvm.ptr, {state}\n  \
         llvm.store %groups, %s{at} : i64, !llvm.ptr\n"
    )
}
