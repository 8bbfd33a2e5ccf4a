//! `--remarks`: what became of each operation of the program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use regex::Regex;
use serde_json::{Value, json};
use strata::{
    Attempt, CopyRemark, ExchangeRemark, LayoutsRemark, NestRemark, NumberedOperation, Observer,
    OperationRemark, Product, Remarks, Report, ShardingRemark, StageInfo, Subject, ThreadsRemark,
    VectorUse,
};
use strata_diag::{Diagnostic, codes};

use crate::reporter::Reporter;

/// Collects the remarks of all parts of an object.
pub struct Collected {
    /// Where they go; standard error without a file.
    file: Option<PathBuf>,
    filter: Option<Regex>,
    parts: Vec<Remarks>,
}

/// The expression of `--remarks-filter`.
///
/// # Errors
/// `S0001` for text that is not a regular expression.
pub fn filter(text: &str) -> Result<Regex, Diagnostic> {
    Regex::new(text).map_err(|error| {
        let reason = match &error {
            regex::Error::CompiledTooBig(limit) => format!("it needs more than {limit} bytes"),
            // The last line says what is wrong, those before it show where.
            _ => {
                let text = error.to_string();
                let last = text.lines().last().unwrap_or_default();
                last.trim_start_matches("error: ").to_owned()
            }
        };
        Diagnostic::new(codes::S0001)
            .reason(format!("`{text}` of --remarks-filter is not a regular expression: {reason}"))
            .hint("put `\\` before a character that stands for itself, as in `a\\(b`")
    })
}

impl Collected {
    /// For `--remarks` or `--remarks=FILE`, and `--remarks-filter`.
    pub fn new(file: Option<PathBuf>, filter: Option<Regex>) -> Self {
        Self { file, filter, parts: Vec::new() }
    }

    /// The file and its content, where there is one; else it is said.
    pub fn finish(self, reporter: &Reporter) -> Option<(PathBuf, String)> {
        let filter = self.filter.as_ref().map(|regex| |word: &str| regex.is_match(word));
        let report = Report::of(&self.parts);
        let text = match &filter {
            Some(filter) => report.only(filter).text(),
            None => report.text(),
        };
        let every = |_: &str| true;
        let filter = filter.as_ref().map_or(&every as &dyn Fn(&str) -> bool, |filter| filter);
        let object = json!({
            "kind": "remarks",
            "parts": self.parts.iter().map(|one| part(one, filter)).collect::<Vec<_>>(),
        });
        let Some(file) = self.file else {
            reporter.tell(&text, &object);
            return None;
        };
        let is_json = file.extension().is_some_and(|ending| ending == "json");
        let content = if is_json { format!("{object:#}\n") } else { text };
        Some((file, content))
    }
}

impl Observer for Collected {
    fn stage_finished(&mut self, _: &StageInfo, _: &Product<'_, '_>, _: std::time::Duration) {}

    fn remarked(&mut self, remarks: &Remarks) {
        self.parts.push(remarks.clone());
    }

    fn wants_remarks(&self) -> bool {
        true
    }

    fn wants_assembly(&self) -> bool {
        false
    }
}

/// All operations, which the rest refers to by position, and what the filter selects.
fn part(remarks: &Remarks, filter: &dyn Fn(&str) -> bool) -> Value {
    let operations = remarks.operations.iter().enumerate();
    let [nests, copies, loops] = remarks.selected(filter);
    let exchanges = remarks.exchanges.iter();
    let exchanges =
        exchanges.filter(|one| remarks.exchange_words(one).iter().any(|word| filter(word)));
    json!({
        "part": remarks.part,
        "exchanges": exchanges.map(|one| exchange(remarks, one)).collect::<Vec<_>>(),
        "operations": operations.map(|(at, one)| operation(remarks, at, one)).collect::<Vec<_>>(),
        "nests": nests.into_iter().map(|at| nest(remarks, at)).collect::<Vec<_>>(),
        "copies": copies.into_iter().map(|at| copy(remarks, &remarks.copies[at])).collect::<Vec<_>>(),
        "threads": loops.into_iter().map(|at| threads(remarks, &remarks.threads[at])).collect::<Vec<_>>(),
        "layouts": remarks.layouts.as_ref().map(layouts),
        "shardings": remarks.shardings.iter().map(sharding).collect::<Vec<_>>(),
    })
}

fn operation(remarks: &Remarks, position: usize, remark: &OperationRemark) -> Value {
    let NumberedOperation { name, types, place, label, .. } = &remark.operation;
    let place = place.as_ref();
    let stages: BTreeMap<_, _> =
        remark.stages.iter().map(|(name, counts)| (name, counts)).collect();
    json!({
        "operation": name,
        "types": types,
        "label": label,
        "fate": remarks.fate(position),
        "location": place.map(|at| json!({"file": at.file, "line": at.line, "column": at.column})),
        "nests": remark.nests.iter().map(|nest| remarks.nest_name(*nest)).collect::<Vec<_>>(),
        "stages": stages,
        "vectors": vectors(&remark.vectors),
    })
}

fn nest(remarks: &Remarks, position: usize) -> Value {
    let remark: &NestRemark = &remarks.nests[position];
    let loops = remark.loops.iter();
    json!({
        "nest": remarks.nest_name(position),
        "estimated_ns": remarks.nest_time(position).round(),
        "kernel": remark.kernel,
        "operations": remark.operations,
        "loops": loops.map(|(trips, is_reduction)| json!({"trips": trips, "reduction": is_reduction})).collect::<Vec<_>>(),
        "computes": remark.computes,
        "scratch_bytes": remark.scratch,
        "packed_weights_bytes": remark.prepared,
        "packed_inputs_bytes": remark.prepared_inputs,
        "schedule": remark.chosen(),
        "attempts": remark.attempts.iter().map(attempt).collect::<Vec<_>>(),
        "vectors": vectors(&remark.vectors),
    })
}

fn layouts(told: &LayoutsRemark) -> Value {
    let orders = told.orders.iter();
    json!({
        "orders": orders.map(|(order, values)| json!({ "order": order, "values": values })).collect::<Vec<_>>(),
        "transposes": told.transposes,
        "bytes": told.bytes,
    })
}

fn sharding(told: &ShardingRemark) -> Value {
    let conflicts = told.conflicts.iter();
    json!({
        "function": told.function,
        "values": told.values,
        "split": told.split,
        "conflicts": conflicts.map(|(operation, reason)| json!({"operation": operation, "reason": reason})).collect::<Vec<_>>(),
    })
}

fn exchange(remarks: &Remarks, remark: &ExchangeRemark) -> Value {
    json!({
        "for": subject(remarks, &remark.subject),
        "collective": remark.what,
        "devices": remark.members,
        "received_bytes": remark.bytes,
        "purpose": remark.purpose,
    })
}

fn attempt(attempt: &Attempt) -> Value {
    json!({"schedule": attempt.schedule, "declined": attempt.declined})
}

fn vectors(vectors: &BTreeSet<VectorUse>) -> Vec<Value> {
    vectors.iter().map(|one| json!({"element": one.element, "lanes": one.lanes})).collect()
}

fn copy(remarks: &Remarks, remark: &CopyRemark) -> Value {
    json!({
        "of": subject(remarks, &remark.subject),
        "bytes": remark.bytes,
        "loops_around": remark.depth,
        "purpose": remark.purpose,
        "because": remark.because,
        "blame": subject(remarks, &remark.blame),
    })
}

fn threads(remarks: &Remarks, remark: &ThreadsRemark) -> Value {
    json!({
        "of": subject(remarks, &remark.subject),
        "tasks": remark.tasks,
        "runs": remark.runs,
        "estimated_ns": remark.nanoseconds.round(),
        "because": remark.because,
    })
}

fn subject(remarks: &Remarks, subject: &Subject) -> Value {
    let nests = subject.nests.iter().map(|nest| remarks.nest_name(*nest));
    json!({"inputs": subject.inputs, "operations": subject.operations, "nests": nests.collect::<Vec<_>>()})
}
