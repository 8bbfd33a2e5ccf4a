//! Transforms allowed in a user's schedule: those that cannot change results.

use strata_diag::{Diagnostic, codes, did_you_mean};
use strata_ir::{AttributeExt as _, Module, Op, diagnostic_at, module_op};

/// The operations of the transform dialect that preserve semantics, or fail. Others trust their author (padding trusts the
/// value, sibling fusion that neither reads the other), or produce code that later stages do not support.
const ALLOWED: &[&str] = &[
    "transform.annotate",
    "transform.apply_cse",
    "transform.apply_dce",
    "transform.apply_licm",
    "transform.apply_patterns",
    "transform.cast",
    "transform.debug.emit_remark_at",
    "transform.foreach",
    "transform.get_consumers_of_result",
    "transform.get_defining_op",
    "transform.get_operand",
    "transform.get_parent_op",
    "transform.get_producer_of_operand",
    "transform.get_result",
    "transform.include",
    "transform.loop.hoist_loop_invariant_subsets",
    "transform.loop.peel",
    "transform.loop.unroll",
    "transform.merge_handles",
    "transform.named_sequence",
    "transform.num_associations",
    "transform.param.constant",
    "transform.print",
    "transform.select",
    "transform.sequence",
    "transform.split_handle",
    "transform.strata.clean",
    "transform.structured.flatten_elementwise",
    "transform.structured.fuse",
    "transform.structured.fuse_into_containing_op",
    "transform.structured.generalize",
    "transform.structured.interchange",
    "transform.structured.match",
    "transform.structured.pad",
    "transform.structured.rewrite_in_destination_passing_style",
    "transform.structured.specialize",
    "transform.structured.split",
    "transform.structured.tile_reduction_using_for",
    "transform.structured.tile_using_for",
    "transform.structured.vectorize",
    "transform.structured.vectorize_children_and_apply_patterns",
    "transform.yield",
];

/// # Errors
/// `S1301` for the first operation that is not allowed.
pub fn check(library: &Module<'_>) -> Result<(), Diagnostic> {
    let is_refused = |op: Op<'_>| op.dialect() == "transform" && !is_allowed(op.name());
    let refused = module_op(library).collect(is_refused);
    if let Some(op) = refused.first() {
        let name = op.name();
        let error = diagnostic_at(codes::S1301, *op).reason(format!(
            "`{name}` is not allowed in a schedule: its effect on a nest is not checked"
        ));
        return Err(match did_you_mean(name, ALLOWED.iter().copied()) {
            Some(hint) => error.hint(hint),
            None => error.hint("docs/guide/research.md lists the allowed operations"),
        });
    }
    let pads = module_op(library).collect(|op| op.is("transform.structured.pad"));
    match pads.into_iter().find(|op| pads_something(*op)) {
        Some(op) => Err(diagnostic_at(codes::S1301, op)
            .reason("`transform.structured.pad` may not add elements: results would depend on the value that it adds")
            .hint("`padding_dimensions = []` copies tiles without padding")),
        None => Ok(()),
    }
}

fn is_allowed(name: &str) -> bool {
    ALLOWED.contains(&name) || name.starts_with("transform.apply_patterns.")
}

fn pads_something(op: Op<'_>) -> bool {
    let dims = op.attr("padding_dimensions").and_then(|dims| dims.as_array());
    dims.is_none_or(|dims| !dims.is_empty())
}
