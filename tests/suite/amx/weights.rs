//! Constant weights of four bits: unpacked into the panels that tiles are read from.

use half::bf16;
use strata::Stage;

use super::{amx, at, both, permitted};
use crate::{
    command::strata,
    dots::{
        bf16::{assert_within, bytes_of, numbers},
        groups::{Weights, assert_picked, picks},
    },
};

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

/// Columns whose numbers a register is looked up in are rows of left tiles, of which a block is unpacked at a time.
#[test]
fn columns_of_weights_are_unpacked_for_left_tiles() {
    let Some(tiles) = permitted() else { return };
    for (at, weights) in looked_up().into_iter().enumerate() {
        let (program, w) = (weights.program(), weights.numbers());
        let linalg = at_stage(&program, Stage::Linalg);
        assert!(linalg.contains("{stride = 16 : i64}"), "{weights:?}");
        let schedule = scheduled(&program);
        assert!(schedule.contains("\"tiles\""), "{weights:?}");
        // What is multiplied is read from the block alone.
        assert!(!schedule.contains("narrow.dot"), "{weights:?}");
        let [rows, depth, columns, _] = weights.sizes;
        let picked: Vec<_> = (0..rows).map(|row| (row * 37 + at) % depth).collect();
        for found in both(&program, tiles, &[picks(&picked, depth)]) {
            assert_picked(&found[0], &picked, &w, &format!("{weights:?}"));
        }
        let x = numbers(rows * depth, 7);
        for found in both(&program, tiles, &[bytes_of(&x)]) {
            let what = format!("{weights:?}");
            assert_within(&found[0], [rows, depth, columns], (&x, &w), (24, &what));
        }
    }
}

/// Sums go through memory from block to block, and words through the interpreter of each stage.
#[test]
fn every_stage_unpacks_blocks_of_columns() {
    let Some(_) = permitted() else { return };
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (at, weights) in looked_up().into_iter().step_by(3).enumerate() {
        let name = format!("w{at}.mlir");
        std::fs::write(folder.path().join(&name), weights.program()).expect("written");
        let fixed = ["verify", &name, "--stages", "--rounds", "1", "--target-cpu", "native"];
        let done = strata(folder.path(), &fixed);
        assert_eq!(done.code, 0, "{weights:?}: {}", done.stderr);
    }
}

/// Weights with two rows to 128, whole words in each column, and groups of one vector and more.
fn looked_up() -> Vec<Weights> {
    let sizes = [
        [2, 512, 128, 64],
        [5, 384, 96, 128],
        [16, 256, 64, 32],
        [33, 256, 128, 256],
        [64, 512, 64, 128],
        [17, 640, 64, 64],
        [128, 256, 96, 64],
    ];
    let with = |(at, sizes)| Weights {
        sizes,
        bits: 4,
        is_signed: at % 3 != 1,
        is_transposed: at % 2 == 1,
        has_zero_point: at % 3 == 1,
        is_wide: at % 4 == 2,
    };
    sizes.into_iter().enumerate().map(with).collect()
}

/// Vectors on the right, and scales that are rounded to `bf16` by the program.
#[test]
fn weights_on_the_left_and_rounded_scales_are_looked_up() {
    let Some(tiles) = permitted() else { return };
    let [columns, depth, vectors] = [96, 256, 6];
    let integer = |column: usize, at: usize| ((column * 7 + at * 5) % 16) as i32 - 8;
    let scale = |column: usize| (column % 11 + 1) as f32 * 0.00317;
    let integers: Vec<_> = (0..columns)
        .map(|column| {
            let row = (0..depth).map(|at| integer(column, at).to_string());
            format!("[{}]", row.collect::<Vec<_>>().join(", "))
        })
        .collect();
    let scales: Vec<_> = (0..columns).map(|column| format!("{:?}", scale(column))).collect();
    let (w, r) = (format!("{columns}x{depth}"), format!("tensor<{columns}x{vectors}xf32>"));
    let program = format!(
        "func.func @main(%x: tensor<{vectors}x{depth}xbf16>) -> {r} {{
           %i = stablehlo.constant dense<[{}]> : tensor<{w}xi4>
           %f = stablehlo.convert %i : (tensor<{w}xi4>) -> tensor<{w}xbf16>
           %s = stablehlo.constant dense<[{}]> : tensor<{columns}xf32>
           %c = stablehlo.convert %s : (tensor<{columns}xf32>) -> tensor<{columns}xbf16>
           %b = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<{columns}xbf16>) -> tensor<{w}xbf16>
           %w = stablehlo.multiply %f, %b : tensor<{w}xbf16>
           %r = stablehlo.dot_general %w, %x, contracting_dims = [1] x [1] : (tensor<{w}xbf16>, tensor<{vectors}x{depth}xbf16>) -> {r}
           return %r : {r}
         }}",
        integers.join(", "),
        scales.join(", ")
    );
    assert!(at_stage(&program, Stage::Linalg).contains("{stride = 16 : i64}"));
    let picked: Vec<_> = (0..vectors).map(|row| row * 41 + 3).collect();
    for found in both(&program, tiles, &[picks(&picked, depth)]) {
        for (at, one) in found[0].chunks_exact(4).enumerate() {
            let (column, vector) = (at / vectors, at % vectors);
            let scale = bf16::from_f32(scale(column)).to_f32();
            let expected = bf16::from_f32(integer(column, picked[vector]) as f32 * scale).to_f32();
            let found = f32::from_le_bytes([one[0], one[1], one[2], one[3]]);
            assert!(found == expected, "{column}, {vector}: {found}, not {expected}");
        }
    }
}

/// Stage `schedule` of a program.
fn scheduled(program: &str) -> String {
    at_stage(program, Stage::Schedule)
}

fn at_stage(program: &str, stage: Stage) -> String {
    String::from_utf8_lossy(at(program, amx(), stage).bytes()).into_owned()
}
