//! Reads mutations of artifacts: `mutate FIRST END FILE…` reads the mutations with the numbers FIRST to END. Each is
//! named before it is read, so that the last line names the one that ended the process.

use std::{
    env, fs,
    io::{self, Write as _},
    process::ExitCode,
    time::{Duration, Instant},
};

use strata_ir::new_context;
use strata_tests::damage::damaged;

/// What reading one file may take.
const LONGEST: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let mut number = || arguments.next().and_then(|text| text.parse::<u64>().ok());
    let (Some(first), Some(end)) = (number(), number()) else {
        eprintln!("usage: mutate FIRST END FILE…");
        return ExitCode::from(2);
    };
    let files: Vec<_> = arguments.filter_map(|name| fs::read(name).ok()).collect();
    if files.is_empty() {
        eprintln!("there is no file to mutate");
        return ExitCode::from(2);
    }
    let (mut valid, mut refused) = (0_u64, 0_u64);
    for seed in first..end {
        println!("{seed}");
        // A crash must not lose the line.
        let _ = io::stdout().flush();
        let bytes = damaged(&files, seed);
        let started = Instant::now();
        let context = new_context();
        match strata_vhlo::parse(&context, "mutated.mlirbc", &bytes) {
            Ok(_) => valid += 1,
            Err(_) => refused += 1,
        }
        if started.elapsed() > LONGEST {
            eprintln!("mutation {seed} took {:?}", started.elapsed());
            return ExitCode::FAILURE;
        }
    }
    println!("{valid} valid, {refused} refused");
    ExitCode::SUCCESS
}
