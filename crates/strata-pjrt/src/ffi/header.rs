//! The structures of XLA's foreign function interface, by hand from the facts of the public header.

use super::state::{Context, Deleter};

use std::{
    ffi::{CString, c_char, c_void},
    mem,
    sync::{Condvar, Mutex},
};

/// The version of XLA's interface that call frames have.
pub const MAJOR: i32 = 0;
pub const MINOR: i32 = 3;
/// `XLA_FFI_ExecutionStage`.
pub const INSTANTIATE: i32 = 0;
pub const PREPARE: i32 = 1;
pub const INITIALIZE: i32 = 2;
pub const EXECUTE: i32 = 3;
/// `XLA_FFI_Extension_Metadata`.
pub const METADATA: i32 = 1;
/// What the header calls the size of [`Metadata`].
pub const METADATA_SIZE: usize = mem::offset_of!(Metadata, traits) + size_of::<u32>();
/// `XLA_FFI_ArgType_BUFFER` and `XLA_FFI_RetType_BUFFER`.
pub const BUFFER: i32 = 1;
/// `XLA_FFI_AttrType`.
pub const ATTRIBUTE_ARRAY: i32 = 1;
pub const ATTRIBUTE_DICTIONARY: i32 = 2;
pub const ATTRIBUTE_SCALAR: i32 = 3;
pub const ATTRIBUTE_STRING: i32 = 4;
/// `XLA_FFI_Handler`.
pub type Handler = unsafe extern "C" fn(frame: *mut CallFrame) -> *mut Error;

/// `XLA_FFI_Error`.
pub struct Error {
    pub(super) code: i32,
    pub(super) message: CString,
}

/// `XLA_FFI_Extension_Base` with the one extension that there is, `XLA_FFI_Metadata_Extension`.
#[repr(C)]
pub struct MetadataExtension {
    pub(super) struct_size: usize,
    pub(super) kind: i32,
    pub(super) next: *mut c_void,
    pub(super) metadata: *mut Metadata,
}

#[repr(C)]
pub struct Metadata {
    pub(super) struct_size: usize,
    pub(super) version: Version,
    pub(super) traits: u32,
    pub(super) state_type: i64,
}

#[repr(C)]
pub struct Version {
    pub(super) struct_size: usize,
    pub(super) extension: *mut c_void,
    pub(super) major: i32,
    pub(super) minor: i32,
}

/// `XLA_FFI_Buffer`.
#[repr(C)]
pub struct Tensor {
    pub(super) struct_size: usize,
    pub(super) extension: *mut c_void,
    pub(super) kind: i32,
    pub(super) data: *mut c_void,
    pub(super) rank: i64,
    pub(super) dims: *const i64,
}

/// `XLA_FFI_ByteSpan`.
#[repr(C)]
pub struct Span {
    pub(super) text: *const c_char,
    pub(super) size: usize,
}

/// `XLA_FFI_Scalar`.
#[repr(C)]
pub struct Scalar {
    pub(super) kind: i32,
    pub(super) value: *const c_void,
}

/// `XLA_FFI_Array`.
#[repr(C)]
pub struct Array {
    pub(super) kind: i32,
    pub(super) size: usize,
    pub(super) data: *const c_void,
}

/// `XLA_FFI_Args` and `XLA_FFI_Rets`.
#[repr(C)]
pub struct Tensors {
    pub(super) struct_size: usize,
    pub(super) extension: *mut c_void,
    pub(super) size: i64,
    pub(super) kinds: *const i32,
    pub(super) items: *const *const Tensor,
}

/// `XLA_FFI_Attrs`.
#[repr(C)]
pub struct Attributes {
    pub(super) struct_size: usize,
    pub(super) extension: *mut c_void,
    pub(super) size: i64,
    pub(super) kinds: *const i32,
    pub(super) names: *const *const Span,
    pub(super) items: *const *const c_void,
}

/// `XLA_FFI_CallFrame`.
#[repr(C)]
pub struct CallFrame {
    pub(super) struct_size: usize,
    pub(super) extension: *mut c_void,
    pub(super) api: *const Api,
    pub(super) context: *const Context,
    pub(super) stage: i32,
    pub(super) arguments: Tensors,
    pub(super) results: Tensors,
    pub(super) attributes: Attributes,
    pub(super) future: *mut Future,
}

/// `XLA_FFI_Handler_Bundle`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Bundle {
    /// Makes the state of a call of a program.
    pub instantiate: Option<Handler>,
    /// Called before `execute`.
    pub prepare: Option<Handler>,
    /// Called between the two.
    pub initialize: Option<Handler>,
    /// The function.
    pub execute: Option<Handler>,
}

/// `XLA_FFI_TypeInfo`.
#[repr(C)]
pub struct TypeInfo {
    pub(super) struct_size: usize,
    pub(super) extension: *mut c_void,
    pub(super) deleter: Option<Deleter>,
}

/// `XLA_FFI_Future`: whether what a function goes on with after it has returned has ended.
#[derive(Default)]
pub struct Future {
    pub(super) ended: Mutex<Option<Result<(), String>>>,
    pub(super) changed: Condvar,
}

/// `XLA_FFI_Api`.
#[repr(C)]
pub struct Api {
    pub(super) struct_size: usize,
    pub(super) extension: *mut c_void,
    pub(super) version: Version,
    pub(super) internal: *const c_void,
    pub(super) error_create: unsafe extern "C" fn(*mut ErrorCreate) -> *mut Error,
    pub(super) error_message: unsafe extern "C" fn(*mut ErrorMessage),
    pub(super) error_destroy: unsafe extern "C" fn(*mut OfError),
    pub(super) handler_register: unsafe extern "C" fn(*mut c_void) -> *mut Error,
    pub(super) stream_get: unsafe extern "C" fn(*mut c_void) -> *mut Error,
    pub(super) type_register: unsafe extern "C" fn(*mut TypeRegister) -> *mut Error,
    pub(super) context_get: unsafe extern "C" fn(*mut c_void) -> *mut Error,
    pub(super) state_set: unsafe extern "C" fn(*mut StateSet) -> *mut Error,
    pub(super) state_get: unsafe extern "C" fn(*mut StateGet) -> *mut Error,
    pub(super) allocate: unsafe extern "C" fn(*mut Allocate) -> *mut Error,
    pub(super) free: unsafe extern "C" fn(*mut Free) -> *mut Error,
    pub(super) schedule: unsafe extern "C" fn(*mut Schedule) -> *mut Error,
    pub(super) thread_count: unsafe extern "C" fn(*mut ThreadCount) -> *mut Error,
    pub(super) future_create: unsafe extern "C" fn(*mut OfFuture) -> *mut Error,
    pub(super) future_set: unsafe extern "C" fn(*mut OfFuture) -> *mut Error,
    pub(super) future_fail: unsafe extern "C" fn(*mut FutureError) -> *mut Error,
    pub(super) run: unsafe extern "C" fn(*mut Run) -> *mut Error,
    pub(super) device: unsafe extern "C" fn(*mut Ordinal) -> *mut Error,
}

// SAFETY: it has constants and functions.
unsafe impl Sync for Api {}

macro_rules! arguments {
    ($($name:ident { $($field:ident: $ty:ty),* })*) => { $(
        #[repr(C)]
        pub struct $name {
            struct_size: usize,
            extension: *mut c_void,
            $(pub(super) $field: $ty,)*
        }
    )* };
}

arguments! {
    ErrorCreate { message: *const c_char, code: i32 }
    ErrorMessage { error: *const Error, message: *const c_char }
    OfError { error: *mut Error }
    Allocate { context: *mut c_void, size: usize, alignment: usize, data: *mut c_void }
    Free { context: *mut c_void, size: usize, data: *mut c_void }
    Schedule { context: *mut c_void, task: unsafe extern "C" fn(*mut c_void), data: *mut c_void }
    ThreadCount { context: *mut c_void, count: *mut i64 }
    OfFuture { future: *mut Future }
    FutureError { future: *mut Future, error: *mut Error }
    Run { context: *mut c_void, id: i64 }
    TypeRegister { name: Span, number: *mut i64, info: *const TypeInfo }
    StateSet { context: *mut Context, stage: i32, number: *const i64, object: *mut c_void }
    StateGet { context: *mut Context, stage: i32, number: *const i64, object: *mut c_void }
    Ordinal { context: *mut c_void, ordinal: i32 }
}
