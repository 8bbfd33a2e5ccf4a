//! Programs that say what their results must be: what `strata test` runs.
//!
//! A file may hold several cases, separated by lines `// -----`. Each is evaluated on its own: its
//! `check.*` operations and custom calls must hold. The command reads the files and shows the outcomes; this
//! module decides.

mod skip;

use std::{
    panic::{self, AssertUnwindSafe},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use strata_diag::{Diagnostic, codes};
use strata_ir::{self as ir, AttributeExt as _};

use crate::{evaluate::Evaluator, interpret::Session, program::Attr, tensor::Tensor};

pub use skip::{SKIPS, Skip};

/// A file of test cases.
#[derive(Clone, Debug)]
pub struct Source {
    /// What diagnostics call it.
    pub name: String,
    /// Its content.
    pub text: String,
}

/// How a case ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Every expectation holds.
    Passed,
    /// One does not, or the program cannot be run.
    Failed(Diagnostic),
    /// Not run, for a reason that [`SKIPS`] states.
    Skipped(String),
}

/// One case and how it ended.
#[derive(Clone, Debug)]
pub struct Report {
    /// The file.
    pub name: String,
    /// Which case of the file, from 0.
    pub case: usize,
    /// How it ended.
    pub outcome: Outcome,
}

/// The cases of a file with the line on which each begins, from 0.
pub fn split(text: &str) -> Vec<(usize, &str)> {
    let mut cases = Vec::new();
    let (mut start, mut start_line, mut offset) = (0, 0, 0);
    for (line, content) in text.split_inclusive('\n').enumerate() {
        // A separator may itself be commented out, which MLIR does not mind either.
        if content.trim_end().ends_with("// -----") {
            cases.push((start_line, &text[start..offset]));
            start = offset + content.len();
            start_line = line + 1;
        }
        offset += content.len();
    }
    cases.push((start_line, &text[start..]));
    cases
}

/// Runs all cases of all files on `threads` threads; `done` hears of each file as it ends.
///
/// The reports are in the order of the files, whatever the order of ending.
pub fn run(sources: &[Source], threads: usize, done: &(dyn Fn(&[Report]) + Sync)) -> Vec<Report> {
    let next = AtomicUsize::new(0);
    let finished: Mutex<Vec<(usize, Vec<Report>)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1).min(sources.len()) {
            scope.spawn(|| {
                let context = ir::new_context();
                while let Some((at, source)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    sources.get(at).map(|source| (at, source))
                } {
                    let reports = run_source(&context, source);
                    done(&reports);
                    finished.lock().unwrap_or_else(PoisonError::into_inner).push((at, reports));
                }
            });
        }
    });
    let mut finished = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    finished.sort_by_key(|(at, _)| *at);
    finished.into_iter().flat_map(|(_, reports)| reports).collect()
}

/// Runs the cases of one file.
pub fn run_source(context: &ir::Context, source: &Source) -> Vec<Report> {
    let arguments = run_arguments(&source.text);
    split(&source.text)
        .into_iter()
        .enumerate()
        .map(|(case, (line, text))| {
            let outcome = match skip::reason(&source.name, text) {
                Some(reason) => Outcome::Skipped(reason),
                None => {
                    // Empty lines in front keep the line numbers of the whole file.
                    let text = "\n".repeat(line) + text;
                    guarded(|| run_case(context, &source.name, &text, arguments.as_deref()))
                }
            };
            Report { name: source.name.clone(), case, outcome }
        })
        .collect()
}

/// Turns a panic into a failure that says it is a bug.
fn guarded(run: impl FnOnce() -> Result<Outcome, Diagnostic>) -> Outcome {
    match panic::catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(diagnostic)) => Outcome::Failed(diagnostic),
        Err(payload) => {
            let text = payload
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| payload.downcast_ref::<&str>().copied())
                .unwrap_or("without a message");
            Outcome::Failed(
                Diagnostic::new(codes::S9001).reason(format!("the evaluator panicked: {text}")),
            )
        }
    }
}

fn run_case(
    context: &ir::Context,
    name: &str,
    text: &str,
    arguments: Option<&str>,
) -> Result<Outcome, Diagnostic> {
    let module = match ir::parse(context, name, text.as_bytes()).map_err(first) {
        Err(error) if error.code() == codes::S1002 => {
            return Ok(Outcome::Skipped(skip::EMPTY.to_owned()));
        }
        parsed => parsed?,
    };
    let evaluator = Evaluator::new(&module)?;
    if evaluator.is_empty() {
        return Ok(Outcome::Passed);
    }
    let function = evaluator.entry(None)?;
    let inputs = match arguments {
        Some(text) => parse_arguments(context, text)?,
        None if function.takes_arguments() => {
            return Ok(Outcome::Skipped(skip::NO_ARGUMENTS.to_owned()));
        }
        None => Vec::new(),
    };
    evaluator
        .run(None, &inputs, &Session::new(0))
        .map_err(|error| error.source_file(name, text))?;
    Ok(Outcome::Passed)
}

/// The first of the errors; there is at least one.
fn first(errors: strata_diag::Diagnostics) -> Diagnostic {
    let fallback = || Diagnostic::new(codes::S1003).reason("the case cannot be read");
    errors.into_iter().next().unwrap_or_else(fallback)
}

/// What `--args=` of a RUN line gives to the entry function.
fn run_arguments(text: &str) -> Option<String> {
    let line = text.lines().find(|line| {
        line.trim_start().starts_with("//") && line.contains("RUN:") && line.contains("--args=")
    })?;
    let rest = line.split_once("--args=")?.1;
    let mut characters = rest.chars();
    Some(match characters.next()? {
        quote @ ('"' | '\'') => characters.take_while(|character| *character != quote).collect(),
        _ => rest.split_whitespace().next()?.to_owned(),
    })
}

/// The tensors of `[dense<...> : tensor<...>, ...]`.
fn parse_arguments(context: &ir::Context, text: &str) -> Result<Vec<Tensor>, Diagnostic> {
    let refuse = || {
        Diagnostic::new(codes::S1911)
            .reason(format!("the arguments `{text}` are no dense constants"))
    };
    let (list, _) = ir::capture(context, || ir::parse_attr(context, text));
    let list = list.and_then(|list| list.as_array()).ok_or_else(refuse)?;
    list.into_iter()
        .map(|attribute| match Attr::new(attribute) {
            Attr::Dense(tensor) => Ok(tensor),
            _ => Err(refuse()),
        })
        .collect()
}

/// How many cases ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Every expectation held.
    pub passed: usize,
    /// One did not.
    pub failed: usize,
    /// Not run.
    pub skipped: usize,
}

impl Counts {
    /// Counts the outcomes of all reports.
    pub fn of(reports: &[Report]) -> Self {
        let mut counts = Self::default();
        for report in reports {
            match report.outcome {
                Outcome::Passed => counts.passed += 1,
                Outcome::Failed(_) => counts.failed += 1,
                Outcome::Skipped(_) => counts.skipped += 1,
            }
        }
        counts
    }
}

impl std::fmt::Display for Counts {
    /// `N passed, N failed, N skipped`.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "{} passed, {} failed, {} skipped",
            self.passed, self.failed, self.skipped
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_keep_their_lines() {
        let cases = split("a\nb\n// -----\nc\n// -----\n");
        assert_eq!(cases, [(0, "a\nb\n"), (3, "c\n"), (5, "")]);
    }

    #[test]
    fn arguments_of_a_run_line() {
        let text = "// RUN: tool --interpret %s --args=\"[dense<1> : tensor<i32>]\" | more\n";
        assert_eq!(run_arguments(text).as_deref(), Some("[dense<1> : tensor<i32>]"));
        assert_eq!(run_arguments("func.func @main() { return }"), None);
    }
}
