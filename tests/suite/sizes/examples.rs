//! The examples in C that call one object with many sizes.

use std::{fs, path::Path, process::Command};

use crate::command::{strata, workspace};

pub fn in_folder(folder: &Path, command: &[&str]) {
    let ran = Command::new(command[0]).args(&command[1..]).current_dir(folder).output();
    let ran = ran.unwrap_or_else(|error| panic!("{}: {error}", command[0]));
    assert!(ran.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

pub fn example(names: &[&str]) -> tempfile::TempDir {
    let here = tempfile::tempdir().unwrap();
    for name in names {
        let from = workspace().join("examples/open").join(name);
        fs::copy(from, here.path().join(name)).unwrap();
    }
    here
}

pub const WARNS: &[&str] = &["-Wall", "-Wextra", "-Werror", "-Wpedantic", "-Wconversion"];

/// The examples call one object with batches of 1 to 100, in C, C++ and Rust, and end well.
#[test]
fn examples_call_one_object_with_many_batches() {
    let here = example(&["scores.mlir", "batches.c", "batches.cpp", "batches.rs"]);
    let texts = ["--header", "scores.h", "--cxx", "scores.hpp", "--rust", "scores.rs"];
    let arguments = [&["compile", "scores.mlir", "-o", "scores.o"][..], &texts].concat();
    strata(here.path(), &arguments).succeeded();
    let cc = [&["cc", "-std=c11", "batches.c", "scores.o", "-lm", "-o", "c"][..], WARNS].concat();
    let cxx = ["c++", "-std=c++20", "batches.cpp", "scores.o", "-o", "cpp"];
    let rustc =
        ["rustc", "--edition", "2024", "-D", "warnings", "batches.rs", "-Clink-arg=scores.o"];
    let rustc = [&rustc[..], &["-Clink-arg=-lm", "-o", "rs"]].concat();
    for command in [&cc[..], &cxx, &rustc, &["./c"], &["./cpp"], &["./rs"]] {
        in_folder(here.path(), command);
    }
}

/// The same for grids of any number of rows with up to 100 columns.
#[test]
fn examples_call_one_object_with_many_grids() {
    let here = example(&["grid.mlir", "calls_grid.c", "calls_grid.cpp", "calls_grid.rs"]);
    let texts = ["--header", "grid.h", "--cxx", "grid.hpp", "--rust", "grid.rs"];
    let arguments =
        [&["compile", "grid.mlir", "-o", "grid.o", "--max", "x.1=100"][..], &texts].concat();
    strata(here.path(), &arguments).succeeded();
    let c = ["calls_grid.c", "grid.o", "-lm", "-o"];
    let c99 = [&["cc", "-std=c99"][..], WARNS, &c, &["c99"]].concat();
    let cxx = [&["c++", "-std=c++20", "calls_grid.cpp", "grid.o", "-o", "cpp"][..], WARNS].concat();
    let as_cxx = [&["c++", "-std=c++20", "-x", "c++", "-fsyntax-only", "calls_grid.c"][..], WARNS];
    let rustc =
        ["rustc", "--edition", "2024", "-D", "warnings", "calls_grid.rs", "-Clink-arg=grid.o"];
    let rustc = [&rustc[..], &["-Clink-arg=-lm", "-o", "rs"]].concat();
    for command in [&c99[..], &cxx, &as_cxx.concat(), &rustc, &["./c99"], &["./cpp"], &["./rs"]] {
        in_folder(here.path(), command);
    }
}
