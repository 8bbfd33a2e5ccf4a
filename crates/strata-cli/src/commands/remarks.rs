//! `--remarks`: what became of each operation of the program.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};
use strata::{
    Attempt, CopyRemark, NestRemark, NumberedOperation, Observer, OperationRemark, Product,
    Remarks, StageInfo, Subject, ThreadsRemark, VectorUse,
};

use crate::reporter::Reporter;

/// Collects the remarks of all parts of an object.
pub struct Collected {
    /// Where they go; standard error without a file.
    file: Option<PathBuf>,
    parts: Vec<Remarks>,
}

impl Collected {
    /// For `--remarks` or `--remarks=FILE`.
    pub fn new(file: Option<PathBuf>) -> Self {
        Self { file, parts: Vec::new() }
    }

    /// The file and its content, where there is one; else it is said.
    pub fn finish(self, reporter: &Reporter) -> Option<(PathBuf, String)> {
        let texts: Vec<_> = self.parts.iter().map(Remarks::text).collect();
        let text = texts.join("\n");
        let object = json!({
            "kind": "remarks",
            "parts": self.parts.iter().map(part).collect::<Vec<_>>(),
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

fn part(remarks: &Remarks) -> Value {
    let nests = remarks.nests.iter().enumerate();
    let copies = remarks.copies.iter();
    let operations = remarks.operations.iter().enumerate();
    json!({
        "part": remarks.part,
        "operations": operations.map(|(at, one)| operation(remarks, at, one)).collect::<Vec<_>>(),
        "nests": nests.map(|(at, one)| nest(&remarks.nest_name(at), one)).collect::<Vec<_>>(),
        "copies": copies.map(|one| copy(remarks, one)).collect::<Vec<_>>(),
        "threads": remarks.threads.iter().map(|one| threads(remarks, one)).collect::<Vec<_>>(),
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

fn nest(name: &str, remark: &NestRemark) -> Value {
    let loops = remark.loops.iter();
    json!({
        "nest": name,
        "kernel": remark.kernel,
        "operations": remark.operations,
        "loops": loops.map(|(trips, is_reduction)| json!({"trips": trips, "reduction": is_reduction})).collect::<Vec<_>>(),
        "computes": remark.computes,
        "scratch_bytes": remark.scratch,
        "schedule": remark.chosen(),
        "attempts": remark.attempts.iter().map(attempt).collect::<Vec<_>>(),
        "vectors": vectors(&remark.vectors),
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
