//! Benchmarks, run by hand and never as tests:
//!
//! ```text
//! cargo build --release -p strata-cli
//! cargo run --release -p strata-benches -- kernels          GFLOP/s of square matmuls, against the FMA peak
//! cargo run --release -p strata-benches -- scaling         compile time of programs of growing size
//! cargo run --release -p strata-benches -- stages [FILE…]   compile time of each stage
//! ```
//!
//! They run the `strata` command from the same build (or the one that `STRATA` names) and link
//! its objects with the system's C compiler, as a user does. `scripts/bench_peers.py` compares with XLA
//! and IREE.

mod kernels;
mod scaling;
mod stages;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments.as_slice() {
        ["kernels"] => kernels::time_all(),
        ["scaling"] => scaling::time_all(),
        ["stages", files @ ..] => stages::time_all(files),
        _ => {
            eprintln!("usage: strata-benches kernels | scaling | stages [FILE.mlir ...]");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("strata-benches: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The `strata` command to measure.
fn strata() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("STRATA") {
        return Ok(path.into());
    }
    let path = std::env::current_exe()?.with_file_name("strata");
    if path.exists() {
        return Ok(path);
    }
    Err(format!("no {}: build it with the same profile first", path.display()).into())
}

/// The repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Runs a command to its end; its standard error becomes the error.
fn run(command: &mut Command) -> Result<Output> {
    let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(format!("{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr))
        .into())
}
