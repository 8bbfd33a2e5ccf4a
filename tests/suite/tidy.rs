//! What is true of the sources themselves: the sentences of docs/ARCHITECTURE.md about crates and code that can be read off files.

mod dependencies;
mod files;
mod lints;
mod operations;
mod tuning;
mod unsafe_code;
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

/// The names of the folders in `crates`.
fn crates() -> Vec<String> {
    let entries = fs::read_dir(root().join("crates")).expect("the folder of crates");
    let mut names: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    assert!(names.len() > 15, "{names:?}");
    names
}

/// A file of Rust.
struct Source {
    /// From the repository's root, with `/`.
    path: String,
    text: String,
}

impl Source {
    /// The lines with their numbers, from 1, without comments and without the unit tests at the file's end.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate().map(|(at, line)| (at + 1, line));
        let lines = lines.take_while(|(_, line)| *line != "#[cfg(test)]");
        lines.map(|(at, line)| (at, line.split("//").next().unwrap_or_default()))
    }
}

/// All files of Rust below a folder of the repository, sorted.
fn sources(folder: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(next) = open.pop() {
        for entry in
            fs::read_dir(&next).unwrap_or_else(|error| panic!("{}: {error}", next.display()))
        {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("target") {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a source");
                let path = path.strip_prefix(root()).expect("below the root");
                found.push(Source { path: path.to_str().expect("a name").to_owned(), text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "{folder} has no sources");
    found
}
