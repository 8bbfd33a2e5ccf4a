//! What functions of the client may ask for: the table that a call frame points to.

use std::{
    cell::RefCell,
    collections::VecDeque,
    ffi::{CStr, CString, c_void},
    ptr, slice,
    sync::{
        Arc, PoisonError,
        atomic::{AtomicI64, Ordering},
    },
};

use super::{
    header::{
        Allocate, Api, Error, ErrorCreate, ErrorMessage, Free, Future, FutureError, MAJOR, MINOR,
        OfError, OfFuture, Ordinal, Run, Schedule, Span, StateGet, StateSet, ThreadCount, TypeInfo,
        TypeRegister, Version,
    },
    state,
};
use crate::failure::Code;

/// The table.
pub(super) static API: Api = Api {
    struct_size: size_of::<Api>(),
    extension: ptr::null_mut(),
    version: Version {
        struct_size: size_of::<Version>(),
        extension: ptr::null_mut(),
        major: MAJOR,
        minor: MINOR,
    },
    internal: ptr::null(),
    error_create,
    error_message,
    error_destroy,
    handler_register: no_registration,
    stream_get: no_stream,
    type_register,
    context_get: no_user_data,
    state_set,
    state_get,
    allocate,
    free,
    schedule,
    thread_count,
    future_create,
    future_set,
    future_fail,
    run,
    device,
};

/// `XLA_FFI_Error_Create`.
///
/// # Safety
/// `arguments` is that of XLA's interface, as for the functions below.
unsafe extern "C" fn error_create(arguments: *mut ErrorCreate) -> *mut Error {
    // SAFETY: as the caller promises.
    let (code, text) = unsafe { ((*arguments).code, (*arguments).message) };
    let message = match text.is_null() {
        true => CString::default(),
        // SAFETY: it ends with a zero byte.
        false => unsafe { CStr::from_ptr(text) }.to_owned(),
    };
    Box::into_raw(Box::new(Error { code, message }))
}

fn refuse(code: Code, text: &str) -> *mut Error {
    let message = CString::new(text).unwrap_or_default();
    Box::into_raw(Box::new(Error { code: code as i32, message }))
}

unsafe extern "C" fn error_message(arguments: *mut ErrorMessage) {
    // SAFETY: as `error_create`; the text lives as long as the error.
    unsafe { (*arguments).message = (*(*arguments).error).message.as_ptr() };
}

unsafe extern "C" fn error_destroy(arguments: *mut OfError) {
    // SAFETY: as `error_create`; errors are made there and in `refuse`.
    drop(unsafe { taken((*arguments).error) });
}

/// # Safety
/// The error is null or one of ours, and is not used again.
pub(super) unsafe fn taken(error: *mut Error) -> Option<Box<Error>> {
    // SAFETY: as the caller promises.
    (!error.is_null()).then(|| unsafe { Box::from_raw(error) })
}

unsafe extern "C" fn no_registration(_: *mut c_void) -> *mut Error {
    refuse(Code::Unimplemented, "Strata's functions are registered by StrataRegisterFfi")
}

unsafe extern "C" fn no_stream(_: *mut c_void) -> *mut Error {
    refuse(Code::Unimplemented, "Strata computes on the processor, which has no stream")
}

unsafe extern "C" fn type_register(arguments: *mut TypeRegister) -> *mut Error {
    // SAFETY: as `error_create`; the name has its bytes, and the number a place.
    let refused = unsafe {
        let TypeRegister { name, number, info, .. } = &mut *arguments;
        register_type(name, *number, *info)
    };
    refused.map_or_else(|text| refuse(Code::InvalidArgument, &text), |()| ptr::null_mut())
}

/// Registers a type of states, and writes its number.
///
/// # Errors
/// As [`state::register`].
///
/// # Safety
/// The name has its bytes, `number` is valid, `info` null or as XLA's header has it.
pub(super) unsafe fn register_type(
    name: &Span,
    number: *mut i64,
    info: *const TypeInfo,
) -> Result<(), String> {
    // SAFETY: as the caller promises.
    let (name, deleter) = unsafe {
        let bytes = match name.text.is_null() {
            true => &[][..],
            false => slice::from_raw_parts(name.text.cast::<u8>(), name.size),
        };
        (String::from_utf8_lossy(bytes), info.as_ref().and_then(|info| info.deleter))
    };
    if number.is_null() {
        return Err(format!("type `{name}` has no place for its number"));
    }
    // SAFETY: as the caller promises.
    unsafe { *number = state::register(&name, *number, deleter)? };
    Ok(())
}

unsafe extern "C" fn no_user_data(_: *mut c_void) -> *mut Error {
    refuse(Code::NotFound, "the execution has no data of the user")
}

unsafe extern "C" fn state_set(arguments: *mut StateSet) -> *mut Error {
    // SAFETY: as `error_create`; the context is that of the call frame.
    let kept = unsafe {
        let StateSet { context, stage, number, object, .. } = *arguments;
        let context = context.as_ref().ok_or_else(|| "there is no context".to_owned());
        context.and_then(|context| context.set(stage, *number, object))
    };
    kept.map_or_else(|text| refuse(Code::FailedPrecondition, &text), |()| ptr::null_mut())
}

unsafe extern "C" fn state_get(arguments: *mut StateGet) -> *mut Error {
    // SAFETY: as `state_set`.
    unsafe {
        let StateGet { context, stage, number, .. } = *arguments;
        let context = context.as_ref().ok_or_else(|| "there is no context".to_owned());
        match context.and_then(|context| context.get(stage, *number)) {
            Ok(object) => {
                (*arguments).object = object;
                ptr::null_mut()
            }
            Err(text) => refuse(Code::NotFound, &text),
        }
    }
}

unsafe extern "C" fn allocate(arguments: *mut Allocate) -> *mut Error {
    // SAFETY: as `error_create`.
    let arguments = unsafe { &mut *arguments };
    let alignment = arguments.alignment.max(size_of::<usize>());
    let size = arguments.size.max(1).checked_next_multiple_of(alignment);
    let Some(size) = size.filter(|_| alignment.is_power_of_two()) else {
        return refuse(Code::InvalidArgument, "memory of that size or alignment cannot be had");
    };
    // SAFETY: the alignment is a power of two, and the size a multiple of it.
    arguments.data = unsafe { libc::aligned_alloc(alignment, size) };
    match arguments.data.is_null() {
        true => refuse(Code::ResourceExhausted, "there is no memory for the function"),
        false => ptr::null_mut(),
    }
}

unsafe extern "C" fn free(arguments: *mut Free) -> *mut Error {
    // SAFETY: as `error_create`; the memory is that of `allocate`.
    unsafe { libc::free((*arguments).data) };
    ptr::null_mut()
}

/// A task and its data.
type Waiting = (unsafe extern "C" fn(*mut c_void), *mut c_void);

thread_local! {
    /// Tasks that wait for the one that scheduled them, which runs on this thread.
    static TASKS: RefCell<Option<VecDeque<Waiting>>> = const { RefCell::new(None) };
}

/// Runs a task on the calling thread, after the task that schedules it where that is one.
unsafe extern "C" fn schedule(arguments: *mut Schedule) -> *mut Error {
    // SAFETY: as `error_create`.
    let first = unsafe { ((*arguments).task, (*arguments).data) };
    let waits = TASKS.with(|tasks| match &mut *tasks.borrow_mut() {
        Some(tasks) => {
            tasks.push_back(first);
            true
        }
        none => {
            *none = Some(VecDeque::from([first]));
            false
        }
    });
    if !waits {
        while let Some((task, data)) =
            TASKS.with(|tasks| tasks.borrow_mut().as_mut().and_then(VecDeque::pop_front))
        {
            // SAFETY: a task is called once, with its data.
            unsafe { task(data) };
        }
        TASKS.with(|tasks| *tasks.borrow_mut() = None);
    }
    ptr::null_mut()
}

unsafe extern "C" fn thread_count(arguments: *mut ThreadCount) -> *mut Error {
    // SAFETY: as `error_create`.
    unsafe { *(*arguments).count = 1 };
    ptr::null_mut()
}

unsafe extern "C" fn future_create(arguments: *mut OfFuture) -> *mut Error {
    let future = Arc::into_raw(Arc::new(Future::default()));
    // SAFETY: as `error_create`. The one who waits and the one who ends it let go of it, in any order.
    unsafe {
        Arc::increment_strong_count(future);
        (*arguments).future = future.cast_mut();
    }
    ptr::null_mut()
}

unsafe extern "C" fn future_set(arguments: *mut OfFuture) -> *mut Error {
    // SAFETY: as `error_create`; a future is ended once.
    unsafe { Arc::from_raw((*arguments).future) }.end(Ok(()));
    ptr::null_mut()
}

unsafe extern "C" fn future_fail(arguments: *mut FutureError) -> *mut Error {
    // SAFETY: as `future_set`; the error is ours from here on.
    unsafe {
        let (future, error) = (Arc::from_raw((*arguments).future), taken((*arguments).error));
        future.end(error.map_or(Ok(()), |error| Err(error.text())));
    }
    ptr::null_mut()
}

unsafe extern "C" fn run(arguments: *mut Run) -> *mut Error {
    static RUNS: AtomicI64 = AtomicI64::new(1);
    // SAFETY: as `error_create`.
    unsafe { (*arguments).id = RUNS.fetch_add(1, Ordering::Relaxed) };
    ptr::null_mut()
}

unsafe extern "C" fn device(arguments: *mut Ordinal) -> *mut Error {
    // SAFETY: as `error_create`.
    unsafe { (*arguments).ordinal = 0 };
    ptr::null_mut()
}

impl Error {
    pub(super) fn text(&self) -> String {
        const NAMES: [&str; 17] = [
            "OK",
            "CANCELLED",
            "UNKNOWN",
            "INVALID_ARGUMENT",
            "DEADLINE_EXCEEDED",
            "NOT_FOUND",
            "ALREADY_EXISTS",
            "PERMISSION_DENIED",
            "RESOURCE_EXHAUSTED",
            "FAILED_PRECONDITION",
            "ABORTED",
            "OUT_OF_RANGE",
            "UNIMPLEMENTED",
            "INTERNAL",
            "UNAVAILABLE",
            "DATA_LOSS",
            "UNAUTHENTICATED",
        ];
        let name = usize::try_from(self.code).ok().and_then(|code| NAMES.get(code));
        format!("{}: {}", name.unwrap_or(&"UNKNOWN"), self.message.to_string_lossy())
    }
}

impl Future {
    fn end(&self, how: Result<(), String>) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        *ended = Some(how);
        self.changed.notify_all();
    }

    pub(super) fn wait(&self) -> Result<(), String> {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match ended.take() {
                Some(how) => return how,
                None => ended = self.changed.wait(ended).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}
