//! Printing and verifying modules, and finding the entry.

use melior::{Context, ir::Module};
use mlir_sys as sys;
use strata_diag::{Diagnostic, codes, did_you_mean};

use crate::{
    attrs::AttributeExt as _,
    diagnostics::{Captured, capture, diagnostic_at, source_location},
    func,
    handles::{Op, text_of},
};

/// The module as an operation.
pub fn module_op<'c>(module: &Module<'c>) -> Op<'c> {
    // SAFETY: a module is an operation, which lives as long as the module.
    unsafe { Op::from_raw(module.as_operation().to_raw()) }
}

/// The module as text that parses again; debug locations only with `locations`.
pub fn print(module: &Module<'_>, locations: bool) -> String {
    print_op(module_op(module), locations, None, false)
}

/// As [`print`] without locations, of a module that was verified, which MLIR does again otherwise.
pub fn print_verified(module: &Module<'_>) -> String {
    print_op(module_op(module), false, None, true)
}

fn print_op(op: Op<'_>, locations: bool, elide_above: Option<i64>, is_verified: bool) -> String {
    // SAFETY: the flags are destroyed once, after the last use; the callback writes to the vector that `text_of` holds.
    unsafe {
        let flags = sys::mlirOpPrintingFlagsCreate();
        if locations {
            sys::mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
        }
        if is_verified {
            sys::mlirOpPrintingFlagsAssumeVerified(flags);
        }
        if let Some(limit) = elide_above {
            sys::mlirOpPrintingFlagsElideLargeElementsAttrs(flags, limit as isize);
            sys::mlirOpPrintingFlagsElideLargeResourceString(flags, limit as isize);
        }
        let mut text = text_of(|callback, data| {
            sys::mlirOperationPrintWithFlags(op.to_raw(), flags, callback, data)
        });
        sys::mlirOpPrintingFlagsDestroy(flags);
        if !text.ends_with('\n') {
            text.push('\n');
        }
        text
    }
}

/// The module as text for a reader: constants of more than `limit` elements are elided, so the
/// text does not parse back to the same module.
pub fn print_elided(module: &Module<'_>, limit: i64) -> String {
    print_op(module_op(module), false, Some(limit), false)
}

/// The same with source locations.
pub fn print_elided_with_locations(module: &Module<'_>, limit: i64) -> String {
    print_op(module_op(module), true, Some(limit), false)
}

/// Verifies the module after stage `stage`; a violation there is our bug.
pub fn verify(context: &Context, module: &Module<'_>, stage: &str) -> Result<(), Diagnostic> {
    let (valid, reports) = capture(context, || module_op(module).verify());
    if valid {
        return Ok(());
    }
    let message = reports.iter().find(|report| report.is_error);
    let mut diagnostic = Diagnostic::new(codes::S9002).reason(format!(
        "the module is invalid after stage `{stage}`: {}",
        message.map_or_else(|| "MLIR gave no reason".to_owned(), Captured::with_notes)
    ));
    if let Some(location) = message.and_then(|report| report.location.clone()) {
        diagnostic = diagnostic.at(location);
    }
    Err(diagnostic)
}

/// The public functions with a body, in order.
pub fn entry_functions<'c>(module: &Module<'c>) -> Vec<Op<'c>> {
    module_op(module)
        .body(0)
        .ops()
        .into_iter()
        .filter(|op| op.is(func::FUNC) && op.region(0).first_block().is_some())
        .filter(|op| {
            op.attr("sym_visibility").and_then(|value| value.as_str()).unwrap_or("public")
                == "public"
        })
        .collect()
}

/// The function to compile: `name` if given, else the only public one or, of several, `@main`: JAX
/// leaves helpers such as comparators public.
///
/// # Errors
/// `S1006` when there is none, `S1007` when there are several, `S1010` when `name` is not one.
pub fn entry<'c>(module: &Module<'c>, name: Option<&str>) -> Result<Op<'c>, Diagnostic> {
    let functions = entry_functions(module);
    let names: Vec<_> = functions.iter().map(|op| function_name(*op)).collect();
    if let Some(name) = name {
        let found = functions.iter().zip(&names).find(|(_, candidate)| **candidate == name);
        return found.map(|(op, _)| *op).ok_or_else(|| {
            Diagnostic::new(codes::S1010)
                .reason(format!("there is no public function `@{name}` with a body"))
                .hint(match did_you_mean(name, names.iter().copied()) {
                    Some(hint) => hint,
                    None => format!("the public functions are: {}", list(&names)),
                })
        });
    }
    if let Some(main) = names.iter().position(|name| *name == "main") {
        return Ok(functions[main]);
    }
    match functions.as_slice() {
        [only] => Ok(*only),
        [] => Err(no_entry(module)),
        [_, second, ..] => Err(diagnostic_at(codes::S1007, *second)
            .reason(format!("the public functions are: {}", list(&names)))
            .hint(format!(
                "choose one with `--entry {}`; `strata compile --entry {}` makes one object of several",
                names[0],
                names.join(",")
            ))),
    }
}

/// The error for a module without an entry, at the function that would be one.
fn no_entry(module: &Module<'_>) -> Diagnostic {
    let functions = module_op(module).body(0).ops();
    let functions = || functions.iter().copied().filter(|op| op.is(func::FUNC));
    let has_body = |op: &Op<'_>| op.region(0).first_block().is_some();
    if let Some(private) = functions().find(has_body) {
        let name = function_name(private);
        return diagnostic_at(codes::S1006, private)
            .reason(format!("`@{name}` is private, and no function with a body is public"))
            .hint(format!("make the function to compile public: `func.func public @{name}(…)`"));
    }
    if let Some(declared) = functions().next() {
        return diagnostic_at(codes::S1006, declared)
            .reason(format!("`@{}` is only declared", function_name(declared)))
            .hint("give the function to compile a body: `{ … return … }`");
    }
    let nothing = Diagnostic::new(codes::S1006)
        .reason("the module has no function")
        .hint("a program is a function: `func.func public @main(…)`");
    match source_location(module_op(module).location()) {
        Some(place) => nothing.at(place),
        None => nothing,
    }
}

/// The symbol name of a function.
pub fn function_name(function: Op<'_>) -> &str {
    function.attr("sym_name").and_then(|value| value.as_str()).unwrap_or("")
}

fn list(names: &[&str]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("@{name}")).collect::<Vec<_>>().join(", ")
}
