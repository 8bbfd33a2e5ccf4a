//! MLIR bytecode: writing it, and adapting bytecode of later versions to MLIR's reader.

mod check;
mod container;
mod cursor;
mod small_floats;

use melior::ir::Module;
use mlir_sys as sys;

pub(crate) use check::check;
pub(crate) use container::MAGIC;
pub(crate) use small_floats::as_text as small_floats_as_text;

use crate::module::module_op;

/// The module as MLIR bytecode, which [`crate::parse()`] reads back.
pub fn write_bytecode(module: &Module<'_>) -> Vec<u8> {
    let mut bytes = Vec::<u8>::new();
    unsafe extern "C" fn append(piece: sys::MlirStringRef, bytes: *mut std::ffi::c_void) {
        // SAFETY: `bytes` is the vector below, and `piece` is valid during the call.
        unsafe {
            let piece = std::slice::from_raw_parts(piece.data.cast::<u8>(), piece.length);
            (*bytes.cast::<Vec<u8>>()).extend_from_slice(piece);
        }
    }
    // SAFETY: the module is alive, and the callback gets the vector that it expects.
    unsafe {
        sys::mlirOperationWriteBytecode(
            module_op(module).to_raw(),
            Some(append),
            (&raw mut bytes).cast(),
        );
    }
    bytes
}
