//! Reading, printing and verifying modules.

use melior::{Context, ir::Module};
use mlir_sys as sys;
use strata_diag::{Code, Diagnostic, Diagnostics, Location, codes};

use crate::{
    attrs::AttributeExt as _,
    diagnostics::{Captured, capture, diagnostic_at},
    handles::{Op, string_ref, text_of},
    limits::{check_nesting, check_sizes},
    pass::bug,
};

const BYTECODE_MAGIC: &[u8] = b"ML\xefR";

unsafe extern "C" {
    /// Parses text or bytecode whose locations name `name`; defined in `dialects/capi`.
    fn strataParseModule(
        context: sys::MlirContext,
        source: sys::MlirStringRef,
        name: sys::MlirStringRef,
    ) -> sys::MlirModule;
}

/// The module as an operation.
pub fn module_op<'c>(module: &Module<'c>) -> Op<'c> {
    unsafe { Op::from_raw(module.as_operation().to_raw()) }
}

/// Reads a module from MLIR text or bytecode; the kind is recognised from the content.
///
/// `name` is what locations and diagnostics call the source.
///
/// # Errors
/// `S1002` for empty input, `S1003` for what is no MLIR, `S1001` for a syntax error, `S1004` for
/// unknown operations and dialects, `S1005` for operations that violate their definitions, `S1008` and
/// `S1009` for what is nested too deeply or too large.
pub fn parse<'c>(
    context: &'c Context,
    name: &str,
    bytes: &[u8],
) -> Result<Module<'c>, Diagnostics> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        let reason = "there is no operation in the input";
        return Err(Diagnostic::new(codes::S1002)
            .at(Location::file(name))
            .reason(reason)
            .hint("give a StableHLO module as MLIR text or bytecode")
            .into());
    }
    let text = std::str::from_utf8(bytes).ok();
    if text.is_none_or(|text| text.contains('\0')) && !bytes.starts_with(BYTECODE_MAGIC) {
        return Err(Diagnostic::new(codes::S1003)
            .at(Location::file(name))
            .reason("the content is neither MLIR text (UTF-8) nor MLIR bytecode")
            .into());
    }
    if let Some(text) = text {
        check_nesting(name, text)?;
    }
    // MLIR's lexer reads the byte behind the source: it has to be a zero.
    let mut source = Vec::with_capacity(bytes.len() + 1);
    source.extend_from_slice(bytes);
    source.push(0);
    let view = sys::MlirStringRef { data: source.as_ptr().cast(), length: bytes.len() };
    let (raw, reports) =
        capture(context, || unsafe { strataParseModule(context.to_raw(), view, string_ref(name)) });
    // A null module is a failed parse; errors without one would be a bug of the parser.
    let module = unsafe { Module::from_option_raw(raw) };
    match module {
        Some(module) if !reports.iter().any(|report| report.is_error) => {
            check_sizes(&module).map_err(|errors| match text {
                Some(text) => errors.map(|error| error.source_file(name, text)),
                None => errors,
            })?;
            Ok(module)
        }
        _ => Err(read_errors(name, text, &reports)),
    }
}

/// As [`parse`], for text that the compiler made itself: a failure is our bug.
pub fn parse_text<'c>(context: &'c Context, text: &str) -> Result<Module<'c>, Diagnostic> {
    parse(context, "<generated>", text.as_bytes()).map_err(|errors| {
        bug("text that the compiler generated does not parse", &errors.to_string())
    })
}

fn read_errors(name: &str, text: Option<&str>, reports: &[Captured]) -> Diagnostics {
    let mut list: Vec<Diagnostic> = reports
        .iter()
        .filter(|report| report.is_error)
        .map(|report| read_error(name, text, report))
        .collect();
    if list.is_empty() {
        let reason = "MLIR gave no reason";
        list.push(Diagnostic::new(codes::S1003).at(Location::file(name)).reason(reason));
    }
    list.into_iter().collect()
}

fn read_error(name: &str, text: Option<&str>, report: &Captured) -> Diagnostic {
    let mut lines = report.message.split("\nnote: ");
    let message = lines.next().unwrap_or_default();
    let (code, operation) = classify(message);
    let mut diagnostic = Diagnostic::new(code)
        .at(report.location.clone().unwrap_or_else(|| Location::file(name)))
        .reason(message);
    if let Some(operation) = operation {
        diagnostic = diagnostic.operation(operation);
    }
    for note in lines {
        // The dump of the whole operation repeats what the source line shows.
        if !note.starts_with("see current operation") {
            diagnostic = diagnostic.note(note);
        }
    }
    if code == codes::S1004 {
        diagnostic = diagnostic.hint("`strata list ops` shows the operations that Strata knows");
    }
    match text {
        Some(text) => diagnostic.source_file(name, text),
        None => diagnostic,
    }
}

/// Which of MLIR's own messages means what: the parser has no error codes.
fn classify(message: &str) -> (Code, Option<String>) {
    let quoted = |quote: char| {
        let mut parts = message.split(quote);
        parts.next();
        parts.next().map(str::to_owned)
    };
    if message.contains("not found for custom op")
        || (message.starts_with("custom op") && message.contains("is unknown"))
    {
        return (codes::S1004, quoted('\''));
    }
    if message.contains("unregistered dialect") || message.contains("unregistered operation") {
        return (codes::S1004, quoted('\'').or_else(|| quoted('`')));
    }
    if message.starts_with('\'') && message.contains("' op ") {
        return (codes::S1005, quoted('\''));
    }
    (codes::S1001, None)
}

/// The module as text that parses again; debug locations only with `locations`.
pub fn print(module: &Module<'_>, locations: bool) -> String {
    print_op(module_op(module), locations, None)
}

fn print_op(op: Op<'_>, locations: bool, elide_above: Option<i64>) -> String {
    unsafe {
        let flags = sys::mlirOpPrintingFlagsCreate();
        if locations {
            sys::mlirOpPrintingFlagsEnableDebugInfo(flags, true, false);
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
    print_op(module_op(module), false, Some(limit))
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
        message.map_or("MLIR gave no reason", |report| report.message.as_str())
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
        .filter(|op| op.is("func.func") && op.region(0).first_block().is_some())
        .filter(|op| {
            op.attr("sym_visibility").and_then(|value| value.as_str()).unwrap_or("public")
                == "public"
        })
        .collect()
}

/// The function to compile: `name` if given, else the only public one.
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
                .hint(format!("the public functions are: {}", list(&names)))
        });
    }
    match functions.as_slice() {
        [only] => Ok(*only),
        [] => Err(diagnostic_at(codes::S1006, module_op(module))
            .reason("the module has no public function with a body")
            .hint("make the function to compile public: `func.func public @main(…)`")),
        [_, second, ..] => Err(diagnostic_at(codes::S1007, *second)
            .reason(format!("the public functions are: {}", list(&names)))
            .hint("choose one with `--entry NAME`, or make the others private")),
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
