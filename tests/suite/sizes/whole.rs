//! Work on whole tensors that ends at sizes: reductions to few elements, copies.

use std::fs;

use crate::command::strata;

/// A program up to bounds after a stage.
fn compiled(program: &str, max: &str, stage: &str) -> String {
    let here = tempfile::tempdir().unwrap();
    fs::write(here.path().join("p.mlir"), program).unwrap();
    let arguments = ["compile", "p.mlir", "--target-cpu", "x86-64-v3", "-o", "-"];
    let arguments = [&arguments[..], &["--max", max, "--to", stage]].concat();
    strata(here.path(), &arguments).succeeded().text().to_owned()
}

/// A sum of `x` along dimensions.
fn sum(shape: &str, dims: &str, result: &str) -> String {
    format!(
        "func.func public @main(%x: tensor<{shape}xf32> loc(\"x\")) -> tensor<{result}f32> {{
          %zero = stablehlo.constant dense<0.0> : tensor<f32>
          %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = {dims} : (tensor<{shape}xf32>, tensor<f32>) -> tensor<{result}f32>
          return %0 : tensor<{result}f32>
        }}"
    )
}

/// Sums without a schedule, and of rows that are joined, end at the size, as the blocks of a long sum do.
#[test]
fn sums_of_few_elements_end_at_the_size() {
    for (shape, dims, result, whole) in [
        ("?x3", "[0]", "3x", "to 128"),
        ("?x64", "[0, 1]", "", "to %c8192"),
        ("?x8x6", "[0, 2]", "8x", "to 128"),
    ] {
        let text = compiled(&sum(shape, dims, result), "x.0=128", "affine");
        assert!(!text.contains(whole) && text.contains("strata.limit"), "{shape}: {text}");
    }
    let text = compiled(&sum("?x3", "[0]", "3x"), "x.0=1500", "affine");
    assert!(text.contains("strata.limit") && !text.contains("to %c1500"), "{text}");
}

/// An input that is returned beside other results is read and written where callers have it, up to the size.
#[test]
fn returned_inputs_are_copied_up_to_the_size() {
    for shape in ["64x?", "?x64", "?x3"] {
        let ty = format!("tensor<{shape}xf32>");
        let program = format!(
            "func.func public @main(%x: {ty} loc(\"x\")) -> ({ty}, {ty}) {{
              %0 = stablehlo.tanh %x : {ty}
              return %x, %0 : {ty}, {ty}
            }}"
        );
        let symbol = if shape.starts_with('?') { "x.0=128" } else { "x.1=128" };
        let text = compiled(&program, symbol, "vector");
        // Code for one size alone copies whole buffers.
        let copies = text.matches("memref.copy %arg").count();
        let versions = text.matches("sizes = array<i64").count();
        assert!(copies < versions, "{shape}: {copies} of {versions}, {text}");
    }
}

/// Reductions of everything have a schedule for each step, and masks count places instead of reading them from a tensor of the bound.
#[test]
fn reductions_of_everything_have_schedules() {
    for (shape, dims, symbol) in [
        ("?x64", "[0, 1]", "x.0"),
        ("64x?", "[0, 1]", "x.1"),
        ("4x?x8", "[0, 1, 2]", "x.1"),
        ("?", "[0]", "x.0"),
    ] {
        let program = sum(shape, dims, "").replace("dense<0.0>", "dense<0xFF800000>");
        let program = program.replace("applies stablehlo.add", "applies stablehlo.maximum");
        let text = compiled(&program, &format!("{symbol}=120"), "schedule");
        assert!(!text.contains("\"reduction\""), "{shape}: {text}");
        let text = compiled(&program, &format!("{symbol}=120"), "vector");
        assert!(text.contains("vector.create_mask"), "{shape}: {text}");
        for places in ["120xi32", "960xi32", "7680xi32"] {
            assert!(!text.contains(places), "{shape}: {text}");
        }
    }
}
