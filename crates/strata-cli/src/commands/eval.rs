//! `strata eval`: interprets a program by StableHLO's semantics, without compiling it.

use std::sync::Arc;

use strata::{Semantics, Signature, Stage, TensorSpec};
use strata_diag::{Diagnostic, Diagnostics, Location, codes};
use strata_eval::{Evaluator, HostSource, Session, Tensor};
use strata_ir::{
    AttributeExt as _, Devices, Module, Shards, Type, TypeExt as _, allow_excess_precision,
    check_devices, entry, function_types, is_split, module_op, new_context, program_names,
    tuple_types,
};
use strata_verify::{Version, spec};
use strata_vhlo::parse;

use super::{
    Outcome, arrays,
    arrays::Named,
    devices,
    host::{Host, Shared},
    level, link, options, stages,
};
use crate::args::{ArrayArgs, EvalArgs};
use crate::files;
use crate::mapped;

pub fn run(args: &EvalArgs) -> Outcome {
    let from = stages::parse(&args.from)?;
    options::check_semantics(args.semantics, from)?;
    if from > Stage::Spmd {
        return level::run(args, from);
    }
    let program = mapped::read(&args.input)?;
    let name = files::display_name(&args.input);
    let in_source = |error: Diagnostic| match std::str::from_utf8(&program) {
        Ok(text) => error.source_file(&name, text),
        Err(_) => error,
    };
    let context = new_context();
    let module = parse(&context, &name, &program)?;
    strata_sharding::gspmd::read(&context, &module).map_err(in_source)?;
    if let Some(semantics) = args.semantics.semantics {
        Semantics::from(semantics).set(&context, &module);
    }
    if args.semantics.excess_precision {
        allow_excess_precision(&context, &module);
    }
    let evaluator = Evaluator::new(&module).map_err(in_source)?;
    let function = match &args.entry {
        Some(name) => Some(name.as_str()),
        None => evaluator.entries().into_iter().find(|name| *name == "main"),
    };
    let mut taken = signature(&module, function).map_err(in_source)?;
    if from > Stage::Input
        && let Some(version) = Version::of(&module)?
    {
        let session = session(args)?;
        let run =
            |inputs: &[Tensor]| version.evaluate(&module, inputs, &session).map_err(in_source);
        return level::of_call(&args.arrays, taken, &version, &name, &run);
    }
    check_devices(&module).map_err(in_source)?;
    let grid = Devices::of(module_op(&module));
    let is_run =
        args.arrays.per_device || taken.shards.is_some() || strata_verify::communicates(&module);
    let grid = strata_verify::grid_of(grid).filter(|_| is_run);
    if grid.is_none() {
        devices::check_alone(&args.arrays)?;
    }
    if args.arrays.per_device && taken.shards.is_none() && is_split(&module) {
        return Err(Diagnostic::new(codes::S0001)
            .at(Location::file(name))
            .reason("the program's values are split over devices, and here it is evaluated on whole values")
            .hint("leave out `--per-device`; `strata compile --to spmd -o parts.mlir` makes the program of one device, and `strata eval --from spmd parts.mlir --per-device` takes parts")
            .into());
    }
    let count = grid.map_or(1, |(replicas, partitions)| replicas * partitions);
    resolve(&args.arrays, &mut taken, count, &name)?;
    let inputs = match grid {
        None => vec![inputs(&args.arrays, &taken, &name).map_err(in_source)?],
        Some((replicas, partitions)) => {
            devices::check_threads((replicas, partitions), &name)?;
            let count = replicas * partitions;
            let all =
                devices::read_inputs(&args.arrays, &taken, count, &name).map_err(in_source)?;
            let tensors = |bytes: Vec<Vec<u8>>| {
                taken.inputs.iter().zip(bytes).map(|(spec, bytes)| tensor(spec, bytes)).collect()
            };
            all.into_iter().map(tensors).collect::<Result<_, Diagnostic>>()?
        }
    };
    let mut session = session(args)?;
    let count = inputs.len();
    let hosts = Host::of_all(&args.host, count, args.arrays.per_device);
    match grid {
        None => session.set_host(source(hosts.clone())),
        Some(_) => session.set_host_of_each(source(hosts.clone())),
    }
    let result = match grid {
        None => evaluator.run(function, &inputs[0], &session).map(|outputs| vec![outputs]),
        Some(grid) => evaluator.run_on_devices(function, grid, &inputs, &session),
    };
    let outputs = match (result, Shared::failure(&hosts)) {
        (Err(_), Some(failure)) => return Err(failure.into()),
        (result, _) => result.map_err(in_source)?,
    };
    let arrays = |tensors: Vec<Tensor>| -> Vec<(TensorSpec, Vec<u8>)> {
        tensors.iter().map(|tensor| (spec(tensor), tensor.bytes().to_vec())).collect()
    };
    for (device, host) in hosts.iter().enumerate() {
        let mut host = host.lock();
        for tensors in session.outfed_by(device) {
            host.keep(None, arrays(tensors));
        }
        for (channel, tensors) in session.sent_by(device) {
            host.keep(Some(channel), arrays(tensors));
        }
    }
    Host::write_all(&hosts, &args.host, args.arrays.per_device)?;
    let of_device =
        |outputs: &Vec<Tensor>| outputs.iter().map(|one| one.bytes().to_vec()).collect();
    let bytes: Vec<Vec<Vec<u8>>> = outputs.iter().map(of_device).collect();
    if args.arrays.per_device {
        let specs: Vec<Vec<_>> = outputs.iter().map(|own| own.iter().map(spec).collect()).collect();
        devices::check_alike(&specs)?;
    }
    let given = given(&outputs[0], taken);
    match grid {
        None => arrays::write_outputs(&args.arrays, Named::of(&given).outputs(), &bytes[0]),
        Some(_) => devices::write_outputs(&args.arrays, &given, &bytes),
    }
}

/// The evaluator's environment, with the external functions.
fn session(args: &EvalArgs) -> Result<Session, Diagnostic> {
    let mut session = Session::new(args.seed);
    let mut linked = link::libraries(&args.libraries)?;
    // The run-time library defines these functions.
    linked.offer(strata_runtime::TARGETS);
    session.set_outside(strata_verify::outside(Arc::new(linked)));
    Ok(session)
}

/// The signature with the outputs that a call gave, whose shapes may be known only now.
pub(super) fn given(outputs: &[Tensor], mut signature: Signature) -> Signature {
    signature.outputs = outputs.iter().map(spec).collect();
    signature.shapes.clear();
    signature.output_names.truncate(outputs.len());
    if signature.output_names.len() != outputs.len() {
        signature.output_names.clear();
    }
    signature
}

/// Gives inputs whose sizes the program leaves open those of the arrays, which may be of `count` devices.
pub(super) fn resolve(
    args: &ArrayArgs,
    signature: &mut Signature,
    count: usize,
    name: &str,
) -> Result<(), Diagnostic> {
    if signature.inputs.iter().any(TensorSpec::is_open) {
        let stacked = devices::stacked(args, signature, count);
        let mut inputs = arrays::resolve(args, Named::of(&stacked).inputs(), name)?;
        if args.per_device {
            for spec in &mut inputs {
                spec.shape.remove(0);
            }
        }
        signature.inputs = inputs;
    }
    Ok(())
}

/// The arrays of the command line as inputs of a function with this signature.
pub(super) fn inputs(
    args: &ArrayArgs,
    signature: &Signature,
    name: &str,
) -> Result<Vec<Tensor>, Diagnostic> {
    let buffers = arrays::read_inputs(args, Named::of(signature).inputs(), name)?;
    signature.inputs.iter().zip(buffers).map(|(spec, bytes)| tensor(spec, bytes)).collect()
}

/// The inputs of a function, with [`TensorSpec::UNKNOWN`] for sizes that the program leaves open, their names, and the names of
/// its results, whose types are omitted.
pub(super) fn signature(
    module: &Module<'_>,
    function: Option<&str>,
) -> Result<Signature, Diagnostic> {
    let function = entry(module, function)?;
    let arguments = function.region(0).first_block().map(|block| block.args()).unwrap_or_default();
    let mut types = Vec::new();
    arguments.into_iter().for_each(|argument| leaves(argument.ty(), &mut types));
    let inputs = types
        .into_iter()
        .enumerate()
        .map(|(index, ty)| {
            TensorSpec::open(ty).ok_or_else(|| {
                Diagnostic::new(codes::S1911)
                    .reason(format!("input {index} cannot be read from a file: it is {ty}"))
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    let ty = function.attr("function_type").and_then(|ty| ty.as_type()).and_then(function_types);
    let results = ty.map_or(0, |(_, results)| results.len());
    let [input_names, output_names] = program_names(function, inputs.len(), results);
    let shards = Shards::of(function);
    Ok(Signature { inputs, input_names, output_names, shards, ..Signature::default() })
}

/// The shapes of the given arrays, if the program leaves sizes of its inputs open.
pub(super) fn open_shapes(
    args: &ArrayArgs,
    entry: Option<&str>,
    name: &str,
    program: &[u8],
) -> Result<Option<Vec<Vec<i64>>>, Diagnostics> {
    // Text without a question mark has no such size, and is read once.
    if std::str::from_utf8(program).is_ok() && !program.contains(&b'?') {
        return Ok(None);
    }
    let context = new_context();
    let Ok(module) = strata_vhlo::parse(&context, name, program) else { return Ok(None) };
    let Ok(mut taken) = signature(&module, entry) else {
        return Ok(None);
    };
    if !taken.inputs.iter().any(TensorSpec::is_open) {
        return Ok(None);
    }
    let grid = strata_verify::grid_of(Devices::of(module_op(&module)));
    if args.per_device && is_split(&module) {
        return Err(Diagnostic::new(codes::S0001)
            .at(Location::file(name))
            .reason(
                "with `--per-device` arrays are parts, whose sizes do not say those of the whole",
            )
            .hint("give the sizes of the whole by `--bind`, or whole arrays without `--per-device`")
            .into());
    }
    if args.per_device && grid.is_none() {
        devices::check_alone(args)?;
    }
    let count = grid.map_or(1, |(replicas, partitions)| replicas * partitions);
    resolve(args, &mut taken, count, name)?;
    let size = |size: &u64| i64::try_from(*size).unwrap_or(i64::MAX);
    Ok(Some(taken.inputs.iter().map(|spec| spec.shape.iter().map(size).collect()).collect()))
}

/// The values that take a file: the elements of a tuple in order, none for a token.
fn leaves<'c>(ty: Type<'c>, found: &mut Vec<Type<'c>>) {
    match tuple_types(ty) {
        Some(types) => types.into_iter().for_each(|ty| leaves(ty, found)),
        None if ty.is_token() => {}
        None => found.push(ty),
    }
}

pub(super) fn tensor(spec: &TensorSpec, bytes: Vec<u8>) -> Result<Tensor, Diagnostic> {
    let internal =
        || Diagnostic::new(codes::S9001).reason(format!("{spec} is not a valid tensor type"));
    let sizes = spec.shape.iter().map(|&size| usize::try_from(size)).collect::<Result<Vec<_>, _>>();
    let shape = sizes.map_err(|_| internal())?;
    let element =
        strata_eval::ElementType::parse(&spec.element.to_string()).ok_or_else(internal)?;
    Tensor::from_bytes(&shape, element, bytes).map_err(|_| internal())
}

/// The hosts for the evaluator: arrays from files.
fn source(hosts: Vec<Shared>) -> Box<HostSource> {
    Box::new(move |device, channel, types| {
        let Some(host) = hosts.get(device) else { return Ok(None) };
        let mut host = host.lock();
        let specs: Vec<_> =
            types.iter().map(|(shape, element)| strata_verify::spec_of(shape, *element)).collect();
        match host.next(channel, &specs) {
            Ok(arrays) => {
                let tensors = types.iter().zip(arrays);
                let tensor = |((shape, element), bytes): (&(Vec<usize>, _), Vec<u8>)| {
                    Tensor::from_bytes(shape, *element, bytes)
                };
                tensors.map(tensor).collect::<strata_eval::Result<_>>().map(Some)
            }
            Err(failure) => {
                host.failure = Some(failure);
                Ok(None)
            }
        }
    })
}
