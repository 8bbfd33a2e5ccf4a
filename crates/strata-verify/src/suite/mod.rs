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
use strata_ir::{self as ir, AttributeExt as _, Semantics};

use strata_eval::{Attr, Evaluator, Session, Tensor};

pub use skip::{SKIPS, Skip};

/// A file of test cases.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// What diagnostics call it.
    pub name: String,
    /// Its content.
    pub text: String,
    /// What its programs mean, whatever they say themselves.
    pub semantics: Option<Semantics>,
    /// Whether numbers of `bf16` and `f16` may have more digits than their type.
    pub excess_precision: bool,
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

/// A case on its own, ready to be run.
#[derive(Clone, Copy, Debug)]
pub struct Case<'a> {
    /// What diagnostics call the file.
    pub name: &'a str,
    /// The program, preceded by empty lines that keep the line numbers of the file.
    pub text: &'a str,
    /// What the file gives to the entry function (`--args=` of a RUN line).
    pub arguments: Option<&'a str>,
    /// What it means, whatever it says itself.
    pub semantics: Option<Semantics>,
    /// Whether numbers of `bf16` and `f16` may have more digits than their type.
    pub excess_precision: bool,
}

/// A case that was read.
#[derive(Debug)]
pub struct Parsed<'c> {
    /// The program.
    pub module: ir::Module<'c>,
    /// The inputs of its entry.
    pub arguments: Vec<Tensor>,
}

/// How a case is run: by evaluation, or by whatever else can decide on its expectations.
pub type Runner<'r> =
    dyn for<'c> Fn(&'c ir::Context, &Case<'_>) -> Result<Outcome, Diagnostic> + Sync + 'r;

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
    run_with(sources, threads, done, &|context, case| evaluate_case(context, case))
}

/// As [`run`], with another way of running a case.
pub fn run_with(
    sources: &[Source],
    threads: usize,
    done: &(dyn Fn(&[Report]) + Sync),
    runner: &Runner<'_>,
) -> Vec<Report> {
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
                    let reports = run_source(&context, source, runner);
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
pub fn run_source(context: &ir::Context, source: &Source, runner: &Runner<'_>) -> Vec<Report> {
    let arguments = run_arguments(&source.text);
    split(&source.text)
        .into_iter()
        .enumerate()
        .map(|(case, (line, text))| {
            let outcome = match skip::reason(&source.name, text) {
                Some(reason) => Outcome::Skipped(reason),
                None => {
                    // Leading empty lines keep the line numbers of the whole file.
                    let text = "\n".repeat(line) + text;
                    let case = Case {
                        name: &source.name,
                        text: &text,
                        arguments: arguments.as_deref(),
                        semantics: source.semantics,
                        excess_precision: source.excess_precision,
                    };
                    guarded(|| runner(context, &case))
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

/// Reads a case; `None` where there is nothing to run: no operation, or arguments that the file
/// does not give.
///
/// # Errors
/// What is wrong with the program.
pub fn parse_case<'c>(
    context: &'c ir::Context,
    case: &Case<'_>,
) -> Result<Option<Parsed<'c>>, Diagnostic> {
    let module = match strata_vhlo::parse(context, case.name, case.text.as_bytes()).map_err(first) {
        Err(error) if error.code() == codes::S1002 => return Ok(None),
        parsed => parsed?,
    };
    if let Some(semantics) = case.semantics {
        semantics.set(context, &module);
    }
    if case.excess_precision {
        ir::allow_excess_precision(context, &module);
    }
    let evaluator = Evaluator::new(&module)?;
    let arguments = match case.arguments {
        _ if evaluator.is_empty() => Vec::new(),
        Some(text) => parse_arguments(context, text)?,
        None if evaluator.takes_arguments(None)? => return Ok(None),
        None => Vec::new(),
    };
    Ok(Some(Parsed { module, arguments }))
}

/// Evaluates a case.
///
/// # Errors
/// What is wrong with the program, or the expectation that does not hold.
pub fn evaluate_case(context: &ir::Context, case: &Case<'_>) -> Result<Outcome, Diagnostic> {
    let Some(Parsed { module, arguments }) = parse_case(context, case)? else {
        let empty = case.text.trim().is_empty()
            || ir::parse(context, case.name, case.text.as_bytes()).is_err();
        let reason = if empty { skip::EMPTY } else { skip::NO_ARGUMENTS };
        return Ok(Outcome::Skipped(reason.to_owned()));
    };
    let evaluator = Evaluator::new(&module)?;
    if !evaluator.is_empty() {
        evaluator
            .run(None, &arguments, &Session::new(0))
            .map_err(|error| error.source_file(case.name, case.text))?;
    }
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
            .reason(format!("the arguments `{text}` are not dense constants"))
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
