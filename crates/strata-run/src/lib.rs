//! The run time of compiled objects in this process: [`Linked`] says what their calls find, [`Loaded`] is an object
//! ready to be called, [`LoadedDynamic`] one that takes sizes at each call, [`Image`] one with several entries.
//!
//! The compiler knows nothing of it: an object needs none of this where a system linker puts it into a program.
#![deny(missing_docs)]

mod buffers;
mod checksum;
mod devices;
mod dynamic;
mod jit;
mod library;
mod linked;
mod loaded;
mod mpi;
mod pinned;
pub mod sampling;
mod shared;
mod worker;

pub use checksum::sealed;
pub use devices::call_on_devices;
pub use dynamic::{BoundDynamic, DynamicCall, LoadedDynamic};
pub use jit::Image;
pub use library::Entry;
pub use linked::{Environment, Foreign, HostIo, Linked, Named, Number};
pub use loaded::{Bound, Loaded, MappedWeights};
pub use mpi::{MPI_SOURCES, MpiLibrary, Rank};
pub use pinned::pinned;
pub use shared::link_by_cc;
pub use worker::{Side, fork};
