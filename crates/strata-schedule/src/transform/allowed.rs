//! Transforms allowed in a user's schedule: those that cannot change results.

use strata_diag::{Diagnostic, codes, did_you_mean};
use strata_ir::{
    AttributeExt as _, Context, DYNAMIC, Module, Op, OpName, diagnostic_at, module_op,
    operations_of, transform,
};

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
pub fn check<'c>(context: &'c Context, library: &Module<'c>) -> Result<(), Diagnostic> {
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
    for op in module_op(library).collect(|op| op.dialect() == "transform") {
        check_sizes(op)?;
        if op.is(transform::STRUCTURED_MATCH) {
            check_names(context, op)?;
        }
    }
    let pads = module_op(library).collect(|op| op.is(transform::STRUCTURED_PAD));
    match pads.into_iter().find(|op| pads_something(*op)) {
        Some(op) => Err(diagnostic_at(codes::S1301, op)
            .reason("`transform.structured.pad` may not add elements: results would depend on the value that it adds")
            .hint("`padding_dimensions = []` copies tiles without padding")),
        None => Ok(()),
    }
}

/// Tile sizes are at least 0, which leaves a loop as it is. With others, what is made of a nest is wrong only later, where no
/// operation of the schedule is known.
fn check_sizes(op: Op<'_>) -> Result<(), Diagnostic> {
    let sizes = ["static_tile_sizes", "tile_sizes", "static_sizes"].map(|name| op.attr(name));
    let sizes = sizes.into_iter().flatten().filter_map(|sizes| sizes.as_i64s()).flatten();
    match sizes.into_iter().find(|size| *size < 0 && *size != DYNAMIC) {
        Some(size) => Err(diagnostic_at(codes::S1301, op)
            .reason(format!("the tile size {size} is negative"))
            .hint("a size of 0 leaves the loop untiled")),
        None => Ok(()),
    }
}

/// Names of operations that do not exist match nothing.
fn check_names(context: &Context, op: Op<'_>) -> Result<(), Diagnostic> {
    let names = op.attr("ops").and_then(|names| names.as_array()).unwrap_or_default();
    for name in names.into_iter().filter_map(|name| name.as_str()) {
        let dialect = name.split_once('.').map_or(name, |(dialect, _)| dialect);
        let known = operations_of(context, dialect);
        if !known.iter().any(|known| *known == name) {
            let error = diagnostic_at(codes::S1301, op)
                .reason(format!("there is no operation `{name}`, so that this matches nothing"));
            return Err(match did_you_mean(name, known.iter().map(|known| &**known)) {
                Some(hint) => error.hint(hint),
                None => error,
            });
        }
    }
    Ok(())
}

fn is_allowed(name: OpName<'_>) -> bool {
    ALLOWED.contains(&name) || name.mnemonic().starts_with("apply_patterns.")
}

fn pads_something(op: Op<'_>) -> bool {
    let dims = op.attr("padding_dimensions").and_then(|dims| dims.as_array());
    dims.is_none_or(|dims| !dims.is_empty())
}
