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
    let program = of(&[&max[..4], &["--emit", "exe", "-o", "open"]].concat());
    told(&program, &["S0001", "leave sizes to the caller"]);
    let large = of(&["compile", "open.mlir", "--bind", "input0.0=70368744177664"]);
    told(&large, &["S1009", "open.mlir:1:1", "hint: no processor addresses more"]);
    fs::write(here.path().join("all.mlir"), sum_of("tensor<?x?xf32>", "0, 1")).expect("written");
    let none = of(&["compile", "all.mlir", "--max", "input0.0=-4,input0.1=9"]);
    told(&none, &["S1106", "`--max input0.0=-4` leaves no size", "hint: `--max input0.0=512"]);
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
    told(
        &of(&["--max", "b=4"]),
        &["S1106", "no size of the program depends on a symbol `b`", "its symbols are `input0.0`"],
    );
    fs::write(here.path().join("open.mlir"), sum_of("tensor<?x?xf32>", "0, 1")).expect("written");
    told(&of(&["--max", "input0.0=4"]), &["S0001", "no size is given for `input0.1`"]);
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

/// An option of other commands is not a misspelling.
#[test]
fn options_of_other_commands_name_these() {
    let here = programs();
    let of = |words: &[&str]| strata(here.path(), words);
    for option in ["--max", "--specialize", "--also"] {
        let ended = of(&["run", "open.mlir", option, "input0.0=8"]);
        told(&ended, &["S0001", "the arrays of `--input` give the sizes", "`strata compile`"]);
    }
    let ended = of(&["verify", "open.mlir", "--header", "open.h"]);
    told(&ended, &["S0001", "hint: `--header` is an option of `strata compile`"]);
    assert!(!ended.stderr.contains("give the sizes"), "{}", ended.stderr);
    told(&of(&["compile", "open.mlir", "--heade", "open.h"]), &["did you mean `--header`?"]);
    told(&of(&["compile", "open.mlir", "--nothing"]), &["`strata help` lists the commands"]);
}

#[test]
fn an_older_name_of_specialize_is_taken() {
    let here = programs();
    let of = |option: &str| {
        let words = ["compile", "open.mlir", option, "input0.0=7", "--target-cpu", "x86-64"];
        let object = [&words[..], &["-o", "open.o", "--header", "open.h"]].concat();
        strata(here.path(), &object).succeeded();
        let read = |name: &str| fs::read(here.path().join(name)).expect("written");
        (read("open.o"), read("open.h"))
    };
    let own = of("--specialize");
    assert!(own == of("--also"));
    let header = String::from_utf8(own.1).expect("text");
    assert!(header.contains("1, 2, 3, 4, 7, 8, 16, 32"), "{header}");
    let help = String::from_utf8(strata(here.path(), &["help", "compile"]).stdout).expect("text");
    assert!(help.contains("--specialize") && !help.contains("--also"), "{help}");
}

const MIXED: &str = "\
func.func public @enc(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.exponential %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func public @dec(%y: tensor<8xf32>) -> tensor<8xf32> {
  return %y : tensor<8xf32>
}
func.func public @mid(%z: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = stablehlo.negate %z : tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
";

/// Sizes are for the entries that have the symbol.
#[test]
fn entries_without_a_symbol_do_not_need_one() {
    let here = folder();
    fs::write(here.path().join("mixed.mlir"), MIXED.replace("%z", "%x")).expect("written");
    let check = |more: &[&str]| {
        let words = ["check", "mixed.mlir", "--entry", "enc,dec", "--json"];
        strata(here.path(), &[&words[..], more].concat())
    };
    let report = |ended: Ended| -> serde_json::Value {
        serde_json::from_slice(&ended.succeeded().stdout).expect("JSON")
    };
    let list = report(check(&["--max", "input0.0=9"]));
    assert_eq!(
        (&list[0]["bounds"], &list[1]["bounds"]),
        (&serde_json::json!([["input0.0", 9]]), &serde_json::Value::Null)
    );
    assert_eq!(list[1]["inputs"][0]["type"], "tensor<8xf32>");
    let list = report(check(&["--bind", "input0.0=5"]));
    assert_eq!(list[0]["inputs"][0]["sizes"][0], "input0.0");
    told(&check(&["--max", "b=9"]), &["S1106", "`b`"]);
    let compile = ["compile", "mixed.mlir", "--entry", "enc,dec,mid", "-o", "mixed.o"];
    let bind = |size: &str| strata(here.path(), &[&compile[..], &["--bind", size]].concat());
    bind("input0.0=5").succeeded();
    told(&bind("b=5"), &["S1106", "`b`"]);
}

#[test]
fn semantics_of_a_dump_are_refused_by_eval() {
    let here = programs();
    let of = |words: &[&str]| strata(here.path(), words);
    of(&["compile", "sum.mlir", "--to", "linalg", "-o", "linalg.mlir"]).succeeded();
    let eval = ["eval", "linalg.mlir", "--from", "linalg", "--semantics", "spec"];
    let ended = of(&eval);
    told(&ended, &["S0001", "stage `linalg` no longer has"]);
    assert_eq!(ended.code, 2);
}

/// A sequence that others include fails where it is, and for one of these.
#[test]
fn what_fails_in_an_included_sequence_says_where_it_is_included() {
    let here = folder();
    let program = "func.func public @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %0 = stablehlo.dot %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      return %0 : tensor<64x64xf32>
    }";
    fs::write(here.path().join("dot.mlir"), program).expect("written");
    let shown = strata(here.path(), &["schedule", "dot.mlir", "--target-cpu", "x86-64-v3"]);
    let shown = String::from_utf8(shown.succeeded().stdout).expect("text");
    let wrong = "transform.strata.clean %func : !transform.any_op
      %all = transform.structured.match ops{[\"func.return\"]} in %func : (!transform.any_op) -> !transform.any_op
      %c, %d = transform.structured.tile_using_for %all tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)";
    let given = shown.replace("transform.strata.clean %func : !transform.any_op", wrong);
    assert!(given != shown && given.contains("transform.include @clean"), "{shown}");
    fs::write(here.path().join("given.mlir"), &given).expect("written");
    let words = ["compile", "dot.mlir", "--target-cpu", "x86-64-v3", "--schedule", "given.mlir"];
    let ended = strata(here.path(), &words);
    told(&ended, &["S1301", "its sequence `@nest0` fails", "`@nest0` includes it here"]);
    let line = given.lines().position(|line| line.contains("transform.include @clean"));
    let line = format!("{} |   transform.include @clean", line.expect("included") + 1);
    assert!(ended.stderr.contains(&line), "{line}: {}", ended.stderr);
}

/// The sum of all elements of an input.
fn sum_of(ty: &str, dims: &str) -> String {
    format!(
        "func.func public @main(%x: {ty}) -> tensor<f32> {{
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [{dims}] : ({ty}, tensor<f32>) -> tensor<f32>
          return %0 : tensor<f32>
        }}"
    )
}

/// A program of rows that asserts that there are at least two.
fn two_rows(ty: &str) -> String {
    format!(
        "func.func public @main(%x: {ty}) -> {ty} {{
          %n = stablehlo.get_dimension_size %x, dim = 0 : ({ty}) -> tensor<i32>
          %two = stablehlo.constant dense<2> : tensor<i32>
          %holds = stablehlo.compare GE, %n, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.custom_call @shape_assertion(%holds) {{has_side_effect = true}} : (tensor<i1>) -> ()
          %0 = stablehlo.negate %x : {ty}
          return %0 : {ty}
        }}"
    )
}

/// The hint for a program that cannot leave all sizes open is a command that works as it stands, for all symbols at once.
#[test]
fn one_hint_gives_all_sizes() {
    let product =
        "func.func public @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %k = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
      %l = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
      %holds = stablehlo.compare EQ, %k, %l : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%holds) {has_side_effect = true} : (tensor<i1>) -> ()
      %0 = stablehlo.dot %x, %y : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }";
    let negate = "func.func public @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
      %0 = stablehlo.negate %x : tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }";
    // What has elements between its own cannot be bounded.
    let between = "func.func public @main(%x: tensor<?x?xf32>, %i: tensor<1xi32>, %u: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
      %0 = stablehlo.negate %x : tensor<?x?xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %1 = stablehlo.pad %u, %zero, low = [0], high = [0], interior = [1] : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
      return %0, %1 : tensor<?x?xf32>, tensor<?xf32>
    }";
    // Here neither size can be, and no size is a multiple of both 4 and 3 among those that are tried of both.
    let multiples = [(0, 4), (1, 3)].map(|(dim, by)| {
        format!(
            "%n{dim} = stablehlo.get_dimension_size %x, dim = {dim} : (tensor<?x?xf32>) -> tensor<i32>
      %by{dim} = stablehlo.constant dense<{by}> : tensor<i32>
      %rest{dim} = stablehlo.remainder %n{dim}, %by{dim} : tensor<i32>
      %none{dim} = stablehlo.constant dense<0> : tensor<i32>
      %even{dim} = stablehlo.compare EQ, %rest{dim}, %none{dim} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%even{dim}) {{has_side_effect = true}} : (tensor<i1>) -> ()\n"
        )
    });
    let spread = format!(
        "func.func public @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {{
      {}
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.pad %x, %zero, low = [0, 0], high = [0, 0], interior = [1, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
      return %0 : tensor<?x?xf32>
    }}",
        multiples.concat()
    );
    let here = folder();
    for (program, expected) in [
        (spread, "`--bind input0.0=8,input0.1=9` compiles for one size"),
        (sum_of("tensor<?x3xf32>", "0, 1"), "`--max input0.0=512` compiles for all sizes up to it"),
        (
            sum_of("tensor<?x?xf32>", "0, 1"),
            "`--max input0.0=512,input0.1=512` compiles for all sizes up to these",
        ),
        (
            sum_of("tensor<?x?x?xf32>", "0, 1, 2"),
            "`--max input0.0=512,input0.1=512,input0.2=512` compiles for all sizes up to these",
        ),
        (
            negate.to_owned(),
            "`--max input0.1=512` compiles for any `input0.0`, and for `input0.1` <= 512",
        ),
        (
            product.to_owned(),
            "`--max input0.1=512,input1.1=512` compiles for any `input0.0`, and for `input0.1` <= 512 and `input1.1` <= 512",
        ),
        // Not each number of rows is the sum of numbers that the program takes.
        (two_rows("tensor<?x3xf32>"), "`--max input0.0=512` compiles for all sizes up to it"),
        (
            two_rows("tensor<?x?xf32>"),
            "`--max input0.0=512` compiles for any `input0.1`, and for `input0.0` <= 512",
        ),
        (between.to_owned(), "`--bind "),
    ] {
        fs::write(here.path().join("p.mlir"), &program).expect("written");
        let words = ["compile", "p.mlir", "--target-cpu", "x86-64-v3", "-o", "p.o", "-O0"];
        let ended = strata(here.path(), &words);
        told(&ended, &["S1101", expected]);
        let (_, hint) = ended.stderr.split_once("hint: `").expect("a hint");
        let command: Vec<_> = hint.split('`').next().unwrap_or_default().split(' ').collect();
        strata(here.path(), &[&words[..], &command[..]].concat()).succeeded();
        // With one of the sizes given, the hint still has all.
        let [option, list] = command[..] else { continue };
        let Some((first, _)) = list.split_once(',') else { continue };
        let half = strata(here.path(), &[&words[..], &[option, first]].concat());
        if half.code != 0 {
            let (_, hint) = half.stderr.split_once("hint: `").expect("a hint");
            let whole = hint.split('`').next().unwrap_or_default();
            assert!(whole.starts_with(option) && whole.contains(first), "{whole}");
            let whole: Vec<_> = whole.split(' ').collect();
            strata(here.path(), &[&words[..], &whole[..]].concat()).succeeded();
        }
    }
}

/// A bound with which a size has no place gets a smaller one that compiles, not one size.
#[test]
fn a_bound_that_is_too_large_gets_a_smaller_one() {
    let program = "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
      %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    }";
    // The largest size that there is has a place beside a number of rows: buffers are as long as the bound then.
    let apart =
        "func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
      %0 = stablehlo.negate %x : tensor<?xf32>
      %1 = stablehlo.negate %y : tensor<?xf32>
      return %0, %1 : tensor<?xf32>, tensor<?xf32>
    }";
    let here = folder();
    let words = ["compile", "p.mlir", "--target-cpu", "x86-64-v3", "-o", "p.o", "-O0", "--max"];
    fs::write(here.path().join("p.mlir"), program).expect("written");
    let ended = strata(here.path(), &[&words[..], &["input0.0=1500000000"]].concat());
    told(&ended, &["S1101", "`--max input0.0=512` compiles for all sizes up to"]);
    strata(here.path(), &[&words[..], &["input0.0=512"]].concat()).succeeded();
    fs::write(here.path().join("p.mlir"), apart).expect("written");
    for bounds in ["input0.0=2147483647", "input0.0=2147483647,input1.0=512"] {
        strata(here.path(), &[&words[..], &[bounds]].concat()).succeeded();
    }
}

/// JAX's functions have the places of their calls, and their operations only names.
/// A size that the program's own conditions refuse: which one, and the nearest that they do not.
#[test]
fn a_size_that_a_program_refuses_gets_the_nearest_one() {
    let here = folder();
    let program = "func.func public @main(%x: tensor<?xf32> loc(\"x\")) -> tensor<?xf32> {
      %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %four = stablehlo.constant dense<4> : tensor<i32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %rest = stablehlo.remainder %n, %four : tensor<i32>
      %is = stablehlo.compare EQ, %rest, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.custom_call @shape_assertion(%is, %n) {error_message = \"{0}\", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
      %f = stablehlo.reverse %x, dims = [0] : tensor<?xf32>
      return %f : tensor<?xf32>
    }";
    fs::write(here.path().join("fours.mlir"), program).expect("written");
    let of = |more: &[&str]| {
        strata(here.path(), &[&["compile", "fours.mlir", "-o", "fours.o"], more].concat())
    };
    let refused = of(&["--max", "x.0=63"]);
    told(&refused, &["S1106", "does not take `x.0` = 63: it asserts `mod(x.0, 4) = 0`"]);
    let refused = of(&["--max", "x.0=64", "--specialize", "x.0=7"]);
    told(&refused, &["S1106", "`x.0` = 7", "the nearest one is `--specialize x.0=8`"]);
    of(&["--max", "x.0=64", "--specialize", "x.0=8"]).succeeded();
}

#[test]
fn operations_of_called_functions_are_named() {
    let program = "func.func public @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @fmod(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc(#call)
      %1 = stablehlo.add %0, %y : tensor<4xf32> loc(#call)
      return %1 : tensor<4xf32>
    }
    func.func private @fmod(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.remainder %x, %y : tensor<4xf32> loc(\"rem\")
      return %0 : tensor<4xf32> loc(unknown)
    }
    #place = loc(\"model.py\":3:11)
    #call = loc(\"jit(f)/jit(fmod)\"(#place))";
    let here = folder();
    fs::write(here.path().join("p.mlir"), program).expect("written");
    let ended = strata(here.path(), &["compile", "p.mlir", "--freestanding", "-o", "p.o"]);
    told(&ended, &["S1705", "model.py:3:11", "operation: stablehlo.remainder"]);
}

#[test]
fn a_size_that_an_operation_forbids_has_the_hint_of_others() {
    let here = folder();
    let program = "func.func @main(%x: tensor<?xf32> loc(\"x\")) -> tensor<?xf32> {
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %one = stablehlo.constant dense<1> : tensor<1xi32>
      %edges = stablehlo.constant dense<0> : tensor<1x2xi32>
      %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
      %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
      %2 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %low, %1, %one, %one, %one, %edges)
        {called_computations = [@larger]} : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xf32>
      return %2 : tensor<?xf32>
    }
    func.func private @larger(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.maximum %a, %b : tensor<f32>
      return %0 : tensor<f32>
    }";
    fs::write(here.path().join("window.mlir"), program).expect("written");
    let bound = |words: &[&str]| {
        strata(here.path(), &[&["compile", "window.mlir", "-o", "window.o"][..], words].concat())
    };
    told(&bound(&["--bind", "x.0=0"]), &["S1106", "`--max x.0=512` compiles for all sizes"]);
    bound(&["--max", "x.0=512"]).succeeded();
}
