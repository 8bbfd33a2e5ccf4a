//! Tensors that are prepared, as parts of one block of bytes.
//!
//! ```text
//! func @main(%x: memref<9xf32>, %panels: memref<21x512x24xf32>, %rest: memref<512x16xf32>, …)
//! ```
//! becomes
//! ```text
//! func @main(%x: memref<9xf32>, %block: memref<1064960xi8>, …) {
//!   %panels = memref.view %block[64][] : memref<1064960xi8> to memref<21x512x24xf32>
//!   %rest = memref.view %block[1032256][] …
//! ```
//! and likewise the outputs of the function that makes them: the tag, at offset 0, the tensors and the zeros between them.

use strata_diag::{Diagnostic, codes};
use strata_ir::{
    Builder, Context, Op, PREPARED, Prepared, Value, diagnostic_at, function, integer, made_places,
    memref, prepared_places, record_types, recorded_types, tensor, type_attr, unsigned_integer,
};

/// Gives an entry with prepared tensors, or one that makes them, the block, of at least so many bytes.
///
/// # Errors
/// `S9002` for an entry whose signature does not fit its arguments.
pub(super) fn join<'c>(context: &'c Context, entry: Op<'c>, least: u64) -> Result<(), Diagnostic> {
    let broken = |reason: &str| diagnostic_at(codes::S9002, entry).reason(reason.to_owned());
    let prepared = match Prepared::of(entry) {
        Some(prepared) => prepared,
        None if entry.has_attr(PREPARED) => {
            return Err(broken("the attribute of its block is none"));
        }
        None => return Ok(()),
    };
    let (mut inputs, mut outputs) =
        recorded_types(entry).ok_or_else(|| broken("the entry has no signature"))?;
    let body = entry.body(0);
    let args = body.args();
    let unknown = || broken("prepared tensors have no size");
    let mismatch = || broken("the entry has other arguments than its signature");
    let first_output = args.len().checked_sub(outputs.len() + 1).ok_or_else(mismatch)?;
    // The first of the tensors, and the place of each.
    let (first, places, size) = match &prepared {
        Prepared::Input(first, _) => {
            let own = inputs.get(*first..).ok_or_else(mismatch)?;
            let (places, size) = prepared_places(own).ok_or_else(unknown)?;
            // Those before them that are donated have no arguments.
            (first_output.checked_sub(own.len()).ok_or_else(mismatch)?, places, size)
        }
        Prepared::Outputs(_) => {
            let (places, size) = made_places(&outputs).ok_or_else(unknown)?;
            (first_output, places, size)
        }
    };
    let size = i64::try_from(size.max(least)).map_err(|_| unknown())?;
    let bytes = integer(context, 8);
    let block = body.insert_arg(first, memref(&[size], bytes), entry.location());
    let parts: Vec<_> = body.args().into_iter().skip(first + 1).zip(places).collect();
    if let Some(start) = body.first_op() {
        let b = Builder::before(context, start);
        for (part, place) in parts.iter().filter(|(part, _)| part.has_uses()) {
            let at = b.index(i64::try_from(*place).map_err(|_| unknown())?);
            let view = b.op(memref::VIEW).operands(&[block, at]).result(part.ty()).value();
            part.replace_all_uses_with(view);
        }
    }
    (0..parts.len()).for_each(|_| body.erase_arg(first + 1));
    let types: Vec<_> = body.args().into_iter().map(Value::ty).collect();
    entry.set_attr("function_type", type_attr(function(context, &types, &[])));
    let whole = tensor(&[size], unsigned_integer(context, 8));
    match prepared {
        Prepared::Input(first, _) => inputs.splice(first.., [whole]).for_each(drop),
        Prepared::Outputs(_) => outputs = vec![whole],
    }
    record_types(context, entry, &inputs, &outputs);
    Ok(())
}
