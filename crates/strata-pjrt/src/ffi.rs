//! Functions of the client that follow XLA's foreign function interface: what `jax.ffi.register_ffi_target` takes.
//!
//! A program calls them as it calls every external function, with the description of [`strata_abi::Call`]; that becomes the call
//! frame of XLA's interface. A compiled program knows its functions by address alone, and one function of this library serves
//! one of the client's, so that there is a limit on their number.

mod api;
mod frame;
mod header;
mod state;

use std::{
    cell::RefCell,
    ffi::{CString, c_char, c_void},
    ptr, slice,
    sync::{Arc, PoisonError, RwLock},
};

use strata_abi::{Call, Target};
use strata_ir::Module;
use strata_run::Linked;

use self::{
    api::taken,
    frame::{OwnedAttributes, OwnedTensors},
    header::{
        EXECUTE, INITIALIZE, INSTANTIATE, MAJOR, METADATA, METADATA_SIZE, MINOR, Metadata,
        MetadataExtension, PREPARE, Span, Version,
    },
    state::Context,
};

pub use self::{
    header::{Bundle, CallFrame, Error, Handler, TypeInfo},
    state::States,
};

/// The status of a program whose function failed.
pub(crate) const FAILED: i32 = 81;
/// How many functions a process may register: of each there is a copy of [`serve`].
const MOST: usize = 16 * 16;

thread_local! {
    /// Why a function failed on this thread.
    static REASON: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Why the last program on this thread ended with [`FAILED`].
pub(crate) fn reason() -> String {
    REASON.with(|kept| kept.borrow_mut().split_off(0))
}

/// A registered function.
struct Function {
    name: String,
    bundle: Bundle,
}

static FUNCTIONS: RwLock<Vec<Function>> = RwLock::new(Vec::new());

/// Registers a function of XLA's interface under a name of `size` bytes, by which programs compiled from here on call it.
/// Returns null, or why it cannot be had: a text that lives until the next call on this thread.
///
/// # Safety
/// `name` has that many bytes, `bundle` is null or as XLA's header has it, and its functions stay where they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn StrataRegisterFfi(
    name: *const u8,
    size: usize,
    bundle: *const Bundle,
) -> *const c_char {
    let name = match name.is_null() {
        true => &[][..],
        // SAFETY: as the caller promises.
        false => unsafe { slice::from_raw_parts(name, size) },
    };
    // SAFETY: as the caller promises.
    let bundle = unsafe { bundle.as_ref() };
    told(add(&String::from_utf8_lossy(name), bundle.copied()))
}

impl Bundle {
    fn addresses(&self) -> [usize; 4] {
        [self.instantiate, self.prepare, self.initialize, self.execute]
            .map(|handler| handler.map_or(0, |handler| handler as usize))
    }
}

fn add(name: &str, bundle: Option<Bundle>) -> Result<(), String> {
    let Some((bundle, execute)) = bundle.and_then(|all| Some((all, all.execute?))) else {
        return Err(format!("`{name}` has no function for the stage `execute`"));
    };
    let stages = [bundle.instantiate, bundle.prepare, bundle.initialize, Some(execute)];
    for handler in stages.into_iter().flatten() {
        check_version(name, handler)?;
    }
    let mut functions = FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner);
    match functions.iter().find(|one| one.name == name) {
        Some(found) if found.bundle.addresses() == bundle.addresses() => Ok(()),
        Some(_) => Err(format!("`{name}` is registered already, with another function")),
        None if functions.len() == MOST => {
            Err(format!("`{name}`: {MOST} functions are registered already"))
        }
        None => {
            functions.push(Function { name: name.to_owned(), bundle });
            Ok(())
        }
    }
}

/// A function says which version of the interface it was compiled for when it is called with a place for that.
fn check_version(name: &str, handler: Handler) -> Result<(), String> {
    let version = Version {
        struct_size: size_of::<Version>(),
        extension: ptr::null_mut(),
        major: -1,
        minor: -1,
    };
    let mut metadata = Metadata { struct_size: METADATA_SIZE, version, traits: 0, state_type: 0 };
    let mut extension = MetadataExtension {
        struct_size: size_of::<MetadataExtension>(),
        kind: METADATA,
        next: ptr::null_mut(),
        metadata: &raw mut metadata,
    };
    let (nothing, attributes) = (OwnedTensors::default(), OwnedAttributes::default());
    let mut frame = CallFrame::new(&nothing, &nothing, &attributes);
    frame.extension = (&raw mut extension).cast();
    // SAFETY: the frame is as XLA makes it for this question.
    if let Some(error) = unsafe { taken(handler(&raw mut frame)) } {
        return Err(format!("`{name}`: {}", error.text()));
    }
    let Version { major, minor, .. } = metadata.version;
    match major == MAJOR {
        true => Ok(()),
        false => Err(format!(
            "`{name}` is for version {major}.{minor} of XLA's interface, Strata has {MAJOR}.{MINOR}"
        )),
    }
}

/// Registers a type of functions' states under a name of `size` bytes, and writes its number, as `XLA_FFI_Type_Register` does.
/// Returns null, or why it cannot be had: a text that lives until the next call on this thread.
///
/// # Safety
/// `name` has that many bytes; `number` is null or valid, 0 or that of an earlier registration; `info` is null or as XLA's header has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn StrataRegisterFfiType(
    name: *const c_char,
    size: usize,
    number: *mut i64,
    info: *const TypeInfo,
) -> *const c_char {
    // SAFETY: as the caller promises.
    told(unsafe { api::register_type(&Span { text: name, size }, number, info) })
}

/// Null, or a text that lives until the next one on this thread.
fn told(refused: Result<(), String>) -> *const c_char {
    thread_local! {
        static TEXT: RefCell<CString> = RefCell::new(CString::default());
    }
    match refused {
        Ok(()) => ptr::null(),
        Err(reason) => TEXT.with(|kept| {
            *kept.borrow_mut() = CString::new(reason).unwrap_or_default();
            kept.borrow().as_ptr()
        }),
    }
}

/// Numbers the calls of a program whose functions have states, before it is compiled; whether there are any.
pub fn number_calls<'c>(context: &'c strata_ir::Context, module: &Module<'c>) -> bool {
    let functions = FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner);
    state::number(context, module, |name| {
        functions.iter().any(|one| one.name == name && one.bundle.instantiate.is_some())
    })
}

/// Gives programs the functions that are registered.
pub fn define(linked: &mut Linked) {
    let functions = FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner);
    for (at, function) in functions.iter().enumerate() {
        linked.define(&function.name, TARGETS[at / 16][at % 16] as *const c_void);
    }
}

/// What a program calls for the function of that number.
///
/// # Safety
/// `call` describes a call, as a compiled program does.
unsafe extern "C" fn serve<const AT: usize>(call: *const Call) -> i32 {
    let function = FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner);
    let Some((name, bundle)) = function.get(AT).map(|one| (one.name.clone(), one.bundle)) else {
        return FAILED;
    };
    // A function may register another one.
    drop(function);
    // SAFETY: as the caller promises.
    match unsafe { execute(&*call, bundle) } {
        Ok(()) => 0,
        Err(reason) => {
            REASON.with(|kept| *kept.borrow_mut() = format!("`{name}`: {reason}"));
            FAILED
        }
    }
}

/// # Safety
/// As [`serve`].
unsafe fn execute(call: &Call, bundle: Bundle) -> Result<(), String> {
    // SAFETY: a call has what it says, until it returns.
    let (arguments, results, attributes) = unsafe {
        (
            OwnedTensors::of(call.inputs, call.input_count)?,
            OwnedTensors::of(call.outputs, call.output_count)?,
            OwnedAttributes::of(call.attributes, i64::from(call.attribute_count))?,
        )
    };
    let state = match bundle.instantiate {
        // SAFETY: as the caller promises.
        Some(handler) => unsafe {
            state::of_call(call, || {
                let (nothing, context) = (OwnedTensors::default(), Context::default());
                let frame = CallFrame::new(&nothing, &nothing, &attributes);
                run(handler, frame, INSTANTIATE, &context)?;
                Ok(context.instantiated())
            })?
        },
        None => None,
    };
    let context = Context::with(state);
    let stages =
        [(PREPARE, bundle.prepare), (INITIALIZE, bundle.initialize), (EXECUTE, bundle.execute)];
    for (stage, handler) in stages {
        if let Some(handler) = handler {
            let frame = CallFrame::new(&arguments, &results, &attributes);
            // SAFETY: the frame is as XLA's interface has it, and lives until what the function does has ended.
            unsafe { run(handler, frame, stage, &context)? };
        }
    }
    Ok(())
}

/// Calls a function, and waits for what it does.
///
/// # Safety
/// The frame's lists are there.
unsafe fn run(
    handler: Handler,
    mut frame: CallFrame,
    stage: i32,
    context: &Context,
) -> Result<(), String> {
    (frame.stage, frame.context) = (stage, context);
    // SAFETY: as the caller promises.
    if let Some(error) = unsafe { taken(handler(&raw mut frame)) } {
        return Err(error.text());
    }
    if !frame.future.is_null() {
        // SAFETY: the function made it by `future_create`.
        unsafe { Arc::from_raw(frame.future) }.wait()?;
    }
    Ok(())
}

macro_rules! row {
    ($first:expr) => {
        [
            serve::<{ $first }>,
            serve::<{ $first + 1 }>,
            serve::<{ $first + 2 }>,
            serve::<{ $first + 3 }>,
            serve::<{ $first + 4 }>,
            serve::<{ $first + 5 }>,
            serve::<{ $first + 6 }>,
            serve::<{ $first + 7 }>,
            serve::<{ $first + 8 }>,
            serve::<{ $first + 9 }>,
            serve::<{ $first + 10 }>,
            serve::<{ $first + 11 }>,
            serve::<{ $first + 12 }>,
            serve::<{ $first + 13 }>,
            serve::<{ $first + 14 }>,
            serve::<{ $first + 15 }>,
        ]
    };
}

/// What programs call, by the numbers of functions.
static TARGETS: [[Target; 16]; MOST / 16] = [
    row!(0),
    row!(16),
    row!(32),
    row!(48),
    row!(64),
    row!(80),
    row!(96),
    row!(112),
    row!(128),
    row!(144),
    row!(160),
    row!(176),
    row!(192),
    row!(208),
    row!(224),
    row!(240),
];
