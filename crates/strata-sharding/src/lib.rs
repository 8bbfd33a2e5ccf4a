//! How the values of a program are split over devices: what the program says, and what follows from it for all other values.
//!
//! ```text
//! func @main(%x : 8x6 [{"data"}, {}], %w : 6x4 [{}, {"model"}])        func @main(%x : 8x6 [{"data"}, {}], %w : 6x4 [{}, {"model"}])
//!   %y = dot_general %x, %w : 8x4                                 →      %y = dot_general %x, %w : 8x4 [{"data"}, {"model"}]
//!   %z = tanh %y : 8x4                                                   %z = tanh %y : 8x4 [{"data"}, {"model"}]
//! ```
//!
//! [`propagate`] leaves a sharding on every value, which the partitioner relies on: an attribute `sdy.sharding` of each argument and
//! result of the function, and of each operation a list of those of its results, also in the regions of loops, branches and bodies of
//! devices. All are closed and without priorities.
//!
//! [`exchanges`] reads what programs after propagation have into what those before it have.
//!
//! [`gspmd`] reads the form that older exporters write, strings in attributes `mhlo.sharding`, into the same form.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod axes;
pub mod exchanges;
pub mod gspmd;
mod propagation;

pub use propagation::{Conflict, Propagated, propagate};
