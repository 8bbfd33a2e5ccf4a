//! The run time of compiled objects in this process: [`Linked`] says what their calls find, [`Loaded`] is an object
//! ready to be called, [`LoadedDynamic`] one that takes sizes at each call.
//!
//! The compiler knows nothing of it: an object needs none of this where a system linker puts it into a program.
#![deny(missing_docs)]

mod dynamic;
mod jit;
mod linked;
mod loaded;
mod worker;

pub use dynamic::{DynamicCall, LoadedDynamic};
pub use linked::{Environment, Foreign, HostIo, Linked, Named, Number};
pub use loaded::{Bound, Loaded, MappedWeights};
pub use worker::{Side, fork};
