//! The functions of the C API as the tests call them, and programs.

use std::{ffi::c_void, mem::zeroed, ptr, slice};

use strata_pjrt::{
    Buffer, Client, Error, Event, Executable, GetPjrtApi, LoadedExecutable,
    abi::{
        Api, Arguments, Compile, CreateClient, Deserialize, Execute, ExecuteOptions, FromHost,
        Handle, Items, Layout, List, NamedValue, Nothing, Of, OptimizedProgram, Program, Serialize,
        ToHost, Union, Value,
    },
    table::NAMES,
};

pub const F32: i32 = 11;
pub const INVALID_ARGUMENT: i32 = 3;
pub const UNIMPLEMENTED: i32 = 12;
/// `PJRT_HostBufferSemantics`.
pub const ONLY_DURING_CALL: i32 = 0;
pub const ZERO_COPY: i32 = 2;

/// An argument structure with its size and nothing else.
pub fn blank<A: Arguments>() -> A {
    // SAFETY: every field is a number, a pointer or an optional function, for which zero is valid.
    let mut arguments: A = unsafe { zeroed() };
    // SAFETY: the size is the first word.
    unsafe { ptr::from_mut(&mut arguments).cast::<usize>().write(A::NEEDED) };
    arguments
}

/// Calls a function of the table.
pub fn raw(name: &str, arguments: *mut c_void) -> *mut Error {
    // SAFETY: the table lives as long as the library.
    let api: &Api = unsafe { &*GetPjrtApi() };
    let at = NAMES.iter().position(|one| *one == name).expect(name);
    let function = api.functions[at].expect(name);
    // SAFETY: the tests pass what the C API asks for, or what `guard` rejects.
    unsafe { function(arguments) }
}

/// The code and the message of an error.
pub fn told(error: *mut Error) -> Result<(), (i32, String)> {
    if error.is_null() {
        return Ok(());
    }
    let object = Handle(error);
    let mut code: Value<Error, i32> = blank();
    code.object = object;
    assert!(raw("Error_GetCode", ptr::from_mut(&mut code).cast()).is_null());
    let mut message: List<Error, u8> = blank();
    message.object = object;
    assert!(raw("Error_Message", ptr::from_mut(&mut message).cast()).is_null());
    // SAFETY: the text lives as long as the error.
    let text = unsafe { slice::from_raw_parts(message.items, message.count) };
    let text = String::from_utf8(text.to_vec()).expect("UTF-8");
    assert!(raw("Error_ForEachPayload", ptr::from_mut(&mut blank::<Nothing>()).cast()).is_null());
    let mut destroy: Of<Error> = blank();
    destroy.object = object;
    assert!(raw("Error_Destroy", ptr::from_mut(&mut destroy).cast()).is_null());
    Err((code.value, text))
}

pub fn call<A: Arguments>(name: &str, arguments: &mut A) -> Result<(), (i32, String)> {
    told(raw(name, ptr::from_mut(arguments).cast()))
}

/// What a function says of an object.
pub fn ask<T, V>(name: &str, object: Handle<T>) -> Result<V, (i32, String)> {
    let mut arguments: Value<T, V> = blank();
    arguments.object = object;
    call(name, &mut arguments)?;
    Ok(arguments.value)
}

pub fn list<'a, T, V>(name: &str, object: Handle<T>) -> &'a [V] {
    let mut arguments: List<T, V> = blank();
    arguments.object = object;
    call(name, &mut arguments).expect(name);
    Items(arguments.items).get(arguments.count).expect(name)
}

pub fn free<T>(name: &str, object: Handle<T>) {
    let mut arguments: Of<T> = blank();
    arguments.object = object;
    call(name, &mut arguments).expect(name);
}

pub fn client() -> Handle<Client> {
    let mut arguments: CreateClient = blank();
    call("Client_Create", &mut arguments).expect("a client");
    arguments.client
}

/// A client with an optimisation level.
pub fn client_with(level: i64) -> Handle<Client> {
    client_of("opt_level", level).expect("a client")
}

/// A client with an option.
pub fn client_of(name: &str, value: i64) -> Result<Handle<Client>, (i32, String)> {
    let mut option: NamedValue = blank();
    (option.name, option.name_size) = (name.as_ptr().cast(), name.len());
    (option.kind, option.value, option.value_size) = (1, Union { int: value }, 1);
    let mut arguments: CreateClient = blank();
    (arguments.options, arguments.count) = (Items(&raw const option), 1);
    call("Client_Create", &mut arguments)?;
    Ok(arguments.client)
}

pub fn program_of(executable: Handle<LoadedExecutable>) -> Handle<Executable> {
    ask("LoadedExecutable_GetExecutable", executable).expect("a program")
}

pub fn serialize(executable: Handle<LoadedExecutable>) -> Result<Vec<u8>, (i32, String)> {
    let mut arguments: Serialize = blank();
    arguments.executable = program_of(executable);
    let found = call("Executable_Serialize", &mut arguments);
    free("Executable_Destroy", arguments.executable);
    found?;
    // SAFETY: the bytes live until the owner is deleted.
    let bytes = unsafe { slice::from_raw_parts(arguments.bytes, arguments.size) }.to_vec();
    let deleter = arguments.deleter.expect("a deleter");
    // SAFETY: the owner is deleted once.
    unsafe { deleter(arguments.owner) };
    Ok(bytes)
}

pub fn deserialize(
    client: Handle<Client>,
    bytes: &[u8],
) -> Result<Handle<LoadedExecutable>, (i32, String)> {
    let mut arguments: Deserialize = blank();
    arguments.client = client;
    (arguments.bytes, arguments.size) = (Items(bytes.as_ptr()), bytes.len());
    call("Executable_DeserializeAndLoad", &mut arguments)?;
    Ok(arguments.executable)
}

pub fn compile(
    client: Handle<Client>,
    text: &str,
) -> Result<Handle<LoadedExecutable>, (i32, String)> {
    compile_with(client, text, &[])
}

/// Compiles with a serialised `xla.CompileOptionsProto`.
pub fn compile_with(
    client: Handle<Client>,
    text: &str,
    options: &[u8],
) -> Result<Handle<LoadedExecutable>, (i32, String)> {
    let mut program: Program = blank();
    (program.code, program.code_size) = (Items(text.as_ptr()), text.len());
    (program.format, program.format_size) = (Items("mlir".as_ptr()), 4);
    let mut arguments: Compile = blank();
    (arguments.client, arguments.program) = (client, Items(&raw const program));
    (arguments.options, arguments.options_size) = (Items(options.as_ptr()), options.len());
    call("Client_Compile", &mut arguments)?;
    Ok(arguments.executable)
}

/// The format and the text of the compiled program.
pub fn optimized(executable: Handle<LoadedExecutable>) -> (String, String) {
    let mut program: Program = blank();
    let mut arguments: OptimizedProgram = blank();
    (arguments.executable, arguments.program) = (program_of(executable), &raw mut program);
    call("Executable_OptimizedProgram", &mut arguments).expect("its size");
    let mut text = vec![0; program.code_size];
    program.code = Items(text.as_ptr());
    // A place that is too small is not written to.
    program.code_size -= 1;
    assert!(call("Executable_OptimizedProgram", &mut arguments).is_err());
    (program.code, program.code_size) = (Items(text.as_mut_ptr()), text.len());
    call("Executable_OptimizedProgram", &mut arguments).expect("its text");
    free("Executable_Destroy", arguments.executable);
    let format = program.format.get(program.format_size).expect("the format").to_vec();
    let told = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (told(format), told(text))
}

pub fn from_host(
    client: Handle<Client>,
    data: &[f32],
    (dims, strides): (&[i64], &[i64]),
    semantics: i32,
) -> Result<(Handle<Buffer>, Handle<Event>), (i32, String)> {
    ordered(client, data, (dims, strides), semantics, Items(ptr::null()))
}

/// As [`from_host`], for a buffer with a layout.
pub fn ordered(
    client: Handle<Client>,
    data: &[f32],
    (dims, strides): (&[i64], &[i64]),
    semantics: i32,
    layout: Items<Layout>,
) -> Result<(Handle<Buffer>, Handle<Event>), (i32, String)> {
    let mut arguments: FromHost = blank();
    arguments.layout = layout;
    (arguments.client, arguments.data) = (client, data.as_ptr().cast());
    (arguments.element, arguments.semantics) = (F32, semantics);
    (arguments.dims, arguments.rank) = (Items(dims.as_ptr()), dims.len());
    (arguments.strides, arguments.stride_count) = (Items(strides.as_ptr()), strides.len());
    call("Client_BufferFromHostBuffer", &mut arguments)?;
    Ok((arguments.buffer, arguments.done))
}

pub fn buffer(client: Handle<Client>, data: &[f32]) -> Handle<Buffer> {
    let found = from_host(client, data, (&[data.len() as i64], &[]), ONLY_DURING_CALL);
    let (buffer, done) = found.expect("a buffer");
    assert!(ask::<_, bool>("Event_IsReady", done).expect("an event"));
    free("Event_Destroy", done);
    buffer
}

pub fn read(buffer: Handle<Buffer>) -> Result<Vec<f32>, (i32, String)> {
    let mut arguments: ToHost = blank();
    arguments.buffer = buffer;
    call("Buffer_ToHostBuffer", &mut arguments)?;
    let mut found = vec![0.0_f32; arguments.size / 4];
    if found.is_empty() {
        return Ok(found);
    }
    arguments.data = found.as_mut_ptr().cast();
    call("Buffer_ToHostBuffer", &mut arguments)?;
    let there = wait(arguments.event);
    free("Event_Destroy", arguments.event);
    there.map(|()| found)
}

/// What a program returns, and when it has ended.
pub type Started<const N: usize> = ([Handle<Buffer>; N], Handle<Event>);

/// Calls a program; what it returns may not be there before the event has happened.
pub fn start<const N: usize>(
    executable: Handle<LoadedExecutable>,
    given: &[Handle<Buffer>],
) -> Result<Started<N>, (i32, String)> {
    let mut options: ExecuteOptions = blank();
    options.launch_id = 1;
    let mut outputs = [Handle::NULL; N];
    let (lists, places) = ([Items(given.as_ptr())], [outputs.as_mut_ptr()]);
    let mut event = Handle::<Event>::NULL;
    let mut arguments: Execute = blank();
    (arguments.executable, arguments.options) = (executable, Items(&raw const options));
    (arguments.arguments, arguments.outputs) = (Items(lists.as_ptr()), Items(places.as_ptr()));
    (arguments.devices, arguments.count) = (1, given.len());
    arguments.events = &raw mut event;
    call("LoadedExecutable_Execute", &mut arguments)?;
    Ok((outputs, event))
}

/// Calls a program, and waits for its end.
pub fn run<const N: usize>(
    executable: Handle<LoadedExecutable>,
    given: &[Handle<Buffer>],
) -> Result<[Handle<Buffer>; N], (i32, String)> {
    let (outputs, event) = start(executable, given)?;
    let ended = wait(event);
    free("Event_Destroy", event);
    ended.map(|()| outputs)
}

/// Waits for an event; the error, if there is one.
pub fn wait(event: Handle<Event>) -> Result<(), (i32, String)> {
    let mut arguments: Of<Event> = blank();
    arguments.object = event;
    call("Event_Await", &mut arguments)
}

pub fn has_happened(event: Handle<Event>) -> bool {
    ask("Event_IsReady", event).expect("an event")
}

/// Asks for the numbers of a buffer, which are there when the event has happened.
pub fn fetch(buffer: Handle<Buffer>, to: &mut [f32]) -> Handle<Event> {
    let mut arguments: ToHost = blank();
    (arguments.buffer, arguments.size) = (buffer, size_of_val(to));
    arguments.data = to.as_mut_ptr().cast();
    call("Buffer_ToHostBuffer", &mut arguments).expect("its numbers");
    arguments.event
}

pub fn is_deleted(buffer: Handle<Buffer>) -> bool {
    ask("Buffer_IsDeleted", buffer).expect("a buffer")
}

pub const TWICE: &str = "module @jit_twice {
  func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %x, %x : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}";

pub const UPDATE: &str = "
  func.func public @main(%x: tensor<7xf32>, %at: tensor<1xf32>, %u: tensor<1xf32>) -> tensor<7xf32> {
    %column = stablehlo.reshape %at : (tensor<1xf32>) -> tensor<1x1xf32>
    %i = stablehlo.convert %column : (tensor<1x1xf32>) -> tensor<1x1xi32>
    %0 = \"stablehlo.scatter\"(%x, %i, %u) <{
      scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
    }> ({
    ^bb0(%old: tensor<f32>, %new: tensor<f32>):
      stablehlo.return %new : tensor<f32>
    }) : (tensor<7xf32>, tensor<1x1xi32>, tensor<1xf32>) -> tensor<7xf32>
    return %0 : tensor<7xf32>
  }";

pub const DONATING: &str = "
  func.func public @main(%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %x, %y : tensor<3xf32>
    return %0 : tensor<3xf32>
  }";

pub const ORDERED: &str = "
  func.func public @main(%token: !stablehlo.token, %x: tensor<3xf32> {jax.buffer_donor = true}, %y: tensor<3xf32>)
      -> (!stablehlo.token, tensor<3xf32>) {
    %0 = stablehlo.add %x, %y : tensor<3xf32>
    return %token, %0 : !stablehlo.token, tensor<3xf32>
  }";
