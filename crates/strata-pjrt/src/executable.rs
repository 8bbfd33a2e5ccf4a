//! Executables: compilation, execution, and what is known of a program.

use std::{
    ffi::{c_char, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use strata::TensorSpec;
use strata_abi::{DEVICE_FAILED, Executor};

use crate::{
    abi::{
        Assignment, Compile, CostAnalysis, Deserialize, Execute, Handle, Items, List, LogicalId,
        MemoryStats, Of, OptimizedProgram, PerOutput, Serialize, Value,
    },
    arguments::Arguments,
    buffer::{Buffer, Contents},
    callback,
    client::{Device, MORE_DEVICES, Shared},
    event::{Event, Outcome, Pending},
    failure::{Code, Failure},
    layouts::{MemoryLayout, Order},
    once::Run,
    program::{Program, Text},
    proto::{CompileOptions, Placed},
    serial::Saved,
    storage::{Aligned, Storage},
};

/// `PJRT_Executable`.
pub struct Executable {
    client: Arc<Shared>,
    program: Arc<Program>,
    placed: Arc<Placed>,
}

/// `PJRT_LoadedExecutable`.
pub struct LoadedExecutable {
    client: Arc<Shared>,
    program: Arc<Program>,
    /// The devices that it runs on.
    placed: Arc<Placed>,
    devices: Vec<Handle<Device>>,
    logical: Vec<LogicalId>,
    is_deleted: AtomicBool,
}

impl Executable {
    /// The layouts of the arguments (0) or of the results (1).
    pub fn layouts(&self, which: usize) -> &[Handle<MemoryLayout>] {
        &self.program.outputs.layouts[which]
    }
}

/// The format of programs.
const FORMAT: &str = "mlir";
pub fn compile(arguments: &mut Compile) -> Result<(), Failure> {
    let client = &arguments.client.get()?.0;
    let program = &arguments.program.get(1)?[0];
    let format = program.format.get(program.format_size)?;
    if format != FORMAT.as_bytes() {
        let format = String::from_utf8_lossy(format);
        let message = format!("programs of format `{format}`: Strata reads `mlir`, StableHLO");
        return Err(Failure::unimplemented(message));
    }
    let options = CompileOptions::read(arguments.options.get(arguments.options_size)?)?;
    let placed = placed_on(client, options.placed.clone())?;
    let program = Program::compile(client, program.code.get(program.code_size)?, &options)?;
    arguments.executable = LoadedExecutable::of(client, program, placed);
    Ok(())
}

/// The devices of the client that a program is for: the first ones, if it is not for certain ones.
fn placed_on(client: &Shared, mut placed: Placed) -> Result<Placed, Failure> {
    if placed.devices.is_empty() {
        placed.devices = (0..placed.count()).collect();
    }
    let count = client.count();
    if let Some(lacking) = placed.devices.iter().find(|device| **device >= count) {
        let plural = if count == 1 { "" } else { "s" };
        return Err(Failure::invalid(format!(
            "the program runs on device {lacking}, and the client has {count} device{plural}: {MORE_DEVICES}"
        )));
    }
    let mut sorted = placed.devices.clone();
    sorted.sort_unstable();
    if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        let text = format!("the program runs on device {} twice", twice[0]);
        return Err(Failure::invalid(text));
    }
    Ok(placed)
}

impl LoadedExecutable {
    fn of(client: &Arc<Shared>, program: Arc<Program>, placed: Placed) -> Handle<Self> {
        let devices = placed.devices.iter().map(|device| client.device(*device)).collect();
        let logical = |at: usize| LogicalId {
            replica: (at / placed.partitions) as i32,
            partition: (at % placed.partitions) as i32,
        };
        let logical = (0..placed.count()).map(logical).collect();
        let (client, placed) = (Arc::clone(client), Arc::new(placed));
        let is_deleted = AtomicBool::new(false);
        Handle::new(Self { client, program, placed, devices, logical, is_deleted })
    }
}

pub fn serialize(arguments: &mut Serialize) -> Result<(), Failure> {
    let executable = arguments.executable.get()?;
    let identity = &executable.client.identity;
    let bytes = Box::new(executable.program.serialise(identity, &executable.placed)?);
    (arguments.bytes, arguments.size) = (bytes.as_ptr(), bytes.len());
    arguments.owner = Box::into_raw(bytes).cast();
    arguments.deleter = Some(drop_bytes);
    Ok(())
}

/// # Safety
/// `owner` is that of [`serialize`] or [`assignment`], and is not used again.
unsafe extern "C" fn drop_bytes(owner: *mut c_void) {
    // SAFETY: as the caller promises.
    drop(unsafe { Box::from_raw(owner.cast::<Vec<u8>>()) });
}

pub fn deserialize(arguments: &mut Deserialize) -> Result<(), Failure> {
    let client = &arguments.client.get()?.0;
    let (program, placed) = Program::deserialise(client, arguments.bytes.get(arguments.size)?)?;
    let placed = placed_on(client, placed)?;
    arguments.executable = LoadedExecutable::of(client, program, placed);
    Ok(())
}

/// What has not happened yet of what arguments wait for.
fn pending<'a>(all: impl Iterator<Item = &'a Arguments>) -> Vec<Arc<Pending>> {
    let mut pending: Vec<Arc<Pending>> = Vec::new();
    let ready = all.flat_map(|one| &one.contents).map(|one| one.ready());
    for ready in ready.filter(|one| !one.is_ready()) {
        if !pending.iter().any(|other| Arc::ptr_eq(other, ready)) {
            pending.push(Arc::clone(ready));
        }
    }
    pending
}

/// What a call does on one device.
struct Part {
    /// The device.
    device: usize,
    arguments: Arguments,
    /// The results.
    results: Vec<Arc<Contents>>,
}

/// A call of a program.
struct Call {
    client: Arc<Shared>,
    program: Arc<Program>,
    /// For each of the program's devices.
    parts: Vec<Part>,
}

impl Part {
    /// Memory for each result: that of a donated argument, where nothing else uses it.
    fn memory(&self, program: &Program) -> Result<Vec<Arc<Storage>>, Failure> {
        let (signature, arguments) = (&program.saved.signature, &self.arguments);
        let of_result = |(at, spec): (usize, &TensorSpec)| {
            let pair = signature.donations.iter().find(|(output, _)| *output == at);
            let donated = pair.filter(|(_, input)| arguments.donated[*input]);
            if let Some(storage) = donated.and_then(|(_, input)| arguments.contents[*input].alone())
            {
                return Ok(Arc::clone(storage));
            }
            let size = usize::try_from(spec.byte_count()).unwrap_or(usize::MAX);
            Ok(Arc::new(Storage::Owned(Aligned::new(size)?)))
        };
        signature.outputs.iter().enumerate().map(of_result).collect()
    }

    /// Sets the results, when the arguments are there. If that fails, donated arguments are gone: they may have been overwritten.
    fn run(&self, program: &Program, executor: &Executor) -> Outcome {
        let Saved { signature, layouts: [of_inputs, of_outputs], .. } = &program.saved;
        let given = self.arguments.contents.iter().map(|one| one.wait());
        let given = given.collect::<Result<Vec<_>, _>>()?;
        let reordered = |(at, order): (usize, &Order)| {
            let spec = &signature.inputs[at];
            Ok((at, given[at].reordered(spec, (order, &Order::row_major(spec.shape.len())))?))
        };
        let others = of_inputs.iter().enumerate().filter(|(_, order)| !order.is_row_major());
        let copies = others.map(reordered).collect::<Result<Vec<_>, Failure>>()?;
        let mut inputs: Vec<_> = given.iter().map(|one| one.pointer().cast()).collect();
        copies.iter().for_each(|(at, copy)| inputs[*at] = copy.pointer().cast_const().cast());
        let mut memory = self.memory(program)?;
        let outputs: Vec<_> = memory.iter().map(|one| one.pointer().cast_mut().cast()).collect();
        let loaded = &program.loaded;
        let status = program.with_workspace(self.device, |workspace| {
            // SAFETY: the buffers have the sizes of the signature, which `fits` has checked; they are aligned; outputs are new,
            // or donated inputs that nothing else uses, as the signature allows.
            let call = || unsafe { loaded.call_raw(&inputs, &outputs, workspace, executor) };
            Ok(program.states.during(call)?)
        })?;
        if status != 0 {
            return Err(callback::failure(status));
        }
        for (at, order) in of_outputs.iter().enumerate().filter(|(_, order)| !order.is_row_major())
        {
            let spec = &signature.outputs[at];
            let row_major = Order::row_major(spec.shape.len());
            let storage = memory[at].reordered(spec, (&row_major, order))?;
            memory[at] = Arc::new(Storage::Owned(storage));
        }
        self.results.iter().zip(memory).for_each(|(result, storage)| result.set(storage));
        Ok(())
    }
}

impl Call {
    /// Runs all parts, at the same time if there are several.
    fn run(&self) -> Outcome {
        let begin = Instant::now();
        let outcome = match &self.parts[..] {
            [part] => part.run(&self.program, self.client.pool.executor()),
            parts => self.run_together(parts),
        };
        self.program.ran(begin.elapsed());
        outcome
    }

    /// The failure is that of the part that failed first.
    fn run_together(&self, parts: &[Part]) -> Outcome {
        let failures: Vec<Mutex<Outcome>> = parts.iter().map(|_| Mutex::new(Ok(()))).collect();
        let failure = self.program.on_devices(|devices| {
            let run = Run::new(devices);
            devices.run(|device| {
                let (part, host) = (&parts[device.number()], device.host());
                let threads = self.client.pool_of(part.device).executor();
                let executor = Executor { host: &raw const host, ..*threads };
                let outcome = run.take_part(device.number(), || part.run(&self.program, &executor));
                let status = if outcome.is_ok() { 0 } else { DEVICE_FAILED };
                *failures[device.number()].lock().unwrap_or_else(PoisonError::into_inner) = outcome;
                status
            });
            devices
                .failure()
                .map(|failure| (failure.device, failure.status, failure.reason))
                .or_else(|| devices.unreceived().map(|reason| (0, 0, reason)))
        });
        let Some((number, status, reason)) = failure else { return Ok(()) };
        let own = failures[number].lock().unwrap_or_else(PoisonError::into_inner).clone();
        match own {
            // What it ended with by itself; an exchange that failed is told in words.
            Err(own) if status == DEVICE_FAILED && reason.starts_with("the program of") => Err(own),
            _ => Err(Failure::internal(format!("device {}: {reason}", parts[number].device))),
        }
    }

    /// As [`Self::run`], where a panic does not end the thread. Arguments are let go before someone hears of the end.
    fn run_apart(self, done: &Pending) {
        let outcome = catch_unwind(AssertUnwindSafe(|| self.run()));
        drop(self);
        done.set(outcome.unwrap_or_else(|payload| {
            Err(Failure::panicked(strata::panic_message(payload.as_ref())))
        }));
    }
}

/// Returns before the program has ended, unless the call is short, or the client sees when its functions are called or its memory is read.
pub fn execute(arguments: &mut Execute) -> Result<(), Failure> {
    let executable = arguments.executable.get()?;
    if executable.is_deleted.load(Ordering::Acquire) {
        return Err(Failure::new(Code::FailedPrecondition, "the executable was deleted"));
    }
    let (client, program) = (&executable.client, &executable.program);
    let mut devices = executable.placed.devices.clone();
    if arguments.devices != devices.len() {
        let (given, wanted) = (arguments.devices, devices.len());
        let text =
            format!("the program runs on {wanted} devices, but there are arguments for {given}");
        return Err(Failure::invalid(text));
    }
    // A program for one device runs on any that it is asked to run on.
    let asked = client.place(arguments.device, Handle::NULL)?;
    match &mut devices[..] {
        _ if arguments.device.0.is_null() => {}
        [device] => *device = asked,
        _ => {
            return Err(Failure::invalid(
                "the program runs on several devices, not on one of them",
            ));
        }
    }
    let options = &arguments.options.get(1)?[0];
    if options.send_count > 0 || options.receive_count > 0 {
        return Err(Failure::unimplemented("callbacks of send and recv"));
    }
    let Saved { signature, tokens: [_, tokens], layouts: [_, orders], calls_client, .. } =
        &program.saved;
    let places = match tokens.len() {
        0 => vec![ptr::null_mut(); devices.len()],
        _ => arguments.outputs.get(devices.len())?.to_vec(),
    };
    if places.iter().any(|place| place.is_null()) && !tokens.is_empty() {
        return Err(Failure::invalid("there is no place for the outputs"));
    }
    let kept = options.kept.get(options.kept_count)?;
    let mut taken = Vec::with_capacity(devices.len());
    for (handles, device) in arguments.arguments.get(devices.len())?.iter().zip(&devices) {
        let found = handles.get(arguments.count).and_then(|handles| {
            Ok((handles, Arguments::take((client, program), *device, handles, kept)?))
        });
        match found {
            Ok(found) => taken.push(found),
            Err(failure) => {
                taken
                    .iter()
                    .for_each(|(handles, one): &(_, Arguments)| one.put_back(program, handles));
                return Err(failure);
            }
        }
    }
    let pending = pending(taken.iter().map(|(_, one)| one));
    let mut contents = taken.iter().flat_map(|(_, one)| &one.contents);
    let is_seen = *calls_client || contents.any(|one| one.are_of_host());
    let is_now = is_seen || (pending.is_empty() && program.is_short());
    let done = if is_now { Pending::ready() } else { Pending::new() };
    let (mut parts, mut buffers) = (Vec::new(), Vec::new());
    for (device, (_, arguments)) in devices.into_iter().zip(taken) {
        let results: Vec<_> = signature.outputs.iter().map(|_| Contents::waiting(&done)).collect();
        let mut tensors = results.iter().zip(signature.outputs.iter().zip(orders));
        let place = (client, device);
        let own = tokens.iter().map(|is_token| {
            let tensor = if *is_token { None } else { tensors.next() };
            let Some((contents, (spec, order))) = tensor else { return Buffer::token(place) };
            let dims = spec.shape.iter().map(|size| size.cast_signed()).collect();
            Buffer::new(place, spec.element, (dims, order.clone()), Arc::clone(contents))
        });
        buffers.push(own.collect::<Result<Vec<_>, _>>()?);
        parts.push(Part { device, arguments, results });
    }
    let call = Call { client: Arc::clone(client), program: Arc::clone(program), parts };
    if is_now {
        call.run()?;
    } else {
        let ended = Arc::clone(&done);
        let apart = executable.client.queue.add(pending, move || call.run_apart(&ended));
        if let Some(run) = apart {
            run();
        }
    }
    for (device, (own, place)) in buffers.into_iter().zip(places).enumerate() {
        for (at, buffer) in own.into_iter().enumerate() {
            // SAFETY: the client has a place for each output of the executable on each device.
            unsafe { place.add(at).write(Handle::new(buffer)) };
        }
        if !arguments.events.is_null() {
            // SAFETY: the client has a place for the event of each device.
            unsafe { arguments.events.add(device).write(Event::waiting(&done)) };
        }
    }
    Ok(())
}

pub fn destroy_loaded(arguments: &mut Of<LoadedExecutable>) -> Result<(), Failure> {
    arguments.object.destroy();
    Ok(())
}

pub fn destroy(arguments: &mut Of<Executable>) -> Result<(), Failure> {
    arguments.object.destroy();
    Ok(())
}

pub fn get(arguments: &mut Value<LoadedExecutable, Handle<Executable>>) -> Result<(), Failure> {
    let loaded = arguments.object.get()?;
    let (client, program) = (Arc::clone(&loaded.client), Arc::clone(&loaded.program));
    let placed = Arc::clone(&loaded.placed);
    arguments.value = Handle::new(Executable { client, program, placed });
    Ok(())
}

pub fn devices(arguments: &mut List<LoadedExecutable, Handle<Device>>) -> Result<(), Failure> {
    let devices = &arguments.object.get()?.devices;
    (arguments.items, arguments.count) = (devices.as_ptr(), devices.len());
    Ok(())
}

pub fn logical_ids(arguments: &mut List<LoadedExecutable, LogicalId>) -> Result<(), Failure> {
    let ids = &arguments.object.get()?.logical;
    (arguments.items, arguments.count) = (ids.as_ptr(), ids.len());
    Ok(())
}

pub fn assignment(arguments: &mut Assignment) -> Result<(), Failure> {
    let bytes = Box::new(arguments.executable.get()?.placed.write());
    (arguments.bytes, arguments.size) = (bytes.as_ptr(), bytes.len());
    arguments.owner = Box::into_raw(bytes).cast();
    arguments.deleter = Some(drop_bytes);
    Ok(())
}

pub fn delete(arguments: &mut Of<LoadedExecutable>) -> Result<(), Failure> {
    arguments.object.get()?.is_deleted.store(true, Ordering::Release);
    Ok(())
}

pub fn is_deleted(arguments: &mut Value<LoadedExecutable, bool>) -> Result<(), Failure> {
    arguments.value = arguments.object.get()?.is_deleted.load(Ordering::Acquire);
    Ok(())
}

pub fn name(arguments: &mut List<Executable, c_char>) -> Result<(), Failure> {
    let name = &arguments.object.get()?.program.saved.name;
    (arguments.items, arguments.count) = (name.as_ptr().cast(), name.len());
    Ok(())
}

pub fn fingerprint(arguments: &mut List<Executable, c_char>) -> Result<(), Failure> {
    let text = &arguments.object.get()?.program.saved.fingerprint;
    (arguments.items, arguments.count) = (text.as_ptr().cast(), text.len());
    Ok(())
}

pub fn loaded_fingerprint(arguments: &mut List<LoadedExecutable, c_char>) -> Result<(), Failure> {
    let text = &arguments.object.get()?.program.saved.fingerprint;
    (arguments.items, arguments.count) = (text.as_ptr().cast(), text.len());
    Ok(())
}

pub fn replicas(arguments: &mut Value<Executable, usize>) -> Result<(), Failure> {
    arguments.value = arguments.object.get()?.placed.replicas;
    Ok(())
}

pub fn partitions(arguments: &mut Value<Executable, usize>) -> Result<(), Failure> {
    arguments.value = arguments.object.get()?.placed.partitions;
    Ok(())
}

pub fn output_count(arguments: &mut Value<Executable, usize>) -> Result<(), Failure> {
    arguments.value = arguments.object.get()?.program.outputs.types.len();
    Ok(())
}

pub fn code_size(arguments: &mut Value<Executable, i64>) -> Result<(), Failure> {
    arguments.value = arguments.object.get()?.program.code_size() as i64;
    Ok(())
}

pub fn output_types(arguments: &mut List<Executable, i32>) -> Result<(), Failure> {
    let types = &arguments.object.get()?.program.outputs.types;
    (arguments.items, arguments.count) = (types.as_ptr(), types.len());
    Ok(())
}

pub fn output_dimensions(arguments: &mut PerOutput<i64, usize>) -> Result<(), Failure> {
    let outputs = &arguments.executable.get()?.program.outputs;
    arguments.count = outputs.ranks.len();
    (arguments.items, arguments.sizes) = (outputs.dims.as_ptr(), outputs.ranks.as_ptr());
    Ok(())
}

pub fn output_memory_kinds(arguments: &mut PerOutput<Text, usize>) -> Result<(), Failure> {
    let outputs = &arguments.executable.get()?.program.outputs;
    arguments.count = outputs.kinds.len();
    (arguments.items, arguments.sizes) = (outputs.kinds.as_ptr(), outputs.kind_sizes.as_ptr());
    Ok(())
}

pub fn parameter_shardings(arguments: &mut PerOutput<Text, usize>) -> Result<(), Failure> {
    shardings(arguments, 0)
}

pub fn output_shardings(arguments: &mut PerOutput<Text, usize>) -> Result<(), Failure> {
    shardings(arguments, 1)
}

/// Null for programs for one device.
fn shardings(arguments: &mut PerOutput<Text, usize>, which: usize) -> Result<(), Failure> {
    let (texts, sizes) = &arguments.executable.get()?.program.outputs.shardings[which];
    arguments.count = texts.len();
    (arguments.items, arguments.sizes) = match texts.is_empty() {
        true => (ptr::null(), ptr::null()),
        false => (texts.as_ptr(), sizes.as_ptr()),
    };
    Ok(())
}

pub fn cost(arguments: &mut CostAnalysis) -> Result<(), Failure> {
    let properties = arguments.executable.get()?.program.properties();
    (arguments.items, arguments.count) = (properties.as_ptr(), properties.len());
    Ok(())
}

/// Tells the size of the program's text, and writes it where the client has a place for it.
pub fn optimized_program(arguments: &mut OptimizedProgram) -> Result<(), Failure> {
    let executable = arguments.executable.get()?;
    // SAFETY: the client has a program there, or null.
    let program = unsafe { arguments.program.as_mut() };
    let program = program.ok_or_else(|| Failure::invalid("there is no place for the program"))?;
    let text = executable.program.text(&executable.client.options)?;
    (program.format, program.format_size) = (Items(FORMAT.as_ptr()), FORMAT.len());
    if !program.code.0.is_null() {
        if program.code_size < text.len() {
            let (size, given) = (text.len(), program.code_size);
            let message = format!("the program has {size} bytes, its place {given}");
            return Err(Failure::invalid(message));
        }
        // SAFETY: the client says that its place has as many bytes.
        unsafe { ptr::copy_nonoverlapping(text.as_ptr(), program.code.0.cast_mut(), text.len()) };
    }
    program.code_size = text.len();
    Ok(())
}

pub fn memory_stats(arguments: &mut MemoryStats) -> Result<(), Failure> {
    let program = &arguments.executable.get()?.program;
    let signature = &program.saved.signature;
    let bytes = |all: &[strata::TensorSpec]| -> i64 {
        all.iter().map(|one| one.byte_count().cast_signed()).fold(0, i64::saturating_add)
    };
    let aliased =
        signature.donations.iter().map(|&(output, _)| signature.outputs[output].byte_count());
    arguments.code = program.code_size() as i64;
    arguments.arguments = bytes(&signature.inputs);
    arguments.outputs = bytes(&signature.outputs);
    arguments.aliased = aliased.sum::<u64>().cast_signed();
    arguments.temporaries = program.loaded.workspace_size() as i64;
    (arguments.host_code, arguments.host_arguments, arguments.host_outputs) = (0, 0, 0);
    (arguments.host_aliased, arguments.host_temporaries) = (0, 0);
    Ok(())
}
