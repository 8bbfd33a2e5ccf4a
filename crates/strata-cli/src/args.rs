//! The command line as clap sees it.
//!
//! The build script includes this file to write shell completions and manual pages, so it depends on
//! nothing but clap and the standard library.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use groups::{ArrayArgs, HostArgs, LinkArgs, ProgramArgs, ReportArgs, TargetArgs};

// The build script finds it by this path, too.
#[path = "args/groups.rs"]
mod groups;

/// Compiles StableHLO programs ahead of time into objects that any C, C++ or Rust program can link.
///
/// Inputs are recognised by their content: MLIR text, MLIR bytecode or a portable artifact; `-` is standard
/// input or output. Exit codes: 0 done, 1 the program is at fault, 2 wrong usage, 3 a bug of Strata.
#[derive(Debug, Parser)]
#[command(name = "strata", version, max_term_width = 100)]
pub struct Cli {
    /// How errors, -v and times are written to standard error
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    pub diagnostic_format: DiagnosticFormat,

    /// When errors are coloured
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,

    /// Where `strata-bug-*` folders and reproducers go, made if it is not there; this folder by default, or what
    /// STRATA_CRASH_DIR says
    #[arg(long, global = true, value_name = "DIR")]
    pub crash_dir: Option<PathBuf>,

    /// Stay in one process, for debuggers: a crash is then no longer reported as an error
    #[arg(long, global = true)]
    pub in_process: bool,

    #[command(subcommand)]
    pub command: Command,
}

/// Form of the diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DiagnosticFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object per line
    Json,
}

/// Use of colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Compile(CompileArgs),
    Run(RunArgs),
    Bench(BenchArgs),
    Eval(EvalArgs),
    Test(TestArgs),
    Verify(VerifyArgs),
    Check(CheckArgs),
    Schedule(ScheduleArgs),
    Opt(OptArgs),
    Translate(TranslateArgs),
    List(ListArgs),
    Explain(ExplainArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Compile a program to an object, or to any stage on the way
///
/// Without -o, text goes to standard output and anything else to a file named after the input.
#[derive(Debug, Args)]
pub struct CompileArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub target: TargetArgs,

    /// Where the result goes
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// What to produce: obj, asm, llvm-ir, static, shared, exe, or a stage of `strata list stages`
    #[arg(long, value_name = "KIND", default_value = "obj", conflicts_with = "to")]
    pub emit: String,

    /// Also write a C and C++ header for the object
    #[arg(long, value_name = "FILE")]
    pub header: Option<PathBuf>,

    /// Where the program's large constants go
    #[arg(long, value_enum, value_name = "PLACE", default_value = "embed")]
    pub weights: WeightsPlace,

    /// The file of the weights, with --weights external; the output's name with `.safetensors` by default
    #[arg(long, value_name = "FILE")]
    pub weights_file: Option<PathBuf>,

    /// Also write a C++20 header: the C header, and a class that owns the workspace and takes spans
    #[arg(long, value_name = "FILE")]
    pub cxx: Option<PathBuf>,

    /// Also write a Rust module that calls the object
    #[arg(long, value_name = "FILE")]
    pub rust: Option<PathBuf>,

    #[command(flatten)]
    pub link: LinkArgs,

    /// The stage that the input is at
    #[arg(long, value_name = "STAGE", default_value = "input")]
    pub from: String,

    /// The stage to stop at; the same as --emit STAGE
    #[arg(long, value_name = "STAGE")]
    pub to: Option<String>,

    /// Write the program after each stage to a file in this folder
    #[arg(long, value_name = "DIR")]
    pub dump_stages: Option<PathBuf>,

    /// Write the program after each step of stages `schedule` and `affine` to a file in this folder
    #[arg(long, value_name = "DIR")]
    pub dump_steps: Option<PathBuf>,

    /// Say what became of each operation of the program: its nest, the schedules that were tried, vectors, copies, threads;
    /// to FILE, as JSON where it ends in .json, else to standard error
    #[arg(long, value_name = "FILE", require_equals = true)]
    pub remarks: Option<Option<PathBuf>>,

    #[command(flatten)]
    pub report: ReportArgs,
}

/// Where large constants go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WeightsPlace {
    /// Into the object
    Embed,
    /// Into a `.safetensors` file, which callers map
    External,
}

/// Which loops become tasks.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum TasksArg {
    /// Those that take long enough to be worth it
    #[default]
    Auto,
    /// None: the object runs on the calling thread
    Never,
    /// All that can be, however short: for looking at it
    Always,
}

/// Compile a program and run it here
///
/// Inputs and outputs are `.npy` files. Without --output-dir, the outputs are printed.
#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub arrays: ArrayArgs,
    #[command(flatten)]
    pub link: LinkArgs,
    #[command(flatten)]
    pub host: HostArgs,

    /// Take the program's large constants from this file, as --weights external of `strata compile` writes it
    #[arg(long, value_name = "FILE")]
    pub weights_file: Option<PathBuf>,

    /// Threads for the program's tasks, the calling one among them; 0 stands for as many as there are processors
    #[arg(long, value_name = "NUMBER", default_value_t = 1, allow_negative_numbers = true)]
    pub threads: usize,

    #[command(flatten)]
    pub report: ReportArgs,
}

/// Compile a program, call it many times and say how fast it is
///
/// For this machine's processor unless --target-cpu says otherwise, on one thread, on buffers that stay the same. The limits beside the
/// figures are measured in the same process, in half a second: multiply-adds of f32 that stay in vector registers, and reading and
/// copying arrays larger than the caches.
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub link: LinkArgs,

    /// An input to use instead of a random one, as for `strata run`
    #[arg(long = "input", value_name = "[NAME=]FILE")]
    pub inputs: Vec<PathBuf>,

    /// Where random numbers start
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,

    /// How many rounds of calls are timed
    #[arg(long, value_name = "NUMBER", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,

    /// Threads for the program's tasks, the calling one among them; 0 stands for as many as there are processors
    #[arg(long, value_name = "NUMBER", default_value_t = 1, allow_negative_numbers = true)]
    pub threads: usize,

    /// How long a round takes at least, in seconds: as many calls as that needs
    #[arg(long, value_name = "SECONDS", default_value = "0.05", value_parser = seconds)]
    pub min_time: f64,

    /// Leave out the machine's limits
    #[arg(long)]
    pub no_limits: bool,

    /// The form of the result
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    pub format: ReportFormat,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    #[command(flatten)]
    pub report: ReportArgs,
}

/// Form of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// Run a program as its semantics say, without compiling it
///
/// Slow and obvious: the truth that compiled code is compared with. Takes the arguments of `strata run`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// The program; `-` is standard input
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The function to run, where several are public
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,

    /// The program is the dump of this stage, `vector` at the latest
    #[arg(long, value_name = "STAGE", default_value = "input")]
    pub from: String,

    /// Where random numbers start
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,

    #[command(flatten)]
    pub arrays: ArrayArgs,

    /// A shared library with functions that the program calls; may be given several times
    #[arg(long = "link", value_name = "FILE.so")]
    pub libraries: Vec<PathBuf>,

    #[command(flatten)]
    pub host: HostArgs,
}

/// Run programs that say what their results must be (`check.*`)
///
/// The last line of the output counts: `N passed, N failed, N skipped`.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// Files, and folders whose `.mlir` files are taken
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,

    /// How many files to run at once; as many as there are processors by default
    #[arg(short, long, value_name = "NUMBER")]
    pub jobs: Option<usize>,

    /// What runs the programs: the evaluator, compiled code, or one after the other
    #[arg(long, value_name = "ENGINE", value_parser = ["eval", "compiled", "both"], default_value = "eval")]
    pub engine: String,

    #[command(flatten)]
    pub link: LinkArgs,

    /// Write an object per case and one with the counts, one per line
    #[arg(long)]
    pub json: bool,
}

/// Compare compiled code with the evaluator on random inputs
///
/// Where a result differs, names the first operation that does and writes a program that shows it.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub target: TargetArgs,

    #[command(flatten)]
    pub link: LinkArgs,

    /// Inputs to use instead of random ones: `FILE.npy` in the order of the function's arguments, `NAME=FILE.npy`, or
    /// `FILE.npz`, as for `strata run`
    #[arg(long = "input", value_name = "[NAME=]FILE")]
    pub inputs: Vec<PathBuf>,

    /// Where random numbers start
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,

    /// How many sets of random inputs to try
    #[arg(long, value_name = "NUMBER", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    pub rounds: u64,

    /// What random inputs hold; both in turn by default
    #[arg(long, value_enum)]
    pub values: Option<RandomValues>,

    /// How many units in the last place a result may be off
    #[arg(long, value_name = "NUMBER", default_value_t = 16, allow_negative_numbers = true)]
    pub ulps: u64,

    /// Where the program that shows a difference goes; `reproducer.mlir` here, or where --crash-dir says
    #[arg(long, value_name = "FILE")]
    pub reproducer: Option<PathBuf>,

    /// Run the program in the form of every stage, and name the first whose results differ
    #[arg(long)]
    pub stages: bool,

    /// Also after every step of stages `schedule` and `affine`
    #[arg(long, requires = "stages")]
    pub steps: bool,

    /// Take this dump, perhaps edited, in the place of the stage's, as `STAGE=FILE`, or of a step's, as `affine/STEP=FILE`
    #[arg(long, value_name = "STAGE=FILE", requires = "stages", value_parser = stage_and_file)]
    pub dump: Option<(String, PathBuf)>,
}

/// Values of random inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RandomValues {
    /// Moderate ones
    Tame,
    /// Also NaN, infinities, denormals, the ends of integer ranges
    Wild,
}

/// Say what of a program is not supported, what it costs, and what it needs
///
/// Names every operation that cannot be compiled, not the first only; the exit code is then 1.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub report: ReportArgs,
}

/// Print the schedules that the compiler chooses for a program
///
/// They can be edited and given to `--schedule`.
#[derive(Debug, Args)]
pub struct ScheduleArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub target: TargetArgs,

    /// Where the schedules go
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
}

/// Read a program, run passes over it and print it
#[derive(Debug, Args)]
pub struct OptArgs {
    /// The program; `-` is standard input
    #[arg(value_name = "IN", default_value = "-")]
    pub input: PathBuf,

    /// Where the result goes
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,

    /// A pattern of `strata list patterns` to apply until nothing changes; may be given several times
    #[arg(long = "pattern", value_name = "NAME", conflicts_with = "pass_pipeline")]
    pub patterns: Vec<String>,

    /// MLIR passes to run, such as `func.func(canonicalize,cse)`
    #[arg(long, value_name = "PIPELINE")]
    pub pass_pipeline: Option<String>,

    /// Take the parts of the input between lines `// -----` one by one
    #[arg(long)]
    pub split_input_file: bool,

    /// Keep the program's source locations in the text that is written, and with them names that are locations
    #[arg(short = 'g', long)]
    pub debug_info: bool,

    /// Compare the errors with the comments `expected-error` of the input, and print nothing else
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

/// What of an expected error has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum VerifyDiagnostics {
    /// Its line and its text
    Text,
    /// Its line
    Place,
}

/// Write a program in another form
#[derive(Debug, Args)]
pub struct TranslateArgs {
    /// The program; `-` is standard input
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The form: text, bytecode, artifact or artifact@X.Y.Z (portable artifact for a version of StableHLO, the
    /// newest by default), or vhlo or vhlo@X.Y.Z (the same as text)
    #[arg(long, value_name = "FORM", value_parser = form)]
    pub to: Form,

    /// Where the result goes
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,

    /// Keep the source locations in text
    #[arg(long)]
    pub locations: bool,
}

/// A form that programs are written in.
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

/// A time that a round can take.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0 && *seconds <= 3600.0);
    seconds.ok_or_else(|| "expected seconds above 0, at most 3600".to_owned())
}

/// `affine=x.mlir`.
fn stage_and_file(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((stage, file)) if !stage.is_empty() && !file.is_empty() => {
            Ok((stage.to_owned(), PathBuf::from(file)))
        }
        _ => Err("expected STAGE=FILE, such as affine=edited.mlir".to_owned()),
    }
}

/// List what this command knows
#[derive(Debug, Args)]
pub struct ListArgs {
    /// What to list
    #[arg(value_enum)]
    pub what: Listing,
}

/// A list that can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listing {
    /// The stages of the compiler, in order
    Stages,
    /// The steps of stages `schedule` and `affine`, in order: why each stands there, and what it keeps as it was
    Steps,
    /// The patterns of `strata opt --pattern`
    Patterns,
    /// The operations that programs can consist of
    Ops,
    /// The architectures and processors of --target and --target-cpu
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

/// A shell that completions are made for.
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
    /// The folder for them, such as ~/.local/share/man/man1
    #[arg(long, value_name = "DIR")]
    pub output_dir: PathBuf,
}
