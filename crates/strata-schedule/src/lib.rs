//! Stage 30: schedules for the hot nests.
//!
//! A nest is a linalg operation with the producers that its tiles can hold ([`nest`]). Each nest is
//! copied into a function of its own ([`outline`]), classified ([`plan`]), and transformed by a
//! schedule: a transform-dialect sequence that Rust writes for the nest's shape and the target
//! (register tiles, rows, elementwise,
//! transposes), with tile sizes from a small cost model ([`cost`]). The transformed body replaces
//! the nest. A schedule that fails is thrown away with its copy, and the next simpler one is tried;
//! the last resort is to leave the nest as linalg, for stage 40.
//!
//! # What is left to later stages
//!
//! Input and output have the same function signatures. A scheduled nest consists of
//!
//! - `scf.for` over `tensor.extract_slice` / `tensor.insert_slice`; accumulators are vector
//!   `iter_args`; the outermost loops carry `strata.schedule`, a string;
//! - `vector.transfer_read` / `transfer_write` on tensors, in bounds, of vectors of one row and at
//!   most one register of the target;
//! - `math.fma` on such vectors where the target has the instruction, else multiply and add;
//! - `vector.multi_reduction` and `vector.reduction` at the end of row reductions;
//! - `tensor.empty` for packed panels: temporaries of one loop trip that bufferization may hoist.
//!
//! All else stays linalg on tensors.
#![deny(missing_docs)]

mod apply;
mod collapse;
pub mod cost;
mod destinations;
mod elementwise;
mod fma;
pub mod nest;
pub mod outline;
mod panels;
mod plan;
mod register;
mod rows;
pub mod script;
pub mod structured;
pub mod tags;
mod transpose;
mod turn;

pub use apply::{check, print_schedule, run, run_with};
