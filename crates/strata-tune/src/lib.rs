//! `strata tune`: schedules of a program's nests, measured on the machine at hand.
//!
//! [`search`] looks through the schedules of one nest, and then of a program, by a [`Measure`]; [`machine::Machine`] is the one that
//! compiles and runs. [`database::Database`] keeps what was found, for other programs with the same nests. The schedules
//! themselves, and their file, are in `strata-schedule`.
//!
//! No file access: the command reads and writes.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

pub mod compare;
pub mod database;
pub mod machine;
pub mod measure;
pub mod program;
pub mod search;
pub mod statistics;

pub use compare::difference;
pub use database::{Database, Record};
pub use machine::Machine;
pub use measure::{Measure, Rejection, Subject};
pub use program::{Listener, Outcome, Report, Settings, tune};
pub use search::{Found, search};
