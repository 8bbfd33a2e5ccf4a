//! A program to be profiled: compiled so that its instructions say what they come from, and called.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::{Duration, Instant},
};

use strata::{Artifact, Compiler, Options, Signature, Stage, TensorSpec};
use strata_diag::{Diagnostic, Diagnostics, Location, codes};
use strata_explore::{Collector, Exploration};
use strata_run::{
    Bound, BoundDynamic, Image, Linked,
    sampling::{self, Method, Sampler},
};
use strata_threads::Pool;

use crate::{
    attribution::Attribution,
    code::{Code, Loaded, Position},
    devices::OnDevices,
    limits::{self, Limits},
    report::{Profile, Run, Taken},
    script,
    spent::Spent,
};

/// How a program is measured.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Seconds for which samples are taken.
    pub seconds: f64,
    /// Samples of each thread in a second.
    pub frequency: u32,
    /// How samples are taken; by events where these are allowed, else by signals, if it is not said.
    pub method: Option<Method>,
    /// Threads that run the program, with the calling one.
    pub threads: usize,
    /// Whether the machine's limits are measured before.
    pub has_limits: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { seconds: 2.0, frequency: 997, method: None, threads: 1, has_limits: true }
    }
}

/// A part of the time, in proportion, in which calls are timed without samples before and after.
const UNDISTURBED: f64 = 0.1;

/// A compiled program of which it is known what its instructions come from.
pub struct Program<'l> {
    pub(crate) options: Options,
    pub(crate) name: String,
    pub(crate) artifact: Artifact,
    pub(crate) found: Exploration,
    pub(crate) code: Code,
    linked: Option<&'l Linked>,
}

impl<'l> Program<'l> {
    /// Compiles a program, which locations and diagnostics call `name`. `linked` has the functions that it may call, and a hint for those
    /// that are missing.
    ///
    /// # Errors
    /// As [`Compiler::compile`]; `S0001` for options that make one object of several programs or processors, and for a program that
    /// exchanges data with its host, or for several devices and sizes; `S1107` for more devices than a process runs.
    pub fn compile(
        options: &Options,
        name: &str,
        bytes: &[u8],
        linked: Option<(&'l Linked, &'static str)>,
    ) -> Result<Self, Diagnostics> {
        let refuse = |reason: String, hint: &'static str| {
            Diagnostic::new(codes::S0001).at(Location::file(name)).reason(reason).hint(hint)
        };
        if options.is_joint() {
            let reason = "a profile is about one entry and one processor";
            return Err(refuse(reason.to_owned(), "name one of each").into());
        }
        // Debug information of the program's own would be in the way.
        let options = Options { debug_info: false, ..options.clone() };
        let mut collector = Collector::default();
        let mut compiler = Compiler::new(options.clone()).observe(&mut collector);
        if let Some((linked, hint)) = linked {
            compiler = compiler.offered(|name| linked.find(name).is_some(), hint);
        }
        let artifact = compiler.compile(name, bytes)?;
        let mut called = artifact.foreign().iter();
        if let Some((symbol, _)) = called.find(|(_, how)| how.is_host_transfer()) {
            let reason = format!(
                "the program exchanges data with its host (`{symbol}`), whose time would be measured too"
            );
            let hint =
                "remove infeed, outfeed, and transfers to the host from the program to be profiled";
            return Err(refuse(reason, hint).into());
        }
        if let Some(devices) = artifact.signature().and_then(Signature::grid) {
            if options.open {
                let reason = "the program is for several devices, and has code for several sizes";
                let hint = "`--bind` in place of `--max` compiles for one size";
                return Err(refuse(reason.to_owned(), hint).into());
            }
            devices.check_threads().map_err(|error| error.at(Location::file(name)))?;
        }
        let found = collector.finish(name, &options, &artifact);
        let assembly = found.stage(Stage::Asm).map_or("", |(text, _)| text);
        let code = Code::read(artifact.bytes(), assembly, &options.target)?;
        let linked = linked.map(|(linked, _)| linked);
        Ok(Self { options, name: name.to_owned(), artifact, found, code, linked })
    }

    /// What the program takes and returns.
    ///
    /// # Errors
    /// `S9002` if that is not known, which is a bug of the compiler.
    pub fn signature(&self) -> Result<&Signature, Diagnostic> {
        self.artifact.signature().ok_or_else(|| {
            Diagnostic::new(codes::S9002).reason("the compiled program has no signature")
        })
    }

    /// What is known of the program, as its page has it.
    pub fn exploration(&self) -> &Exploration {
        &self.found
    }

    /// The functions of its object, by symbol, with their bytes.
    pub fn functions(&self) -> impl Iterator<Item = (&str, u64)> {
        self.code.functions.iter().map(|one| (one.name.as_str(), one.size))
    }

    fn attribution(&self) -> Result<Attribution<'_>, Diagnostic> {
        let symbols = strata_codegen::Symbols::new(&self.options.name, &self.signature()?.entry)?;
        Ok(Attribution::new(&self.code, self.found.remarks(), &symbols.entry))
    }

    /// Calls the program with these inputs again and again, and says where the time goes.
    ///
    /// # Errors
    /// `S0001` for an object that takes inputs of several sizes; `S1808` if there are no samples, or too few to compare operations; `S1805`
    /// for a call that fails; as [`limits::measure`], and as [`strata_run::Loaded`] if the object cannot be loaded.
    pub fn measure(&self, inputs: &[Vec<u8>], settings: &Settings) -> Result<Profile, Diagnostics> {
        let limits = self.limits(settings)?;
        self.measure_with(inputs, settings, limits)
    }

    /// As [`Self::measure`] of a program with dynamic shapes, called with inputs of these.
    ///
    /// # Errors
    /// As [`Self::measure`]; `S1106` for shapes that the object does not take.
    pub fn measure_at(
        &self,
        shapes: &[Vec<i64>],
        inputs: &[Vec<u8>],
        settings: &Settings,
    ) -> Result<Profile, Diagnostics> {
        let limits = self.limits(settings)?;
        let (image, addresses) = self.image()?;
        let entry = image.dynamic_entry(self.signature()?)?;
        let Some(bound) = entry.bind(shapes, inputs)? else {
            let why = entry.refusal(shapes)?.map(|why| format!(": {why}")).unwrap_or_default();
            return Err(Diagnostic::new(codes::S1106)
                .at(Location::file(&self.name))
                .reason(format!("the object does not take inputs of these sizes{why}"))
                .hint("`--max` gives the largest sizes that it takes")
                .into());
        };
        self.measure_calls(Callable::Open(bound), &addresses, settings, limits)
    }

    /// The machine's limits, if they are asked for.
    fn limits(&self, settings: &Settings) -> Result<Option<Limits>, Diagnostics> {
        Ok(if settings.has_limits { Some(limits::measure(&self.options)?) } else { None })
    }

    /// The object in this process, and where its functions are.
    fn image(&self) -> Result<(Image, BTreeMap<String, u64>), Diagnostic> {
        let none = Linked::default();
        let linked = self.linked.unwrap_or(&none);
        Image::with_functions(self.artifact.bytes(), &self.options, linked)
    }

    /// As [`Self::measure`], with limits that are known.
    ///
    /// # Errors
    /// As [`Self::measure`].
    pub fn measure_with(
        &self,
        inputs: &[Vec<u8>],
        settings: &Settings,
        limits: Option<Limits>,
    ) -> Result<Profile, Diagnostics> {
        let signature = self.signature()?;
        if signature.inputs.iter().any(TensorSpec::is_open) {
            return Err(Diagnostic::new(codes::S0001)
                .at(Location::file(&self.name))
                .reason("the object takes inputs of several sizes, and those of a profile are not given")
                .hint("`Program::measure_at` takes them")
                .into());
        }
        let (image, addresses) = self.image()?;
        let entry = image.entry(signature)?;
        if let Some(devices) = OnDevices::new(&entry, signature, inputs) {
            return Ok(self.measure_devices(&devices, settings, &addresses, limits)?);
        }
        self.measure_calls(Callable::Fixed(entry.bind(inputs)?), &addresses, settings, limits)
    }

    fn measure_calls(
        &self,
        bound: Callable<'_>,
        addresses: &BTreeMap<String, u64>,
        settings: &Settings,
        limits: Option<Limits>,
    ) -> Result<Profile, Diagnostics> {
        let others: BTreeSet<_> = sampling::threads()?.into_iter().collect();
        let pool = (settings.threads != 1).then(|| Pool::new(settings.threads));
        let own = sampling::this_thread();
        let threads: Vec<_> =
            sampling::threads()?.into_iter().filter(|one| !others.contains(one)).collect();
        let threads: Vec<_> = own.into_iter().chain(threads).collect();
        let loaded = self.code.loaded(addresses);
        let frames = Arc::new(self.code.frames(&loaded));

        let mut calls = Calls { bound, pool: pool.as_ref(), name: &self.name };
        // Caches, clocks and pages of memory take a while.
        let total = Duration::from_secs_f64(settings.seconds.max(0.0));
        let apart = total.mul_f64(UNDISTURBED);
        calls.during(apart.min(Duration::from_millis(200)))?;
        let before = calls.during(apart)?;
        let sampler = Sampler::start(&threads, frames, settings.frequency, settings.method)?;
        let (how, refused) = (sampler.how().to_owned(), sampler.refused().map(str::to_owned));
        let method = sampler.method();
        let spent = Spent::of(&threads);
        let disturbed = calls.during(total);
        let spent = Spent::of(&threads).since(spent);
        let samples = sampler.stop();
        let disturbed = disturbed?;
        let after = calls.during(apart)?;

        let attribution = self.attribution()?;
        let mut taken = Taken::with_lost(samples.lost);
        for stack in &samples.stacks {
            let places = self.places(stack, &loaded);
            taken.add(attribution.part(&places), places.first().copied().flatten(), 1);
        }
        let seconds = disturbed.elapsed.as_secs_f64() / disturbed.calls as f64;
        let without = before.and(after);
        let run = Run {
            threads: pool.as_ref().map_or(1, |pool| pool.executor().concurrency),
            calls: disturbed.calls,
            seconds,
            undisturbed: without.elapsed.as_secs_f64() / without.calls as f64,
            frequency: settings.frequency,
            devices: 1,
            waiting: 0.0,
            processor: None,
            processor_share: spent.share(),
            sampled: seconds,
        };
        let run = match pool {
            Some(_) => run,
            None => Run {
                undisturbed: without.ran.as_secs_f64() / without.calls as f64,
                // Without other threads it has work all the time.
                processor_share: spent
                    .share()
                    .or(Some(spent.ran / disturbed.elapsed.as_secs_f64())),
                ..run.of_thread(spent.per(disturbed.calls as f64), method)
            },
        };
        let profile = Profile::new(self, how, taken, Some(run), limits)?;
        Ok(Profile { refused, ..profile })
    }

    /// As [`Self::measure_with`], on all devices of the program.
    fn measure_devices(
        &self,
        devices: &OnDevices<'_>,
        settings: &Settings,
        addresses: &BTreeMap<String, u64>,
        limits: Option<Limits>,
    ) -> Result<Profile, Diagnostic> {
        let at_program = |error: Diagnostic| error.at(Location::file(&self.name));
        let loaded = self.code.loaded(addresses);
        let frames = Arc::new(self.code.frames(&loaded));
        let total = Duration::from_secs_f64(settings.seconds.max(0.0));
        let apart = total.mul_f64(UNDISTURBED);
        // Caches, clocks and pages of memory take a while.
        devices.during(apart.min(Duration::from_millis(200))).map_err(at_program)?;
        let before = devices.during(apart).map_err(at_program)?;
        let start = |threads: &[i32]| {
            Sampler::start(threads, Arc::clone(&frames), settings.frequency, settings.method)
        };
        let seen = devices.sampled(total, &start).map_err(at_program)?;
        let after = devices.during(apart).map_err(at_program)?;
        let attribution = self.attribution()?;
        let mut taken = Taken::with_lost(seen.samples.lost);
        for stack in &seen.samples.stacks {
            let places = self.places(stack, &loaded);
            taken.add(attribution.part(&places), places.first().copied().flatten(), 1);
        }
        let (method, how) = seen.how;
        let seconds = seen.seconds / seen.calls as f64;
        let spent = seen.spent.per(seen.calls as f64);
        let run = Run {
            threads: 1,
            calls: seen.calls,
            seconds,
            undisturbed: before.spent.and(after.spent).ran / (before.calls + after.calls) as f64,
            frequency: settings.frequency,
            devices: devices.count(),
            waiting: (1.0 - (spent.ran + spent.waited.unwrap_or(0.0)) / seconds).clamp(0.0, 1.0),
            processor: None,
            processor_share: spent.share(),
            sampled: seconds,
        };
        let run = run.of_thread(spent, method.unwrap_or(Method::Perf));
        let profile = Profile::new(self, how, taken, Some(run), limits)?;
        Ok(Profile { refused: seen.refused, ..profile })
    }

    /// Where the addresses of a sample are in the object: the instruction, and the calls around it.
    fn places(&self, stack: &[u64], loaded: &Loaded) -> Vec<Option<Position>> {
        let mut addresses = stack.iter();
        let first = addresses.next().map(|address| loaded.find(*address));
        let call = |address: &u64| {
            // A return address is after its call, which may be the function's last instruction.
            let call = loaded.find(address.wrapping_sub(1))?;
            let back = Position { offset: call.offset + 1, ..call };
            self.code.is_return(back).then_some(Some(call))
        };
        first.into_iter().chain(addresses.map_while(call)).collect()
    }

    /// Reads what `perf script` printed of a process that has the same object, and says where the time goes. `file` is what diagnostics
    /// call it; `contents` gives the bytes of the programs and libraries that samples name, where they can be read: only they say whose
    /// functions those are that any object of the compiler has.
    ///
    /// # Errors
    /// `S1808` for a line that `perf script` does not print, and if there are no or too few samples of the program; `S1809` if they are of
    /// another object, or if it cannot be said whether they are.
    pub fn read_script(
        &self,
        data: &[u8],
        file: &str,
        contents: &dyn Fn(&str) -> Option<Vec<u8>>,
    ) -> Result<Profile, Diagnostics> {
        let attribution = self.attribution()?;
        let taken = script::read(data, file, &self.code, &attribution, contents)?;
        Ok(Profile::new(self, format!("perf record, read from {file}"), taken, None, None)?)
    }
}

/// The entry with its buffers.
enum Callable<'l> {
    Fixed(Bound<'l>),
    Open(BoundDynamic<'l>),
}

/// The program with its buffers.
struct Calls<'c, 'l> {
    bound: Callable<'l>,
    pool: Option<&'c Pool>,
    name: &'c str,
}

/// Calls that were timed.
struct Timed {
    calls: u64,
    elapsed: Duration,
    /// The processor time of the thread that called.
    ran: Duration,
}

impl Timed {
    fn and(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            elapsed: self.elapsed + other.elapsed,
            ran: self.ran + other.ran,
        }
    }
}

impl Calls<'_, '_> {
    /// Calls the program until the time is over, at least once.
    fn during(&mut self, time: Duration) -> Result<Timed, Diagnostic> {
        let started = Instant::now();
        let before = sampling::processor_time();
        let mut calls = 0;
        // The clock is read after as many calls as take no more than a millisecond.
        let mut burst: u64 = 1;
        loop {
            let since = Instant::now();
            for _ in 0..burst {
                let threads = self.pool.map(Pool::executor);
                let status = match (&mut self.bound, threads) {
                    (Callable::Fixed(bound), Some(threads)) => bound.call_on(threads),
                    (Callable::Fixed(bound), None) => bound.call(),
                    (Callable::Open(bound), threads) => bound.call(threads),
                };
                if status != 0 {
                    let reason = format!("the compiled entry function returned {status}");
                    let place = Location::file(self.name);
                    return Err(Diagnostic::new(codes::S1805).at(place).reason(reason));
                }
            }
            calls += burst;
            let elapsed = started.elapsed();
            if elapsed >= time {
                let ran = sampling::processor_time().saturating_sub(before);
                return Ok(Timed { calls, elapsed, ran });
            }
            if since.elapsed() < Duration::from_micros(500) {
                burst = burst.saturating_mul(2);
            }
        }
    }
}
