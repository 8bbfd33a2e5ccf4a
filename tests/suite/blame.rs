//! Errors in what users give beside a program: dumps of stages, passes, schedules. They are theirs, with the place in the file that
//! is wrong; nothing is written, and no bug of the compiler is reported.

use std::fs;
use std::path::Path;

use crate::cli::{SUM, folder};
use crate::command::{Ended, strata, strata_with_input};

/// A dot, on line 2.
const DENSE: &str = "\
func.func public @main(%a: tensor<17x33xf32>, %b: tensor<33x65xf32>) -> tensor<17x65xf32> {
  %0 = stablehlo.dot %a, %b : (tensor<17x33xf32>, tensor<33x65xf32>) -> tensor<17x65xf32>
  return %0 : tensor<17x65xf32>
}
";

/// A schedule for it whose fourth line is what is tried.
fn schedule(line: &str) -> String {
    format!(
        "module attributes {{transform.with_named_sequence}} {{\n\
         transform.named_sequence @nest0(%func: !transform.any_op {{transform.readonly}}) {{\n  \
         %0 = transform.structured.match ops{{[\"linalg.fill\"]}} in %func : (!transform.any_op) -> !transform.any_op\n  \
         {line}\n  \
         transform.yield\n}}\n}}\n"
    )
}

/// The names of all files there.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> =
        entries.map(|one| one.expect("one").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The command fails by the user's mistake and writes no file.
fn refused(here: &Path, words: &[&str]) -> Ended {
    let before = names(here);
    let ended = strata(here, words);
    assert!([1, 2].contains(&ended.code), "{words:?}: exit {}: {}", ended.code, ended.stderr);
    assert_eq!(names(here), before, "{words:?}: {}", ended.stderr);
    assert!(!ended.stderr.contains("reproducer was written"), "{}", ended.stderr);
    ended
}

#[test]
fn a_schedule_that_fails_is_shown_where_it_does() {
    let here = tempfile::tempdir().expect("a temporary folder");
    fs::write(here.path().join("dense.mlir"), DENSE).expect("written");
    let tried = |line: &str| {
        fs::write(here.path().join("edited.mlir"), schedule(line)).expect("written");
        let words = ["compile", "dense.mlir", "--target-cpu", "x86-64-v3", "--schedule"];
        let words = [&words[..], &["edited.mlir", "-o", "dense.o"]].concat();
        refused(here.path(), &words).stderr
    };
    // MLIR reports the one at the schedule's operation, the other at the program's.
    for (line, operation) in [
        (
            "%1, %2 = transform.split_handle %0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)",
            "transform.split_handle",
        ),
        (
            "transform.structured.vectorize %0 vector_sizes [2, 2] : !transform.any_op",
            "transform.structured.vectorize",
        ),
    ] {
        let text = tried(line);
        assert!(text.starts_with("error[S1301]"), "{text}");
        assert!(text.contains("--> edited.mlir:4:"), "{text}");
        assert!(
            text.contains(&format!("4 |   {}", &line[..20])) && text.contains("^^^^"),
            "{text}"
        );
        assert!(text.contains(&format!("operation: {operation}")), "{text}");
        assert!(text.contains("its sequence `@nest0` fails: "), "{text}");
        assert!(text.contains("dense.mlir:2:8: `@nest0` is applied to"), "{text}");
    }
    // What would fail much later, or match nothing, is refused where it is written.
    for (line, reason) in [
        (
            "%1 = transform.structured.match ops{[\"linalg.genric\"]} in %func : (!transform.any_op) -> !transform.any_op",
            "hint: did you mean `linalg.generic`?",
        ),
        (
            "%1, %2 = transform.structured.fuse %0 tile_sizes [0, -8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)",
            "the tile size -8 is negative",
        ),
        (
            "%1, %2 = transform.structured.tile_using_for %0 tile_sizes [-3] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)",
            "the tile size -3 is negative",
        ),
    ] {
        let text = tried(line);
        assert!(text.starts_with("error[S1301]"), "{text}");
        assert!(text.contains("--> edited.mlir:4:") && text.contains(reason), "{text}");
    }
    let text = tried("transform.structured.vectorise %0 : !transform.any_op");
    assert!(text.contains("did you mean `transform.structured.vectorize`?"), "{text}");
}

#[test]
fn operations_and_passes_of_mlir_have_suggestions() {
    let here = folder();
    let text =
        "func.func @main(%a: f32) -> f32 {\n  %0 = arith.adff %a, %a : f32\n  return %0 : f32\n}\n";
    fs::write(here.path().join("a.mlir"), text).expect("written");
    let ended = refused(here.path(), &["compile", "a.mlir", "--from", "affine"]);
    assert!(ended.stderr.contains("hint: did you mean `arith.addf`?"), "{}", ended.stderr);
    for (wrong, meant) in [
        ("linalg.matmull", "linalg.matmul"),
        ("vector.transfer_rede", "vector.transfer_read"),
        ("transform.yeld", "transform.yield"),
        (
            "transform.apply_patterns.vector.lower_transpos",
            "transform.apply_patterns.vector.lower_transpose",
        ),
    ] {
        let text = format!("module {{\n  \"{wrong}\"() : () -> ()\n}}\n");
        fs::write(here.path().join("a.mlir"), text).expect("written");
        let ended = refused(here.path(), &["opt", "a.mlir"]);
        let hint = format!("hint: did you mean `{meant}`");
        assert!(ended.stderr.contains(&hint), "{wrong}: {}", ended.stderr);
    }
    for (words, meant) in [
        (["compile", "sum.mlir", "--after", "linalg=canonicalise"], "canonicalize"),
        (["compile", "sum.mlir", "--after", "affine=func.func(csee)"], "cse"),
        (["opt", "sum.mlir", "--pass-pipeline", "func.func(symbol-dec)"], "symbol-dce"),
    ] {
        let ended = refused(here.path(), &words);
        let hint = format!("hint: did you mean `{meant}`?");
        assert!(ended.stderr.starts_with("error[S0008]"), "{}", ended.stderr);
        assert!(ended.stderr.contains(&hint), "{words:?}: {}", ended.stderr);
    }
    // A pass of MLIR for hardware that Strata does not register is not suggested.
    let words = ["opt", "sum.mlir", "--pass-pipeline", "convert-gpu-to-nvm"];
    let ended = refused(here.path(), &words);
    let (_, hint) = ended.stderr.split_once("hint: ").expect("a hint");
    assert!(!hint.contains("gpu"), "{}", ended.stderr);
    let ended = refused(here.path(), &["compil", "sum.mlir"]);
    assert!(ended.stderr.contains("did you mean `compile`"), "{}", ended.stderr);
}

#[test]
fn dumps_are_recognised_by_their_stage() {
    let here = folder();
    for stage in ["linalg", "affine", "vector", "llvm"] {
        let file = format!("{stage}.mlir");
        strata(here.path(), &["compile", "sum.mlir", "--to", stage, "-o", &file]).succeeded();
    }
    for (file, from, like) in [
        ("linalg.mlir", "vector", "linalg"),
        ("linalg.mlir", "affine", "linalg"),
        ("linalg.mlir", "input", "linalg"),
        ("affine.mlir", "schedule", "affine"),
        ("llvm.mlir", "linalg", "llvm"),
        ("llvm.mlir", "input", "llvm"),
        ("vector.mlir", "hlo", "vector"),
        ("vector.mlir", "schedule", "vector"),
        ("affine.mlir", "hlo", "affine"),
        ("linalg.mlir", "hlo", "linalg"),
    ] {
        let ended = refused(here.path(), &["compile", file, "--from", from, "-o", "sum.o"]);
        assert!(ended.stderr.starts_with("error[S0009]"), "{file} {from}: {}", ended.stderr);
        let hint = format!("hint: this looks like a dump of stage `{like}`: `--from {like}`");
        assert!(ended.stderr.contains(&hint), "{file} {from}: {}", ended.stderr);
        let words = ["compile", file, "--from", like, "-o", "sum.o"];
        strata(here.path(), &words).succeeded();
        fs::remove_file(here.path().join("sum.o")).expect("removed");
    }
    let ended = refused(here.path(), &["compile", "sum.mlir", "--from", "affine"]);
    assert!(ended.stderr.contains("looks like StableHLO: leave `--from` out"), "{}", ended.stderr);
    let ended = refused(here.path(), &["compile", "vector.mlir", "--from", "llvmir"]);
    assert!(ended.stderr.contains("`vector`: `--from vector`"), "{}", ended.stderr);
}

#[test]
fn the_last_dumps_are_recognised_too() {
    let here = folder();
    let dump = |to: &str, file: &str| {
        let words = ["compile", "sum.mlir", "--name", "net", "--to", to, "-o", file];
        strata(here.path(), &words).succeeded();
    };
    dump("llvm", "own.mlir");
    dump("llvmir", "own.ll");
    dump("asm", "own.s");
    // Its symbols have the other name, and the stage is right.
    let ended = refused(here.path(), &["compile", "own.mlir", "--from", "llvm"]);
    assert!(ended.stderr.starts_with("error[S0009]"), "{}", ended.stderr);
    assert!(ended.stderr.contains("hint: the dump was made with `--name net`"), "{}", ended.stderr);
    let words = ["compile", "own.mlir", "--from", "llvm", "--name", "net", "-o", "net.o"];
    strata(here.path(), &words).succeeded();
    for from in ["input", "hlo", "llvm"] {
        let ended = refused(here.path(), &["compile", "own.ll", "--from", from]);
        assert!(ended.stderr.contains("hint: `--from llvmir` reads"), "{from}: {}", ended.stderr);
    }
    let ended = refused(here.path(), &["compile", "own.s", "--from", "llvm"]);
    assert!(ended.stderr.contains("the content is assembly"), "{}", ended.stderr);
}

/// What no stage makes and none can compile.
#[test]
fn an_edited_dump_that_cannot_be_compiled_is_not_a_bug() {
    let here = folder();
    strata(here.path(), &["compile", "sum.mlir", "--to", "vector", "-o", "own.mlir"]).succeeded();
    let own = fs::read_to_string(here.path().join("own.mlir")).expect("read");
    let line = own.lines().find(|line| line.contains("arith.addf")).expect("a sum");
    let name = line.trim().split(' ').next().expect("a value");
    // It calls a function that objects have not.
    let edited = own.replace(line, &format!("{line}\n      vector.print {name} : f32"));
    fs::write(here.path().join("edited.mlir"), edited).expect("written");
    let ended =
        refused(here.path(), &["compile", "edited.mlir", "--from", "vector", "-o", "edited.o"]);
    assert!(ended.stderr.starts_with("error[S0009]"), "{}", ended.stderr);
    assert!(ended.stderr.contains("edited.mlir") && ended.stderr.contains("`printF32`"));
    assert!(ended.stderr.contains("undo what was changed in the dump"), "{}", ended.stderr);
}

#[test]
fn an_edited_dump_with_other_results_is_not_a_bug() {
    let here = folder();
    strata(here.path(), &["compile", "sum.mlir", "--to", "linalg", "-o", "own.mlir"]).succeeded();
    let own = fs::read_to_string(here.path().join("own.mlir")).expect("read");
    fs::write(here.path().join("edited.mlir"), own.replace("arith.addf", "arith.subf"))
        .expect("written");
    let words = ["verify", "sum.mlir", "--stages", "--values", "tame", "--rounds", "1", "--dump"];
    let ended = refused(here.path(), &[&words[..], &["linalg=edited.mlir"]].concat());
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.stderr.starts_with("error[S1915]"), "{}", ended.stderr);
    assert!(ended.stderr.contains("edited.mlir"), "{}", ended.stderr);
    strata(here.path(), &[&words[..], &["linalg=own.mlir"]].concat()).succeeded();
}

/// Functions of libm are named with the operation and the line that need them.
#[test]
fn a_function_that_is_missing_is_needed_somewhere() {
    let here = folder();
    let text = "\
func.func public @main(%a: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.add %a, %b : tensor<5xf32> loc(#sum)
  %1 = func.call @rem(%0, %b) : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32> loc(#rest)
  %2 = stablehlo.remainder %b, %a : tensor<5xf32> loc(#other)
  %3 = stablehlo.add %1, %2 : tensor<5xf32> loc(#sum)
  return %3 : tensor<5xf32>
}
func.func private @rem(%a: tensor<5xf32>, %b: tensor<5xf32>) -> tensor<5xf32> {
  %0 = stablehlo.negate %a : tensor<5xf32> loc(#rest)
  %1 = stablehlo.negate %0 : tensor<5xf32> loc(#rest)
  %2 = stablehlo.remainder %1, %b : tensor<5xf32> loc(#rest)
  return %2 : tensor<5xf32>
}
#sum = loc(\"model.py\":6:3)
#rest = loc(\"jit(f)/rem\"(\"model.py\":7:9))
#other = loc(\"model.py\":8:9)
";
    let compile = ["compile", "-", "--freestanding", "-o", "x.o", "--name", "x", "--target-cpu"];
    for cpu in ["x86-64-v3", "x86-64,x86-64-v3"] {
        let words = [&compile[..], &[cpu]].concat();
        let ended = strata_with_input(here.path(), &words, text.as_bytes());
        assert_eq!(ended.code, 1, "{}", ended.stderr);
        assert!(ended.stderr.starts_with("error[S1705]"), "{}", ended.stderr);
        for part in ["--> model.py:7:9", "operation: stablehlo.remainder", "model.py:8:9"] {
            assert!(ended.stderr.contains(part), "{part}: {}", ended.stderr);
        }
        assert!(!ended.stderr.contains("model.py:6"), "{}", ended.stderr);
    }
    // `SUM` needs none.
    let words = ["compile", "sum.mlir", "--freestanding", "-o", "sum.o", "--target-cpu", "x86-64"];
    strata(here.path(), &words).succeeded();
    assert!(SUM.contains("add"));
}

/// `get_dimension_size` gives 32 bits.
#[test]
fn sizes_that_the_program_cannot_count_are_refused() {
    let here = folder();
    let text = "\
func.func public @main(%a: tensor<?xi8>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xi8>) -> tensor<i32>
  return %0 : tensor<i32>
}
";
    fs::write(here.path().join("count.mlir"), text).expect("written");
    let compile = |size: &str| {
        let bind = format!("input0.0={size}");
        strata(here.path(), &["compile", "count.mlir", "--bind", &bind, "-o", "count.o"])
    };
    let ended = compile("3000000000");
    assert_eq!(ended.code, 1, "{}", ended.stderr);
    assert!(ended.stderr.starts_with("error[S1106]"), "{}", ended.stderr);
    assert!(ended.stderr.contains("a size is 3000000000"), "{}", ended.stderr);
    compile("2147483647").succeeded();
}
