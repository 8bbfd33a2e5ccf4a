//! Commands for those who work on programs and on the compiler: passes, formats, lists.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Read a program, run passes over it and print it
#[derive(Debug, Args)]
pub struct OptArgs {
    /// The program; `-` is standard input
    #[arg(value_name = "IN", default_value = "-")]
    pub input: PathBuf,

    /// Output file
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,

    /// A pattern of `strata list patterns` to apply until nothing changes; may be given several times
    #[arg(long = "pattern", value_name = "NAME", conflicts_with = "pass_pipeline")]
    pub patterns: Vec<String>,

    /// MLIR passes to run, such as `func.func(canonicalize,cse)`
    #[arg(long, value_name = "PIPELINE")]
    pub pass_pipeline: Option<String>,

    /// Split the input at lines `// -----` and process the pieces one by one
    #[arg(long)]
    pub split_input_file: bool,

    /// Keep the program's source locations in the output, including names that are locations
    #[arg(short = 'g', long)]
    pub debug_info: bool,

    /// Compare the errors with the input's `expected-error` comments, and print nothing else
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text"
    )]
    pub verify_diagnostics: Option<VerifyDiagnostics>,
}

/// What must match of an expected error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VerifyDiagnostics {
    /// Its line and its text
    Text,
    /// Its line
    Place,
}

/// Convert a program to another format
#[derive(Debug, Args)]
pub struct TranslateArgs {
    /// The program; `-` is standard input
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The format: text, bytecode, artifact or artifact@X.Y.Z (portable artifact for a version of StableHLO, the
    /// newest by default), or vhlo or vhlo@X.Y.Z (the same as text)
    #[arg(long, value_name = "FORM", value_parser = form)]
    pub to: Form,

    /// Output file
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,

    /// Keep source locations in text
    #[arg(long)]
    pub locations: bool,
}

/// A format of programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// MLIR text
    Text,
    /// MLIR bytecode
    Bytecode,
    /// A portable artifact, for a version of StableHLO
    Artifact(Option<String>),
    /// What an artifact holds, as text
    Vhlo(Option<String>),
}

fn form(text: &str) -> Result<Form, String> {
    let (name, version) = match text.split_once('@') {
        Some((name, version)) => (name, Some(version.to_owned())),
        None => (text, None),
    };
    match (name, version) {
        ("text", None) => Ok(Form::Text),
        ("bytecode", None) => Ok(Form::Bytecode),
        ("artifact", version) => Ok(Form::Artifact(version)),
        ("vhlo", version) => Ok(Form::Vhlo(version)),
        _ => Err("expected text, bytecode, artifact[@X.Y.Z] or vhlo[@X.Y.Z]".to_owned()),
    }
}

/// List stages, patterns, operations, targets or codes
#[derive(Debug, Args)]
pub struct ListArgs {
    /// What to list
    #[arg(value_enum)]
    pub what: Listing,
}

/// What can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listing {
    /// The stages of the compiler, in order
    Stages,
    /// The steps of stages `schedule` and `affine`, in order, with the reason for the order and what each preserves
    Steps,
    /// The patterns of `strata opt --pattern`
    Patterns,
    /// The supported operations of input programs
    Ops,
    /// The triples of --target, and the processors of --target-cpu for each architecture
    Targets,
    /// The codes of `strata explain`
    Codes,
}

/// Explain an error code
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The code, such as S1003
    pub code: String,
}

/// Print the completions for a shell
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: ShellName,
}

/// A shell with completions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ShellName {
    /// Bash
    Bash,
    /// Elvish
    Elvish,
    /// Fish
    Fish,
    /// PowerShell
    Powershell,
    /// Z shell
    Zsh,
}

/// Write the manual pages
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The output folder, such as ~/.local/share/man/man1
    #[arg(long, value_name = "DIR")]
    pub output_dir: PathBuf,
}
