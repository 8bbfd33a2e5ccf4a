//! The room for tuning: every threshold of the stages that trades time, code size or compile time, with what it was
//! measured on.
//!
//! Two machines were measured on: "the Xeon", an Intel Xeon with AVX-512 and AMX, one thread, beside XLA:CPU, and
//! "the EPYC", an AMD EPYC (Zen 4, two cores of a virtual machine). The figures are from
//! `docs/performance.md`, which says more of each. "Not measured" means that the number is a guess that no experiment has
//! varied.
//!
//! What follows from the target is not here but computed: lanes, registers and caches are in [`Target`](crate::Target), tile
//! sizes in the cost model of stage `schedule`. Numbers here are the same for every target.

pub mod attention;
mod loops;
mod nests;
mod objects;
mod programs;

pub use loops::*;
pub use nests::*;
pub use objects::*;
pub use programs::*;
