//! Dots and convolutions of 32-bit integers that are bytes less zero points, as `MatMulInteger` and `ConvInteger` are written.

use strata::{Compiler, Stage};

use super::compiled;
use crate::harness::{cpus, options};

/// 0 for an input, 1 for weights.
fn byte(side: usize, at: usize) -> u8 {
    (at * (91 + 46 * side) + at / 7 + 13 * side) as u8
}

fn bytes(side: usize, count: usize) -> Vec<u8> {
    (0..count).map(|at| byte(side, at)).collect()
}

fn number(element: &str, byte: u8) -> i64 {
    if element == "i8" { i64::from(byte.cast_signed()) } else { i64::from(byte) }
}

/// `%name` of that shape as 32-bit integers less a zero point, in lines.
fn less(name: &str, shape: &str, element: &str, point: i64) -> String {
    let (from, to) = (format!("tensor<{shape}x{element}>"), format!("tensor<{shape}xi32>"));
    format!(
        "  %{name}w = stablehlo.convert %{name} : ({from}) -> {to}
  %{name}z = stablehlo.constant dense<{point}> : {to}
  %{name}d = stablehlo.subtract %{name}w, %{name}z : {to}\n"
    )
}

fn hlo(program: &str) -> String {
    let compiler = Compiler::new(options("x86-64-v3")).to(Stage::Hlo);
    let artifact = compiler.compile("a.mlir", program.as_bytes()).expect("compiles");
    String::from_utf8_lossy(artifact.bytes()).into_owned()
}

fn check(program: &str, inputs: &[Vec<u8>], expected: &[i64]) {
    for cpu in cpus() {
        let found = compiled(program, options(cpu)).call(inputs).concat();
        let wrapped = expected.iter().flat_map(|sum| (*sum as i32).to_le_bytes());
        assert!(found == wrapped.collect::<Vec<_>>(), "{cpu}: {program}");
    }
}

const KINDS: [[&str; 2]; 4] = [["ui8", "i8"], ["i8", "i8"], ["i8", "ui8"], ["ui8", "ui8"]];

#[test]
fn dots_of_bytes_less_zero_points_are_of_bytes() {
    let [m, k, n] = [5, 37, 9];
    for [left, right] in KINDS {
        for points in [[3, 0], [-7, 100], [128, 5]] {
            let (x, y) = (format!("{m}x{k}"), format!("{k}x{n}"));
            let program = format!(
                "func.func @main(%x: tensor<{x}x{left}>, %y: tensor<{y}x{right}>) -> tensor<{m}x{n}xi32> {{
{}{}  %r = stablehlo.dot_general %xd, %yd, contracting_dims = [1] x [0] : (tensor<{x}xi32>, tensor<{y}xi32>) -> tensor<{m}x{n}xi32>
  return %r : tensor<{m}x{n}xi32>
}}",
                less("x", &x, left, points[0]),
                less("y", &y, right, points[1])
            );
            let fits = |element: &str, point: i64| match element {
                "i8" => (-128..128).contains(&point),
                _ => (0..256).contains(&point),
            };
            let of_bytes = fits(left, points[0]) && fits(right, points[1]);
            let dot = hlo(&program);
            let dot = dot.lines().find(|line| line.contains("dot_general")).expect("a dot");
            assert_eq!(dot.contains("xi8>"), of_bytes, "{dot}");
            let [x, y] = [bytes(0, m * k), bytes(1, k * n)];
            let expected = (0..m * n).map(|at| {
                let product = |step| {
                    (number(left, x[at / n * k + step]) - points[0])
                        * (number(right, y[step * n + at % n]) - points[1])
                };
                (0..k).map(product).sum()
            });
            check(&program, &[x.clone(), y.clone()], &expected.collect::<Vec<i64>>());
        }
    }
}

/// Kernels without a zero point, whose inputs have another kind of bytes, or a zero point, which borders are then made of.
#[test]
fn convolutions_of_two_kinds_of_bytes_are_of_bytes() {
    let [size, from, to] = [7_usize, 8, 5];
    for [left, right] in KINDS {
        for (point, edge) in [(0, 0), (0, 1), (19, 1)] {
            let (x, k) = (format!("1x{size}x{size}x{from}"), format!("3x3x{from}x{to}"));
            let sizes = size + 2 * edge - 2;
            let result = format!("tensor<1x{sizes}x{sizes}x{to}xi32>");
            let program = format!(
                "func.func @main(%x: tensor<{x}x{left}>, %k: tensor<{k}x{right}>) -> {result} {{
{}{}  %r = stablehlo.convolution(%xd, %kd) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {{pad = [[{edge}, {edge}], [{edge}, {edge}]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : (tensor<{x}xi32>, tensor<{k}xi32>) -> {result}
  return %r : {result}
}}",
                less("x", &x, left, point),
                less("k", &k, right, 0)
            );
            let conv = hlo(&program);
            let conv =
                conv.lines().find(|line| line.contains("convolution")).expect("a convolution");
            // Sums of kernels of `ui8` less 128 would have to leave the border out.
            let of_bytes = right == "i8" || left == right && point == 0;
            assert_eq!(conv.contains("i8>"), of_bytes, "{left}, {right}, {point}: {conv}");
            let [image, kernel] = [bytes(0, size * size * from), bytes(1, 9 * from * to)];
            let mut expected = Vec::new();
            for at in 0..sizes * sizes * to {
                let (row, column, feature) = (at / to / sizes, at / to % sizes, at % to);
                let mut sum = 0;
                for tap in 0..9 {
                    let (y, x) = (row + tap / 3, column + tap % 3);
                    if !(edge..size + edge).contains(&y) || !(edge..size + edge).contains(&x) {
                        continue;
                    }
                    for one in 0..from {
                        let own = image[((y - edge) * size + x - edge) * from + one];
                        let weight = kernel[(tap * from + one) * to + feature];
                        sum += (number(left, own) - point) * number(right, weight);
                    }
                }
                expected.push(sum);
            }
            check(&program, &[image, kernel], &expected);
        }
    }
}
