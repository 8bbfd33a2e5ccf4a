//! Runs the dumps of the stages `linalg`, `schedule`, `affine` and `vector`.
//!
//! Each operation of the upstream dialects is implemented as documented; nothing is lowered, and no MLIR pass runs. An unknown operation is a
//! diagnostic ([`codes::S1911`]).
//!
//! # Shadow state
//!
//! Shadow state records for each element of a tensor whether it has a value, and for each byte of a buffer through which temporary it was last
//! written. The first read of an uninitialised value ([`codes::S1921`]), access out of bounds ([`codes::S1922`]), write to an input or a constant
//! ([`codes::S1923`]) or read of an overwritten temporary ([`codes::S1924`]) ends the run and names its operation. Versions of one temporary are
//! not distinguished: a stale one shows in the results only. In a program that ends at the sizes of a call ([`Program::run_up_to`]), reads of
//! uninitialised or overwritten values are allowed, since they may be beyond the sizes: they give bytes that results must not depend on.
//!
//! # Numbers
//!
//! Integers wrap around; operations without a result (a shift by the width, a float out of the integer's range) give poison. A
//! float rounds once to its type in each operation, `math.fma` once for both. Functions of `math` are computed in double precision
//! and rounded: compiled code, whose functions are polynomials, may differ in the last places. Reductions take their elements in row-major order;
//! compiled code may use another order if `reassoc` allows it.
//!
//! [`codes::S1911`]: strata_diag::codes::S1911
//! [`codes::S1921`]: strata_diag::codes::S1921
//! [`codes::S1922`]: strata_diag::codes::S1922
//! [`codes::S1923`]: strata_diag::codes::S1923
//! [`codes::S1924`]: strata_diag::codes::S1924
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod dynamic;
mod element;
mod fault;
mod machine;
mod memory;
mod ops;
mod prepare;
mod program;
mod value;

pub use machine::Device;
pub use program::{Bounded, Program};
