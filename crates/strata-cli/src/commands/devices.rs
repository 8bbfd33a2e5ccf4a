//! Inputs and outputs of programs for several devices.

use strata::{Signature, TensorSpec};
use strata_diag::{Diagnostic, Diagnostics, Location, codes};
use strata_ir::{Devices, Op, WalkOrder, communicates, diagnostic_at, module_op, new_context};

use super::{Outcome, arrays, arrays::Named, eval};
use crate::args::ArrayArgs;

/// The devices that the program's module declares, whether they exchange anything or not; `None` for one.
///
/// # Errors
/// Those of a program that cannot be read.
pub fn declared(name: &str, program: &[u8]) -> Result<Option<(usize, usize)>, Diagnostics> {
    let context = new_context();
    let module = strata_vhlo::parse(&context, name, program)?;
    Ok(strata_verify::grid_of(Devices::of(module_op(&module))))
}

/// The signature with one more dimension, of devices, if each has arrays of its own.
pub fn stacked(args: &ArrayArgs, signature: &Signature, count: usize) -> Signature {
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
        let all = arrays::read_inputs(args, Named::of(&whole).inputs(), program)
            .map_err(|error| whose(args, error))?;
        return Ok(shards.split(&signature.fillers(), &all));
    }
    let stacked = stacked(args, signature, count);
    let all = arrays::read_inputs(args, Named::of(&stacked).inputs(), program)
        .map_err(|error| whose(args, error))?;
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

/// The error of a shape says whether arrays are those of all devices or of each.
fn whose(args: &ArrayArgs, error: Diagnostic) -> Diagnostic {
    if error.code() != codes::S1802 {
        return error;
    }
    error.hint(match args.per_device {
        true => "with `--per-device` the first dimension of each array is that of devices",
        false => "arrays are of all devices together; with `--per-device` each has those of its own, along a first dimension",
    })
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
    let devices = if args.per_device { outputs } else { &outputs[..1] };
    let (signature, devices) = given(signature, devices.to_vec())?;
    let stacked = stacked(args, &signature, devices.len());
    let of = |output: usize| devices.iter().flat_map(|all| all[output].iter().copied()).collect();
    let bytes: Vec<Vec<u8>> = (0..signature.outputs.len()).map(of).collect();
    arrays::write_outputs(args, Named::of(&stacked).outputs(), &bytes)
}

/// The outputs of each device, and their types.
type Outputs = (Signature, Vec<Vec<Vec<u8>>>);

/// Outputs without the shapes of those whose sizes are values, which have these sizes then.
fn given(signature: &Signature, devices: Vec<Vec<Vec<u8>>>) -> Result<Outputs, Diagnostic> {
    if signature.shapes.is_empty() {
        return Ok((signature.clone(), devices));
    }
    let of = |outputs: Vec<Vec<u8>>| {
        let outputs = strata_verify::tensors(signature, outputs)?;
        let bytes = outputs.iter().map(|one| one.bytes().to_vec()).collect();
        Ok((eval::given(&outputs, signature.clone()), bytes))
    };
    let (signatures, devices): (Vec<Signature>, Vec<_>) =
        devices.into_iter().map(of).collect::<Result<Vec<_>, Diagnostic>>()?.into_iter().unzip();
    let specs: Vec<_> = signatures.iter().map(|one| one.outputs.clone()).collect();
    check_alike(&specs)?;
    let first = signatures.into_iter().next().unwrap_or_else(|| signature.clone());
    Ok((first, devices))
}

/// Refuses outputs that have other sizes on some devices than on others, which make no array.
///
/// # Errors
/// `S1805`.
pub fn check_alike(devices: &[Vec<TensorSpec>]) -> Result<(), Diagnostic> {
    let Some((first, others)) = devices.split_first() else { return Ok(()) };
    for (device, specs) in (1..).zip(others) {
        let mut pairs = first.iter().zip(specs).enumerate();
        if let Some((output, (one, other))) = pairs.find(|(_, (one, other))| one != other) {
            return Err(Diagnostic::new(codes::S1805)
                .reason(format!(
                    "output {output} is {one} on device 0, and {other} on device {device}: they make no array of all devices"
                ))
                .hint("without `--per-device` the outputs of device 0 are written"));
        }
    }
    Ok(())
}

/// How many places of a failure are told.
const MOST_PLACES: usize = 4;

/// The failure of devices at the operations in which they may have been, by the kinds that its reason names. Exchanges that the
/// compiler added are in no program: a failure in one has the file alone.
pub fn placed(failed: Diagnostic, name: &str, program: &[u8]) -> Diagnostic {
    let failed = failed.at(Location::file(name));
    let context = new_context();
    let Ok(module) = strata_vhlo::parse(&context, name, program) else { return failed };
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let reason = failed.reason_text().unwrap_or_default().to_owned();
    let words: Vec<&str> = reason.split(|c| !is_part(c)).collect();
    let mut places: Vec<(String, Location)> = Vec::new();
    module_op(&module).walk(WalkOrder::Pre, &mut |op: Op<'_>| {
        let kind = op.name().as_str().strip_prefix("stablehlo.").unwrap_or_default().to_owned();
        if communicates(op) && words.contains(&kind.as_str()) {
            places.extend(diagnostic_at(codes::S1805, op).location().map(|at| (kind, at.clone())));
        }
    });
    let Some(((kind, first), others)) = places.split_first() else { return failed };
    let mut failed = failed.operation(format!("stablehlo.{kind}")).at(first.clone());
    for (kind, at) in others.iter().take(MOST_PLACES - 1) {
        failed = failed.note_at(at.clone(), format!("or in this `{kind}`"));
    }
    if let Some(more @ 1..) = places.len().checked_sub(MOST_PLACES) {
        failed = failed.note(format!("{more} more of these operations are not shown"));
    }
    match std::str::from_utf8(program) {
        Ok(text) => failed.source_file(name, text),
        Err(_) => failed,
    }
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
        .reason("`--per-device` is for programs for several devices")
        .hint("leave it out: the program is for one device; others declare theirs, `mhlo.num_partitions = 4 : i32`"))
}
