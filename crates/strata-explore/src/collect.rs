//! What a compilation says of itself: an observer, and the description that the page reads.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use serde_json::{Value, json};
use strata::{
    Artifact, Attempt, OperationRemark, Options, Origin, Product, Remarks, STAGES, Stage,
    StageInfo, Subject, TensorSpec, VectorUse,
};
use strata_codegen::fnv1a;
use strata_target::tuning::tasks::{BANDWIDTH, OPERATIONS_PER_NS};

use crate::{
    Exploration,
    locations::Frame,
    places::Places,
    text::{self, Text},
};

/// Constants of more elements are elided.
const MOST_ELEMENTS: i64 = 16;

/// The texts of all stages and the remarks of a compilation, which it observes.
#[derive(Default)]
pub struct Collector {
    /// Those of stages whose lines are known only at the end.
    raw: Vec<(Stage, String)>,
    texts: Vec<(Stage, Text)>,
    /// The places of each operation in the user's program, the innermost first.
    frames: BTreeMap<usize, Vec<Frame>>,
    remarks: Remarks,
    /// Those of each version of a program with dynamic shapes, or of the program.
    told: Vec<Remarks>,
}

impl strata::Observer for Collector {
    fn stage_finished(&mut self, info: &StageInfo, product: &Product<'_, '_>, _: Duration) {
        if info.stage >= Stage::Llvm {
            if let Some(text) = product.elided_with_locations(MOST_ELEMENTS) {
                self.raw.push((info.stage, text));
            }
            return;
        }
        if self.texts.iter().any(|(stage, _)| *stage == info.stage) {
            // Of another version, for other sizes.
            return;
        }
        let Some(raw) = product.elided_with_locations(MOST_ELEMENTS) else { return };
        let (text, locations) = text::of_mlir(&raw, &[]);
        if info.stage == Stage::Input {
            self.frames = locations.frames(&raw);
        }
        self.texts.push((info.stage, text));
    }

    fn remarked(&mut self, remarks: &Remarks) {
        self.told.push(remarks.clone());
    }

    fn wants_remarks(&self) -> bool {
        true
    }

    fn wants_origins(&self) -> bool {
        true
    }
}

/// A stage's text, ready for the page.
#[derive(Clone, Debug)]
pub struct StageText {
    /// The stage.
    pub stage: Stage,
    /// Its text.
    pub text: Text,
}

/// What the page is made of.
#[derive(Clone, Debug)]
pub struct Collected {
    /// Everything but texts.
    pub index: Value,
    /// What the index is made of.
    pub remarks: Remarks,
    /// In order.
    pub stages: Vec<StageText>,
    /// The files that places of the program name.
    pub files: BTreeSet<String>,
    /// Where its operations are.
    pub places: Places,
}

impl Collector {
    /// All of it, once the compilation has ended.
    pub fn finish(self, name: &str, options: &Options, artifact: &Artifact) -> Exploration {
        let collected = self.collected(name, options, artifact);
        Exploration { collected, sources: Vec::new(), warnings: artifact.warnings().clone() }
    }

    fn collected(mut self, name: &str, options: &Options, artifact: &Artifact) -> Collected {
        let told = std::mem::take(&mut self.told);
        self.remarks = match options.open {
            true => Remarks::of_versions(told),
            false => told.into_iter().next_back().unwrap_or_default(),
        };
        let origins = &self.remarks.origins;
        for (stage, raw) in &self.raw {
            let text = match stage {
                Stage::Llvm => text::of_mlir(raw, origins).0,
                Stage::LlvmIr => text::of_llvm(raw, origins),
                _ => text::of_assembly(raw, origins),
            };
            self.texts.push((*stage, text));
        }
        let remarks = &self.remarks;
        for (_, text) in &mut self.texts {
            for origin in &mut text.origins {
                own_operations(remarks, origin);
            }
        }
        let callees = self.callees();
        let own = |(at, one): (usize, &OperationRemark)| {
            (one.operation.function.clone(), self.frames.get(&at).cloned().unwrap_or_default())
        };
        let places =
            Places::new(remarks.operations.iter().enumerate().map(own).collect(), &callees);
        let index = self.index(name, options, artifact, (&callees, &places));
        let frames = self.frames.values().flatten();
        let files = frames.map(|frame| frame.file.clone()).collect();
        let stages =
            self.texts.into_iter().map(|(stage, text)| StageText { stage, text }).collect();
        Collected { index, remarks: self.remarks, stages, files, places }
    }

    fn index(
        &self,
        name: &str,
        options: &Options,
        artifact: &Artifact,
        (callees, places): (&BTreeMap<usize, String>, &Places),
    ) -> Value {
        let remarks = &self.remarks;
        let target = &options.target;
        let lanes = f64::from(target.vector_bits().max(128)) / 32.0;
        let operations = 0..remarks.operations.len();
        let nests = 0..remarks.nests.len();
        let costs = remarks.costs.iter().map(|(origin, cost)| {
            json!([origin.operations, cost.flops, cost.transcendentals, cost.bytes])
        });
        let signature = artifact.signature();
        let tensors = |list: &[TensorSpec], names: &[String]| {
            let named = list.iter().enumerate();
            let named =
                named.map(|(at, spec)| json!({"type": spec.to_string(), "name": names.get(at)}));
            named.collect::<Vec<_>>()
        };
        json!({
            "format": 1,
            "compiler": env!("CARGO_PKG_VERSION"),
            "program": name,
            "entry": remarks.entry,
            "target": {"triple": target.triple, "cpu": target.cpu, "features": target.features},
            "code": self.code(),
            "limits": {
                "flops_per_ns": OPERATIONS_PER_NS * lanes * 2.0,
                "bytes_per_ns": BANDWIDTH.last().map_or(0.0, |(_, bytes)| *bytes),
            },
            "inputs": signature.map(|all| tensors(&all.inputs, &all.input_names)),
            "outputs": signature.map(|all| tensors(&all.outputs, &all.output_names)),
            "operations": operations.map(|at| self.operation(at, callees, places)).collect::<Vec<_>>(),
            "nests": nests.zip(remarks.nest_times()).map(|(at, time)| nest(remarks, at, time)).collect::<Vec<_>>(),
            "copies": remarks.copies.iter().map(|copy| json!({
                "of": subject(&copy.subject),
                "bytes": copy.bytes,
                "loops_around": copy.depth,
                "purpose": copy.purpose,
                "because": copy.because,
                "blame": subject(&copy.blame),
            })).collect::<Vec<_>>(),
            "loops": remarks.threads.iter().map(|one| json!({
                "of": subject(&one.subject),
                "tasks": one.tasks,
                "runs": one.runs,
                "ns": one.nanoseconds,
                "because": one.because,
            })).collect::<Vec<_>>(),
            "costs": costs.collect::<Vec<_>>(),
            "arena": remarks.arena.as_ref().map(|arena| json!({
                "bytes": arena.bytes,
                "peak": arena.peak,
                "temporaries": arena.temporaries.iter().map(|one| {
                    let of = owned(remarks, &one.of);
                    json!([one.offset, one.bytes, one.first, one.last, of.nests, of.operations])
                }).collect::<Vec<_>>(),
                "points": arena.points.iter().filter(|(_, of)| *of != Origin::default()).map(|(at, of)| {
                    let of = owned(remarks, of);
                    json!([at, of.nests, of.operations])
                }).collect::<Vec<_>>(),
            })),
            "stages": self.texts.iter().map(|(stage, text)| {
                let info = stage.info();
                json!({
                    "name": info.name,
                    "contents": info.contents,
                    "lines": text.lines.len(),
                    "known": text.lines.iter().filter(|line| **line > 0).count(),
                })
            }).collect::<Vec<_>>(),
            "missing": STAGES.iter().filter(|info| {
                info.stage != Stage::Obj && !self.texts.iter().any(|(stage, _)| *stage == info.stage)
            }).map(|info| info.name).collect::<Vec<_>>(),
        })
    }

    /// A hash of the assembly: a measurement of the code has the same.
    fn code(&self) -> Option<String> {
        let (_, text) = self.texts.iter().find(|(stage, _)| *stage == Stage::Asm)?;
        Some(format!("{:016x}", fnv1a(text.text.as_bytes())))
    }

    /// The functions that calls name, by the number of the call.
    fn callees(&self) -> BTreeMap<usize, String> {
        let mut found = BTreeMap::new();
        let Some((_, text)) = self.texts.iter().find(|(stage, _)| *stage == Stage::Input) else {
            return found;
        };
        for (line, number) in text.text.lines().zip(&text.lines) {
            let Some((_, callee)) = line.split_once("call @") else { continue };
            let origin = number.checked_sub(1).and_then(|number| text.origins.get(number));
            let Some(operation) = origin.and_then(|origin| origin.operations.first()) else {
                continue;
            };
            let is_call = self
                .remarks
                .operations
                .get(*operation)
                .is_some_and(|one| one.operation.name.ends_with("call"));
            if let Some((name, _)) = callee.split_once('(').filter(|_| is_call) {
                found.insert(*operation, name.trim_matches('"').to_owned());
            }
        }
        found
    }

    fn operation(&self, at: usize, callees: &BTreeMap<usize, String>, places: &Places) -> Value {
        let remark = &self.remarks.operations[at];
        let numbered = &remark.operation;
        let frames = places.frames(at);
        let frames = frames.iter();
        json!({
            "name": numbered.name,
            "types": numbered.types,
            "function": numbered.function,
            "label": numbered.label,
            "frames": frames.map(|frame| json!([frame.name, frame.file, frame.line, frame.column])).collect::<Vec<_>>(),
            "users": numbered.users,
            "nests": remark.nests,
            "fate": self.remarks.fate(at),
            "constant": numbered.is_constant,
            "vectors": vectors(&remark.vectors),
            "callee": callees.get(&at),
            "callers": places.callers(at).into_iter().flatten().collect::<Vec<_>>(),
        })
    }
}

/// In a nest that equals another, code is of the operations of the first: which of its own they are is not known.
fn own_operations(remarks: &Remarks, origin: &mut Origin) {
    let is_copy = |nest: &usize| remarks.nests.get(*nest).is_some_and(|nest| nest.copy > 0);
    if origin.nests.iter().any(is_copy) {
        origin.operations.clear();
        origin.calls.clear();
    }
}

fn owned(remarks: &Remarks, origin: &Origin) -> Origin {
    let mut origin = origin.clone();
    own_operations(remarks, &mut origin);
    origin
}

fn nest(remarks: &Remarks, position: usize, time: f64) -> Value {
    let nest = &remarks.nests[position];
    let attempts = nest.attempts.iter();
    let attempts = attempts.map(|Attempt { schedule, declined }| json!([schedule, declined]));
    json!({
        "name": remarks.nest_name(position),
        "kernel": nest.kernel,
        "copy": nest.copy,
        "operations": nest.operations,
        "loops": nest.loops,
        "computes": nest.computes,
        "scratch": nest.scratch,
        "packed": nest.prepared,
        "schedule": nest.chosen(),
        "attempts": attempts.collect::<Vec<_>>(),
        "vectors": vectors(&nest.vectors),
        "ns": time,
    })
}

fn vectors(vectors: &BTreeSet<VectorUse>) -> Vec<String> {
    vectors.iter().map(|one| format!("{} x {}", one.lanes, one.element)).collect()
}

fn subject(subject: &Subject) -> Value {
    json!({"inputs": subject.inputs, "operations": subject.operations, "nests": subject.nests})
}
