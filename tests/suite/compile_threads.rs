//! The output is the same whatever the number of threads that compile, and a program that is compiled in parts computes what the
//! evaluator does.

use std::{fmt::Write as _, fs};

use strata::{Compiler, Options, Stage, Tasks};

use crate::{
    command::{strata, workspace},
    harness::options,
};

/// Products of different sizes, more code than one part of a module has.
fn products() -> String {
    let types: Vec<_> = (0..12).map(|at| format!("tensor<40x{}xf32>", 65 + 17 * at)).collect();
    let mut text = String::from("func.func public @main(%x: tensor<40x37xf32>");
    for (at, ty) in types.iter().enumerate() {
        let _ = write!(text, ", %w{at}: {}", ty.replace("<40x", "<37x"));
    }
    let _ = writeln!(text, ") -> ({}) {{", types.join(", "));
    for (at, ty) in types.iter().enumerate() {
        let weights = ty.replace("<40x", "<37x");
        let _ = writeln!(
            text,
            "  %p{at} = stablehlo.dot_general %x, %w{at}, contracting_dims = [1] x [0] : \
             (tensor<40x37xf32>, {weights}) -> {ty}\n  %r{at} = stablehlo.tanh %p{at} : {ty}"
        );
    }
    let results: Vec<_> = (0..types.len()).map(|at| format!("%r{at}")).collect();
    let _ = writeln!(text, "  return {} : {}\n}}", results.join(", "), types.join(", "));
    text
}

fn compiled(text: &str, compile_threads: usize, stage: Stage) -> Vec<u8> {
    let options = Options { compile_threads, tasks: Tasks::Always, ..options("x86-64-v4") };
    let artifact = Compiler::new(options).to(stage).compile("products.mlir", text.as_bytes());
    artifact.expect("compiles").bytes().to_vec()
}

#[test]
fn one_thread_and_several_make_the_same_bytes() {
    let text = products();
    let one = compiled(&text, 1, Stage::Obj);
    // LLVM's own objects have one table for the names of sections and symbols.
    let is_merged = one.windows(9).any(|bytes| bytes == b".shstrtab");
    assert!(is_merged, "the program is too small to be compiled in parts");
    for threads in [0, 2, 3] {
        assert!(compiled(&text, threads, Stage::Obj) == one, "{threads} threads");
    }
    let ir = compiled(&text, 1, Stage::LlvmIr);
    assert!(compiled(&text, 2, Stage::LlvmIr) == ir, "LLVM IR");
}

#[test]
fn parts_compute_what_the_evaluator_does() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("products.mlir"), products()).expect("written");
    let arguments = "verify products.mlir --values tame --rounds 1 --tasks always";
    strata(folder.path(), &arguments.split(' ').collect::<Vec<_>>()).succeeded();
}

/// The versions of an object with open sizes are compiled at the same time.
#[test]
fn versions_have_the_same_bytes_on_any_number_of_threads() {
    let program = fs::read(workspace().join("examples/open/grid.mlir")).expect("read");
    let compiled = |compile_threads: usize, wrong: bool| {
        let max = vec![("x.1".to_owned(), if wrong { 0 } else { 6 })];
        let options = Options { compile_threads, open: true, max, ..options("x86-64-v3") };
        Compiler::new(options).compile("grid.mlir", &program)
    };
    let one = compiled(1, false).expect("compiles").bytes().to_vec();
    for threads in [0, 2, 5] {
        let several = compiled(threads, false).expect("compiles");
        assert!(several.bytes() == one, "{threads} threads");
    }
    let texts = [1, 3].map(|threads| compiled(threads, true).map(|_| ()).expect_err("refused"));
    assert_eq!(texts[0].to_string(), texts[1].to_string());
}
