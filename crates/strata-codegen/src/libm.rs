//! What in a program of the LLVM dialect becomes a call of the C mathematics library.

use strata_diag::Location;
use strata_ir::{AttributeExt as _, Module, WalkOrder, llvm, module_op, source_location};

use crate::emit::is_libm;

/// The functions, by their names for `double`, that operations of the program may call, with the places of these operations. Most
/// intrinsics are instructions on most processors, so that not all of them are called.
pub fn users(module: &Module<'_>) -> Vec<(String, Location)> {
    let mut found: Vec<(String, Location)> = Vec::new();
    module_op(module).walk(WalkOrder::Pre, &mut |op| {
        let function = match op.name() {
            llvm::FREM => Some("fmod"),
            llvm::CALL => op.attr("callee").and_then(|name| name.as_symbol()),
            name => name.mnemonic().strip_prefix("intr."),
        };
        let Some(function) = function.filter(|name| is_libm(name)) else { return };
        let Some(place) = source_location(op.location()) else { return };
        let base = function.strip_suffix('f').filter(|base| is_libm(base)).unwrap_or(function);
        let user = (base.to_owned(), place);
        if !found.contains(&user) {
            found.push(user);
        }
    });
    found
}
