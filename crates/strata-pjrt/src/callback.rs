//! Calls of compiled programs into the client's process: what `jax.pure_callback` and its kin are lowered to.
//!
//! A program names the function by a number, which the client has given out:
//! ```text
//! %y = stablehlo.custom_call @strata_host_callback(%x) {mhlo.backend_config = {number = 7 : i64}} : …
//! ```
//! In a program on several devices, `device = 0 : i64` beside the number says that this device makes the call for all ([`once`]).
//! The client's handler is called with the number and the description of the call. It is also told which numbers compiled
//! programs hold, so that it keeps these functions as long as they may be called.

use std::{
    cell::RefCell,
    ffi::{CStr, c_void},
    mem, ptr, slice,
    sync::atomic::{AtomicPtr, Ordering},
};

use strata::{ElementType, element_code};
use strata_abi::Call;
use strata_ir::{AttributeExt as _, Module, OpKind, module_op};

use crate::{
    failure::{Code, Failure},
    ffi, once,
};

/// The target of these calls.
pub const TARGET: &str = "strata_host_callback";
const CONFIG: &str = "mhlo.backend_config";
const NUMBER: &CStr = c"number";
const DEVICE: &CStr = c"device";
/// The status of a program whose callback failed.
const FAILED: i32 = 80;

/// What the client's handler is called for: 0 to call the function of that number, 1 when a program that calls it was
/// compiled, 2 when that program is gone. `call` is null for 1 and 2. It returns 0, or another number for a failure, and then
/// says why with [`StrataSetHostCallbackError`].
pub type Handler = unsafe extern "C" fn(request: i32, number: i64, call: *const Call) -> i32;

const CALL: i32 = 0;
const HOLD: i32 = 1;
const RELEASE: i32 = 2;

static HANDLER: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

thread_local! {
    /// Why the handler failed on this thread.
    static REASON: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Sets the handler of the process; null for none, which every client whose handler may go away does before that.
#[unsafe(no_mangle)]
pub extern "C" fn StrataSetHostCallback(handler: Option<Handler>) {
    let address = handler.map_or(ptr::null_mut(), |handler| handler as *mut c_void);
    HANDLER.store(address, Ordering::Release);
}

/// Says why the handler fails that runs on this thread: `size` bytes of UTF-8, which are copied.
///
/// # Safety
/// `text` has that many bytes; it may be null if there are none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn StrataSetHostCallbackError(text: *const u8, size: usize) {
    let bytes = match text.is_null() {
        true => &[][..],
        // SAFETY: as the caller promises.
        false => unsafe { slice::from_raw_parts(text, size) },
    };
    let reason = String::from_utf8_lossy(bytes).into_owned();
    REASON.with(|kept| *kept.borrow_mut() = Some(reason));
}

fn handler() -> Option<Handler> {
    let address = HANDLER.load(Ordering::Acquire);
    // SAFETY: only handlers are stored.
    (!address.is_null()).then(|| unsafe { mem::transmute::<*mut c_void, Handler>(address) })
}

fn reason() -> Option<String> {
    REASON.with(|kept| kept.borrow_mut().take())
}

/// The target: calls the handler, and ends the program where that fails.
///
/// # Safety
/// `call` describes a call, as a compiled program does.
pub unsafe extern "C" fn call(call: *const Call) -> i32 {
    // SAFETY: as the caller promises.
    let (number, device) = unsafe { (number_of(&*call, NUMBER), number_of(&*call, DEVICE)) };
    let (Some(handler), Some(number)) = (handler(), number) else { return FAILED };
    // SAFETY: the client gave the handler for that.
    let make = || match unsafe { handler(CALL, number, call) } {
        0 => Ok(()),
        _ => Err(REASON.with(|kept| kept.borrow().clone())),
    };
    // SAFETY: as the caller promises.
    match unsafe { once::call(&*call, number, device, make) } {
        Ok(()) => 0,
        Err(reason) => {
            REASON.with(|kept| *kept.borrow_mut() = reason);
            FAILED
        }
    }
}

/// The integer among a call's attributes that has that name.
///
/// # Safety
/// The attributes of the call are as it says.
pub unsafe fn number_of(call: &Call, name: &CStr) -> Option<i64> {
    let wanted = element_code(ElementType::Signed(64));
    let count = usize::try_from(call.attribute_count).ok().filter(|&count| count > 0)?;
    // SAFETY: there are as many; their names end with a zero byte, and an integer has its bytes at `data`.
    unsafe {
        let attributes = slice::from_raw_parts(call.attributes, count);
        let mut named = attributes.iter().filter(|one| CStr::from_ptr(one.name) == name);
        let number = named.next().filter(|one| one.kind == wanted && one.count == 1)?;
        Some(number.data.cast::<i64>().read_unaligned())
    }
}

/// Why a program ended with that status.
pub fn failure(status: i32) -> Failure {
    if status == ffi::FAILED {
        return Failure::internal(format!("a custom call failed: {}", ffi::reason()));
    }
    let failed = (status == FAILED).then(|| {
        let reason = reason();
        reason.unwrap_or_else(|| "the client has no handler for callbacks".to_owned())
    });
    let text = format!("the compiled program returned {status}");
    Failure::internal(failed.map_or(text, |reason| format!("a callback failed: {reason}")))
}

/// The numbers of the functions that a program calls, in ascending order.
///
/// # Errors
/// For a call without a number.
pub fn numbers(module: &Module<'_>) -> Result<Vec<i64>, Failure> {
    let is_callback = |op: strata_ir::Op<'_>| {
        op.kind() == OpKind::CustomCall
            && op.attr("call_target_name").and_then(|name| name.as_str()) == Some(TARGET)
    };
    let number = |op: strata_ir::Op<'_>| {
        let number = op.attr(CONFIG).and_then(|config| config.entry("number"));
        let wrong = || Failure::invalid(format!("a call of `{TARGET}` has no number"));
        number.and_then(|number| number.as_i64()).ok_or_else(wrong)
    };
    let calls = module_op(module).collect(is_callback).into_iter().map(number);
    let mut numbers = calls.collect::<Result<Vec<_>, _>>()?;
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

/// Functions of the client, which it keeps as long as this lives.
#[derive(Default)]
pub struct Held(Vec<i64>);

impl Held {
    /// Asks the client to keep these functions.
    ///
    /// # Errors
    /// If it does not have one of them, or no functions at all.
    pub fn new(numbers: Vec<i64>) -> Result<Self, Failure> {
        let mut held = Self::default();
        for number in numbers {
            let refused = |reason: Option<String>| {
                let reason = reason.unwrap_or_else(|| "it has none".to_owned());
                let text = format!("the client has no function {number} to call: {reason}");
                Failure::new(Code::FailedPrecondition, text)
            };
            let handler = handler().ok_or_else(|| refused(None))?;
            // SAFETY: the client gave the handler for that.
            if unsafe { handler(HOLD, number, ptr::null()) } != 0 {
                return Err(refused(reason()));
            }
            held.0.push(number);
        }
        Ok(held)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        for number in &self.0 {
            if let Some(handler) = handler() {
                // SAFETY: the client gave the handler for that. Nothing can be done if it fails.
                let _ = unsafe { handler(RELEASE, *number, ptr::null()) };
                let _ = reason();
            }
        }
    }
}
