//! `strata opt`: reads, runs passes, prints; or compares errors with the expected ones.

use serde_json::{Value, json};
use strata::user_pipeline;
use strata_diag::{Diagnostic, Diagnostics, codes, did_you_mean};
use strata_hlo::PATTERNS;
use strata_ir::{Context, module_op, new_context, print};
use strata_rewrite::{Event, Pattern, Report, explain_greedily};
use strata_vhlo::parse;

use std::borrow::Cow;

use super::Outcome;
use super::expected::{self, Match};
use crate::args::{OptArgs, tools::VerifyDiagnostics};
use crate::files;
use crate::mapped;
use crate::reporter::Reporter;

/// Separates the programs of a file.
const SEPARATOR: &str = "// -----";

pub fn run(args: &OptArgs, reporter: &Reporter) -> Outcome {
    let bytes = mapped::read(&args.input)?;
    let name = files::display_name(&args.input);
    let context = new_context();
    let pieces = match std::str::from_utf8(&bytes) {
        Ok(text) if args.split_input_file => split(text).into_iter().map(Cow::Owned).collect(),
        _ => vec![bytes.clone()],
    };
    let patterns = args.patterns.iter().map(|name| pattern(name)).collect::<Result<Vec<_>, _>>()?;
    let mut all = Diagnostics::new();
    let mut printed = Vec::new();
    for piece in &pieces {
        let result = one(&context, (&name, piece), args, &patterns, reporter);
        if let Some(how) = args.verify_diagnostics {
            let how = match how {
                VerifyDiagnostics::Text => Match::Text,
                VerifyDiagnostics::Place => Match::Place,
            };
            let found = result.err().unwrap_or_default();
            all.extend(expected::compare(&name, &String::from_utf8_lossy(piece), &found, how));
        } else {
            match result {
                Ok(text) => printed.push(text),
                Err(errors) => all.extend(errors),
            }
        }
    }
    if args.verify_diagnostics.is_none() && !all.has_errors() {
        let text = printed.join(&format!("\n{SEPARATOR}\n"));
        files::write(&args.output, text.as_bytes())?;
    }
    all.into_result(())
}

fn one(
    context: &Context,
    (name, piece): (&str, &[u8]),
    args: &OptArgs,
    patterns: &[&dyn Pattern],
    reporter: &Reporter,
) -> Result<String, Diagnostics> {
    let mut module = parse(context, name, piece)?;
    if !patterns.is_empty() {
        let report = explain_greedily(context, module_op(&module), patterns)?;
        tell(reporter, &report);
    }
    if let Some(pipeline) = &args.pass_pipeline {
        user_pipeline(context, &mut module, pipeline)?;
    }
    Ok(print(&module, args.debug_info))
}

/// The pattern of that name.
///
/// # Errors
/// `S0001`.
fn pattern(name: &str) -> Result<&'static dyn Pattern, Diagnostic> {
    PATTERNS.iter().copied().find(|pattern| pattern.name() == name).ok_or_else(|| {
        let known = PATTERNS.iter().map(|pattern| pattern.name());
        let hint = did_you_mean(name, known);
        Diagnostic::new(codes::S0001)
            .reason(format!("there is no pattern `{name}`"))
            .hint(hint.unwrap_or_else(|| "`strata list patterns` shows them".to_owned()))
    })
}

/// Reports each operation that a pattern was tried on, with counts.
fn tell(reporter: &Reporter, report: &Report) {
    for event in &report.events {
        reporter.tell(&event_text(event), &event_json(event));
    }
    for (pattern, count) in &report.applied {
        let object = json!({"kind": "applied", "pattern": pattern, "count": count});
        reporter.tell(&format!("{pattern}: applied {count}\n"), &object);
    }
    for (pattern, reasons) in &report.declined {
        for (reason, count) in reasons {
            let object =
                json!({"kind": "declined", "pattern": pattern, "count": count, "reason": reason});
            reporter.tell(&format!("{pattern}: declined {count}: {reason}\n"), &object);
        }
    }
}

fn event_text(Event { pattern, place, before, after }: &Event) -> String {
    let place = place.as_ref().map_or(String::new(), |place| format!(" at {place}"));
    let before = shown("before", before);
    match after {
        Ok(after) => format!("{pattern}: applied{place}\n{before}{}", shown("after", after)),
        Err(reason) => format!("{pattern}: declined{place}: {reason}\n{before}"),
    }
}

fn event_json(Event { pattern, place, before, after }: &Event) -> Value {
    let place = place
        .as_ref()
        .map(|place| json!({"file": place.file, "line": place.line, "column": place.column}));
    let (after, reason) = (after.as_ref().ok(), after.as_ref().err());
    json!({
        "kind": "pattern",
        "pattern": pattern,
        "location": place,
        "before": before,
        "after": after,
        "reason": reason,
    })
}

/// An operation below a heading, its further lines indented like the first.
fn shown(word: &str, text: &str) -> String {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let rest: String = lines.map(|line| format!("          {line}\n")).collect();
    format!("  {:<7} {first}\n{rest}", format!("{word}:"))
}

/// The pieces of the text, each preceded by as many empty lines as it had lines before it, which
/// keeps line numbers.
fn split(text: &str) -> Vec<Vec<u8>> {
    let mut pieces = vec![String::new()];
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if line.trim_start().starts_with(SEPARATOR) {
            pieces.push("\n".repeat(number + 1));
        } else if let Some(piece) = pieces.last_mut() {
            piece.push_str(line);
        }
    }
    pieces.into_iter().map(String::into_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn pieces_keep_their_line_numbers() {
        let pieces = split("a\nb\n  // ----- again\nc\n");
        assert_eq!(pieces, [b"a\nb\n".to_vec(), b"\n\n\nc\n".to_vec()]);
        assert_eq!(split("").len(), 1);
    }
}
