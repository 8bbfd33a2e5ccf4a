//! Functions of the client that follow XLA's foreign function interface.

use std::{
    ffi::{CStr, c_char, c_void},
    mem, ptr, slice,
    sync::atomic::{AtomicI64, AtomicUsize, Ordering},
};

use strata_pjrt::ffi::{
    Bundle, CallFrame, Error, Handler, StrataRegisterFfi, StrataRegisterFfiType,
};

use crate::c_api::{
    UNIMPLEMENTED, buffer, client, compile, deserialize, free, read, run, serialize,
};

/// The words of `XLA_FFI_CallFrame` on 64-bit machines, by the public header.
const EXTENSION: usize = 1;
const API: usize = 2;
const CONTEXT: usize = 3;
const STAGE: usize = 4;
const ARGUMENTS: usize = 5;
const RESULTS: usize = 10;
const ATTRIBUTES: usize = 15;
/// Of lists.
const SIZE: usize = 2;
const KINDS: usize = 3;
const ITEMS: usize = 4;
/// Of `XLA_FFI_Api`: the first function, after the size, an extension, the version and the internal interface.
const ERROR_CREATE: usize = 6;
const STATE_SET: usize = 13;
const STATE_GET: usize = 14;
const F32: usize = 11;
const SCALAR: i32 = 3;
const STRING: i32 = 4;

/// # Safety
/// There is a word at that place.
unsafe fn word(from: *const usize, at: usize) -> usize {
    // SAFETY: as the caller promises.
    unsafe { from.add(at).read() }
}

/// Adds the attribute `step` to each number, or fails with the attribute `text`.
unsafe extern "C" fn add(frame: *mut CallFrame) -> *mut Error {
    let frame = frame.cast::<usize>().cast_const();
    // SAFETY: the frame is that of XLA's interface: one buffer of numbers, one result, two attributes sorted by name.
    unsafe {
        let extension = word(frame, EXTENSION) as *const usize;
        if !extension.is_null() {
            // What version is the function for? The structure's size, the version's two words, its numbers.
            let metadata = word(extension, 3) as *mut usize;
            metadata.add(3).cast::<[i32; 2]>().write([0, 1]);
            return ptr::null_mut();
        }
        assert_eq!(word(frame, STAGE) as u32, 3);
        assert_eq!((word(frame, ARGUMENTS + SIZE), word(frame, RESULTS + SIZE)), (1, 1));
        assert_eq!(word(frame, ATTRIBUTES + SIZE), 2);
        let array = |list: usize| {
            let tensor = *(word(frame, list + ITEMS) as *const *const usize);
            assert_eq!((word(tensor, 2) as u32 as usize, word(tensor, 4)), (F32, 1));
            let size = *(word(tensor, 5) as *const usize);
            (word(tensor, 3) as *mut f32, size)
        };
        let kinds = slice::from_raw_parts(word(frame, ATTRIBUTES + KINDS) as *const i32, 2);
        assert_eq!(kinds, [SCALAR, STRING]);
        let items = word(frame, ATTRIBUTES + 5) as *const *const usize;
        let step = *(word(*items, 1) as *const f32);
        let names = word(frame, ATTRIBUTES + 4) as *const *const usize;
        let name = slice::from_raw_parts(word(*names, 0) as *const u8, word(*names, 1));
        assert_eq!(name, b"step");
        let ((from, size), (to, same)) = (array(ARGUMENTS), array(RESULTS));
        assert_eq!(size, same);
        if step < 0.0 {
            let span = *items.add(1);
            let bytes = slice::from_raw_parts(word(span, 0) as *const u8, word(span, 1));
            let text = [bytes, b"\0"].concat();
            let create: unsafe extern "C" fn(*mut c_void) -> *mut Error =
                std::mem::transmute(word(word(frame, API) as *const usize, ERROR_CREATE));
            // Its size, no extension, the text, INVALID_ARGUMENT.
            let mut arguments = [32, 0, text.as_ptr() as usize, 3];
            return create(arguments.as_mut_ptr().cast());
        }
        for at in 0..size {
            *to.add(at) = *from.add(at) + step;
        }
    }
    ptr::null_mut()
}

/// A function for another version of the interface.
unsafe extern "C" fn newer(frame: *mut CallFrame) -> *mut Error {
    // SAFETY: the question for the version is the only call.
    unsafe {
        let extension = word(frame.cast::<usize>().cast_const(), EXTENSION) as *const usize;
        (word(extension, 3) as *mut usize).add(3).cast::<[i32; 2]>().write([1, 7]);
    }
    ptr::null_mut()
}

fn register(name: &str, [instantiate, execute]: [Option<Handler>; 2]) -> Result<(), String> {
    let bundle = Bundle { instantiate, prepare: None, initialize: None, execute };
    // SAFETY: the name has as many bytes.
    let refused: *const c_char =
        unsafe { StrataRegisterFfi(name.as_ptr(), name.len(), &raw const bundle) };
    match refused.is_null() {
        true => Ok(()),
        // SAFETY: it is a text.
        false => Err(unsafe { CStr::from_ptr(refused) }.to_str().expect("UTF-8").to_owned()),
    }
}

fn calling(name: &str, step: f32) -> String {
    format!(
        "func.func public @main(%x: tensor<5xf32>) -> tensor<5xf32> {{
          %0 = stablehlo.custom_call @{name}(%x) {{api_version = 4 : i32,
            mhlo.backend_config = {{step = {step:?} : f32, text = \"no steps back\"}}}} : (tensor<5xf32>) -> tensor<5xf32>
          return %0 : tensor<5xf32>
        }}"
    )
}

#[test]
fn registered_functions_are_called() {
    let client = client();
    let (code, text) = compile(client, &calling("test_add", 1.5)).err().expect("not there yet");
    assert!(code == UNIMPLEMENTED && text.contains("register_ffi_target"), "{text}");
    assert_eq!(register("test_add", [None, Some(add)]), Ok(()));
    assert_eq!(register("test_add", [None, Some(add)]), Ok(()));
    let compiled = compile(client, &calling("test_add", 1.5)).expect("it compiles");
    let loaded = deserialize(client, &serialize(compiled).expect("bytes")).expect("it is loaded");
    for executable in [compiled, loaded] {
        let [found] =
            run(executable, &[buffer(client, &[0.0, 1.0, -2.0, 3.5, 4.0])]).expect("it runs");
        assert_eq!(read(found), Ok(vec![1.5, 2.5, -0.5, 5.0, 5.5]));
        free("LoadedExecutable_Destroy", executable);
    }
    let failing = compile(client, &calling("test_add", -1.0)).expect("it compiles");
    for _ in 0..2 {
        let (_, text) = run::<1>(failing, &[buffer(client, &[0.0; 5])]).err().expect("it fails");
        assert_eq!(text, "a custom call failed: `test_add`: INVALID_ARGUMENT: no steps back");
    }
}

#[test]
fn functions_that_cannot_be_called_are_refused() {
    assert_eq!(register("test_taken", [None, Some(add)]), Ok(()));
    for (functions, wanted) in [
        ([None, None], "has no function for the stage `execute`"),
        ([Some(newer as Handler), Some(add)], "for version 1.7 of XLA's interface"),
        ([None, Some(newer as Handler)], "for version 1.7 of XLA's interface"),
    ] {
        let told = register("test_refused", functions).expect_err(wanted);
        assert!(told.contains(wanted) && told.contains("`test_refused`"), "{told}");
    }
    let told = register("test_taken", [None, Some(newer)]).expect_err("another version");
    assert!(told.contains("version 1.7"), "{told}");
    // SAFETY: null is what it checks for.
    let told = unsafe { StrataRegisterFfi(ptr::null(), 0, ptr::null()) };
    assert!(!told.is_null());
}

/// The number of the type of [`make`]'s states, and how many states are gone.
static COUNTER: AtomicI64 = AtomicI64::new(0);
static GONE: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" fn forget(object: *mut c_void) {
    GONE.fetch_add(1, Ordering::SeqCst);
    // SAFETY: `make` has made it.
    drop(unsafe { Box::from_raw(object.cast::<f32>()) });
}

/// Asks the table of a frame to set or get a state of `instantiate`; its address.
///
/// # Safety
/// The frame is that of a call, and `at` one of the two functions.
unsafe fn state(frame: *const usize, at: usize, object: usize) -> Result<usize, *mut Error> {
    let number = COUNTER.load(Ordering::SeqCst);
    // SAFETY: as the caller promises. The structure has its size, no extension, the context, the stage, the type, the object.
    unsafe {
        let function: unsafe extern "C" fn(*mut c_void) -> *mut Error =
            mem::transmute(word(word(frame, API) as *const usize, at));
        let mut arguments = [48, 0, word(frame, CONTEXT), 0, (&raw const number).addr(), object];
        let error = function(arguments.as_mut_ptr().cast());
        if error.is_null() { Ok(arguments[5]) } else { Err(error) }
    }
}

/// What a frame that asks for the version gets; false for other frames.
///
/// # Safety
/// The frame is as XLA's interface has it.
unsafe fn tells_version(frame: *const usize) -> bool {
    // SAFETY: as in `add`.
    unsafe {
        let extension = word(frame, EXTENSION) as *const usize;
        if extension.is_null() {
            return false;
        }
        (word(extension, 3) as *mut usize).add(3).cast::<[i32; 2]>().write([0, 1]);
        true
    }
}

/// The stage `instantiate`: a counter that starts at 0.
unsafe extern "C" fn make(frame: *mut CallFrame) -> *mut Error {
    let frame = frame.cast::<usize>().cast_const();
    // SAFETY: the frame is that of XLA's interface, with attributes alone.
    unsafe {
        if tells_version(frame) {
            return ptr::null_mut();
        }
        assert_eq!(word(frame, STAGE) as u32, 0);
        assert_eq!((word(frame, ARGUMENTS + SIZE), word(frame, RESULTS + SIZE)), (0, 0));
        assert_eq!(word(frame, ATTRIBUTES + SIZE), 2, "functions see their own attributes alone");
        let set = state(frame, STATE_SET, Box::into_raw(Box::new(0.0_f32)).expose_provenance());
        set.err().unwrap_or(ptr::null_mut())
    }
}

/// Adds the counter to each number, and 1 to the counter.
unsafe extern "C" fn add_count(frame: *mut CallFrame) -> *mut Error {
    let frame = frame.cast::<usize>().cast_const();
    // SAFETY: as in `add`; the state is that of `make`.
    unsafe {
        if tells_version(frame) {
            return ptr::null_mut();
        }
        let object = match state(frame, STATE_GET, 0) {
            Ok(object) => object,
            Err(error) => return error,
        };
        let count = &mut *ptr::with_exposed_provenance_mut::<f32>(object);
        let data = |list| word(*(word(frame, list + ITEMS) as *const *const usize), 3);
        let (from, to) = (data(ARGUMENTS) as *const f32, data(RESULTS) as *mut f32);
        for at in 0..5 {
            *to.add(at) = *from.add(at) + *count;
        }
        *count += 1.0;
    }
    ptr::null_mut()
}

fn register_type(name: &str, number: &mut i64) -> Result<(), String> {
    let info = [24, 0, forget as *const () as usize];
    // SAFETY: the name has its bytes; the structure has its size, no extension, the function that destroys states.
    let refused = unsafe {
        StrataRegisterFfiType(name.as_ptr().cast(), name.len(), number, info.as_ptr().cast())
    };
    match refused.is_null() {
        true => Ok(()),
        // SAFETY: it is a text.
        false => Err(unsafe { CStr::from_ptr(refused) }.to_str().expect("UTF-8").to_owned()),
    }
}

/// Each call of an executable has a state, which goes with the executable.
#[test]
fn functions_keep_states() {
    let mut number = 0;
    register_type("counter", &mut number).expect("it is registered");
    assert!(number > 0);
    COUNTER.store(number, Ordering::SeqCst);
    let mut same = 0;
    register_type("counter", &mut same).expect("it is registered");
    assert_eq!(same, number);
    let told = register_type("other", &mut same).expect_err("the number of another type");
    assert!(told.contains("`other`"), "{told}");
    assert_eq!(register("test_count", [Some(make), Some(add_count)]), Ok(()));
    let client = client();
    // Two calls with the same attributes.
    let twice = calling("test_count", 1.0).replace(
        "return %0",
        "%1 = stablehlo.custom_call @test_count(%0) {api_version = 4 : i32,
            mhlo.backend_config = {step = 1.0 : f32, text = \"no steps back\"}} : (tensor<5xf32>) -> tensor<5xf32>
          return %1",
    );
    let [first, second] = [(); 2].map(|()| compile(client, &twice).expect("it compiles"));
    let third = deserialize(client, &serialize(first).expect("bytes")).expect("it is loaded");
    let x = buffer(client, &[0.0, 1.0, -2.0, 3.5, 4.0]);
    for executable in [first, second, third] {
        for round in 0..3 {
            let [found] = run(executable, &[x]).expect("it runs");
            let added = 2.0 * round as f32;
            let wanted = [0.0, 1.0, -2.0, 3.5, 4.0].map(|value| value + added).to_vec();
            assert_eq!(read(found), Ok(wanted), "round {round}");
        }
    }
    for (at, executable) in [first, second, third].into_iter().enumerate() {
        free("LoadedExecutable_Destroy", executable);
        assert_eq!(GONE.load(Ordering::SeqCst), 2 * (at + 1));
    }
    // A function that was given no state says so.
    assert_eq!(register("test_no_state", [None, Some(add_count)]), Ok(()));
    let without = compile(client, &calling("test_no_state", 1.0)).expect("it compiles");
    let (_, text) = run::<1>(without, &[x]).err().expect("it fails");
    assert!(text.contains("NOT_FOUND: the stage has no state"), "{text}");
}
