//! The run time of compiled objects in this process: [`Linked`] says what their calls find, [`Loaded`] is an object
//! ready to be called, [`LoadedDynamic`] one that takes sizes at each call, [`Image`] one with several entries.
//!
//! The compiler knows nothing of it: an object needs none of this where a system linker puts it into a program.
#![deny(missing_docs)]

mod buffers;
mod checksum;
mod devices;
mod dynamic;
mod effort;
mod interrupts;
mod jit;
mod library;
mod linked;
mod loaded;
mod mpi;
pub mod sampling;
mod shared;
mod tiles;
mod worker;

pub use checksum::sealed;
pub use devices::call_on_devices;
pub use dynamic::{BoundDynamic, DynamicCall, LoadedDynamic};
pub use effort::{Effort, undisturbed};
pub use interrupts::{
    end_by_interrupt, hold_interrupts, is_interrupted, pass_interrupts_on, wait_for,
};
pub use jit::Image;
pub use library::Entry;
pub use linked::{Environment, Foreign, HostIo, Linked, Named, Number};
pub use loaded::{Bound, Loaded, MappedWeights};
pub use mpi::{MPI_SOURCES, MpiLibrary, Rank};
pub use shared::link_by_cc;
pub use tiles::are_permitted as are_tiles_permitted;
pub use worker::{Side, fork, leave};
