//! The command line as clap sees it.
//!
//! The build script includes this file to write shell completions and manual pages, so it depends on
//! nothing but clap and the standard library.

use std::{path::PathBuf, time::Duration};

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use groups::{
    ArrayArgs, CalledArgs, HostArgs, LinkArgs, NetworkArgs, PrepareArgs, ProgramArgs, ReportArgs,
    SemanticsArgs, TargetArgs, ThreadsArgs,
};
pub use profile::ProfileArgs;
pub use tools::{CompletionsArgs, ExplainArgs, ListArgs, ManArgs, OptArgs, TranslateArgs};
pub use values::{MethodArg, RandomValues, SemanticsArg, TasksArg, VisibilityArg, WeightsLocation};

// The build script finds them by these paths, too.
#[path = "args/groups.rs"]
mod groups;
#[path = "args/profile.rs"]
mod profile;
#[path = "args/tools.rs"]
pub mod tools;
#[path = "args/values.rs"]
mod values;

/// Compiles StableHLO programs ahead of time into objects that any C, C++ or Rust program can link.
///
/// Inputs are recognised by their content: MLIR text, MLIR bytecode or a portable artifact; `-` is standard
/// input or output. Exit codes: 0 success, 1 error in the program, 2 usage error, 3 bug in Strata.
#[derive(Debug, Parser)]
#[command(name = "strata", version, max_term_width = 100)]
pub struct Cli {
    /// Format of errors, -v and times on standard error
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT")]
    pub diagnostic_format: DiagnosticFormat,

    /// When to colour errors
    #[arg(long, global = true, value_enum, default_value_t, value_name = "WHEN")]
    pub color: Color,

    /// Show no progress, and not what was written: both are for terminals only
    #[arg(short, long, global = true)]
    pub quiet: bool,

    /// Folder for `strata-bug-*` folders and reproducers, created if needed; by default STRATA_CRASH_DIR, or the
    /// current folder
    #[arg(long, global = true, value_name = "DIR")]
    pub crash_dir: Option<PathBuf>,

    /// Run in one process, for debuggers: crashes are then not reported as errors
    #[arg(long, global = true)]
    pub in_process: bool,

    #[command(subcommand)]
    pub command: Command,
}

/// Format of the diagnostics.
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
    Tune(TuneArgs),
    Explore(ExploreArgs),
    Profile(ProfileArgs),
    Opt(OptArgs),
    Translate(TranslateArgs),
    List(ListArgs),
    Explain(ExplainArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

/// Compile a program to an object, or to any earlier stage
///
/// Without -o, text is written to standard output and anything else to a file named after the input.
#[derive(Debug, Args)]
pub struct CompileArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub prepare: PrepareArgs,

    /// Output file
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
    pub weights: WeightsLocation,

    /// The weights file, with --weights external; by default the output's name with `.safetensors`
    #[arg(long, value_name = "FILE")]
    pub weights_file: Option<PathBuf>,

    /// Who sees the symbols of the object in the shared library or program that it is linked into
    #[arg(long, value_enum, value_name = "WHO", default_value_t)]
    pub visibility: VisibilityArg,

    /// Also write a C++20 header: the C header, and a class that owns the workspace and takes spans
    #[arg(long, value_name = "FILE")]
    pub cxx: Option<PathBuf>,

    /// Also write a Rust module that calls the object
    #[arg(long, value_name = "FILE")]
    pub rust: Option<PathBuf>,

    /// For a program with open sizes: values of its symbols that the object has code of its own for, besides those of any object
    #[arg(long, alias = "also", value_name = "SYMBOL=SIZE", value_delimiter = ',', value_parser = groups::symbol_and_size)]
    pub specialize: Vec<(String, i64)>,

    /// For a program with open sizes: the largest values of its symbols, those of all entries. All but a number of rows need
    /// one
    #[arg(long, value_name = "SYMBOL=SIZE", value_delimiter = ',', value_parser = groups::symbol_and_size)]
    pub max: Vec<(String, i64)>,

    #[command(flatten)]
    pub link: LinkArgs,

    /// The stage whose dump the input is
    #[arg(long, value_name = "STAGE", default_value = "input")]
    pub from: String,

    /// The stage to stop after; the same as --emit STAGE
    #[arg(long, value_name = "STAGE")]
    pub to: Option<String>,

    /// Write the program after each stage to a file in this folder
    #[arg(long, value_name = "DIR")]
    pub dump_stages: Option<PathBuf>,

    /// Write the program after each step of stages `schedule` and `affine` to a file in this folder
    #[arg(long, value_name = "DIR")]
    pub dump_steps: Option<PathBuf>,

    /// Report how each operation was compiled: its nest, the schedules that were tried, vectors, copies, threads. Written to
    /// FILE (as JSON if it ends in .json), or to standard error without FILE
    #[arg(long, value_name = "FILE", require_equals = true)]
    pub remarks: Option<Option<PathBuf>>,

    /// Only the remarks that this regular expression finds in: the name of an operation or its nest, its source place or
    /// name, a schedule, or one of the words nest, copy, loop, operation
    #[arg(long, value_name = "REGEX", requires = "remarks")]
    pub remarks_filter: Option<String>,

    #[command(flatten)]
    pub report: ReportArgs,
}

/// Compile a program and run it on this machine
///
/// Inputs and outputs are `.npy` files. Without --output-dir, the outputs are printed.
#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub prepare: PrepareArgs,
    #[command(flatten)]
    pub arrays: ArrayArgs,
    #[command(flatten)]
    pub link: LinkArgs,
    #[command(flatten)]
    pub host: HostArgs,

    /// Read the program's large constants from this file, which `strata compile --weights external` wrote
    #[arg(long, value_name = "FILE")]
    pub weights_file: Option<PathBuf>,

    /// Number of threads for the program's tasks, including the calling one; 0 means one per processor. A program for several
    /// devices has one thread per device
    #[arg(long, value_name = "NUMBER", default_value_t = 1, allow_negative_numbers = true)]
    pub threads: usize,

    /// In a program for several devices, how many seconds a device waits for others before the program ends
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub time_limit: u64,

    /// In a program for several devices: `auto` makes them the ranks of an MPI program if `mpirun` starts the command, and threads
    /// otherwise, `none` threads in any case; a file is the library of the MPI, `libmpi_abi.so.1` or one built from strata/mpi.c
    #[arg(long, value_name = "auto|none|FILE", default_value = "auto")]
    pub mpi: PathBuf,

    #[command(flatten)]
    pub report: ReportArgs,
}

/// Compile a program and measure the time of a call
///
/// Compiles for this machine's processor unless --target-cpu is given, and runs on one thread with the same
/// buffers in every call. The result is compared with the machine's limits, measured in the same process in half
/// a second: f32 multiply-adds in vector registers, and reading and copying arrays larger than the caches.
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub prepare: PrepareArgs,
    #[command(flatten)]
    pub link: LinkArgs,

    #[command(flatten)]
    pub called: CalledArgs,
    #[command(flatten)]
    pub threads: ThreadsArgs,

    /// For a program with open sizes: measure the object for all sizes up to these, at the sizes of the inputs, or at the largest
    /// ones without --input
    #[arg(long, value_name = "SYMBOL=SIZE", value_delimiter = ',', value_parser = groups::symbol_and_size)]
    pub max: Vec<(String, i64)>,

    /// Number of timed rounds
    #[arg(long, value_name = "NUMBER", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,

    /// Minimum time of a round in seconds; determines the number of calls per round
    #[arg(long, value_name = "SECONDS", default_value = "0.05", value_parser = seconds)]
    pub min_time: f64,

    /// Do not measure the machine's limits
    #[arg(long)]
    pub no_limits: bool,

    /// Format of the result
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    pub format: ReportFormat,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    #[command(flatten)]
    pub report: ReportArgs,
}

/// Format of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// Interpret a program by StableHLO's semantics, without compiling it
///
/// Slow and simple: the reference for compiled code. Takes the arguments of `strata run`.
#[derive(Debug, Args)]
pub struct EvalArgs {
    /// The program; `-` is standard input
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The function to run, if several are public
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,

    #[command(flatten)]
    pub semantics: SemanticsArgs,

    /// The program is the dump of this stage, up to `vector`
    #[arg(long, value_name = "STAGE", default_value = "input")]
    pub from: String,

    /// Seed of the random numbers
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,

    #[command(flatten)]
    pub arrays: ArrayArgs,

    /// A shared library with external functions of the program; may be given several times
    #[arg(long = "link", value_name = "FILE.so")]
    pub libraries: Vec<PathBuf>,

    #[command(flatten)]
    pub host: HostArgs,
}

/// Run programs that state their expected results (`check.*`)
///
/// The last line of the output is a summary: `N passed, N failed, N skipped`.
#[derive(Debug, Args)]
pub struct TestArgs {
    /// Files, and folders with `.mlir` files
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,

    /// Number of files to run in parallel; by default one per processor
    #[arg(short, long, value_name = "NUMBER")]
    pub jobs: Option<usize>,

    /// What runs the programs: the evaluator, compiled code, or both
    #[arg(long, value_name = "ENGINE", value_parser = ["eval", "compiled", "both"], default_value = "eval")]
    pub engine: String,

    #[command(flatten)]
    pub semantics: SemanticsArgs,

    #[command(flatten)]
    pub link: LinkArgs,

    /// Write one JSON object per case, and one with the counts
    #[arg(long)]
    pub json: bool,
}

/// Compare compiled code with the evaluator on random inputs
///
/// If a result differs, names the first operation that differs and writes a program that reproduces it.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub target: TargetArgs,

    #[command(flatten)]
    pub link: LinkArgs,

    #[command(flatten)]
    pub called: CalledArgs,

    /// Number of sets of random inputs
    #[arg(long, value_name = "NUMBER", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    pub rounds: u64,

    /// For a program with open sizes: verify the object for all sizes up to these, at other sizes in each round
    #[arg(long, value_name = "SYMBOL=SIZE", value_delimiter = ',', value_parser = groups::symbol_and_size)]
    pub max: Vec<(String, i64)>,

    /// Verify the object for any number of rows that `strata compile` makes, at other sizes in each round; --max and --specialize
    /// imply it
    #[arg(long)]
    pub open: bool,

    /// Sizes that the object for all sizes has code of its own for, which are among those of the rounds
    #[arg(long, value_name = "SYMBOL=SIZE", value_delimiter = ',', value_parser = groups::symbol_and_size)]
    pub specialize: Vec<(String, i64)>,

    /// Values of the random inputs; alternates between both by default
    #[arg(long, value_enum)]
    pub values: Option<RandomValues>,

    /// Units in the last place that a result may be off by, beside what rounding noise explains (docs/stages.md)
    #[arg(long, value_name = "NUMBER", default_value_t = 16, allow_negative_numbers = true)]
    pub ulps: u64,

    /// File for the program that reproduces a difference; by default `reproducer.mlir` in the current folder or
    /// in --crash-dir
    #[arg(long, value_name = "FILE")]
    pub reproducer: Option<PathBuf>,

    /// Run the program after every stage, and name the first stage whose results differ
    #[arg(long)]
    pub stages: bool,

    /// Also run it after every step of stages `schedule` and `affine`
    #[arg(long, requires = "stages")]
    pub steps: bool,

    /// Replace the output of a stage (`STAGE=FILE`) or a step (`affine/STEP=FILE`) by this dump, which may be
    /// edited
    #[arg(long, value_name = "STAGE=FILE", requires = "stages", value_parser = stage_and_file)]
    pub dump: Option<(String, PathBuf)>,
}

/// Report what a program uses that is not supported, what it costs, and what it needs
///
/// Lists every operation that cannot be compiled, not only the first; the exit code is then 1.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub json: bool,

    /// For a program with open sizes: the largest values of its symbols, as for an object
    #[arg(long, value_name = "SYMBOL=SIZE", value_delimiter = ',', value_parser = groups::symbol_and_size)]
    pub max: Vec<(String, i64)>,

    #[command(flatten)]
    pub network: NetworkArgs,

    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub prepare: PrepareArgs,
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

    /// Format: sequences of the transform dialect, or a file of decisions by nest, as `strata tune` writes
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    pub format: ScheduleFormat,

    /// Output file
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    pub output: PathBuf,
}

/// Format of schedules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ScheduleFormat {
    /// Sequences of the transform dialect, one for each nest of this program
    #[default]
    Transform,
    /// Decisions by nest, which other programs with the same nests take, too
    Json,
}

/// Measure schedules of a program on this machine, and write those that are faster than the compiler's
///
/// Each nest is measured alone, beside the compiler's own choice, and then in the program, on one thread. The file is for --schedule of
/// other commands. What was found is kept in a database of this machine, for other programs with the same nests and for the next
/// call; an interrupted search leaves what it has.
#[derive(Debug, Args)]
pub struct TuneArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub link: LinkArgs,

    /// The file of schedules; by default named after the input, ending in `.schedules.json`
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub called: CalledArgs,

    /// How long the search of a nest may take: `90`, `90s`, `2m`
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = groups::duration)]
    pub budget: Duration,

    /// How long the search of all nests may take; the nests that take longest come first
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = groups::duration)]
    pub total: Duration,

    /// The database; by default that of this machine in the user's cache folder
    #[arg(long, value_name = "FILE", conflicts_with = "no_database")]
    pub database: Option<PathBuf>,

    /// Keep no database, and read none
    #[arg(long)]
    pub no_database: bool,

    /// Search nests again that are in the database
    #[arg(long)]
    pub again: bool,

    /// Say what would be done, and do not do it
    #[arg(long)]
    pub plan: bool,

    /// Not supported: sizes up to a bound are refused with the reason
    #[arg(long, hide = true, value_name = "SYMBOL=SIZE", value_delimiter = ',', value_parser = groups::symbol_and_size)]
    pub max: Vec<(String, i64)>,

    /// Write the result as one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Write a page that shows what the compiler makes of a program
///
/// One file of HTML, which loads nothing: the program's operations as a graph, the text of each in every stage down to assembly, nests
/// with their schedules, the memory of temporaries over time, and costs.
#[derive(Debug, Args)]
pub struct ExploreArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub target: TargetArgs,

    /// Output file; by default the input's name with the ending `.html`, in the current folder
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Show lines of source files that the program's locations name, such as JAX's Python files, as far as they are in this folder;
    /// may be given several times. The page holds these files whole
    #[arg(long, value_name = "DIR")]
    pub sources: Vec<PathBuf>,

    /// Show the share of the time of operations, nests and lines of assembly, from what `strata profile -o` wrote for the same program
    /// and options
    #[arg(long, value_name = "FILE.json")]
    pub profile: Option<PathBuf>,
}

/// The minimum time of a round.
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
