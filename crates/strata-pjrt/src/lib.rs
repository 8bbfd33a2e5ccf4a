//! A PJRT plugin: JAX, and every other client of the PJRT C API, compiles programs with Strata and runs them on the processor
//! that it runs on.
//!
//! The library exports [`GetPjrtApi`], whose table has a function for everything that the C API has in its version; those that
//! Strata does not have return an error that says so; the two functions of [`callback`], those of [`ffi`], and that of [`interrupt`]. A program is compiled from
//! StableHLO, linked in memory and called on the client's buffers; long calls end after their function has returned, which events tell. There are as many
//! devices as the client asks for, each with a memory, all on this processor. A failure is an error of the C API, with the text of Strata's diagnostic; so is a panic.
#![deny(missing_docs)]

pub mod abi;
mod arguments;
mod buffer;
mod cache;
pub mod callback;
mod client;
mod element;
mod event;
mod executable;
mod failure;
pub mod ffi;
mod identity;
pub mod interrupt;
mod layouts;
mod once;
mod plugin;
mod program;
mod proto;
mod queue;
mod serial;
mod split;
mod storage;
mod strides;
pub mod table;

pub use {
    buffer::Buffer,
    client::{Client, Device, Memory},
    event::Event,
    executable::{Executable, LoadedExecutable},
    failure::{Error, Failure},
    layouts::{LAYOUTS, Layouts, MemoryLayout},
};

static API: abi::Api = abi::Api {
    struct_size: size_of::<abi::Api>(),
    extension_start: (&raw const layouts::LAYOUTS).cast(),
    version: abi::Version {
        struct_size: size_of::<abi::Version>(),
        extension_start: std::ptr::null(),
        major: abi::MAJOR,
        minor: abi::MINOR,
    },
    functions: table::FUNCTIONS,
};

/// The table of functions, which lives as long as the library.
#[unsafe(no_mangle)]
pub extern "C" fn GetPjrtApi() -> *const abi::Api {
    &raw const API
}
