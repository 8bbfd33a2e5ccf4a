//! `strata test`: runs programs that state their expected results.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;
use strata::{Options, target};
use strata_diag::{Diagnostic, Diagnostics, Location, codes};
use strata_verify::Engine;
use strata_verify::suite::{self, Counts, Report, Source};

use super::{Outcome, link};
use crate::args::{SemanticsArgs, TestArgs};
use crate::files;

pub fn run(args: &TestArgs) -> Outcome {
    let mut paths = Vec::new();
    for path in &args.paths {
        collect(path, &mut paths)?;
    }
    let sources =
        paths.iter().map(|path| source(path, args.semantics)).collect::<Result<Vec<_>, _>>()?;
    let threads = args.jobs.or_else(|| thread::available_parallelism().ok().map(Into::into));

    let progress = ProgressBar::new(sources.len() as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} files {elapsed}") {
        progress.set_style(style);
    }
    let engine: Engine = args.engine.parse().unwrap_or(Engine::Eval);
    let options = Options::new(target::resolve(None, Some("native"), None)?);
    let threads = threads.unwrap_or(1);
    let linked = link::linked(&args.link)?;
    let reports =
        strata_verify::run(&sources, threads, engine, &options, &linked, &|_| progress.inc(1));
    progress.finish_and_clear();

    let text = if args.json { as_json(&reports) } else { as_text(&reports) };
    files::print(text.as_bytes())?;
    failure(&reports)
}

/// The files with programs in a folder and those below it, or the file itself.
fn collect(path: &Path, found: &mut Vec<PathBuf>) -> Result<(), Diagnostic> {
    if !path.is_dir() {
        found.push(path.to_owned());
        return Ok(());
    }
    let failed = |error: std::io::Error| {
        Diagnostic::new(codes::S0002)
            .at(Location::file(path.to_string_lossy()))
            .reason(error.to_string())
    };
    let mut entries = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        entries.push(entry.map_err(failed)?.path());
    }
    entries.sort();
    for entry in entries {
        let is_program = entry.extension().is_some_and(|extension| extension == "mlir");
        if is_program || (entry.is_dir() && !entry.is_symlink()) {
            collect(&entry, found)?;
        }
    }
    Ok(())
}

fn source(path: &Path, meaning: SemanticsArgs) -> Result<Source, Diagnostic> {
    let name = files::display_name(path);
    let text = String::from_utf8(files::read(path)?).map_err(|_| {
        Diagnostic::new(codes::S1003).at(Location::file(&name)).reason("test files are MLIR text")
    })?;
    let semantics = meaning.semantics.map(Into::into);
    Ok(Source { name, text, semantics, excess_precision: meaning.excess_precision })
}

fn as_text(reports: &[Report]) -> String {
    let mut text = String::new();
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for report in reports {
        match &report.outcome {
            suite::Outcome::Passed => {}
            suite::Outcome::Failed(diagnostic) => {
                text += &format!("FAILED {}\n{}\n\n", case(report), diagnostic.render());
                let code = diagnostic.code();
                *reasons.entry(format!("failed: {code} {}", code.title())).or_default() += 1;
            }
            suite::Outcome::Skipped(reason) => {
                *reasons.entry(format!("skipped: {reason}")).or_default() += 1;
            }
        }
    }
    for (reason, count) in reasons {
        text += &format!("{count:>6}  {reason}\n");
    }
    text + &format!("{}\n", Counts::of(reports))
}

/// An object per case, one per line, and the counts at the end.
fn as_json(reports: &[Report]) -> String {
    let mut lines = Vec::new();
    for report in reports {
        let (outcome, detail) = match &report.outcome {
            suite::Outcome::Passed => ("passed", json!(null)),
            suite::Outcome::Failed(diagnostic) => ("failed", diagnostic.to_json()),
            suite::Outcome::Skipped(reason) => ("skipped", json!(reason)),
        };
        lines.push(json!({
            "file": report.name, "case": report.case, "outcome": outcome, "detail": detail,
        }));
    }
    let counts = Counts::of(reports);
    lines.push(json!({
        "passed": counts.passed, "failed": counts.failed, "skipped": counts.skipped,
    }));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn case(report: &Report) -> String {
    match report.case {
        0 => report.name.clone(),
        number => format!("{} (case {})", report.name, number + 1),
    }
}

/// The diagnostic of the exit code: the number of failed cases, or a bug of ours first.
fn failure(reports: &[Report]) -> Outcome {
    let failed: Diagnostics = reports
        .iter()
        .filter_map(|report| match &report.outcome {
            suite::Outcome::Failed(diagnostic) => Some(diagnostic.clone()),
            _ => None,
        })
        .collect();
    if failed.is_empty() {
        return Ok(());
    }
    if let Some(bug) = failed.iter().find(|one| one.exit_code() == 3) {
        return Err(bug.clone().into());
    }
    let reason = format!("{} of {} cases failed", failed.len(), reports.len());
    Err(Diagnostic::new(codes::S1902).reason(reason).into())
}
