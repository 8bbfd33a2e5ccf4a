//! Compiled code against the evaluator: inputs to try, how far apart results may be, and which operation is
//! the first to differ.
//!
//! The compiled side is a function that the caller gives, from a program's text and inputs to outputs.

mod bisect;
pub mod edit;
mod generate;
mod inputs;
mod judge;

pub use bisect::{Compiled, Culprit, Reference, Sides, first_difference};
pub use generate::{Generated, random_program};
pub use inputs::{Values, random_tensor};
pub use judge::{Judgement, Tolerance, judge_all};
