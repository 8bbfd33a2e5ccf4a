//! Remarks: what became of each operation of the program, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use strata_ir::{
    Context, Module, Op, TypeExt as _, WalkOrder, memref, module_op,
    remarks::{
        Attempt, Decision, NumberedOperation, Recording, Subject, number, subject_of, unwrap,
    },
};

use crate::stage::{Stage, StageInfo};

/// What became of the operations of a program.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// The part of a joint object that this is about; empty for an object of one part.
    pub part: String,
    /// The operations of the program, in order.
    pub operations: Vec<OperationRemark>,
    /// The nests that a schedule was looked for.
    pub nests: Vec<NestRemark>,
    /// The tensors that are copied between buffers.
    pub copies: Vec<CopyRemark>,
    /// The loops that are cut into tasks, and those that are not.
    pub threads: Vec<ThreadsRemark>,
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
    /// The name by which `strata schedule` knows it; none where no schedule is for it.
    pub kernel: Option<String>,
    /// How many nests before it equal it.
    pub copy: usize,
    /// Its operations, as positions in [`Remarks::operations`].
    pub operations: Vec<usize>,
    /// The trip counts of its deepest operation, and whether the loop is a reduction.
    pub loops: Vec<(i64, bool)>,
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

/// A loop that is cut into tasks, or is not.
#[derive(Clone, Debug)]
pub struct ThreadsRemark {
    /// What the loop computes.
    pub subject: Subject,
    /// The number of tasks; `None` where the loop stays whole.
    pub tasks: Option<i64>,
    /// The estimated time of the loop on one thread.
    pub nanoseconds: f64,
    /// Why it stays whole.
    pub because: Option<String>,
}

/// Follows operations from stage to stage.
pub(crate) struct Follower {
    recording: Recording,
    remarks: Remarks,
    is_numbered: bool,
}

impl Follower {
    /// Numbers the operations of a program.
    pub(crate) fn start<'c>(context: &'c Context, module: &Module<'c>, part: &str) -> Self {
        let operations = number(context, module).into_iter().map(|operation| OperationRemark {
            operation,
            nests: Vec::new(),
            stages: Vec::new(),
            vectors: BTreeSet::new(),
        });
        let remarks = Remarks {
            part: part.to_owned(),
            operations: operations.collect(),
            ..Remarks::default()
        };
        Self { recording: Recording::start(), remarks, is_numbered: true }
    }

    /// Looks at what a stage left. After stage `vector`, or where `is_last`, the numbers are removed.
    pub(crate) fn see<'c>(
        &mut self,
        context: &'c Context,
        info: &StageInfo,
        module: &Module<'c>,
        is_last: bool,
    ) {
        if !self.is_numbered {
            return;
        }
        self.decide();
        if info.stage > Stage::Input && info.stage <= Stage::Vector {
            self.look(info, module);
        }
        if is_last || info.stage >= Stage::Vector {
            unwrap(context, module);
            self.is_numbered = false;
        }
    }

    /// All that was found.
    pub(crate) fn finish(mut self) -> Remarks {
        self.decide();
        self.remarks
    }

    /// Takes over the decisions since the last stage.
    fn decide(&mut self) {
        let remarks = &mut self.remarks;
        for made in self.recording.take() {
            let subject = made.subject;
            match made.decision {
                Decision::Nest { number, kernel, loops, attempts } => {
                    debug_assert_eq!(number, remarks.nests.len());
                    let is_equal = |nest: &&NestRemark| nest.kernel == kernel && kernel.is_some();
                    let copy = remarks.nests.iter().filter(is_equal).count();
                    for operation in &subject.operations {
                        if let Some(operation) = remarks.operations.get_mut(*operation) {
                            operation.nests.push(number);
                        }
                    }
                    remarks.nests.push(NestRemark {
                        kernel,
                        copy,
                        operations: subject.operations.into_iter().collect(),
                        loops,
                        attempts,
                        vectors: BTreeSet::new(),
                    });
                }
                Decision::Copy { bytes, depth, purpose, because, blame } => {
                    let copy = CopyRemark { subject, bytes, depth, purpose, because, blame };
                    remarks.copies.push(copy);
                }
                Decision::Tasks { tasks, nanoseconds, because } => {
                    remarks.threads.push(ThreadsRemark { subject, tasks, nanoseconds, because });
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
    /// The last stage at whose end something of it is left outside of nests; `None` where already the first has nothing.
    pub fn last_stage(&self) -> Option<&'static str> {
        let left = self.stages.iter().rev().find(|(_, counts)| !counts.is_empty());
        left.map(|(stage, _)| *stage)
    }

    /// What became of it, in words; names of nests come from `nest`.
    fn fate(&self, nest: impl Fn(usize) -> String) -> String {
        if !self.nests.is_empty() {
            let names: Vec<_> = self.nests.iter().map(|number| nest(*number)).collect();
            return names.join(", ");
        }
        let Some((last, counts)) = self.stages.iter().rev().find(|(_, counts)| !counts.is_empty())
        else {
            let first = self.stages.first().map_or("hlo", |(stage, _)| *stage);
            return format!("removed in stage `{first}`: simplified, unused, or part of others");
        };
        let is_last = self.stages.last().is_some_and(|(stage, _)| stage == last);
        if !is_last {
            return format!(
                "no code of its own after stage `{last}`: a view, unused, or part of others"
            );
        }
        if counts.keys().all(|name| name == memref::GET_GLOBAL.as_str()) {
            return "a constant".to_owned();
        }
        let names: Vec<_> = counts.keys().map(String::as_str).collect();
        let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
        let more = if names.len() > SHOWN { ", …" } else { "" };
        format!("code without a schedule: {shown}{more}{}", with_vectors(&self.vectors))
    }
}

/// Operations that are listed by name.
const SHOWN: usize = 6;

fn with_vectors(vectors: &BTreeSet<VectorUse>) -> String {
    match vectors.is_empty() {
        true => String::new(),
        false => format!("; vectors {}", listed(vectors)),
    }
}

fn listed(vectors: &BTreeSet<VectorUse>) -> String {
    let each = vectors.iter().map(|vector| format!("{} x {}", vector.lanes, vector.element));
    each.collect::<Vec<_>>().join(", ")
}

impl Remarks {
    /// The name of a nest: that of its kernel, with a number where several nests share it.
    pub fn nest_name(&self, position: usize) -> String {
        let Some(nest) = self.nests.get(position) else { return String::new() };
        match (&nest.kernel, nest.copy) {
            (Some(kernel), 0) => kernel.clone(),
            (Some(kernel), copy) => format!("{kernel}#{}", copy + 1),
            (None, _) => format!("unscheduled{position}"),
        }
    }

    /// Names and places of operations, and names of nests.
    fn named(&self, subject: &Subject) -> String {
        let nests = subject.nests.iter().map(|nest| self.nest_name(*nest));
        let operations =
            subject.operations.iter().filter_map(|number| self.operations.get(*number));
        let operations = operations.map(|one| one.operation.to_string());
        nests.chain(operations).collect::<Vec<_>>().join(", ")
    }

    fn write_nest(&self, text: &mut String, position: usize, nest: &NestRemark) -> fmt::Result {
        writeln!(text, "  {}", self.nest_name(position))?;
        for operation in nest.operations.iter().filter_map(|number| self.operations.get(*number)) {
            writeln!(text, "    of         {}", operation.operation)?;
        }
        if !nest.loops.is_empty() {
            let of = |wanted: bool| {
                let loops = nest.loops.iter().filter(|(_, is_reduction)| *is_reduction == wanted);
                loops.map(|(trips, _)| trips.to_string()).collect::<Vec<_>>().join(" x ")
            };
            let (parallel, reduced) = (of(false), of(true));
            let line = match (parallel.is_empty(), reduced.is_empty()) {
                (_, true) => parallel,
                (true, false) => format!("reduces {reduced}"),
                (false, false) => format!("{parallel}, reduces {reduced}"),
            };
            writeln!(text, "    loops      {line}")?;
        }
        for attempt in &nest.attempts {
            match &attempt.declined {
                None => writeln!(text, "    schedule   {}", attempt.schedule)?,
                Some(reason) => writeln!(text, "    declined   {}: {reason}", attempt.schedule)?,
            }
        }
        if nest.chosen().is_none() {
            writeln!(text, "    schedule   none: plain loops")?;
        }
        let vectors =
            if nest.vectors.is_empty() { "none".to_owned() } else { listed(&nest.vectors) };
        writeln!(text, "    vectors    {vectors}")?;
        let about = self.threads.iter().filter(|one| one.subject.nests.contains(&position));
        let (cut, whole): (Vec<_>, Vec<_>) = about.partition(|one| one.tasks.is_some());
        // Of the loops for whole tiles and for the rest, the longest says why.
        let longest =
            whole.into_iter().max_by(|one, other| one.nanoseconds.total_cmp(&other.nanoseconds));
        let longest = longest.filter(|_| cut.is_empty());
        for threads in cut.into_iter().chain(longest) {
            writeln!(text, "    threads    {threads}")?;
        }
        Ok(())
    }

    fn write(&self, text: &mut String) -> fmt::Result {
        if !self.part.is_empty() {
            writeln!(text, "{}", self.part)?;
        }
        writeln!(text, "nests")?;
        for (position, nest) in self.nests.iter().enumerate() {
            self.write_nest(text, position, nest)?;
        }
        let loops: Vec<_> =
            self.threads.iter().filter(|one| one.subject.nests.is_empty()).collect();
        if !loops.is_empty() {
            writeln!(text, "other loops")?;
        }
        for threads in loops {
            writeln!(text, "  {}\n    threads    {threads}", self.named(&threads.subject))?;
        }
        if !self.copies.is_empty() {
            writeln!(text, "copies")?;
        }
        for copy in &self.copies {
            writeln!(text, "  {}", self.named(&copy.subject))?;
            let bytes =
                copy.bytes.map_or("a run-time size".to_owned(), |bytes| format!("{bytes} bytes"));
            let depth = match copy.depth {
                0 => String::new(),
                1 => ", in a loop".to_owned(),
                depth => format!(", in {depth} loops"),
            };
            writeln!(text, "    copied     {bytes}{depth}, as {}", copy.purpose)?;
            let blame = self.named(&copy.blame);
            let by = if blame.is_empty() { String::new() } else { format!(", by {blame}") };
            writeln!(text, "    because    {}{by}", copy.because)?;
        }
        writeln!(text, "operations")?;
        for operation in &self.operations {
            let fate = operation.fate(|nest| self.nest_name(nest));
            writeln!(text, "  {}\n    {fate}", operation.operation)?;
        }
        Ok(())
    }

    /// The remarks as text: nests, copies, then each operation of the program.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text);
        text
    }
}

impl fmt::Display for ThreadsRemark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.nanoseconds / 1e3;
        match (self.tasks, &self.because) {
            (Some(tasks), _) => {
                write!(formatter, "{tasks} tasks, estimated at {micros:.1} us on one thread")
            }
            (None, Some(because)) => write!(formatter, "one: {because}"),
            (None, None) => write!(formatter, "one"),
        }
    }
}
