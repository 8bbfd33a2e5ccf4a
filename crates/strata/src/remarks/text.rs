//! Remarks as text.

use std::{collections::BTreeSet, fmt};

use strata_diag::units::{bytes, exact_bytes, grouped, rough_time};
use strata_ir::{affine, arith, func, memref, scf};
use strata_remarks::Subject;
use strata_target::tuning::tasks::MIN_NEST_TIME;

use super::{NestRemark, OperationRemark, Remarks, ThreadsRemark, VectorUse};

mod report;

pub use report::Report;

/// Operations that are listed by name.
const SHOWN: usize = 6;

/// The loops that are split, and why the longest of the others is not, if that takes long or all stay whole.
fn threads_lines<'r>(loops: impl Iterator<Item = &'r ThreadsRemark>) -> Vec<String> {
    let (split, whole): (Vec<_>, Vec<_>) = loops.partition(|one| one.tasks.is_some());
    let longest =
        whole.into_iter().max_by(|one, other| one.total_time().total_cmp(&other.total_time()));
    let longest = longest.filter(|one| split.is_empty() || one.total_time() >= MIN_NEST_TIME);
    split.into_iter().chain(longest).map(ToString::to_string).collect()
}

/// Whether an operation left more outside of nests than offsets and constants.
fn has_calls_or_loops(remark: &OperationRemark) -> bool {
    let Some((_, counts)) = remark.stages.last() else { return false };
    let found = [func::CALL, affine::FOR, scf::FOR, scf::WHILE];
    found.iter().any(|name| counts.contains_key(name.as_str()))
}

impl OperationRemark {
    /// Whether a nest does all that it does.
    fn is_in_nests_only(&self, remarks: &Remarks) -> bool {
        // The loops of an unscheduled nest have no mark.
        let is_marked =
            |nest: &usize| remarks.nests.get(*nest).is_some_and(|nest| nest.chosen().is_some());
        !(self.nests.is_empty() || self.nests.iter().all(is_marked) && has_calls_or_loops(self))
    }
}

/// The code of an operation outside of nests.
fn code_of(remark: &OperationRemark) -> String {
    let Some((_, counts)) = remark.stages.last() else { return String::new() };
    let constants = [memref::GLOBAL, memref::GET_GLOBAL, memref::COPY, arith::CONSTANT];
    if counts.keys().all(|name| constants.iter().any(|one| one.as_str() == name)) {
        return "a constant in the object".to_owned();
    }
    let names: Vec<_> = counts.keys().map(String::as_str).collect();
    let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    let more = if names.len() > SHOWN { ", …" } else { "" };
    format!("code outside of nests: {shown}{more}{}", with_vectors(&remark.vectors))
}

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
        let name = match (&nest.kernel, nest.copy) {
            (Some(kernel), 0) => kernel.clone(),
            (Some(kernel), copy) => format!("{kernel}#{}", copy + 1),
            (None, _) => format!("unscheduled{position}"),
        };
        match nest.version.as_str() {
            "" => name,
            version => format!("{version}:{name}"),
        }
    }

    /// Names of nests, operations and inputs; the latter with the entry that they are of, if that is to be told.
    fn named(
        &self,
        subject: &Subject,
        name_of: &dyn Fn(usize) -> String,
        entry: Option<&str>,
    ) -> String {
        let nests = subject.nests.iter().map(|nest| name_of(*nest));
        let operations =
            subject.operations.iter().filter_map(|number| self.operations.get(*number));
        let operations = operations.map(|one| one.operation.to_string());
        let of = entry.map(|entry| format!(" of `{entry}`")).unwrap_or_default();
        let inputs = subject.inputs.iter().map(|input| format!("input {input}{of}"));
        let all: Vec<_> = inputs.chain(nests).chain(operations).collect();
        if all.is_empty() { "code of no operation".to_owned() } else { all.join(", ") }
    }

    /// What became of the operation at a position of the list, in words.
    pub fn fate(&self, position: usize) -> String {
        self.fate_with(position, &|nest| self.nest_name(nest))
    }

    fn fate_with(&self, position: usize, name_of: &dyn Fn(usize) -> String) -> String {
        let Some(remark) = self.operations.get(position) else { return String::new() };
        let numbered = &remark.operation;
        if !remark.nests.is_empty() {
            let names: Vec<_> = remark.nests.iter().map(|nest| name_of(*nest)).collect();
            let names = names.join(", ");
            return match remark.is_in_nests_only(self) {
                true => names,
                false => format!("{names}; {}", code_of(remark)),
            };
        }
        if !self.reached.is_empty() && !self.reached.contains(&numbered.function) {
            return format!("not compiled: `{}` is not reached from the entry", numbered.function);
        }
        let Some((last, _)) = remark.stages.last() else {
            return "not lowered: compilation ended before".to_owned();
        };
        if remark.has_code() {
            return code_of(remark);
        }
        if numbered.name == func::CALL.as_str() {
            return "inlined".to_owned();
        }
        if !numbered.is_used {
            return "removed: unused".to_owned();
        }
        if numbered.is_constant {
            return "a constant, computed by the compiler and used where it is needed".to_owned();
        }
        if let Some(equal) = numbered.equal.and_then(|equal| self.operations.get(equal)) {
            return format!("computed once, with the equal {}", equal.operation);
        }
        let ended = match remark.last_stage() {
            Some(stage) if stage == *last => String::new(),
            Some(stage) => format!(" after stage `{stage}`"),
            None => String::new(),
        };
        let users = self.users(position);
        match users == Subject::default() {
            true => format!("no code of its own{ended}: a view, or simplified"),
            false => {
                let users = self.named(&users, name_of, None);
                format!("no code of its own{ended}: part of its users, {users}")
            }
        }
    }

    /// Nanoseconds that a call of the program spends in a nest on one thread, estimated.
    pub fn nest_time(&self, position: usize) -> f64 {
        let about = self.threads.iter().filter(|one| one.subject.nests.contains(&position));
        about.map(|one| one.total_time() / one.subject.nests.len() as f64).sum()
    }

    /// As [`Self::nest_time`], of all nests.
    pub fn nest_times(&self) -> Vec<f64> {
        let mut times = vec![0.0; self.nests.len()];
        for one in &self.threads {
            for nest in &one.subject.nests {
                if let Some(time) = times.get_mut(*nest) {
                    *time += one.total_time() / one.subject.nests.len() as f64;
                }
            }
        }
        times
    }

    /// What is said of a nest besides its operations: labels and lines.
    fn nest_facts(&self, position: usize) -> Facts {
        let Some(nest) = self.nests.get(position) else { return Facts::new() };
        let mut facts = Facts::new();
        let names: Vec<_> = nest.computes.iter().map(String::as_str).collect();
        facts.push(("computes", names.join(", ")));
        facts.push(("loops", loops_of(nest)));
        for attempt in &nest.attempts {
            facts.push(match &attempt.declined {
                None => ("schedule", attempt.schedule.clone()),
                Some(reason) => ("declined", format!("{}: {reason}", attempt.schedule)),
            });
        }
        if nest.chosen().is_none() {
            facts.push(("schedule", "none: plain loops".to_owned()));
        }
        let vectors = if nest.vectors.is_empty() { "none".into() } else { listed(&nest.vectors) };
        facts.push(("vectors", vectors));
        if nest.scratch > 0 {
            facts.push(("scratch", exact_bytes(nest.scratch)));
        }
        if nest.prepared > 0 {
            let bytes = exact_bytes(nest.prepared);
            facts.push(("weights", format!("{bytes} packed at compile time")));
        }
        if nest.prepared_inputs > 0 {
            let bytes = exact_bytes(nest.prepared_inputs);
            facts.push(("inputs", format!("{bytes} packed once, before calls")));
        }
        let about = self.threads.iter().filter(|one| one.subject.nests.contains(&position));
        facts.extend(threads_lines(about).into_iter().map(|line| ("threads", line)));
        facts.retain(|(_, text)| !text.is_empty());
        facts
    }

    /// How many of each there are.
    fn summary(&self) -> String {
        let scheduled = self.nests.iter().filter(|nest| nest.chosen().is_some()).count();
        let split = self.threads.iter().filter(|one| one.tasks.is_some()).count();
        let size: u64 = self.copies.iter().filter_map(|copy| copy.bytes).sum();
        let counted = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{} {}", grouped(count as u64), plural(what)),
        };
        format!(
            "{}; {}, {scheduled} with a schedule; {} split into tasks; {}, {}",
            counted(self.operations.len(), "operation"),
            counted(self.nests.len(), "nest"),
            counted(split, "loop"),
            counted(self.copies.len(), "copy"),
            bytes(size),
        )
    }

    /// The remarks as text: the report of an object of one part.
    pub fn text(&self) -> String {
        Report::of(std::slice::from_ref(self)).text()
    }
}

/// Labels and lines.
type Facts = Vec<(&'static str, String)>;

/// `1 other`, `2 others`.
fn others(count: usize) -> String {
    match count {
        1 => "1 other".to_owned(),
        _ => format!("{count} others"),
    }
}

fn plural(what: &str) -> String {
    match what.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{what}s"),
    }
}

fn loops_of(nest: &NestRemark) -> String {
    let of = |wanted: bool| {
        let loops = nest.loops.iter().filter(|(_, is_reduction)| *is_reduction == wanted);
        loops.map(|(trips, _)| trips.to_string()).collect::<Vec<_>>().join(" x ")
    };
    let (parallel, reduced) = (of(false), of(true));
    match (parallel.is_empty(), reduced.is_empty()) {
        (_, true) => parallel,
        (true, false) => format!("reduces {reduced}"),
        (false, false) => format!("{parallel}, reduces {reduced}"),
    }
}

impl ThreadsRemark {
    /// Nanoseconds of all its runs in a call of the program; of one, where their number depends on values.
    fn total_time(&self) -> f64 {
        self.nanoseconds * self.runs.unwrap_or(1) as f64
    }
}

impl fmt::Display for ThreadsRemark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = rough_time(self.nanoseconds / 1e9);
        match (self.tasks, &self.because) {
            (Some(tasks), _) => {
                let runs = match self.runs {
                    Some(1) => String::new(),
                    Some(runs) => format!(", {runs} times"),
                    None => ", each time".to_owned(),
                };
                write!(formatter, "{tasks} tasks{runs}: {time} on one thread, estimated")
            }
            (None, Some(because)) => write!(formatter, "not split: {because}"),
            (None, None) => write!(formatter, "not split"),
        }
    }
}
