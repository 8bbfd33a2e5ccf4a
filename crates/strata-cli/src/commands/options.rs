//! From the options of the command line to those of the library.

use std::path::Path;

use strata::{AddedPasses, OptLevel, Options, Semantics, Stage, Tasks};
use strata_diag::{Diagnostic, Diagnostics, Severity, codes};
use strata_ir::LARGEST_BYTES;

use super::stages;
use crate::args::{ProgramArgs, SemanticsArg, SemanticsArgs, TargetArgs, TasksArg};
use crate::{files, schedules};

impl From<SemanticsArg> for Semantics {
    fn from(given: SemanticsArg) -> Self {
        match given {
            SemanticsArg::Xla => Self::Xla,
            SemanticsArg::Spec => Self::Spec,
        }
    }
}

/// The library's options for one program and one processor.
///
/// # Errors
/// `S0001` for a name that no C program could use, and for several entries or processors, `S0002` for an unreadable schedule,
/// `S16xx` for the target.
pub fn options(program: &ProgramArgs, target: &TargetArgs) -> Result<Options, Diagnostics> {
    let options = of_one_processor(program, target)?;
    match options.entries.is_empty() {
        true => Ok(options),
        false => Err(takes_one("--entry names several functions").into()),
    }
}

/// The same for several programs and one processor.
///
/// # Errors
/// As [`options()`], except for several entries.
pub fn of_one_processor(
    program: &ProgramArgs,
    target: &TargetArgs,
) -> Result<Options, Diagnostics> {
    let options = joint_options(program, target)?;
    match options.versions.is_empty() {
        true => Ok(options),
        false => Err(takes_one("--target-cpu names several processors").into()),
    }
}

fn takes_one(what: &str) -> Diagnostic {
    Diagnostic::new(codes::S0001)
        .reason(format!("{what}, but this command takes one"))
        .hint("`strata compile` makes one object for all")
}

/// The same for several programs and several processors.
///
/// # Errors
/// As [`options()`], except for several.
pub fn joint_options(program: &ProgramArgs, target: &TargetArgs) -> Result<Options, Diagnostics> {
    let triple = target.target.as_deref();
    let resolve =
        |cpu: Option<&str>| strata::target::resolve(triple, cpu, target.target_features.as_deref());
    let processors = listed("--target-cpu", target.target_cpu.as_deref())?;
    let mut versions = processors.iter().map(|cpu| resolve(Some(cpu)));
    let mut options = Options::new(versions.next().unwrap_or_else(|| resolve(None))?);
    if processors.len() > 1 {
        options.versions.push(options.target.clone());
        options.versions.extend(versions.collect::<Result<Vec<_>, _>>()?);
    }
    options.name = name(program)?;
    let entries = listed("--entry", program.entry.as_deref())?;
    match entries.as_slice() {
        [_, _, ..] => options.entries = entries.iter().map(|name| (*name).to_owned()).collect(),
        _ => options.entry = program.entry.clone(),
    }
    options.bind = sizes(&program.bind)?;
    options.semantics = program.semantics.semantics.map(Into::into);
    options.excess_precision = program.semantics.excess_precision;
    options.compile_threads = target.compile_threads;
    options.opt_level = OptLevel::from_digit(target.opt_level).unwrap_or_default();
    options.freestanding = target.freestanding;
    options.flush_subnormals = target.flush_subnormals;
    options.debug_info = target.debug_info;
    options.tasks = match target.tasks {
        TasksArg::Auto => Tasks::Worthwhile,
        TasksArg::Never => Tasks::Never,
        TasksArg::Always => Tasks::Always,
    };
    for (stage, passes) in &target.after {
        let stage = stages::parse(stage)?.to_string();
        options.added.push(AddedPasses { stage, passes: passes.clone() });
    }
    if let Some(path) = &target.schedule {
        schedules::give(&mut options, path)?;
    }
    Ok(options)
}

/// Whether `--semantics` and `--excess-precision` mean something for a dump of this stage.
///
/// # Errors
/// `S0001` for a dump without operations of StableHLO.
pub fn check_semantics(given: SemanticsArgs, from: Stage) -> Result<(), Diagnostic> {
    let option = match given {
        SemanticsArgs { semantics: Some(_), .. } => "--semantics",
        SemanticsArgs { excess_precision: true, .. } => "--excess-precision",
        _ => return Ok(()),
    };
    if from <= Stage::Spmd {
        return Ok(());
    }
    Err(Diagnostic::new(codes::S0001)
        .reason(format!("{option} is about operations of StableHLO, which a dump of stage `{from}` no longer has"))
        .hint("give it with the program itself, or with a dump of stage `hlo`"))
}

/// Declines `--flush-subnormals` where results are compared with those of the evaluator.
///
/// # Errors
/// `S0001` if it is given.
pub fn check_subnormals(options: &Options) -> Result<(), Diagnostic> {
    if !options.flush_subnormals {
        return Ok(());
    }
    Err(Diagnostic::new(codes::S0001)
        .reason("with --flush-subnormals results are those of the processor, and the evaluator keeps subnormal numbers")
        .hint("compare without the option: the object has the same instructions but for the processor's mode"))
}

/// Sizes of the command line.
///
/// # Errors
/// `S0001` for one that no array has.
pub fn sizes(given: &[(String, i64)]) -> Result<Vec<(String, i64)>, Diagnostic> {
    let too_large =
        |(_, size): &&(String, i64)| u64::try_from(*size).is_ok_and(|size| size > LARGEST_BYTES);
    match given.iter().find(too_large) {
        Some((_, size)) => Err(Diagnostic::new(codes::S0001)
            .reason(format!(
                "`{size}` is larger than any array can be: sizes are at most 2^{}",
                LARGEST_BYTES.ilog2()
            ))
            .hint("an array takes no more bytes than processors can address")),
        None => Ok(given.to_vec()),
    }
}

/// The comma-separated names of an option.
///
/// # Errors
/// `S0001` for an empty name or an empty list.
fn listed<'l>(option: &str, list: Option<&'l str>) -> Result<Vec<&'l str>, Diagnostic> {
    let names: Vec<_> = list.iter().flat_map(|list| list.split(',')).map(str::trim).collect();
    if !names.contains(&"") {
        return Ok(names);
    }
    let given: Vec<_> = names.into_iter().filter(|name| !name.is_empty()).collect();
    let list = list.unwrap_or_default();
    let error = Diagnostic::new(codes::S0001).reason(match list.contains(',') {
        true => format!("{option} `{list}` has an empty item"),
        false => format!("{option} is empty"),
    });
    Err(match given.as_slice() {
        [] => error.hint(format!("omit {option}, or give a name")),
        names => error.hint(format!("did you mean `{option} {}`?", names.join(","))),
    })
}

/// The note for users who gave no processor and get an object that uses a fraction of a modern one.
pub fn oldest_processor(target: &TargetArgs, options: &Options) -> Option<Diagnostic> {
    let is_told = target.target_cpu.is_some() || target.target_features.is_some();
    if is_told || !options.target.triple.starts_with("x86_64") {
        return None;
    }
    let note = Diagnostic::new(codes::S1604)
        .with_severity(Severity::Note)
        .reason("without --target-cpu the object runs on every x86-64 processor, with 4-lane `f32` vectors")
        .hint(
            "`--target-cpu native` targets this machine, `x86-64-v3` machines since about 2013 (8 lanes of `f32`); \
             `--target-cpu x86-64` keeps the baseline without this note",
        );
    Some(note)
}

/// The prefix of the symbols: as given, or the input's file name with `_` for what C does not allow.
fn name(program: &ProgramArgs) -> Result<String, Diagnostic> {
    if let Some(name) = &program.name {
        if !is_identifier(name) {
            let reason = match name.is_empty() {
                true => "--name is empty".to_owned(),
                false => format!("--name `{name}` is not a C identifier"),
            };
            return Err(Diagnostic::new(codes::S0001)
                .reason(reason)
                .hint("use letters, digits and `_`, a digit not first"));
        }
        return Ok(name.clone());
    }
    if files::is_standard_stream(&program.input) {
        return Ok("model".to_owned());
    }
    Ok(name_of(&program.input, ""))
}

/// The name of a file without folder, `prefix` and ending, with `_` for what C does not allow in identifiers.
pub fn name_of(path: &Path, prefix: &str) -> String {
    let stem = stem_of(path, prefix);
    let mut name: String =
        stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name
}

/// Rejects a file name without any character that C allows: `é.o` and `ü.o` would both export `__main`.
///
/// # Errors
/// `S0001`.
pub fn check_exported_name(path: &Path, prefix: &str) -> Result<(), Diagnostic> {
    let stem = stem_of(path, prefix);
    let is_spelt = stem.is_ascii() && stem.contains(|c: char| c.is_ascii_alphanumeric());
    if is_spelt {
        return Ok(());
    }
    Err(Diagnostic::new(codes::S0001)
        .reason(format!("the exported symbols cannot be named after `{}`", path.display()))
        .hint("`--name NAME` gives them a prefix of ASCII letters, digits and `_`"))
}

/// `model.v1` of `model.v1.o` and of `model.v1`, `net` of `libnet.so.1`: the name without the extension, since the rest may
/// distinguish versions.
fn stem_of(path: &Path, prefix: &str) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_version = |part: &str| part.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_ending = |part: &str| part.chars().all(|c| c.is_ascii_alphabetic());
    let library = name.rsplit_once(".so").filter(|(_, version)| is_version(version));
    let whole = library.or_else(|| name.rsplit_once('.').filter(|(_, ending)| is_ending(ending)));
    let stem = whole.map_or(name.as_str(), |(stem, _)| stem);
    let stem = if stem.is_empty() { name.as_str() } else { stem }.trim_matches('.');
    let own = stem.strip_prefix(prefix).filter(|rest| !rest.is_empty()).unwrap_or(stem);
    if own.is_empty() { "model".to_owned() } else { own.to_owned() }
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::{check_exported_name, name, name_of};
    use crate::args::{ProgramArgs, SemanticsArgs};

    fn named(input: &str, given: Option<&str>) -> Result<String, strata_diag::Diagnostic> {
        name(&ProgramArgs {
            input: input.into(),
            entry: None,
            name: given.map(str::to_owned),
            bind: Vec::new(),
            semantics: SemanticsArgs { semantics: None, excess_precision: false },
        })
    }

    #[test]
    fn names_are_identifiers_of_c() {
        assert_eq!(named("models/mlp.export.mlir", None).ok().as_deref(), Some("mlp_export"));
        assert_eq!(named("3-layers.mlir", None).ok().as_deref(), Some("_3_layers"));
        assert_eq!(named(".hidden", None).ok().as_deref(), Some("hidden"));
        assert_eq!(named("-", None).ok().as_deref(), Some("model"));
        assert_eq!(named("x.mlir", Some("net")).ok().as_deref(), Some("net"));
        assert_eq!(name_of("out/libnet.so.1".as_ref(), "lib"), "net");
        assert_eq!(name_of("out/libnet.v2.so".as_ref(), "lib"), "net_v2");
        assert_eq!(name_of("lib.a".as_ref(), "lib"), "lib");
        assert_eq!(name_of("model.v1.o".as_ref(), ""), "model_v1");
        assert_eq!(name_of("model.v1".as_ref(), ""), "model_v1");
        assert_eq!(name_of("is.solid.o".as_ref(), ""), "is_solid");
        for bad in ["", "3d", "a-b", "a b", "ä"] {
            assert!(named("x.mlir", Some(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_name_needs_a_letter_of_c() {
        for good in ["model.v1.o", "3-layers.o", "_.x1.o", "libnet.so.1"] {
            assert!(check_exported_name(good.as_ref(), "").is_ok(), "{good}");
        }
        for bad in ["é.o", "modèle.o", "--.o", "模型.o"] {
            let error = check_exported_name(bad.as_ref(), "").expect_err(bad);
            assert!(error.hint_text().is_some_and(|hint| hint.contains("--name")), "{bad}");
        }
    }
}
