//! For build scripts: a StableHLO program becomes a typed Rust module of the crate.
//!
//! ```toml
//! [build-dependencies]
//! strata-build = { path = "…/crates/strata-build" }
//! ```
//!
//! ```no_run
//! // build.rs
//! fn main() -> strata_build::Result<()> {
//!     strata_build::compile("model.mlir")
//! }
//! ```
//!
//! ```ignore
//! // src/main.rs
//! mod model {
//!     include!(concat!(env!("OUT_DIR"), "/model.rs"));
//! }
//! ```
//!
//! The program is compiled for Cargo's target to a static library that is linked to the crate, and recompiled when it changes. An
//! error fails the build with the diagnostic of `strata compile`; warnings become Cargo warnings. [`Model`] has options.
//!
//! # The compiler
//!
//! With the feature `library`, which is on by default, the compiler is part of the build script. MLIR is then built into it, which
//! takes minutes the first time and has Strata's own build requirements (`scripts/doctor.sh`). The crates `mlir-sys` and `tblgen`
//! look for `llvm-config` of LLVM 22 in `PATH`, or in the folders that variables name. Debian has it outside of `PATH`:
//!
//! ```sh
//! PATH=/usr/lib/llvm-22/bin:$PATH cargo build
//! ```
//!
//! or, for good, in `.cargo/config.toml` of the crate:
//!
//! ```toml
//! [env]
//! MLIR_SYS_220_PREFIX = "/usr/lib/llvm-22"
//! TABLEGEN_220_PREFIX = "/usr/lib/llvm-22"
//! ```
//!
//! Without the feature (`default-features = false`) LLVM is not needed: the command `strata` is run, from the variable `STRATA` or
//! from `PATH`, with the same results.
#![deny(missing_docs)]
#![forbid(unsafe_code)]

#[cfg(not(feature = "library"))]
mod command;
mod error;
#[cfg(feature = "library")]
mod library;
mod model;

use std::path::Path;

pub use error::{Error, Result};
pub use model::{Compiled, Model, Visibility};

/// Compiles a program for the crate that is being built, as [`Model::new`] and [`Model::compile`] do.
///
/// # Errors
/// As [`Model::compile`].
pub fn compile(program: impl AsRef<Path>) -> Result<()> {
    Model::new(program).compile().map(|_| ())
}
