//! Remarks: what became of each operation of the program, and why.

use std::collections::{BTreeMap, BTreeSet};

use strata_ir::{Context, Module, Op, TypeExt as _, WalkOrder, entry, function_name, module_op};
use strata_remarks::{
    Arena, Attempt, Decision, NumberedOperation, Origin, Recording, Subject, number, origin_of,
    reached_from, settle, subject_of, unwrap,
};

use crate::{
    cost::{self, Cost},
    stage::{Stage, StageInfo},
};

mod text;

pub use text::Report;

/// What became of the operations of a program.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// The part of a joint object that this is about; empty for an object of one part.
    pub part: String,
    /// The entry; empty where the program has no such one.
    pub entry: String,
    /// The operations of the program, in order.
    pub operations: Vec<OperationRemark>,
    /// The nests that a schedule was looked for.
    pub nests: Vec<NestRemark>,
    /// The tensors that are copied between buffers.
    pub copies: Vec<CopyRemark>,
    /// What devices exchange because values are split over them.
    pub exchanges: Vec<ExchangeRemark>,
    /// The loops that are split into tasks, and those that are not.
    pub threads: Vec<ThreadsRemark>,
    /// Where temporaries are, once stage `affine` has run.
    pub arena: Option<Arena>,
    /// What each operation at the end of stage `hlo` costs in a call, and what it comes from.
    pub costs: Vec<(Origin, Cost)>,
    /// What lines of debug information from stage `llvm` on come from, where an observer wants to know.
    pub origins: Vec<Origin>,
    /// How values are split over devices; none for a program of one.
    pub shardings: Vec<ShardingRemark>,
    /// The layouts that were chosen for values, where any was.
    pub layouts: Option<LayoutsRemark>,
    /// The entry that is compiled, and the functions that it reaches; empty where the program has no such entry.
    pub reached: BTreeSet<String>,
}

/// What became of an operation.
#[derive(Clone, Debug)]
pub struct OperationRemark {
    /// The operation, as the program has it.
    pub operation: NumberedOperation,
    /// The nests that it is part of, as positions in [`Remarks::nests`].
    pub nests: Vec<usize>,
    /// For each stage that ran, what it consists of at the stage's end outside of nests: operations and how many there are.
    pub stages: Vec<(&'static str, BTreeMap<String, usize>)>,
    /// Vectors that it computes with outside of nests, at the end of stage `vector`.
    pub vectors: BTreeSet<VectorUse>,
}

/// Vectors of so many elements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VectorUse {
    /// Such as `f32`.
    pub element: String,
    /// Elements of a vector.
    pub lanes: u64,
}

/// A nest: operations that run in common loops.
#[derive(Clone, Debug)]
pub struct NestRemark {
    /// The version that it is of, in an object with several ([`Remarks::of_versions`]); else empty.
    pub version: String,
    /// The name by which `strata schedule` knows it; none where no schedule is for it.
    pub kernel: Option<String>,
    /// How many nests before it equal it.
    pub copy: usize,
    /// Its operations, as positions in [`Remarks::operations`].
    pub operations: Vec<usize>,
    /// The calls around them, likewise: operations of a function that is called several times are in a nest for one of the calls.
    pub calls: BTreeSet<usize>,
    /// The trip counts of its deepest operation, and whether the loop is a reduction.
    pub loops: Vec<(i64, bool)>,
    /// The scalar operations that it computes with; none where it moves elements only.
    pub computes: BTreeSet<String>,
    /// Bytes of the workspace that only this nest uses.
    pub scratch: u64,
    /// Bytes of weights that the compiler copied into the layout that this nest reads.
    pub prepared: u64,
    /// Bytes of inputs that are copied into the layout that this nest reads once, before calls.
    pub prepared_inputs: u64,
    /// The schedules that were considered, in order.
    pub attempts: Vec<Attempt>,
    /// Vectors that it computes with, at the end of stage `vector`.
    pub vectors: BTreeSet<VectorUse>,
}

/// A copy of a tensor.
#[derive(Clone, Debug)]
pub struct CopyRemark {
    /// The operation that makes the tensor and the one that needs it elsewhere.
    pub subject: Subject,
    /// Its size, where it is known.
    pub bytes: Option<u64>,
    /// Loops of the program around it.
    pub depth: usize,
    /// What it is copied for.
    pub purpose: String,
    /// Why the two do not share a buffer.
    pub because: String,
    /// The operations that the reason is about.
    pub blame: Subject,
}

/// An exchange of values that are split over devices.
#[derive(Clone, Debug)]
pub struct ExchangeRemark {
    /// The operation that it is for.
    pub subject: Subject,
    /// The collective.
    pub what: String,
    /// How many devices exchange with one another.
    pub members: u64,
    /// Bytes that a device receives.
    pub bytes: u64,
    /// What they are exchanged for.
    pub purpose: String,
}

/// A loop that is split into tasks, or is not.
#[derive(Clone, Debug)]
pub struct ThreadsRemark {
    /// What the loop computes.
    pub subject: Subject,
    /// The number of tasks; `None` where the loop stays whole.
    pub tasks: Option<i64>,
    /// How often a call of the program runs the loop; `None` where that depends on values.
    pub runs: Option<i64>,
    /// The estimated time of one run of the loop on one thread.
    pub nanoseconds: f64,
    /// Why it stays whole.
    pub because: Option<String>,
}

/// How the values of a function are split over devices.
#[derive(Clone, Debug)]
pub struct ShardingRemark {
    /// The function.
    pub function: String,
    /// The number of its tensors.
    pub values: usize,
    /// How many of them are split.
    pub split: usize,
    /// Operations with values that are split in ways that do not fit together, and how.
    pub conflicts: Vec<(String, String)>,
}

/// The orders of dimensions in which values are computed, where these are not the program's.
#[derive(Clone, Debug)]
pub struct LayoutsRemark {
    /// How many values there are of each: their dimensions in the program, in the order of memory.
    pub orders: BTreeMap<Vec<usize>, usize>,
    /// How many values are transposed between the program's orders and these, constants left out.
    pub transposes: usize,
    /// Their size.
    pub bytes: u64,
}

/// Follows operations from stage to stage.
pub(crate) struct Follower {
    recording: Recording,
    remarks: Remarks,
    /// How many nests there are of each kernel.
    copies: BTreeMap<String, usize>,
    /// Ways to compute operations that were not taken before there were nests.
    declined: Vec<(Subject, Attempt)>,
    is_numbered: bool,
    /// The origins of versions before this one.
    before: usize,
}

impl Follower {
    /// Numbers the operations of a program.
    pub(crate) fn start<'c>(
        context: &'c Context,
        module: &Module<'c>,
        (part, name): (&str, Option<&str>),
        before: usize,
    ) -> Self {
        let entry =
            entry(module, name).map_or(String::new(), |entry| function_name(entry).to_owned());
        let reached = match entry.is_empty() {
            true => BTreeSet::new(),
            false => reached_from(module, &entry),
        };
        let operations = number(context, module).into_iter().map(|operation| OperationRemark {
            operation,
            nests: Vec::new(),
            stages: Vec::new(),
            vectors: BTreeSet::new(),
        });
        let remarks = Remarks {
            part: part.to_owned(),
            entry,
            operations: operations.collect(),
            reached,
            ..Remarks::default()
        };
        let (copies, declined) = (BTreeMap::new(), Vec::new());
        let recording = Recording::start();
        Self { recording, remarks, copies, declined, is_numbered: true, before }
    }

    /// Looks at what a stage left. After stage `vector`, or where `is_last`, the numbers are removed.
    pub(crate) fn see<'c>(
        &mut self,
        context: &'c Context,
        info: &StageInfo,
        module: &Module<'c>,
        is_last: bool,
        wants_origins: bool,
    ) {
        if !self.is_numbered {
            return;
        }
        self.decide();
        if info.stage == Stage::Hlo {
            self.remarks.costs = cost::each(module)
                .into_iter()
                .map(|(op, cost)| (origin_of(op.location()), cost))
                .collect();
        }
        if info.stage > Stage::Input && info.stage <= Stage::Vector {
            self.look(info, module);
        }
        if is_last || info.stage >= Stage::Vector {
            match wants_origins && !is_last {
                true => self.remarks.origins = settle(context, module, self.before),
                false => unwrap(context, module),
            }
            self.is_numbered = false;
        }
    }

    /// The number of [`Remarks::origins`].
    pub(crate) fn origins(&self) -> usize {
        self.remarks.origins.len()
    }

    /// All that was found.
    pub(crate) fn finish(mut self) -> Remarks {
        self.decide();
        self.remarks.attribute_loops();
        self.remarks.share_vectors();
        self.remarks
    }

    /// Takes over the decisions since the last stage.
    fn decide(&mut self) {
        let remarks = &mut self.remarks;
        for made in self.recording.take() {
            let subject = made.subject;
            match made.decision {
                Decision::Nest { number, kernel, loops, computes, attempts } => {
                    debug_assert_eq!(number, remarks.nests.len());
                    let copy = match &kernel {
                        Some(kernel) => {
                            let known = self.copies.entry(kernel.clone()).or_default();
                            std::mem::replace(known, *known + 1)
                        }
                        None => 0,
                    };
                    for operation in &subject.operations {
                        if let Some(operation) = remarks.operations.get_mut(*operation) {
                            operation.nests.push(number);
                        }
                    }
                    // Ways to compute sums are not about what is copied or converted for them.
                    let is_sum = loops.is_empty() || loops.iter().any(|(_, reduces)| *reduces);
                    let mut all: Vec<Attempt> = Vec::new();
                    for (of, attempt) in self.declined.iter().filter(|_| is_sum) {
                        let is_of = !of.operations.is_disjoint(&subject.operations);
                        if is_of && !all.contains(attempt) {
                            all.push(attempt.clone());
                        }
                    }
                    all.extend(attempts);
                    remarks.nests.push(NestRemark {
                        version: String::new(),
                        kernel,
                        copy,
                        operations: subject.operations.into_iter().collect(),
                        calls: subject.calls,
                        loops,
                        computes,
                        scratch: 0,
                        prepared: 0,
                        prepared_inputs: 0,
                        attempts: all,
                        vectors: BTreeSet::new(),
                    });
                }
                Decision::Declined { attempt } => self.declined.push((subject, attempt)),
                Decision::Copy { bytes, depth, purpose, because, blame } => {
                    let copy = CopyRemark { subject, bytes, depth, purpose, because, blame };
                    remarks.copies.push(copy);
                }
                Decision::Exchange { what, members, bytes, purpose } => {
                    let exchange = ExchangeRemark { subject, what, members, bytes, purpose };
                    remarks.exchanges.push(exchange);
                }
                Decision::Scratch { bytes } => {
                    for nest in &subject.nests {
                        if let Some(nest) = remarks.nests.get_mut(*nest) {
                            nest.scratch += bytes;
                        }
                    }
                }
                Decision::Arena(arena) => remarks.arena = Some(arena),
                Decision::Prepared { bytes, by_caller } => {
                    for nest in &subject.nests {
                        if let Some(nest) = remarks.nests.get_mut(*nest) {
                            match by_caller {
                                true => nest.prepared_inputs += bytes,
                                false => nest.prepared += bytes,
                            }
                        }
                    }
                }
                Decision::Whole { tasks, because } => {
                    let is_it = |one: &&mut ThreadsRemark| {
                        let own = &one.subject;
                        let is_same = own == &subject
                            || !own.nests.is_disjoint(&subject.nests)
                            || !own.operations.is_disjoint(&subject.operations);
                        is_same && one.tasks == Some(tasks)
                    };
                    if let Some(threads) = remarks.threads.iter_mut().find(is_it) {
                        (threads.tasks, threads.because) = (None, Some(because));
                    }
                }
                Decision::Tasks { tasks, runs, nanoseconds, because } => {
                    let threads = ThreadsRemark { subject, tasks, runs, nanoseconds, because };
                    remarks.threads.push(threads);
                }
                Decision::Layouts { orders, transposes, bytes } => {
                    remarks.layouts = Some(LayoutsRemark { orders, transposes, bytes });
                }
                Decision::Shardings { function, values, split, conflicts } => {
                    let told = ShardingRemark { function, values, split, conflicts };
                    remarks.shardings.push(told);
                }
            }
        }
    }

    /// Counts what operations consist of.
    fn look(&mut self, info: &StageInfo, module: &Module<'_>) {
        let remarks = &mut self.remarks;
        for operation in &mut remarks.operations {
            operation.stages.push((info.name, BTreeMap::new()));
        }
        module_op(module).walk(WalkOrder::Pre, &mut |op| {
            let subject = subject_of(op.location());
            let vector = (info.stage == Stage::Vector).then(|| vector_of(op)).flatten();
            for nest in &subject.nests {
                if let Some(nest) = remarks.nests.get_mut(*nest) {
                    nest.vectors.extend(vector.clone());
                }
            }
            for operation in &subject.operations {
                let Some(operation) = remarks.operations.get_mut(*operation) else { continue };
                operation.vectors.extend(vector.clone());
                if let Some((_, counts)) = operation.stages.last_mut() {
                    *counts.entry(op.name().into()).or_default() += 1;
                }
            }
        });
    }
}

/// The vector that an operation makes or writes.
fn vector_of(op: Op<'_>) -> Option<VectorUse> {
    let values = op.results().into_iter().chain(op.operands());
    let mut types = values.map(|value| value.ty()).filter(|ty| ty.is_vector_type());
    let ty = types.find(|ty| ty.element_count().is_some_and(|count| count > 1))?;
    let lanes = ty.shape()?.last().copied()?;
    Some(VectorUse { element: ty.element().to_string(), lanes: u64::try_from(lanes).ok()? })
}

impl NestRemark {
    /// The schedule that was chosen.
    pub fn chosen(&self) -> Option<&str> {
        let chosen = self.attempts.iter().find(|attempt| attempt.declined.is_none());
        chosen.map(|attempt| attempt.schedule.as_str())
    }
}

impl OperationRemark {
    /// Whether something of it is left outside of nests at the end of the last stage.
    fn has_code(&self) -> bool {
        self.stages.last().is_some_and(|(_, counts)| !counts.is_empty())
    }

    /// The last stage at whose end something of it is left outside of nests; `None` where already the first has nothing.
    pub fn last_stage(&self) -> Option<&'static str> {
        let left = self.stages.iter().rev().find(|(_, counts)| !counts.is_empty());
        left.map(|(stage, _)| *stage)
    }
}

impl Remarks {
    /// What became of operations in all versions of a program with dynamic shapes, which share code: operations are those of the program,
    /// nests and origins those of each version, one after the other. What is about one version only, such as costs and the arena, is left out.
    pub fn of_versions(versions: Vec<Self>) -> Self {
        if let [one] = versions.as_slice()
            && one.part.is_empty()
        {
            return one.clone();
        }
        let mut whole: Option<Self> = None;
        for mut one in versions {
            one.nests.iter_mut().for_each(|nest| nest.version.clone_from(&one.part));
            let Some(whole) = &mut whole else {
                (one.costs, one.arena) = (Vec::new(), None);
                (one.copies, one.exchanges, one.threads) = Default::default();
                whole = Some(one);
                continue;
            };
            let before = whole.nests.len();
            for (whole, one) in whole.operations.iter_mut().zip(one.operations) {
                whole.nests.extend(one.nests.iter().map(|nest| before + nest));
                whole.vectors.extend(one.vectors);
            }
            whole.nests.extend(one.nests);
            whole.origins.extend(one.origins.into_iter().map(|mut origin| {
                origin.nests = origin.nests.iter().map(|nest| before + nest).collect();
                origin
            }));
        }
        let mut whole = whole.unwrap_or_default();
        whole.part.clear();
        whole
    }

    /// Equal nests may share a function, which has the mark of the first.
    fn share_vectors(&mut self) {
        let mut first: BTreeMap<String, usize> = BTreeMap::new();
        for at in 0..self.nests.len() {
            let Some(kernel) = self.nests[at].kernel.clone() else { continue };
            let of_first = *first.entry(kernel).or_insert(at);
            if of_first != at {
                let vectors = self.nests[of_first].vectors.clone();
                self.nests[at].vectors.extend(vectors);
            }
        }
    }

    /// The nests, as positions, whose loops code of these operations may be although it has no mark: loops of nests without a schedule have
    /// none.
    pub fn unmarked_nests<'r>(
        &'r self,
        operations: &'r BTreeSet<usize>,
    ) -> impl Iterator<Item = usize> + 'r {
        let has_all = |nest: &NestRemark| {
            operations.iter().all(|operation| nest.operations.contains(operation))
        };
        let nests = self.nests.iter().enumerate().filter(move |(_, nest)| {
            nest.chosen().is_none() && !operations.is_empty() && has_all(nest)
        });
        nests.map(|(at, _)| at)
    }

    fn attribute_loops(&mut self) {
        let nest_of = |threads: &ThreadsRemark| match threads.subject.nests.is_empty() {
            true => self.unmarked_nests(&threads.subject.operations).next(),
            false => None,
        };
        let nests: Vec<_> = self.threads.iter().map(nest_of).collect();
        for (threads, nest) in self.threads.iter_mut().zip(nests) {
            threads.subject.nests.extend(nest);
        }
    }

    /// The nests and other code that use what an operation computes, also through operations without code of their own.
    fn users(&self, position: usize) -> Subject {
        let (mut found, mut seen, mut open) = (Subject::default(), BTreeSet::new(), vec![position]);
        while let Some(of) = open.pop() {
            let users = self.operations.get(of).map(|one| &one.operation.users);
            for user in users.into_iter().flatten().copied() {
                let Some(remark) = self.operations.get(user).filter(|_| seen.insert(user)) else {
                    continue;
                };
                if !remark.nests.is_empty() {
                    found.nests.extend(&remark.nests);
                } else if remark.has_code() {
                    found.operations.insert(user);
                } else {
                    open.push(user);
                }
            }
        }
        found
    }
}
