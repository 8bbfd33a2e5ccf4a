//! Transforms allowed in a user's schedule: those that cannot change results.

use strata_diag::{Diagnostic, codes, did_you_mean};
use strata_ir::{AttributeExt as _, Module, Op, OpName, diagnostic_at, module_op, transform};

/// The operations of the transform dialect that preserve semantics, or fail. Others trust their author (padding trusts the
/// value, sibling fusion that neither reads the other), or produce code that later stages do not support.
const ALLOWED: &[OpName<'_>] = &[
    transform::ANNOTATE,
    transform::APPLY_CSE,
    transform::APPLY_DCE,
    transform::APPLY_LICM,
    transform::APPLY_PATTERNS,
    transform::CAST,
    transform::DEBUG_EMIT_REMARK_AT,
    transform::FOREACH,
    transform::GET_CONSUMERS_OF_RESULT,
    transform::GET_DEFINING_OP,
    transform::GET_OPERAND,
    transform::GET_PARENT_OP,
    transform::GET_PRODUCER_OF_OPERAND,
    transform::GET_RESULT,
    transform::INCLUDE,
    transform::LOOP_HOIST_LOOP_INVARIANT_SUBSETS,
    transform::LOOP_PEEL,
    transform::LOOP_UNROLL,
    transform::MERGE_HANDLES,
    transform::NAMED_SEQUENCE,
    transform::NUM_ASSOCIATIONS,
    transform::PARAM_CONSTANT,
    transform::PRINT,
    transform::SELECT,
    transform::SEQUENCE,
    transform::SPLIT_HANDLE,
    transform::STRATA_CLEAN,
    transform::STRATA_HOIST_SUBSETS,
    transform::STRATA_PATTERNS,
    transform::STRUCTURED_FLATTEN_ELEMENTWISE,
    transform::STRUCTURED_FUSE,
    transform::STRUCTURED_FUSE_INTO_CONTAINING_OP,
    transform::STRUCTURED_GENERALIZE,
    transform::STRUCTURED_INTERCHANGE,
    transform::STRUCTURED_MATCH,
    transform::STRUCTURED_PAD,
    transform::STRUCTURED_REWRITE_IN_DESTINATION_PASSING_STYLE,
    transform::STRUCTURED_SPECIALIZE,
    transform::STRUCTURED_SPLIT,
    transform::STRUCTURED_TILE_REDUCTION_USING_FOR,
    transform::STRUCTURED_TILE_USING_FOR,
    transform::STRUCTURED_VECTORIZE,
    transform::STRUCTURED_VECTORIZE_CHILDREN_AND_APPLY_PATTERNS,
    transform::YIELD,
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
        return Err(match did_you_mean(name.as_str(), ALLOWED.iter().map(|name| name.as_str())) {
            Some(hint) => error.hint(hint),
            None => error.hint("docs/guide/research.md lists the allowed operations"),
        });
    }
    let pads = module_op(library).collect(|op| op.is(transform::STRUCTURED_PAD));
    match pads.into_iter().find(|op| pads_something(*op)) {
        Some(op) => Err(diagnostic_at(codes::S1301, op)
            .reason("`transform.structured.pad` may not add elements: results would depend on the value that it adds")
            .hint("`padding_dimensions = []` copies tiles without padding")),
        None => Ok(()),
    }
}

fn is_allowed(name: OpName<'_>) -> bool {
    ALLOWED.contains(&name) || name.mnemonic().starts_with("apply_patterns.")
}

fn pads_something(op: Op<'_>) -> bool {
    let dims = op.attr("padding_dimensions").and_then(|dims| dims.as_array());
    dims.is_none_or(|dims| !dims.is_empty())
}
