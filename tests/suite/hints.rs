//! Options that do not fit together, and hints that can be followed.

use std::fs;

use strata::{Compiler, Stage};

use crate::{
    cli::folder,
    command::{Ended, strata, strata_on_terminal, without_escapes},
    harness::snapshot_options,
};

const OPEN: &str = "\
func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.exponential %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
";

const TWO: &str = "\
func.func public @enc(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func public @dec(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.exponential %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
";

/// A folder with `sum.mlir`, `open.mlir` and `two.mlir`.
fn programs() -> tempfile::TempDir {
    let here = folder();
    fs::write(here.path().join("open.mlir"), OPEN).expect("written");
    fs::write(here.path().join("two.mlir"), TWO).expect("written");
    here
}

#[track_caller]
fn told(ended: &Ended, parts: &[&str]) {
    assert_ne!(ended.code, 0);
    for part in parts {
        assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
    }
}

#[test]
fn options_that_do_not_fit_say_which_and_what_to_do() {
    let here = programs();
    let of = |words: &[&str]| strata(here.path(), words);
    let max = ["compile", "open.mlir", "--max", "input0.0=8", "-o", "open.o"];
    let several = of(&[&max[..], &["--target-cpu", "x86-64,x86-64-v3"]].concat());
    told(&several, &["S0001", "--target-cpu names several", "an object for each"]);
    let program = of(&[&max[..4], &["--emit", "exe", "-o", "open"]].concat());
    told(&program, &["S0001", "leave sizes to the caller"]);
    let large = of(&["compile", "open.mlir", "--bind", "input0.0=70368744177664"]);
    told(&large, &["S1009", "open.mlir:1:1", "hint: no processor addresses more"]);
    let larger = of(&["bench", "open.mlir", "--max", "input0.0=140737488355329"]);
    told(
        &larger,
        &["S0001", "`140737488355329` is larger than any array can be: sizes are at most 2^47"],
    );

    of(&["compile", "sum.mlir", "--to", "llvmir", "-o", "sum.ll"]).succeeded();
    let named = ["compile", "sum.ll", "--from", "llvmir", "-o", "sum.o"];
    told(&of(&[&named[..], &["--name", "other"]].concat()), &["S0001", "--name", "they have one"]);
    of(&named).succeeded();

    let typed = of(&["compile", "sum.mlir", "--after", "llvmir=instcombin", "-o", "sum.o"]);
    told(&typed, &["S0008", "`instcombin`", "did you mean `instcombine`?"]);
    told(&of(&["eval", "sum.mlir", "--from", "vector"]), &["S0009", "this looks like StableHLO"]);

    fs::create_dir(here.path().join("saved")).expect("created");
    fs::write(here.path().join("saved/saved_model.pb"), "").expect("written");
    told(&of(&["compile", "saved"]), &["S0002", "SavedModel", "experimental_get_compiler_ir"]);
}

#[test]
fn an_object_with_open_sizes_is_measured() {
    let here = programs();
    let quick = ["bench", "open.mlir", "--rounds", "2", "--min-time", "0.001", "--no-limits"];
    let of = |words: &[&str]| strata(here.path(), &[&quick[..], words].concat());
    let ended = of(&["--max", "input0.0=60", "--json"]).succeeded();
    let report: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!(report["inputs"][0], "tensor<60xf32>");
    assert_eq!(report["transcendentals"], 60);
    assert!(report["seconds"]["median"].as_f64().is_some_and(|seconds| seconds > 0.0), "{report}");
    let array = crate::arrays::npy("<f4", "(5,)", &[0; 20]);
    fs::write(here.path().join("five.npy"), array).expect("written");
    let ended = of(&["--max", "input0.0=60", "--input", "five.npy", "--json"]).succeeded();
    let report: serde_json::Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!(report["inputs"][0], "tensor<5xf32>");
    let ended = of(&["--max", "input0.0=4", "--input", "five.npy"]);
    told(&ended, &["S1106", "tensor<5xf32>", "`--max` gives the largest"]);
    told(&of(&["--max", "b=4"]), &["S0001", "no size is given for `input0.0`"]);
}

#[test]
fn each_of_several_entries_is_checked() {
    let here = programs();
    let of = |words: &[&str]| strata(here.path(), words);
    let both = of(&["check", "two.mlir", "--entry", "enc,dec"]).succeeded();
    let text = String::from_utf8(both.stdout).expect("text");
    assert!(
        text.starts_with("entry       enc\n") && text.contains("\n\nentry       dec\n"),
        "{text}"
    );
    let both = of(&["check", "two.mlir", "--entry", "enc,dec", "--json"]).succeeded();
    let list: serde_json::Value = serde_json::from_slice(&both.stdout).expect("JSON");
    assert_eq!((&list[0]["entry"], &list[1]["transcendentals"]), (&"enc".into(), &8.into()));

    let words = ["compile", "two.mlir", "--entry", "enc,dec", "-o", "two.o", "--remarks"];
    let remarks = of(&words).succeeded().stderr;
    assert!(remarks.contains("  input 0 of `enc`\n"), "{remarks}");
    let nothing = of(&[&words[..], &["--remarks-filter", "cholesky"]].concat()).succeeded().stderr;
    assert!(nothing.contains("nothing of it is what --remarks-filter asks for"), "{nothing}");
}

#[test]
fn a_narrow_terminal_has_whole_rows() {
    let here = programs();
    let (shown, code) = strata_on_terminal(here.path(), 52, &["check", "sum.mlir", "-q"]);
    let shown = without_escapes(&shown);
    assert_eq!(code, 0, "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 52), "{shown}");
}

/// What few numbers need is not in the loop that all go through.
#[test]
fn products_of_complex_numbers_are_recovered_apart() {
    let text = |count: usize| {
        let ty = format!("tensor<{count}xcomplex<f64>>");
        let program = format!(
            "func.func public @main(%x: {ty}, %y: {ty}) -> {ty} {{
               %0 = stablehlo.multiply %x, %y : {ty}
               return %0 : {ty}
             }}"
        );
        let compiler = Compiler::new(snapshot_options()).to(Stage::Vector);
        let artifact = compiler.compile("x.mlir", program.as_bytes()).expect("compiles");
        String::from_utf8(artifact.bytes().to_vec()).expect("text")
    };
    for (count, loops) in [(8, 1), (200, 2), (1000, 3)] {
        let text = text(count);
        assert_eq!(text.matches("scf.for").count(), loops, "{text}");
        assert_eq!(text.matches("scf.if").count(), usize::from(loops > 1), "{text}");
        assert!(!text.contains("strata.rarely"), "{text}");
    }
}
