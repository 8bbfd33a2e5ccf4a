//! Reading modules: what kind of input it is, and what MLIR has against it.

use melior::{Context, ir::Module};
use mlir_sys as sys;
use strata_diag::{Code, Diagnostic, Diagnostics, Location, codes, did_you_mean};

use crate::{
    bytecode,
    context::is_dialect_known,
    diagnostics::{Captured, capture},
    foreign,
    handles::string_ref,
    hex::pack_bools,
    kinds::OpKind,
    limits::{check_nesting, check_sizes},
    pass::bug,
    resources::check_resources,
};

unsafe extern "C" {
    /// Parses text or bytecode whose locations name `name`; defined in `dialects/capi`.
    fn strataParseModule(
        context: sys::MlirContext,
        source: sys::MlirStringRef,
        name: sys::MlirStringRef,
    ) -> sys::MlirModule;
}

const EXPECTED: &str = "expected StableHLO as MLIR text, MLIR bytecode or a portable artifact";

/// Reads a module from MLIR text or bytecode; the kind is recognised from the content.
///
/// `name` is what locations and diagnostics call the source.
///
/// # Errors
/// `S1002` for empty input, `S1003` for what is no MLIR, `S1001` for a syntax error, `S1011` for
/// damaged bytecode, `S1004` for
/// unknown operations and dialects, `S1005` for operations that violate their definitions or name elements that are not there, `S1008` and
/// `S1009` for what is nested too deeply or too large.
pub fn parse<'c>(
    context: &'c Context,
    name: &str,
    bytes: &[u8],
) -> Result<Module<'c>, Diagnostics> {
    let text = recognise(name, bytes)?;
    match text {
        Some(text) => check_nesting(name, text)?,
        None => bytecode::check(bytes).map_err(|reason| {
            Diagnostic::new(codes::S1011).at(Location::file(name)).reason(reason)
        })?,
    }
    // MLIR's lexer reads the byte behind the source: it has to be a zero.
    let mut source = match text {
        Some(text) => pack_bools(text).into_owned().into_bytes(),
        None => bytecode::small_floats_as_text(bytes).into_owned(),
    };
    source.push(0);
    let view = sys::MlirStringRef { data: source.as_ptr().cast(), length: source.len() - 1 };
    let (raw, reports) =
        capture(context, || unsafe { strataParseModule(context.to_raw(), view, string_ref(name)) });
    // A null module is a failed parse; errors without one would be a bug of the parser.
    let module = unsafe { Module::from_option_raw(raw) };
    match module {
        Some(module) if !reports.iter().any(|report| report.is_error) => {
            let checked = check_sizes(&module).and_then(|()| check_resources(&module));
            checked.map_err(|errors| match text {
                Some(text) => errors.map(|error| error.source_file(name, text)),
                None => errors,
            })?;
            Ok(module)
        }
        _ => Err(read_errors(context, name, text, &reports)),
    }
}

/// The text, or `None` for bytecode.
///
/// # Errors
/// `S1002` and `S1003`.
fn recognise<'t>(name: &str, bytes: &'t [u8]) -> Result<Option<&'t str>, Diagnostic> {
    if bytes.starts_with(bytecode::MAGIC) {
        return Ok(None);
    }
    let refuse = |code, reason: String| {
        Err(Diagnostic::new(code).at(Location::file(name)).reason(reason).hint(EXPECTED))
    };
    if bytes.is_empty() {
        return refuse(codes::S1002, "the file has no content".to_owned());
    }
    if let Some(kind) = foreign::recognise(bytes) {
        return refuse(codes::S1003, format!("the content is {kind}"));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => {
            let is_blank = |line: &str| line.is_empty() || line.starts_with("//");
            if text.lines().map(str::trim).all(is_blank) {
                return refuse(codes::S1002, "there is no operation in it".to_owned());
            }
            Ok(Some(text))
        }
        _ => {
            let start: Vec<_> = bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            refuse(
                codes::S1003,
                format!("the content begins with the bytes {} and is no text", start.join(" ")),
            )
        }
    }
}

/// As [`parse`], for text that the compiler made itself: a failure is our bug.
pub fn parse_text<'c>(context: &'c Context, text: &str) -> Result<Module<'c>, Diagnostic> {
    parse(context, "<generated>", text.as_bytes()).map_err(|errors| {
        bug("text that the compiler generated does not parse", &errors.to_string())
    })
}

fn read_errors(
    context: &Context,
    name: &str,
    text: Option<&str>,
    reports: &[Captured],
) -> Diagnostics {
    let mut list: Vec<Diagnostic> = reports
        .iter()
        .filter(|report| report.is_error)
        .map(|report| read_error(context, name, text, report))
        .collect();
    if list.is_empty() {
        let reason = "MLIR gave no reason";
        list.push(Diagnostic::new(codes::S1003).at(Location::file(name)).reason(reason));
    }
    match text.and_then(|text| not_mlir(name, text, list.first()?)) {
        Some(other) => other.into(),
        None => list.into_iter().collect(),
    }
}

/// Text whose very first word is wrong is something else than MLIR, and no mistake in it.
fn not_mlir(name: &str, text: &str, first: &Diagnostic) -> Option<Diagnostic> {
    let is_comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with("//");
    let (number, line) = (1u32..).zip(text.lines()).find(|(_, line)| !is_comment(line))?;
    let start = line.len() - line.trim_start().len();
    let word: String =
        line.trim_start().chars().take_while(|c| !c.is_whitespace()).take(24).collect();
    let place = Location::new(name, number, u32::try_from(start).ok()? + 1);
    // `dialect.operation` and `"dialect.operation"` are MLIR, even where nobody knows them.
    let is_mlir = word.contains('.') || word.starts_with(['%', '#', '!', '"', '^']);
    let blames_the_first_word =
        [codes::S1001, codes::S1004].contains(&first.code()) && first.location() == Some(&place);
    (blames_the_first_word && !is_mlir).then(|| {
        Diagnostic::new(codes::S1003)
            .at(place)
            .source(line)
            .reason(format!("the text begins with `{word}`, as no MLIR does"))
            .hint(EXPECTED)
    })
}

fn read_error(context: &Context, name: &str, text: Option<&str>, report: &Captured) -> Diagnostic {
    let message = report.message.as_str();
    let (code, operation) = match classify(message) {
        // Bytecode has no syntax to err in.
        (code, None) if code == codes::S1001 && text.is_none() => (codes::S1011, None),
        classified => classified,
    };
    let prefix = operation.as_ref().map(|name| format!("'{name}' op "));
    let message = prefix.and_then(|prefix| message.strip_prefix(&prefix)).unwrap_or(message);
    let mut diagnostic = Diagnostic::new(code)
        .at(report.location.clone().unwrap_or_else(|| Location::file(name)))
        .reason(message);
    if let Some(operation) = operation {
        diagnostic = diagnostic.operation(operation);
    }
    for (note, place) in &report.notes {
        // The dump of the whole operation repeats what the source line shows; dialects are those of MLIR.
        if note.starts_with("see current operation") || note.starts_with("Available dialects") {
            continue;
        }
        diagnostic = match place {
            Some(place) => diagnostic.note_at(place.clone(), note),
            None => diagnostic.note(note),
        };
    }
    if let Some((value, used, defined)) = types_of_use(message) {
        diagnostic = diagnostic.reason(format!("`{value}` is used as {used}, and is {defined}"));
    }
    if let Some(hint) = conversion(message) {
        diagnostic = diagnostic.hint(hint);
    }
    if code == codes::S1004 {
        if let Some(dialect) = unknown_dialect(message) {
            diagnostic = diagnostic.reason(format!("there is no dialect `{dialect}`"));
        }
        diagnostic = diagnostic.hint("`strata list ops` shows the operations that Strata knows");
        if let Some((operation, place)) = name_before(text, report.location.as_ref()) {
            let dialect = operation.split('.').next().unwrap_or(operation);
            diagnostic = diagnostic.operation(operation).at(place).reason(
                if is_dialect_known(context, dialect) {
                    format!("dialect `{dialect}` has no operation of that name")
                } else {
                    format!("there is no dialect `{dialect}`")
                },
            );
        }
        let known = OpKind::ALL.iter().map(|kind| kind.name());
        if let Some(hint) = diagnostic.operation_name().and_then(|name| did_you_mean(name, known)) {
            diagnostic = diagnostic.hint(hint);
        }
    }
    match text {
        Some(text) => diagnostic.source_file(name, text),
        None => diagnostic,
    }
}

/// The value that a program uses with another type than its own, and both types.
fn types_of_use(message: &str) -> Option<(&str, &str, &str)> {
    let rest = message.strip_prefix("use of value '")?;
    let (value, rest) = rest.split_once("' expects different type than prior uses: '")?;
    let (used, rest) = rest.split_once("' vs '")?;
    Some((value, used, rest.strip_suffix('\'')?))
}

/// What makes one of two types that should be the same of the other.
fn conversion(message: &str) -> Option<&'static str> {
    let shapes = "expected one shape of operands and results, found ";
    let (one, other) = match (types_of_use(message), message.strip_prefix(shapes)) {
        (Some((_, one, other)), _) => (one, other),
        (None, Some(rest)) => rest.trim_matches('\'').split_once("' and '")?,
        (None, None) => return None,
    };
    let parts = |ty: &str| {
        let inside = ty.strip_prefix("tensor<")?.strip_suffix('>')?.to_owned();
        let is_size = |part: &str| part.chars().all(|c| c.is_ascii_digit() || c == '?');
        let mut element = inside.as_str();
        while let Some((_, rest)) = element.split_once('x').filter(|(size, _)| is_size(size)) {
            element = rest;
        }
        Some((inside.strip_suffix(element)?.to_owned(), element.to_owned()))
    };
    match (parts(one)?, parts(other)?) {
        ((from, _), (to, _)) if from != to => Some(
            "`stablehlo.broadcast_in_dim` gives an array another shape; `chlo.broadcast_add` and its like \
             broadcast their operands",
        ),
        _ => Some("`stablehlo.convert` gives an array another element type"),
    }
}

/// The dialect that MLIR says it does not know.
fn unknown_dialect(message: &str) -> Option<&str> {
    let after = message.strip_prefix("Dialect `").or_else(|| message.strip_prefix("dialect '"))?;
    after.split('\'').next()
}

/// The quoted name of an operation that ends where `after` points, and where it begins: MLIR reports
/// an unknown operation behind its name.
fn name_before<'t>(text: Option<&'t str>, after: Option<&Location>) -> Option<(&'t str, Location)> {
    let after = after?;
    let line = text?.lines().nth((after.line as usize).checked_sub(1)?)?;
    let before = line.get(..(after.column as usize).checked_sub(1)?)?.strip_suffix('"')?;
    let start = before.rfind('"')?;
    let place = Location::new(after.file.as_str(), after.line, u32::try_from(start).ok()? + 1);
    Some((before.get(start + 1..)?, place))
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
        // "Dialect `d' not found for custom op 'd.o'": the last one quoted is the operation.
        let name = message.split("custom op '").nth(1).and_then(|rest| rest.split('\'').next());
        return (codes::S1004, name.map(str::to_owned));
    }
    if message.starts_with("dialect '") && message.contains("is unknown") {
        return (codes::S1004, None);
    }
    if message.contains("unregistered dialect") || message.contains("unregistered operation") {
        return (codes::S1004, quoted('\'').or_else(|| quoted('`')));
    }
    if types_of_use(message).is_some() {
        return (codes::S1016, None);
    }
    if message.starts_with('\'') && message.contains("' op ") {
        return (codes::S1005, quoted('\''));
    }
    (codes::S1001, None)
}
