//! Functions of the client that follow XLA's foreign function interface.

use std::{
    ffi::{CStr, c_char, c_void},
    ptr, slice,
};

use strata_pjrt::ffi::{Bundle, CallFrame, Error, Handler, StrataRegisterFfi};

use crate::c_api::{
    UNIMPLEMENTED, buffer, client, compile, deserialize, free, read, run, serialize,
};

/// The words of `XLA_FFI_CallFrame` on 64-bit machines, by the public header.
const EXTENSION: usize = 1;
const API: usize = 2;
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
        ([Some(add as Handler), Some(add)], "keeps no state"),
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
