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
//! let layer = program.load()?; // compiled for this machine
//! let results = layer.call(&[Literal::from([[1.0_f32, 2.0, 3.0], [-1.0, 0.0, 1.0]])])?;
//! assert_eq!(results[0].dimensions(), [2, 2]);
//! # Ok(())
//! # }
//! ```
//!
//! A [`Builder`] builds one program. [`Op`] is a value of it: an array, a tuple or a token. Each operation of XLA's
//! documents is a method under its name in snake case: of `Op` where it has a first operand, of `Builder` where it has
//! none or a list of them. [`Builder::build`] returns a [`Program`], which is also what `reduce`, `while_loop`, `call` and
//! others take as a computation.
//!
//! # For those who do not know XLA
//!
//! A program is a graph of operations on arrays whose sizes are known when it is built. Only shapes are computed while it
//! is built ([`Op::shape`]). Loops and branches are operations too: they take a [`Computation`], which takes all that it
//! needs as parameters.
//!
//! ```
//! use strata_builder::{Builder, Computation, F32, Literal, S32, Shape};
//!
//! # fn main() -> strata_builder::Result<()> {
//! // Double a number until it is 100 or more, and count the steps.
//! let state = Shape::tuple([Shape::scalar(F32), Shape::scalar(S32)]);
//! let below = Computation::new("below", std::slice::from_ref(&state), |_, p| p[0].get_tuple_element(0)?.lt(100.0))?;
//! let double = Computation::new("double", &[state], |b, p| {
//!     let (value, steps) = (p[0].get_tuple_element(0)?, p[0].get_tuple_element(1)?);
//!     b.tuple(&[(value * 2.0)?, (steps + 1)?])
//! })?;
//! let b = Builder::new("doubling");
//! let start = b.tuple(&[b.parameter(F32, [], "start"), b.constant(0_i32)])?;
//! let program = b.build(&b.while_loop(&below, &double, &start)?)?;
//! assert_eq!(program.evaluate(&[3.0_f32.into()])?, [Literal::from(192.0_f32), Literal::from(6_i32)]);
//! # Ok(())
//! # }
//! ```
//!
//! # For those who know XLA
//!
//! - **Errors** are returned by the call: each operation returns a `Result`, whose error names the operation, the line of
//!   Rust and the rule. This is the main style, because `?` stops at the mistake. [`Builder::parameter`] and
//!   [`Builder::constant`] are exceptions and behave like XLA's builder: on failure they return a failed handle, which the
//!   first use and [`Builder::build`] report.
//! - **Broadcasting** is XLA's. A scalar needs nothing, dimensions of size 1 are repeated; arrays of different rank need
//!   `broadcast_dimensions`, which the methods that end in `_in_dim` take.
//! - **Shapes** are inferred, and constraints checked, by the StableHLO dialect itself; violations of its rules are
//!   [`S1005`](strata_diag::codes::S1005), those of additional rules of XLA [`S1014`](strata_diag::codes::S1014).
//! - **Tuples** are flattened: programs take and return their arrays from left to right.
//! - **Older names** are kept alongside newer ones; if the documents disagree, the newest one applies.
//! - What the compiler does not support can be built, but is rejected when it is compiled: dynamic sizes
//!   ([`S1101`](strata_diag::codes::S1101)), several processes ([`S1103`](strata_diag::codes::S1103)).
//! - Operations that the documents call internal to HLO (`AddDependency`, `Bitcast`, `Copy`, `Domain`, `Fusion`,
//!   `RngGetAndUpdateState`, the halves of collectives), are not here.
//! - **Layouts**: arrays are row-major. The layout parameters of `AllGather`, `AllReduce`, `AllToAll` and `ReduceScatter`,
//!   and `inplace` of `CollectivePermute`, have no effect on values and are omitted; a [`CustomCall`] may specify layouts
//!   of its operands and results.
//!
//! # Design
//!
//! Bindings of XLA's own builder have methods on handles that return results, with `?` at each step; candle does the same
//! with its tensors. burn's operators panic and luminal's graph is one mutable value. Handles with results were chosen:
//! they need no mutable borrow, an expression reads like the formula, and no mistake panics. Operators
//! (`&x + &y`, `x * 2.0`) return results as well, and operands may be results, so that nested calls need one `?`.
//!
//! # Outside of Strata's workspace
//!
//! LLVM and MLIR 22 come from Debian's packages (`scripts/doctor.sh` names them). Strata finds them by `llvm-config-22`;
//! two of its dependencies read variables, which `.cargo/config.toml` of the crate, or of a folder above it, sets:
//!
//! ```toml
//! [env]
//! MLIR_SYS_220_PREFIX = "/usr/lib/llvm-22"
//! TABLEGEN_220_PREFIX = "/usr/lib/llvm-22"
//! ```
//!
//! With the feature `ndarray`, literals are made of that crate's arrays, and `Literal::to_ndarray` makes arrays of them.
//!
//! # All names
//!
//! `documents` are the versions of XLA's operation semantics that have the name (000 to 003, of which 002 is the newest;
//! 004 is the page about broadcasting).
//!
#![doc = include_str!("names.md")]
#![deny(missing_docs)]
#![forbid(unsafe_code)]

#[cfg(feature = "ndarray")]
mod arrays;
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
mod spelling;

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
pub use strata::{Artifact, Compiler, OptLevel, Options, Stage, Target};
pub use strata_diag::Code;
pub use strata_ir::{ComparisonDirection, ComparisonType};
pub use strata_run::Linked;
