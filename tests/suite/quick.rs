//! Programs that are compiled in the process that calls them take less work where they are small: LLVM runs few passes, and
//! elementwise nests have less copies of their code.

use std::time::Duration;

use strata::{Compiler, Observer, Options, Part, Product, Stage, StageInfo};

use crate::harness::options;

/// The parts of stage `llvmir`.
#[derive(Default)]
struct Parts(Vec<String>);

impl Observer for Parts {
    fn stage_finished(&mut self, _: &StageInfo, _: &Product<'_, '_>, _: Duration) {}

    fn wants_parts(&self) -> bool {
        true
    }

    fn parts_finished(&mut self, info: &StageInfo, parts: &[Part]) {
        if info.stage == Stage::LlvmIr {
            self.0 = parts.iter().map(|part| part.name.clone()).collect();
        }
    }
}

/// Whether few passes were run.
fn is_quick(text: &str, options: Options) -> bool {
    let mut parts = Parts::default();
    let compiler = Compiler::new(options).to(Stage::LlvmIr).observe(&mut parts);
    compiler.compile("program.mlir", text.as_bytes()).expect("it compiles");
    let [few, all] =
        ["few passes", "optimisation"].map(|name| parts.0.iter().any(|one| one == name));
    assert!(few != all, "{:?}", parts.0);
    few
}

/// One operation on one array.
fn unary(operation: &str, ty: &str) -> String {
    format!(
        "func.func @main(%x: {ty}) -> {ty} {{ %0 = stablehlo.{operation} %x : {ty} return %0 : {ty} }}"
    )
}

/// A loop whose number of trips is known at run time only, over numbers in memory.
const WHILE: &str = "func.func @main(%x: tensor<5xf32>, %n: tensor<i32>) -> tensor<5xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<5xf32>
  cond { %more = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1> stablehlo.return %more : tensor<i1> }
  do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %z = stablehlo.reverse %y, dims = [0] : tensor<5xf32>
    stablehlo.return %next, %z : tensor<i32>, tensor<5xf32>
  }
  return %0#1 : tensor<5xf32>
}";

#[test]
fn small_programs_get_few_passes() {
    let in_process = || Options { in_process: true, ..options("x86-64-v4") };
    let cases = [
        (unary("negate", "tensor<f32>"), true),
        (unary("negate", "tensor<0xf32>"), true),
        (unary("negate", "tensor<7xf32>"), true),
        (unary("tanh", "tensor<100x300xf32>"), true),
        // More data.
        (unary("negate", "tensor<200x300xf32>"), false),
        // Nothing is known of how often the loop over single numbers runs.
        (WHILE.to_owned(), false),
    ];
    for (text, wanted) in cases {
        assert_eq!(is_quick(&text, in_process()), wanted, "{text}");
        assert!(!is_quick(&text, options("x86-64-v4")), "objects are optimised: {text}");
    }
}

/// Five functions one after the other on a square of this size.
fn functions(size: usize) -> String {
    let ty = format!("tensor<{size}x{size}xf32>");
    let names = ["exponential", "sine", "tanh", "log_plus_one", "cosine"];
    let lines = names
        .iter()
        .enumerate()
        .map(|(at, name)| format!("  %{} = stablehlo.{name} %{at} : {ty}\n", at + 1));
    let body: String = lines.collect();
    format!("func.func @main(%0: {ty}) -> {ty} {{\n{body}  return %5 : {ty}\n}}")
}

fn at_vector(text: &str, options: Options) -> String {
    let compiled =
        Compiler::new(options).to(Stage::Vector).compile("program.mlir", text.as_bytes());
    compiled.expect("it compiles").text().expect("text").to_owned()
}

#[test]
fn short_nests_have_one_copy_of_a_long_body() {
    let in_process = || Options { in_process: true, ..options("x86-64-v4") };
    let reads = |text: &str| text.matches("vector.load %arg0").count();
    let short = functions(64);
    assert_eq!(reads(&at_vector(&short, options("x86-64-v4"))), 4);
    assert_eq!(reads(&at_vector(&short, in_process())), 1);
    // Calls of longer ones are worth the code.
    let long = functions(512);
    assert_eq!(reads(&at_vector(&long, in_process())), 4);
}

#[test]
fn the_bytes_do_not_depend_on_the_threads_that_compile() {
    for text in [functions(64), functions(512), unary("negate", "tensor<7xf32>")] {
        let compiled = |compile_threads| {
            let options = Options { compile_threads, in_process: true, ..options("x86-64-v4") };
            let compiled = Compiler::new(options).compile("program.mlir", text.as_bytes());
            compiled.expect("it compiles").bytes().to_vec()
        };
        let one = compiled(1);
        for threads in [0, 2, 3] {
            assert!(compiled(threads) == one, "{threads} threads: {text}");
        }
    }
}

/// Sums over devices are loops around a function: more than a few elements are vector code only after the whole pipeline.
#[test]
fn sums_over_devices_are_vector_code() {
    let sum = |count: usize| {
        let ty = format!("tensor<{count}xf32>");
        format!(
            "module attributes {{mhlo.num_replicas = 2 : i32}} {{
               func.func @main(%x: {ty}) -> {ty} {{
                 %0 = \"stablehlo.all_reduce\"(%x) ({{
                 ^bb0(%a: tensor<f32>, %b: tensor<f32>):
                   %s = stablehlo.add %a, %b : tensor<f32>
                   stablehlo.return %s : tensor<f32>
                 }}) {{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : ({ty}) -> {ty}
                 return %0 : {ty}
               }}
             }}"
        )
    };
    let own = || Options { in_process: true, ..options("x86-64-v3") };
    for (count, few) in [(1, true), (1000, true), (2000, false), (16384, false)] {
        assert_eq!(is_quick(&sum(count), own()), few, "{count} elements");
    }
}
