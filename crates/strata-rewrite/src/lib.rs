//! Patterns, the rewriter and the drivers that apply them.
//!
//! Two drivers serve two kinds of stage:
//!
//! * [`apply_greedily`] rewrites in place until nothing applies (stage 10: simplification within
//!   one dialect). MLIR's greedy driver does the worklist; the callback into Rust is the one
//!   unsafe pattern callback of the project.
//! * [`leftover_operations, lower_function`] visits every operation once, in order, and builds a new function next
//!   to the old one (stage 20: from one dialect to others). The old operation is intact while its lowering runs, so
//!   that element types such as `ui8`, which the target dialect lacks, can still be read from it.
//!
//! A pattern that does not apply gives a reason ([`Declined`]). The reasons are collected, and an operation that no
//! pattern applies to is reported with all of them. A panic in a pattern never crosses the C callback: it becomes
//! diagnostic `S9001`.
#![deny(missing_docs)]

mod greedy;
mod lowering;
mod outcome;
mod panics;

pub use greedy::{
    Event, Pattern, Report, Rewriter, apply_greedily, apply_to_present, explain_greedily,
};
pub use lowering::{Lowerer, Lowering, leftover_operations, lower_function};
pub use outcome::{Declined, Guard, Outcome};
