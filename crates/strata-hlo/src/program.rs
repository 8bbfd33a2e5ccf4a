//! The program as a whole: one entry, everything it calls inside it.

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Builder, Context, Module, Op, OpKind, Options, diagnostic_at, entry,
    module_op, run_pipeline, string,
};

/// Leaves one public function, the entry.
pub(crate) fn isolate_entry<'c>(
    context: &'c Context,
    module: &Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    let entry = entry(module, options.entry.as_deref())?;
    for op in functions(module) {
        if op != entry {
            op.set_attr("sym_visibility", string(context, "private"));
        }
    }
    Ok(())
}

/// A composite is what its decomposition does:
///
/// ```text
/// %0 = stablehlo.composite "my.op" %x {decomposition = @f} : …   =>   %0 = call @f(%x) : …
/// ```
pub(crate) fn composites_to_calls<'c>(context: &'c Context, module: &Module<'c>) {
    for op in module_op(module).collect(|op| op.kind() == OpKind::Composite) {
        let Some(callee) = op.attr("decomposition") else { continue };
        let call = Builder::before(context, op)
            .op("func.call")
            .operands(&op.operands())
            .results(&op.result_types())
            .attr("callee", callee)
            .build();
        for (old, new) in op.results().into_iter().zip(call.results()) {
            old.replace_all_uses_with(new);
        }
        op.erase();
    }
}

/// Inlines all calls and removes the functions that nothing calls any more.
pub(crate) fn inline_calls<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
) -> Result<(), Diagnostic> {
    if let Some(call) = recursive_call(module) {
        return Err(diagnostic_at(codes::S1201, call)
            .reason("the function calls itself, directly or through others")
            .hint("StableHLO programs loop with `stablehlo.while`"));
    }
    // One round of the inliner follows a chain of calls of bounded depth: repeat while it helps.
    let mut before = usize::MAX;
    loop {
        let calls = module_op(module).collect(|op| op.is("func.call")).len();
        if calls == 0 || calls >= before {
            break;
        }
        before = calls;
        run_pipeline(context, module, "builtin.module(inline{default-pipeline=},symbol-dce)")?;
    }
    run_pipeline(context, module, "builtin.module(symbol-dce)")?;
    match module_op(module).collect(|op| op.is("func.call")).first() {
        None => Ok(()),
        Some(call) => Err(diagnostic_at(codes::S1201, *call)
            .reason("the call cannot be inlined: the function it names has no body")
            .hint("declare external code with `stablehlo.custom_call`")),
    }
}

/// A call that lies on a cycle of calls.
fn recursive_call<'c>(module: &Module<'c>) -> Option<Op<'c>> {
    let functions = functions(module);
    let position = |name: &str| {
        functions.iter().position(|function| strata_ir::function_name(*function) == name)
    };
    let calls: Vec<Vec<(Op, usize)>> = functions
        .iter()
        .map(|function| {
            function
                .collect(|op| op.is("func.call"))
                .into_iter()
                .filter_map(|call| {
                    let callee = call.attr("callee")?.as_symbol()?;
                    Some((call, position(callee)?))
                })
                .collect()
        })
        .collect();
    // 0: not visited, 1: on the path, 2: done.
    let mut state = vec![0u8; functions.len()];
    for start in 0..functions.len() {
        let mut path = vec![(start, 0)];
        if state[start] != 0 {
            continue;
        }
        state[start] = 1;
        while let Some((function, next)) = path.last_mut() {
            let Some((call, callee)) = calls[*function].get(*next) else {
                state[*function] = 2;
                path.pop();
                continue;
            };
            *next += 1;
            match state[*callee] {
                1 => return Some(*call),
                0 => {
                    state[*callee] = 1;
                    path.push((*callee, 0));
                }
                _ => {}
            }
        }
    }
    None
}

fn functions<'c>(module: &Module<'c>) -> Vec<Op<'c>> {
    module_op(module).body(0).ops().into_iter().filter(|op| op.is("func.func")).collect()
}
