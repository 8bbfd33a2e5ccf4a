//! The `main` of both targets. libFuzzer has one, but so have the archives of MLIR (that of `mlir-opt`), which the linker
//! would take.

use std::ffi::{c_char, c_int};

unsafe extern "C" {
    fn LLVMFuzzerTestOneInput(data: *const u8, size: usize) -> c_int;
    fn LLVMFuzzerRunDriver(
        count: *mut c_int,
        arguments: *mut *mut *mut c_char,
        one: unsafe extern "C" fn(*const u8, usize) -> c_int,
    ) -> c_int;
}

#[unsafe(no_mangle)]
extern "C" fn main(mut count: c_int, mut arguments: *mut *mut c_char) -> c_int {
    // SAFETY: the arguments are those of the process, and the function is the one that libfuzzer-sys defines.
    unsafe { LLVMFuzzerRunDriver(&raw mut count, &raw mut arguments, LLVMFuzzerTestOneInput) }
}
