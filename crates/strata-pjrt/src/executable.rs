//! Executables: compilation, execution, and what is known of a program.

use std::{
    ffi::{c_char, c_void},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use strata::TensorSpec;

use crate::{
    abi::{
        Assignment, Compile, CostAnalysis, Deserialize, Execute, Handle, Items, List, LogicalId,
        MemoryStats, Of, OptimizedProgram, PerOutput, Serialize, Value, keep,
    },
    buffer::{Buffer, Contents},
    callback,
    client::{Device, Shared},
    event::{Event, Outcome, Pending},
    failure::{Code, Failure},
    program::{Program, Text},
    proto::CompileOptions,
    serial::Saved,
    storage::{Aligned, Storage},
};

/// `PJRT_Executable`.
pub struct Executable {
    client: Arc<Shared>,
    program: Arc<Program>,
}

/// `PJRT_LoadedExecutable`.
pub struct LoadedExecutable {
    client: Arc<Shared>,
    program: Arc<Program>,
    is_deleted: AtomicBool,
}

/// The format of programs.
const FORMAT: &str = "mlir";
/// `xla.DeviceAssignmentProto` for device 0.
const ASSIGNMENT: &[u8] = &[8, 1, 16, 1, 26, 3, 10, 1, 0];

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
    let program = Program::compile(client, program.code.get(program.code_size)?, options)?;
    arguments.executable = LoadedExecutable::of(client, program);
    Ok(())
}

impl LoadedExecutable {
    fn of(client: &Arc<Shared>, program: Arc<Program>) -> Handle<Self> {
        let (client, is_deleted) = (Arc::clone(client), AtomicBool::new(false));
        Handle::new(Self { client, program, is_deleted })
    }
}

pub fn serialize(arguments: &mut Serialize) -> Result<(), Failure> {
    let executable = arguments.executable.get()?;
    let bytes = Box::new(executable.program.serialise(&executable.client.identity)?);
    (arguments.bytes, arguments.size) = (bytes.as_ptr(), bytes.len());
    arguments.owner = Box::into_raw(bytes).cast();
    arguments.deleter = Some(drop_bytes);
    Ok(())
}

/// # Safety
/// `owner` is that of [`serialize`], and is not used again.
unsafe extern "C" fn drop_bytes(owner: *mut c_void) {
    // SAFETY: as the caller promises.
    drop(unsafe { Box::from_raw(owner.cast::<Vec<u8>>()) });
}

pub fn deserialize(arguments: &mut Deserialize) -> Result<(), Failure> {
    let client = &arguments.client.get()?.0;
    let program = Program::deserialise(client, arguments.bytes.get(arguments.size)?)?;
    arguments.executable = LoadedExecutable::of(client, program);
    Ok(())
}

/// The tensors among the arguments of a call, and whether each is donated.
struct Arguments {
    contents: Vec<Arc<Contents>>,
    donated: Vec<bool>,
}

impl Arguments {
    /// Takes what is donated, and nothing if an argument is wrong.
    fn take(
        executable: &LoadedExecutable,
        handles: &[Handle<Buffer>],
        kept: &[i64],
    ) -> Result<Self, Failure> {
        let program = &*executable.program;
        let (inputs, [tokens, _]) = (&program.saved.signature.inputs, &program.saved.tokens);
        if handles.len() != tokens.len() {
            let (given, wanted) = (handles.len(), tokens.len());
            let message = format!("the program takes {wanted} arguments, but there are {given}");
            return Err(Failure::invalid(message));
        }
        // Where the tensors are among the arguments.
        let places: Vec<usize> = (0..tokens.len()).filter(|&at| !tokens[at]).collect();
        let buffers: Vec<&Buffer> =
            places.iter().map(|&at| handles[at].get()).collect::<Result<_, _>>()?;
        for ((at, buffer), spec) in places.iter().zip(&buffers).zip(inputs) {
            if !buffer.fits(&executable.client, spec) {
                let given = buffer.describe();
                let message =
                    format!("argument {at} is a `{given}`, but the program takes `{spec}`");
                return Err(Failure::invalid(message));
            }
        }
        let is_donated =
            |at: usize| program.saved.donors[at] && !kept.contains(&(places[at] as i64));
        let donated: Vec<bool> = (0..buffers.len()).map(is_donated).collect();
        for at in (0..buffers.len()).filter(|&at| donated[at]) {
            let is_same = |other: usize| other != at && ptr::eq(buffers[other], buffers[at]);
            if let Some(other) = (0..buffers.len()).find(|&other| is_same(other)) {
                let (at, other) = (places[at], places[other]);
                let message = format!("argument {at} is donated, but argument {other} is the same");
                return Err(Failure::invalid(message));
            }
        }
        let mut taken: Vec<Arc<Contents>> = Vec::with_capacity(buffers.len());
        for (at, buffer) in buffers.iter().enumerate() {
            let found = if donated[at] { buffer.take() } else { buffer.contents() };
            let Ok(contents) = found else {
                let earlier = buffers.iter().zip(taken).zip(&donated);
                for ((buffer, contents), _) in earlier.filter(|(_, is_donated)| **is_donated) {
                    buffer.put_back(contents);
                }
                let place = places[at];
                let message = format!("argument {place}: the buffer was deleted or donated");
                return Err(Failure::invalid(message));
            };
            taken.push(contents);
        }
        Ok(Self { contents: taken, donated })
    }

    /// What has not happened yet of what they wait for.
    fn pending(&self) -> Vec<Arc<Pending>> {
        let mut pending: Vec<Arc<Pending>> = Vec::new();
        for ready in self.contents.iter().map(|one| one.ready()).filter(|one| !one.is_ready()) {
            if !pending.iter().any(|other| Arc::ptr_eq(other, ready)) {
                pending.push(Arc::clone(ready));
            }
        }
        pending
    }
}

/// A call of a program.
struct Call {
    client: Arc<Shared>,
    program: Arc<Program>,
    arguments: Arguments,
    /// The results.
    results: Vec<Arc<Contents>>,
}

impl Call {
    /// Memory for each result: that of a donated argument, where nothing else uses it.
    fn memory(&self) -> Result<Vec<Arc<Storage>>, Failure> {
        let (signature, arguments) = (&self.program.saved.signature, &self.arguments);
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
    fn run(&self) -> Outcome {
        let pointer = |one: &Arc<Contents>| one.wait().map(|one| one.pointer().cast());
        let inputs = self.arguments.contents.iter().map(pointer).collect::<Result<Vec<_>, _>>()?;
        let memory = self.memory()?;
        let outputs: Vec<_> = memory.iter().map(|one| one.pointer().cast_mut().cast()).collect();
        let loaded = &self.program.loaded;
        let status = self.program.with_workspace(|workspace| {
            let executor = self.client.pool.executor();
            let begin = Instant::now();
            // SAFETY: the buffers have the sizes of the signature, which `fits` has checked; they are aligned; outputs are new,
            // or donated inputs that nothing else uses, as the signature allows.
            let call = || unsafe { loaded.call_raw(&inputs, &outputs, workspace, executor) };
            let status = self.program.states.during(call);
            self.program.ran(begin.elapsed());
            Ok(status?)
        })?;
        if status != 0 {
            return Err(callback::failure(status));
        }
        self.results.iter().zip(memory).for_each(|(result, storage)| result.set(storage));
        Ok(())
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
    if arguments.devices != 1 {
        return Err(Failure::unimplemented("execution on several devices"));
    }
    executable.client.check_place(arguments.device, Handle::NULL)?;
    let handles = arguments.arguments.get(1)?[0].get(arguments.count)?;
    let options = &arguments.options.get(1)?[0];
    if options.send_count > 0 || options.receive_count > 0 {
        return Err(Failure::unimplemented("callbacks of send and recv"));
    }
    let (client, program) = (&executable.client, &executable.program);
    let Saved { signature, tokens: [_, tokens], calls_client, .. } = &program.saved;
    let places = match tokens.len() {
        0 => ptr::null_mut(),
        _ => arguments.outputs.get(1)?[0],
    };
    if places.is_null() && !tokens.is_empty() {
        return Err(Failure::invalid("there is no place for the outputs"));
    }
    let taken = Arguments::take(executable, handles, options.kept.get(options.kept_count)?)?;
    let pending = taken.pending();
    let is_seen = *calls_client || taken.contents.iter().any(|one| one.are_of_host());
    let is_now = is_seen || (pending.is_empty() && program.is_short());
    let done = if is_now { Pending::ready() } else { Pending::new() };
    let results: Vec<_> = signature.outputs.iter().map(|_| Contents::waiting(&done)).collect();
    let mut tensors = results.iter().zip(&signature.outputs);
    let buffers = tokens.iter().map(|is_token| {
        let tensor = if *is_token { None } else { tensors.next() };
        let Some((contents, spec)) = tensor else { return Buffer::token(client) };
        let dims = spec.shape.iter().map(|size| size.cast_signed()).collect();
        Buffer::new(client, spec.element, dims, Arc::clone(contents))
    });
    let buffers = buffers.collect::<Result<Vec<_>, _>>()?;
    let (client, program) = (Arc::clone(client), Arc::clone(program));
    let call = Call { client, program, arguments: taken, results };
    if is_now {
        call.run()?;
    } else {
        let ended = Arc::clone(&done);
        let apart = executable.client.queue.add(pending, move || call.run_apart(&ended));
        if let Some(run) = apart {
            run();
        }
    }
    for (at, buffer) in buffers.into_iter().enumerate() {
        // SAFETY: the client has a place for each output of the executable.
        unsafe { places.add(at).write(Handle::new(buffer)) };
    }
    if !arguments.events.is_null() {
        // SAFETY: the client has a place for the event of each device.
        unsafe { arguments.events.write(Event::waiting(&done)) };
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
    arguments.value = Handle::new(Executable { client, program });
    Ok(())
}

pub fn devices(arguments: &mut List<LoadedExecutable, Handle<Device>>) -> Result<(), Failure> {
    let devices = arguments.object.get()?.client.devices();
    (arguments.items, arguments.count) = (devices.as_ptr(), devices.len());
    Ok(())
}

pub fn logical_ids(arguments: &mut List<LoadedExecutable, LogicalId>) -> Result<(), Failure> {
    static IDS: [LogicalId; 1] = [LogicalId { replica: 0, partition: 0 }];
    arguments.object.get()?;
    (arguments.items, arguments.count) = (IDS.as_ptr(), IDS.len());
    Ok(())
}

pub fn assignment(arguments: &mut Assignment) -> Result<(), Failure> {
    arguments.executable.get()?;
    (arguments.bytes, arguments.size) = (ASSIGNMENT.as_ptr(), ASSIGNMENT.len());
    arguments.owner = ptr::null_mut();
    arguments.deleter = Some(keep);
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

/// Of replicas and of partitions.
pub fn one(arguments: &mut Value<Executable, usize>) -> Result<(), Failure> {
    arguments.object.get()?;
    arguments.value = 1;
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
