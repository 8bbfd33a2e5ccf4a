//! Integers times scales of a call: on integers where scales and zero points are plain, as the program says elsewhere.

use strata::{Compiler, Stage};

use super::compiled;
use crate::harness::{cpus, options};

const SIZES: [usize; 3] = [4, 48, 9];

pub(super) fn weight(step: usize, column: usize) -> i8 {
    ((step * 37 + column * 11 + step * column / 3) % 255) as u8 as i8
}

fn column_scale(column: usize) -> f32 {
    0.01 + column as f32 / 512.0
}

/// Rows of `i8` less a zero point, times a scale, times constants.
fn program() -> String {
    let [rows, depth, columns] = SIZES;
    let weights = (0..depth * columns).map(|at| weight(at / columns, at % columns));
    let hex: String = weights.map(|one| format!("{:02X}", one as u8)).collect();
    let scales: Vec<_> =
        (0..columns).map(|column| format!("{:.12}", column_scale(column))).collect();
    let scales = scales.join(", ");
    let (x, w) = (format!("tensor<{rows}x{depth}x"), format!("tensor<{depth}x{columns}x"));
    let row = format!("tensor<{rows}xf32>");
    let result = format!("tensor<{rows}x{columns}xf32>");
    format!(
        "func.func @main(%x: {x}i8>, %scale: {row}, %point: {row}) -> {result} {{
  %f = stablehlo.convert %x : ({x}i8>) -> {x}f32>
  %p = stablehlo.broadcast_in_dim %point, dims = [0] : ({row}) -> {x}f32>
  %d = stablehlo.subtract %f, %p : {x}f32>
  %s = stablehlo.broadcast_in_dim %scale, dims = [0] : ({row}) -> {x}f32>
  %n = stablehlo.multiply %d, %s : {x}f32>
  %w = stablehlo.constant dense<\"0x{hex}\"> : {w}i8>
  %v = stablehlo.convert %w : ({w}i8>) -> {w}f32>
  %c = stablehlo.constant dense<[{scales}]> : tensor<{columns}xf32>
  %b = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<{columns}xf32>) -> {w}f32>
  %m = stablehlo.multiply %v, %b : {w}f32>
  %r = stablehlo.dot_general %n, %m, contracting_dims = [1] x [0] : ({x}f32>, {w}f32>) -> {result}
  return %r : {result}
}}"
    )
}

/// What a row and a column give, as the program rounds numbers, and the sum of the moduli of its products.
fn expected(x: &[i8], scale: f32, point: f32, column: usize) -> (f64, f64) {
    let products = x.iter().enumerate().map(|(step, one)| {
        let number = (f32::from(*one) - point) * scale;
        let weight = f32::from(weight(step, column)) * column_scale(column);
        f64::from(number) * f64::from(weight)
    });
    products.fold((0.0, 0.0), |(sum, moduli), product| (sum + product, moduli + product.abs()))
}

#[test]
fn scales_of_a_call_are_those_of_the_program() {
    let [rows, depth, columns] = SIZES;
    let x: Vec<i8> = (0..rows * depth).map(|at| ((at * 91 + at / 7) % 256) as u8 as i8).collect();
    let bytes: Vec<u8> = x.iter().map(|one| *one as u8).collect();
    let (least, most) = (2_f32.powi(-40), 2_f32.powi(40));
    let rows_of = [
        ([0.03, 1.7, least, most], [0.0, -128.0, 127.0, 255.0]),
        // Each of these has the program's own arithmetic.
        ([0.03, f32::INFINITY, 1.0, 1.0], [0.0, 3.0, 3.0, 3.0]),
        ([f32::NAN, 1.0, 1.0, 1.0], [0.0, 3.0, 3.0, 3.0]),
        ([1.0, 0.0, 1.0, -0.5], [0.0, 3.0, 3.0, 3.0]),
        ([1.0, 1e-44, 3e37, 1.0], [0.0, 3.0, 3.0, 3.0]),
        ([1.0, 0.5, 1.0, 1.0], [0.0, 0.5, 3.0, 3.0]),
        ([1.0, 0.5, 1.0, 1.0], [0.0, 1e6, f32::NAN, f32::INFINITY]),
    ];
    for cpu in cpus() {
        let text = program();
        let hlo = Compiler::new(options(cpu)).to(Stage::Hlo).compile("a.mlir", text.as_bytes());
        let hlo = String::from_utf8_lossy(hlo.expect("compiles").bytes()).into_owned();
        assert!(hlo.contains("stablehlo.if") && hlo.contains("x9xi32>"), "{hlo}");
        let object = compiled(&text, options(cpu));
        for (scales, points) in rows_of {
            let numbers = |list: [f32; 4]| list.iter().flat_map(|one| one.to_le_bytes()).collect();
            let inputs = [bytes.clone(), numbers(scales), numbers(points)];
            let found = object.call_with_any_nan(&inputs).concat();
            for (at, found) in found.chunks_exact(4).enumerate() {
                let found = f32::from_le_bytes([found[0], found[1], found[2], found[3]]);
                let (row, column) = (at / columns, at % columns);
                let own = &x[row * depth..][..depth];
                let (sum, moduli) = expected(own, scales[row], points[row], column);
                let what = format!("{cpu}: {scales:?}, {points:?}, {row}, {column}");
                if sum.is_finite() && moduli < f64::from(f32::MAX) {
                    let error = (f64::from(found) - sum).abs();
                    let bound = depth as f64 * 2_f64.powi(-23) * moduli;
                    // Products below the normal range lose digits of their own.
                    assert!(
                        error <= bound + depth as f64 * 2_f64.powi(-148),
                        "{what}: {found}, {sum}"
                    );
                } else {
                    assert!(!found.is_finite(), "{what}: {found}");
                    assert_eq!(found.is_nan(), sum.is_nan(), "{what}: {found}, {sum}");
                }
            }
        }
    }
}
