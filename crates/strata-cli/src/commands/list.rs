//! `strata list`: stages, patterns, operations, … one per line, which a terminal shows as several where it is long.

use std::io;

use strata::{STAGES, StageInfo, StepInfo};
use strata_diag::{codes, units::wrapped};
use strata_hlo::PATTERNS;
use strata_ir::OpKind;

use super::Outcome;
use crate::args::{ListArgs, tools::Listing};
use crate::files;
use crate::reporter::terminal_width;

/// The steps of a stage, a line each.
fn steps(stage: &StageInfo) -> Vec<String> {
    let line = |(number, step): (usize, StepInfo)| {
        let StepInfo { name, because, keeps, .. } = step;
        format!("{}.{number:02}  {name:<14} because {because}; keeps {keeps}", stage.stem())
    };
    stage.steps().into_iter().enumerate().map(line).collect()
}

/// The width of the longest name of a pattern.
fn names_width() -> usize {
    PATTERNS.iter().map(|pattern| pattern.name().len()).max().unwrap_or(0)
}

/// Where the text of a line starts, after its names.
fn hanging(what: Listing) -> usize {
    match what {
        Listing::Stages => 14,
        Listing::Patterns => names_width() + 1,
        Listing::Codes => 16,
        Listing::Steps | Listing::Ops | Listing::Targets => 4,
    }
}

/// The triples, then the processors of each architecture.
fn targets() -> Vec<String> {
    let triples = strata::target::known_triples().into_iter().map(|one| format!("triple   {one}"));
    let of = |(name, cpus): (&'static str, Vec<&'static str>)| {
        cpus.into_iter().map(move |cpu| format!("{name:<8} {cpu}"))
    };
    triples.chain(strata::target::known_cpus().into_iter().flat_map(of)).collect()
}

pub fn run(args: &ListArgs) -> Outcome {
    let lines: Vec<String> = match args.what {
        Listing::Stages => STAGES
            .iter()
            .map(|info| format!("{:02}  {:<9} {}", info.number, info.name, info.contents))
            .collect(),
        Listing::Steps => STAGES.iter().flat_map(steps).collect(),
        Listing::Patterns => PATTERNS
            .iter()
            .map(|pattern| {
                let roots: Vec<&str> =
                    pattern.roots().iter().map(|kind| kind.name().as_str()).collect();
                format!("{:<width$} {}", pattern.name(), roots.join(" "), width = names_width())
            })
            .collect(),
        Listing::Ops => OpKind::ALL.iter().map(|kind| kind.name().into()).collect(),
        Listing::Targets => targets(),
        Listing::Codes => codes::TABLE
            .iter()
            .map(|code| format!("{code}  {:<8} {}", code.fault().name(), code.title()))
            .collect(),
    };
    let columns = terminal_width(io::stdout());
    let shown = |line: String| match columns {
        Some(columns) => wrapped(&line, columns, hanging(args.what)) + "\n",
        None => line + "\n",
    };
    let text: String = lines.into_iter().map(shown).collect();
    Ok(files::print(text.as_bytes())?)
}
