//! Compiled code beside the reference evaluator: the engines of `strata test`.
//!
//! A program with expectations is cut in two ([`Split`]): what it computes, which is compiled, and
//! the expectations, which the evaluator decides on what the compiled code returned. One set of
//! comparison rules serves both engines. [`verify_stages`] runs a program in the form of every stage.
//!
//! [`suite`] runs files of cases, [`verify()`] compares on random inputs and [`first_difference`] finds the operation that
//! differs first; [`judge_all`] decides how far apart results may be, [`random_program`] and [`edit`] make programs.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod bisect;
pub mod edit;
mod engine;
mod forms;
mod generate;
mod judge;
mod meaning;
mod object;
mod outside;
mod split;
mod stages;
pub mod suite;
mod verify;

pub use bisect::{Compiled, Culprit, Reference, Sides, first_difference};
pub use engine::{Engine, run};
pub use forms::{Dump, Form, Levels};
pub use generate::{Generated, random_program};
pub use judge::{Judgement, Tolerance, judge_all};
pub use object::{Object, split_outputs};
pub use outside::{outside, spec, spec_of};
pub use split::{Split, Uncut};
pub use stages::{Difference, FormOutcome, FormReport, StageVerification, verify_stages};
pub use verify::{OutputReport, Round, Settings, Verification, random_inputs, verify};
