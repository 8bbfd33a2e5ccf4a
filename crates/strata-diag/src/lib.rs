//! Diagnostics: errors and warnings.
//!
//! Every message that a user sees has a [`Code`] with a page of its own ([`explain`]), and names the
//! operation, its source location, the reason and, if there is one, a way out. The class of the code
//! ([`Fault`]) decides the exit code of the command. This crate knows nothing of MLIR.
//!
//! ```
//! use strata_diag::{Diagnostic, Location, codes};
//!
//! let error = Diagnostic::new(codes::S1005)
//!     .operation("stablehlo.add")
//!     .at(Location::new("model.mlir", 2, 8))
//!     .source("  %0 = stablehlo.add %a, %b : tensor<3xf32>")
//!     .reason("the operands have different shapes: 3 and 4")
//!     .hint("broadcast the smaller operand first");
//! assert_eq!(error.exit_code(), 1);
//! assert!(error.render().contains("--> model.mlir:2:8"));
//! ```
#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod code;
pub mod codes;
mod diagnostic;
mod list;
mod printable;
mod render;
mod suggest;
pub mod units;

pub use code::{Code, Fault};
pub use diagnostic::{Diagnostic, Location, Note, Severity};
pub use list::Diagnostics;
pub use printable::printable;
pub use render::Style;
pub use suggest::{did_you_mean, near, sort_by_likeness};

/// The page of a code such as `S1003`, or `None` where there is no such code.
///
/// Upper and lower case are the same.
pub fn explain(code: &str) -> Option<&'static str> {
    codes::find(code).map(|code| code.page())
}
