//! Runs what the stages `linalg`, `schedule`, `affine` and `vector` leave behind.
//!
//! Each operation of the upstream dialects in these forms means here what its documentation says; nothing is lowered, and no
//! MLIR pass runs. What is not known is a diagnostic ([`codes::S1911`]), never a guess.
//!
//! # What else is looked at
//!
//! Beside the numbers stands a shadow. An element of a tensor knows whether it was given a value, a byte of a buffer through
//! which temporary it was written last. The first read of what was never written ([`codes::S1921`]), access out of bounds
//! ([`codes::S1922`]), write to an input or a constant ([`codes::S1923`]) and read of a temporary that another one has
//! overwritten ([`codes::S1924`]) ends the run and names its operation. Versions of one temporary are not told apart:
//! there the values decide.
//!
//! # Numbers
//!
//! Integers wrap around; what has no result (a shift by the width, a float that no integer is) is poison, a pattern that shows. A
//! float rounds once to its type in each operation, `math.fma` once for both. Functions of `math` are computed in double precision
//! and rounded: compiled code, whose functions are polynomials, may differ in the last places. Reductions take their elements in row-major order,
//! where compiled code may take them otherwise if `reassoc` allows it.
//!
//! [`codes::S1911`]: strata_diag::codes::S1911
//! [`codes::S1921`]: strata_diag::codes::S1921
//! [`codes::S1922`]: strata_diag::codes::S1922
//! [`codes::S1923`]: strata_diag::codes::S1923
//! [`codes::S1924`]: strata_diag::codes::S1924
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod element;
mod fault;
mod machine;
mod memory;
mod ops;
mod prepare;
mod program;
mod value;

pub use program::Program;
