//! `strata bench`: compiles for this machine, calls the object many times and measures it.
//! `docs/bench.md` describes the result.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use strata::{Artifact, ElementType, Options, Signature, Survey};
use strata_diag::{
    Diagnostic, Location, codes,
    units::{exact_bytes, grouped, time},
};
use strata_profile::{
    OnDevices,
    limits::{self, Limits},
    quantile,
};
use strata_run::{Bound, BoundDynamic, Loaded, LoadedDynamic};
use strata_threads::{Executor, Pool};

use super::watch::{self, Watch};
use super::{Outcome, arrays::called, check, devices, link, measured, options, prepared, threads};
use crate::args::{BenchArgs, ReportFormat};
use crate::reporter::Reporter;
use crate::{files, mapped, supervisor};

pub fn run(args: &BenchArgs, reporter: &Reporter) -> Outcome {
    let (mut options, is_native) = measured::options(&args.program, &args.target)?;
    prepared::want(&mut options, &args.prepare);
    let program = mapped::read(&args.program.input)?;
    let name = files::display_name(&args.program.input);
    let started = Instant::now();
    let linked = link::linked(&args.link)?;
    measured::take_shapes(&mut options, &args.called.inputs, &name, &program)?;
    let max = options::sizes(&args.max)?;
    let compiled = match max.is_empty() {
        true => options.clone(),
        false => {
            // One object for all sizes, measured at these.
            if options.input_shapes.is_none() {
                options.input_shapes =
                    Some(measured::largest_shapes(&options, &max, &name, &program)?);
            }
            Options { open: true, max, input_shapes: None, ..options.clone() }
        }
    };
    let watch = Watch::new(&args.report, reporter);
    let artifact = watch.compile(compiled.clone(), &name, &program, Some(&linked))?;
    let compile_time = started.elapsed();
    reporter.warn(artifact.warnings());
    let signature = artifact.signature().ok_or_else(|| {
        Diagnostic::new(codes::S9002).reason("the compiled program has no signature")
    })?;
    if let Some((symbol, _)) = artifact.foreign().iter().find(|(_, how)| how.is_host_transfer()) {
        return Err(Diagnostic::new(codes::S0001)
            .at(Location::file(name))
            .reason(format!(
                "the program exchanges data with its host (`{symbol}`), whose time would be measured too"
            ))
            .hint("remove infeed, outfeed, and transfers to the host from the program to be measured")
            .into());
    }
    let entry = signature;
    let signature = &measured::at_sizes(entry, options.input_shapes.as_deref());
    let random = (args.called.seed, &program[..], &options);
    let of_program = artifact.program_signature();
    let of_program = match artifact.prepared() {
        Some(_) => of_program.as_ref().unwrap_or(signature),
        None => signature,
    };
    let inputs = measured::inputs(&args.called.inputs, random, of_program, &name)?;
    let pool = threads::pool(args.threads.threads)?;
    let (inputs, preparation) =
        prepared::inputs(&artifact, &compiled, (&linked, None), inputs, pool.as_ref())?;
    let survey = strata::survey(&options, &name, &program)?;
    let (loaded, open);
    let mut bound = match compiled.max.is_empty() {
        true => {
            loaded = Loaded::linked(artifact.bytes(), &compiled, signature, &linked)?;
            if let Some(grid) = signature.grid().and_then(strata_verify::grid_of) {
                devices::check_threads(grid, &name)?;
            }
            match OnDevices::new(&loaded, signature, &inputs) {
                Some(devices) => Callable::Devices(devices),
                None => Callable::Fixed(loaded.bind(&inputs)?),
            }
        }
        false => {
            open = LoadedDynamic::new(artifact.bytes(), &compiled, entry, &linked)?;
            let shapes = options.input_shapes.clone().unwrap_or_default();
            let Some(bound) = open.bind(&shapes, &inputs)? else {
                return Err(refused(&name, signature, open.refusal(&shapes)?).into());
            };
            Callable::Open(bound)
        }
    };
    supervisor::compiled_code_starts();
    let limits = if args.no_limits { None } else { Some(limits::measure(&options)?) };
    let measured = measure(&mut bound, args, pool.as_ref())
        .map_err(|failed| failed.at(Location::file(&name)))?;
    let report = Report {
        args,
        name: &name,
        options: &options,
        is_native,
        artifact: &artifact,
        signature,
        survey: &survey,
        compile_time,
        preparation,
        threads: pool.as_ref().map_or(1, |pool| pool.executor().concurrency),
        devices: bound.devices(),
        measured,
        limits,
    };
    let text = match (args.format, args.json) {
        (ReportFormat::Json, _) | (_, true) => format!("{:#}\n", report.json()),
        (ReportFormat::Text, false) => report.text(),
    };
    Ok(files::print(text.as_bytes())?)
}

/// The entry with its buffers.
enum Callable<'l> {
    Fixed(Bound<'l>),
    Open(BoundDynamic<'l>),
    Devices(OnDevices<'l>),
}

impl Callable<'_> {
    /// The seconds of so many calls.
    ///
    /// # Errors
    /// `S1805` where one fails.
    fn time(&mut self, calls: u64, threads: Option<&Executor>) -> Result<f64, Diagnostic> {
        let started = Instant::now();
        for _ in 0..calls {
            let status = match (&mut *self, threads) {
                (Self::Fixed(bound), Some(threads)) => bound.call_on(threads),
                (Self::Fixed(bound), None) => bound.call(),
                (Self::Open(bound), threads) => bound.call(threads),
                (Self::Devices(devices), _) => return devices.time(calls),
            };
            if status != 0 {
                let reason = format!("the compiled entry function returned {status}");
                return Err(Diagnostic::new(codes::S1805).reason(reason));
            }
        }
        Ok(started.elapsed().as_secs_f64())
    }

    /// How many devices call the object.
    fn devices(&self) -> usize {
        if let Self::Devices(devices) = self { devices.count() } else { 1 }
    }
}

/// The object takes other sizes only.
fn refused(name: &str, signature: &Signature, why: Option<String>) -> Diagnostic {
    let types: Vec<_> = signature.inputs.iter().map(ToString::to_string).collect();
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    Diagnostic::new(codes::S1106)
        .at(Location::file(name))
        .reason(format!("the object does not take inputs of the types {}{why}", types.join(", ")))
        .hint("`--max` gives the largest sizes that it takes")
}

/// The measured times.
struct Measured {
    calls_per_round: u64,
    /// Seconds per call of each round, sorted.
    seconds: Vec<f64>,
}

/// Warms up and times the rounds.
fn measure(
    bound: &mut Callable<'_>,
    args: &BenchArgs,
    pool: Option<&Pool>,
) -> Result<Measured, Diagnostic> {
    let mut time = |calls: u64| bound.time(calls, pool.map(Pool::executor));
    // The warm-up finds how many calls a round takes: half a round at least.
    let mut calls = 1_u64;
    let calls_per_round = loop {
        let elapsed = time(calls)?;
        let missing = args.min_time / elapsed.max(1e-9);
        if missing <= 2.0 {
            break (calls as f64 * missing).ceil().max(1.0) as u64;
        }
        calls = calls.saturating_mul(missing.clamp(2.0, 16.0) as u64);
    };
    let mut seconds = Vec::new();
    for _ in 0..args.rounds {
        seconds.push(time(calls_per_round)? / calls_per_round as f64);
    }
    seconds.sort_by(f64::total_cmp);
    Ok(Measured { calls_per_round, seconds })
}

/// The whole report.
struct Report<'a> {
    args: &'a BenchArgs,
    name: &'a str,
    options: &'a Options,
    is_native: bool,
    artifact: &'a Artifact,
    signature: &'a Signature,
    survey: &'a Survey,
    compile_time: Duration,
    /// How long it took to prepare inputs, where some are prepared.
    preparation: Option<Duration>,
    threads: usize,
    devices: usize,
    measured: Measured,
    limits: Option<Limits>,
}

impl Report<'_> {
    fn quantile(&self, part: f64) -> f64 {
        quantile(&self.measured.seconds, part)
    }

    /// Bytes of inputs, weights and outputs.
    fn bytes(&self) -> Option<u64> {
        check::least(Some(self.signature), self.survey.costs.weights.1)
    }

    /// Per second of the median, where there is any.
    fn rate(&self, count: Option<u64>) -> Option<f64> {
        count.filter(|count| *count > 0).map(|count| count as f64 / self.quantile(0.5))
    }

    fn flops_rate(&self) -> Option<f64> {
        self.rate(Some(self.survey.costs.total().flops))
    }

    /// Whether an input has such elements, which the program may multiply as they are.
    fn takes(&self, is_such: impl Fn(ElementType) -> bool) -> bool {
        self.signature.inputs.iter().any(|spec| is_such(spec.element))
    }

    fn bytes_rate(&self) -> Option<f64> {
        self.rate(self.bytes())
    }

    fn json(&self) -> Value {
        let share = |rate: Option<f64>, limit: fn(&Limits) -> f64| {
            rate.zip(self.limits.as_ref()).map(|(rate, limits)| rate / limit(limits))
        };
        let total = self.survey.costs.total();
        let is_given = !self.args.called.inputs.is_empty();
        let calls = u64::from(self.args.rounds).saturating_mul(self.measured.calls_per_round);
        json!({
            "program": self.name,
            "entry": self.signature.entry,
            "target": watch::target_json(&self.options.target),
            "native": self.is_native,
            "threads": self.threads,
            "devices": self.devices,
            "inputs": self.signature.inputs.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "seed": (!is_given).then_some(self.args.called.seed),
            "compile_seconds": self.compile_time.as_secs_f64(),
            "prepare_seconds": self.preparation.map(|time| time.as_secs_f64()),
            "object_bytes": self.artifact.size(),
            "workspace_bytes": self.artifact.workspace_size(),
            "rounds": self.args.rounds,
            "calls_per_round": self.measured.calls_per_round,
            "calls": calls,
            "seconds": {
                "median": self.quantile(0.5),
                "lower_quartile": self.quantile(0.25),
                "upper_quartile": self.quantile(0.75),
                "least": self.quantile(0.0),
                "most": self.quantile(1.0),
            },
            "flops": total.flops,
            "transcendentals": total.transcendentals,
            "open_loops": self.survey.costs.open_loops,
            "bytes": self.bytes(),
            "flops_per_second": self.flops_rate(),
            "bytes_per_second": self.bytes_rate(),
            "limits": self.limits.as_ref().map(Limits::json),
            "share_of_flops": share(self.flops_rate(), |limits| limits.flops),
            "share_of_read": share(self.bytes_rate(), |limits| limits.read),
            "share_of_copy": share(self.bytes_rate(), |limits| limits.copy),
        })
    }

    fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) -> std::fmt::Result {
        let native = if self.is_native { " (native)" } else { "" };
        writeln!(text, "program     {}, entry `{}`", self.name, self.signature.entry)?;
        writeln!(text, "target      {}{native}", watch::describe(&self.options.target))?;
        writeln!(text, "compiled    in {}", time(self.compile_time.as_secs_f64()))?;
        let workspace = self.artifact.workspace_size().unwrap_or(0);
        writeln!(text, "object      {}", exact_bytes(self.artifact.size() as u64))?;
        writeln!(text, "workspace   {}", exact_bytes(workspace))?;
        if let Some(preparation) = self.preparation {
            writeln!(
                text,
                "prepared    in {}, not measured below",
                time(preparation.as_secs_f64())
            )?;
        }
        let origin = match self.args.called.inputs.is_empty() {
            true => format!("random, seed {}", self.args.called.seed),
            false => "given".to_owned(),
        };
        for (index, spec) in self.signature.inputs.iter().enumerate() {
            let name = called(&self.signature.input_names, index);
            writeln!(text, "{:<11} {spec}{name}, {origin}", format!("input {index}"))?;
        }
        let (rounds, calls) = (self.args.rounds, self.measured.calls_per_round);
        let threads = match self.threads {
            _ if self.devices > 1 => format!("{} devices, a thread each", self.devices),
            1 => "one thread".to_owned(),
            threads => format!("{threads} threads"),
        };
        writeln!(text, "measured    {rounds} rounds of {calls} calls, on {threads}\n")?;

        let (low, median, high) = (self.quantile(0.25), self.quantile(0.5), self.quantile(0.75));
        let spread = 100.0 * (high - low) / median;
        writeln!(text, "median      {}", time(median))?;
        writeln!(text, "quartiles   {} to {}, {spread:.1} % apart", time(low), time(high))?;
        writeln!(
            text,
            "extremes    {} to {}\n",
            time(self.quantile(0.0)),
            time(self.quantile(1.0))
        )?;
        self.write_shares(text)
    }

    fn write_shares(&self, text: &mut String) -> std::fmt::Result {
        let giga = |rate: f64| rate / 1e9;
        let costs = &self.survey.costs;
        let of =
            |rate: f64, limit: f64| format!("{:.1} % of {:.2}", 100.0 * rate / limit, giga(limit));
        if let Some(rate) = self.flops_rate() {
            writeln!(text, "arithmetic  {:.2} GFLOP/s", giga(rate))?;
            if let Some(limits) = &self.limits {
                let share = of(rate, limits.flops);
                let what = match self.options.target.has_fma() {
                    true => "multiply-adds",
                    false => "multiplications and additions",
                };
                writeln!(text, "            {share}: f32 {what} in registers")?;
                let bytes = self.takes(|element| match element {
                    ElementType::Signed(bits) | ElementType::Unsigned(bits) => bits <= 8,
                    _ => false,
                });
                let bf16 = self.takes(|element| element == ElementType::BFloat16);
                for (is_taken, limit, what) in [
                    (bytes, limits.dots, "sums of products of bytes in registers"),
                    (bytes, limits.byte_tiles, "products of tiles of bytes in registers"),
                    (bf16, limits.bf16_tiles, "products of tiles of bf16 in registers"),
                ] {
                    if let Some(limit) = limit.filter(|_| is_taken) {
                        writeln!(text, "            {}: {what}", of(rate, limit))?;
                    }
                }
            }
        }
        if let Some(rate) = self.bytes_rate() {
            writeln!(text, "memory      {:.2} GB/s of inputs, weights and outputs", giga(rate))?;
            if let Some(limits) = &self.limits {
                let size = limits.array_bytes >> 20;
                let (read, copy) = (of(rate, limits.read), of(rate, limits.copy));
                writeln!(text, "            {read}: reading {size} MiB")?;
                writeln!(text, "            {copy}: copying {size} MiB")?;
                if self.bytes().is_some_and(|bytes| bytes < limits.array_bytes) {
                    writeln!(text, "            caches may hold all of it from call to call")?;
                }
            }
        }
        let functions = costs.total().transcendentals;
        if functions > 0 {
            writeln!(
                text,
                "functions   {} such as the exponential, not counted as arithmetic",
                grouped(functions)
            )?;
        }
        if costs.open_loops > 0 {
            let loops = costs.open_loops;
            writeln!(text, "loops       {loops} of unknown trip count, counted as one iteration")?;
        }
        Ok(())
    }
}
