//! Programs built in Rust by XLA's operation semantics.
//!
//! ```
//! use strata_builder::{Builder, F32, Literal};
//!
//! # fn main() -> strata_builder::Result<()> {
//! let b = Builder::new("layer");
//! let x = b.parameter(F32, [2, 3], "x");
//! let w = b.constant([[1.0_f32, 0.0], [0.0, 1.0], [1.0, 1.0]]);
//! let bias = b.constant([0.5_f32, -0.5]);
//! let y = x.dot(&w)?.add_in_dim(&bias, &[1])?.tanh()?;
//! let program = b.build(&y)?;
//!
//! let x = Literal::from([[1.0_f32, 2.0, 3.0], [-1.0, 0.0, 1.0]]);
//! let expected = program.evaluate(&[x.clone()])?;
//! assert_eq!(expected[0].dimensions(), [2, 2]);
//! # Ok(())
//! # }
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod broadcast;
mod builder;
mod computation;
mod element;
mod error;
mod graph;
mod literal;
mod op;
mod operand;
mod ops;
mod program;
mod ready;
mod shape;

pub use builder::Builder;
pub use computation::{Computation, Program};
pub use element::*;
pub use error::{Error, Result};
pub use literal::Literal;
pub use op::Op;
pub use operand::Operand;
pub use ops::*;
pub use program::{Function, native};
pub use shape::{ArrayShape, Shape, UNBOUNDED};
pub use strata::{Artifact, Compiler, Linked, OptLevel, Options, Stage, Target};
pub use strata_diag::Code;
pub use strata_ir::{ComparisonDirection, ComparisonType};
