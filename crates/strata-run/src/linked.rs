//! External functions for programs in this process: loaded libraries, tables of functions, and the host's
//! side of transfers.

use std::{
    collections::BTreeMap,
    error::Error as _,
    ffi::{CStr, CString, c_char, c_void},
    path::Path,
    ptr, slice,
};

use strata_abi::{Attribute, Buffer, CALL_VERSION, Call, Collectives, Executor, Host, Target};
use strata_diag::{Diagnostic, Location, codes};
use strata_ir::{Convention, TensorSpec};

use strata_codegen::abi::{STRING, attribute_code, element_code, element_of_code};

/// A status of the host: a transfer that it cannot serve.
const HOST_REFUSED: i32 = 66;

/// Loads a shared library.
///
/// # Errors
/// `S0002` if it cannot be loaded.
pub(crate) fn open(path: &Path) -> Result<libloading::Library, Diagnostic> {
    // A bare file name would be searched in the system's folders.
    let place = if path.is_absolute() { path.to_owned() } else { Path::new(".").join(path) };
    // SAFETY: the caller asks for this library's code to run, initialisers included.
    unsafe { libloading::Library::new(&place) }.map_err(|error| {
        Diagnostic::new(codes::S0002)
            .at(Location::file(path.to_string_lossy()))
            .reason(format!("the shared library cannot be loaded: {}", said(&error)))
    })
}

/// The loader's message, which follows the name of the call.
pub(crate) fn said(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// Functions by name, for the external calls of a program.
#[derive(Debug, Default)]
pub struct Linked {
    /// Kept open for the addresses.
    libraries: Vec<libloading::Library>,
    table: BTreeMap<String, usize>,
}

impl Linked {
    /// Loads a shared library. Its functions are code that the caller trusts.
    ///
    /// # Errors
    /// `S0002` if it cannot be loaded.
    pub fn open(&mut self, path: &Path) -> Result<(), Diagnostic> {
        self.libraries.push(open(path)?);
        Ok(())
    }

    /// Defines the function of that name as `address`, for which the caller is responsible.
    pub fn define(&mut self, name: &str, address: *const c_void) {
        self.table.insert(name.to_owned(), address as usize);
    }

    /// Defines those of these typed functions, such as `strata_runtime::TARGETS`, that no library and no earlier definition has.
    pub fn offer(&mut self, functions: &[(&str, Target)]) {
        for (name, function) in functions {
            if self.find(name).is_none() {
                self.define(name, *function as *const c_void);
            }
        }
    }

    /// The function of that name.
    pub fn find(&self, name: &str) -> Option<*const c_void> {
        if let Some(address) = self.table.get(name) {
            return Some(*address as *const c_void);
        }
        self.libraries.iter().find_map(|library| {
            // SAFETY: only the address is taken.
            let symbol = unsafe { library.get::<*const c_void>(name) }.ok()?;
            // SAFETY: a symbol derefs to the address itself.
            unsafe { symbol.into_raw().as_raw_ptr().cast_const().as_ref() }.map(ptr::from_ref)
        })
    }

    /// Calls a function as a compiled program would, on copies; returns its status and the outputs.
    ///
    /// # Errors
    /// `S1703` if there is no function of that name, `S1802` if an output differs in size from the input
    /// whose buffer it shares.
    pub fn call(&self, call: &Foreign<'_>) -> Result<(i32, Vec<Vec<u8>>), Diagnostic> {
        let address = self.find(call.target).ok_or_else(|| missing(&[call.target.to_owned()]))?;
        for (output, input) in call.outputs.iter().zip(call.aliases) {
            let Some(input) = input else { continue };
            let size = call.inputs.get(*input).map(|(spec, _)| spec.byte_count());
            if size != Some(output.byte_count()) {
                let reason = format!("an output of `{}` does not fit its buffer", call.target);
                return Err(Diagnostic::new(codes::S1802).reason(reason));
            }
        }
        let mut inputs: Vec<Vec<u64>> =
            call.inputs.iter().map(|(_, bytes)| words(bytes, bytes.len())).collect();
        let sizes: Vec<usize> = call
            .outputs
            .iter()
            .map(|spec| usize::try_from(spec.byte_count()).unwrap_or(usize::MAX))
            .collect();
        let alias = |output: usize| call.aliases.get(output).copied().flatten();
        let begun = |(output, size): (usize, &usize)| match alias(output) {
            Some(input) => words(&call.inputs[input].1, *size),
            None => words(&[], *size),
        };
        let mut outputs: Vec<Vec<u64>> = sizes.iter().enumerate().map(begun).collect();
        let out: Vec<*mut c_void> = outputs.iter_mut().map(|one| one.as_mut_ptr().cast()).collect();
        let mut data: Vec<*mut c_void> =
            inputs.iter_mut().map(|one| one.as_mut_ptr().cast()).collect();
        for (output, buffer) in out.iter().enumerate() {
            if let Some(input) = alias(output) {
                data[input] = *buffer;
            }
        }
        // SAFETY: the buffers are as large as their types say, and the convention is the program's.
        let status = unsafe { invoke(address, call, &data, &out) };
        let bytes = outputs
            .iter()
            .zip(&sizes)
            .map(|(words, size)| {
                words.iter().flat_map(|word| word.to_ne_bytes()).take(*size).collect()
            })
            .collect();
        Ok((status, bytes))
    }
}

/// Bytes in words, so that they are aligned for any number.
fn words(bytes: &[u8], size: usize) -> Vec<u64> {
    let mut words = vec![0u64; size.div_ceil(8).max(1)];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks(8)) {
        let mut whole = [0; 8];
        whole[..chunk.len()].copy_from_slice(chunk);
        *word = u64::from_ne_bytes(whole);
    }
    words
}

/// The error for functions that nothing defines.
pub(crate) fn missing(names: &[String]) -> Diagnostic {
    let list: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    let lapack = |name: &String| name.starts_with("lapack_") && name.ends_with("_ffi");
    let hint = if names.iter().all(lapack) {
        "Strata's run-time library has them: `strata_runtime::TARGETS`, on the command line `--link-runtime`"
    } else {
        "`Linked` takes addresses and shared libraries, the command line the latter: `--link FILE.so`"
    };
    let are = if names.len() == 1 { "is" } else { "are" };
    Diagnostic::new(codes::S1703)
        .reason(format!("{} {are} called, but not defined", list.join(", ")))
        .hint(hint)
}

/// A number for a target.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// An integer of the MLIR type that is named.
    Int(i64, String),
    /// A floating-point number of the MLIR type that is named.
    Float(f64, String),
    /// A string.
    Text(String),
}

/// A named constant for a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The value.
    pub value: Number,
}

/// A call of an external function, with its values.
#[derive(Clone, Debug)]
pub struct Foreign<'a> {
    /// The function.
    pub target: &'a str,
    /// Its calling convention.
    pub convention: Convention,
    /// The types and elements of the inputs.
    pub inputs: &'a [(TensorSpec, Vec<u8>)],
    /// The types of the outputs.
    pub outputs: &'a [TensorSpec],
    /// For each output the input whose buffer it shares, if any; the list may be shorter.
    pub aliases: &'a [Option<usize>],
    /// Whether a single output is passed as an array of one buffer.
    pub tuple: bool,
    /// The attributes for a typed target.
    pub config: &'a [Named],
    /// The text that the unified convention passes.
    pub text: &'a str,
}

type Plain = unsafe extern "C" fn(out: *mut c_void, input: *const *mut c_void);
type Status = unsafe extern "C" fn(out: *mut c_void, input: *const *mut c_void) -> i32;
type Unified = unsafe extern "C" fn(*mut c_void, *const *mut c_void, *const c_char, usize) -> i32;

/// # Safety
/// `address` is a function of the call's convention; `inputs` and `outputs` are its buffers.
unsafe fn invoke(
    address: *const c_void,
    call: &Foreign<'_>,
    inputs: &[*mut c_void],
    outputs: &[*mut c_void],
) -> i32 {
    let out = match outputs {
        [single] if !call.tuple => *single,
        _ => outputs.as_ptr().cast_mut().cast(),
    };
    let text = CString::new(call.text).unwrap_or_default();
    // SAFETY: the caller guarantees the type of the function.
    unsafe {
        match call.convention {
            Convention::Original => {
                std::mem::transmute::<*const c_void, Plain>(address)(out, inputs.as_ptr());
                0
            }
            Convention::Status => {
                std::mem::transmute::<*const c_void, Status>(address)(out, inputs.as_ptr())
            }
            Convention::Unified => std::mem::transmute::<*const c_void, Unified>(address)(
                out,
                inputs.as_ptr(),
                text.as_ptr(),
                call.text.len(),
            ),
            _ => typed(
                std::mem::transmute::<*const c_void, strata_abi::Target>(address),
                call,
                inputs,
                outputs,
            ),
        }
    }
}

/// # Safety
/// As [`invoke`].
unsafe fn typed(
    target: strata_abi::Target,
    call: &Foreign<'_>,
    inputs: &[*mut c_void],
    outputs: &[*mut c_void],
) -> i32 {
    let shapes = |specs: &mut dyn Iterator<Item = &TensorSpec>| -> Vec<Vec<i64>> {
        specs.map(|spec| spec.shape.iter().map(|size| *size as i64).collect()).collect()
    };
    let buffers =
        |specs: &[&TensorSpec], shapes: &[Vec<i64>], data: &[*mut c_void]| -> Vec<Buffer> {
            let all = specs.iter().zip(shapes).zip(data);
            all.map(|((spec, shape), data)| Buffer {
                element_type: element_code(spec.element),
                rank: shape.len() as i32,
                dimensions: shape.as_ptr(),
                data: *data,
            })
            .collect()
        };
    let types: Vec<_> = call.inputs.iter().map(|(spec, _)| spec).collect();
    let results: Vec<_> = call.outputs.iter().collect();
    let in_shapes = shapes(&mut types.iter().copied());
    let out_shapes = shapes(&mut results.iter().copied());
    let (ins, outs) =
        (buffers(&types, &in_shapes, inputs), buffers(&results, &out_shapes, outputs));
    let names: Vec<_> =
        call.config.iter().map(|one| CString::new(one.name.as_str()).unwrap_or_default()).collect();
    let values: Vec<_> = call.config.iter().map(|one| value(&one.value)).collect();
    let attributes: Vec<_> = names
        .iter()
        .zip(&values)
        .map(|(name, (kind, count, data))| Attribute {
            name: name.as_ptr(),
            kind: *kind,
            is_array: 0,
            count: *count,
            data: data.as_ptr().cast(),
        })
        .collect();
    let description = Call {
        version: CALL_VERSION,
        input_count: ins.len() as i32,
        output_count: outs.len() as i32,
        attribute_count: attributes.len() as i32,
        inputs: ins.as_ptr(),
        outputs: outs.as_ptr(),
        attributes: attributes.as_ptr(),
    };
    // SAFETY: everything that the description points at lives until the target returns.
    unsafe { target(&description) }
}

/// The code, the count and the bytes of a constant.
fn value(number: &Number) -> (i32, i64, Vec<u64>) {
    match number {
        Number::Int(value, ty) => (attribute_code(ty).unwrap_or(0x240), 1, vec![*value as u64]),
        Number::Float(value, ty) if ty == "f32" => {
            (0x420, 1, vec![u64::from((*value as f32).to_bits())])
        }
        Number::Float(value, _) => (0x440, 1, vec![value.to_bits()]),
        Number::Text(text) => {
            let bytes = [text.as_bytes(), b"\0"].concat();
            (STRING, text.len() as i64, words(&bytes, bytes.len()))
        }
    }
}

/// The host's side of transfers. A status other than 0 ends the program.
pub trait HostIo {
    /// Arrays for an infeed: one of each type.
    fn infeed(&mut self, config: &str, types: &[TensorSpec]) -> Result<Vec<Vec<u8>>, i32>;
    /// Arrays from an outfeed.
    fn outfeed(&mut self, config: &str, arrays: Vec<(TensorSpec, Vec<u8>)>) -> Result<(), i32>;
    /// Arrays that the program sends.
    fn send(&mut self, channel: i64, arrays: Vec<(TensorSpec, Vec<u8>)>) -> Result<(), i32>;
    /// Arrays that the program receives.
    fn recv(&mut self, channel: i64, types: &[TensorSpec]) -> Result<Vec<Vec<u8>>, i32>;
}

/// The environment of a running program.
#[derive(Default)]
pub struct Environment<'h> {
    /// The host's side of transfers, if there is one.
    pub host: Option<&'h mut dyn HostIo>,
    /// The threads that tasks run on; without them all run on the calling one.
    pub threads: Option<&'h Executor>,
    /// The device that the program runs on, for programs for several.
    pub collectives: Option<&'h Collectives>,
}

impl Environment<'_> {
    /// Runs `body` with an executor for the environment.
    pub(crate) fn with_executor<R>(&mut self, body: impl FnOnce(*const c_void) -> R) -> R {
        let collectives = self.collectives.map_or(ptr::null(), ptr::from_ref);
        if self.host.is_none() && collectives.is_null() {
            let threads = self.threads.map_or(ptr::null(), ptr::from_ref);
            return body(threads.cast());
        }
        let mut table = Host {
            size: size_of::<Host>(),
            context: ptr::null_mut(),
            infeed: None,
            outfeed: None,
            send: None,
            recv: None,
            collectives,
        };
        let mut host: &mut dyn HostIo;
        if let Some(own) = &mut self.host {
            host = *own;
            table = Host {
                context: ptr::from_mut(&mut host).cast(),
                infeed: Some(infeed),
                outfeed: Some(outfeed),
                send: Some(send),
                recv: Some(recv),
                ..table
            };
        }
        let alone =
            Executor { context: ptr::null_mut(), concurrency: 1, parallel_for: None, host: &table };
        let executor = Executor { host: &table, ..self.threads.copied().unwrap_or(alone) };
        body(ptr::from_ref(&executor).cast())
    }
}

/// # Safety
/// `context` is the one of [`Environment::with_executor`], `buffers` holds `count` buffers.
unsafe fn serve(
    context: *mut c_void,
    count: usize,
    buffers: *const Buffer,
    body: impl FnOnce(&mut dyn HostIo, &[Buffer]) -> Result<(), i32>,
) -> i32 {
    // SAFETY: as the caller promises.
    let (host, buffers) = unsafe {
        let host = &mut *context.cast::<&mut dyn HostIo>();
        (host, if count == 0 { &[][..] } else { slice::from_raw_parts(buffers, count) })
    };
    body(*host, buffers).err().unwrap_or(0)
}

fn shape(buffer: &Buffer) -> Vec<i64> {
    match usize::try_from(buffer.rank) {
        // SAFETY: the program describes its buffers as they are.
        Ok(rank) if rank > 0 => unsafe { slice::from_raw_parts(buffer.dimensions, rank) }.to_vec(),
        _ => Vec::new(),
    }
}

/// The types of the buffers; invalid codes are rejected.
fn types(buffers: &[Buffer]) -> Result<Vec<TensorSpec>, i32> {
    let spec = |buffer: &Buffer| {
        let shape = shape(buffer).into_iter().map(|size| u64::try_from(size).ok());
        let shape = shape.collect::<Option<_>>().ok_or(HOST_REFUSED)?;
        let element = element_of_code(buffer.element_type).ok_or(HOST_REFUSED)?;
        Ok(TensorSpec::new(shape, element))
    };
    buffers.iter().map(spec).collect()
}

fn byte_count(spec: &TensorSpec) -> usize {
    usize::try_from(spec.byte_count()).unwrap_or(usize::MAX)
}

fn taken(buffers: &[Buffer]) -> Result<Vec<(TensorSpec, Vec<u8>)>, i32> {
    let array = |(spec, buffer): (TensorSpec, &Buffer)| {
        let bytes = match byte_count(&spec) {
            0 => Vec::new(),
            // SAFETY: the buffer holds the elements that its type says.
            count => unsafe { slice::from_raw_parts(buffer.data.cast::<u8>(), count) }.to_vec(),
        };
        (spec, bytes)
    };
    Ok(types(buffers)?.into_iter().zip(buffers).map(array).collect())
}

fn fill(buffers: &[Buffer], arrays: &[Vec<u8>]) -> Result<(), i32> {
    let types = types(buffers)?;
    let fits = arrays.len() == buffers.len()
        && arrays.iter().zip(&types).all(|(array, spec)| array.len() == byte_count(spec));
    if !fits {
        return Err(HOST_REFUSED);
    }
    for (array, buffer) in arrays.iter().zip(buffers).filter(|(array, _)| !array.is_empty()) {
        // SAFETY: the buffer has room for the elements that its type says.
        unsafe { ptr::copy_nonoverlapping(array.as_ptr(), buffer.data.cast(), array.len()) };
    }
    Ok(())
}

/// # Safety
/// `config` ends with a zero byte.
unsafe fn text<'a>(config: *const c_char) -> &'a str {
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(config) }.to_str().unwrap_or_default()
}

unsafe extern "C" fn infeed(
    context: *mut c_void,
    config: *const c_char,
    count: usize,
    buffers: *const Buffer,
) -> i32 {
    // SAFETY: called by a program with the executor of `with_executor`.
    unsafe {
        let config = text(config);
        serve(context, count, buffers, |host, buffers| {
            fill(buffers, &host.infeed(config, &types(buffers)?)?)
        })
    }
}

unsafe extern "C" fn outfeed(
    context: *mut c_void,
    config: *const c_char,
    count: usize,
    buffers: *const Buffer,
) -> i32 {
    // SAFETY: called by a program with the executor of `with_executor`.
    unsafe {
        let config = text(config);
        serve(context, count, buffers, |host, buffers| host.outfeed(config, taken(buffers)?))
    }
}

unsafe extern "C" fn send(
    context: *mut c_void,
    channel: i64,
    count: usize,
    buffers: *const Buffer,
) -> i32 {
    // SAFETY: called by a program with the executor of `with_executor`.
    unsafe { serve(context, count, buffers, |host, buffers| host.send(channel, taken(buffers)?)) }
}

unsafe extern "C" fn recv(
    context: *mut c_void,
    channel: i64,
    count: usize,
    buffers: *const Buffer,
) -> i32 {
    // SAFETY: called by a program with the executor of `with_executor`.
    unsafe {
        serve(context, count, buffers, |host, buffers| {
            fill(buffers, &host.recv(channel, &types(buffers)?)?)
        })
    }
}
