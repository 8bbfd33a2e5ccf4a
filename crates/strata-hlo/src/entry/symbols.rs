//! Reduces the module to one function: chooses the entry, turns composites into calls, inlines calls,
//! erases the rest.
//!
//! ```text
//! func.func public @main(%x) { %0 = call @relu(%x) … }      func.func public @main(%x) {
//! func.func private @relu(%x) { … }                     →     %0 = stablehlo.maximum …
//! ```

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AttributeExt as _, Builder, Context, Module, Op, OpKind, adopt_names, array, diagnostic_at,
    dictionary, entry, func, module_op, run_pipeline, string, symbol,
};
use strata_options::Options;

use crate::{entry::call_graph, expansion::approx_top_k};

/// Leaves the entry as the only function, with everything it calls inlined.
///
/// # Errors
/// The errors of [`entry`] and of [`call_graph::check`].
pub fn inline_all<'c>(
    context: &'c Context,
    module: &mut Module<'c>,
    options: &Options,
) -> Result<(), Diagnostic> {
    let func = entry(module, options.entry.as_deref())?;
    adopt_names(context, func);
    for other in module_op(module).body(0).ops() {
        if other != func && other.is(func::FUNC) {
            other.set_attr("sym_visibility", string(context, "private"));
        }
    }
    let composites = module_op(module).collect(|op| op.kind() == OpKind::Composite);
    for composite in composites {
        call_decomposition(context, composite)?;
    }
    approx_top_k::expand(context, module_op(module));
    call_graph::check(module_op(module), func)?;
    // No simplification while inlining: the patterns of this stage run after it.
    run_pipeline(context, module, "builtin.module(inline{default-pipeline=},symbol-dce)")?;
    match module_op(module).collect(|op| op.is(func::CALL)).first() {
        None => Ok(()),
        Some(call) => {
            let callee = call.attr("callee").and_then(|name| name.as_symbol()).unwrap_or("");
            Err(diagnostic_at(codes::S1201, *call)
                .reason(format!("the call of `@{callee}` cannot be inlined")))
        }
    }
}

/// `stablehlo.composite "name" %x {decomposition = @f}` → `call @f(%x)`.
fn call_decomposition<'c>(context: &'c Context, composite: Op<'c>) -> Result<(), Diagnostic> {
    let name = composite.attr("decomposition").and_then(|name| name.as_symbol());
    let name = name.ok_or_else(|| {
        diagnostic_at(codes::S1201, composite).reason("the composite has no decomposition")
    })?;
    let call = Builder::before(context, composite)
        .op(func::CALL)
        .operands(&composite.operands())
        .attr("callee", symbol(context, name))
        .results(&composite.result_types())
        .build();
    for (old, new) in composite.results().into_iter().zip(call.results()) {
        old.replace_all_uses_with(new);
    }
    composite.erase();
    Ok(())
}

/// Erases device meshes and the shardings that refer to them, once unused.
///
/// ```text
/// sdy.mesh @m = <["x"=1]>
/// func.func @main(%x : … {sdy.sharding = #sdy.sharding<@m, [{}]>}) { … }   →   func.func @main(%x) { … }
/// ```
pub fn drop_shardings<'c>(context: &'c Context, module: &Module<'c>) {
    let root = module_op(module);
    let is_left = |op: &Op<'_>| op.dialect() == "sdy" && op.kind() != OpKind::SdyMesh;
    if !root.collect(|op| is_left(&op)).is_empty() {
        return;
    }
    for mesh in root.collect(|op| op.kind() == OpKind::SdyMesh) {
        mesh.erase();
    }
    for op in root.collect(|_| true) {
        for (name, _) in op.discardable_attrs() {
            if is_sharding(name) {
                op.remove_attr(name);
            }
        }
        if op.is(func::FUNC) {
            drop_from_signature(context, op);
        }
    }
}

fn is_sharding(name: &str) -> bool {
    name.starts_with("sdy.")
}

/// The same for the arguments and results of a function.
fn drop_from_signature<'c>(context: &'c Context, func: Op<'c>) {
    for name in ["arg_attrs", "res_attrs"] {
        let Some(list) = func.attr(name).and_then(|list| list.as_array()) else { continue };
        let kept: Option<Vec<_>> = list
            .into_iter()
            .map(|entries| {
                let mut entries = entries.as_dictionary()?;
                entries.retain(|(name, _)| !is_sharding(name));
                dictionary(context, &entries)
            })
            .collect();
        if let Some(kept) = kept {
            func.set_attr(name, array(context, &kept));
        }
    }
}
