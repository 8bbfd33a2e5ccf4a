//! MLIR's errors about a program as diagnostics: one for each cause, reworded, with related locations.
//!
//! MLIR's parser and verifier report sentences without codes or structure, which [`words`] parses. What a sentence does not
//! contain (similar names, the position of an opening bracket) is found in the program's text, see [`source`].

mod attributes;
mod devices;
mod dialects;
mod quantized;
mod source;
mod types;
mod words;

use melior::Context;
use strata_diag::{Code, Diagnostic, Diagnostics, Location, codes, did_you_mean};

use crate::{
    context::{is_dialect_known, operations_of},
    diagnostics::Captured,
    kinds::OpKind,
    parse::EXPECTED,
};

pub use dialects::dialect_hint;
use source::Source;

/// The errors among `reports` as diagnostics about the program called `name`, whose text it is unless it is bytecode.
pub fn read_errors(
    context: &Context,
    name: &str,
    text: Option<&str>,
    reports: &[Captured],
) -> Diagnostics {
    let mut list: Vec<Diagnostic> = Vec::new();
    for report in reports.iter().filter(|report| report.is_error) {
        // MLIR first reports the cause and then, for the same operation, that something failed because of it.
        match list.pop() {
            Some(cause) if words::is_consequence(&report.message) => {
                list.push(with_consequence(cause, text, report));
            }
            before => {
                list.extend(before);
                list.push(read_error(context, name, text, report));
            }
        }
    }
    if list.is_empty() {
        let reason = "MLIR gave no reason";
        list.push(Diagnostic::new(codes::S1003).at(Location::file(name)).reason(reason));
    }
    if let Some(other) = text.and_then(|text| not_mlir(name, text, list.first()?)) {
        return other.into();
    }
    list.into_iter()
        .map(|error| match text {
            Some(text) => error.source_file(name, text),
            None => error,
        })
        .collect()
}

/// An error with its consequences.
fn with_consequence(cause: Diagnostic, text: Option<&str>, report: &Captured) -> Diagnostic {
    let (code, operation) = classify(&report.message, text.is_none());
    let message = without_name(&report.message, operation.as_deref());
    let cause = cause.message(message);
    match operation {
        // The operation is well-formed but violates its definition.
        Some(operation) if cause.operation_name().is_none() => {
            let code = if cause.code() == codes::S1001 { code } else { cause.code() };
            cause.with_code(code).operation(operation)
        }
        _ => cause,
    }
}

/// Text whose very first word is wrong is not MLIR at all.
fn not_mlir(name: &str, text: &str, first: &Diagnostic) -> Option<Diagnostic> {
    let is_comment = |line: &str| line.trim().is_empty() || line.trim_start().starts_with("//");
    let (number, line) = (1u32..).zip(text.lines()).find(|(_, line)| !is_comment(line))?;
    let start = line.len() - line.trim_start().len();
    let word: String =
        line.trim_start().chars().take_while(|c| !c.is_whitespace()).take(24).collect();
    let place = Location::new(name, number, u32::try_from(start).ok()? + 1);
    // `dialect.operation` and `"dialect.operation"` are MLIR, even if unknown.
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

/// The prefix of the note with the whole operation.
const DUMP: &str = "see current operation";

fn read_error(context: &Context, name: &str, text: Option<&str>, report: &Captured) -> Diagnostic {
    let (mut code, operation) = classify(&report.message, text.is_none());
    let said = without_name(&report.message, operation.as_deref());
    let message = match words::of_attribute(said) {
        Some(own) => {
            // What an attribute may be is checked while it is read.
            code = codes::S1005;
            own
        }
        None => said,
    };
    let mut diagnostic = Diagnostic::new(code)
        .at(report.location.clone().unwrap_or_else(|| Location::file(name)))
        .reason(message)
        .message(said);
    if let Some(operation) = &operation {
        diagnostic = diagnostic.operation(operation);
    }
    for (note, place) in &report.notes {
        // The dump of the operation repeats the source line; the list of loaded dialects is irrelevant.
        if note.starts_with(DUMP) || note.starts_with("Available dialects") {
            continue;
        }
        let note = words::of_note(note);
        diagnostic = match place {
            Some(place) => diagnostic.note_at(place.clone(), note),
            None => diagnostic.note(note),
        };
    }
    let said = words::of(message);
    if let Some(said) = &said {
        diagnostic = diagnostic.reason(&said.reason);
        if let Some(hint) = &said.hint {
            diagnostic = diagnostic.hint(hint);
        }
        if let Some(code) = said.code {
            diagnostic = diagnostic.with_code(code);
        }
    }
    if let Some((reason, hint)) = quantized::misfit(context, message) {
        diagnostic = diagnostic.reason(reason).hint(hint);
    }
    let dump = report.notes.iter().find(|(note, _)| note.starts_with(DUMP));
    if let Some(reason) = dump.and_then(|(dump, _)| words::operand_count(message, dump)) {
        diagnostic = diagnostic.reason(reason);
    }
    let source = text
        .zip(report.location.as_ref())
        .filter(|(_, at)| at.file == name)
        .and_then(|(text, at)| Source::new(text, at));
    let diagnostic = match diagnostic.code() == codes::S1004 {
        true => unknown(context, diagnostic, message, source.as_ref()),
        false => diagnostic,
    };
    let Some(source) = source else { return diagnostic };
    // Types are inferred while the text is read: what is wrong with the operation is not an error of the text.
    let diagnostic = match source.operation_here().filter(|_| words::is_of_definition(message)) {
        Some(name) if diagnostic.operation_name().is_none() => {
            diagnostic.with_code(codes::S1005).operation(name)
        }
        // An attribute does not know whose it is.
        None if diagnostic.operation_name().is_none() && devices::hint(message).is_some() => {
            match source.operation_of_line() {
                Some(name) => diagnostic.operation(name),
                None => diagnostic,
            }
        }
        _ => diagnostic,
    };
    source.add(diagnostic, message)
}

/// The hint for an unknown operation or dialect.
fn unknown(
    context: &Context,
    diagnostic: Diagnostic,
    message: &str,
    source: Option<&Source<'_>>,
) -> Diagnostic {
    let mut diagnostic =
        diagnostic.hint("`strata list ops` shows the operations that Strata knows");
    if let Some((operation, place)) = source.and_then(Source::name_before) {
        diagnostic = diagnostic.operation(operation).at(place);
    }
    let operation = diagnostic.operation_name().map(str::to_owned);
    let dialect = match operation.as_deref().and_then(|name| name.split_once('.')) {
        Some((dialect, _)) => Some(dialect.to_owned()),
        None => unknown_dialect(message).map(str::to_owned),
    };
    let Some(dialect) = dialect else {
        // Operations of `func` and `builtin` may omit their dialect.
        let word = operation.unwrap_or_default();
        let diagnostic = diagnostic.reason(format!("there is no operation `{word}`"));
        return match did_you_mean(&word, ["return", "call", "module", "func.func", "func.call"]) {
            Some(hint) => diagnostic.hint(hint),
            None => diagnostic,
        };
    };
    diagnostic = diagnostic.reason(match is_dialect_known(context, &dialect) {
        true => format!("dialect `{dialect}` has no such operation"),
        false => format!("there is no dialect `{dialect}`"),
    });
    let known = || OpKind::ALL.iter().map(|kind| kind.name().as_str());
    let operation = operation.unwrap_or_default();
    // A dialect of MLIR in the dump of a stage, or in a schedule.
    let own = operations_of(context, &dialect);
    let is_upstream = !own.is_empty() && !dialects::has_names_of_stablehlo(&dialect);
    if is_upstream && !known().any(|known| known.starts_with(&format!("{dialect}."))) {
        let own: Vec<&str> = own.iter().map(String::as_str).collect();
        return diagnostic.hint(near_in_dialect(&operation, &own).unwrap_or_else(|| {
            format!("MLIR's documentation of dialect `{dialect}` lists its operations")
        }));
    }
    if let Some(hint) = dialect_hint(&dialect) {
        let name = operation.split_once('.').map_or("", |(_, name)| name);
        let same = known().find(|known| known.strip_prefix("stablehlo.") == Some(name));
        return diagnostic.hint(match same {
            Some(same) if dialects::has_names_of_stablehlo(&dialect) => {
                format!("{hint}; there it is `{same}`")
            }
            _ => hint.to_owned(),
        });
    }
    match did_you_mean(&operation, known()) {
        Some(hint) => diagnostic.hint(hint),
        None => diagnostic,
    }
}

/// The operations of a dialect that are meant: those whose whole name is near, or else those with the same beginning up to the
/// last dot.
fn near_in_dialect(operation: &str, own: &[&str]) -> Option<String> {
    let family = |name: &str| name.rsplit_once('.').map_or("", |(before, _)| before).to_owned();
    let same = family(operation);
    let relatives = own.iter().copied().filter(|name| family(name) == same);
    did_you_mean(operation, relatives).or_else(|| did_you_mean(operation, own.iter().copied()))
}

/// The dialect that MLIR reports as unknown.
fn unknown_dialect(message: &str) -> Option<&str> {
    let patterns = ["Dialect `{}'{}", "dialect '{}'{}", "`!\"{}\"<{}", "#\"{}\"<{}"];
    patterns.iter().find_map(|pattern| words::captures(message, pattern)?.first().copied())
}

/// The message without the operation's name at the start.
fn without_name<'m>(message: &'m str, operation: Option<&str>) -> &'m str {
    let prefix = operation.map(|name| format!("'{name}' op "));
    prefix.and_then(|prefix| message.strip_prefix(&prefix)).unwrap_or(message)
}

/// The codes of MLIR's messages: the parser has no error codes.
fn classify(message: &str, is_bytecode: bool) -> (Code, Option<String>) {
    match kind(message) {
        // Bytecode cannot have syntax errors.
        (code, None) if code == codes::S1001 && is_bytecode => (codes::S1011, None),
        classified => classified,
    }
}

fn kind(message: &str) -> (Code, Option<String>) {
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
    if message.contains("created with unregistered dialect") {
        return (codes::S1004, None);
    }
    if message.contains("unregistered dialect") || message.contains("unregistered operation") {
        return (codes::S1004, quoted('\'').or_else(|| quoted('`')));
    }
    if words::types_of_use(message).is_some() {
        return (codes::S1016, None);
    }
    if message.starts_with('\'') && message.contains("' op ") {
        return (codes::S1005, quoted('\''));
    }
    if message.starts_with("custom op '") {
        return (codes::S1001, quoted('\''));
    }
    (codes::S1001, None)
}
