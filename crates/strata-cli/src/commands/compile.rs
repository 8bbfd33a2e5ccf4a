//! `strata compile`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use strata::{Artifact, Compiler, Options, STAGES, Stage, Visibility};
use strata_diag::{Diagnostic, Diagnostics, codes, did_you_mean, units};

use super::observers::{Dumps, StepDumps};
use super::{
    Outcome, link, options, package, prepared,
    remarks::{Collected, filter},
    stages,
    watch::Watch,
};
use crate::args::{CompileArgs, VisibilityArg, WeightsLocation};
use crate::files;
use crate::mapped;
use crate::reporter::Reporter;

/// What to produce from the artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Emit {
    /// The program in the form of a stage.
    Stage(Stage),
    /// A static library of the object.
    Static,
    /// A shared library of the object.
    Shared,
    /// A program around the object.
    Executable,
}

pub fn run(args: &CompileArgs, reporter: &Reporter) -> Outcome {
    let started = Instant::now();
    let emit = emit(args)?;
    let to = match emit {
        Emit::Stage(stage) => stage,
        Emit::Static | Emit::Shared | Emit::Executable => Stage::Obj,
    };
    let from = stages::parse(&args.from)?;
    let mut options = options::joint_options(&args.program, &args.target)?;
    // The `main` of an executable has no sizes to give.
    options.open = emit != Emit::Executable;
    options.specialize = options::sizes(&args.specialize)?;
    options.max = options::sizes(&args.max)?;
    if args.program.name.is_some() && from >= Stage::LlvmIr {
        return Err(Diagnostic::new(codes::S0001)
            .reason(format!(
                "--name gives the symbols a prefix, and in a dump of stage `{from}` they have one"
            ))
            .hint("leave out --name, or give it where the program itself is compiled")
            .into());
    }
    if args.program.name.is_none() {
        options.name = exported_name(args, emit, options.name)?;
    }
    if args.weights == WeightsLocation::External {
        if emit == Emit::Executable {
            return Err(Diagnostic::new(codes::S0001)
                .reason("--emit exe makes a single file, which includes its weights")
                .hint("omit --weights external, or emit an object")
                .into());
        }
        options.weights = strata::WeightsLocation::External;
    } else if args.weights_file.is_some() {
        return Err(Diagnostic::new(codes::S0001)
            .reason("--weights-file names the file that --weights external writes")
            .hint("add --weights external")
            .into());
    }
    options.visibility = visibility(args, emit)?;
    match emit {
        // Its `main` calls the entry alone.
        Emit::Executable if !args.prepare.prepare.is_empty() => {
            return Err(Diagnostic::new(codes::S0001)
                .reason("--emit exe makes a program that calls the entry once, with nothing to prepare before")
                .hint("omit --prepare, or emit an object")
                .into());
        }
        Emit::Executable => {}
        _ => prepared::want(&mut options, &args.prepare),
    }
    let program = mapped::read(&args.program.input)?;
    let output = output(args, emit, &options.name);
    let weights = weights_file(args, &output, &options.name);
    let texts = [&args.header, &args.cxx, &args.rust].map(Option::as_ref);
    let remarks = args.remarks.as_ref().and_then(Option::as_ref);
    let outputs = [Some(&output), weights.as_ref(), remarks].into_iter().chain(texts);
    let outputs: Vec<_> = outputs.flatten().map(PathBuf::as_path).collect();
    files::check_outputs(&args.program.input, &outputs)?;

    refuse_links(args, emit)?;
    let mut dumps =
        args.dump_stages.as_deref().map(|path| Dumps::new(path, options.debug_info)).transpose()?;
    let mut steps = args
        .dump_steps
        .as_deref()
        .map(|path| StepDumps::new(path, options.debug_info))
        .transpose()?;
    if args.remarks.is_some() && from > Stage::Spmd {
        return Err(Diagnostic::new(codes::S0001)
            .reason("--remarks are about the operations of a StableHLO program")
            .hint("compile the program itself, or a dump of stage `hlo`")
            .into());
    }
    options::check_semantics(args.program.semantics, from)?;
    let filter = args.remarks_filter.as_deref().map(filter).transpose()?;
    let mut remarks = args.remarks.clone().map(|file| Collected::new(file, filter));
    let linked = link::linked_if_asked(&args.link)?;
    let own = link::libraries(&args.link.libraries)?;
    let mut watch = Watch::new(&args.report, reporter);
    let mut compiler = Compiler::new(options.clone()).from(from).to(to);
    let is_complete = emit == Emit::Executable || !args.link.libraries.is_empty();
    if is_complete || args.link.link_runtime {
        let has = |name: &str| {
            if args.link.link_runtime && own.find(name).is_none() {
                link::runtime_archive()?;
            }
            Ok(!is_complete || linked.find(name).is_some())
        };
        compiler = compiler.offered_by(has, link::emit_hint(&args.link));
    }
    if let Some(dumps) = &mut dumps {
        compiler = compiler.observe(dumps);
    }
    if let Some(steps) = &mut steps {
        compiler = compiler.observe(steps);
    }
    if let Some(remarks) = &mut remarks {
        compiler = compiler.observe(remarks);
    }
    watch.target(&options);
    let name = files::display_name(&args.program.input);
    let result = watch.observe(compiler).compile(&name, &program);
    watch.finish(result.as_ref().ok());
    // Dumps of the steps before a failure are the most useful ones.
    steps.map_or(Ok(()), StepDumps::finish)?;
    let artifact = result?;
    dumps.map_or(Ok(()), Dumps::finish)?;
    let remarks = remarks.and_then(|remarks| remarks.finish(reporter));
    let written = write(args, emit, &options, &artifact, &output, remarks.as_ref())?;
    reporter.warn(artifact.warnings());
    if !matches!(emit, Emit::Stage(stage) if stage < Stage::Asm) {
        reporter.warn(&options::oldest_processor(&args.target, &options).into_iter().collect());
    }
    if !written.is_empty() {
        let time = units::rough_time(started.elapsed().as_secs_f64());
        reporter.done("wrote", &format!("{} in {time}", written.join(", ")));
    }
    Ok(())
}

/// Who sees the object's symbols.
///
/// # Errors
/// `S0001` for hidden ones of what is linked already: nothing could call them.
fn visibility(args: &CompileArgs, emit: Emit) -> Result<Visibility, Diagnostic> {
    let hint = "emit an object or a static library, and link it into your own program or library";
    let reason = match (args.visibility, emit) {
        (VisibilityArg::Default, _) => return Ok(Visibility::Default),
        (VisibilityArg::Hidden, Emit::Shared) => {
            "--emit shared makes a library that others call, and --visibility hidden leaves it no symbol to call"
        }
        (VisibilityArg::Hidden, Emit::Executable) => {
            "--emit exe makes a program, whose symbols nothing else sees: --visibility hidden has no effect on it"
        }
        (VisibilityArg::Hidden, Emit::Stage(stage)) if stage < Stage::LlvmIr => {
            "--visibility is about symbols, which there are from stage `llvmir` on"
        }
        (VisibilityArg::Hidden, _) => return Ok(Visibility::Hidden),
    };
    Err(Diagnostic::new(codes::S0001).reason(reason).hint(hint))
}

/// The prefix of the exported symbols, where none is given: the name of the object's file, or else that of the program,
/// which is `of_program`.
///
/// # Errors
/// `S0001` for a file whose name has no character that C allows.
fn exported_name(args: &CompileArgs, emit: Emit, of_program: String) -> Result<String, Diagnostic> {
    let is_library = matches!(emit, Emit::Static | Emit::Shared);
    let prefix = if is_library { "lib" } else { "" };
    let has_own_name = !matches!(emit, Emit::Stage(stage) if stage != Stage::Obj);
    let is_file = |path: &&PathBuf| !files::is_standard_stream(path);
    // Two programs of the same name in different folders give two objects that can be linked together.
    if let Some(path) = args.output.as_ref().filter(is_file).filter(|_| has_own_name) {
        if emit != Emit::Executable {
            options::check_exported_name(path, prefix)?;
        }
        return Ok(options::name_of(path, prefix));
    }
    let is_within = matches!(emit, Emit::Stage(stage) if stage < Stage::Llvm);
    let exports = !is_within && emit != Emit::Executable;
    if exports && !files::is_standard_stream(&args.program.input) {
        options::check_exported_name(&args.program.input, "")?;
    }
    Ok(of_program)
}

fn emit(args: &CompileArgs) -> Result<Emit, Diagnostic> {
    match args.to.as_deref().unwrap_or(&args.emit) {
        "static" => Ok(Emit::Static),
        "shared" => Ok(Emit::Shared),
        "exe" => Ok(Emit::Executable),
        name => stages::parse(name).map(Emit::Stage).map_err(|error| match &args.to {
            Some(_) => error,
            None => unknown_kind(name),
        }),
    }
}

/// The error for an `--emit` that is neither a stage nor another kind of output.
fn unknown_kind(name: &str) -> Diagnostic {
    let stages = STAGES.iter().map(|info| info.name);
    let hint = did_you_mean(name, stages.chain(["llvm-ir", "static", "shared", "exe"]));
    let kinds =
        "--emit takes obj, asm, llvm-ir, static, shared, exe, or a stage of `strata list stages`";
    Diagnostic::new(codes::S0004)
        .reason(format!("there is no kind of output `{name}`"))
        .hint(hint.unwrap_or_else(|| kinds.to_owned()))
}

/// Everything is made before anything is written, so that a failure leaves no files. Returns the files, with their sizes.
fn write(
    args: &CompileArgs,
    emit: Emit,
    options: &Options,
    artifact: &Artifact,
    output: &Path,
    remarks: Option<&(PathBuf, String)>,
) -> Result<Vec<String>, Diagnostics> {
    let mut texts: Vec<_> = remarks.into_iter().map(|(path, text)| (path, text.as_str())).collect();
    for (path, text) in [
        (&args.header, artifact.header()),
        (&args.cxx, artifact.cxx()),
        (&args.rust, artifact.rust()),
    ] {
        match (path, text) {
            (None, _) => {}
            (Some(path), Some(text)) => texts.push((path, text)),
            (Some(_), None) => {
                return Err(no_header(stages::parse(&args.from)?, artifact.stage()));
            }
        }
    }
    let companions = companions(args, emit, artifact)?;
    let bytes = match emit {
        Emit::Stage(_) => Vec::new(),
        Emit::Static => {
            let runtime = companions.first().map(|path| files::read(path)).transpose()?;
            package::archive(&options.name, artifact.bytes(), runtime.as_deref())?
        }
        Emit::Shared => package::shared_library(options, artifact.bytes(), &companions)?,
        Emit::Executable if artifact.signatures().len() > 1 => {
            return Err(Diagnostic::new(codes::S0001)
                .reason("--emit exe supports one entry function only")
                .hint("name one with --entry, or emit an object, a static or a shared library")
                .into());
        }
        Emit::Executable => {
            let signature = artifact.signature().ok_or_else(|| no_signature(artifact.stage()))?;
            package::executable(options, artifact.bytes(), signature, &companions)?
        }
    };
    let is_executable = matches!(emit, Emit::Shared | Emit::Executable);
    let parts = match emit {
        Emit::Stage(_) => artifact.parts().collect(),
        _ => vec![bytes.as_slice()],
    };
    let mut outputs = vec![files::Output { path: output, parts, is_executable }];
    for (path, text) in texts {
        let parts = vec![text.as_bytes()];
        outputs.push(files::Output { path, parts, is_executable: false });
    }
    let weights = artifact.weights().zip(weights_file(args, output, &options.name));
    let start = weights.as_ref().map(|(weights, _)| weights.file_header()).transpose()?;
    if let Some(((weights, path), start)) = weights.as_ref().zip(start.as_ref()) {
        let parts = std::iter::once(start.as_slice()).chain(weights.parts()).collect();
        outputs.push(files::Output { path, parts, is_executable: false });
    }
    files::write_together(&outputs)?;
    let files = outputs.iter().filter(|output| !files::is_standard_stream(output.path));
    let sized = files.map(|output| {
        let size = output.parts.iter().map(|part| part.len() as u64).sum();
        format!("{} ({})", output.path.display(), units::bytes(size))
    });
    Ok(sized.collect())
}

/// The weights file, if weights are external: by default next to the output.
fn weights_file(args: &CompileArgs, output: &Path, name: &str) -> Option<PathBuf> {
    let beside = || match files::is_standard_stream(output) {
        true => PathBuf::from(format!("{name}.safetensors")),
        false => output.with_extension("safetensors"),
    };
    let is_external = args.weights == WeightsLocation::External;
    is_external.then(|| args.weights_file.clone().unwrap_or_else(beside))
}

/// Rejects libraries where nothing is linked.
///
/// # Errors
/// `S0001`.
fn refuse_links(args: &CompileArgs, emit: Emit) -> Result<(), Diagnostic> {
    let reason = match emit {
        Emit::Stage(_) if args.link.link_runtime || !args.link.libraries.is_empty() => {
            "--link and --link-runtime are for --emit exe, --emit shared and --emit static"
        }
        Emit::Static if !args.link.libraries.is_empty() => {
            "a static library cannot contain the shared libraries that --link names"
        }
        _ => return Ok(()),
    };
    Err(Diagnostic::new(codes::S0001)
        .reason(reason)
        .hint("link the functions that the header lists when you link the object"))
}

/// What is linked to the object: libraries of the command line, and the run-time library if it is allowed and called.
fn companions(
    args: &CompileArgs,
    emit: Emit,
    artifact: &Artifact,
) -> Result<Vec<PathBuf>, Diagnostics> {
    if matches!(emit, Emit::Stage(_)) {
        return Ok(Vec::new());
    }
    let mut beside = Vec::new();
    for library in &args.link.libraries {
        beside.push(files::absolute(library)?);
    }
    // Functions of the given libraries take precedence.
    let linked = link::libraries(&args.link.libraries)?;
    let called = artifact
        .foreign()
        .iter()
        .any(|(name, convention)| convention.is_symbol() && linked.find(name).is_none());
    if args.link.link_runtime && called {
        beside.push(link::runtime_archive()?);
    }
    Ok(beside)
}

/// From LLVM IR on, a program no longer records its arguments.
fn no_signature(stage: Stage) -> Diagnostics {
    Diagnostic::new(codes::S0001)
        .reason(format!(
            "--emit exe needs the entry's signature, which stage `{stage}` does not record"
        ))
        .hint("compile from `llvm` or an earlier stage")
        .into()
}

fn no_header(from: Stage, stage: Stage) -> Diagnostics {
    if from > Stage::Affine {
        return Diagnostic::new(codes::S0001)
            .reason(format!(
                "--header, --cxx and --rust need the types of the program's arguments, which stage `{from}` does not record"
            ))
            .hint("compile from `llvm` or an earlier stage")
            .into();
    }
    Diagnostic::new(codes::S0001)
        .reason(format!(
            "--header, --cxx and --rust need sizes that stage `affine` computes, but `{stage}` is the last stage"
        ))
        .hint("compile up to `llvm` or further")
        .into()
}

/// The default output: text to standard output, bytes to a file named after the program.
fn output(args: &CompileArgs, emit: Emit, name: &str) -> PathBuf {
    if let Some(path) = &args.output {
        return path.clone();
    }
    match emit {
        Emit::Stage(Stage::Obj) => PathBuf::from(format!("{name}.o")),
        Emit::Stage(_) => Path::new("-").to_owned(),
        Emit::Static => PathBuf::from(format!("lib{name}.a")),
        Emit::Shared => PathBuf::from(format!("lib{name}.so")),
        Emit::Executable => PathBuf::from(name),
    }
}
