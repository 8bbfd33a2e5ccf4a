//! How much code a program becomes, in operations: compile time follows from it.

use std::fs;

use strata::{Compiler, Stage};

use crate::{command::strata, harness::options};

/// Sums of products with a formula on each, in register tiles of every width: whole, several vectors, a part of one.
const ACTIVATION: &str = "\
func.func public @main(%x: tensor<33x64xf32>, %w: tensor<64x53xf32>, %b: tensor<53xf32>) -> tensor<33x53xf32> {
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<33x64xf32>, tensor<64x53xf32>) -> tensor<33x53xf32>
  %r = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<53xf32>) -> tensor<33x53xf32>
  %s = stablehlo.add %p, %r : tensor<33x53xf32>
  %t = stablehlo.tanh %s : tensor<33x53xf32>
  return %t : tensor<33x53xf32>
}
";

fn after(text: &str, stage: Stage) -> String {
    let compiled = Compiler::new(options("x86-64-v4")).to(stage);
    let artifact = compiled.compile("program.mlir", text.as_bytes()).expect("compiles");
    String::from_utf8(artifact.bytes().to_vec()).expect("text")
}

#[test]
fn long_formulas_on_sums_of_products_are_loops() {
    let vectors = after(ACTIVATION, Stage::Affine);
    // Tiles of 7 and 5 rows are loops where they have three vectors in a row.
    let formulas = vectors.matches("math.tanh").count();
    assert_eq!(formulas, 3 + 3 + 7 + 5, "{vectors}");
    assert!(vectors.contains("strata.workspace_size = 0 : i64"), "sums are in the output");
    // A short one stays in registers.
    let short = after(&ACTIVATION.replace("tanh", "negate"), Stage::Affine);
    assert!(short.matches("arith.negf").count() > 16, "{short}");
}

#[test]
fn long_formulas_in_loops_compute_the_same() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, formula) in [("tanh", "tanh"), ("sine", "sine"), ("logistic", "logistic")] {
        let text = ACTIVATION.replace("tanh", formula);
        fs::write(folder.path().join(format!("{name}.mlir")), text).expect("written");
        let arguments = format!("verify {name}.mlir --values tame --rounds 1");
        strata(folder.path(), &arguments.split(' ').collect::<Vec<_>>()).succeeded();
    }
}

/// A sine of vectors in a loop that is unrolled, and in one over the rest.
const SINE: &str = "\
func.func public @main(%x: tensor<37x77xf32>) -> tensor<37x77xf32> {
  %s = stablehlo.sine %x : tensor<37x77xf32>
  return %s : tensor<37x77xf32>
}
";

#[test]
fn sines_of_large_numbers_share_a_function() {
    let code = after(SINE, Stage::Vector);
    let functions = code.matches("func.func private @strata.formula.").count();
    let calls = code.matches("call @strata.formula.0").count();
    // The rest of a row is a whole vector with a mask.
    assert_eq!([functions, calls], [1, 5], "{code}");
}

#[test]
fn sines_of_large_numbers_are_right() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("sine.mlir"), SINE).expect("written");
    for values in ["tame", "wild"] {
        let arguments = format!("verify sine.mlir --values {values} --rounds 2");
        strata(folder.path(), &arguments.split(' ').collect::<Vec<_>>()).succeeded();
    }
}

/// Columns of rows of two to four elements are shuffled out of whole rows: single elements are loaded in the last rows alone.
#[test]
fn columns_of_short_rows_are_shuffled() {
    for element in ["f32", "f64", "i8", "i16", "i64"] {
        let vectors = after(
            &format!(
                "func.func public @main(%x: tensor<256x3x{element}>) -> (tensor<256x{element}>, tensor<3x256x{element}>) {{
  %a = stablehlo.slice %x [0:256, 0:1] : (tensor<256x3x{element}>) -> tensor<256x1x{element}>
  %b = stablehlo.slice %x [0:256, 2:3] : (tensor<256x3x{element}>) -> tensor<256x1x{element}>
  %c = stablehlo.subtract %a, %b : tensor<256x1x{element}>
  %d = stablehlo.reshape %c : (tensor<256x1x{element}>) -> tensor<256x{element}>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<256x3x{element}>) -> tensor<3x256x{element}>
  return %d, %t : tensor<256x{element}>, tensor<3x256x{element}>
}}
"
            ),
            Stage::Vector,
        );
        assert!(vectors.contains("vector.shuffle"), "{vectors}");
        assert!(!vectors.contains("memref.load"), "{vectors}");
    }
}
