//! Programs on several devices by compiled code, each device on a thread of its own: parallel runs of tests, and programs that are
//! verified.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

use strata::{Compiler, Options, Signature, TensorSpec};
use strata_diag::{Diagnostic, Diagnostics, codes};
use strata_eval::{ElementType, EvalError, Evaluator, Processes, Session, Tensor};
use strata_interpreter::{Device, Program};
use strata_ir::{self as ir, PARTITIONS, REPLICAS, Shards, interpreter};
use strata_processes::{Grid, Stuck};
use strata_run::{HostIo, Linked, Loaded, call_on_devices};
use strata_threads::devices::Devices;

use crate::object::tensors;

/// How long a process waits for another one: those of tests meet at once.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Whether a module exchanges values between the devices that it declares.
pub fn communicates(module: &ir::Module<'_>) -> bool {
    let root = ir::module_op(module);
    ir::Devices::of(root).count() > 1 && !root.collect(ir::communicates).is_empty()
}

/// The grid of devices; `None` for one device.
pub fn grid_of(devices: ir::Devices) -> Option<(usize, usize)> {
    let grid = (usize::try_from(devices.replicas).ok()?, usize::try_from(devices.partitions).ok()?);
    (grid.0.saturating_mul(grid.1) > 1).then_some(grid)
}

/// The inputs of each of `count` devices: those given, with elements moved by as many places as the device's number, so that the
/// devices have different ones.
pub fn spread(inputs: &[Tensor], count: usize) -> Result<Vec<Vec<Tensor>>, Diagnostic> {
    let moved = |tensor: &Tensor, by: usize| {
        let mut bytes = tensor.bytes().to_vec();
        let elements: usize = tensor.shape().iter().product();
        if let Some(size) = bytes.len().checked_div(elements) {
            bytes.rotate_left(by % elements * size);
        }
        let moved = Tensor::from_bytes(tensor.shape(), tensor.element_type(), bytes);
        moved.map_err(|error| Diagnostic::new(codes::S9001).reason(error.reason))
    };
    let of = |device| inputs.iter().map(|tensor| moved(tensor, device)).collect();
    (0..count).map(of).collect()
}

/// The outputs of a program on a grid of devices, one device after another.
pub(crate) fn call_all(
    loaded: &Loaded,
    signature: &Signature,
    (replicas, partitions): (usize, usize),
    inputs: &[Tensor],
) -> Result<Vec<Tensor>, Diagnostic> {
    let inputs = match &signature.shards {
        Some(shards) => split(shards, inputs)?,
        None => spread(inputs, replicas * partitions)?,
    };
    let bytes = bytes_of(&inputs);
    let calls: Vec<_> = bytes.iter().map(|inputs| (loaded, &inputs[..])).collect();
    let devices = Arc::new(Devices::new(replicas, partitions).with_time_limit(TIME_LIMIT));
    let outputs = call_on_devices(&devices, &calls, &|_| None)?;
    let outputs = outputs.into_iter().map(|outputs| tensors(signature, outputs));
    let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
    match &signature.shards {
        Some(shards) => join(shards, &outputs),
        None => Ok(outputs.concat()),
    }
}

/// The parts of whole inputs that each device has.
///
/// # Errors
/// `S9001` for inputs of other shapes.
pub(crate) fn split(shards: &Shards, inputs: &[Tensor]) -> Result<Vec<Vec<Tensor>>, Diagnostic> {
    let filler = |input: &Tensor| {
        let ty = input.element_type();
        Tensor::splat(&[], ty, ty.neutral_of_sums()).bytes().to_vec()
    };
    let fillers: Vec<_> = inputs.iter().map(filler).collect();
    let bytes: Vec<_> = inputs.iter().map(|one| one.bytes().to_vec()).collect();
    let of = |parts: Vec<Vec<u8>>| {
        let each = shards.inputs.iter().zip(inputs).zip(parts);
        each.map(|((shard, input), bytes)| tensor(&shard.part_shape(), input.element_type(), bytes))
            .collect()
    };
    shards.split(&fillers, &bytes).into_iter().map(of).collect()
}

/// Whole outputs from the parts of each device.
///
/// # Errors
/// `S9005` where two devices have different elements of what they both have.
pub(crate) fn join(shards: &Shards, outputs: &[Vec<Tensor>]) -> Result<Vec<Tensor>, Diagnostic> {
    let types: Vec<_> = outputs[0].iter().map(Tensor::element_type).collect();
    let widths: Vec<_> = types.iter().map(|ty| ty.bytes()).collect();
    let bytes = bytes_of(outputs);
    if let Some((output, device)) = shards.disagreement(&widths, &bytes) {
        return Err(Diagnostic::new(codes::S9005).reason(format!(
            "device {device} has other elements of output {output} than a device that has the same part"
        )));
    }
    let whole = shards.join(&widths, &bytes).into_iter().zip(&shards.outputs).zip(types);
    whole.map(|((bytes, shard), ty)| tensor(&shard.shape, ty, bytes)).collect()
}

fn tensor(shape: &[i64], ty: ElementType, bytes: Vec<u8>) -> Result<Tensor, Diagnostic> {
    let shape: Vec<_> = shape.iter().map(|size| *size as usize).collect();
    Tensor::from_bytes(&shape, ty, bytes)
        .map_err(|error| Diagnostic::new(codes::S9001).reason(error.reason))
}

/// The replicas and partitions that `count` devices are.
fn grid_of_all(module: &ir::Module<'_>, count: usize) -> (usize, usize) {
    let declared = grid_of(ir::Devices::of(ir::module_op(module)));
    declared.filter(|(replicas, partitions)| replicas * partitions == count).unwrap_or((1, count))
}

/// What the program of one device, at the end of stage `spmd`, computes on all of them from whole inputs.
///
/// # Errors
/// The evaluator's; as [`split`] and [`join`].
pub fn evaluate_split(
    module: &ir::Module<'_>,
    entry: Option<&str>,
    shards: &Shards,
    inputs: &[Tensor],
    session: &Session,
) -> Result<Vec<Tensor>, Diagnostic> {
    let evaluator = Evaluator::new(module)?;
    let parts = split(shards, inputs)?;
    let grid = grid_of_all(module, shards.devices.len());
    join(shards, &evaluator.run_on_devices(entry, grid, &parts, session)?)
}

/// What a program computes on one device, or on all that it is for: whole values where they are split, else the outputs of one device
/// after another.
///
/// # Errors
/// As [`Evaluator::run`].
pub(crate) fn evaluate(
    evaluator: &Evaluator,
    module: &ir::Module<'_>,
    entry: Option<&str>,
    inputs: &[Tensor],
    session: &Session,
) -> Result<Vec<Tensor>, Diagnostic> {
    let devices = ir::Devices::of(ir::module_op(module));
    match grid_of(devices).filter(|_| communicates(module)) {
        None => evaluator.run(entry, inputs, session),
        // Outside of bodies that work on parts all devices have the same.
        Some(grid) if ir::is_split(module) => {
            let inputs = vec![inputs.to_vec(); grid.0 * grid.1];
            let mut all = evaluator.run_on_devices(entry, grid, &inputs, session)?;
            Ok(all.swap_remove(0))
        }
        Some(grid) => {
            let inputs = spread(inputs, grid.0 * grid.1)?;
            Ok(evaluator.run_on_devices(entry, grid, &inputs, session)?.concat())
        }
    }
}

/// What the dump of a later stage computes, on a thread for each of `count` devices: whole values where they are split, else the outputs
/// of one device after another.
///
/// # Errors
/// As [`Program::new`] and [`Program::run_on`], of the device that failed first.
pub(crate) fn interpret(
    name: &str,
    dump: &str,
    count: usize,
    inputs: &[Tensor],
) -> Result<Vec<Tensor>, Diagnostic> {
    let context = ir::new_context();
    let module = ir::parse(&context, name, dump.as_bytes()).map_err(first)?;
    let shards = ir::Shards::of(ir::entry(&module, None)?);
    let all = match &shards {
        Some(shards) => split(shards, inputs)?,
        None => spread(inputs, count)?,
    };
    let grid = Arc::new(Grid::new(1, count));
    let run = |device: usize, inputs: &[Vec<u8>]| {
        // The handles of a context stay on their thread.
        let context = ir::new_context();
        let module = ir::parse(&context, name, dump.as_bytes()).map_err(first)?;
        let program = Program::new(&module)?;
        let outputs = program.run_on(Device::new(Arc::clone(&grid), (0, device)), inputs)?;
        tensors(program.signature(), outputs)
    };
    let outcomes: Vec<Result<Vec<Tensor>, Diagnostic>> = std::thread::scope(|scope| {
        let bytes = bytes_of(&all);
        let threads: Vec<_> = bytes
            .into_iter()
            .enumerate()
            .map(|(device, inputs)| scope.spawn(move || run(device, &inputs)))
            .collect();
        let panicked =
            || Err(Diagnostic::new(codes::S9001).reason("the thread of a device panicked"));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| panicked())).collect()
    });
    // What others wait for in vain says less than why.
    let is_echo =
        |error: &Diagnostic| error.reason_text() == Some(&*Stuck::OtherFailed.to_string());
    let failed = |wanted: &dyn Fn(&Diagnostic) -> bool| {
        let all = outcomes.iter().enumerate();
        all.filter_map(|(device, outcome)| Some((device, outcome.as_ref().err()?)))
            .find(|(_, error)| wanted(error))
    };
    if let Some((device, error)) = failed(&|error| !is_echo(error)).or_else(|| failed(&|_| true)) {
        return Err(error.clone().note(format!("on device {device}")));
    }
    let outputs = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
    match &shards {
        Some(shards) => join(shards, &outputs),
        None => Ok(outputs.concat()),
    }
}

fn bytes_of(inputs: &[Vec<Tensor>]) -> Vec<Vec<Vec<u8>>> {
    let of = |tensors: &Vec<Tensor>| tensors.iter().map(|one| one.bytes().to_vec()).collect();
    inputs.iter().map(of).collect()
}

/// Why processes could not be compiled or run.
pub type Reason = Arc<Mutex<Option<Diagnostic>>>;

/// What runs the processes of `program`, MLIR text, as compiled code. If it fails, the diagnostic is left in `why`.
pub fn processes(program: String, options: Options, why: Reason) -> Arc<Processes> {
    Arc::new(move |names, inputs| {
        run(&program, &options, names, &inputs).map_err(|error| {
            let text = error.reason_text().unwrap_or_default().to_owned();
            *why.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            EvalError::invalid(text)
        })
    })
}

fn run(
    program: &str,
    options: &Options,
    names: &[Vec<&str>],
    inputs: &[Vec<Tensor>],
) -> Result<Vec<Vec<Tensor>>, Diagnostic> {
    let (replicas, partitions) = (names.len(), names.first().map_or(0, Vec::len));
    let text = for_devices(program, (replicas, partitions))?;
    let mut compiled: BTreeMap<&str, (Loaded, Signature)> = BTreeMap::new();
    for name in names.iter().flatten().copied() {
        if !compiled.contains_key(name) {
            compiled.insert(name, compile(&text, name, options)?);
        }
    }
    let bytes = bytes_of(inputs);
    let programs: Vec<_> = names.iter().flatten().map(|name| &compiled[name]).collect();
    let calls: Vec<_> =
        programs.iter().zip(&bytes).map(|((loaded, _), inputs)| (loaded, &inputs[..])).collect();
    let devices = Arc::new(Devices::new(replicas, partitions).with_time_limit(TIME_LIMIT));
    let relay = Arc::new(Relay::default());
    let host = |_: usize| Some(Box::new(Party(Arc::clone(&relay))) as Box<dyn HostIo>);
    let outputs = call_on_devices(&devices, &calls, &host)?;
    let all = programs.iter().zip(outputs);
    all.map(|((_, signature), outputs)| tensors(signature, outputs)).collect()
}

/// The program with the numbers of devices that it runs on.
fn for_devices(
    program: &str,
    (replicas, partitions): (usize, usize),
) -> Result<String, Diagnostic> {
    let context = ir::new_context();
    let module = ir::parse(&context, "processes", program.as_bytes()).map_err(first)?;
    let root = ir::module_op(&module);
    // The evaluator alone prints and keeps values.
    for op in root.collect(|op| op.is(interpreter::PRINT) || op.is(interpreter::PROBE)) {
        if op.is(interpreter::PROBE) {
            op.result(0).replace_all_uses_with(op.operand(0));
        }
        op.erase();
    }
    for (name, count) in [(REPLICAS, replicas), (PARTITIONS, partitions)] {
        root.set_attr(name, ir::int(ir::integer(&context, 32), count as i64));
    }
    Ok(ir::print(&module, true))
}

fn compile(text: &str, name: &str, options: &Options) -> Result<(Loaded, Signature), Diagnostic> {
    let options = Options { entry: Some(name.to_owned()), ..options.clone() };
    let artifact =
        Compiler::new(options.clone()).compile("processes", text.as_bytes()).map_err(first)?;
    let signature = artifact.signature().cloned();
    let signature = signature
        .ok_or_else(|| Diagnostic::new(codes::S9002).reason("the object has no signature"))?;
    let loaded = Loaded::linked(artifact.bytes(), &options, &signature, &Linked::default())?;
    Ok((loaded, signature))
}

fn first(errors: Diagnostics) -> Diagnostic {
    let lost = || Diagnostic::new(codes::S9001).reason("the processes cannot be compiled");
    errors.into_iter().next().unwrap_or_else(lost)
}

/// Transfers to the host, which in a parallel run are from one process to another.
#[derive(Default)]
struct Relay {
    sent: Mutex<BTreeMap<i64, VecDeque<Vec<u8>>>>,
    changed: Condvar,
}

/// A process's end of it.
struct Party(Arc<Relay>);

/// The status of a transfer that does not happen.
const NOTHING_SENT: i32 = 67;

impl HostIo for Party {
    fn infeed(&mut self, _: &str, _: &[TensorSpec]) -> Result<Vec<Vec<u8>>, i32> {
        Err(NOTHING_SENT)
    }

    fn outfeed(&mut self, _: &str, _: Vec<(TensorSpec, Vec<u8>)>) -> Result<(), i32> {
        Ok(())
    }

    fn send(&mut self, channel: i64, arrays: Vec<(TensorSpec, Vec<u8>)>) -> Result<(), i32> {
        let mut sent = self.0.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.entry(channel).or_default().extend(arrays.into_iter().map(|(_, bytes)| bytes));
        self.0.changed.notify_all();
        Ok(())
    }

    fn recv(&mut self, channel: i64, types: &[TensorSpec]) -> Result<Vec<Vec<u8>>, i32> {
        let deadline = Instant::now() + TIME_LIMIT;
        let mut sent = self.0.sent.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let queue = sent.entry(channel).or_default();
            if queue.len() >= types.len() {
                return Ok(queue.drain(..types.len()).collect());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(NOTHING_SENT);
            }
            let waited = self.0.changed.wait_timeout(sent, left);
            sent = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
