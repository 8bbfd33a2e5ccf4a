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
        let user = (of_double(function).to_owned(), place);
        if !found.contains(&user) {
            found.push(user);
        }
    });
    found
}

/// The function for `double` of which this is the one for `float`, or the function itself.
pub fn of_double(function: &str) -> &str {
    function.strip_suffix('f').filter(|base| is_libm(base)).unwrap_or(function)
}

/// The operations of StableHLO and CHLO, without their dialects, that such a function may compute, where their names differ from its
/// own.
pub fn operations(function: &str) -> &'static [&'static str] {
    match function {
        "fmod" => &["remainder"],
        "pow" => &["power"],
        "exp" => &["exponential", "logistic"],
        "expm1" => &["exponential_minus_one"],
        "log1p" => &["log_plus_one"],
        "sin" => &["sine"],
        "cos" => &["cosine"],
        "round" => &["round_nearest_afz"],
        "rint" | "nearbyint" | "roundeven" => &["round_nearest_even"],
        _ => &[],
    }
}
