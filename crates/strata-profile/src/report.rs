//! A profile: samples by operation, line and nest, with rates.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use strata::Cost;
use strata_diag::{Diagnostic, Location, codes};
use strata_explore::{Exploration, Frame};
use strata_run::sampling::Method;

use crate::{
    attribution::Part,
    code::Position,
    costs::Costs,
    flame,
    limits::Limits,
    memory::{self, Step},
    program::Program,
    shares::{Share, Shares, error},
    spent::Spent,
};

/// Samples of the program below which operations are not compared.
const LEAST_SAMPLES: u64 = 50;

/// So many samples elsewhere for one of the program are those of calls of a program that computes too little to be profiled.
const CALLS: u64 = 9;

/// The share of the processors below which a report warns.
const LEAST_SHARE: f64 = 0.9;

/// Samples, and what they are of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Taken {
    lost: u64,
    outside: u64,
    parts: BTreeMap<Part, u64>,
    /// By the place of the instruction.
    places: BTreeMap<Position, u64>,
}

impl Taken {
    /// None yet; for so many there was no room.
    pub fn with_lost(lost: u64) -> Self {
        Self { lost, ..Self::default() }
    }

    /// Adds samples; without a part they are not of the program.
    pub fn add(&mut self, part: Option<Part>, place: Option<Position>, samples: u64) {
        match part {
            Some(part) => *self.parts.entry(part).or_default() += samples,
            None => self.outside += samples,
        }
        if let Some(place) = place {
            *self.places.entry(place).or_default() += samples;
        }
    }
}

/// How many samples there are, and of what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// In the object's code and functions that it is known to call.
    pub inside: u64,
    /// Elsewhere: between calls, in functions whose caller is not known.
    pub outside: u64,
    /// Of those inside, in functions that the object calls.
    pub called: u64,
    /// Of those inside, in code of which it is not known what it comes from.
    pub unknown: u64,
    /// Of those inside, in nests in code that is of no single operation.
    pub nest_only: u64,
    /// For which there was no room.
    pub lost: u64,
}

/// How the program ran.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Threads that ran it.
    pub threads: usize,
    /// Calls of which samples were taken.
    pub calls: u64,
    /// The mean time of one of these.
    pub seconds: f64,
    /// The mean time of a call before and after, without samples; processor time where [`Self::processor`] is known.
    pub undisturbed: f64,
    /// Samples of a thread in a second that were asked for.
    pub frequency: u32,
    /// Devices that called it, each on a thread.
    pub devices: usize,
    /// The part of the time in which a device waits for others, on average; samples are of the rest.
    pub waiting: f64,
    /// Of the time of a call what the thread that calls ran, or that of a device on average; none where several threads run the program.
    pub processor: Option<f64>,
    /// The part of the time for which the threads had work that they also had a processor for: other work takes the rest. None where the
    /// system does not count that.
    pub processor_share: Option<f64>,
    /// The part of the time of a call that samples are of, in seconds: on one thread only time that it ran, and by signals what it slept.
    pub sampled: f64,
}

impl Run {
    /// With what each thread that calls spent on a call.
    pub(crate) fn of_thread(self, spent: Spent, method: Method) -> Self {
        // By events, nothing is sampled while a thread does not run. Timers reach one that sleeps, and one that waits for a processor once,
        // when it has it.
        let sampled = match (method, spent.waited) {
            (Method::Perf, _) => spent.ran,
            (Method::Signals, Some(waited)) => (self.seconds - waited).max(spent.ran),
            (Method::Signals, None) if self.devices > 1 => self.seconds,
            (Method::Signals, None) => spent.ran,
        };
        Self { processor: Some(spent.ran), sampled: sampled.min(self.seconds), ..self }
    }

    /// By how much samples prolong calls, as a part.
    pub fn overhead(&self) -> f64 {
        self.processor.unwrap_or(self.seconds) / self.undisturbed - 1.0
    }

    /// The share of the processors where it is so small that the profile is of another program, as it were.
    pub(crate) fn lacks_processor(&self) -> Option<f64> {
        self.processor_share.filter(|share| *share < LEAST_SHARE)
    }
}

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// As locations name it.
    pub file: String,
    /// From 1.
    pub line: u64,
}

/// What is known of an operation, a line, a nest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<K> {
    /// Which one: operations and nests by position in [`strata::Remarks`].
    pub key: K,
    /// Its part of the samples of the program.
    pub share: f64,
    /// How much of the share is parts of samples that are of one of several.
    pub split: f64,
    /// By how much the share may be wrong: half of the interval that holds it in 95 of 100 profiles.
    pub error: f64,
    /// Its time in a call, where calls were timed.
    pub seconds: Option<f64>,
    /// What it computes in a call, as `strata check` counts. Of several operations, bytes are without what they pass to one another.
    pub cost: Cost,
}

impl<K> Row<K> {
    /// Per second, where there is a time and something to do in it.
    pub fn rate(&self, count: u64) -> Option<f64> {
        self.seconds.filter(|seconds| *seconds > 0.0 && count > 0).map(|time| count as f64 / time)
    }

    /// The part of the limit that it reaches, and whether that is the one of arithmetic: of two the larger part, but memory is not what
    /// bounds arithmetic on data that caches may hold.
    pub fn of_limit(&self, limits: &Limits, threads: usize) -> Option<(f64, bool)> {
        let part = |count, limit: f64| self.rate(count).map(|rate| rate / limit);
        let arithmetic = part(self.cost.flops, limits.flops * threads as f64);
        let memory = part(self.cost.bytes, limits.copy.max(limits.read));
        let is_cached = self.cost.bytes < limits.array_bytes / 2;
        match (arithmetic, memory) {
            (Some(one), Some(other)) if one < other && !is_cached => Some((other, false)),
            (Some(one), _) => Some((one, true)),
            (None, other) => other.map(|other| (other, false)),
        }
    }
}

/// Where the time of a program goes.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The program, as its caller names it.
    pub program: String,
    /// Its entry.
    pub entry: String,
    /// How samples were taken.
    pub how: String,
    /// Why they were not taken by events, where that was tried before.
    pub refused: Option<String>,
    /// How many there are.
    pub counts: Counts,
    /// How the program ran; none where another process ran it.
    pub run: Option<Run>,
    /// The machine's limits, where they were measured.
    pub limits: Option<Limits>,
    /// Operations of the program with samples, most first.
    pub operations: Vec<Row<usize>>,
    /// Lines of source files, likewise.
    pub lines: Vec<Row<Place>>,
    /// Nests, likewise.
    pub nests: Vec<Row<usize>>,
    /// Lines of the assembly that `strata compile --emit asm` prints, counted from 0, with their samples.
    pub assembly: Vec<(usize, u64)>,
    /// The memory of temporaries over a call.
    pub memory: Vec<Step>,
    /// Samples by stack: what is called, separated by semicolons, and how often.
    pub stacks: BTreeMap<String, u64>,
    pub(crate) facts: Facts,
}

/// What of the compilation a report names.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub index: Value,
    pub nests: Vec<String>,
    pub workspace: Option<u64>,
    pub has_fma: bool,
    /// Whether the object has a version for each of several sizes.
    pub has_versions: bool,
}

impl Profile {
    pub(crate) fn new(
        program: &Program<'_>,
        how: String,
        taken: Taken,
        run: Option<Run>,
        limits: Option<Limits>,
    ) -> Result<Self, Diagnostic> {
        let remarks = program.found.remarks();
        let index = program.found.index();
        let mut counts = Counts { outside: taken.outside, lost: taken.lost, ..Counts::default() };
        let (mut operations, mut nests, mut lines) =
            (Shares::default(), Shares::default(), Shares::default());
        let mut stacks: BTreeMap<String, u64> = BTreeMap::new();
        for (part, samples) in &taken.parts {
            counts.inside += samples;
            counts.called += if part.is_call { *samples } else { 0 };
            let all: Vec<usize> = part.operations.iter().copied().collect();
            nests.add(&part.nests.iter().copied().collect::<Vec<_>>(), *samples);
            operations.add(&all, *samples);
            match (all.is_empty(), part.nests.is_empty()) {
                (true, true) => counts.unknown += samples,
                (true, false) => counts.nest_only += samples,
                _ => {}
            }
            // Where only the nest is known, lines are known if all its operations are of one.
            let of_nests = part.nests.iter().filter_map(|nest| remarks.nests.get(*nest));
            let within: BTreeSet<usize> = match all.is_empty() {
                true => of_nests.flat_map(|nest| nest.operations.iter().copied()).collect(),
                false => part.operations.clone(),
            };
            let places: BTreeSet<_> =
                within.iter().flat_map(|at| places_of(&program.found, *at, &part.calls)).collect();
            if !all.is_empty() || places.len() == 1 {
                let known: Vec<_> = places.into_iter().flatten().collect();
                lines.add(&known, *samples);
            }
            let stack = flame::stack(&program.found, part);
            *stacks.entry(stack).or_default() += samples;
        }
        if counts.inside < LEAST_SAMPLES {
            return Err(too_few(&program.name, counts, run));
        }
        // On one thread, samples elsewhere are time between calls and in functions whose caller is not known.
        let busy = match run {
            Some(Run { threads: 1, .. }) => {
                counts.inside as f64 / (counts.inside + counts.outside) as f64
            }
            _ => 1.0,
        };
        let seconds = run.map(|run| run.sampled * busy);
        let costs = Costs::of(remarks);
        let all = counts.inside as f64;
        let operations = rows(operations, all, seconds, |at| costs.all(&[*at]));
        let nests = rows(nests, all, seconds, |nest| {
            costs.all(remarks.nests.get(*nest).map_or(&[][..], |nest| &nest.operations))
        });
        let of_lines = Costs::by_place(remarks, |at, calls| places_of(&program.found, at, calls));
        let lines = rows(lines, all, seconds, |place| {
            of_lines.get(place).map_or_else(Cost::default, Costs::whole)
        });
        let mut assembly: BTreeMap<usize, u64> = BTreeMap::new();
        for (place, samples) in &taken.places {
            if let Some(line) = program.code.line(*place) {
                *assembly.entry(line).or_default() += samples;
            }
        }
        let memory = memory::steps(remarks, &nests, &operations);
        Ok(Self {
            program: program.name.clone(),
            entry: program.signature()?.entry.clone(),
            how,
            refused: None,
            counts,
            run,
            limits,
            operations,
            lines,
            nests,
            assembly: assembly.into_iter().collect(),
            memory,
            stacks,
            facts: Facts {
                index: index.clone(),
                nests: (0..remarks.nests.len()).map(|nest| remarks.nest_name(nest)).collect(),
                workspace: program.artifact.workspace_size(),
                has_fma: program.options.target.has_fma(),
                has_versions: remarks.nests.iter().any(|nest| !nest.version.is_empty()),
            },
        })
    }

    /// The flame graph's stacks in the folded form: one to a line, with its samples at the end.
    pub fn folded(&self) -> String {
        self.stacks.iter().map(|(stack, samples)| format!("{stack} {samples}\n")).collect()
    }

    /// The name of an operation, with its number.
    pub fn operation_name(&self, at: usize) -> String {
        let name = self.facts.index["operations"][at]["name"].as_str().unwrap_or("?");
        format!("{name} #{at}")
    }

    /// The name of a nest, as remarks have it.
    pub fn nest_name(&self, at: usize) -> &str {
        self.facts.nests.get(at).map_or("?", String::as_str)
    }

    /// The nests that an operation is part of, by position in the remarks; in an object for several sizes those of versions that ran.
    pub fn nests_of(&self, at: usize) -> Vec<usize> {
        let nests = self.facts.index["operations"][at]["nests"].as_array();
        let nests = nests.into_iter().flatten().filter_map(Value::as_u64).map(|nest| nest as usize);
        let has_run = |nest: &usize| self.nests.iter().any(|row| row.key == *nest);
        nests.filter(|nest| !self.facts.has_versions || has_run(nest)).collect()
    }

    /// The source place of an operation, where it has one: the innermost that is not in an installed library. None of a function that is
    /// called at several places and has no lines of its own.
    pub fn place_of(&self, at: usize) -> Option<Place> {
        let frames = self.facts.index["operations"][at]["frames"].as_array()?;
        let read = |frame: &Value| {
            let (file, line) = (frame[1].as_str()?.to_owned(), frame[2].as_u64()?);
            Some(Frame { file, line, ..Frame::default() })
        };
        place_in(&frames.iter().filter_map(read).collect::<Vec<_>>())
    }
}

/// The line that frames are shown as.
fn place_in(frames: &[Frame]) -> Option<Place> {
    let own = frames.iter().find(|frame| !frame.is_installed()).or(frames.first())?;
    Some(Place { file: own.file.clone(), line: own.line })
}

/// The lines that an operation may be of, in one of these calls.
fn places_of(found: &Exploration, at: usize, calls: &BTreeSet<usize>) -> BTreeSet<Option<Place>> {
    found.ways(at, calls).iter().map(|way| place_in(way)).collect()
}

fn rows<K: Ord + Clone>(
    shares: Shares<K>,
    all: f64,
    seconds: Option<f64>,
    cost: impl Fn(&K) -> Cost,
) -> Vec<Row<K>> {
    let row = |(key, share): (K, Share)| Row {
        share: share.samples / all,
        split: share.split / all,
        error: error(share.samples / all, all),
        seconds: seconds.map(|seconds| seconds * share.samples / all),
        cost: cost(&key),
        key,
    };
    shares.ranked().into_iter().map(row).collect()
}

fn too_few(name: &str, counts: Counts, run: Option<Run>) -> Diagnostic {
    let Counts { inside, outside, lost, .. } = counts;
    let lost = if lost > 0 { format!(", {lost} were lost") } else { String::new() };
    let busy = run.and_then(|run| run.lacks_processor());
    let others = busy.map_or_else(String::new, |share| {
        format!(
            "; other work left the program {:.1} % of the processor time that it had work for",
            100.0 * share
        )
    });
    let hint = match (inside, run.is_some()) {
        (0, false) if outside == 0 => {
            "there are no samples in it: `perf record` takes them of the process, and `perf script` prints them"
        }
        // Devices without a processor have others wait for them, in code that is not the program's.
        (_, true) if busy.is_some() && run.is_some_and(|run| run.devices > 1) => {
            "without other work on the machine, or by `--time SECONDS` for longer, there are more"
        }
        (_, true) if outside >= CALLS * inside.max(1) => {
            "calling the program takes longer than what it computes: `strata bench` times calls"
        }
        (0, false) => {
            "the process has to run the object that these options make, with its symbols: `strip` removes them"
        }
        (_, false) => "record for longer, or more often: `perf record -F 999`",
        (_, true) => "`--time SECONDS` takes samples for longer, `--frequency N` more often",
    };
    Diagnostic::new(codes::S1808)
        .at(Location::file(name))
        .reason(format!(
            "{inside} samples are of the program and {outside} of other code{lost}; {LEAST_SAMPLES} are the least from which \
             operations can be compared{others}"
        ))
        .hint(hint)
}
