//! Where a schedule of the user fails: which of its operations, and on what of the program.

use strata_diag::{Diagnostic, Location, codes};
use strata_ir::{
    Captured, Context, Module, Op, diagnostic_at, func, linalg, module_op, parse, source_location,
};

use crate::transform::{given::Given, library::sequence_of, outline::function_of};

/// Why a sequence cannot be used for a nest.
pub(crate) enum Failure {
    /// One of its operations fails.
    Transform(Captured),
    /// All of them succeed, but what they make cannot be compiled.
    Result(String),
}

impl Failure {
    /// The reason as text, with MLIR's notes.
    pub fn text(&self) -> String {
        match self {
            Self::Transform(report) => report.with_notes(),
            Self::Result(reason) => reason.clone(),
        }
    }
}

/// The error of `sequence` of a given schedule, which fails on the nest in `module`. `fails` applies the sequence of that name in
/// another library to the same nest.
pub(crate) fn failed<'c>(
    context: &'c Context,
    given: &Given<'c>,
    module: &Module<'c>,
    sequence: &str,
    failure: &Failure,
    fails: &dyn Fn(&Module<'c>) -> bool,
) -> Diagnostic {
    let entry = sequence_of(&given.library, sequence);
    let (reason, culprit) = match failure {
        Failure::Transform(report) => {
            let culprit = report.location.as_ref().and_then(|place| operation_at(given, place));
            let culprit = culprit.or_else(|| first_that_fails(context, given, sequence, fails));
            // MLIR begins with the operation that made the handle.
            let count = report.message.split_once("!transform.any_op expected to contain ");
            let reason = count.map(|(_, count)| format!("its handle is to have {count}"));
            (reason.unwrap_or_else(|| report.message.clone()), culprit)
        }
        Failure::Result(reason) => (format!("its result cannot be compiled: {reason}"), None),
    };
    let reason = format!("its sequence `@{sequence}` fails: {}", lower(&reason));
    let error = match culprit.or(entry) {
        Some(op) => diagnostic_at(codes::S1301, op),
        None => Diagnostic::new(codes::S1301).at(Location::file(&given.name)),
    };
    let mut error = error.reason(reason);
    let is_elsewhere = culprit.is_some_and(|op| entry.is_some_and(|entry| !entry.encloses(op)));
    if is_elsewhere
        && let Some(include) = first_that_fails(context, given, sequence, fails)
        && let Some(place) = source_location(include.location())
    {
        error = error.note_at(place, format!("`@{sequence}` includes it here"));
    }
    let error = error.source_file(&given.name, &given.text);
    match payload(given, module, failure) {
        Some(place) => error.note_at(place, format!("`@{sequence}` is applied to this operation")),
        None => error,
    }
}

/// The operation of the schedule at that place.
fn operation_at<'c>(given: &Given<'c>, place: &Location) -> Option<Op<'c>> {
    let is_there = |op: Op<'c>| source_location(op.location()).as_ref() == Some(place);
    let found = module_op(&given.library).collect(is_there);
    found.into_iter().find(|op| op.dialect() == "transform")
}

/// The operation of a sequence with which it begins to fail: MLIR reports some failures at the program's operation only.
fn first_that_fails<'c>(
    context: &'c Context,
    given: &Given<'c>,
    sequence: &str,
    fails: &dyn Fn(&Module<'c>) -> bool,
) -> Option<Op<'c>> {
    let ops = sequence_of(&given.library, sequence)?.body(0).ops();
    // The last one returns.
    let count = ops.len().checked_sub(1)?;
    let fails_with = |kept: usize| {
        let library = parse(context, &given.name, given.text.as_bytes()).ok()?;
        let body = sequence_of(&library, sequence)?.body(0).ops();
        for op in body.get(kept..count)?.iter().rev() {
            op.erase();
        }
        Some(fails(&library))
    };
    let (mut good, mut bad) = (0, count);
    while good + 1 < bad {
        let middle = good.midpoint(bad);
        match fails_with(middle)? {
            true => bad = middle,
            false => good = middle,
        }
    }
    ops.get(bad.checked_sub(1)?).copied()
}

/// Where the program has what the sequence is applied to: what MLIR's messages name, or else the nest.
fn payload(given: &Given<'_>, module: &Module<'_>, failure: &Failure) -> Option<Location> {
    let is_of_program = |place: &Location| place.file != given.name;
    let named = match failure {
        Failure::Transform(report) => {
            let notes = report.notes.iter().filter_map(|(_, place)| place.clone());
            report.location.clone().into_iter().chain(notes).find(is_of_program)
        }
        Failure::Result(_) => None,
    };
    let nest = || {
        let ops = function_of(module)?.body(0).ops().into_iter().rev();
        let mut computing = ops.filter(|op| op.dialect() == "linalg" && !op.is(linalg::FILL));
        let root = computing.next().or_else(|| function_of(module).filter(|op| op.is(func::FUNC)));
        source_location(root?.location())
    };
    named.or_else(nest)
}

/// MLIR's sentences begin with a capital at times.
fn lower(text: &str) -> String {
    let mut chars = text.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(first), Some(second)) if second.is_lowercase() => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}
