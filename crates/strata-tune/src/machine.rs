//! The machine at hand: compiles, checks and times.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use strata::{
    Artifact, Compiler, ElementType, Options, Schedules, Signature, Stage, TensorSpec, TunableNest,
};
use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_run::{Effort, Linked, Loaded, is_interrupted, undisturbed};

use crate::{
    compare::difference,
    measure::{Measure, Rejection, Subject},
};

/// Seconds of a round of one object, at least.
const MIN_ROUND: f64 = 2e-3;

/// Rounds of calls that take long, at least: the fewest that tell from chance.
const FEWEST_ROUNDS: usize = 7;

/// More rounds than that end after so many seconds.
const MAX_ROUNDS_TIME: f64 = 4.0;

/// A round that other work interrupts is repeated, but there are no more than so many times the rounds that were asked for.
const MOST_REPEATED: usize = 3;

/// A program on this machine.
pub struct Machine<'a> {
    options: Options,
    name: &'a str,
    program: &'a [u8],
    /// The inputs of the program.
    inputs: Vec<Vec<u8>>,
    linked: &'a Linked,
    nests: &'a [TunableNest],
    started: Instant,
    objects: BTreeMap<usize, Object>,
    next: usize,
    /// The untuned objects that were compiled.
    compiled: BTreeMap<Subject, Artifact>,
    untuned: BTreeMap<Subject, Untuned>,
}

/// A loaded object.
struct Object {
    subject: Subject,
    loaded: Loaded,
    /// Calls of a round.
    calls: u32,
}

/// What the untuned object of a subject takes and gives.
struct Untuned {
    inputs: Vec<Vec<u8>>,
    outputs: Vec<Vec<u8>>,
}

impl<'a> Machine<'a> {
    /// The program with these options and inputs, its untuned object, and its nests.
    pub fn new(
        options: Options,
        (name, program, untuned): (&'a str, &'a [u8], Artifact),
        inputs: Vec<Vec<u8>>,
        linked: &'a Linked,
        nests: &'a [TunableNest],
    ) -> Self {
        Self {
            options: Options { schedule: None, schedule_name: None, ..options },
            name,
            program,
            inputs,
            linked,
            nests,
            started: Instant::now(),
            objects: BTreeMap::new(),
            next: 0,
            compiled: BTreeMap::from([(Subject::Program, untuned)]),
            untuned: BTreeMap::new(),
        }
    }

    /// The object of a subject, which is compiled once without schedules.
    fn load_object(
        &mut self,
        subject: Subject,
        schedules: &Schedules,
    ) -> Result<(Loaded, Signature), Rejection> {
        if !schedules.is_empty() {
            return self.loaded(subject, &self.compile(subject, schedules)?);
        }
        if !self.compiled.contains_key(&subject) {
            let artifact = self.compile(subject, schedules)?;
            // One nest is searched after the other.
            self.compiled.retain(|kept, _| *kept == Subject::Program);
            self.compiled.insert(subject, artifact);
        }
        let artifact = self.compiled.get(&subject);
        let artifact = artifact.ok_or_else(|| Rejection::Fails("it is not compiled".to_owned()))?;
        self.loaded(subject, artifact)
    }

    /// The options of a subject: a nest is a program with one entry, whose sizes are known.
    fn options(&self, subject: Subject) -> Options {
        match subject {
            Subject::Program => self.options.clone(),
            Subject::Nest(_) => Options {
                entry: None,
                entries: Vec::new(),
                bind: Vec::new(),
                input_shapes: None,
                ..self.options.clone()
            },
        }
    }

    fn loaded(
        &self,
        subject: Subject,
        artifact: &Artifact,
    ) -> Result<(Loaded, Signature), Rejection> {
        let options = self.options(subject);
        let signature = artifact.signature().cloned();
        let signature =
            signature.ok_or_else(|| Rejection::Fails("it has no signature".to_owned()))?;
        let loaded = Loaded::linked(artifact.bytes(), &options, &signature, self.linked);
        Ok((loaded.map_err(|error| fails(&error.into()))?, signature))
    }

    fn compile(&self, subject: Subject, schedules: &Schedules) -> Result<Artifact, Rejection> {
        let mut options = self.options(subject);
        if !schedules.is_empty() {
            options.schedule = Some(schedules.text());
        }
        let compiled = match subject {
            Subject::Program => Compiler::new(options)
                .offered(|name| self.linked.find(name).is_some(), "`--link` names a library")
                .compile(self.name, self.program),
            Subject::Nest(at) => {
                let text = self.nests.get(at).and_then(|nest| nest.program.as_deref());
                let text = text.ok_or_else(|| {
                    Rejection::Fails("the nest depends on the program around it".to_owned())
                })?;
                Compiler::new(options).from(Stage::Linalg).compile("nest", text.as_bytes())
            }
        };
        let artifact = compiled.map_err(|errors| fails(&errors))?;
        // A nest by itself may be formed in another way than in its program.
        if artifact.warnings().iter().any(|warning| warning.code() == codes::S1303) {
            return Err(Rejection::Fails("the nest is another one by itself".to_owned()));
        }
        Ok(artifact)
    }

    /// The outputs of a call, and how long it took.
    fn run(loaded: &Loaded, inputs: &[Vec<u8>]) -> Result<(Vec<Vec<u8>>, f64), Rejection> {
        let failing = |error: Diagnostic| fails(&error.into());
        let mut bound = loaded.bind(inputs).map_err(failing)?;
        let mut seconds = 0.0;
        for _ in 0..2 {
            let started = Instant::now();
            let status = bound.call();
            seconds = started.elapsed().as_secs_f64();
            if status != 0 {
                return Err(Rejection::Fails(format!("the entry returned {status}")));
            }
        }
        Ok((bound.outputs().map_err(failing)?, seconds))
    }

    /// What the untuned object of the subject gives, once.
    fn untuned(&mut self, subject: Subject) -> Result<&Untuned, Rejection> {
        if !self.untuned.contains_key(&subject) {
            let (loaded, signature) = self.load_object(subject, &Schedules::default())?;
            let inputs = match subject {
                Subject::Program => self.inputs.clone(),
                Subject::Nest(_) => signature.inputs.iter().map(random).collect(),
            };
            let (outputs, _) = Self::run(&loaded, &inputs)?;
            self.untuned.insert(subject, Untuned { inputs, outputs });
        }
        self.untuned.get(&subject).ok_or_else(|| Rejection::Fails("it did not run".to_owned()))
    }
}

fn fails(errors: &Diagnostics) -> Rejection {
    let first = errors.iter().next();
    let reason = first.and_then(|error| error.reason_text()).unwrap_or("it cannot be compiled");
    Rejection::Fails(reason.to_owned())
}

/// An input of a nest: numbers from -1 to 1, small integers.
fn random(spec: &TensorSpec) -> Vec<u8> {
    let width = spec.element.byte_width() as usize;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        // Xorshift; any sequence serves.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut number = move || (next() >> 40) as f32 / (1_u32 << 23) as f32 - 1.0;
    let mut bytes = Vec::new();
    for _ in 0..spec.element_count() {
        let one = number();
        let whole = (one * 8.0) as i64;
        match spec.element {
            ElementType::Float(64) => bytes.extend(f64::from(one).to_le_bytes()),
            ElementType::Float(16) => bytes.extend(half::f16::from_f32(one).to_le_bytes()),
            ElementType::Float(_) => bytes.extend(one.to_le_bytes()),
            ElementType::BFloat16 => bytes.extend(half::bf16::from_f32(one).to_le_bytes()),
            ElementType::Complex(128) => {
                bytes.extend(f64::from(one).to_le_bytes());
                bytes.extend(f64::from(number()).to_le_bytes());
            }
            ElementType::Complex(_) => {
                bytes.extend(one.to_le_bytes());
                bytes.extend(number().to_le_bytes());
            }
            ElementType::Bool => bytes.push(u8::from(one > 0.0)),
            ElementType::Signed(_) => bytes.extend(&whole.to_le_bytes()[..width]),
            ElementType::Unsigned(_) => bytes.extend(&whole.abs().to_le_bytes()[..width]),
            ElementType::SmallFloat(_) => bytes.push(u8::from(one > 0.0)),
        }
    }
    bytes
}

impl Measure for Machine<'_> {
    fn load(&mut self, subject: Subject, schedules: &Schedules) -> Result<usize, Rejection> {
        let passed = match subject {
            Subject::Nest(_) => 1,
            Subject::Program => self.nests.iter().map(|nest| nest.count).sum(),
        };
        self.untuned(subject)?;
        let (loaded, signature) = self.load_object(subject, schedules)?;
        let untuned = self.untuned(subject)?;
        let (outputs, seconds) = Self::run(&loaded, &untuned.inputs)?;
        if let Some(place) = difference(&outputs, &untuned.outputs, &signature.outputs, passed) {
            return Err(Rejection::Differs(place));
        }
        let calls = (MIN_ROUND / seconds.max(1e-9)).ceil().clamp(1.0, 1e6) as u32;
        self.next += 1;
        self.objects.insert(self.next, Object { subject, loaded, calls });
        Ok(self.next)
    }

    fn times(&mut self, objects: &[usize], rounds: usize) -> Result<Vec<Vec<f64>>, Diagnostic> {
        let failed = |reason: String| Diagnostic::new(codes::S1805).reason(reason);
        let mut bound = Vec::new();
        for number in objects {
            let object = self.objects.get(number);
            let object = object.ok_or_else(|| failed("an object is not loaded".to_owned()))?;
            let untuned = self.untuned.get(&object.subject);
            let inputs = untuned.map(|untuned| untuned.inputs.as_slice()).unwrap_or_default();
            bound.push((object.loaded.bind(inputs)?, object.calls));
        }
        // As many calls for all: the first loaded may have been slowed down by what else ran.
        let calls = bound.iter().map(|(_, calls)| *calls).max().unwrap_or(1);
        let began = Instant::now();
        let mut measured = undisturbed(|| {
            let mut measured = Rounds::default();
            // The first round warms up.
            for round in 0..=MOST_REPEATED * rounds {
                let is_late = began.elapsed().as_secs_f64() > MAX_ROUNDS_TIME;
                if measured.quiet.len() == rounds || is_late && measured.len() >= FEWEST_ROUNDS {
                    break;
                }
                let mut times = vec![0.0; bound.len()];
                let mut interruptions = 0;
                let mut order: Vec<_> = (0..bound.len()).collect();
                if round % 2 == 1 {
                    order.reverse();
                }
                for at in order {
                    let before = Effort::now();
                    for _ in 0..calls {
                        let status = bound[at].0.call();
                        if status != 0 {
                            return Err(failed(format!("the entry returned {status}")));
                        }
                    }
                    let after = Effort::now();
                    let time = after.time.saturating_sub(before.time);
                    times[at] = time.as_secs_f64() / f64::from(calls);
                    interruptions += after.interruptions - before.interruptions;
                }
                if round > 0 {
                    measured.add(times, interruptions);
                }
            }
            Ok(measured)
        })?;
        measured.fill_up(rounds);
        Ok(measured.quiet)
    }

    fn unload(&mut self, object: usize) {
        self.objects.remove(&object);
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    fn is_interrupted(&self) -> bool {
        is_interrupted()
    }
}

/// The times of rounds.
#[derive(Default)]
struct Rounds {
    /// Of those that nothing interrupted.
    quiet: Vec<Vec<f64>>,
    /// Of the others, and how often they were interrupted.
    others: Vec<(u64, Vec<f64>)>,
}

impl Rounds {
    fn len(&self) -> usize {
        self.quiet.len() + self.others.len()
    }

    fn add(&mut self, times: Vec<f64>, interruptions: u64) {
        match interruptions {
            0 => self.quiet.push(times),
            _ => self.others.push((interruptions, times)),
        }
    }

    /// Adds those that were interrupted least, where there are too few of the others.
    fn fill_up(&mut self, rounds: usize) {
        self.others.sort_by_key(|(interruptions, _)| *interruptions);
        let missing = rounds.saturating_sub(self.quiet.len()).min(self.others.len());
        self.quiet.extend(self.others.drain(..missing).map(|(_, times)| times));
    }
}

#[cfg(test)]
mod tests {
    use super::Rounds;

    #[test]
    fn rounds_that_were_interrupted_least_stand_in() {
        let mut rounds = Rounds::default();
        for (time, interruptions) in [(1.0, 0), (9.0, 3), (2.0, 1), (3.0, 0), (4.0, 2)] {
            rounds.add(vec![time], interruptions);
        }
        assert_eq!(rounds.len(), 5);
        rounds.fill_up(4);
        assert_eq!(rounds.quiet, [[1.0], [3.0], [2.0], [4.0]]);
        // Enough are enough.
        rounds.fill_up(1);
        assert_eq!(rounds.quiet.len(), 4);
    }
}
