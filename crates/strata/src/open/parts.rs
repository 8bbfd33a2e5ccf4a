//! Programs of which devices have parts of values: these have given sizes.

use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_ir::{Module, OpKind, is_split, module_op};
use strata_options::Options;

use crate::survey;

/// Whether devices have parts of values, in the whole program or in bodies that are written for parts.
pub fn are_in(module: &Module<'_>) -> bool {
    let is_body = |op: strata_ir::Op<'_>| op.kind() == OpKind::SdyManualComputation;
    is_split(module) || !module_op(module).collect(is_body).is_empty()
}

/// The error for symbols that are left open; `None` where none is.
///
/// # Errors
/// As [`survey::symbols`].
pub fn refused(
    options: &Options,
    name: &str,
    bytes: &[u8],
) -> Result<Option<Diagnostic>, Diagnostics> {
    let symbols = survey::symbols(options, name, bytes)?.map(|symbols| symbols.names);
    let mut open = symbols.unwrap_or_default();
    open.retain(|symbol| options.bind.iter().all(|(known, _)| known != symbol));
    if open.is_empty() {
        return Ok(None);
    }
    let (verb, it) = if open.len() == 1 { ("is", "it a value") } else { ("are", "them values") };
    let words: Vec<_> = open.iter().map(|symbol| format!("{symbol}=8")).collect();
    let reason = format!(
        "`{}` {verb} left open, and devices have parts of values, which have given sizes",
        open.join("`, `")
    );
    let hint = format!("give {it}: `--bind {}`", words.join(","));
    Ok(Some(Diagnostic::new(codes::S1101).reason(reason).hint(hint)))
}
