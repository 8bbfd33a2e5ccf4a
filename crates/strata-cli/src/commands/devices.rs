//! Inputs and outputs of programs for several devices.

use strata::Signature;
use strata_diag::{Diagnostic, Location, codes};
use strata_ir::Devices;

use super::{Outcome, arrays, arrays::Named};
use crate::args::ArrayArgs;

/// The signature with one more dimension, of devices, if each has arrays of its own.
fn stacked(args: &ArrayArgs, signature: &Signature, count: usize) -> Signature {
    let mut signature = signature.clone();
    if args.per_device {
        for spec in signature.inputs.iter_mut().chain(&mut signature.outputs) {
            spec.shape.insert(0, count as u64);
        }
    }
    signature
}

/// The inputs of each device: its parts of the arrays where the program's values are split.
///
/// # Errors
/// As [`arrays::read_inputs`].
pub fn read_inputs(
    args: &ArrayArgs,
    signature: &Signature,
    count: usize,
    program: &str,
) -> Result<Vec<Vec<Vec<u8>>>, Diagnostic> {
    if let Some(shards) = signature.shards.as_ref().filter(|_| !args.per_device) {
        let whole = signature.whole();
        let all = arrays::read_inputs(args, Named::of(&whole).inputs(), program)?;
        return Ok(shards.split(&signature.fillers(), &all));
    }
    let stacked = stacked(args, signature, count);
    let all = arrays::read_inputs(args, Named::of(&stacked).inputs(), program)?;
    let of = |device: usize| {
        let part = |bytes: &Vec<u8>| match args.per_device {
            true => {
                let size = bytes.len() / count;
                bytes[device * size..(device + 1) * size].to_vec()
            }
            false => bytes.clone(),
        };
        all.iter().map(part).collect()
    };
    Ok((0..count).map(of).collect())
}

/// Writes the outputs of all devices, or those of the first; the whole ones where the program's values are split.
///
/// # Errors
/// As [`arrays::write_outputs`].
pub fn write_outputs(args: &ArrayArgs, signature: &Signature, outputs: &[Vec<Vec<u8>>]) -> Outcome {
    if let Some(shards) = signature.shards.as_ref().filter(|_| !args.per_device) {
        let whole = shards.join(&signature.widths()[1], outputs);
        return arrays::write_outputs(args, Named::of(&signature.whole()).outputs(), &whole);
    }
    let stacked = stacked(args, signature, outputs.len());
    let devices = if args.per_device { outputs } else { &outputs[..1] };
    let of = |output: usize| devices.iter().flat_map(|all| all[output].iter().copied()).collect();
    let bytes: Vec<Vec<u8>> = (0..signature.outputs.len()).map(of).collect();
    arrays::write_outputs(args, Named::of(&stacked).outputs(), &bytes)
}

/// Refuses more devices than one process runs, before inputs are read for each.
///
/// # Errors
/// `S1107`.
pub fn check_threads(
    (replicas, partitions): (usize, usize),
    program: &str,
) -> Result<(), Diagnostic> {
    let devices = Devices { replicas: replicas as i64, partitions: partitions as i64 };
    devices.check_threads().map_err(|error| error.at(Location::file(program)))
}

/// Refuses arrays for each device where there is one.
///
/// # Errors
/// `S0001`.
pub fn check_alone(args: &ArrayArgs) -> Result<(), Diagnostic> {
    if !args.per_device {
        return Ok(());
    }
    Err(Diagnostic::new(codes::S0001)
        .reason("`--per-device` is for programs that exchange values between several devices")
        .hint("leave it out: the program is for one device"))
}
