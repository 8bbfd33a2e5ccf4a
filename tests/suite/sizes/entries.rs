//! Objects of several entries with dynamic shapes: each takes the sizes of its own symbols.

use std::fs;

use strata::{Artifact, Compiler, Options, TensorSpec};
use strata_diag::Diagnostics;
use strata_eval::{Evaluator, Session, Values};
use strata_ir::new_context;
use strata_verify::{random_inputs, shapes_of};

use super::{
    bound,
    examples::{WARNS, in_folder},
    refused::advised,
};
use crate::{
    command::strata,
    harness::{Loaded, assert_close_f32, options},
    joint,
};

/// One with a number of rows and a bound, one with a bound, one whose size has the name of another's and is a number of rows, one without
/// open sizes. All but the second have a constant in common.
fn program() -> String {
    let weights: String = (0..16 * 16).fold(String::new(), |text, index| {
        let value = (index * 31 % 17) as f32 - 8.0;
        value.to_le_bytes().iter().fold(text, |text, byte| text + &format!("{byte:02X}"))
    });
    let weights = format!("stablehlo.constant dense<\"0x{weights}\"> : tensor<16x16xf32>");
    format!(
        r#"
func.func @scores(%x: tensor<?x16xf32> loc("x"), %y: tensor<16x?xf32> loc("y")) -> tensor<?x?xf32> {{
  %w = {weights}
  %0 = stablehlo.dot %x, %w : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  %1 = stablehlo.dot %0, %y : (tensor<?x16xf32>, tensor<16x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}}
func.func @total(%x: tensor<?xf32> loc("v")) -> (tensor<f32>, tensor<?xf32>) {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.reverse %x, dims = [0] : tensor<?xf32>
  return %0, %1 : tensor<f32>, tensor<?xf32>
}}
func.func @rows(%x: tensor<?x16xf32> loc("x")) -> tensor<?x16xf32> {{
  %w = {weights}
  %0 = stablehlo.dot %x, %w : (tensor<?x16xf32>, tensor<16x16xf32>) -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}}
func.func @row(%x: tensor<1x16xf32> loc("x")) -> tensor<1x16xf32> {{
  %w = {weights}
  %0 = stablehlo.dot %x, %w : (tensor<1x16xf32>, tensor<16x16xf32>) -> tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}}
"#
    )
}

const ENTRIES: [&str; 4] = ["scores", "total", "rows", "row"];

/// The options of an object of these entries.
fn of(entries: &[&str], max: &str, options: Options) -> Options {
    let max = if max.is_empty() { Vec::new() } else { bound(max).bind };
    let entries = entries.iter().map(|entry| (*entry).to_owned()).collect();
    Options { name: "test".into(), entries, open: true, max, ..options }
}

fn compiled(options: Options) -> Result<Artifact, Diagnostics> {
    Compiler::new(options).compile("entries.mlir", program().as_bytes())
}

fn both() -> Options {
    joint::versions(None, &["x86-64-v2", "x86-64-v3"])
}

/// Calls an entry with each of these sizes.
fn check(artifact: &Artifact, entry: &str, sizes: &[&[(&str, i64)]]) {
    let signatures = artifact.signatures().iter();
    let (signature, largest) = signatures.clone().find(|(one, _)| one.entry == entry).unwrap();
    let loaded = Loaded::of(artifact, signature);
    let context = new_context();
    let module = strata_vhlo::parse(&context, "entries.mlir", program().as_bytes()).expect("read");
    let evaluator = Evaluator::new(&module).expect("evaluated");
    for symbols in sizes {
        let what = format!("{entry}, {symbols:?}");
        let bind = symbols.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
        let own = Options { entry: Some(entry.to_owned()), bind, ..options("native") };
        let text = program();
        let inputs = random_inputs("entries.mlir", text.as_bytes(), &own, Values::Tame, 3);
        let inputs = inputs.expect("inputs");
        let expected = evaluator.run(Some(entry), &inputs, &Session::new(0)).expect("evaluated");
        let values: Vec<i64> = symbols.iter().map(|(_, size)| *size).collect();
        let bytes: Vec<_> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
        let sizes: Vec<_> = expected.iter().map(|output| output.bytes().len()).collect();
        let outputs = if signature.inputs.iter().any(TensorSpec::is_open) {
            let shapes = shapes_of(&inputs);
            assert_eq!(loaded.symbols_of(&shapes, values.len()), Some(values.clone()), "{what}");
            assert_eq!(loaded.output_shapes(&values), shapes_of(&expected), "{what}");
            assert!(loaded.open_workspace_size(&values) as u64 <= *largest, "{what}");
            let (status, outputs) = loaded.call_open(&bytes, &values, &sizes);
            assert_eq!(status, 0, "{what}");
            outputs
        } else {
            loaded.call(&bytes)
        };
        for (found, expected) in outputs.iter().zip(&expected) {
            assert_close_f32(found, expected.bytes(), 1e-4, &what);
        }
    }
}

#[test]
fn each_entry_takes_sizes_of_its_own() {
    for own in [options("x86-64-v3"), both()] {
        let artifact = compiled(of(&ENTRIES, "y.1=5,v.0=12", own));
        let artifact = artifact.unwrap_or_else(|errors| panic!("{}", errors.render()));
        let scores: Vec<_> = [0, 1, 3, 17, 40]
            .into_iter()
            .flat_map(|rows| [0, 1, 3, 5].map(|columns| [("x.0", rows), ("y.1", columns)]))
            .collect();
        let scores: Vec<&[_]> = scores.iter().map(|one| &one[..]).collect();
        check(&artifact, "scores", &scores);
        let total = [0, 1, 2, 7, 11, 12].map(|size| [("v.0", size)]);
        check(&artifact, "total", &total.each_ref().map(|one| &one[..]));
        let rows = [0, 1, 3, 17, 33, 70].map(|size| [("x.0", size)]);
        check(&artifact, "rows", &rows.each_ref().map(|one| &one[..]));
        check(&artifact, "row", &[&[]]);
        let signature = |entry: &str| {
            let mut all = artifact.signatures().iter();
            &all.find(|(one, _)| one.entry == entry).expect("an entry").0
        };
        for (entry, wrong) in [
            ("scores", &[1, 6][..]),
            ("scores", &[-1, 1]),
            ("total", &[13]),
            ("rows", &[-1]),
            ("rows", &[i64::MAX]),
        ] {
            let loaded = Loaded::of(&artifact, signature(entry));
            assert_eq!(loaded.call_open(&[], wrong, &[]).0, 10, "{entry}, {wrong:?}");
        }
    }
}

/// A bound of a symbol that two entries have holds in both, and so does a size that has code of its own.
#[test]
fn entries_with_a_symbol_in_common_have_its_bound() {
    let mut own = of(&["rows", "scores"], "x.0=20,y.1=4", options("x86-64-v3"));
    own.specialize = vec![("x.0".to_owned(), 7)];
    let artifact = compiled(own).unwrap_or_else(|errors| panic!("{}", errors.render()));
    let rows = [0, 1, 7, 19, 20].map(|size| [("x.0", size)]);
    check(&artifact, "rows", &rows.each_ref().map(|one| &one[..]));
    let scores = [[("x.0", 7), ("y.1", 4)], [("x.0", 20), ("y.1", 3)]];
    check(&artifact, "scores", &scores.each_ref().map(|one| &one[..]));
    let of = |at: usize| Loaded::of(&artifact, &artifact.signatures()[at].0);
    assert_eq!(of(0).call_open(&[], &[21], &[]).0, 10);
    assert_eq!(of(1).call_open(&[], &[21, 1], &[]).0, 10);
}

#[test]
fn bytes_are_the_same_for_all_numbers_of_threads() {
    let of = |compile_threads: usize, own: Options| {
        let own = Options { compile_threads, ..of(&ENTRIES[1..], "v.0=5", own) };
        let artifact = compiled(own).unwrap_or_else(|errors| panic!("{}", errors.render()));
        (artifact.bytes().to_vec(), artifact.header().map(str::to_owned))
    };
    for own in [options("x86-64-v3"), both()] {
        let one = of(1, own.clone());
        assert!([2, 3, 0].into_iter().all(|threads| of(threads, own.clone()) == one));
    }
}

const C: &str = r#"
#include "e.h"
static const float x[5 * 16] = {1}, y[16 * 4] = {1, 2, 3, 4}, v[3] = {1, 2, 4};
static const float first[1][16] = {{1}};
static float z[5 * 4], row[5 * 16], one[1][16], sum[1], reversed[3];
static _Alignas(64) unsigned char workspace[1 << 20];
int main(void) {
  if (E_SCORES_SYMBOLS != 2 || E_TOTAL_SYMBOLS != 1 || E_ROWS_SYMBOLS != 1) return 1;
  if (E_SCORES_WORKSPACE_SIZE > sizeof workspace || E_ROWS_WORKSPACE_SIZE > sizeof workspace) return 2;
  if (e_scores_typed(5, 4, x, y, z, workspace)) return 3;
  if (e_total_typed(3, v, sum, reversed, workspace)) return 4;
  if (e_rows_typed(5, x, row, workspace)) return 5;
  if (e_row_typed(first, one, workspace)) return 6;
  if (z[0] != -8 || z[3] != -32 || z[4] != 0) return 7;
  if (sum[0] != 7 || reversed[0] != 4) return 8;
  if (row[0] != -8 || row[1] != 6 || row[16] != 0 || one[0][1] != 6) return 9;
  if (e_scores_typed(5, 5, x, y, z, workspace) != STRATA_WRONG_SIZES) return 10;
  return e_total_typed(4, v, sum, reversed, workspace) == STRATA_WRONG_SIZES ? 0 : 11;
}
"#;

const CXX: &str = r#"
#include "e.hpp"
#include <vector>
int main() {
  e_scores_program scores;
  e_total_program total;
  e_rows_program rows;
  std::vector<float> x(5 * 16), y(16 * 4), z(5 * 4), v{1, 2, 4}, reversed(3), row(5 * 16), sum(1);
  x[0] = 1, y[0] = 1;
  if (scores(5, 4, x, y, z) || total(3, v, sum, reversed) || rows(5, x, row)) return 2;
  if (total(4, v, sum, reversed) != STRATA_WRONG_SIZES) return 3;
  return z[0] == -8 && sum[0] == 7 && reversed[0] == 4 && row[1] == 6 ? 0 : 1;
}
"#;

const RUST: &str = r#"
mod e;
fn main() {
    let (mut x, mut y, v) = ([0.0; 5 * 16], [0.0; 16 * 4], [1.0, 2.0, 4.0]);
    (x[0], y[0]) = (1.0, 1.0);
    let (mut z, mut row, mut sum, mut reversed) = ([9.0; 5 * 4], [9.0; 5 * 16], [9.0], [0.0; 3]);
    let mut workspace = e::e_scores::Workspace::boxed();
    e::e_scores::e_scores(5, 4, &x, &y, &mut z, &mut workspace).unwrap();
    let mut workspace = e::e_total::Workspace::boxed();
    e::e_total::e_total(3, &v, &mut sum, &mut reversed, &mut workspace).unwrap();
    assert!(e::e_total::e_total(4, &[0.0; 4], &mut sum, &mut [0.0; 4], &mut workspace).is_err());
    let mut workspace = e::e_rows::Workspace::boxed();
    e::e_rows::e_rows(5, &x, &mut row, &mut workspace).unwrap();
    assert!(z[0] == -8.0 && sum == [7.0] && reversed[0] == 4.0 && row[1] == 6.0);
}
"#;

#[test]
fn callers_of_three_languages_call_all_entries() {
    let here = tempfile::tempdir().unwrap();
    let here = here.path();
    let programs = [("e.mlir", &*program()), ("c.c", C), ("cxx.cpp", CXX), ("rs.rs", RUST)];
    for (name, text) in programs {
        fs::write(here.join(name), text).unwrap();
    }
    for cpus in ["x86-64", "x86-64,x86-64-v3"] {
        let wrappers =
            ["--header", "e.h", "--cxx", "e.hpp", "--rust", "e.rs", "--target-cpu", cpus];
        let what = ["--entry", "scores,total,rows,row", "--max", "y.1=4,v.0=3"];
        let compile = [&["compile", "e.mlir", "-o", "e.o"][..], &what, &wrappers].concat();
        strata(here, &compile).succeeded();
        // The constant of three entries is there once: 1 KiB.
        let object = fs::read(here.join("e.o")).unwrap();
        let weights = (0..16 * 16).map(|index| (index * 31 % 17) as f32 - 8.0);
        let weights: Vec<u8> = weights.flat_map(f32::to_le_bytes).collect();
        let times = object.windows(weights.len()).filter(|part| *part == weights).count();
        assert_eq!(times, 1, "{cpus}");
        let c = [&["cc", "-std=c11", "c.c", "e.o", "-lm", "-o", "c"][..], WARNS].concat();
        let cxx = ["c++", "-std=c++20", "-Wall", "-Werror", "cxx.cpp", "e.o", "-lm", "-o", "cxx"];
        let rustc = ["rustc", "--edition", "2024", "rs.rs", "-Clink-arg=e.o", "-Clink-arg=-lm"];
        for command in [&c[..], &cxx, &rustc, &["./c"], &["./cxx"], &["./rs"]] {
            in_folder(here, command);
        }
    }
}

#[test]
fn wrong_sizes_of_entries_are_refused() {
    let error = |entries: &[&str], max: &str| {
        let errors = compiled(of(entries, max, options("x86-64"))).map(|_| ()).expect_err(max);
        errors.render()
    };
    for (entries, max, code, texts) in [
        (
            &ENTRIES[..],
            "y.1=4,v.0=3,n=4",
            "S1106",
            &[
                "`--max n=4`",
                "`scores` has `x.0`, `y.1`; `total` has `v.0`; `rows` has `x.0`; `row` has none",
            ][..],
        ),
        (&["row", "rows"], "v.0=4", "S1106", &["`row` has none; `rows` has `x.0`"]),
        (
            &["total", "scores"],
            "v.0=4,y.1=4,y.1=5",
            "S1106",
            &["at most 4 and at most 5", "@scores"],
        ),
        (&["total", "rows"], "v.0=4,x.0=0", "S1106", &["`--max x.0=0` leaves no size"]),
        (
            &["total", "rows"],
            "x.0=4",
            "S1101",
            &["it reduces over rows", "`--max x.0=4,v.0=512` compiles all entries"],
        ),
        (&["row", "row"], "x.0=4", "S0001", &["`row` is named twice"]),
        (&["row", "column"], "x.0=4", "S1010", &["`@column`"]),
    ] {
        let text = error(entries, max);
        assert!(text.contains(code), "{entries:?}, {max}: {text}");
        for part in texts {
            assert!(text.contains(part), "{entries:?}, {max}: {text}");
        }
    }
    // A size with code of its own that only one of the entries refuses says which.
    let mut own = of(&["total", "rows"], "v.0=4,x.0=8", options("x86-64"));
    own.specialize = vec![("v.0".to_owned(), 5)];
    let text = compiled(own).map(|_| ()).expect_err("a size over the bound").render();
    assert!(text.contains("the entry is `total`"), "{text}");
    // The command writes nothing.
    let here = tempfile::tempdir().unwrap();
    fs::write(here.path().join("e.mlir"), program()).unwrap();
    let compile = ["compile", "e.mlir", "--entry", "total,rows", "-o", "e.o", "--header", "e.h"];
    let ended = strata(here.path(), &[&compile[..], &["--max", "n=3"]].concat());
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(!here.path().join("e.o").exists() && !here.path().join("e.h").exists());
}

/// One message says what all entries need.
#[test]
fn hints_are_for_all_entries() {
    for (entries, max) in [
        (&ENTRIES[..], ""),
        (&["row", "total"], ""),
        (&["scores", "total"], "y.1=3"),
        (&["rows", "total", "scores"], "v.0=3"),
    ] {
        let own = of(entries, max, options("x86-64"));
        let errors = compiled(own.clone()).map(|_| ()).expect_err("sizes are lacking");
        let hint = errors.iter().find_map(|error| error.hint_text()).expect("a hint");
        let followed = advised(hint, &own).unwrap_or_else(|| panic!("{entries:?}: {hint}"));
        assert!(hint.ends_with("compiles all entries"), "{hint}");
        let kept = own.max.iter().all(|given| followed.max.contains(given));
        assert!(kept, "{entries:?}: {hint}");
        // Compiling for large bounds takes long: as many symbols with small ones.
        let max = followed.max.iter().map(|(name, most)| (name.clone(), *most.min(&3))).collect();
        let followed = Options { max, ..followed };
        let again = compiled(followed).map(|_| ());
        assert!(again.is_ok(), "{entries:?}: {hint}: {again:?}");
    }
}
