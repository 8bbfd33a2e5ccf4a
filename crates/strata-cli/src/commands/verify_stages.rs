//! `strata verify --stages`: runs the program after every stage.

use std::path::{Path, PathBuf};

use strata::{Options, Stage, TensorSpec};
use strata_diag::{Diagnostic, Location, codes};
use strata_eval::Tensor;
use strata_verify::{Difference, Dump, Form, FormOutcome, FormReport, Levels, Settings, spec};

use super::{Outcome, stages, verify};
use crate::args::VerifyArgs;
use crate::reporter::Reporter;
use crate::{files, npy};

pub fn run(
    (args, reporter): (&VerifyArgs, &Reporter),
    name: &str,
    program: &[u8],
    (options, settings): (&Options, &Settings),
    inputs: Option<Vec<Tensor>>,
) -> Outcome {
    let levels = Levels { steps: args.steps, dump: dump(args)? };
    let found = strata_verify::verify_stages(name, program, options, settings, inputs, &levels)?;
    let report: String = found.reports.iter().map(line).collect();
    files::print(report.as_bytes())?;
    match &found.difference {
        Some(difference) => Err(explain((args, reporter), name, program, difference)?.into()),
        None => Ok(()),
    }
}

/// The dump of the command line.
fn dump(args: &VerifyArgs) -> Result<Option<Dump>, Diagnostic> {
    let Some((stage, file)) = &args.dump else { return Ok(None) };
    let (stage, step) = match stage.split_once('/') {
        Some((stage, step)) => (stages::parse(stage)?, Some(step.to_owned())),
        None => (stages::parse(stage)?, None),
    };
    if let Some(step) = &step {
        let is_known = stage.info().steps().iter().any(|row| row.name == step);
        if !is_known || !args.steps {
            return Err(Diagnostic::new(codes::S0001)
                .reason(format!("`--dump` names a step that is not run: `{stage}/{step}`"))
                .hint("`strata list steps` lists the steps of all stages; --steps runs them"));
        }
    }
    if !(Stage::Hlo..=Stage::Vector).contains(&stage) {
        return Err(Diagnostic::new(codes::S0001)
            .reason(format!("a dump of stage `{stage}` cannot be given"))
            .hint("--dump takes the stages from `hlo` to `vector`"));
    }
    Ok(Some(Dump { stage, step, name: files::display_name(file), text: files::read(file)? }))
}

/// One line per round and form.
fn line(report: &FormReport) -> String {
    let outcome = match &report.outcome {
        FormOutcome::Agrees(None) => "equal".to_owned(),
        FormOutcome::Agrees(Some(worst)) => verify::describe(worst),
        FormOutcome::NotRun(reason) => format!("not run: {reason}"),
        FormOutcome::Differs => "differs".to_owned(),
    };
    format!("{}, {}: {outcome}\n", report.round, report.form)
}

/// The diagnostic; writes the program, both dumps and the inputs to files.
fn explain(
    (args, reporter): (&VerifyArgs, &Reporter),
    name: &str,
    program: &[u8],
    difference: &Difference,
) -> Result<Diagnostic, Diagnostic> {
    if difference.diagnostic.code() == codes::S1915 && args.reproducer.is_none() {
        let diagnostic = difference.diagnostic.clone();
        let file = args.dump.as_ref().map(|(_, file)| files::display_name(file));
        let diagnostic = match diagnostic.location() {
            Some(_) => diagnostic,
            None => diagnostic.at(Location::file(file.unwrap_or_else(|| name.to_owned()))),
        };
        return Ok(diagnostic
            .hint("`--reproducer FILE` writes the inputs and the program before and after it"));
    }
    let reproducer = verify::reproducer(args, reporter)?;
    files::write(&reproducer, program)?;
    let beside = |rest: &str| {
        let stem = reproducer.file_stem().unwrap_or_default().to_string_lossy();
        reproducer.with_file_name(format!("{stem}.{rest}"))
    };
    let mut written = Vec::new();
    for form in [&difference.before, &difference.after] {
        if form.stage > Stage::Input && form.stage <= Stage::Vector {
            let path = beside(&format!("{}.mlir", form.stem()));
            files::write(&path, form.text.as_bytes())?;
            written.push(format!("`{}`", path.display()));
        }
    }
    let mut inputs = Vec::new();
    for (at, input) in difference.inputs.iter().enumerate() {
        let path = beside(&format!("input{at}.npy"));
        let spec: TensorSpec = spec(input);
        files::write(&path, &npy::encode(&spec, input.bytes())?)?;
        inputs.push(path);
    }
    let mut diagnostic = difference.diagnostic.clone();
    if diagnostic.location().is_none() {
        diagnostic = diagnostic.at(Location::file(name));
    }
    if !written.is_empty() {
        diagnostic =
            diagnostic.note(format!("the program before and after it: {}", written.join(", ")));
    }
    Ok(diagnostic.hint(hint(args, &reproducer, &difference.after, &inputs, &beside)))
}

/// The command that reproduces the difference.
fn hint(
    args: &VerifyArgs,
    reproducer: &Path,
    form: &Form,
    inputs: &[PathBuf],
    beside: &dyn Fn(&str) -> PathBuf,
) -> String {
    let inputs: String = inputs.iter().map(|path| format!(" --input {}", path.display())).collect();
    let command = if form.stage <= Stage::Vector {
        let file = beside(&format!("{}.mlir", form.stem()));
        format!("strata eval --from {} {}{inputs}", form.stage, file.display())
    } else if args.open || !args.max.is_empty() || !args.specialize.is_empty() {
        let list = |option: &str, list: &[(String, i64)]| -> String {
            let sizes = list.iter().map(|(name, size)| format!(" {option} {name}={size}"));
            sizes.collect()
        };
        let sizes = list("--max", &args.max) + &list("--specialize", &args.specialize);
        let open = if args.open { " --open" } else { "" };
        format!("strata verify {}{open}{sizes}{inputs}", reproducer.display())
    } else {
        format!("strata run {}{inputs}", reproducer.display())
    };
    let whose = match args.dump {
        Some(_) => "",
        None => "; please report it with these files",
    };
    format!("`{command}` shows it{whose}")
}
