//! Functions of the client that follow XLA's foreign function interface: what `jax.ffi.register_ffi_target` takes.
//!
//! A program calls them as it calls every external function, with the description of [`strata_abi::Call`]; that becomes the call
//! frame of XLA's interface. A compiled program knows its functions by address alone, and one function of this library serves
//! one of the client's, so that there is a limit on their number. Written by hand from the facts of the public header.

use std::{
    cell::RefCell,
    collections::VecDeque,
    ffi::{CStr, CString, c_char, c_void},
    mem, ptr, slice,
    sync::{
        Arc, Condvar, Mutex, PoisonError, RwLock,
        atomic::{AtomicI64, Ordering},
    },
};

use strata::{ElementType, element_code};
use strata_abi::{Attribute, Buffer, Call, DICTIONARY, STRING, Target};
use strata_run::Linked;

use crate::failure::Code;

/// The version of XLA's interface that call frames have.
const MAJOR: i32 = 0;
const MINOR: i32 = 3;
/// `XLA_FFI_ExecutionStage`.
const PREPARE: i32 = 1;
const INITIALIZE: i32 = 2;
const EXECUTE: i32 = 3;
/// `XLA_FFI_Extension_Metadata`.
const METADATA: i32 = 1;
/// What the header calls the size of [`Metadata`].
const METADATA_SIZE: usize = mem::offset_of!(Metadata, traits) + size_of::<u32>();
/// `XLA_FFI_ArgType_BUFFER` and `XLA_FFI_RetType_BUFFER`.
const BUFFER: i32 = 1;
/// `XLA_FFI_AttrType`.
const ATTRIBUTE_ARRAY: i32 = 1;
const ATTRIBUTE_DICTIONARY: i32 = 2;
const ATTRIBUTE_SCALAR: i32 = 3;
const ATTRIBUTE_STRING: i32 = 4;
/// The status of a program whose function failed.
pub(crate) const FAILED: i32 = 81;
/// How many functions a process may register: of each there is a copy of [`serve`].
const MOST: usize = 16 * 16;

/// `XLA_FFI_Handler`.
pub type Handler = unsafe extern "C" fn(frame: *mut CallFrame) -> *mut Error;

/// `XLA_FFI_Error`.
pub struct Error {
    code: i32,
    message: CString,
}

/// `XLA_FFI_Extension_Base` with the one extension that there is, `XLA_FFI_Metadata_Extension`.
#[repr(C)]
struct MetadataExtension {
    struct_size: usize,
    kind: i32,
    next: *mut c_void,
    metadata: *mut Metadata,
}

#[repr(C)]
struct Metadata {
    struct_size: usize,
    version: Version,
    traits: u32,
    state_type: i64,
}

#[repr(C)]
struct Version {
    struct_size: usize,
    extension: *mut c_void,
    major: i32,
    minor: i32,
}

/// `XLA_FFI_Buffer`.
#[repr(C)]
struct Tensor {
    struct_size: usize,
    extension: *mut c_void,
    kind: i32,
    data: *mut c_void,
    rank: i64,
    dims: *const i64,
}

/// `XLA_FFI_ByteSpan`.
#[repr(C)]
struct Span {
    text: *const c_char,
    size: usize,
}

/// `XLA_FFI_Scalar`.
#[repr(C)]
struct Scalar {
    kind: i32,
    value: *const c_void,
}

/// `XLA_FFI_Array`.
#[repr(C)]
struct Array {
    kind: i32,
    size: usize,
    data: *const c_void,
}

/// `XLA_FFI_Args` and `XLA_FFI_Rets`.
#[repr(C)]
struct Tensors {
    struct_size: usize,
    extension: *mut c_void,
    size: i64,
    kinds: *const i32,
    items: *const *const Tensor,
}

/// `XLA_FFI_Attrs`.
#[repr(C)]
struct Attributes {
    struct_size: usize,
    extension: *mut c_void,
    size: i64,
    kinds: *const i32,
    names: *const *const Span,
    items: *const *const c_void,
}

/// `XLA_FFI_CallFrame`.
#[repr(C)]
pub struct CallFrame {
    struct_size: usize,
    extension: *mut c_void,
    api: *const Api,
    context: *mut c_void,
    stage: i32,
    arguments: Tensors,
    results: Tensors,
    attributes: Attributes,
    future: *mut Future,
}

/// `XLA_FFI_Handler_Bundle`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Bundle {
    /// Would make the state of a call, which there is none of here.
    pub instantiate: Option<Handler>,
    /// Called before `execute`.
    pub prepare: Option<Handler>,
    /// Called between the two.
    pub initialize: Option<Handler>,
    /// The function.
    pub execute: Option<Handler>,
}

/// `XLA_FFI_Future`: whether what a function goes on with after it has returned has ended.
#[derive(Default)]
pub struct Future {
    ended: Mutex<Option<Result<(), String>>>,
    changed: Condvar,
}

/// `XLA_FFI_Api`.
#[repr(C)]
struct Api {
    struct_size: usize,
    extension: *mut c_void,
    version: Version,
    internal: *const c_void,
    error_create: unsafe extern "C" fn(*mut ErrorCreate) -> *mut Error,
    error_message: unsafe extern "C" fn(*mut ErrorMessage),
    error_destroy: unsafe extern "C" fn(*mut OfError),
    handler_register: unsafe extern "C" fn(*mut c_void) -> *mut Error,
    stream_get: unsafe extern "C" fn(*mut c_void) -> *mut Error,
    type_register: unsafe extern "C" fn(*mut c_void) -> *mut Error,
    context_get: unsafe extern "C" fn(*mut c_void) -> *mut Error,
    state_set: unsafe extern "C" fn(*mut c_void) -> *mut Error,
    state_get: unsafe extern "C" fn(*mut c_void) -> *mut Error,
    allocate: unsafe extern "C" fn(*mut Allocate) -> *mut Error,
    free: unsafe extern "C" fn(*mut Free) -> *mut Error,
    schedule: unsafe extern "C" fn(*mut Schedule) -> *mut Error,
    thread_count: unsafe extern "C" fn(*mut ThreadCount) -> *mut Error,
    future_create: unsafe extern "C" fn(*mut OfFuture) -> *mut Error,
    future_set: unsafe extern "C" fn(*mut OfFuture) -> *mut Error,
    future_fail: unsafe extern "C" fn(*mut FutureError) -> *mut Error,
    run: unsafe extern "C" fn(*mut Run) -> *mut Error,
    device: unsafe extern "C" fn(*mut Ordinal) -> *mut Error,
}

// SAFETY: it has constants and functions.
unsafe impl Sync for Api {}

macro_rules! arguments {
    ($($name:ident { $($field:ident: $ty:ty),* })*) => { $(
        #[repr(C)]
        struct $name {
            struct_size: usize,
            extension: *mut c_void,
            $($field: $ty,)*
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
    Ordinal { context: *mut c_void, ordinal: i32 }
}

static API: Api = Api {
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
    type_register: no_types,
    context_get: no_user_data,
    state_set: no_state,
    state_get: no_state,
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

/// Why the last program on this thread ended with [`FAILED`].
pub(crate) fn reason() -> String {
    REASON.with(|kept| kept.borrow_mut().split_off(0))
}

/// # Safety
/// The error is null or one of ours, and is not used again.
unsafe fn taken(error: *mut Error) -> Option<Box<Error>> {
    // SAFETY: as the caller promises.
    (!error.is_null()).then(|| unsafe { Box::from_raw(error) })
}

unsafe extern "C" fn no_registration(_: *mut c_void) -> *mut Error {
    refuse(Code::Unimplemented, "Strata's functions are registered by StrataRegisterFfi")
}

unsafe extern "C" fn no_stream(_: *mut c_void) -> *mut Error {
    refuse(Code::Unimplemented, "Strata computes on the processor, which has no stream")
}

unsafe extern "C" fn no_types(_: *mut c_void) -> *mut Error {
    refuse(Code::Unimplemented, "Strata has no types of functions' states")
}

unsafe extern "C" fn no_user_data(_: *mut c_void) -> *mut Error {
    refuse(Code::NotFound, "the execution has no data of the user")
}

unsafe extern "C" fn no_state(_: *mut c_void) -> *mut Error {
    refuse(Code::Unimplemented, "Strata keeps no state of functions")
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
    /// Why a function failed on this thread.
    static REASON: RefCell<String> = const { RefCell::new(String::new()) };
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
    fn text(&self) -> String {
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

    fn wait(&self) -> Result<(), String> {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match ended.take() {
                Some(how) => return how,
                None => ended = self.changed.wait(ended).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// All types that have a code of `XLA_FFI_DataType`, by it.
const TYPES: &[(i32, ElementType)] = &[
    (1, ElementType::Bool),
    (2, ElementType::Signed(8)),
    (3, ElementType::Signed(16)),
    (4, ElementType::Signed(32)),
    (5, ElementType::Signed(64)),
    (6, ElementType::Unsigned(8)),
    (7, ElementType::Unsigned(16)),
    (8, ElementType::Unsigned(32)),
    (9, ElementType::Unsigned(64)),
    (10, ElementType::Float(16)),
    (11, ElementType::Float(32)),
    (12, ElementType::Float(64)),
    (15, ElementType::Complex(64)),
    (16, ElementType::BFloat16),
    (18, ElementType::Complex(128)),
    (19, ElementType::SmallFloat("f8E5M2")),
    (20, ElementType::SmallFloat("f8E4M3FN")),
    (21, ElementType::Signed(4)),
    (22, ElementType::Unsigned(4)),
    (23, ElementType::SmallFloat("f8E4M3B11FNUZ")),
    (24, ElementType::SmallFloat("f8E5M2FNUZ")),
    (25, ElementType::SmallFloat("f8E4M3FNUZ")),
    (26, ElementType::Signed(2)),
    (27, ElementType::Unsigned(2)),
    (28, ElementType::SmallFloat("f8E4M3")),
    (29, ElementType::SmallFloat("f8E3M4")),
    (32, ElementType::SmallFloat("f4E2M1FN")),
    (33, ElementType::SmallFloat("f8E8M0FNU")),
];

/// The code of `XLA_FFI_DataType` for one of ours.
fn kind_of(code: i32) -> Option<i32> {
    TYPES.iter().find(|(_, element)| element_code(*element) == code).map(|(kind, _)| *kind)
}

/// Buffers in the form of XLA's interface.
struct OwnedTensors {
    kinds: Vec<i32>,
    places: Vec<*const Tensor>,
    /// What the places point to.
    _tensors: Vec<Tensor>,
}

impl OwnedTensors {
    /// # Safety
    /// There are `count` buffers, which live as long as this.
    unsafe fn of(buffers: *const Buffer, count: i32) -> Result<Self, String> {
        let count = usize::try_from(count).unwrap_or_default();
        let buffers = match count {
            0 => &[],
            // SAFETY: as the caller promises.
            _ => unsafe { slice::from_raw_parts(buffers, count) },
        };
        let tensor = |buffer: &Buffer| -> Result<Tensor, String> {
            let code = buffer.element_type;
            Ok(Tensor {
                struct_size: size_of::<Tensor>(),
                extension: ptr::null_mut(),
                kind: kind_of(code).ok_or_else(|| format!("XLA has no type for code {code:#x}"))?,
                data: buffer.data,
                rank: i64::from(buffer.rank),
                dims: buffer.dimensions,
            })
        };
        let tensors = buffers.iter().map(tensor).collect::<Result<Vec<_>, String>>()?;
        let places = tensors.iter().map(ptr::from_ref).collect();
        Ok(Self { kinds: vec![BUFFER; count], places, _tensors: tensors })
    }

    fn frame(&self) -> Tensors {
        Tensors {
            struct_size: size_of::<Tensors>(),
            extension: ptr::null_mut(),
            size: self.places.len() as i64,
            kinds: self.kinds.as_ptr(),
            items: self.places.as_ptr(),
        }
    }
}

/// Attributes in the form of XLA's interface, sorted by name as they are in a call.
#[derive(Default)]
#[allow(clippy::vec_box, reason = "the call frame has the addresses")]
struct OwnedAttributes {
    kinds: Vec<i32>,
    names: Vec<*const Span>,
    items: Vec<*const c_void>,
    /// What the names and items point to.
    spans: Vec<Box<Span>>,
    scalars: Vec<Box<Scalar>>,
    arrays: Vec<Box<Array>>,
    nested: Vec<(Box<Attributes>, Self)>,
}

impl OwnedAttributes {
    /// # Safety
    /// There are `count` attributes as a call has them, which live as long as this.
    unsafe fn of(attributes: *const Attribute, count: i64) -> Result<Self, String> {
        let mut owned = Self::default();
        let count = usize::try_from(count).unwrap_or_default();
        let all = match count {
            0 => &[],
            // SAFETY: as the caller promises.
            _ => unsafe { slice::from_raw_parts(attributes, count) },
        };
        for one in all {
            // SAFETY: names end with a zero byte.
            let name = unsafe { CStr::from_ptr(one.name) };
            let place = owned.span(one.name, name.to_bytes().len());
            owned.names.push(place);
            let size = usize::try_from(one.count).unwrap_or_default();
            let (kind, item): (i32, *const c_void) = match one.kind {
                STRING => (ATTRIBUTE_STRING, owned.span(one.data.cast(), size).cast()),
                DICTIONARY => {
                    // SAFETY: a dictionary has as many attributes.
                    let nested = unsafe { Self::of(one.data.cast(), one.count) }?;
                    let frame = Box::new(nested.frame());
                    let place = ptr::from_ref(&*frame).cast();
                    owned.nested.push((frame, nested));
                    (ATTRIBUTE_DICTIONARY, place)
                }
                code => {
                    let Some(kind) = kind_of(code) else {
                        let name = name.to_string_lossy();
                        return Err(format!("attribute `{name}` has no form in XLA's interface"));
                    };
                    if one.is_array == 0 {
                        owned.scalars.push(Box::new(Scalar { kind, value: one.data }));
                        let last = owned.scalars.last().map_or(ptr::null(), |one| &raw const **one);
                        (ATTRIBUTE_SCALAR, last.cast())
                    } else {
                        owned.arrays.push(Box::new(Array { kind, size, data: one.data }));
                        let last = owned.arrays.last().map_or(ptr::null(), |one| &raw const **one);
                        (ATTRIBUTE_ARRAY, last.cast())
                    }
                }
            };
            owned.kinds.push(kind);
            owned.items.push(item);
        }
        Ok(owned)
    }

    fn span(&mut self, text: *const c_char, size: usize) -> *const Span {
        let span = Box::new(Span { text, size });
        let place = ptr::from_ref(&*span);
        self.spans.push(span);
        place
    }

    fn frame(&self) -> Attributes {
        Attributes {
            struct_size: size_of::<Attributes>(),
            extension: ptr::null_mut(),
            size: self.items.len() as i64,
            kinds: self.kinds.as_ptr(),
            names: self.names.as_ptr(),
            items: self.items.as_ptr(),
        }
    }
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
    thread_local! {
        static REASON: RefCell<CString> = RefCell::new(CString::default());
    }
    let name = match name.is_null() {
        true => &[][..],
        // SAFETY: as the caller promises.
        false => unsafe { slice::from_raw_parts(name, size) },
    };
    // SAFETY: as the caller promises.
    let bundle = unsafe { bundle.as_ref() };
    match add(&String::from_utf8_lossy(name), bundle.copied()) {
        Ok(()) => ptr::null(),
        Err(reason) => REASON.with(|kept| {
            *kept.borrow_mut() = CString::new(reason).unwrap_or_default();
            kept.borrow().as_ptr()
        }),
    }
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
    if bundle.instantiate.is_some() {
        return Err(format!(
            "`{name}` has a function for the stage `instantiate`: Strata keeps no state of functions"
        ));
    }
    for handler in [bundle.prepare, bundle.initialize, Some(execute)].into_iter().flatten() {
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
    let nothing = OwnedTensors { kinds: Vec::new(), places: Vec::new(), _tensors: Vec::new() };
    let attributes = OwnedAttributes::default();
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

impl CallFrame {
    fn new(arguments: &OwnedTensors, results: &OwnedTensors, attributes: &OwnedAttributes) -> Self {
        Self {
            // Without the last field: what the header calls the size, and its functions compare with.
            struct_size: mem::offset_of!(Self, future),
            extension: ptr::null_mut(),
            api: &raw const API,
            context: ptr::null_mut(),
            stage: EXECUTE,
            arguments: arguments.frame(),
            results: results.frame(),
            attributes: attributes.frame(),
            future: ptr::null_mut(),
        }
    }
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
    let stages =
        [(PREPARE, bundle.prepare), (INITIALIZE, bundle.initialize), (EXECUTE, bundle.execute)];
    for (stage, handler) in stages {
        let Some(handler) = handler else { continue };
        let mut frame = CallFrame::new(&arguments, &results, &attributes);
        frame.stage = stage;
        // SAFETY: the frame is as XLA's interface has it, and lives until what the function does has ended.
        if let Some(error) = unsafe { taken(handler(&raw mut frame)) } {
            return Err(error.text());
        }
        if !frame.future.is_null() {
            // SAFETY: the function made it by `future_create`.
            unsafe { Arc::from_raw(frame.future) }.wait()?;
        }
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
