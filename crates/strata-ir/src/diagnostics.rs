//! MLIR's diagnostics and locations as Strata's.

use std::{
    cell::RefCell,
    fmt::{self, Write as _},
    rc::Rc,
};

use melior::{Context, diagnostic::DiagnosticSeverity, ir::Location};
use mlir_sys as sys;
use strata_diag::{Code, Diagnostic, Location as SourceLocation};

use crate::handles::{Op, str_from};

/// What MLIR reported while [`capture`] ran.
#[derive(Clone, Debug)]
pub struct Captured {
    /// The message.
    pub message: String,
    /// The notes attached to it, each with its location.
    pub notes: Vec<(String, Option<SourceLocation>)>,
    /// The source location.
    pub location: Option<SourceLocation>,
    /// Whether it is an error (not a warning or remark).
    pub is_error: bool,
}

impl Captured {
    /// The message with its notes, which show the operation.
    pub fn with_notes(&self) -> String {
        let notes = self.notes.iter().map(|(note, _)| format!("\nnote: {note}"));
        std::iter::once(self.message.clone()).chain(notes).collect()
    }
}

/// Runs `body` and returns its result with all that MLIR reported meanwhile.
pub fn capture<R>(context: &Context, body: impl FnOnce() -> R) -> (R, Vec<Captured>) {
    let reports = Rc::new(RefCell::new(Vec::new()));
    let sink = Rc::clone(&reports);
    let handler = context.attach_diagnostic_handler(move |diagnostic| {
        let notes = (0..diagnostic.note_count()).filter_map(|index| diagnostic.note(index).ok());
        sink.borrow_mut().push(Captured {
            message: text(&diagnostic),
            notes: notes.map(|note| (text(&note), source_location(note.location()))).collect(),
            location: source_location(diagnostic.location()),
            is_error: matches!(diagnostic.severity(), DiagnosticSeverity::Error),
        });
        true
    });
    let result = body();
    context.detach_diagnostic_handler(handler);
    let captured = reports.borrow().clone();
    (result, captured)
}

/// The text of a diagnostic. It may quote input that is not UTF-8, for which `Display` returns an error: a
/// panic here would abort the process, because MLIR is the caller.
fn text(diagnostic: &impl fmt::Display) -> String {
    let mut text = String::new();
    match write!(text, "{diagnostic}") {
        Ok(()) => text,
        Err(fmt::Error) => "the message quotes bytes that are not UTF-8".to_owned(),
    }
}

/// The file position of a location: the innermost callee of call sites, the child of names,
/// the first known part of fused ones. `None` if there is none.
pub fn source_location(location: Location<'_>) -> Option<SourceLocation> {
    let raw = location.to_raw();
    // SAFETY: the location lives as long as its context, as do those inside of it; each is asked for its kind first.
    unsafe {
        if sys::mlirLocationIsAFileLineColRange(raw) {
            let file =
                str_from(sys::mlirIdentifierStr(sys::mlirLocationFileLineColRangeGetFilename(raw)));
            return Some(SourceLocation {
                file: file.to_owned(),
                line: sys::mlirLocationFileLineColRangeGetStartLine(raw) as u32,
                column: sys::mlirLocationFileLineColRangeGetStartColumn(raw) as u32,
            });
        }
        if sys::mlirLocationIsAName(raw) {
            let child = sys::mlirLocationNameGetChildLoc(raw);
            return source_location(Location::from_raw(child));
        }
        if sys::mlirLocationIsACallSite(raw) {
            let callee = Location::from_raw(sys::mlirLocationCallSiteGetCallee(raw));
            let caller = Location::from_raw(sys::mlirLocationCallSiteGetCaller(raw));
            return source_location(callee).or_else(|| source_location(caller));
        }
        if sys::mlirLocationIsAFused(raw) {
            let mut parts = fused_parts(raw).into_iter();
            return parts.find_map(|part| source_location(Location::from_raw(part)));
        }
    }
    None
}

/// A frame of the call stack in a location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The name of a function or of an operation of the exporter.
    pub name: Option<String>,
    /// The file position.
    pub place: Option<SourceLocation>,
}

/// All names and positions of a location, innermost first, with callers.
pub fn frames(location: Location<'_>) -> Vec<Frame> {
    let mut all = Vec::new();
    let mut open = vec![location];
    while let Some(location) = open.pop() {
        let raw = location.to_raw();
        // SAFETY: as in `source_location`.
        unsafe {
            if sys::mlirLocationIsAName(raw) {
                let name = str_from(sys::mlirIdentifierStr(sys::mlirLocationNameGetName(raw)));
                all.push(Frame { name: Some(name.to_owned()), place: None });
                open.push(Location::from_raw(sys::mlirLocationNameGetChildLoc(raw)));
            } else if sys::mlirLocationIsACallSite(raw) {
                open.push(Location::from_raw(sys::mlirLocationCallSiteGetCaller(raw)));
                open.push(Location::from_raw(sys::mlirLocationCallSiteGetCallee(raw)));
            } else if sys::mlirLocationIsAFused(raw) {
                open.extend(
                    fused_parts(raw).into_iter().rev().map(|part| Location::from_raw(part)),
                );
            } else if let Some(place) = source_location(location) {
                all.push(Frame { name: None, place: Some(place) });
            }
        }
    }
    all
}

/// The parts of a fused location.
///
/// # Safety
/// `location` is a fused location of a context that is alive.
pub unsafe fn fused_parts(location: sys::MlirLocation) -> Vec<sys::MlirLocation> {
    // SAFETY: the list has room for as many locations as there are; the caller vouches for the kind.
    unsafe {
        let count = sys::mlirLocationFusedGetNumLocations(location) as usize;
        let mut parts = vec![sys::MlirLocation { ptr: std::ptr::null() }; count];
        sys::mlirLocationFusedGetLocations(location, parts.as_mut_ptr());
        parts
    }
}

/// A diagnostic of `code` about `op`: its name and source location are filled in.
pub fn diagnostic_at(code: Code, op: Op<'_>) -> Diagnostic {
    let diagnostic = Diagnostic::new(code).operation(op.name());
    match source_location(op.location()) {
        Some(location) => diagnostic.at(location),
        None => diagnostic,
    }
}
