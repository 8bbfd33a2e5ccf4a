//! Options shared by several commands.

use std::{path::PathBuf, time::Duration};

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};

use super::{SemanticsArg, TasksArg};

/// The program and its entry function.
#[derive(Debug, Args)]
pub struct ProgramArgs {
    /// The program; `-` is standard input
    #[arg(value_name = "IN")]
    pub input: PathBuf,

    /// The function to compile, if several are public; `strata compile` and `strata check` take several, separated by
    /// commas
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,

    /// Prefix of the exported symbols; by default the stem of the output file, or of the input without -o
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,

    /// Compile for these sizes: `batch=8,length=128`, for the symbols that `strata check` lists
    #[arg(long, value_name = "SYMBOL=SIZE", value_delimiter = ',', value_parser = symbol_and_size)]
    pub bind: Vec<(String, i64)>,

    #[command(flatten)]
    pub semantics: SemanticsArgs,
}

/// Inputs that are laid out once.
#[derive(Clone, Debug, Default, Args)]
pub struct PrepareArgs {
    /// Lay these inputs out once, with a function of their own, and not in every call: names of inputs, with `*` for any
    /// characters. So are inputs that the program marks with `strata.prepare`
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub prepare: Vec<String>,
}

/// What programs mean where XLA and the specification differ.
#[derive(Clone, Copy, Debug, Args)]
pub struct SemanticsArgs {
    /// What windows of a scatter mean that are partly outside, whatever the program says itself: XLA drops such a window, as
    /// exporters rely on; the text of StableHLO's specification drops those of its elements that are outside
    #[arg(long, value_enum, value_name = "WHOSE")]
    pub semantics: Option<SemanticsArg>,

    /// Let numbers of bf16 and f16 keep more digits than their type from one arithmetic operation to the next, as XLA does by default:
    /// faster; what is stored is rounded
    #[arg(long)]
    pub excess_precision: bool,
}

/// What connects the devices of a program.
#[derive(Clone, Copy, Debug, Args)]
pub struct NetworkArgs {
    /// Between devices: how long a message without values takes, in microseconds
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 2.0, value_parser = |text: &str| number(text, 0.0))]
    pub latency: f64,

    /// Between devices: how much each receives, in GB (10^9 bytes) a second
    #[arg(long, value_name = "GB/S", default_value_t = 10.0, value_parser = |text: &str| number(text, 1e-6))]
    pub bandwidth: f64,
}

/// The machine and how to compile for it.
#[derive(Debug, Args)]
pub struct TargetArgs {
    /// The target as an LLVM triple; by default the one that this command was built for
    #[arg(long, value_name = "TRIPLE")]
    pub target: Option<String>,

    /// The processor, or `native` for this machine's; with several (`x86-64-v2,x86-64-v3,x86-64-v4`) `strata compile`
    /// and `strata run` put code for each into the object, which picks the best one at run time
    #[arg(long, value_name = "CPU")]
    pub target_cpu: Option<String>,

    /// Features to enable and to disable, such as `+avx2,-fma`
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    pub target_features: Option<String>,

    /// How much is optimised: 3 or 2 for fast code, 1 for code that is compiled in little time, 0 to look at it
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 3, value_parser = level())]
    pub opt_level: u8,

    /// Threads that compile; 0 means one per processor. The output is the same for any number
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub compile_threads: usize,

    /// Write debug information for the program's source locations, and keep locations in dumps and other text
    #[arg(short = 'g', long)]
    pub debug_info: bool,

    /// Run MLIR passes, or registered ones, after a stage: `linalg=func.func(cse)`; LLVM passes after `llvmir`; may be
    /// given several times
    #[arg(long, value_name = "STAGE=PASSES", value_parser = stage_and_passes)]
    pub after: Vec<(String, String)>,

    /// Let arithmetic of f32 and f64 take subnormal numbers as zeros, as XLA does on CPUs: they take up to a hundred times as long on some
    /// processors
    #[arg(long)]
    pub flush_subnormals: bool,

    /// Leave no symbol undefined, not even those of the C library, but the functions that custom calls name
    #[arg(long)]
    pub freestanding: bool,

    /// Which loops become tasks for an executor with several threads
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub tasks: TasksArg,

    /// Schedules to use instead of the compiler's own: decisions by nest, which `strata tune` writes, or sequences of the transform
    /// dialect
    #[arg(long, value_name = "FILE")]
    pub schedule: Option<PathBuf>,
}

/// The external functions that the program calls.
#[derive(Debug, Default, Args)]
pub struct LinkArgs {
    /// A shared library with external functions of the program; may be given several times
    #[arg(long = "link", value_name = "FILE.so")]
    pub libraries: Vec<PathBuf>,

    /// Link Strata's run-time library, with JAX's `lapack_*_ffi`; programs that `strata` runs always have it
    #[arg(long)]
    pub link_runtime: bool,
}

/// What a program is called with where arrays are not needed: random ones stand in for them.
#[derive(Debug, Default, Args)]
pub struct CalledArgs {
    /// An input to use instead of a random one: `FILE.npy` in the order of the function's arguments, `NAME=FILE.npy`, or `FILE.npz`,
    /// as for `strata run`
    #[arg(long = "input", value_name = "[NAME=]FILE")]
    pub inputs: Vec<PathBuf>,

    /// Seed of the random numbers
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,
}

/// The threads of a program that is measured.
#[derive(Debug, Args)]
pub struct ThreadsArgs {
    /// Number of threads for the program's tasks, including the calling one; 0 means one per processor. A program for several devices
    /// has one thread per device
    #[arg(long, value_name = "NUMBER", default_value_t = 1, allow_negative_numbers = true)]
    pub threads: usize,
}

/// Input and output arrays.
#[derive(Debug, Default, Args)]
pub struct ArrayArgs {
    /// An input array: `FILE.npy` in the order of the function's arguments, `NAME=FILE.npy` for the argument with that
    /// name in the program or the header, or `FILE.npz` with several by name
    #[arg(long = "input", value_name = "[NAME=]FILE")]
    pub inputs: Vec<PathBuf>,

    /// Write the outputs to this file: to `FILE.npz` under their names in the program, or a single one to `FILE.npy`
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Write the outputs to output0.npy, output1.npy, … in this folder
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,

    /// In a program for several devices, give each device its own inputs and write its own outputs: arrays have one more
    /// dimension, the first, with an entry per device. Without it all devices get the same inputs, and device 0's outputs are
    /// written
    #[arg(long)]
    pub per_device: bool,
}

/// What a program exchanges with its host while it runs.
#[derive(Debug, Default, Args)]
pub struct HostArgs {
    /// An array for infeed; infeeds take them in this order
    #[arg(long = "infeed", value_name = "FILE.npy")]
    pub infeed: Vec<PathBuf>,

    /// An array that the program receives over a channel, as `CHANNEL=FILE.npy`
    #[arg(long = "recv", value_name = "CHANNEL=FILE.npy", value_parser = channel_file)]
    pub received: Vec<(i64, PathBuf)>,

    /// Write outfeeds to outfeed0.npy, … and sends to sendN_0.npy (N is the channel), … in this folder
    #[arg(long, value_name = "DIR")]
    pub outfeed: Option<PathBuf>,
}

/// `batch=8`.
pub fn symbol_and_size(text: &str) -> Result<(String, i64), String> {
    let (symbol, size) = text.split_once('=').ok_or("expected SYMBOL=SIZE, as in `batch=8`")?;
    let given = size.trim();
    let digits = given.strip_prefix('-').unwrap_or(given);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let size: i64 = match given.parse() {
        Ok(size) => size,
        Err(_) if is_number && digits == given => {
            return Err(format!("`{given}` is larger than any array can be"));
        }
        Err(_) => return Err(format!("`{given}` is not a size")),
    };
    match symbol.trim() {
        "" => Err("the name of the symbol is missing".to_owned()),
        symbol => Ok((symbol.to_owned(), size)),
    }
}

/// `90`, `90s`, `5m`, `1h`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.find(|one: char| !one.is_ascii_digit() && one != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let seconds = match unit {
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("`{unit}` is not a unit of time: s, m or h")),
    };
    let number: f64 = number.parse().map_err(|_| format!("`{text}` is not a time"))?;
    Duration::try_from_secs_f64(number * seconds).map_err(|error| error.to_string())
}

/// `linalg=func.func(cse)`.
fn stage_and_passes(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((stage, passes)) if !stage.is_empty() && !passes.is_empty() => {
            Ok((stage.to_owned(), passes.to_owned()))
        }
        _ => Err("expected STAGE=PASSES, such as linalg=func.func(canonicalize,cse)".to_owned()),
    }
}

/// `3=x.npy`.
fn channel_file(text: &str) -> Result<(i64, PathBuf), String> {
    let (channel, file) = text.split_once('=').ok_or("expected CHANNEL=FILE.npy")?;
    let channel = channel.parse().map_err(|_| format!("`{channel}` is not a channel number"))?;
    Ok((channel, PathBuf::from(file)))
}

/// Reports about the compilation on standard error.
#[derive(Debug, Default, Args)]
pub struct ReportArgs {
    /// Print the target, the result of each stage, and what is in the object
    #[arg(short, long)]
    pub verbose: bool,

    /// Print the time of each stage, and of each step of stages `schedule` and `affine`
    #[arg(long)]
    pub time_stages: bool,

    /// Print the time of each part of a stage, including MLIR's passes; LLVM's optimisation and code generation are
    /// reported as one entry each
    #[arg(long)]
    pub time_passes: bool,
}

/// The levels of `-O`, so that an invalid one is reported with the valid ones.
fn level() -> impl TypedValueParser<Value = u8> {
    let levels = PossibleValuesParser::new(["0", "1", "2", "3"]);
    levels.map(|level| level.bytes().next().map_or(3, |digit| digit.wrapping_sub(b'0')))
}

fn number(text: &str, least: f64) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= least);
    number.ok_or_else(|| format!("it is not a number of at least {least}"))
}
