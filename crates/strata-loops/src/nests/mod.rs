//! Optimisation of nests after buffer assignment, which it does not change.

mod accumulators;
pub mod copies;
pub mod counted;
pub mod in_place;
mod indices;
pub mod kernels;
pub mod limits;
mod masks;
mod panels;
mod reductions;
pub mod rests;
pub mod starts;
mod streams;
pub mod tasks;

pub(crate) use accumulators::{is_outside, is_view, promote as promote_accumulators, viewed};
pub use panels::interleave as interleave_panels;
pub use reductions::{innermost_parallel, loops, reads_along_rows, relax, walks_along_results};
pub use streams::ask_ahead;
