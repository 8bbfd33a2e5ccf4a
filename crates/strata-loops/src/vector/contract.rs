//! The contract of stage `vector`.

use rustc_hash::FxHashSet;
use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Module, Op, TypeExt as _, Value, WalkOrder, diagnostic_at, func, marked_entry, module_op,
    vector,
};
use strata_options::Options;

use strata_shapes::Specializations;

use super::legalise::{Widths, tiles};

/// Checks the output contract: the entry is a function as stage `affine` left it, there are only vectors that the target has, no
/// tensor, no affine operation, no operation on vectors of a higher level. An entry with dynamic shapes has a function for each
/// combination of sizes.
///
/// # Errors
/// `S9002` naming the first operation that violates it.
pub fn check(module: &Module<'_>, options: &Options) -> Result<(), Diagnostic> {
    if let Ok(entry) = marked_entry(module)
        && !entry.is(func::FUNC)
    {
        return Err(diagnostic_at(codes::S9002, entry).reason("the entry is not a function"));
    }
    Specializations::of(module)?;
    let widths = Widths::of(&options.target);
    let tiles = tiles(module_op(module));
    let mut broken = None;
    module_op(module).walk(WalkOrder::Pre, &mut |op| {
        if broken.is_none()
            && let Some(reason) = violation(op, &widths, &tiles)
        {
            broken = Some(diagnostic_at(codes::S9002, op).reason(reason));
        }
    });
    broken.map_or(Ok(()), Err)
}

fn violation<'c>(op: Op<'c>, widths: &Widths, tiles: &FxHashSet<Value<'c>>) -> Option<String> {
    let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
    let lacking = op
        .results()
        .into_iter()
        .chain(blocks.flat_map(|block| block.args()))
        .filter(|value| !tiles.contains(value))
        .map(|value| value.ty())
        .find(|ty| ty.is_vector_type() && !widths.has(*ty));
    if let Some(ty) = lacking {
        return Some(format!("the target has no `{ty}`"));
    }
    if op.results().iter().any(|value| value.ty().is_tensor_type()) {
        return Some("a tensor has no buffer".to_owned());
    }
    match op.name() {
        vector::CONTRACT
        | vector::MULTI_REDUCTION
        | vector::TRANSFER_READ
        | vector::TRANSFER_WRITE
        | vector::OUTERPRODUCT => Some(
            "the operation should have been lowered to loads, stores and multiply-adds".to_owned(),
        ),
        _ if op.dialect() == "affine" => {
            Some("the loop or access should have been lowered".to_owned())
        }
        _ => None,
    }
}
