//! Compiled code beside the reference evaluator: the engines of `strata test`.
//!
//! A program with expectations is cut in two ([`Split`]): what it computes, which is compiled, and
//! the expectations, which the evaluator decides on what the compiled code returned. One set of
//! comparison rules serves both engines.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod engine;
mod meaning;
mod outside;
mod split;
mod verify;

pub use engine::{Engine, run};
pub use outside::{outside, spec, spec_of};
pub use split::{Split, Uncut};
pub use verify::{OutputReport, Round, Settings, Verification, verify};
