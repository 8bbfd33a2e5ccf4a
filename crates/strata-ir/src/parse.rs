//! Reading modules: the kind of input, and MLIR's errors.

use std::borrow::Cow;

use melior::{Context, ir::Module};
use mlir_sys as sys;
use strata_diag::{Diagnostic, Diagnostics, Location, codes};

use crate::{
    bytecode,
    diagnostics::capture,
    handles::string_ref,
    held::{Numbered, unload},
    hex::pack_bools,
    limits::{check_nesting, check_sizes},
    literals,
    pass::bug,
    recognise,
    reports::read_errors,
    resources::check_resources,
    semantics::spread_semantics,
};

unsafe extern "C" {
    /// Parses text or bytecode whose locations name `name`; defined in `dialects/capi`.
    fn strataParseModule(
        context: sys::MlirContext,
        source: sys::MlirStringRef,
        name: sys::MlirStringRef,
    ) -> sys::MlirModule;
}

/// The alignment of large blocks of memory.
const ALIGNMENT: usize = 64;

pub(crate) const EXPECTED: &str =
    "expected StableHLO as MLIR text, MLIR bytecode or a portable artifact";

/// Reads a module from MLIR text or bytecode; the kind is recognised from the content.
///
/// `name` is what locations and diagnostics call the source.
///
/// # Errors
/// `S1002` for empty input, `S1003` for input that is not MLIR, `S1001` for a syntax error, `S1011` for
/// damaged bytecode, `S1004` for
/// unknown operations and dialects, `S1005` for operations that violate their definitions or whose elements are missing, `S1008` and
/// `S1009` for input that is nested too deeply or too large.
pub fn parse<'c>(
    context: &'c Context,
    name: &str,
    bytes: &[u8],
) -> Result<Module<'c>, Diagnostics> {
    parse_numbered(context, name, bytes, Numbered::new(Vec::new()))
}

/// As [`parse`], of bytecode that has numbers for elements.
pub(crate) fn parse_numbered<'c>(
    context: &'c Context,
    name: &str,
    bytes: &[u8],
    mut numbered: Numbered,
) -> Result<Module<'c>, Diagnostics> {
    // Some editors write a byte order mark.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = recognise(name, bytes)?;
    match text {
        Some(text) => check_nesting(name, text)?,
        // This process wrote it.
        None if !numbered.is_empty() => {}
        None => bytecode::check(bytes).map_err(|reason| {
            Diagnostic::new(codes::S1011).at(Location::file(name)).reason(reason)
        })?,
    }
    unload(bytes);
    let (shorter, elements) = text.map_or_else(Default::default, literals::take_out);
    if text.is_some() {
        numbered = Numbered::new(elements);
    }
    let source = match text {
        // MLIR's lexer reads the byte after the source, which must be zero.
        Some(_) => {
            let text = pack_bools(&shorter);
            let mut source = Vec::with_capacity(text.len() + 1);
            source.extend_from_slice(text.as_bytes());
            source.push(0);
            Cow::Owned(source)
        }
        None => aligned(bytecode::small_floats_as_text(bytes)),
    };
    let length = source.len() - usize::from(text.is_some());
    let view = sys::MlirStringRef { data: source.as_ptr().cast(), length };
    let parse =
        // SAFETY: the byte after a text is a zero, as the lexer wants; both texts live longer than the call.
        || unsafe { strataParseModule(context.to_raw(), view, string_ref(name)) };
    let (raw, reports) = numbered.within(|| capture(context, parse));
    drop((numbered, shorter, source));
    unload(bytes);
    // A null module is a failed parse; errors without one would be a bug of the parser.
    // SAFETY: the module is new and has no other owner; a null one becomes `None`.
    let module = unsafe { Module::from_option_raw(raw) };
    match module {
        Some(module) if !reports.iter().any(|report| report.is_error) => {
            let checked = check_sizes(&module)
                .and_then(|()| check_resources(&module))
                .and_then(|()| Ok(spread_semantics(context, &module)?));
            checked.map_err(|errors| match text {
                Some(text) => errors.map(|error| error.source_file(name, text)),
                None => errors,
            })?;
            Ok(module)
        }
        _ => {
            let errors = read_errors(context, name, text, &reports);
            let is_unread = |code| [codes::S1001, codes::S1003].contains(&code);
            match recognise::by_name(name) {
                Some(found) if errors.iter().any(|error| is_unread(error.code())) => {
                    Err(foreign(name, "by its name, the file is", &found).into())
                }
                _ => Err(errors),
            }
        }
    }
}

/// MLIR reads bytecode where it is, if that is as aligned as memory from the allocator.
fn aligned(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    match bytes.as_ptr().addr().is_multiple_of(ALIGNMENT) {
        true => bytes,
        false => Cow::Owned(bytes.into_owned()),
    }
}

/// The error for a file of another kind.
fn foreign(name: &str, how: &str, found: &recognise::Foreign) -> Diagnostic {
    Diagnostic::new(codes::S1003)
        .at(Location::file(name))
        .reason(format!("{how} {}", found.what))
        .hint(found.hint.as_deref().unwrap_or(EXPECTED))
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
    if let Some(found) = recognise::recognise(bytes) {
        return Err(foreign(name, "the content is", &found));
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
            if let Some(found) = recognise::by_name(name) {
                return Err(foreign(name, "by its name, the file is", &found));
            }
            let start: Vec<_> = bytes.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
            refuse(
                codes::S1003,
                format!("the content begins with the bytes {} and is not text", start.join(" ")),
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
