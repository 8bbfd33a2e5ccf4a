//! Programs with open sizes, for several of them: `tests/sizes`. The compiled program, whose shapes are refined, against the
//! evaluator, which runs the program as it is.
//!
//! A program begins with what is tried: `// sizes: n=3` is compiled, run and compared; `// refused: n=0 S1106` is an error;
//! `// rows: n` makes an object for any number of rows, which is called with several; `// mixes: n REASON` is a program that none
//! can be made of.

use std::{fs, process::Command};

use strata::{Artifact, Compiler, Options, Stage};
use strata_diag::Diagnostics;
use strata_eval::{Evaluator, Session, Values};
use strata_ir::new_context;
use strata_verify::{Settings, random_inputs, shapes_of, verify};

use crate::{
    command::{strata, workspace},
    harness,
};

macro_rules! programs {
    ($($name:ident)*) => {
        const PROGRAMS: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*
    };
}

programs! {
    calls computed_shapes disagreeing families loops named of_values rows_images rows_layers rows_mixed_branch
    rows_mixed_draws rows_mixed_loop rows_mixed_mean rows_mixed_number rows_mixed_output rows_mixed_product
    rows_mixed_reshape rows_mixed_slice rows_mixed_sort rows_mixed_sum rows_mixed_turn rows_mixed_windows
    rows_pairs static_entry two_inputs
}

#[test]
fn every_program_is_tried() {
    let folder = fs::read_dir(workspace().join("tests/sizes")).unwrap();
    let mut found: Vec<String> = folder
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    assert_eq!(found, PROGRAMS);
}

fn bound(list: &str) -> Options {
    let pairs = list.split(',').filter(|pair| !pair.is_empty());
    let pair = |pair: &str| {
        let (symbol, size) = pair.split_once('=').expect("SYMBOL=SIZE");
        (symbol.to_owned(), size.parse().expect("a size"))
    };
    Options { bind: pairs.map(pair).collect(), ..harness::options("native") }
}

fn check(name: &str) {
    let program = fs::read(workspace().join(format!("tests/sizes/{name}.mlir"))).unwrap();
    let text = String::from_utf8(program.clone()).unwrap();
    // Infinite inputs make some results undefined.
    let settings = Settings { values: Some(Values::Tame), rounds: 2, ..Settings::default() };
    let mut tried = 0;
    for line in text.lines() {
        if let Some(sizes) = line.strip_prefix("// sizes:") {
            let found = verify(name, &program, &bound(sizes.trim()), &settings, None);
            let found = found.unwrap_or_else(|error| panic!("{name}, {sizes}: {}", error.render()));
            let wrong = found.wrong().or(found.unsure());
            assert!(wrong.is_none(), "{name}, {sizes}: {wrong:?}");
            assert!(!found.rounds.is_empty());
        } else if let Some(refused) = line.strip_prefix("// refused: ") {
            let (sizes, code) = refused.split_once(' ').expect("SIZES CODE");
            let compiled = Compiler::new(bound(sizes)).to(Stage::Obj).compile(name, &program);
            let errors = compiled.map(|_| ()).expect_err(refused);
            let codes: Vec<_> = errors.into_iter().map(|error| error.code().id()).collect();
            assert_eq!(codes, [code], "{name}, {sizes}");
        } else if let Some(symbol) = line.strip_prefix("// rows: ") {
            check_rows(name, &program, symbol);
        } else if let Some(mixes) = line.strip_prefix("// mixes: ") {
            let (symbol, reason) = mixes.split_once(' ').expect("SYMBOL REASON");
            let errors = open(name, &program).map(|_| ()).expect_err(reason);
            let reason = format!("rows of `{symbol}` cannot be computed apart: {reason}");
            let found: Vec<_> = errors.iter().map(|error| error.reason_text()).collect();
            assert_eq!(found, [Some(reason.as_str())], "{name}");
        } else {
            continue;
        }
        tried += 1;
    }
    assert!(tried > 0, "{name} says nothing to try");
}

/// The numbers of rows that objects are called with: each version alone, and sums of several.
const ROWS: &[i64] = &[0, 1, 2, 3, 4, 5, 8, 16, 17, 31, 32, 33, 64, 71];

fn open(name: &str, program: &[u8]) -> Result<Artifact, Diagnostics> {
    Compiler::new(Options { open: true, ..harness::options("native") }).compile(name, program)
}

/// An object for any number of rows against the evaluator, which runs the program as it is.
fn check_rows(name: &str, program: &[u8], symbol: &str) {
    let artifact = open(name, program).unwrap_or_else(|errors| panic!("{name}: {errors}"));
    let loaded = harness::Loaded::new(&artifact);
    let context = new_context();
    let module = strata_vhlo::parse(&context, name, program).expect("read");
    let evaluator = Evaluator::new(&module).expect("evaluated");
    for rows in ROWS {
        if loaded.rows_workspace_size(*rows) == usize::MAX {
            assert_eq!((*rows, loaded.call_rows(&[], 0, &[]).0), (0, 10), "{name}");
            continue;
        }
        let options = bound(&format!("{symbol}={rows}"));
        let inputs = random_inputs(name, program, &options, Values::Tame, 7).expect("inputs");
        let expected = evaluator.run(None, &inputs, &Session::new(0)).expect("evaluated");
        assert_eq!(loaded.rows_of(&shapes_of(&inputs)), Some(*rows), "{name}");
        assert_eq!(loaded.output_shapes(*rows), shapes_of(&expected), "{name}, {rows}");
        let bytes: Vec<_> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
        let sizes: Vec<_> = expected.iter().map(|output| output.bytes().len()).collect();
        let (status, outputs) = loaded.call_rows(&bytes, *rows, &sizes);
        assert_eq!(status, 0, "{name}, {rows}");
        for (index, (found, expected)) in outputs.iter().zip(&expected).enumerate() {
            let what = format!("{name}, {rows} rows, output {index}");
            harness::assert_close_f32(found, expected.bytes(), 1e-4, &what);
        }
        let mut shapes = shapes_of(&inputs);
        shapes[0][0] += 1;
        assert_ne!(loaded.rows_of(&shapes), Some(*rows), "{name}");
    }
    // Workspaces grow with the number of rows, up to that of the largest version.
    let workspaces: Vec<_> =
        ROWS[1..].iter().map(|rows| loaded.rows_workspace_size(*rows)).collect();
    assert!(workspaces.is_sorted(), "{name}: {workspaces:?}");
    assert_eq!(workspaces.last().copied(), artifact.workspace_size().map(|size| size as usize));
    for rows in [-1, i64::MIN, i64::MAX, (1 << 40) + 1] {
        assert_eq!(loaded.call_rows(&[], rows, &[]).0, 10, "{name}, {rows} rows");
        assert_eq!(loaded.rows_workspace_size(rows), usize::MAX, "{name}, {rows} rows");
    }
}

/// The examples call one object with batches of 1 to 100, in C, C++ and Rust, and end well.
#[test]
fn examples_call_one_object_with_many_batches() {
    let here = tempfile::tempdir().unwrap();
    for name in ["scores.mlir", "batches.c", "batches.cpp", "batches.rs"] {
        let from = workspace().join("examples/open").join(name);
        fs::copy(from, here.path().join(name)).unwrap();
    }
    let texts = ["--header", "scores.h", "--cxx", "scores.hpp", "--rust", "scores.rs"];
    let arguments = [&["compile", "scores.mlir", "-o", "scores.o"][..], &texts].concat();
    strata(here.path(), &arguments).succeeded();
    let warns = ["-Wall", "-Wextra", "-Werror", "-Wpedantic", "-Wconversion"];
    let cc = [&["cc", "-std=c11", "batches.c", "scores.o", "-lm", "-o", "c"][..], &warns].concat();
    let cxx = ["c++", "-std=c++20", "batches.cpp", "scores.o", "-o", "cpp"];
    let rustc =
        ["rustc", "--edition", "2024", "-D", "warnings", "batches.rs", "-Clink-arg=scores.o"];
    let rustc = [&rustc[..], &["-Clink-arg=-lm", "-o", "rs"]].concat();
    for command in [&cc[..], &cxx, &rustc, &["./c"], &["./cpp"], &["./rs"]] {
        let ran = Command::new(command[0]).args(&command[1..]).current_dir(here.path()).output();
        let ran = ran.unwrap_or_else(|error| panic!("{}: {error}", command[0]));
        assert!(ran.status.success(), "{command:?}: {}", String::from_utf8_lossy(&ran.stderr));
    }
}
