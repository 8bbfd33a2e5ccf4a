//! Alternative schedules: each must give the same results, or be rejected.

use strata::{Compiler, Options, Stage, target};
use strata_diag::{Diagnostic, codes};
use strata_ir as ir;
use strata_schedule::print_schedule;

use crate::source::Source;

/// Alternative tile sizes.
const SIZES: [i64; 8] = [1, 2, 3, 4, 5, 8, 16, 32];
/// Targets whose schedules are tried.
const CPUS: [&str; 3] = ["x86-64", "x86-64-v3", "x86-64-v4"];
/// The start of a nest's sequence.
const SEQUENCE: &str = "transform.named_sequence @nest";

/// Another schedule for a program: that of another target, with other tile sizes, without those of some nests.
///
/// # Errors
/// The compiler's on the way to stage `linalg`.
pub fn other(text: &str, options: &Options, seed: u64) -> Result<String, Diagnostic> {
    let mut source = Source::new(seed);
    let mut options = options.clone();
    if source.once_in(2) {
        options.target = target::resolve(None, Some(source.pick(&CPUS)), None)?;
    }
    let first = |errors: strata_diag::Diagnostics| {
        errors.into_iter().next().unwrap_or_else(|| Diagnostic::new(codes::S9001))
    };
    let compiler = Compiler::new(options.clone()).to(Stage::Linalg);
    let linalg = compiler.compile("program", text.as_bytes()).map_err(first)?;
    let context = crate::context();
    let module = ir::parse(context, "program", linalg.bytes()).map_err(first)?;
    let schedule = print_schedule(context, &module, &options)?;
    Ok(match source.below(3) {
        0 => schedule,
        1 => without(&schedule, &mut source),
        _ => resized(&schedule, &mut source),
    })
}

/// Without about half of the nests' sequences, so that these are lowered to plain loops.
fn without(schedule: &str, source: &mut Source) -> String {
    let mut kept = String::new();
    let mut is_kept = true;
    for line in schedule.lines() {
        if line.starts_with(SEQUENCE) {
            is_kept = source.once_in(2);
        }
        if is_kept {
            kept.push_str(line);
            kept.push('\n');
        }
        // The end of a sequence, which begins at the line's start.
        is_kept |= line == "}";
    }
    kept
}

/// With a few other tile sizes.
fn resized(schedule: &str, source: &mut Source) -> String {
    let change = |line: &str, source: &mut Source| -> String {
        let Some(at) = line.find("tile_sizes").filter(|_| source.once_in(4)) else {
            return line.to_owned();
        };
        let Some((open, close)) = line[at..].find('[').zip(line[at..].find(']')) else {
            return line.to_owned();
        };
        let sizes: Vec<String> = line[at + open + 1..at + close]
            .split(", ")
            .map(|size| match size.parse::<i64>() {
                Ok(known) if known > 0 => source.pick(&SIZES).to_string(),
                _ => size.to_owned(),
            })
            .collect();
        format!("{}[{}{}", &line[..at + open], sizes.join(", "), &line[at + close..])
    };
    schedule.lines().map(|line| change(line, source) + "\n").collect()
}
