//! `strata._native`: what the Python package `strata` is built on. The package (`python/strata-compiler`) knows JAX, pytrees and
//! PyTorch; here programs are bytes and arguments a flat list of arrays.
#![deny(missing_docs)]

use std::{ffi::OsString, path::PathBuf};

use pyo3::{prelude::*, types::PyBytes};
// The module is a PJRT plugin, too: one library with one LLVM for both packages.
use strata_pjrt as _;

mod arrays;
mod call;
mod compilation;
mod executable;
mod failure;
mod library;
mod settings;
mod threads;

use executable::Executable;
use settings::Settings;

/// The native module of the package `strata`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::{
        Executable, after_fork, compile, entries, is_compiling, leave, load, main, version,
    };
}

/// Compiles a program, which diagnostics call `file`; an executable for each entry.
#[pyfunction]
fn compile(
    py: Python<'_>,
    program: &Bound<'_, PyBytes>,
    file: String,
    settings: Settings,
) -> PyResult<Vec<Executable>> {
    let source = settings.source(program.as_bytes().to_owned(), file);
    Executable::compile(py, source.map_err(|error| failure::raise(py, &error.into()))?)
}

/// Loads a shared library that `Executable.save` or `strata compile --emit shared` made.
#[pyfunction]
fn load(
    py: Python<'_>,
    path: PathBuf,
    entry: Option<String>,
    weights: Option<PathBuf>,
) -> PyResult<Executable> {
    let found = library::load(&path, entry.as_deref(), weights);
    found.map_err(|error| failure::raise(py, &error.into()))
}

/// The names of the entries of a shared library, in order.
#[pyfunction]
fn entries(py: Python<'_>, path: PathBuf) -> PyResult<Vec<String>> {
    library::entries(&path).map_err(|error| failure::raise(py, &error.into()))
}

/// The command `strata` with these arguments; `restart` starts it again in another process. Returns the exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>, restart: Vec<OsString>) -> u8 {
    py.detach(|| strata_cli::run_as(arguments, Some(restart)))
}

/// The version of the compiler, and those of its components.
#[pyfunction]
fn version() -> String {
    strata_cli::version()
}

/// To be called in the child after a fork: the threads of the parent are not there.
#[pyfunction]
fn after_fork() {
    threads::forget();
}

/// Whether a compilation that was interrupted is still running.
#[pyfunction]
fn is_compiling() -> bool {
    compilation::is_running()
}

/// Ends the process without running destructors, under which a compilation that is still running would crash.
#[pyfunction]
fn leave(code: i32) {
    // SAFETY: it does not return, and nothing of the process is used after it.
    unsafe { libc::_exit(code) }
}
