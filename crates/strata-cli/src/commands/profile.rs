//! `strata profile`: where the time of a program goes. `docs/guide/profile.md` describes the result.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use strata::Options;
use strata_diag::{Diagnostic, Location, codes};
use strata_profile::{Method, Profile, Program, Settings};

use super::{Outcome, link, measured, options, threads};
use crate::{
    args::{MethodArg, ProfileArgs, ReportFormat},
    files,
    reporter::Reporter,
    supervisor,
};

pub fn run(args: &ProfileArgs, reporter: &Reporter) -> Outcome {
    let input = &args.program.input;
    let outputs: Vec<&Path> =
        [&args.svg, &args.folded, &args.output].into_iter().flatten().map(AsRef::as_ref).collect();
    files::check_outputs(input, &outputs)?;
    threads::check(args.threads.threads)?;
    let name = files::display_name(input);
    let (mut options, _) = measured::options(&args.program, &args.target)?;
    let program = files::read(input)?;
    let linked = link::linked(&args.link)?;
    measured::take_shapes(&mut options, &args.called.inputs, &name, &program)?;
    let max = options::sizes(&args.max)?;
    let one_of_all = match max.is_empty() {
        true => options.clone(),
        false => {
            if options.input_shapes.is_none() && args.perf_script.is_none() {
                let largest = measured::largest_shapes(&options, &max, &name, &program)?;
                options.input_shapes = Some(largest);
            }
            Options { open: true, max, input_shapes: None, ..options.clone() }
        }
    };
    let compiled = Program::compile(&one_of_all, &name, &program, Some((&linked, link::HINT)))?;
    reporter.warn(compiled.exploration().warnings());
    let profile = match &args.perf_script {
        Some(script) => {
            let text = files::read(script)?;
            let binaries = binaries(&args.binary)?;
            let contents = |file: &str| {
                let given = binaries.iter().find(|(name, _)| Path::new(file).file_name() == *name);
                given.map(|(_, data)| data.clone()).or_else(|| std::fs::read(file).ok())
            };
            compiled.read_script(&text, &files::display_name(script), &contents)?
        }
        None => {
            let random = (args.called.seed, program.as_slice(), &options);
            let shapes = options.input_shapes.as_deref();
            let signature = measured::at_sizes(compiled.signature()?, shapes);
            let inputs = measured::inputs(&args.called.inputs, random, &signature, &name)?;
            supervisor::compiled_code_starts();
            match one_of_all.open {
                true => {
                    compiled.measure_at(shapes.unwrap_or_default(), &inputs, &settings(args))?
                }
                false => compiled.measure(&inputs, &settings(args))?,
            }
        }
    };
    write(args, &profile)
}

/// A file by the name that it has in its folder, and its contents.
type Binary<'a> = (Option<&'a OsStr>, Vec<u8>);

/// Reads what --binary names.
///
/// # Errors
/// `S0001` for a file that is not a program or library.
fn binaries(paths: &[PathBuf]) -> Result<Vec<Binary<'_>>, Diagnostic> {
    let read = |path: &PathBuf| match files::read(path)? {
        data if strata_profile::is_linked(&data) => Ok(data),
        _ => Err(Diagnostic::new(codes::S0001)
            .at(Location::file(files::display_name(path)))
            .reason("--binary: this is not a program or a shared library")
            .hint("--binary takes the file that was recorded, with the object linked into it")),
    };
    paths.iter().map(|path| Ok((path.file_name(), read(path)?))).collect()
}

fn settings(args: &ProfileArgs) -> Settings {
    Settings {
        seconds: args.time,
        frequency: args.frequency,
        method: match args.method {
            MethodArg::Auto => None,
            MethodArg::Perf => Some(Method::Perf),
            MethodArg::Signals => Some(Method::Signals),
        },
        threads: args.threads.threads,
        has_limits: !args.no_limits,
    }
}

/// Writes the files that are asked for, then the report.
fn write(args: &ProfileArgs, profile: &Profile) -> Outcome {
    if let Some(path) = &args.svg {
        files::write(path, profile.flame_graph()?.as_bytes())?;
    }
    if let Some(path) = &args.folded {
        files::write(path, profile.folded().as_bytes())?;
    }
    let json = || format!("{:#}\n", profile.json());
    if let Some(path) = &args.output {
        files::write(path, json().as_bytes())?;
    }
    let text = match (args.format, args.json) {
        (ReportFormat::Json, _) | (_, true) => json(),
        (ReportFormat::Text, false) => profile.text(args.top),
    };
    Ok(files::print(text.as_bytes())?)
}
