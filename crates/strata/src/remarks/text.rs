//! Remarks as text.

use std::{
    collections::BTreeSet,
    fmt::{self, Write as _},
};

use strata_ir::{affine, arith, func, memref, remarks::Subject, scf, tuning::tasks::MIN_NEST_TIME};

use super::{CopyRemark, NestRemark, OperationRemark, Remarks, ThreadsRemark, VectorUse};

/// Operations that are listed by name.
const SHOWN: usize = 6;

/// The loops that are split, and why the longest of the others is not, if that takes long or all stay whole.
fn write_threads<'r>(
    text: &mut String,
    loops: impl Iterator<Item = &'r ThreadsRemark>,
) -> fmt::Result {
    let (split, whole): (Vec<_>, Vec<_>) = loops.partition(|one| one.tasks.is_some());
    let time = |one: &ThreadsRemark| one.nanoseconds * one.runs.unwrap_or(1) as f64;
    let longest = whole.into_iter().max_by(|one, other| time(one).total_cmp(&time(other)));
    let longest = longest.filter(|one| split.is_empty() || time(one) >= MIN_NEST_TIME);
    for threads in split.into_iter().chain(longest) {
        writeln!(text, "    threads    {threads}")?;
    }
    Ok(())
}

/// Whether an operation left more outside of nests than offsets and constants.
fn has_calls_or_loops(remark: &OperationRemark) -> bool {
    let Some((_, counts)) = remark.stages.last() else { return false };
    let found = [func::CALL, affine::FOR, scf::FOR, scf::WHILE];
    found.iter().any(|name| counts.contains_key(name.as_str()))
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
        match (&nest.kernel, nest.copy) {
            (Some(kernel), 0) => kernel.clone(),
            (Some(kernel), copy) => format!("{kernel}#{}", copy + 1),
            (None, _) => format!("unscheduled{position}"),
        }
    }

    /// Names of nests, operations and inputs.
    fn named(&self, subject: &Subject) -> String {
        let nests = subject.nests.iter().map(|nest| self.nest_name(*nest));
        let operations =
            subject.operations.iter().filter_map(|number| self.operations.get(*number));
        let operations = operations.map(|one| one.operation.to_string());
        let inputs = subject.inputs.iter().map(|input| format!("input {input}"));
        let all: Vec<_> = inputs.chain(nests).chain(operations).collect();
        if all.is_empty() { "code of no operation".to_owned() } else { all.join(", ") }
    }

    /// What became of the operation at a position of the list, in words.
    pub fn fate(&self, position: usize) -> String {
        let Some(remark) = self.operations.get(position) else { return String::new() };
        let numbered = &remark.operation;
        if !remark.nests.is_empty() {
            let names: Vec<_> = remark.nests.iter().map(|nest| self.nest_name(*nest)).collect();
            let names = names.join(", ");
            // The loops of an unscheduled nest have no mark.
            let are_marked = remark
                .nests
                .iter()
                .all(|nest| self.nests.get(*nest).is_some_and(|nest| nest.chosen().is_some()));
            return match are_marked && has_calls_or_loops(remark) {
                true => format!("{names}; {}", code_of(remark)),
                false => names,
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
                format!("no code of its own{ended}: part of its users, {}", self.named(&users))
            }
        }
    }

    fn write_nest(&self, text: &mut String, position: usize, nest: &NestRemark) -> fmt::Result {
        writeln!(text, "  {}", self.nest_name(position))?;
        for operation in nest.operations.iter().filter_map(|number| self.operations.get(*number)) {
            writeln!(text, "    of         {}", operation.operation)?;
        }
        if !nest.computes.is_empty() {
            let names: Vec<_> = nest.computes.iter().map(String::as_str).collect();
            writeln!(text, "    computes   {}", names.join(", "))?;
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
        if nest.scratch > 0 {
            writeln!(text, "    scratch    {} bytes", nest.scratch)?;
        }
        let about = self.threads.iter().filter(|one| one.subject.nests.contains(&position));
        write_threads(text, about)?;
        Ok(())
    }

    fn write_copy(&self, text: &mut String, copy: &CopyRemark) -> fmt::Result {
        writeln!(text, "  {}", self.named(&copy.subject))?;
        let bytes =
            copy.bytes.map_or("a run-time size".to_owned(), |bytes| format!("{bytes} bytes"));
        let depth = match copy.depth {
            0 => String::new(),
            1 => ", in a loop".to_owned(),
            depth => format!(", in {depth} loops"),
        };
        writeln!(text, "    copied     {bytes}{depth}: {}", copy.purpose)?;
        let by = match copy.blame == Subject::default() {
            true => String::new(),
            false => format!(", by {}", self.named(&copy.blame)),
        };
        writeln!(text, "    because    {}{by}", copy.because)
    }

    /// How many of each there are.
    fn write_summary(&self, text: &mut String) -> fmt::Result {
        let scheduled = self.nests.iter().filter(|nest| nest.chosen().is_some()).count();
        let split = self.threads.iter().filter(|one| one.tasks.is_some()).count();
        let bytes: u64 = self.copies.iter().filter_map(|copy| copy.bytes).sum();
        writeln!(
            text,
            "{} operations; {} nests, {scheduled} with a schedule; {split} loops split into tasks; {} copies, {bytes} bytes",
            self.operations.len(),
            self.nests.len(),
            self.copies.len(),
        )
    }

    fn write(&self, text: &mut String) -> fmt::Result {
        if !self.part.is_empty() {
            writeln!(text, "{}", self.part)?;
        }
        self.write_summary(text)?;
        if !self.nests.is_empty() {
            writeln!(text, "nests")?;
        }
        for (position, nest) in self.nests.iter().enumerate() {
            self.write_nest(text, position, nest)?;
        }
        let mut loops: Vec<(&Subject, Vec<&ThreadsRemark>)> = Vec::new();
        for threads in self.threads.iter().filter(|one| one.subject.nests.is_empty()) {
            match loops.iter_mut().find(|(subject, _)| **subject == threads.subject) {
                Some((_, all)) => all.push(threads),
                None => loops.push((&threads.subject, vec![threads])),
            }
        }
        if !loops.is_empty() {
            writeln!(text, "other loops")?;
        }
        for (subject, all) in loops {
            writeln!(text, "  {}", self.named(subject))?;
            write_threads(text, all.into_iter())?;
        }
        if !self.copies.is_empty() {
            writeln!(text, "copies")?;
        }
        for copy in &self.copies {
            self.write_copy(text, copy)?;
        }
        writeln!(text, "operations")?;
        for (position, operation) in self.operations.iter().enumerate() {
            writeln!(text, "  {}\n    {}", operation.operation, self.fate(position))?;
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
                let runs = match self.runs {
                    Some(1) => String::new(),
                    Some(runs) => format!(", {runs} times"),
                    None => ", each time".to_owned(),
                };
                write!(formatter, "{tasks} tasks{runs}: {micros:.1} us on one thread, estimated")
            }
            (None, Some(because)) => write!(formatter, "not split: {because}"),
            (None, None) => write!(formatter, "not split"),
        }
    }
}
