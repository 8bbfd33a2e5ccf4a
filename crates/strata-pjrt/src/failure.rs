//! Errors of the C API, and what becomes one: diagnostics, wrong arguments, panics.

use std::{
    ffi::c_void,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
};

use strata_diag::{Diagnostic, Diagnostics, Fault, codes};

use crate::abi::{Arguments, Handle, List, Nothing, Of, Value};

/// The codes of `PJRT_Error_Code` that Strata uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Code {
    /// The client has ended it.
    Cancelled = 1,
    /// A wrong program, or wrong arguments.
    InvalidArgument = 3,
    /// There is no such device.
    NotFound = 5,
    /// There is no memory for it.
    ResourceExhausted = 8,
    /// The executable was deleted.
    FailedPrecondition = 9,
    /// A function or a feature that Strata does not have.
    Unimplemented = 12,
    /// A mistake in Strata.
    Internal = 13,
}

/// What is wrong with valid programs that Strata does not compile.
const UNSUPPORTED: [strata_diag::Code; 7] = [
    codes::S1101,
    codes::S1102,
    codes::S1103,
    codes::S1104,
    codes::S1201,
    codes::S1202,
    codes::S1703,
];

/// Why a function fails.
#[derive(Clone, Debug)]
pub struct Failure {
    code: Code,
    message: String,
}

/// `PJRT_Error`.
pub struct Error(Failure);

impl Failure {
    /// A failure with that code.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Wrong arguments.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// What Strata does not have.
    pub fn unimplemented(message: impl Into<String>) -> Self {
        Self::new(Code::Unimplemented, message)
    }

    /// A mistake in Strata.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Code::Internal, message)
    }

    /// The failure for what a panic was called with.
    pub fn panicked(message: &str) -> Self {
        Self::internal(format!("Strata panicked: {message}"))
    }
}

impl From<Diagnostics> for Failure {
    fn from(all: Diagnostics) -> Self {
        let is_bug = all.iter().any(|one| one.fault() == Fault::Bug);
        let has = |code: strata_diag::Code| all.iter().any(|one| one.code() == code);
        let code = if has(codes::S1807) {
            Code::ResourceExhausted
        } else if is_bug {
            Code::Internal
        } else if UNSUPPORTED.iter().any(|&code| has(code)) {
            Code::Unimplemented
        } else {
            Code::InvalidArgument
        };
        Self::new(code, all.render())
    }
}

impl From<Diagnostic> for Failure {
    fn from(one: Diagnostic) -> Self {
        Diagnostics::from(one).into()
    }
}

impl Error {
    /// The error for a failure, which its receiver destroys.
    pub fn of(failure: &Failure) -> *mut Self {
        Handle::new(Self(failure.clone())).0
    }
}

/// Calls `body` with the arguments of a function of the table, and returns the error: null where there is none.
///
/// # Safety
/// `arguments` is null, or points to an argument structure of the C API whose first word is its size; its handles are null or
/// the library's, and not destroyed; its arrays are as long as it says.
pub unsafe fn guard<A: Arguments>(
    name: &str,
    arguments: *mut c_void,
    body: fn(&mut A) -> Result<(), Failure>,
) -> *mut Error {
    let found = if arguments.is_null() || !arguments.cast::<A>().is_aligned() {
        Err(Failure::invalid(format!("{name}: the arguments have no address")))
    } else {
        // SAFETY: the caller promises that the first word is the size.
        let size = unsafe { arguments.cast::<usize>().read() };
        if size < A::NEEDED {
            let needed = A::NEEDED;
            Err(Failure::invalid(format!(
                "{name}: the argument structure has {size} bytes, fewer than {needed}"
            )))
        } else {
            // SAFETY: it has all fields that are used.
            let arguments = unsafe { &mut *arguments.cast::<A>() };
            catch_unwind(AssertUnwindSafe(|| body(arguments))).unwrap_or_else(|payload| {
                Err(Failure::panicked(strata::panic_message(payload.as_ref())))
            })
        }
    };
    match found {
        Ok(()) => ptr::null_mut(),
        Err(failure) => Error::of(&failure),
    }
}

/// The failure for functions that Strata does not have.
pub fn missing(name: &str) -> *mut Error {
    let reason = format!("{name}: Strata does not have this function of the PJRT C API");
    Error::of(&Failure::unimplemented(reason))
}

pub fn destroy(arguments: &mut Of<Error>) -> Result<(), Failure> {
    arguments.object.destroy();
    Ok(())
}

pub fn message(arguments: &mut List<Error, u8>) -> Result<(), Failure> {
    let message = &arguments.object.get()?.0.message;
    (arguments.items, arguments.count) = (message.as_ptr(), message.len());
    Ok(())
}

pub fn code(arguments: &mut Value<Error, i32>) -> Result<(), Failure> {
    arguments.value = arguments.object.get()?.0.code as i32;
    Ok(())
}

/// Errors have no payloads.
pub fn payloads(_: &mut Nothing) -> Result<(), Failure> {
    Ok(())
}
