//! Columns of dots that end at a size of their own, within tiles of several vectors.

use std::fmt::Write as _;

use strata::{Compiler, Options, Tasks};
use strata_threads::Pool;

use crate::harness::{self, Loaded};

const INNER: usize = 96;

/// Dots of `[r, 96]` with `[96, s]` and, transposed, with `[s, 96]`.
fn program() -> String {
    let mut text = String::from(
        "func.func public @main(%x: tensor<?x96xf32> loc(\"x\"), %y: tensor<96x?xf32> loc(\"y\"), %z: tensor<?x96xf32> loc(\"z\")) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %n = stablehlo.get_dimension_size %y, dim = 1 : (tensor<96x?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %z, dim = 0 : (tensor<?x96xf32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %n, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same, %n, %m) {error_message = \"{0} and {1}\", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()\n",
    );
    for (at, (right, dims, ty)) in [("y", "[0]", "96x?"), ("z", "[1]", "?x96")].iter().enumerate() {
        let dot = format!("stablehlo.dot_general %x, %{right}, contracting_dims = [1] x {dims}");
        let of = format!("(tensor<?x96xf32>, tensor<{ty}xf32>) -> tensor<?x?xf32>");
        writeln!(text, "  %{at} = {dot} : {of}").unwrap();
    }
    text + "  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>\n}\n"
}

fn number(at: usize) -> f32 {
    (at * 7919 % 10_007) as f32 / 5000.0 - 1.0
}

fn bytes(numbers: impl Iterator<Item = f32>) -> Vec<u8> {
    numbers.flat_map(f32::to_le_bytes).collect()
}

/// Each number of columns, of tasks that run alone or several in one call: the same bits.
#[test]
fn columns_of_tasks_end_at_the_size() {
    let pools: Vec<Pool> = [1, 2, 7].map(Pool::new).into();
    for cpu in ["native", "x86-64-v3", "x86-64"] {
        let max = vec![("x.0".to_owned(), 40), ("y.1".to_owned(), 200)];
        let options = Options { max, open: true, tasks: Tasks::Always, ..harness::options(cpu) };
        let artifact = Compiler::new(options).compile("columns.mlir", program().as_bytes());
        let loaded = Loaded::new(&artifact.expect("compiles"));
        for rows in [1, 2, 9, 40] {
            for columns in (0..=70).chain([97, 113, 127, 128, 129, 160, 177, 199, 200]) {
                let what = format!("{rows} rows, {columns} columns, {cpu}");
                let inputs = [
                    bytes((0..rows * INNER).map(number)),
                    bytes((0..INNER * columns).map(|at| number(at + 5))),
                    bytes((0..columns * INNER).map(|at| number(at + 3))),
                ];
                let symbols = [rows as i64, columns as i64];
                let sizes = [rows * columns * 4; 2];
                let call = |pool: Option<&Pool>| {
                    let threads = pool.map(Pool::executor);
                    let filled = (0xFF, threads);
                    let (status, outputs) = loaded.call_open_on(&inputs, &symbols, &sizes, filled);
                    assert_eq!(status, 0, "{what}");
                    outputs
                };
                let found = call(None);
                let sum = |row: usize, place: &dyn Fn(usize) -> f32| -> f32 {
                    let products = (0..INNER)
                        .map(|k| f64::from(number(row * INNER + k)) * f64::from(place(k)));
                    products.sum::<f64>() as f32
                };
                let each = || (0..rows * columns).map(|at| (at / columns, at % columns));
                let plain = each().map(|(row, at)| sum(row, &|k| number(k * columns + at + 5)));
                let crossed = each().map(|(row, at)| sum(row, &|k| number(at * INNER + k + 3)));
                harness::assert_close_f32(&found[0], &bytes(plain), 1e-4, &what);
                harness::assert_close_f32(&found[1], &bytes(crossed), 1e-4, &what);
                for pool in &pools {
                    assert!(call(Some(pool)) == found, "{what}");
                }
            }
        }
    }
}

/// One to three vectors after the tiles have code of their own, in tasks, too.
#[test]
fn columns_of_tasks_have_code_for_few_vectors() {
    let max = vec![("x.0".to_owned(), 128), ("y.1".to_owned(), 128)];
    let counts = [Tasks::Never, Tasks::Always].map(|tasks| {
        let options =
            Options { max: max.clone(), open: true, tasks, ..harness::options("x86-64-v4") };
        let compiled = Compiler::new(options).to(strata::Stage::Vector);
        let artifact = compiled.compile("columns.mlir", program().as_bytes()).expect("compiles");
        let text = String::from_utf8(artifact.bytes().to_vec()).expect("text");
        text.matches("scf.index_switch").count()
    });
    assert_eq!(counts[0], counts[1]);
    assert!(counts[0] >= 6, "{counts:?}");
}
