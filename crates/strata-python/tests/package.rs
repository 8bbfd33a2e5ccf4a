//! The Python package with this build's native module, by its own tests: `python/strata-compiler/tests`.
//!
//! They run with the system's Python and NumPy (`scripts/packages.txt`). What needs JAX or PyTorch, which no system package has, is in
//! `scripts/python_tests.sh`.

use std::{
    env, fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The native module, which Cargo builds beside this test.
fn native() -> PathBuf {
    let this = env::current_exe().expect("the path of this test");
    let folder = this.parent().expect("a folder");
    let path = folder.join("libstrata_python.so");
    assert!(path.is_file(), "there is no {}", path.display());
    path
}

/// A folder with the package: the files of the checkout, and the module.
fn package() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let package = folder.path().join("strata");
    fs::create_dir(&package).expect("created");
    let sources = root().join("python/strata-compiler/strata");
    for entry in fs::read_dir(sources).expect("the package") {
        let path = entry.expect("an entry").path();
        if path.is_file() {
            fs::copy(&path, package.join(path.file_name().expect("a name"))).expect("copied");
        }
    }
    symlink(native(), package.join("_native.abi3.so")).expect("linked");
    folder
}

fn passes(module: &str) {
    let package = package();
    let ended = Command::new("/usr/bin/python3")
        .args(["-W", "error", "-m", "unittest", "-q", module])
        .current_dir(root().join("python/strata-compiler/tests"))
        .env("PYTHONPATH", package.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("Debian's Python runs");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{said}");
    assert!(said.contains("Ran ") && !said.contains("Ran 0 tests"), "{said}");
    assert!(!said.contains("skipped"), "{said}");
}

#[test]
fn arrays_and_calls() {
    passes("test_calls");
}

#[test]
fn what_a_program_says_of_itself() {
    passes("test_programs");
}

#[test]
fn processes_threads_and_signals() {
    passes("test_processes");
}

#[test]
fn inputs_that_are_prepared() {
    passes("test_prepared");
}
