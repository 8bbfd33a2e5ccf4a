//! Compares compiled code with the reference evaluator: `strata test` and `strata verify`.
//!
//! A program with expectations is split in two ([`Split`]): the computation, which is compiled, and the expectations,
//! which the evaluator checks on the compiled code's results. Both engines use the same comparison rules.
//! [`verify_stages`] runs a program after every stage, [`Version`] the dumps of one with open sizes.
//!
//! [`suite`] runs files of cases, [`verify()`] compares on random inputs and [`first_difference`] finds the operation that
//! differs first; [`judge_all`] decides how far apart results may be, [`random_program`] and [`edit`] make programs.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod bisect;
mod constrained_inputs;
mod devices;
pub mod edit;
mod engine;
mod external;
mod forms;
mod generate;
mod judge;
mod object;
mod shapes;
mod split;
mod stages;
pub mod suite;
mod verify;
mod version;

pub use bisect::{Compiled, Culprit, Reference, Sides, first_difference};
pub use devices::{communicates, evaluate_split, grid_of, spread};
pub use engine::{Engine, run};
pub use external::{outside, spec, spec_of};
pub use forms::{Dump, Form, Levels};
pub use generate::{Generated, random_program};
pub use judge::{Judgement, Tolerance, judge_all};
pub use object::{DynamicObject, Object, split_outputs, tensors};
pub use shapes::input_shapes;
pub use split::{Split, Uncut};
pub use stages::{Difference, FormOutcome, FormReport, StageVerification, verify_stages};
pub use verify::{
    OutputReport, Progress, Round, Settings, Verification, random_inputs, shapes_of, verify,
};
pub use version::{Version, interpret_all};
