//! Programs that are compiled in the process that calls them take less work where they are small: LLVM runs few passes, and
//! elementwise nests have less copies of their code. So do all programs at level 1.

use std::{fs, time::Duration};

use strata::{Compiler, Observer, OptLevel, Options, Part, Product, Stage, StageInfo};
use strata_run::Loaded;

use crate::{
    command::strata,
    harness::{cpus, options},
};

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

fn at_level_1(cpu: &str) -> Options {
    Options { opt_level: OptLevel::Less, ..options(cpu) }
}

#[test]
fn all_programs_get_few_passes_at_level_1() {
    let texts = [
        unary("negate", "tensor<7xf32>"),
        unary("negate", "tensor<200x300xf32>"),
        unary("tanh", "tensor<2000x300xf32>"),
        WHILE.to_owned(),
    ];
    for text in texts {
        assert!(is_quick(&text, at_level_1("x86-64-v4")), "{text}");
        let in_process = Options { in_process: true, ..at_level_1("x86-64-v4") };
        assert!(is_quick(&text, in_process), "{text}");
        // Without any optimisation there is nothing to leave out.
        let none = Options { opt_level: OptLevel::None, ..options("x86-64-v4") };
        assert!(!is_quick(&text, none), "{text}");
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
    assert_eq!(reads(&at_vector(&long, options("x86-64-v4"))), 4);
    assert_eq!(reads(&at_vector(&long, at_level_1("x86-64-v4"))), 1);
}

/// A function and a product in turns, this many times.
fn repeated(operation: &str, count: usize, ty: &str) -> String {
    let lines = (0..count).map(|at| {
        format!("  %a{at} = {operation} %b{at} : {ty}\n  %b{} = stablehlo.multiply %a{at}, %b0 : {ty}\n", at + 1)
    });
    let body: String = lines.collect();
    format!("func.func @main(%b0: {ty}) -> {ty} {{\n{body}  return %b{count} : {ty}\n}}")
}

#[test]
fn functions_of_many_places_are_functions_of_the_program() {
    let in_process = || Options { in_process: true, ..options("x86-64-v3") };
    let found = |text: &str, options: Options| {
        let text = at_vector(text, options);
        let count = |what: &str| text.matches(what).count();
        [count("func.func private @strata.math."), count("call @strata.math.tanh.8xf32")]
    };
    let tanh = |count, ty| repeated("stablehlo.tanh", count, ty);
    assert_eq!(found(&tanh(4, "tensor<64x64xf32>"), in_process()), [1, 4]);
    assert_eq!(found(&tanh(3, "tensor<64x64xf32>"), in_process()), [0, 0]);
    assert_eq!(found(&tanh(4, "tensor<64x64xf32>"), options("x86-64-v3")), [0, 0], "objects");
    // Calls of longer ones are worth the code.
    assert_eq!(found(&tanh(4, "tensor<512x512xf32>"), in_process()), [0, 0]);
    // Two instructions.
    assert_eq!(found(&repeated("stablehlo.rsqrt", 4, "tensor<64x64xf32>"), in_process()), [0, 0]);
}

/// Stage `affine`'s end: functions of a value of each row, inside of the loop along it.
const ROW_VALUES: &str = "\
func.func @main(%x: memref<16x64xf32>, %c: memref<16xf32>, %y: memref<16x64xf32>, %w: memref<0xi8>) attributes {
    strata.entry, strata.inputs = [tensor<16x64xf32>, tensor<16xf32>], strata.outputs = [tensor<16x64xf32>], strata.workspace_size = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %k = memref.load %c[%i] : memref<16xf32>
    %k0 = vector.broadcast %k : f32 to vector<8xf32>
    scf.for %j = %c0 to %c64 step %c8 {
      %a = vector.load %x[%i, %j] : memref<16x64xf32>, vector<8xf32>
      %k1 = math.tanh %k0 : vector<8xf32>
      %k2 = math.tanh %k1 : vector<8xf32>
      %k3 = math.tanh %k2 : vector<8xf32>
      %a1 = arith.mulf %a, %k3 : vector<8xf32>
      %a2 = math.tanh %a1 : vector<8xf32>
      vector.store %a2, %y[%i, %j] : memref<16x64xf32>, vector<8xf32>
    }
  }
  return
}";

#[test]
fn functions_of_rows_are_called_outside_of_the_loops_along_them() {
    let options = Options { in_process: true, ..options("x86-64-v3") };
    let compiler = Compiler::new(options).from(Stage::Affine).to(Stage::Vector);
    let compiled = compiler.compile("rows.mlir", ROW_VALUES.as_bytes()).expect("it compiles");
    let code = compiled.text().expect("text");
    let depths = code.lines().filter(|line| line.contains("call @strata.math.tanh"));
    let depths: Vec<_> = depths.map(|line| line.len() - line.trim_start().len()).collect();
    assert!(matches!(depths[..], [a, b, c, d] if a == b && b == c && c < d), "{code}");
}

#[test]
fn functions_of_many_places_compute_the_same() {
    let special = [
        0.0,
        -0.0,
        0.5,
        -1.25,
        3.0,
        1e30,
        -1e-30,
        88.9,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    for (operation, element) in [
        ("stablehlo.tanh", "f32"),
        ("stablehlo.exponential", "f64"),
        ("stablehlo.sine", "f32"),
        ("stablehlo.cosine", "f64"),
        ("stablehlo.log_plus_one", "f32"),
        ("stablehlo.cbrt", "f32"),
    ] {
        for shape in ["", "7x", "33x17x"] {
            let text = repeated(operation, 5, &format!("tensor<{shape}{element}>"));
            for cpu in cpus() {
                let bits = |in_process| {
                    let options = Options { in_process, ..options(cpu) };
                    let compiler = Compiler::new(options.clone());
                    let artifact = compiler.compile("program.mlir", text.as_bytes());
                    let artifact = artifact.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
                    let signature = artifact.signature().expect("a signature");
                    let loaded =
                        Loaded::new(artifact.bytes(), &options, signature).expect("linked");
                    let wide = element == "f64";
                    let bytes = signature.inputs[0].byte_count() as usize;
                    let count = bytes / if wide { 8 } else { 4 };
                    let number = |at: usize| special[at % special.len()] * (1.0 + (at / 11) as f64);
                    let input = match wide {
                        true => (0..count).flat_map(|at| number(at).to_le_bytes()).collect(),
                        false => (0..count)
                            .flat_map(|at| (number(at) as f32).to_le_bytes())
                            .collect::<Vec<_>>(),
                    };
                    let (status, found) = loaded.call(&[input]).expect("called");
                    assert_eq!(status, 0);
                    found
                };
                assert_eq!(bits(true), bits(false), "{cpu}: {text}");
            }
        }
    }
}

/// A product of two squares.
fn square_product(size: usize) -> String {
    let ty = format!("tensor<{size}x{size}xf32>");
    format!(
        "func.func @main(%x: {ty}, %y: {ty}) -> {ty} {{
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : ({ty}, {ty}) -> {ty}
  return %0 : {ty}
}}"
    )
}

#[test]
fn sums_of_short_products_are_not_unrolled() {
    let in_process = || Options { in_process: true, ..options("x86-64-v3") };
    let unrolled = |text: &str| text.contains("count = 4");
    assert!(unrolled(&at_vector(&square_product(64), options("x86-64-v3"))));
    assert!(!unrolled(&at_vector(&square_product(64), in_process())));
    // Calls of longer ones are worth the code.
    assert!(unrolled(&at_vector(&square_product(256), in_process())));
}

/// A dot, of whose rows and columns tiles leave some.
const PRODUCT: &str = "\
func.func @main(%x: tensor<61x37xf32>, %w: tensor<37x53xf32>) -> tensor<61x53xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<61x37xf32>, tensor<37x53xf32>) -> tensor<61x53xf32>
  return %0 : tensor<61x53xf32>
}";

/// A softmax of rows.
const ROWS: &str = "\
func.func @main(%x: tensor<13x67xf32>) -> tensor<13x67xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %most = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<13x67xf32>, tensor<f32>) -> tensor<13xf32>
  %all = stablehlo.broadcast_in_dim %most, dims = [0] : (tensor<13xf32>) -> tensor<13x67xf32>
  %d = stablehlo.subtract %x, %all : tensor<13x67xf32>
  %e = stablehlo.exponential %d : tensor<13x67xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<13x67xf32>, tensor<f32>) -> tensor<13xf32>
  %sums = stablehlo.broadcast_in_dim %sum, dims = [0] : (tensor<13xf32>) -> tensor<13x67xf32>
  %r = stablehlo.divide %e, %sums : tensor<13x67xf32>
  return %r : tensor<13x67xf32>
}";

/// Windows, with an edge, and a maximum of windows after them.
const WINDOWS: &str = "\
func.func @main(%x: tensor<1x19x17x5xf32>, %w: tensor<3x3x5x21xf32>) -> tensor<1x9x8x21xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x19x17x5xf32>, tensor<3x3x5x21xf32>) -> tensor<1x19x17x21xf32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %1 = \"stablehlo.reduce_window\"(%0, %lowest) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}
    : (tensor<1x19x17x21xf32>, tensor<f32>) -> tensor<1x9x8x21xf32>
  return %1 : tensor<1x9x8x21xf32>
}";

/// Loops over single numbers.
const SORT: &str = "\
func.func @main(%x: tensor<7x101xf32>) -> tensor<7x101xf32> {
  %0 = \"stablehlo.sort\"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<7x101xf32>) -> tensor<7x101xf32>
  return %0 : tensor<7x101xf32>
}";

#[test]
fn objects_of_level_1_are_shorter_and_the_same_each_time() {
    let size = |text: &str, options: Options| {
        let compiled = |compile_threads| {
            let options = Options { compile_threads, ..options.clone() };
            let compiled = Compiler::new(options).compile("program.mlir", text.as_bytes());
            compiled.expect("it compiles").bytes().to_vec()
        };
        let one = compiled(1);
        assert!(compiled(2) == one && compiled(3) == one, "{text}");
        one.len()
    };
    for text in [&functions(512), WINDOWS] {
        let (usual, less) = (size(text, options("x86-64-v4")), size(text, at_level_1("x86-64-v4")));
        assert!(5 * less < 4 * usual, "{less} of {usual} bytes: {text}");
    }
}

#[test]
fn level_1_computes_the_same() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let of_one = unary("cosine", "tensor<f32>");
    let of_none = unary("cosine", "tensor<0x3xf32>");
    let texts = [
        ("product", PRODUCT),
        ("rows", ROWS),
        ("windows", WINDOWS),
        ("sort", SORT),
        ("one", &of_one),
        ("none", &of_none),
    ];
    for (name, text) in texts {
        fs::write(folder.path().join(format!("{name}.mlir")), text).expect("written");
        for cpu in cpus() {
            let arguments = format!("verify {name}.mlir -O1 --target-cpu {cpu} --rounds 2");
            strata(folder.path(), &arguments.split(' ').collect::<Vec<_>>()).succeeded();
        }
    }
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
