//! The command line of `strata profile`.

use std::path::PathBuf;

use clap::Args;

use super::{
    CalledArgs, LinkArgs, MethodArg, ProgramArgs, ReportFormat, TargetArgs, ThreadsArgs, groups,
    seconds,
};

/// Run a program and show where its time goes, by operation and line of the source
///
/// Compiles for this machine's processor unless --target-cpu is given, calls the program again and again, and takes samples of what it
/// executes: by `perf_event_open` where that is allowed, else by signals. Each sample is of an operation of the program. With
/// --perf-script the samples are those of another process.
#[derive(Debug, Args)]
pub struct ProfileArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub target: TargetArgs,
    #[command(flatten)]
    pub link: LinkArgs,

    #[command(flatten)]
    pub called: CalledArgs,
    #[command(flatten)]
    pub threads: ThreadsArgs,

    /// For how many seconds samples are taken
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    pub time: f64,

    /// Samples of each thread in a second
    #[arg(long, value_name = "NUMBER", default_value_t = 997, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub frequency: u32,

    /// How samples are taken
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub method: MethodArg,

    /// Take the samples from what `perf script` printed of a process that has this program's object, compiled with the same options;
    /// `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["inputs", "seed", "threads", "time", "frequency", "method", "no_limits"])]
    pub perf_script: Option<PathBuf>,

    /// The program or library that has the object, where it is not at the place that --perf-script names; may be given several times
    #[arg(long, value_name = "FILE", requires = "perf_script")]
    pub binary: Vec<PathBuf>,

    /// Do not measure the machine's limits
    #[arg(long)]
    pub no_limits: bool,

    /// Rows of each table
    #[arg(long, value_name = "NUMBER", default_value_t = 15)]
    pub top: usize,

    /// Write a flame graph
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,

    /// Write the stacks of the flame graph, one on a line with its samples, for other tools
    #[arg(long, value_name = "FILE")]
    pub folded: Option<PathBuf>,

    /// Write the profile as JSON, which `strata explore --profile` reads
    #[arg(short, long, value_name = "FILE.json")]
    pub output: Option<PathBuf>,

    /// Format of the result
    #[arg(long, value_enum, value_name = "FORM", default_value_t)]
    pub format: ReportFormat,

    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,

    /// For a program with open sizes: profile the object for all sizes up to these, called at the sizes of the inputs, or at the largest
    /// ones without --input
    #[arg(long, value_name = "SYMBOL=SIZE", value_delimiter = ',', value_parser = groups::symbol_and_size)]
    pub max: Vec<(String, i64)>,
}
