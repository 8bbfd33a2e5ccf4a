//! What is true of the sources themselves: the sentences of docs/ARCHITECTURE.md about crates and code that can be read off files.

mod dependencies;
mod tuning;
mod words;

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The repository's root.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the repository's root")
}

/// The text of a file of the repository.
fn text(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}
