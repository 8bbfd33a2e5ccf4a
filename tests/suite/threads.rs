//! Programs on several threads: results have the same bits for any number of them.

use std::{fs, path::Path, process::Command};

use strata::{Artifact, Compiler, Options, Stage, Tasks};
use strata_threads::{Pool, rayon_executor};

use crate::{
    arrays::npy,
    command::strata,
    harness::{Loaded, cpus, options, snapshot_options},
};

/// Programs that are long enough for tasks by themselves.
const LARGE: [(&str, &str); 10] = [
    (
        "dot",
        "func.func @main(%x: tensor<200x150xf32>, %y: tensor<150x330xf32>) -> tensor<200x330xf32> {
           %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<200x150xf32>, tensor<150x330xf32>) -> tensor<200x330xf32>
           return %0 : tensor<200x330xf32>
         }",
    ),
    (
        "elementwise",
        "func.func @main(%x: tensor<70001xf32>) -> tensor<70001xf32> {
           %0 = stablehlo.tanh %x : tensor<70001xf32>
           %1 = stablehlo.exponential %0 : tensor<70001xf32>
           return %1 : tensor<70001xf32>
         }",
    ),
    (
        "rows",
        "func.func @main(%x: tensor<300x513xf32>) -> tensor<300xf32> {
           %c = stablehlo.constant dense<0.0> : tensor<f32>
           %0 = stablehlo.sine %x : tensor<300x513xf32>
           %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1] : (tensor<300x513xf32>, tensor<f32>) -> tensor<300xf32>
           return %1 : tensor<300xf32>
         }",
    ),
    (
        "convolution",
        r#"func.func @main(%x: tensor<1x33x33x24xf32>, %w: tensor<3x3x24x40xf32>) -> tensor<1x31x31x40xf32> {
           %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
             window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
             : (tensor<1x33x33x24xf32>, tensor<3x3x24x40xf32>) -> tensor<1x31x31x40xf32>
           return %0 : tensor<1x31x31x40xf32>
         }"#,
    ),
    (
        // Few panels of channels, with rows in each: tasks are over both, and pack a panel each.
        "panels",
        r#"func.func @main(%x: tensor<1x30x29x64xf32>, %w: tensor<3x3x64x32xf32>) -> tensor<1x28x27x32xf32> {
           %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
             window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
             : (tensor<1x30x29x64xf32>, tensor<3x3x64x32xf32>) -> tensor<1x28x27x32xf32>
           return %0 : tensor<1x28x27x32xf32>
         }"#,
    ),
    (
        // Few images, with rows in each.
        "images",
        r#"func.func @main(%x: tensor<3x60x59x16xf32>, %w: tensor<3x3x16x16xf32>) -> tensor<3x58x57x16xf32> {
           %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
             window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
             : (tensor<3x60x59x16xf32>, tensor<3x3x16x16xf32>) -> tensor<3x58x57x16xf32>
           return %0 : tensor<3x58x57x16xf32>
         }"#,
    ),
    (
        "sort",
        r#"func.func @main(%x: tensor<401x129xf32>) -> tensor<401x129xf32> {
           %0 = "stablehlo.sort"(%x) ({
           ^bb0(%a: tensor<f32>, %b: tensor<f32>):
             %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
             stablehlo.return %1 : tensor<i1>
           }) {dimension = 1 : i64, is_stable = true} : (tensor<401x129xf32>) -> tensor<401x129xf32>
           return %0 : tensor<401x129xf32>
         }"#,
    ),
    (
        // Sums of columns: the trips over the rows need one another, those over the columns do not. Tiles of all targets divide their
        // number.
        "columns",
        "func.func @main(%x: tensor<400x3584xf32>) -> tensor<3584xf32> {
           %c = stablehlo.constant dense<0.0> : tensor<f32>
           %1 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<400x3584xf32>, tensor<f32>) -> tensor<3584xf32>
           return %1 : tensor<3584xf32>
         }",
    ),
    (
        // Few columns, whose halves are pieces of rows. Tiles of all targets divide their number.
        "short_rows",
        "func.func @main(%x: tensor<1x3000xf32>, %y: tensor<3000x896xf32>) -> tensor<1x896xf32> {
           %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<1x3000xf32>, tensor<3000x896xf32>) -> tensor<1x896xf32>
           return %0 : tensor<1x896xf32>
         }",
    ),
    (
        "one_row",
        "func.func @main(%x: tensor<1x600xf32>, %y: tensor<600x3584xf32>) -> tensor<1x3584xf32> {
           %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<1x600xf32>, tensor<600x3584xf32>) -> tensor<1x3584xf32>
           return %0 : tensor<1x3584xf32>
         }",
    ),
];

fn compiled(text: &str, options: Options) -> Artifact {
    Compiler::new(options).compile("large.mlir", text.as_bytes()).expect("compiles")
}

/// Distinct numbers in a fixed order.
fn inputs(artifact: &Artifact) -> Vec<Vec<u8>> {
    let specs = &artifact.signature().expect("a signature").inputs;
    let numbers = |count: u64| {
        (0..count).flat_map(|at| ((at * 7919 % 10_007) as f32 / 2500.0 - 2.0).to_le_bytes())
    };
    specs.iter().map(|spec| numbers(spec.element_count()).collect()).collect()
}

#[test]
fn results_are_the_same_on_any_number_of_threads() {
    let pools: Vec<Pool> = [1, 2, 3, 8].map(Pool::new).into();
    for (name, text) in LARGE {
        for cpu in cpus() {
            let artifact = compiled(text, options(cpu));
            let loaded = Loaded::new(&artifact);
            let inputs = inputs(&artifact);
            let expected = loaded.call(&inputs);
            for pool in &pools {
                for _ in 0..20 {
                    let found = loaded.call_on_threads(&inputs, pool.executor());
                    assert!(found == expected, "{name} on {cpu}");
                }
            }
            let found = loaded.call_on_threads(&inputs, &rayon_executor());
            assert!(found == expected, "{name} on {cpu}, by rayon");
        }
    }
}

#[test]
fn long_nests_are_tasks_and_short_ones_are_not() {
    let text = |text: &str, tasks| {
        let options = Options { tasks, ..snapshot_options() };
        let compiler = Compiler::new(options).to(Stage::Affine);
        let artifact = compiler.compile("large.mlir", text.as_bytes()).expect("compiles");
        String::from_utf8(artifact.bytes().to_vec()).expect("text")
    };
    let short = "func.func @main(%x: tensor<70xf32>) -> tensor<70xf32> {
        %0 = stablehlo.tanh %x : tensor<70xf32>
        return %0 : tensor<70xf32>
    }";
    for (name, large) in LARGE {
        assert!(text(large, Tasks::Worthwhile).contains("strata.tasks"), "{name}");
        assert!(!text(large, Tasks::Never).contains("strata.tasks"), "{name}");
    }
    assert!(!text(short, Tasks::Worthwhile).contains("strata.tasks"));
    // Over panels and rows, packing as few panels as the threads need.
    let (_, large) = LARGE.iter().find(|(name, _)| *name == "panels").expect("a program");
    let text_of_panels = text(large, Tasks::Worthwhile);
    assert!(text_of_panels.contains("strata.parts = 7 : i64"));
    assert!(text_of_panels.contains("strata.tasks = 14 : i64"));
    assert!(text(short, Tasks::Always).contains("strata.tasks"));
}

#[test]
fn run_and_bench_take_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("p.mlir"), LARGE[1].1).expect("written");
    let numbers: Vec<u8> =
        (0..70_001).flat_map(|at: i32| (at as f32 * 1e-4).to_le_bytes()).collect();
    fs::write(folder.join("x.npy"), npy("<f4", "(70001,)", &numbers)).expect("written");
    for (threads, output) in [("1", "one.npy"), ("3", "three.npy")] {
        let arguments =
            ["run", "p.mlir", "--input", "x.npy", "--output", output, "--threads", threads];
        let done = strata(folder, &arguments);
        assert_eq!(done.code, 0, "{}", done.stderr);
    }
    let read = |name: &str| fs::read(folder.join(name)).expect("an array");
    assert!(read("one.npy") == read("three.npy"));
    let arguments = ["bench", "p.mlir", "--threads", "2", "--json", "--no-limits", "--rounds", "1"];
    let report: serde_json::Value =
        serde_json::from_slice(&strata(folder, &arguments).stdout).expect("JSON");
    assert_eq!(report["threads"], 2);
    let refused = strata(folder, &["run", "p.mlir", "--input", "x.npy", "--threads", "5000"]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("--threads 0"), "{}", refused.stderr);
}

/// The executors of each header of Strata, in programs in C and C++, compared with a call without threads.
#[rstest::rstest]
#[case::pool("strata/threads.h", &["cc", "-std=c11", "-pthread"])]
#[case::pool_in_cxx("strata/threads.h", &["c++", "-std=c++17", "-xc++", "-pthread"])]
#[case::openmp("strata/openmp.h", &["cc", "-std=c11", "-fopenmp"])]
fn headers_give_threads(#[case] header: &str, #[case] compiler: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let artifact = compiled(LARGE[0].1, options(cpus()[0]));
    fs::write(folder.path().join("test.o"), artifact.bytes()).expect("written");
    fs::write(folder.path().join("test.h"), artifact.header().expect("a header")).expect("written");
    let (start, executor, end) = match header {
        "strata/openmp.h" => {
            ("strata_executor threads = strata_openmp_executor();", "&threads", "")
        }
        _ => (
            "strata_pool *pool = strata_pool_create(3);",
            "strata_pool_executor(pool)",
            "strata_pool_destroy(pool);",
        ),
    };
    let text = CALLER
        .replace("HEADER", header)
        .replace("START", start)
        .replace("EXECUTOR", executor)
        .replace("END", end);
    fs::write(folder.path().join("caller.c"), text).expect("written");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    let built = Command::new(compiler[0])
        .args(&compiler[1..])
        .args(["-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-O1", "-o", "caller"])
        .arg("-I")
        .arg(include)
        .args(["caller.c", "-xnone", "test.o", "-lm"])
        .current_dir(folder.path())
        .output()
        .expect("a compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let done = Command::new(folder.path().join("caller")).output().expect("runs");
    assert!(done.status.success(), "{done:?}");
}

const CALLER: &str = r#"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "test.h"
#include "HEADER"

static float x[200 * 150], y[150 * 330], one[200 * 330], other[200 * 330];

int main(void) {
  const void *inputs[2] = {x, y};
  void *outputs[1] = {one};
  size_t size = test_main_workspace_size(), index, round;
  void *workspace = aligned_alloc(64, (size + 64) / 64 * 64);
  for (index = 0; index < 200 * 150; index++) x[index] = (float)(index % 1009) - 500.0f;
  for (index = 0; index < 150 * 330; index++) y[index] = (float)(index % 997) / 7.0f;
  if (test_main(inputs, outputs, workspace, NULL) != 0) return 1;
  START
  outputs[0] = other;
  for (round = 0; round < 200; round++) {
    memset(other, 0, sizeof other);
    if (test_main(inputs, outputs, workspace, EXECUTOR) != 0) return 2;
    if (memcmp(one, other, sizeof one) != 0) return 3;
  }
  END
  free(workspace);
  return 0;
}
"#;

/// The pool of threads.h by itself: calls of all lengths by several threads, pauses between them that are shorter and longer than its
/// threads look for work, and threads that sleep at once. Under ThreadSanitizer where the system has it.
#[rstest::rstest]
#[case::c(&["cc", "-std=c11"])]
#[case::cxx(&["c++", "-std=c++17", "-xc++"])]
fn pools_run_every_task_once(#[case] compiler: &[&str], #[values("0", "2", "100")] spin: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../include");
    fs::write(folder.path().join("one.c"), "int main(void) { return 0; }\n").expect("written");
    fs::write(folder.path().join("pools.c"), POOLS).expect("written");
    let build = |file: &str, more: &[&str]| {
        Command::new(compiler[0])
            .args(&compiler[1..])
            .args(["-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-O1", "-pthread", "-o", "run"])
            .arg(format!("-DSTRATA_POOL_SPIN={spin}"))
            .args(more)
            .arg("-I")
            .arg(&include)
            .arg(file)
            .current_dir(folder.path())
            .output()
            .expect("a compiler")
    };
    let run = || Command::new(folder.path().join("run")).output().expect("runs");
    let sanitized = ["-fsanitize=thread"];
    let has_sanitizer = build("one.c", &sanitized).status.success() && run().status.success();
    for more in [&[][..], &sanitized[..usize::from(has_sanitizer)]] {
        let built = build("pools.c", more);
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let done = run();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
}

const POOLS: &str = r#"
#include "strata/abi.h"
#include "strata/threads.h"
#include <string.h>

static strata_pool *pool;

typedef struct job {
  unsigned char seen[64];
  size_t count;
} job;

static void task(void *state, size_t begin, size_t end) {
  job *of = (job *)state;
  for (; begin < end; begin++) {
    volatile int turn;
    of->seen[begin]++;
    for (turn = 0; (begin * 7 + of->count) % 5 == 0 && turn < 1000; turn++) {
    }
  }
}

static void *calls(void *argument) {
  const strata_executor *executor = strata_pool_executor(pool);
  uint32_t random = *(const uint32_t *)argument;
  int round;
  size_t index;
  for (round = 0; round < 10000; round++) {
    struct timespec pause = {0, 150000};
    job one;
    memset(&one, 0, sizeof one);
    random = random * 1103515245u + 12345u;
    one.count = 1 + (random >> 16) % 64;
    executor->parallel_for(executor->context, one.count, task, &one);
    for (index = 0; index < 64; index++) {
      if (one.seen[index] != (index < one.count)) abort();
    }
    if ((random >> 8) % 97 == 0) nanosleep(&pause, NULL);
  }
  return NULL;
}

int main(void) {
  static uint32_t seeds[3] = {1, 2, 3};
  size_t threads, callers, index;
  for (threads = 1; threads < 6; threads++) {
    for (callers = 1; callers < 4; callers += 2) {
      pthread_t others[3];
      pool = strata_pool_create(threads);
      for (index = 0; index < callers; index++) {
        if (pthread_create(&others[index], NULL, calls, &seeds[index]) != 0) return 1;
      }
      for (index = 0; index < callers; index++) pthread_join(others[index], NULL);
      strata_pool_destroy(pool);
    }
  }
  return 0;
}
"#;

/// What is written of tasks into a dump by hand is checked before it is relied on.
#[test]
fn edited_tasks_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("p.mlir"), LARGE[1].1).expect("written");
    let to = ["compile", "p.mlir", "--to", "affine", "-o", "affine.mlir"];
    strata(folder, &to).succeeded();
    let text = fs::read_to_string(folder.join("affine.mlir")).expect("a dump");
    let count = text.split("strata.tasks = ").nth(1).and_then(|rest| rest.split(' ').next());
    let count: i64 = count.expect("tasks").parse().expect("a number");
    let from = ["compile", "edited.mlir", "--from", "affine", "-o", "p.o"];
    for other in [0, count + 1] {
        let mark = |count: i64| format!("strata.tasks = {count} ");
        fs::write(folder.join("edited.mlir"), text.replace(&mark(count), &mark(other)))
            .expect("written");
        let refused = strata(folder, &from);
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(refused.stderr.contains("strata.tasks"), "{}", refused.stderr);
    }
    fs::write(folder.join("edited.mlir"), &text).expect("written");
    strata(folder, &from).succeeded();
}

/// LLVM requires a location on each call of a function with line information, even if the program has none.
#[test]
fn debug_information_needs_no_places() {
    let text = r#"module {
      func.func @main(%x: tensor<9x8xf32>) -> (tensor<9x8xf32>, tensor<8x9xf32>) {
        %0 = stablehlo.tanh %x : tensor<9x8xf32> loc(unknown)
        %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<9x8xf32>) -> tensor<8x9xf32> loc("model.py":3:4)
        return %0, %1 : tensor<9x8xf32>, tensor<8x9xf32> loc(unknown)
      } loc(unknown)
    } loc(unknown)"#;
    let options = Options { tasks: Tasks::Always, debug_info: true, ..snapshot_options() };
    let artifact = compiled(text, options);
    let symbols = strata_codegen::emit::undefined_symbols(artifact.bytes()).expect("an object");
    assert!(symbols.iter().all(|name| !name.starts_with("strata.")), "{symbols:?}");
}
