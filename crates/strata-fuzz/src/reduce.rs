//! Reduction of failing programs.
//!
//! One change after the other is tried on the program, and kept if it still fails: outputs are removed, values are
//! replaced by others or by constants, loops by their initial values, conditionals by a branch, unused arguments are
//! dropped. Large changes come first; it ends when no change keeps the failure.

use std::collections::HashMap;

use strata_diag::Diagnostic;
use strata_ir::{
    AttributeExt as _, Builder, Context, Module, Op, TypeExt as _, Value, WalkOrder, dense_splat,
    entry, float, func, function_name, int, module_op, parse_attr, parse_text, print, stablehlo,
};
use strata_verify::edit::{return_only, retype};

/// One change; false where there is nothing to change at that number.
type Change = for<'c> fn(&'c Context, &Module<'c>, usize) -> bool;

/// In the order in which they are tried.
const CHANGES: [Change; 8] = [
    drop_output,
    inline_branch,
    start_for_loop,
    argument_for,
    other_for,
    constant_for,
    drop_call,
    shorter_loop,
];

/// The smallest program found for which `fails` is still true; `steps` bounds the number of tests.
///
/// # Errors
/// Where the program cannot be read.
pub fn reduce(
    text: &str,
    mut steps: usize,
    fails: &mut dyn FnMut(&str) -> bool,
) -> Result<String, Diagnostic> {
    let context = strata_ir::new_context();
    let mut best = print(&parse_text(&context, text)?, false);
    loop {
        let before = best.clone();
        for change in CHANGES {
            // From the end: later operations depend on more.
            let mut at = 0;
            while steps > 0 {
                let Some(candidate) = changed(&best, change, at)? else { break };
                match candidate {
                    Some(smaller) if smaller != best => {
                        steps -= 1;
                        if fails(&smaller) { best = smaller } else { at += 1 }
                    }
                    _ => at += 1,
                }
            }
        }
        if best == before || steps == 0 {
            return Ok(best);
        }
    }
}

/// The program after a change: `None` where the number is beyond the last one, `Some(None)` if the program becomes
/// invalid.
fn changed(text: &str, change: Change, at: usize) -> Result<Option<Option<String>>, Diagnostic> {
    let context = strata_ir::new_context();
    let module = parse_text(&context, text)?;
    if !change(&context, &module, at) {
        return Ok(None);
    }
    clean(&context, &module);
    let printed = print(&module, false);
    let is_valid = module_op(&module).verify() && parse_text(&context, &printed).is_ok();
    Ok(Some(is_valid.then_some(printed)))
}

/// Drops dead operations, functions, and arguments of the entry.
fn clean(context: &Context, module: &Module<'_>) {
    loop {
        let dead = module_op(module).collect(|op| {
            (op.dialect() != "func" || op.is(func::CALL))
                && op.dialect() != "builtin"
                && op.result_count() > 0
                && op.is_unused()
        });
        // Nested ones are erased with their parents.
        let outer: Vec<_> = dead
            .iter()
            .filter(|op| !dead.iter().any(|other| other.encloses(**op) && other != *op))
            .collect();
        if outer.is_empty() {
            break;
        }
        outer.iter().for_each(|op| op.erase());
    }
    let calls = module_op(module).collect(|op| op.is(func::CALL));
    let called: Vec<String> = calls
        .iter()
        .filter_map(|call| call.attr("callee").and_then(|name| name.as_symbol()).map(str::to_owned))
        .collect();
    let Ok(main) = entry(module, None) else { return };
    for function in module_op(module).collect(|op| op.is(func::FUNC)) {
        if function != main && !called.iter().any(|name| name == function_name(function)) {
            function.erase();
        }
    }
    let body = main.body(0);
    for at in (0..body.arg_count()).rev() {
        if !body.arg(at).has_uses() {
            body.erase_arg(at);
        }
    }
    retype(context, main);
}

/// The operations of all functions except terminators, the last one first.
fn ops<'c>(module: &Module<'c>) -> Vec<Op<'c>> {
    let mut all = module_op(module)
        .collect(|op| op.result_count() > 0 && op.dialect() != "builtin" && !op.is(func::FUNC));
    all.reverse();
    all
}

fn drop_output<'c>(context: &'c Context, module: &Module<'c>, at: usize) -> bool {
    let Ok(main) = entry(module, None) else { return false };
    let Some(end) = main.body(0).terminator() else { return false };
    let mut values = end.operands();
    if values.len() < 2 || at >= values.len() {
        return false;
    }
    values.remove(at);
    return_only(context, main, &values);
    true
}

/// Replaces a conditional by one branch.
fn inline_branch<'c>(context: &'c Context, module: &Module<'c>, at: usize) -> bool {
    let branches: Vec<_> = ops(module)
        .into_iter()
        .filter(|op| op.is(stablehlo::IF) || op.is(stablehlo::CASE))
        .flat_map(|op| (0..op.region_count()).map(move |region| (op, region)))
        .collect();
    let Some((op, region)) = branches.get(at).copied() else { return false };
    let mut known: HashMap<_, _> = HashMap::new();
    let values = Builder::before(context, op).copy_body(op.body(region), &mut known);
    for (old, new) in op.results().into_iter().zip(values) {
        old.replace_all_uses_with(new);
    }
    true
}

/// Removes a loop.
fn start_for_loop<'c>(_: &'c Context, module: &Module<'c>, at: usize) -> bool {
    let loops: Vec<_> = ops(module).into_iter().filter(|op| op.is(stablehlo::WHILE)).collect();
    let Some(op) = loops.get(at) else { return false };
    for (old, new) in op.results().into_iter().zip(op.operands()) {
        old.replace_all_uses_with(new);
    }
    true
}

/// The results of operations, the last one first, with values of the same type that can replace them.
fn replace<'c>(
    module: &Module<'c>,
    at: usize,
    candidates: impl Fn(Value<'c>, Op<'c>) -> Vec<Value<'c>>,
) -> bool {
    let mut left = at;
    for op in ops(module) {
        for result in op.results().into_iter().filter(|value| value.has_uses()) {
            let found = candidates(result, op);
            if let Some(value) = found.get(left) {
                result.replace_all_uses_with(*value);
                return true;
            }
            left -= found.len();
        }
    }
    false
}

/// Replaces a result by an operand of the operation.
fn argument_for<'c>(_: &'c Context, module: &Module<'c>, at: usize) -> bool {
    replace(module, at, |result, op| {
        op.operands().into_iter().filter(|value| value.ty() == result.ty()).collect()
    })
}

/// Replaces a result by an argument of the function.
fn other_for<'c>(_: &'c Context, module: &Module<'c>, at: usize) -> bool {
    replace(module, at, |result, op| {
        let mut function = op.parent();
        while let Some(outer) = function.filter(|outer| !outer.is(func::FUNC)) {
            function = outer.parent();
        }
        let arguments = function.map(|function| function.body(0).args()).unwrap_or_default();
        arguments.into_iter().filter(|value| value.ty() == result.ty()).collect()
    })
}

/// Replaces a result by a constant.
fn constant_for<'c>(context: &'c Context, module: &Module<'c>, at: usize) -> bool {
    let found: Vec<_> = ops(module)
        .into_iter()
        .filter(|op| !op.is(stablehlo::CONSTANT))
        .flat_map(Op::results)
        .filter(|value| value.has_uses() && value.ty().is_tensor_type())
        .collect();
    let Some(value) = found.get(at).copied() else { return false };
    let Some(op) = value.owner() else { return false };
    let element = value.ty().element();
    let number = if element.is_float_type() {
        float(context, element, 1.0)
    } else if element.is_complex() {
        match parse_attr(context, &format!("dense<(1.0, 0.0)> : {}", value.ty())) {
            Some(all) => return set_constant(context, op, value, all),
            None => return true,
        }
    } else {
        int(element, 1)
    };
    set_constant(context, op, value, dense_splat(value.ty(), number))
}

fn set_constant<'c>(
    context: &'c Context,
    op: Op<'c>,
    value: Value<'c>,
    all: strata_ir::Attribute<'c>,
) -> bool {
    let constant = Builder::before(context, op)
        .op(stablehlo::CONSTANT)
        .attr("value", all)
        .result(value.ty())
        .value();
    value.replace_all_uses_with(constant);
    true
}

/// Inlines a call.
fn drop_call<'c>(context: &'c Context, module: &Module<'c>, at: usize) -> bool {
    let calls: Vec<_> = ops(module).into_iter().filter(|op| op.is(func::CALL)).collect();
    let Some(call) = calls.get(at).copied() else { return false };
    let name = call.attr("callee").and_then(|name| name.as_symbol());
    let functions = module_op(module).collect(|op| op.is(func::FUNC));
    let callee = functions.into_iter().find(|function| Some(function_name(*function)) == name);
    let Some(callee) = callee else { return true };
    let mut known: HashMap<_, _> = callee.body(0).args().into_iter().zip(call.operands()).collect();
    let values = Builder::before(context, call).copy_body(callee.body(0), &mut known);
    for (old, new) in call.results().into_iter().zip(values) {
        old.replace_all_uses_with(new);
    }
    true
}

/// Makes a loop-carried value invariant: the body yields its argument.
fn shorter_loop<'c>(_: &'c Context, module: &Module<'c>, at: usize) -> bool {
    let mut left = at;
    let mut found = None;
    module_op(module).walk(WalkOrder::Pre, &mut |op| {
        if !op.is(stablehlo::WHILE) || found.is_some() {
            return;
        }
        let body = op.body(1);
        let Some(end) = body.terminator() else { return };
        // The first carried value is the counter: without it the loop does not end.
        let changed: Vec<_> =
            (1..body.arg_count()).filter(|at| end.operand(*at) != body.arg(*at)).collect();
        match changed.get(left) {
            Some(state) => found = Some((end, *state, body.arg(*state))),
            None => left -= changed.len(),
        }
    });
    let Some((end, state, argument)) = found else { return false };
    end.set_operand(state, argument);
    true
}
