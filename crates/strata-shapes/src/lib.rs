//! Sizes as expressions of dimension variables ([`DimExpr`]), conditions on them ([`Constraint`]), and what follows for them from the
//! values that variables may have ([`Domain`]).
//!
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
//! Analyses read it that ask what happens along a dimension: stage `hlo` decides by it which programs compute the rows of a batch apart
//! (`sizes/rows.rs`), what the sizes of results are (`sizes/shapes.rs`), and where padding has to be masked (`sizes/padded/`).
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod constraint;
mod dim_expr;
mod domain;
mod dynamic;
mod factors;
mod operands;
mod parse;
mod rules;
mod specializations;
mod system;

pub use constraint::Constraint;
pub use dim_expr::{DimExpr, DimFactor, Variable, gcd};
pub use domain::{Domain, Interval};
pub use dynamic::{Batch, BatchDim, DIMS, DynamicShapes};
pub use factors::{DimRules, Factor, FactorKind, size};
pub use operands::{SHAPE_OPERANDS, attribute_operands, is_lapack, shape_operands};
pub use rules::{
    Family, NoRules, Steps, equal_places, family, grouped_rules, rules, stated_rules,
    stepped_operands, steps,
};
pub use specializations::{
    Bound, DynamicTensor, Helper, Rows, SPECIALIZATION, Specialization, Specializations,
};
