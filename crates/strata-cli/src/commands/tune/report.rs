//! What a search found, as text and as JSON.

use serde_json::{Value, json};
use strata::{Choice, TunableNest};
use strata_diag::{Diagnostic, Severity, codes};
use strata_tune::{Outcome, Report};

/// For people.
pub fn text(report: &Report, nests: &[TunableNest]) -> String {
    let mut text = String::new();
    for outcome in &report.outcomes {
        let nest = &nests[outcome.nest];
        let times = if nest.count > 1 { format!(", {} times", nest.count) } else { String::new() };
        text.push_str(&format!("nest        {}{times}\n", nest.about));
        text.push_str(&format!("  chosen    {}\n", nest.chosen.in_full()));
        if let Some(found) = &outcome.found {
            let how = match (outcome.is_known, found.is_complete) {
                (true, _) => ", from the database",
                (false, true) => "",
                (false, false) => ", until the time was over",
            };
            text.push_str(&format!("  tried     {} schedules{how}\n", found.tried));
            if let Some(choice) = &found.choice {
                let in_program = outcome.in_program.map(|gain| format!(", the program {gain:.2}"));
                text.push_str(&format!(
                    "  faster    {}: alone {:.2} times as fast{}\n",
                    choice.in_full(),
                    found.gain,
                    in_program.unwrap_or_default()
                ));
            }
        }
        if !outcome.is_kept {
            text.push_str(&format!("  not kept  {}\n", outcome.reason));
        }
    }
    match &report.compared {
        Some(compared) if report.schedules.is_empty() => text.push_str(&format!(
            "program     {:.3} times as fast, which is too little or may be chance: the compiler's own schedules stay\n",
            compared.ratio
        )),
        Some(compared) => text.push_str(&format!(
            "program     {:.2} times as fast with {} schedule{}\n",
            compared.ratio,
            report.schedules.len(),
            if report.schedules.len() == 1 { "" } else { "s" }
        )),
        None if report.is_interrupted => {
            text.push_str("program     not measured: the search was interrupted\n");
        }
        None => text.push_str("program     the compiler's own schedules stay\n"),
    }
    text
}

/// One object.
pub fn json(report: &Report, nests: &[TunableNest]) -> Value {
    let refused =
        |(choice, reason): &(Choice, String)| json!({"schedule": choice, "reason": reason});
    let outcome = |outcome: &Outcome| {
        let nest = &nests[outcome.nest];
        let found = outcome.found.as_ref();
        json!({
            "nest": nest.fingerprint.to_string(),
            "about": nest.about,
            "count": nest.count,
            "schedules": nest.space.len(),
            "chosen": nest.chosen,
            "tried": found.map(|found| found.tried),
            "rejected": found.map(|found| found.rejected.iter().map(refused).collect::<Vec<_>>()),
            "complete": found.map(|found| found.is_complete),
            "from_database": outcome.is_known,
            "schedule": found.and_then(|found| found.choice.clone()),
            "alone": found.map(|found| found.gain),
            "program": outcome.in_program,
            "kept": outcome.is_kept,
            "reason": (!outcome.is_kept).then_some(&outcome.reason),
        })
    };
    json!({
        "nests": report.outcomes.iter().map(outcome).collect::<Vec<_>>(),
        "schedules": report.schedules.len(),
        "gain": report.compared.map(|compared| compared.ratio),
        "interrupted": report.is_interrupted,
        "by_chance": report.compared.map(|compared| compared.faster_by_chance),
    })
}

/// Schedules with other results than the untuned object: bugs of ours.
pub fn wrong(report: &Report, nests: &[TunableNest]) -> impl Iterator<Item = Diagnostic> {
    let all = report.outcomes.iter().flat_map(|outcome| {
        let about = &nests[outcome.nest].about;
        let wrong = outcome.found.iter().flat_map(|found| &found.wrong);
        wrong.map(move |what| {
            Diagnostic::new(codes::S9005)
                .with_severity(Severity::Warning)
                .reason(format!("the nest {about}, {what} differs from the untuned object"))
                .hint("the schedule is not used; please report it with the program")
        })
    });
    all.collect::<Vec<_>>().into_iter()
}
