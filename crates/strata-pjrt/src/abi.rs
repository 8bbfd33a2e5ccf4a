//! The structures of the PJRT C API, as far as the functions that Strata has use them.
//!
//! Written by hand from the facts of the public header: the bindings on crates.io run libclang and a protocol compiler when
//! they are built, and describe older minor versions. Every argument structure starts with its size and a chain of extensions;
//! later versions only add fields at the end, so a longer structure than ours is a newer client's, a shorter one lacks fields
//! that we need.

use std::{ffi::c_char, ffi::c_void, ptr, slice};

use crate::{
    buffer::Buffer,
    client::{Client, Device, Memory},
    event::Event,
    executable::{Executable, LoadedExecutable},
    failure::{Error, Failure},
    layouts::MemoryLayout,
};

/// The version that the table has: from 105 on a memory begins with a table of functions of its own.
pub const MAJOR: i32 = 0;
/// See [`MAJOR`].
pub const MINOR: i32 = 104;

/// An argument structure of a function.
///
/// # Safety
/// The layout is that of the C structure.
pub unsafe trait Arguments {
    /// The bytes up to the end of the last field that is used.
    const NEEDED: usize;
}

/// An object of ours that the client holds; null in structures that have none yet.
#[repr(transparent)]
pub struct Handle<T>(pub *mut T);

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

// SAFETY: a handle is an address; what it leads to is shared between threads only where that type allows it.
unsafe impl<T: Sync> Send for Handle<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Handle<T> {}

impl<T> Handle<T> {
    /// No object.
    pub const NULL: Self = Self(ptr::null_mut());

    /// A new object, which the client destroys.
    pub fn new(object: T) -> Self {
        Self(Box::into_raw(Box::new(object)))
    }

    /// The object.
    ///
    /// # Errors
    /// For null.
    pub fn get<'a>(self) -> Result<&'a T, Failure> {
        // SAFETY: clients pass handles that they were given and have not destroyed: the contract of the C API, to which
        // argument structures are subject (`guard`).
        unsafe { self.0.as_ref() }.ok_or_else(|| Failure::invalid("a handle is null"))
    }

    /// Destroys the object; null is none.
    pub fn destroy(self) {
        if !self.0.is_null() {
            // SAFETY: as in `get`: the handle came from `new`, and is destroyed once.
            drop(unsafe { Box::from_raw(self.0) });
        }
    }
}

/// Elements of the client.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Items<T>(pub *const T);

impl<T> Items<T> {
    /// The elements.
    ///
    /// # Errors
    /// For null, unless `count` is 0.
    pub fn get<'a>(&self, count: usize) -> Result<&'a [T], Failure> {
        if count == 0 {
            return Ok(&[]);
        }
        if self.0.is_null() || !self.0.is_aligned() {
            return Err(Failure::invalid(format!("an array of {count} elements has no address")));
        }
        // SAFETY: the client says that there are as many.
        Ok(unsafe { slice::from_raw_parts(self.0, count) })
    }
}

macro_rules! arguments {
    ($($(#[$doc:meta])* $name:ident $(<$($generic:ident),+>)? { $($field:ident: $ty:ty),* $(,)? })*) => { $(
        $(#[$doc])*
        #[repr(C)]
        #[allow(missing_docs, reason = "the fields are those of the public header")]
        pub struct $name $(<$($generic),+>)? {
            pub struct_size: usize,
            pub extension_start: *const c_void,
            $(pub $field: $ty,)*
        }

        // SAFETY: the fields are those of the header, in its order.
        unsafe impl $(<$($generic),+>)? Arguments for $name $(<$($generic),+>)? {
            const NEEDED: usize = {
                let ends: &[usize] =
                    &[16, $(std::mem::offset_of!(Self, $field) + size_of::<$ty>()),*];
                // The fields are in order.
                ends[ends.len() - 1]
            };
        }
    )* };
}

arguments! {
    /// No arguments.
    Nothing {}
    /// An object.
    Of<T> { object: Handle<T> }
    /// An object and what is asked of it.
    Value<T, V> { object: Handle<T>, value: V }
    /// An object and a list, or a text.
    List<T, V> { object: Handle<T>, items: *const V, count: usize }
    /// The same in the other order.
    Counted<T, V> { object: Handle<T>, count: usize, items: *const V }
    /// A list that is there as long as the library.
    Attributes { items: *const NamedValue, count: usize }
    /// `PJRT_NamedValue`.
    NamedValue { name: *const c_char, name_size: usize, kind: i32, value: Union, value_size: usize }
    /// `PJRT_Event_OnReady_Args`.
    OnReady { event: Handle<Event>, callback: Option<Callback>, user_arg: *mut c_void }
    /// `PJRT_Client_Create_Args`.
    CreateClient {
        options: Items<NamedValue>, count: usize,
        kv_get: *const c_void, kv_get_arg: *const c_void, kv_put: *const c_void, kv_put_arg: *const c_void,
        client: Handle<Client>,
    }
    /// `PJRT_Client_LookupDevice_Args`, and of addressable devices.
    Lookup { client: Handle<Client>, id: i32, device: Handle<Device> }
    /// `PJRT_Program`.
    Program { code: Items<u8>, code_size: usize, format: Items<u8>, format_size: usize }
    /// `PJRT_Client_Compile_Args`.
    Compile {
        client: Handle<Client>, program: Items<Program>, options: Items<u8>, options_size: usize,
        executable: Handle<LoadedExecutable>,
    }
    /// `PJRT_Executable_OptimizedProgram_Args`.
    OptimizedProgram { executable: Handle<Executable>, program: *mut Program }
    /// `PJRT_Client_DefaultDeviceAssignment_Args`.
    DefaultAssignment { client: Handle<Client>, replicas: i32, partitions: i32, size: usize, assignment: *mut i32 }
    /// `PJRT_Buffer_MemoryLayout_Tiled` in a `PJRT_Buffer_MemoryLayout`, whose other member is a prefix of it.
    Layout {
        inner_size: usize, inner_extension: *const c_void, order: Items<i64>, order_size: usize,
        tiles: *const i64, tile_sizes: *const usize, tile_count: usize, kind: i32,
    }
    /// `PJRT_Client_BufferFromHostBuffer_Args`.
    FromHost {
        client: Handle<Client>, data: *const u8, element: i32, dims: Items<i64>, rank: usize, strides: Items<i64>,
        stride_count: usize, semantics: i32, device: Handle<Device>, memory: Handle<Memory>, layout: Items<Layout>,
        done: Handle<Event>, buffer: Handle<Buffer>,
    }
    /// `PJRT_Device_GetAttributes_Args`.
    DeviceAttributes {
        device: Handle<Device>, items: *const NamedValue, count: usize, owner: *mut c_void, deleter: Option<Deleter>,
    }
    /// `PJRT_LoadedExecutable_GetDeviceAssignment_Args`.
    Assignment {
        executable: Handle<LoadedExecutable>, bytes: *const u8, size: usize, owner: *mut c_void, deleter: Option<Deleter>,
    }
    /// `PJRT_Executable_Serialize_Args`.
    Serialize {
        executable: Handle<Executable>, bytes: *const u8, size: usize, owner: *mut c_void, deleter: Option<Deleter>,
    }
    /// `PJRT_Executable_DeserializeAndLoad_Args`.
    Deserialize { client: Handle<Client>, bytes: Items<u8>, size: usize, executable: Handle<LoadedExecutable> }
    /// `PJRT_Executable_GetCostAnalysis_Args`.
    CostAnalysis { executable: Handle<Executable>, count: usize, items: *const NamedValue }
    /// `PJRT_Device_MemoryStats_Args`, as far as there are numbers: each but the first with whether it is set.
    DeviceMemory {
        device: Handle<Device>, in_use: i64, peak: i64, has_peak: bool, count: i64, has_count: bool,
        largest: i64, has_largest: bool, limit: i64, has_limit: bool, reserved: i64, has_reserved: bool,
        peak_reserved: i64, has_peak_reserved: bool, reservable: i64, has_reservable: bool,
        largest_free: i64, has_largest_free: bool, pool: i64, has_pool: bool, peak_pool: i64, has_peak_pool: bool,
    }
    /// `PJRT_ExecuteOptions`.
    ExecuteOptions {
        sends: *const c_void, receives: *const c_void, send_count: usize, receive_count: usize, launch_id: i32,
        kept: Items<i64>, kept_count: usize,
    }
    /// `PJRT_LoadedExecutable_Execute_Args`.
    Execute {
        executable: Handle<LoadedExecutable>, options: Items<ExecuteOptions>, arguments: Items<Items<Handle<Buffer>>>,
        devices: usize, count: usize, outputs: Items<*mut Handle<Buffer>>, events: *mut Handle<Event>,
        device: Handle<Device>,
    }
    /// `PJRT_Executable_GetCompiledMemoryStats_Args`.
    MemoryStats {
        executable: Handle<Executable>, code: i64, arguments: i64, outputs: i64, aliased: i64, temporaries: i64,
        host_code: i64, host_arguments: i64, host_outputs: i64, host_aliased: i64, host_temporaries: i64,
    }
    /// `PJRT_Executable_OutputDimensions_Args`, and of memory kinds.
    PerOutput<V, S> { executable: Handle<Executable>, count: usize, items: *const V, sizes: *const S }
    /// `PJRT_Buffer_GetMemoryLayout_Args`.
    GetLayout { buffer: Handle<Buffer>, layout: Layout }
    /// `PJRT_Buffer_ToHostBuffer_Args`.
    ToHost { buffer: Handle<Buffer>, layout: Items<Layout>, data: *mut u8, size: usize, event: Handle<Event> }
    /// `PJRT_Layouts_MemoryLayout_Serialize_Args`.
    SerializeLayout {
        layout: Handle<MemoryLayout>, bytes: *const c_char, size: usize, owner: *mut c_void, deleter: Option<Deleter>,
    }
    /// `PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args`.
    DefaultLayout<T> { object: Handle<T>, element: i32, dims: Items<i64>, rank: usize, layout: Handle<MemoryLayout> }
    /// `PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args`, and of parameters.
    ExecutableLayouts { executable: Handle<Executable>, count: usize, layouts: Items<Handle<MemoryLayout>> }
    /// `PJRT_Buffer_CopyToDevice_Args` and `PJRT_Buffer_CopyToMemory_Args`.
    CopyTo<T> { buffer: Handle<Buffer>, to: Handle<T>, copy: Handle<Buffer> }
}

/// The value of a named value: a number, or the address of a text or of numbers.
#[repr(C)]
#[derive(Clone, Copy)]
pub union Union {
    /// Bytes, as many as the value's size.
    pub text: *const c_char,
    /// A number.
    pub int: i64,
    /// Numbers, as many as the value's size.
    pub ints: *const i64,
    /// A number of 32 bits.
    pub float: f32,
    /// A truth value.
    pub bool: bool,
}

// SAFETY: named values are constants, and so is what they point to.
unsafe impl Sync for NamedValue {}
// SAFETY: as above.
unsafe impl Send for NamedValue {}

/// `PJRT_Event_OnReadyCallback`.
pub type Callback = unsafe extern "C" fn(error: *mut Error, user_arg: *mut c_void);
/// Destroys what an answer belongs to.
pub type Deleter = unsafe extern "C" fn(owner: *mut c_void);

/// The [`Deleter`] of what is a constant.
///
/// # Safety
/// It does nothing.
pub unsafe extern "C" fn keep(_: *mut c_void) {}

/// `PJRT_LogicalDeviceIds`.
#[repr(C)]
pub struct LogicalId {
    /// The replica.
    pub replica: i32,
    /// The partition.
    pub partition: i32,
}

/// A function of the table.
pub type Entry = unsafe extern "C" fn(arguments: *mut c_void) -> *mut Error;

/// `PJRT_Api_Version`.
#[repr(C)]
pub struct Version {
    /// The size of this structure.
    pub struct_size: usize,
    /// None.
    pub extension_start: *const c_void,
    /// [`MAJOR`].
    pub major: i32,
    /// [`MINOR`].
    pub minor: i32,
}

/// `PJRT_Extension_Type_Layouts`.
pub const LAYOUTS_KIND: i32 = 4;

/// `PJRT_Extension_Type_Shardings`.
pub const SHARDINGS_KIND: i32 = 19;

/// `PJRT_Shardings_Extension`.
#[repr(C)]
pub struct Shardings {
    /// The size of this structure.
    pub struct_size: usize,
    /// [`SHARDINGS_KIND`].
    pub kind: i32,
    /// The next extension.
    pub next: *const c_void,
    /// Of arguments.
    pub parameters: Entry,
    /// Of results.
    pub outputs: Entry,
}

// SAFETY: nothing writes it.
unsafe impl Sync for Shardings {}

/// `PJRT_Api`.
#[repr(C)]
pub struct Api {
    /// The size of this structure.
    pub struct_size: usize,
    /// None.
    pub extension_start: *const c_void,
    /// The version of the C API.
    pub version: Version,
    /// In the order of [`crate::table::NAMES`].
    pub functions: [Option<Entry>; crate::table::COUNT],
}

// SAFETY: nothing writes it, and its pointers are null or functions.
unsafe impl Sync for Api {}
