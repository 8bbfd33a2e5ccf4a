//! `strata tune`: measures the schedules of a program's nests, and writes those that are faster than the compiler's.

mod database;
mod report;

use std::path::{Path, PathBuf};

use strata::{Compiler, Interface, Options, Schedules, Signature, TunableNest};
use strata_diag::{Diagnostic, Diagnostics, Location, codes};
use strata_run::{end_by_interrupt, hold_interrupts};
use strata_tune::{Database, Listener, Machine, Record, Report, Settings, tune};

use super::{Outcome, link, measured};
use crate::{args::TuneArgs, files, progress::Progress, reporter::Reporter, supervisor, version};

pub fn run(args: &TuneArgs, reporter: &Reporter) -> Outcome {
    if !args.plan {
        hold_interrupts();
    }
    let mut options = for_this_machine(args)?;
    let input = &args.program.input;
    let output = args.output.clone().unwrap_or_else(|| named_after(input));
    files::check_outputs(input, &[&output])?;
    let program = files::read(input)?;
    let name = files::display_name(input);
    let linked = link::linked(&args.link)?;
    measured::take_shapes(&mut options, &args.called.inputs, &name, &program)?;
    let compiler = || {
        let compiler = Compiler::new(options.clone());
        compiler.offered(|name| linked.find(name).is_some(), link::HINT)
    };
    // Whether it can be measured is known long before the whole is compiled.
    let (_, nests) = compiler().nests_of(&name, &program, |seen| measurable(&name, seen))?;
    let nests: Vec<_> = nests.into_iter().filter(|nest| nest.space.len() > 1).collect();
    let mut kept = database::Kept::open(args, &options)?;
    // Whether the rest compiles, a plan does not say.
    let untuned = match args.plan {
        true => None,
        false => Some(compiler().compile(&name, &program)?),
    };
    announce(&nests, &kept, args, reporter);
    let Some(untuned) = untuned else { return Ok(()) };
    let signature = untuned.signature().cloned().ok_or_else(|| {
        Diagnostic::new(codes::S9002).reason("the compiled program has no signature")
    })?;
    let inputs = measured::inputs(
        &args.called.inputs,
        (args.called.seed, &program, &options),
        &signature,
        &name,
    )?;
    let mut machine =
        Machine::new(options.clone(), (&name, &program, untuned), inputs, &linked, &nests);
    supervisor::compiled_code_starts();
    let known = if args.again { Database::default() } else { kept.database().clone() };
    let mut told = Told {
        progress: reporter.shows_progress().then(Progress::new),
        kept: &mut kept,
        output: &output,
        failed: Vec::new(),
    };
    let compiler = version::key();
    let settings = Settings { budget: args.budget, total: args.total, compiler: &compiler };
    let report = tune(&mut machine, &nests, &known, settings, &mut told);
    let Told { progress, failed, .. } = told;
    drop(progress);
    let report = report.map_err(|error| error.at(Location::file(&name)))?;
    reporter.warn(&failed.into_iter().collect());
    files::write(&output, report.schedules.text().as_bytes())?;
    let wrong: Vec<_> = report::wrong(&report, &nests).collect();
    reporter.warn(&wrong.into_iter().collect());
    let text = match args.json {
        true => format!("{:#}\n", report::json(&report, &nests)),
        false => report::text(&report, &nests),
    };
    // The schedules themselves may be on standard output.
    if !files::is_standard_stream(&output) {
        files::print(text.as_bytes())?;
    }
    reporter.done("wrote", &format!("{} ({} schedules)", output.display(), report.schedules.len()));
    if report.is_interrupted {
        interrupted(&output, &report, reporter);
    }
    Ok(())
}

/// Says what an interrupted search leaves, and ends as one that nothing held.
fn interrupted(output: &Path, report: &Report, reporter: &Reporter) -> ! {
    let open = report.outcomes.iter().filter(|outcome| outcome.found.is_none()).count();
    let (kept, output) = (report.schedules.len(), output.display());
    let text = format!(
        "interrupted: {output} has {kept} schedules, {open} nests were not searched; the same command goes on there\n"
    );
    let object = serde_json::json!({"kind": "interrupted", "schedules": kept, "open": open});
    reporter.tell(&text, &object);
    end_by_interrupt()
}

/// The options for this machine's processor, or another one that it has the instructions of.
///
/// # Errors
/// `S0001` for what cannot be tuned.
fn for_this_machine(args: &TuneArgs) -> Result<Options, Diagnostics> {
    let refuse = |reason: &str, hint: &str| {
        Err(Diagnostic::new(codes::S0001).reason(reason.to_owned()).hint(hint.to_owned()).into())
    };
    if args.target.schedule.is_some() {
        return refuse(
            "`strata tune` measures beside the compiler's own schedules, and --schedule gives others",
            "leave --schedule out; what was found before is in the database",
        );
    }
    let (options, _) = measured::options(&args.program, &args.target)?;
    if !args.max.is_empty() {
        return refuse(
            "an object for sizes up to a bound has code for many sizes, each with nests of its own",
            "tune the program at one size, with `--bind SYMBOL=SIZE`; a nest that does not depend on the size has the same schedule in all",
        );
    }
    Ok(options)
}

/// Whether a program can be measured.
///
/// # Errors
/// `S0001` for a program for several devices, or that exchanges data while it runs.
fn measurable(name: &str, seen: &Interface) -> Result<(), Diagnostics> {
    let grid = seen.signature.as_ref().and_then(Signature::grid);
    if let Some(count) = grid.map(|grid| grid.replicas * grid.partitions).filter(|count| *count > 1)
    {
        return Err(Diagnostic::new(codes::S0001)
            .at(Location::file(name))
            .reason(format!(
                "the program is for {count} devices, which wait for each other, so that a measurement would wait, too"
            ))
            .hint("tune a program of what one device computes: nests that are equal share schedules")
            .into());
    }
    if let Some((symbol, _)) = seen.foreign.iter().find(|(_, how)| how.is_of_executor()) {
        return Err(Diagnostic::new(codes::S0001)
            .at(Location::file(name))
            .reason(format!(
                "the program exchanges data with its host or other devices (`{symbol}`), for which a measurement would wait"
            ))
            .hint("tune the program without what communicates: nests that are equal share schedules")
            .into());
    }
    Ok(())
}

/// Says beforehand what will be done.
fn announce(nests: &[TunableNest], kept: &database::Kept, args: &TuneArgs, reporter: &Reporter) {
    let seconds = args.budget.as_secs_f64();
    let serves = |nest: &&TunableNest| {
        let record = kept.database().get(nest.fingerprint).filter(|_| !args.again);
        record.is_some_and(|record| record.serves(&version::key(), seconds))
    };
    let known = nests.iter().filter(serves).count();
    let open = nests.len() - known;
    let all: usize = nests.iter().map(|nest| nest.count).sum();
    let schedules: usize = nests.iter().map(|nest| nest.space.len()).sum();
    let most = (seconds * open as f64).min(args.total.as_secs_f64());
    let text = format!(
        "nests       {all}, of which {} differ, with {schedules} schedules to try\n\
         known       {known}, from {}\n\
         time        {most:.0} s for the others at most, and what compiling the program takes\n",
        nests.len(),
        kept.place(),
    );
    let object = serde_json::json!({
        "kind": "plan", "nests": all, "different": nests.len(), "schedules": schedules,
        "known": known, "most_seconds": most,
    });
    reporter.tell(&text, &object);
}

/// Shows what the search does, and keeps what it finds.
struct Told<'a> {
    progress: Option<Progress>,
    kept: &'a mut database::Kept,
    output: &'a Path,
    /// Why something could not be kept: told once.
    failed: Vec<Diagnostic>,
}

impl Told<'_> {
    fn note(&mut self, result: Result<(), Diagnostic>) {
        if let Err(error) = result
            && self.failed.is_empty()
        {
            self.failed.push(error.with_severity(strata_diag::Severity::Warning));
        }
    }
}

impl Listener for Told<'_> {
    fn progress(&mut self, text: &str) {
        if let Some(progress) = &self.progress {
            progress.teller()(text);
        }
    }

    fn found(&mut self, record: &Record) {
        let result = self.kept.add(record.clone());
        self.note(result);
    }

    fn kept(&mut self, schedules: &Schedules) {
        // So that an interrupted search leaves what it has.
        if !files::is_standard_stream(self.output) {
            let result = files::write(self.output, schedules.text().as_bytes());
            self.note(result);
        }
    }
}

/// `model.schedules.json` for `folder/model.mlir`.
fn named_after(input: &Path) -> PathBuf {
    let stem = input.file_stem().filter(|_| !files::is_standard_stream(input));
    Path::new(stem.unwrap_or("program".as_ref())).with_extension("schedules.json")
}
