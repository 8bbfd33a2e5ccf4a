//! `strata verify`: compiled code against the reference evaluator.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use serde_json::json;
use strata::{Compiler, Options, Stage};
use strata_diag::{Diagnostic, Location, codes};
use strata_eval::compare::Worst;
use strata_eval::{Tensor, Values};
use strata_ir::{Module, new_context};
use strata_verify::Tolerance;
use strata_verify::{Settings, Verification};

use super::{Outcome, eval, link, options, verify_stages};
use crate::args::{ArrayArgs, RandomValues, VerifyArgs};
use crate::reporter::Reporter;
use crate::{files, mapped, progress, supervisor};

pub fn run(args: &VerifyArgs, reporter: &Reporter) -> Outcome {
    let mut options = options::options(&args.program, &args.target)?;
    options::check_subnormals(&options)?;
    if args.target.target_cpu.is_none() && args.target.target.is_none() {
        // The code runs here, so it may use all of this machine's features.
        options.target = strata::target::resolve(None, Some("native"), None)?;
    }
    let program = mapped::read(&args.program.input)?;
    let name = files::display_name(&args.program.input);
    let settings = Settings {
        seed: args.called.seed,
        rounds: args.rounds,
        values: args.values.map(|values| match values {
            RandomValues::Tame => Values::Tame,
            RandomValues::Wild => Values::Wild,
        }),
        tolerance: Tolerance { ulps: args.ulps, ..Tolerance::default() },
        linked: Arc::new(link::linked(&args.link)?),
        ..Settings::default()
    };
    let inputs =
        if args.called.inputs.is_empty() { None } else { Some(given(args, &program, &name)?) };
    // Programs that cannot be compiled are rejected by the compiler before anything is evaluated.
    let given = |tensors: &Vec<Tensor>| Some(strata_verify::shapes_of(tensors));
    let input_shapes = strata_verify::input_shapes(&name, &program, &options, args.called.seed)?
        .and_then(|drawn| inputs.as_ref().map_or(Some(drawn), given));
    Compiler::new(Options { added: Vec::new(), input_shapes, ..options.clone() })
        .offered(|name| settings.linked.find(name).is_some(), link::HINT)
        .to(Stage::Hlo)
        .compile(&name, &program)?;
    supervisor::compiled_code_starts();
    options.max = options::sizes(&args.max)?;
    options.specialize = options::sizes(&args.specialize)?;
    options.open = args.open || !options.max.is_empty() || !options.specialize.is_empty();
    if args.stages {
        return patiently(reporter, settings, |settings| {
            let config = (&options, settings);
            verify_stages::run((args, reporter), &name, &program, config, inputs)
        });
    }
    let verify =
        |settings: &Settings| strata_verify::verify(&name, &program, &options, settings, inputs);
    let found =
        patiently(reporter, settings, verify).map_err(|error| {
            match std::str::from_utf8(&program) {
                Ok(text) => error.source_file(&name, text),
                Err(_) => error,
            }
        })?;
    files::print(report(&found, args.ulps).as_bytes())?;
    difference((args, reporter), &name, &found)
}

/// After so long without a result the command says what it is doing and what may take so long.
const PATIENCE: Duration = Duration::from_secs(10);

/// Runs `verify`, which tells what it does: on a terminal all along, elsewhere in a note if it takes long.
fn patiently<R>(reporter: &Reporter, settings: Settings, verify: impl FnOnce(&Settings) -> R) -> R {
    if reporter.shows_progress() {
        let shown = progress::Progress::new();
        let progress = strata_verify::Progress::new(shown.teller());
        return verify(&Settings { progress, ..settings });
    }
    let current = Arc::new(Mutex::new(String::new()));
    let heard = Arc::clone(&current);
    let progress = strata_verify::Progress::new(move |text| {
        text.clone_into(&mut heard.lock().unwrap_or_else(PoisonError::into_inner));
    });
    let (done, waits) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if waits.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                let current = current.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let at = if current.is_empty() { current } else { format!("at {current}; ") };
                let text = format!(
                    "{at}the evaluator is slow on large programs, and on loops whose trips depend on random inputs: \
                     --input gives inputs, --rounds 1 --values tame runs fewer"
                );
                reporter.tell(&format!("note: {text}\n"), &json!({"kind": "note", "text": text}));
            }
        });
        let result = verify(&Settings { progress, ..settings });
        drop(done);
        result
    })
}

/// The file of the reproducing program. If it is in the folder for reproducers, that folder is created.
///
/// # Errors
/// `S0003`.
pub(super) fn reproducer(args: &VerifyArgs, reporter: &Reporter) -> Result<PathBuf, Diagnostic> {
    const NAME: &str = "reproducer.mlir";
    match (&args.reproducer, reporter.crash_dir()) {
        (Some(path), _) => Ok(path.clone()),
        (None, None) => Ok(PathBuf::from(NAME)),
        (None, Some(folder)) => {
            files::create_folder(folder)?;
            Ok(folder.join(NAME))
        }
    }
}

/// The inputs of the command line, checked against the function.
fn given(
    args: &VerifyArgs,
    program: &[u8],
    name: &str,
) -> Result<Vec<strata_eval::Tensor>, strata_diag::Diagnostics> {
    let context = new_context();
    let module: Module<'_> = strata_vhlo::parse(&context, name, program)?;
    let arrays = ArrayArgs { inputs: args.called.inputs.clone(), ..ArrayArgs::default() };
    let mut signature = eval::signature(&module, args.program.entry.as_deref())?;
    eval::resolve(&arrays, &mut signature, 1, name)?;
    Ok(eval::inputs(&arrays, &signature, name)?)
}

/// One line per round and output.
fn report(found: &Verification, ulps: u64) -> String {
    let mut text = String::new();
    for (number, round) in found.rounds.iter().enumerate() {
        for (at, output) in round.outputs.iter().enumerate() {
            let mut worst = output.worst.as_ref().map_or("equal".to_owned(), describe);
            let judged = &output.judgement;
            let is_far = output.worst.as_ref().is_some_and(|worst| worst.distance > ulps);
            if is_far && judged.wrong.is_none() && judged.unsure.is_none() {
                worst.push_str(", within what rounding noise explains");
            }
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "round {} ({} inputs), output {at}: {worst}",
                number + 1,
                round.inputs
            );
        }
    }
    text
}

/// How a result compares with the evaluator's.
pub(super) fn describe(worst: &Worst) -> String {
    worst.differs_from("the evaluator")
}

/// The diagnostic of the first difference, with the reproducer written.
fn difference(
    (args, reporter): (&VerifyArgs, &Reporter),
    name: &str,
    found: &Verification,
) -> Outcome {
    let Some((output, worst)) = found.wrong() else { return unsure(name, found) };
    let mut diagnostic = Diagnostic::new(codes::S9005)
        .at(Location::file(name))
        .reason(format!("output {output} {}", describe(worst)));
    if let Some(culprit) = &found.culprit {
        let path = reproducer(args, reporter)?;
        files::write(&path, culprit.reproducer.as_bytes())?;
        diagnostic = diagnostic.operation(&culprit.operation).hint(format!(
            "reproduce with `strata test --engine compiled {}`; please report it with that file",
            path.display()
        ));
        if let Some(location) = &culprit.location {
            diagnostic = diagnostic.at(location.clone());
        }
        if !culprit.alone {
            diagnostic = diagnostic.note("on its own the operation gives the right result");
        }
    }
    Err(diagnostic.into())
}

/// The diagnostic of a difference that may be rounding.
fn unsure(name: &str, found: &Verification) -> Outcome {
    let Some((output, worst)) = found.unsure() else { return Ok(()) };
    let diagnostic = Diagnostic::new(codes::S1914)
        .at(Location::file(name))
        .reason(format!("output {output} {}", describe(worst)))
        .note("the result is ill-conditioned: rounding errors of a few units in the last place, or another order of sums, change it a lot");
    Err(diagnostic.into())
}
