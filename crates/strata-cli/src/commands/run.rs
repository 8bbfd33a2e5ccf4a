//! `strata run`: compiles for this machine, loads the object and calls it.

use std::{path::Path, sync::Arc, time::Duration};

use strata::{Artifact, LaidOut, Options, Signature, WeightsLocation};
use strata_diag::{Diagnostic, Location, codes};
use strata_run::{Environment, HostIo, Loaded, MappedWeights, call_on_devices};
use strata_threads::{Pool, devices::Devices};

use super::{
    Outcome, arrays,
    arrays::Named,
    devices, eval,
    host::{Host, Shared},
    link, mpi, options, prepared, threads,
    watch::Watch,
};
use crate::args::RunArgs;
use crate::reporter::Reporter;
use crate::{files, mapped, supervisor};

pub fn run(args: &RunArgs, reporter: &Reporter) -> Outcome {
    let mut options = options::joint_options(&args.program, &args.target)?;
    if options.entries.len() > 1 {
        // The function that rejects them reports why.
        options = options::options(&args.program, &args.target)?;
    }
    prepared::want(&mut options, &args.prepare);
    if args.weights_file.is_some() {
        options.weights = WeightsLocation::External;
    }
    let program = mapped::read(&args.program.input)?;
    let name = files::display_name(&args.program.input);
    if options.bind.is_empty() {
        let entry = args.program.entry.as_deref();
        options.input_shapes = eval::open_shapes(&args.arrays, entry, &name, &program)?;
    }
    let linked = link::linked(&args.link)?;
    let compile = |options: &Options| {
        let watch = Watch::new(&args.report, reporter);
        watch.compile(options.clone(), &name, &program, Some(&linked))
    };
    let mut artifact = compile(&options)?;
    let mut mapped = None;
    if let Some(path) = &args.weights_file {
        mapped = match map(path, &artifact) {
            // Files of objects for several entries have weights as the program has them.
            Err(other) if options.laid_out.may_have_any() && other.code() == codes::S1806 => {
                options.laid_out = LaidOut::NONE;
                artifact = compile(&options)?;
                map(path, &artifact).map_err(|_| other)?
            }
            mapped => mapped?,
        };
    }
    let signature = artifact.signature().ok_or_else(|| {
        Diagnostic::new(codes::S9002).reason("the compiled program has no signature")
    })?;
    let launcher = mpi::launcher(args);
    let mut grid = signature.grid().and_then(strata_verify::grid_of);
    if grid.is_none() && (launcher.is_some() || args.arrays.per_device) {
        // What exchanges nothing is the same program on each device that it declares.
        grid = devices::declared(&name, &program)?;
    }
    let is_told = |warning: &Diagnostic| grid.is_none() || warning.code() != codes::S1105;
    let told = artifact.warnings().iter().filter(|warning| is_told(warning)).cloned();
    reporter.warn(&told.collect());
    arrays::check_output(&args.arrays, signature.outputs.len() - signature.shapes.len())?;
    let of_program = artifact.program_signature();
    let named = Named::of(of_program.as_ref().unwrap_or(signature));
    let mut loaded = Loaded::linked(artifact.bytes(), &options, signature, &linked)?;
    if let Some(mapped) = mapped {
        loaded = loaded.with_weights(mapped);
    }
    if let Some(grid) = grid {
        if artifact.prepared().is_some() {
            return Err(prepared::alone().at(Location::file(name)).into());
        }
        let Some(launcher) = launcher else {
            return run_on_devices(args, &loaded, signature, grid, (&name, &program));
        };
        let hash = signature.program.unwrap_or_else(|| mpi::hash_of_program(&program));
        let signature = Signature { program: Some(hash), ..signature.clone() };
        return mpi::run(args, &loaded, &signature, grid, launcher, (&name, &program));
    }
    devices::check_alone(&args.arrays)?;
    mpi::check_alone(args)?;
    let inputs = arrays::read_inputs(&args.arrays, named.inputs(), &name)?;
    let mut host = Host::new(&args.host);
    let pool = threads::pool(args.threads)?;
    let of_maker = match &args.weights_file {
        Some(path) if artifact.prepared().is_some() => map(path, &artifact)?,
        _ => None,
    };
    let with = (&linked, of_maker);
    let (inputs, _) = prepared::inputs(&artifact, &options, with, inputs, pool.as_ref())?;
    supervisor::compiled_code_starts();
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

/// The weights that the artifact reads from a file.
///
/// # Errors
/// `S0002` if the file cannot be opened, `S1806` if it has others.
fn map(path: &Path, artifact: &Artifact) -> Result<Option<MappedWeights>, Diagnostic> {
    let Some(weights) = artifact.weights() else { return Ok(None) };
    let file = files::open(path)?;
    MappedWeights::open(&file, &files::display_name(path), weights).map(Some).map_err(|error| {
        error.hint("compile the program again to write the file, which serves the `--target-cpu` that it was written for")
    })
}

/// Runs the program on each of its devices, a thread each.
fn run_on_devices(
    args: &RunArgs,
    loaded: &Loaded,
    signature: &Signature,
    (replicas, partitions): (usize, usize),
    (name, program): (&str, &[u8]),
) -> Outcome {
    devices::check_threads((replicas, partitions), name)?;
    let inputs = devices::read_inputs(&args.arrays, signature, replicas * partitions, name)?;
    let limit = Duration::from_secs(args.time_limit);
    let grid = Arc::new(Devices::new(replicas, partitions).with_time_limit(limit));
    let calls: Vec<_> = inputs.iter().map(|inputs| (loaded, &inputs[..])).collect();
    supervisor::compiled_code_starts();
    let hosts = Host::of_all(&args.host, calls.len(), args.arrays.per_device);
    let host = |device: usize| Some(Box::new(hosts[device].clone()) as Box<dyn HostIo>);
    let outputs = call_on_devices(&grid, &calls, &host).map_err(|error| {
        Shared::failure(&hosts).unwrap_or_else(|| devices::placed(error, name, program))
    })?;
    Host::write_all(&hosts, &args.host, args.arrays.per_device)?;
    devices::write_outputs(&args.arrays, signature, &outputs)
}
