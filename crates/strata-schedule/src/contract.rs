//! The contract of the stage.

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    AffineMap, AttributeExt as _, BLOCKS, LIMIT, MASK, Module, Op, PACKED, PLACES, RARELY, ROUNDED,
    ROWS, TypeExt as _, VALID, WalkOrder, bounded_entry, builtin, linalg, module_op, scf, tensor,
};
use strata_options::Options;
use strata_target::tuning::tiling::MAX_VECTOR_BYTES;

use crate::{limits::Bound, structured::Structured, transform::tags};

/// Dialects of what the stage leaves.
const DIALECTS: &[&str] = &[
    "affine", "arith", "builtin", "complex", "func", "linalg", "math", "narrow", "scf", "tensor",
    "ub", "vector",
];

/// The contract: operations on tensors in regions of one block, no vector above the maximum size, and no helper attributes of
/// schedules.
///
/// # Errors
/// `S9002` for the first operation that violates the contract.
pub fn check(module: &Module<'_>, _options: &Options) -> Result<(), Diagnostic> {
    let mut outcome = Ok(());
    module_op(module).walk(WalkOrder::Pre, &mut |op| {
        if outcome.is_ok()
            && let Some(reason) = violation(op).or_else(|| wrong_limit(op))
        {
            outcome = Err(strata_ir::diagnostic_at(codes::S9002, op).reason(reason));
        }
    });
    outcome
}

fn violation(op: Op<'_>) -> Option<&'static str> {
    let values = op.results().into_iter().chain(op.operands());
    let mut types = values.map(|value| value.ty());
    if !DIALECTS.contains(&op.dialect()) || op.is(builtin::UNREALIZED_CONVERSION_CAST) {
        return Some("an operation of another dialect is left");
    }
    if types.any(|ty| ty.is_memref_type()) {
        return Some("there is a buffer, but buffers are assigned later");
    }
    if op.regions().into_iter().any(|region| region.blocks().len() > 1) {
        return Some("a region has several blocks");
    }
    if has_huge_vector(op) {
        return Some("a vector is larger than any schedule needs");
    }
    // Those of functions and of the module say what the program is.
    let is_tag = |name: &str| {
        name.starts_with("strata.")
            && !matches!(
                name,
                tags::SCHEDULE
                    | PACKED
                    | tags::SUMS
                    | tags::AGAIN
                    | tags::TILES
                    | LIMIT
                    | BLOCKS
                    | MASK
                    | PLACES
                    | RARELY
                    | ROUNDED
                    | ROWS
            )
    };
    let is_nested = op.parent().is_some_and(|parent| parent.parent().is_some());
    let tagged = is_nested && op.discardable_attrs().iter().any(|(name, _)| is_tag(name));
    tagged.then_some("a tag of a schedule is left")
}

/// Why a limit is not one of a loop, or not a number of iterations that follows from the sizes of a call.
fn wrong_limit(op: Op<'_>) -> Option<&'static str> {
    let within = op.attr(BLOCKS).and_then(|of| of.as_array());
    if op.has_attr(BLOCKS) && (!op.is(scf::FOR) || within.as_ref().is_some_and(|of| of.len() != 2))
    {
        return Some("`strata.blocks` is a number, or this and a map, of a `scf.for`");
    }
    let of_block = within.and_then(|of| of.get(1).copied());
    let limit = op.attr(LIMIT).or(of_block)?;
    let limits = match op.name() {
        scf::FOR => [Some(limit), of_block].into_iter().flatten().collect(),
        linalg::GENERIC => {
            let loops = Structured::of_generic(op);
            let limits = limit.as_array().unwrap_or_default();
            if loops.is_none_or(|nest| nest.extents.len() != limits.len()) {
                return Some("an operation has not one `strata.limit` for each of its loops");
            }
            limits
        }
        linalg::FILL => {
            let limits = limit.as_array().unwrap_or_default();
            if op.result(0).ty().rank() != Some(limits.len()) {
                return Some("a fill has not one `strata.limit` for each of its dimensions");
            }
            limits
        }
        tensor::PAD => {
            let limits = limit.as_array().unwrap_or_default();
            if op.result(0).ty().rank() != Some(limits.len()) {
                return Some("a pad has not one `strata.limit` for each of its dimensions");
            }
            limits
        }
        _ => {
            return Some(
                "`strata.limit` is for `scf.for`, `tensor.pad`, `linalg.fill`, `linalg.generic`",
            );
        }
    };
    let sizes =
        bounded_entry(op).and_then(|entry| AffineMap::of(*entry.attr(VALID)?.as_array()?.first()?));
    let Some(sizes) = sizes.map(|map| map.dims) else {
        return Some("there is a `strata.limit`, but no `strata.valid` on the entry");
    };
    let is_right = |limit| {
        let Some(map) = AffineMap::of(limit).filter(|map| (map.dims, map.symbols) == (sizes, 0))
        else {
            return false;
        };
        match &map.results[..] {
            [] => !op.is(scf::FOR),
            [bound] => Bound::of(bound, sizes).is_some(),
            _ => false,
        }
    };
    let is_wrong = limits.into_iter().any(|limit| !is_right(limit));
    is_wrong.then_some(
        "a `strata.limit` is not a map from the sizes of `strata.valid` to a multiple of one of them, to which a number may be added, and which may be divided by one",
    )
}

/// Whether an operation makes a vector above the maximum size.
pub(crate) fn has_huge_vector(op: Op<'_>) -> bool {
    op.result_types().into_iter().any(|ty| {
        ty.is_vector_type()
            && ty.element_count().is_none_or(|count| {
                count * u64::from(ty.element().bit_width().unwrap_or(64)) / 8 > MAX_VECTOR_BYTES
            })
    })
}
