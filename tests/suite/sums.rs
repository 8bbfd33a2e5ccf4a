//! Sums of all lengths around those at which they are cut into blocks, of whole numbers, so that every order gives the same.

use std::fmt::Write as _;

use crate::command::strata;

/// Around the blocks of streamed sums, register tiles, running sums, and loops without a schedule; primes.
const LENGTHS: &[i64] =
    &[0, 1, 2, 16, 17, 18, 33, 64, 65, 67, 97, 128, 129, 131, 257, 521, 640, 641, 1031, 2053, 4099];

/// Sums of 0, 1, …, `n - 1` along each kind of axis, in each kind of operation.
fn program(n: i64) -> String {
    let sum = n * (n - 1) / 2;
    let mut text = format!(
        "func.func @sums_of_{n}() {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %five = stablehlo.constant dense<5.0> : tensor<f32>
  %iota = stablehlo.iota dim = 0 : tensor<{n}xf32>
  %x = stablehlo.optimization_barrier %iota : tensor<{n}xf32>
  %columns = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<{n}xf32>) -> tensor<{n}x3xf32>
  %c = stablehlo.optimization_barrier %columns : tensor<{n}x3xf32>
  %rows = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<{n}xf32>) -> tensor<3x{n}xf32>
  %r = stablehlo.optimization_barrier %rows : tensor<3x{n}xf32>
  %between = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<{n}xf32>) -> tensor<2x{n}x17xf32>
  %m = stablehlo.optimization_barrier %between : tensor<2x{n}x17xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<{n}x9xf32>
  %o = stablehlo.optimization_barrier %ones : tensor<{n}x9xf32>
  %line = stablehlo.constant dense<1.0> : tensor<{n}xf32>
  %l = stablehlo.optimization_barrier %line : tensor<{n}xf32>
  %z = stablehlo.complex %c, %c : tensor<{n}x3xcomplex<f32>>
  %nothing = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
"
    );
    for (name, operand, shape, dimensions, result) in [
        ("all", "x", format!("{n}"), "0", String::new()),
        ("leading", "c", format!("{n}x3"), "0", "3x".to_owned()),
        ("trailing", "r", format!("3x{n}"), "1", "3x".to_owned()),
        ("middle", "m", format!("2x{n}x17"), "1", "2x17x".to_owned()),
    ] {
        let value = sum + 5;
        let _ = writeln!(
            text,
            "  %{name} = stablehlo.reduce(%{operand} init: %five) applies stablehlo.add across dimensions = [{dimensions}] \
             : (tensor<{shape}xf32>, tensor<f32>) -> tensor<{result}f32>
  check.expect_eq_const %{name}, dense<{value}.0> : tensor<{result}f32>"
        );
    }
    let _ = writeln!(
        text,
        "  %product = stablehlo.dot %r, %o : (tensor<3x{n}xf32>, tensor<{n}x9xf32>) -> tensor<3x9xf32>
  check.expect_eq_const %product, dense<{sum}.0> : tensor<3x9xf32>
  %inner = stablehlo.dot %x, %l : (tensor<{n}xf32>, tensor<{n}xf32>) -> tensor<f32>
  check.expect_eq_const %inner, dense<{sum}.0> : tensor<f32>
  %whole = stablehlo.reduce(%z init: %nothing) applies stablehlo.add across dimensions = [0] \
             : (tensor<{n}x3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
  check.expect_eq_const %whole, dense<({sum}.0, {sum}.0)> : tensor<3xcomplex<f32>>
  %two:2 = stablehlo.reduce(%x init: %zero), (%x init: %five) across dimensions = [0] \
             : (tensor<{n}xf32>, tensor<{n}xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%d: tensor<f32>, %e: tensor<f32>) {{
      %0 = stablehlo.add %a, %b : tensor<f32>
      %1 = stablehlo.add %e, %d : tensor<f32>
      stablehlo.return %0, %1 : tensor<f32>, tensor<f32>
    }}
  check.expect_eq_const %two#0, dense<{sum}.0> : tensor<f32>
  check.expect_eq_const %two#1, dense<{}.0> : tensor<f32>",
        sum + 5
    );
    if n > 0 {
        running(&mut text, n, "x", "", "", 0);
        running(&mut text, n, "c", "x3", ", 1", 0);
        running(&mut text, n, "r", "", "", 3);
    }
    text.push_str("  return\n}\n\n// -----\n\n");
    text
}

/// A running sum along the long dimension of `operand`, whose last element is the sum of all, and its mirror image.
fn running(text: &mut String, n: i64, operand: &str, columns_after: &str, ones: &str, before: i64) {
    let (sum, last) = (n * (n - 1) / 2, n - 1);
    let (rows_before, one) =
        if before > 0 { (format!("{before}x"), "1, ") } else { (String::new(), "") };
    let edges = |low: i64, high: i64| {
        let pairs =
            [(before > 0, (0, 0)), (true, (low, high)), (!columns_after.is_empty(), (0, 0))];
        let pairs = pairs.into_iter().filter(|(is_there, _)| *is_there);
        let pairs: Vec<_> = pairs.map(|(_, (low, high))| format!("[{low}, {high}]")).collect();
        format!("dense<[{}]> : tensor<{}x2xi64>", pairs.join(", "), pairs.len())
    };
    let ty = format!("tensor<{rows_before}{n}{columns_after}xf32>");
    let part = format!("tensor<{rows_before}1{columns_after}xf32>");
    let rows = if before > 0 { format!("0:{before}, ") } else { String::new() };
    let columns = if columns_after.is_empty() { "" } else { ", 0:3" };
    for (name, padding, at) in [("forth", edges(last, 0), last), ("back", edges(0, last), 0)] {
        let _ = writeln!(
            text,
            "  %{name}_{operand} = \"stablehlo.reduce_window\"(%{operand}, %zero) <{{window_dimensions = array<i64: {one}{n}{ones}>, \
             padding = {padding}}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %0 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }}) : ({ty}, tensor<f32>) -> {ty}
  %end_{name}_{operand} = stablehlo.slice %{name}_{operand} [{rows}{at}:{}{columns}] : ({ty}) -> {part}
  check.expect_eq_const %end_{name}_{operand}, dense<{sum}.0> : {part}",
            at + 1
        );
    }
}

#[test]
fn sums_of_whole_numbers_are_exact_at_every_length() {
    let folder = tempfile::tempdir().expect("a folder");
    for (index, lengths) in LENGTHS.chunks(4).enumerate() {
        let text: String = lengths.iter().map(|length| program(*length)).collect();
        let text = text.trim_end().trim_end_matches("// -----");
        std::fs::write(folder.path().join(format!("sums{index}.mlir")), text)
            .expect("it is written");
    }
    let ended = strata(folder.path(), &["test", "--engine", "compiled", "."]);
    assert_eq!(ended.code, 0, "{}{}", ended.text(), ended.stderr);
}

#[test]
fn blocks_of_products_are_unrolled_as_whole_sums_are() {
    for (terms, is_cut) in [(512, false), (1024, true)] {
        let text = format!(
            "func.func @main(%x: tensor<24x{terms}xf32>, %y: tensor<{terms}x64xf32>) -> tensor<24x64xf32> {{
               %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
                 : (tensor<24x{terms}xf32>, tensor<{terms}x64xf32>) -> tensor<24x64xf32>
               return %0 : tensor<24x64xf32>
             }}"
        );
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("dot.mlir"), text).expect("written");
        let arguments = ["compile", "dot.mlir", "--to", "vector", "--target-cpu", "x86-64-v4"];
        let ended = strata(folder.path(), &arguments).succeeded();
        let vector = ended.text();
        assert!(vector.contains("count = 4 : i32"), "{vector}");
        assert!(!vector.contains("count = 8 : i32"), "{vector}");
        assert_eq!(
            vector.contains("disable = true"),
            is_cut,
            "loops over blocks stay rolled: {vector}"
        );
    }
}
