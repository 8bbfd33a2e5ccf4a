//! Constant weights of four bits: unpacked into the panels that tiles are read from.

use half::bf16;
use strata::Stage;

use super::{amx, at, both, permitted};
use crate::dots::groups::{Weights, assert_picked, picks};

/// Rows of `bf16` times a constant of bytes that fit in four bits.
fn program([rows, depth, columns]: [usize; 3], element: &str, weights: &[u8]) -> String {
    let hex: String = weights.iter().map(|byte| format!("{byte:02X}")).collect();
    let (x, w, r) = (
        format!("tensor<{rows}x{depth}xbf16>"),
        format!("tensor<{depth}x{columns}x"),
        format!("tensor<{rows}x{columns}xf32>"),
    );
    format!(
        "func.func @main(%x: {x}) -> {r} {{
  %w = stablehlo.constant dense<\"0x{hex}\"> : {w}{element}>
  %c = stablehlo.convert %w : ({w}{element}>) -> {w}bf16>
  %r = stablehlo.dot_general %x, %c, contracting_dims = [1] x [0] : ({x}, {w}bf16>) -> {r}
  return %r : {r}
}}"
    )
}

#[test]
fn four_bits_are_unpacked_into_panels() {
    let Some(tiles) = permitted() else { return };
    for sizes in [[8, 160, 700], [17, 133, 515], [64, 96, 300], [33, 1029, 130]] {
        let [rows, depth, columns] = sizes;
        let x: Vec<i32> = (0..rows * depth).map(|at| (at * 37 % 17) as i32 - 8).collect();
        let halves: Vec<u8> =
            x.iter().flat_map(|one| bf16::from_f32(*one as f32).to_le_bytes()).collect();
        for (element, least) in [("i8", -8), ("ui8", 0)] {
            let w: Vec<i32> = (0..depth * columns)
                .map(|at| ((at * 91 + at / columns) % 16) as i32 + least)
                .collect();
            let bytes: Vec<u8> = w.iter().map(|one| *one as u8).collect();
            let program = program(sizes, element, &bytes);
            let schedule = scheduled(&program);
            assert!(schedule.contains("\"tiles packed\""), "{sizes:?}");
            // Eight weights are a word of the constant.
            assert!(schedule.contains("narrow.widen"), "{sizes:?}");
            let mut expected = Vec::new();
            for row in 0..rows {
                for column in 0..columns {
                    let product = |at: usize| x[row * depth + at] * w[at * columns + column];
                    let sum: i32 = (0..depth).map(product).sum();
                    expected.extend((sum as f32).to_le_bytes());
                }
            }
            for found in both(&program, tiles, std::slice::from_ref(&halves)) {
                assert!(found == [expected.clone()], "{sizes:?} of {element}");
            }
        }
    }
}

/// With a scale and a zero point for each group of rows.
#[test]
fn scaled_weights_are_unpacked_into_panels() {
    let Some(tiles) = permitted() else { return };
    for (at, sizes) in [[8, 160, 700, 32], [33, 128, 515, 128], [64, 96, 300, 8]].iter().enumerate()
    {
        for has_zero_point in [false, true] {
            let weights = Weights {
                sizes: *sizes,
                bits: [4, 8, 4][at],
                is_signed: !has_zero_point,
                is_transposed: at == 1,
                has_zero_point,
                is_wide: at == 2,
            };
            let (program, w) = (weights.program(), weights.numbers());
            let schedule = scheduled(&program);
            assert!(schedule.contains("\"tiles packed\""), "{weights:?}");
            assert!(schedule.contains("narrow.scale"), "{weights:?}");
            let [rows, depth, ..] = *sizes;
            let picked: Vec<_> = (0..rows).map(|row| (row * 37 + 5) % depth).collect();
            for found in both(&program, tiles, &[picks(&picked, depth)]) {
                assert_picked(&found[0], &picked, &w, &format!("{weights:?}"));
            }
        }
    }
}

/// Stage `schedule` of a program.
fn scheduled(program: &str) -> String {
    String::from_utf8_lossy(at(program, amx(), Stage::Schedule).bytes()).into_owned()
}
