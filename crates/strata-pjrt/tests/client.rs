//! The plugin as a client of the C API sees it: through `GetPjrtApi` alone.

use std::{
    ffi::c_void,
    mem::{offset_of, zeroed},
    ptr, slice, thread,
};

use strata_pjrt::{
    Buffer, Client, Device, Error, Event, Executable, GetPjrtApi, LoadedExecutable, Memory,
    abi::{
        Api, Arguments, Compile, CreateClient, Execute, ExecuteOptions, FromHost, GetLayout,
        Handle, Items, Layout, List, MemoryStats, Nothing, Of, Program, ToHost, Value,
    },
    table::{COUNT, NAMES},
};

const F32: i32 = 11;
const INVALID_ARGUMENT: i32 = 3;
const UNIMPLEMENTED: i32 = 12;
/// `PJRT_HostBufferSemantics`.
const ONLY_DURING_CALL: i32 = 0;
const ZERO_COPY: i32 = 2;

/// An argument structure with its size and nothing else.
fn blank<A: Arguments>() -> A {
    // SAFETY: every field is a number, a pointer or an optional function, for which zero is valid.
    let mut arguments: A = unsafe { zeroed() };
    // SAFETY: the size is the first word.
    unsafe { ptr::from_mut(&mut arguments).cast::<usize>().write(A::NEEDED) };
    arguments
}

/// Calls a function of the table.
fn raw(name: &str, arguments: *mut c_void) -> *mut Error {
    // SAFETY: the table lives as long as the library.
    let api: &Api = unsafe { &*GetPjrtApi() };
    let at = NAMES.iter().position(|one| *one == name).expect(name);
    let function = api.functions[at].expect(name);
    // SAFETY: the tests pass what the C API asks for, or what `guard` rejects.
    unsafe { function(arguments) }
}

/// The code and the message of an error.
fn told(error: *mut Error) -> Result<(), (i32, String)> {
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

fn call<A: Arguments>(name: &str, arguments: &mut A) -> Result<(), (i32, String)> {
    told(raw(name, ptr::from_mut(arguments).cast()))
}

/// What a function says of an object.
fn ask<T, V>(name: &str, object: Handle<T>) -> Result<V, (i32, String)> {
    let mut arguments: Value<T, V> = blank();
    arguments.object = object;
    call(name, &mut arguments)?;
    Ok(arguments.value)
}

fn list<'a, T, V>(name: &str, object: Handle<T>) -> &'a [V] {
    let mut arguments: List<T, V> = blank();
    arguments.object = object;
    call(name, &mut arguments).expect(name);
    Items(arguments.items).get(arguments.count).expect(name)
}

fn free<T>(name: &str, object: Handle<T>) {
    let mut arguments: Of<T> = blank();
    arguments.object = object;
    call(name, &mut arguments).expect(name);
}

fn client() -> Handle<Client> {
    let mut arguments: CreateClient = blank();
    call("Client_Create", &mut arguments).expect("a client");
    arguments.client
}

fn compile(client: Handle<Client>, text: &str) -> Result<Handle<LoadedExecutable>, (i32, String)> {
    let mut program: Program = blank();
    (program.code, program.code_size) = (Items(text.as_ptr()), text.len());
    (program.format, program.format_size) = (Items("mlir".as_ptr()), 4);
    let mut arguments: Compile = blank();
    (arguments.client, arguments.program) = (client, Items(&raw const program));
    call("Client_Compile", &mut arguments)?;
    Ok(arguments.executable)
}

fn from_host(
    client: Handle<Client>,
    data: &[f32],
    (dims, strides): (&[i64], &[i64]),
    semantics: i32,
) -> Result<(Handle<Buffer>, Handle<Event>), (i32, String)> {
    let mut arguments: FromHost = blank();
    (arguments.client, arguments.data) = (client, data.as_ptr().cast());
    (arguments.element, arguments.semantics) = (F32, semantics);
    (arguments.dims, arguments.rank) = (Items(dims.as_ptr()), dims.len());
    (arguments.strides, arguments.stride_count) = (Items(strides.as_ptr()), strides.len());
    call("Client_BufferFromHostBuffer", &mut arguments)?;
    Ok((arguments.buffer, arguments.done))
}

fn buffer(client: Handle<Client>, data: &[f32]) -> Handle<Buffer> {
    let found = from_host(client, data, (&[data.len() as i64], &[]), ONLY_DURING_CALL);
    let (buffer, done) = found.expect("a buffer");
    assert!(ask::<_, bool>("Event_IsReady", done).expect("an event"));
    free("Event_Destroy", done);
    buffer
}

fn read(buffer: Handle<Buffer>) -> Result<Vec<f32>, (i32, String)> {
    let mut arguments: ToHost = blank();
    arguments.buffer = buffer;
    call("Buffer_ToHostBuffer", &mut arguments)?;
    let mut found = vec![0.0_f32; arguments.size / 4];
    if found.is_empty() {
        return Ok(found);
    }
    arguments.data = found.as_mut_ptr().cast();
    call("Buffer_ToHostBuffer", &mut arguments)?;
    free("Event_Await", arguments.event);
    free("Event_Destroy", arguments.event);
    Ok(found)
}

fn run<const N: usize>(
    executable: Handle<LoadedExecutable>,
    given: &[Handle<Buffer>],
) -> Result<[Handle<Buffer>; N], (i32, String)> {
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
    free("Event_Destroy", event);
    Ok(outputs)
}

fn is_deleted(buffer: Handle<Buffer>) -> bool {
    ask("Buffer_IsDeleted", buffer).expect("a buffer")
}

const TWICE: &str = "module @jit_twice {
  func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %x, %x : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}";

const DONATING: &str = "
  func.func public @main(%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.add %x, %y : tensor<3xf32>
    return %0 : tensor<3xf32>
  }";

/// The sizes in the public header on 64-bit machines.
#[test]
fn structures_are_those_of_the_header() {
    assert_eq!((COUNT, size_of::<Api>()), (135, 40 + 8 * 135));
    assert_eq!(offset_of!(Api, version), 16);
    assert_eq!(NAMES.iter().position(|one| *one == "Buffer_ToHostBuffer"), Some((600 - 40) / 8));
    assert_eq!(FromHost::NEEDED, 120);
    assert_eq!(Execute::NEEDED, 80);
    assert_eq!(ExecuteOptions::NEEDED, 72);
    assert_eq!(ToHost::NEEDED, 56);
    assert_eq!(CreateClient::NEEDED, 72);
    assert_eq!(MemoryStats::NEEDED, 104);
    assert_eq!((Layout::NEEDED, size_of::<Layout>()), (76, 80));
    assert_eq!(GetLayout::NEEDED, 104);
}

#[test]
fn a_client_has_one_device_with_one_memory() {
    let client = client();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    assert_eq!(text(list("Client_PlatformName", client)), "strata");
    assert!(text(list("Client_PlatformVersion", client)).starts_with("strata "));
    let devices: &[Handle<Device>] = list("Client_Devices", client);
    assert_eq!(devices.len(), 1);
    let memories: &[Handle<Memory>] = list("Device_AddressableMemories", devices[0]);
    let default: Handle<Memory> = ask("Device_DefaultMemory", devices[0]).expect("a memory");
    assert!(memories.len() == 1 && ptr::eq(memories[0].0, default.0));
    assert_eq!(text(list("Memory_Kind", default)), "device");
    let back: &[Handle<Device>] = list("Memory_AddressableByDevices", default);
    assert!(ptr::eq(back[0].0, devices[0].0));
    free("Client_Destroy", client);
}

#[test]
fn programs_compile_and_run() {
    let client = client();
    let executable = compile(client, TWICE).expect("it compiles");
    let program: Handle<Executable> =
        ask("LoadedExecutable_GetExecutable", executable).expect("a program");
    assert_eq!(list::<_, u8>("Executable_Name", program), b"jit_twice");
    assert_eq!(list::<_, i32>("Executable_OutputElementTypes", program), [F32]);
    assert_eq!(ask("Executable_NumOutputs", program), Ok(1_usize));
    assert_eq!(list::<_, u8>("Executable_Fingerprint", program).len(), 32);
    let mut stats: MemoryStats = blank();
    stats.executable = program;
    call("Executable_GetCompiledMemoryStats", &mut stats).expect("its sizes");
    assert_eq!((stats.arguments, stats.outputs, stats.aliased), (12, 12, 0));
    let given = buffer(client, &[1.0, 2.5, -3.0]);
    let [found] = run(executable, &[given]).expect("it runs");
    assert_eq!(read(found), Ok(vec![2.0, 5.0, -6.0]));
    assert_eq!(list::<_, i64>("Buffer_Dimensions", found), [3]);
    assert!(!is_deleted(given));
    for one in [given, found] {
        free("Buffer_Destroy", one);
    }
    free("Executable_Destroy", program);
    free("LoadedExecutable_Destroy", executable);
    free("Client_Destroy", client);
}

#[test]
fn arrays_with_strides_become_dense() {
    let client = client();
    let data: Vec<f32> = (0..12).map(|value| value as f32).collect();
    let load = |dims: &[i64], strides: &[i64], first: usize| {
        let given = from_host(client, &data[first..], (dims, strides), ONLY_DURING_CALL);
        read(given.expect("a buffer").0).expect("its values")
    };
    // The transpose of a 3 x 4 matrix, every second column of it, its rows from the last, a value for all.
    assert_eq!(load(&[4, 3], &[4, 16], 0), [0., 4., 8., 1., 5., 9., 2., 6., 10., 3., 7., 11.]);
    assert_eq!(load(&[3, 2], &[16, 8], 0), [0., 2., 4., 6., 8., 10.]);
    assert_eq!(load(&[3, 2], &[-16, 4], 8), [8., 9., 4., 5., 0., 1.]);
    assert_eq!(load(&[2, 2], &[0, 0], 5), [5.0; 4]);
    assert_eq!(load(&[], &[], 7), [7.0]);
    assert_eq!(load(&[3, 0], &[0, 4], 0), [0.0; 0]);
}

#[test]
fn the_hosts_memory_is_used_until_the_buffer_is_gone() {
    #[repr(align(64))]
    struct Line([f32; 16]);
    let (client, line) = (client(), Line([3.0; 16]));
    let (shared, done) = from_host(client, &line.0, (&[16], &[4]), ZERO_COPY).expect("a buffer");
    assert_eq!(ask("Event_IsReady", done), Ok(false));
    let address: usize = ask("Buffer_UnsafePointer", shared).expect("its address");
    assert_eq!(address, line.0.as_ptr().addr());
    free("Buffer_Delete", shared);
    assert_eq!(ask("Event_IsReady", done), Ok(true));
    // An address that compiled code cannot take is copied.
    let (copied, done) = from_host(client, &line.0[1..], (&[15], &[4]), ZERO_COPY).expect("one");
    assert_eq!(ask("Event_IsReady", done), Ok(true));
    let address: usize = ask("Buffer_UnsafePointer", copied).expect("its address");
    assert_ne!(address, line.0[1..].as_ptr().addr());
}

#[test]
fn donated_buffers_are_deleted_and_taken() {
    let client = client();
    let executable = compile(client, DONATING).expect("it compiles");
    let (x, y) = (buffer(client, &[1.0, 2.0, 3.0]), buffer(client, &[10.0, 20.0, 30.0]));
    let before: usize = ask("Buffer_UnsafePointer", x).expect("its address");
    let [found] = run(executable, &[x, y]).expect("it runs");
    assert_eq!(ask("Buffer_UnsafePointer", found), Ok(before));
    assert_eq!(read(found), Ok(vec![11.0, 22.0, 33.0]));
    assert!(is_deleted(x) && !is_deleted(y));
    let (code, text) = run::<1>(executable, &[x, y]).err().expect("it is deleted");
    assert!(code == INVALID_ARGUMENT && text.contains("argument 0"), "{text}");
    // One buffer twice, once donated.
    let (code, text) = run::<1>(executable, &[y, y]).err().expect("it is donated twice");
    assert!(code == INVALID_ARGUMENT && text.contains("argument 1 is the same"), "{text}");
    assert!(!is_deleted(y));
    // A copy has the same bytes until one of the two is donated.
    let memory: Handle<Memory> = ask("Buffer_Memory", y).expect("its memory");
    let mut arguments: strata_pjrt::abi::CopyTo<Memory> = blank();
    (arguments.buffer, arguments.to) = (y, memory);
    call("Buffer_CopyToMemory", &mut arguments).expect("a copy");
    let [sum] = run(executable, &[arguments.copy, y]).expect("it runs");
    assert_eq!(read(sum), Ok(vec![20.0, 40.0, 60.0]));
    assert_eq!(read(y), Ok(vec![10.0, 20.0, 30.0]));
}

#[test]
fn wrong_input_is_an_error() {
    let client = client();
    let (code, text) = compile(client, "func.func @main(").err().expect("no program");
    assert!(code == INVALID_ARGUMENT && text.contains("error[S1"), "{text}");
    let wrong = TWICE
        .replace("stablehlo.add %x, %x : tensor<3xf32>", "stablehlo.add %x, %x : tensor<4xf32>");
    let (code, text) = compile(client, &wrong).err().expect("wrong types");
    assert!(code == INVALID_ARGUMENT && text.contains("program:3"), "{text}");
    let executable = compile(client, TWICE).expect("it compiles");
    let (code, text) = run::<1>(executable, &[]).err().expect("no argument");
    assert!(code == INVALID_ARGUMENT && text.contains("takes 1 arguments"), "{text}");
    let four = buffer(client, &[0.0; 4]);
    let (code, text) = run::<1>(executable, &[four]).err().expect("a wrong size");
    assert!(code == INVALID_ARGUMENT && text.contains("tensor<4xf32>"), "{text}");
    free("Buffer_Delete", four);
    assert!(is_deleted(four));
    assert_eq!(read(four).err().map(|(code, _)| code), Some(INVALID_ARGUMENT));
    assert_eq!(run::<1>(executable, &[Handle::NULL]).err().map(|(code, _)| code), Some(3));
    let huge = from_host(client, &[0.0], (&[1 << 62, 8], &[0, 0]), ONLY_DURING_CALL);
    assert_eq!(huge.err().map(|(code, _)| code), Some(INVALID_ARGUMENT));
    let (code, _) = from_host(client, &[0.0], (&[1 << 50], &[0]), 0).err().expect("too large");
    assert_eq!(code, 8);
}

/// Every function of the table: no arguments, and a structure that is too short, are errors; so is a null handle.
#[test]
fn every_function_checks_its_arguments() {
    for name in NAMES {
        let (code, text) = told(raw(name, ptr::null_mut())).expect_err(name);
        assert!([INVALID_ARGUMENT, UNIMPLEMENTED].contains(&code), "{name}: {text}");
        let mut short = [15_usize; 32];
        let (code, text) = told(raw(name, short.as_mut_ptr().cast())).expect_err(name);
        assert!([INVALID_ARGUMENT, UNIMPLEMENTED].contains(&code), "{name}: {text}");
        let mut nulls = [0_usize; 32];
        nulls[0] = size_of_val(&nulls);
        let found = told(raw(name, nulls.as_mut_ptr().cast()));
        let may_be_null = name.ends_with("_Destroy")
            || name.starts_with("Plugin_")
            || ["Client_Create", "Error_ForEachPayload"].contains(name);
        match found {
            Ok(()) => assert!(may_be_null, "{name}"),
            Err((code, text)) => {
                assert!([INVALID_ARGUMENT, UNIMPLEMENTED].contains(&code), "{name}: {text}");
            }
        }
    }
}

#[test]
fn threads_call_one_client_at_the_same_time() {
    let client = client();
    let executable = compile(client, TWICE).expect("it compiles");
    thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                let mine = TWICE.replace("jit_twice", &format!("of_{thread}"));
                let own = compile(client, &mine).expect("it compiles");
                for round in 0..50 {
                    let value = (thread * 100 + round) as f32;
                    for executable in [executable, own] {
                        let given = buffer(client, &[value; 3]);
                        let [found] = run(executable, &[given]).expect("it runs");
                        assert_eq!(read(found), Ok(vec![2.0 * value; 3]));
                        free("Buffer_Destroy", given);
                        free("Buffer_Destroy", found);
                    }
                }
            });
        }
    });
}
