//! Inputs that are laid out once, before the entry is called.

use std::time::{Duration, Instant};

use strata::{Artifact, Options, Prepare};
use strata_diag::{Diagnostic, codes};
use strata_run::{Environment, Linked, Loaded, MappedWeights};
use strata_threads::Pool;

use crate::{args::PrepareArgs, supervisor};

/// Takes the names of the inputs to prepare, and the program's own marks.
pub fn want(options: &mut Options, args: &PrepareArgs) {
    options.prepare =
        Prepare { patterns: args.prepare.clone(), marked: true, ..Prepare::default() };
}

/// The error for a program of which each device has inputs of its own.
pub fn alone() -> Diagnostic {
    Diagnostic::new(codes::S0001)
        .reason("inputs are prepared for one device, and the program runs on several")
        .hint("leave out `--prepare`; without `mpirun` and `--per-device` the program runs once")
}

/// The inputs of the program as the entry takes them, and how long it took to prepare them if some are prepared.
///
/// # Errors
/// As [`Loaded::linked`] and [`Loaded::call_in`], `S1805` for a function that fails.
pub fn inputs(
    artifact: &Artifact,
    options: &Options,
    (linked, weights): (&Linked, Option<MappedWeights>),
    inputs: Vec<Vec<u8>>,
    pool: Option<&Pool>,
) -> Result<(Vec<Vec<u8>>, Option<Duration>), Diagnostic> {
    let Some(program) = artifact.prepared() else { return Ok((inputs, None)) };
    let [prepared, mut others] = program.divided(inputs);
    let mut loaded = Loaded::linked(artifact.bytes(), options, program.maker, linked)?;
    if let Some(weights) = weights {
        loaded = loaded.with_weights(weights);
    }
    let mut environment =
        Environment { threads: pool.map(Pool::executor), ..Environment::default() };
    supervisor::compiled_code_starts();
    let started = Instant::now();
    let (status, outputs) = loaded.call_in(&prepared, &mut environment)?;
    let elapsed = started.elapsed();
    if status != 0 {
        let reason = format!("the function that prepares inputs returned {status}");
        return Err(Diagnostic::new(codes::S1805).reason(reason));
    }
    others.extend(outputs);
    Ok((others, Some(elapsed)))
}
