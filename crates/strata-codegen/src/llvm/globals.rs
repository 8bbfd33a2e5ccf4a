//! Globals of stage `llvm`.

use strata_diag::Diagnostic;
use strata_ir::{Builder, Context, Op, module_op, parse_text};

/// Adds the operations of `text` before all others of `root`.
///
/// # Errors
/// Where the text does not parse.
pub(super) fn add<'c>(context: &'c Context, root: Op<'c>, text: &str) -> Result<(), Diagnostic> {
    let parsed = parse_text(context, text)?;
    let first = root.body(0).first_op();
    for op in module_op(&parsed).body(0).ops() {
        match first {
            Some(first) => Builder::before(context, first).adopt(op),
            None => Builder::at_end(context, root.body(0), root.location()).adopt(op),
        };
    }
    Ok(())
}
