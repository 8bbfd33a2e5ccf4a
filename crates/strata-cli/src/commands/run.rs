//! `strata run`: compiles for this machine, loads the object and calls it.

use std::{sync::Arc, time::Duration};

use strata::{Signature, WeightsLocation};
use strata_diag::{Diagnostic, Location, codes};
use strata_run::{Environment, Loaded, MappedWeights, call_on_devices};
use strata_threads::{Pool, devices::Devices};

use super::{
    Outcome, arrays, arrays::Named, devices, eval, host::Host, link, options, threads, watch::Watch,
};
use crate::args::RunArgs;
use crate::reporter::Reporter;
use crate::{files, supervisor};

pub fn run(args: &RunArgs, reporter: &Reporter) -> Outcome {
    let mut options = options::joint_options(&args.program, &args.target)?;
    if options.entries.len() > 1 {
        // The function that rejects them reports why.
        options = options::options(&args.program, &args.target)?;
    }
    if args.weights_file.is_some() {
        options.weights = WeightsLocation::External;
    }
    let program = files::read(&args.program.input)?;
    let name = files::display_name(&args.program.input);
    if options.bind.is_empty() {
        let entry = args.program.entry.as_deref();
        options.input_shapes = eval::open_shapes(&args.arrays, entry, &name, &program)?;
    }
    let linked = link::linked(&args.link)?;
    let watch = Watch::new(&args.report, reporter);
    let artifact = watch.compile(options.clone(), &name, &program, Some(&linked))?;
    reporter.warn(artifact.warnings());
    let signature = artifact.signature().ok_or_else(|| {
        Diagnostic::new(codes::S9002).reason("the compiled program has no signature")
    })?;
    arrays::check_output(&args.arrays, signature.outputs.len() - signature.shapes.len())?;
    let named = Named::of(signature);
    let mut loaded = Loaded::linked(artifact.bytes(), &options, signature, &linked)?;
    if let (Some(path), Some(weights)) = (&args.weights_file, artifact.weights()) {
        let file = files::open(path)?;
        let mapped = MappedWeights::open(&file, &files::display_name(path), weights)?;
        loaded = loaded.with_weights(mapped);
    }
    if let Some(grid) = signature.devices.and_then(strata_verify::grid_of) {
        return run_on_devices(args, &loaded, signature, grid, &name);
    }
    devices::check_alone(&args.arrays)?;
    let inputs = arrays::read_inputs(&args.arrays, named.inputs(), &name)?;
    let mut host = Host::new(&args.host);
    supervisor::compiled_code_starts();
    let pool = threads::pool(args.threads)?;
    let mut environment = Environment {
        host: Some(&mut host),
        threads: pool.as_ref().map(Pool::executor),
        ..Environment::default()
    };
    let (status, outputs) = loaded.call_in(&inputs, &mut environment)?;
    if status != 0 {
        let reason = format!("the compiled entry function returned {status}");
        let failed = Diagnostic::new(codes::S1805).at(Location::file(name)).reason(reason);
        return Err(host.failure.take().unwrap_or(failed).into());
    }
    host.write(&args.host)?;
    if !signature.shapes.is_empty() {
        let outputs = strata_verify::tensors(signature, outputs)?;
        let given = eval::given(&outputs, signature.clone());
        let bytes: Vec<Vec<u8>> = outputs.iter().map(|one| one.bytes().to_vec()).collect();
        return arrays::write_outputs(&args.arrays, Named::of(&given).outputs(), &bytes);
    }
    arrays::write_outputs(&args.arrays, named.outputs(), &outputs)
}

/// Runs the program on each of its devices, a thread each.
fn run_on_devices(
    args: &RunArgs,
    loaded: &Loaded,
    signature: &Signature,
    (replicas, partitions): (usize, usize),
    name: &str,
) -> Outcome {
    let inputs = devices::read_inputs(&args.arrays, signature, replicas * partitions, name)?;
    let limit = Duration::from_secs(args.time_limit);
    let grid = Arc::new(Devices::new(replicas, partitions).with_time_limit(limit));
    let calls: Vec<_> = inputs.iter().map(|inputs| (loaded, &inputs[..])).collect();
    supervisor::compiled_code_starts();
    let outputs = call_on_devices(&grid, &calls, &|_| None)
        .map_err(|error| error.at(Location::file(name)))?;
    devices::write_outputs(&args.arrays, signature, &outputs)
}
