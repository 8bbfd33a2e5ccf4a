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
//! The program is compiled for the machine that Cargo builds for, as a static library that is linked to the crate, and
//! once more whenever it changes. An error ends the build with the diagnostic that `strata compile` would write; a warning is one
//! of Cargo's. [`Model`] has options.
//!
//! # The compiler
//!
//! With the feature `library`, which is on by default, the compiler is part of the build script. MLIR is then built into it, which
//! takes minutes the first time and needs what Strata itself needs to be built (`scripts/doctor.sh`). The crates `mlir-sys` and
//! `tblgen` look for `llvm-config` of LLVM 22 in `PATH`, or in the folders that variables name. Debian has it outside of `PATH`:
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
//! Without the feature (`default-features = false`) nothing of LLVM is built or needed: the command `strata` is run, the one that the
//! variable `STRATA` names or the one in `PATH`. It has the same answers.
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
pub use model::{Compiled, Model};

/// Compiles a program for the crate that is being built, as [`Model::new`] and [`Model::compile`] do.
///
/// # Errors
/// As [`Model::compile`].
pub fn compile(program: impl AsRef<Path>) -> Result<()> {
    Model::new(program).compile().map(|_| ())
}
