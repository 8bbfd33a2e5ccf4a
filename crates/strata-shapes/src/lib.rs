//! What a dimension is to an operation, in one table: [`rules`] names, for each operation, its factors, each with its dimension in
//! every operand and result and with its kind.
//!
//! ```text
//! dot_general %x, %w : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
//!   Parallel   operand 0: dimension 0                           result 0: dimension 0
//!   Parallel                            operand 1: dimension 1  result 0: dimension 1
//!   Reduced    operand 0: dimension 1,  operand 1: dimension 0
//! ```
//!
//! The table is for analyses that ask what happens along a dimension: whether parts of a batch can be computed apart, what the size of a
//! result is, how a program is divided among devices. Those of stage `hlo` (`sizes/`) have matches of their own and do not read it yet.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod factors;
mod rules;

pub use factors::{DimRules, Factor, FactorKind};
pub use rules::{Family, NoRules, family, rules};
