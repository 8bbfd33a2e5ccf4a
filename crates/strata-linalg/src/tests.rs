//! What the snapshots under `tests/` do not show: signs, reads through broadcasts, named operations,
//! errors.

use strata_ir::{new_context, parse, print, verify};
use strata_options::Options;
use strata_target::Target;

use crate::{check, run};

/// The module after the stage, or the error. The body must not need stage 10.
fn stage(signature: &str, body: &str) -> Result<String, String> {
    let context = new_context();
    let options = Options::new(Target::x86_64_baseline());
    let text = format!("func.func public @main{signature} {{\n{body}\n}}");
    let mut module =
        parse(&context, "test.mlir", text.as_bytes()).map_err(|errors| errors.to_string())?;
    run(&context, &mut module, &options)
        .and_then(|()| verify(&context, &module, "linalg"))
        .and_then(|()| check(&module, &options))
        .map_err(|error| error.to_string())?;
    Ok(print(&module, false))
}

#[track_caller]
fn lowered(signature: &str, body: &str) -> String {
    stage(signature, body).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn signs_are_resolved_and_recorded() {
    let printed = lowered(
        "(%x: tensor<3xui8>) -> tensor<3xf32>",
        "%0 = stablehlo.maximum %x, %x : tensor<3xui8>
         %1 = stablehlo.convert %0 : (tensor<3xui8>) -> tensor<3xf32>
         return %1 : tensor<3xf32>",
    );
    assert!(printed.contains("arith.maxui") && printed.contains("arith.uitofp"), "{printed}");
    assert!(printed.contains("strata.inputs = [tensor<3xui8>]"), "{printed}");
    assert!(printed.contains("%arg0: tensor<3xi8>"), "{printed}");
}

#[test]
fn pointwise_readers_look_through_broadcasts() {
    let printed = lowered(
        "(%x: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> tensor<2x3xf32>",
        "%0 = stablehlo.broadcast_in_dim %b, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
         %1 = stablehlo.add %x, %0 : tensor<2x3xf32>
         return %1 : tensor<2x3xf32>",
    );
    assert!(printed.contains("affine_map<(d0, d1) -> (d1)>"), "{printed}");
    assert!(!printed.contains("linalg.broadcast"), "{printed}");
    assert_eq!(printed.matches("linalg.generic").count(), 1, "{printed}");
}

#[test]
fn narrow_floats_are_computed_in_f32() {
    let printed = lowered(
        "(%x: tensor<3xbf16>) -> tensor<3xbf16>",
        "%0 = stablehlo.exponential %x : tensor<3xbf16>
         return %0 : tensor<3xbf16>",
    );
    assert!(printed.contains("math.exp %") && printed.contains(": f32"), "{printed}");
    assert!(printed.contains("arith.truncf"), "{printed}");
}

#[test]
fn products_are_matmuls_where_dimensions_can_be_joined() {
    let printed = lowered(
        "(%x: tensor<2x5x6xf32>, %y: tensor<7x6xf32>) -> tensor<2x5x7xf32>",
        "%0 = stablehlo.dot_general %x, %y, contracting_dims = [2] x [1]
           : (tensor<2x5x6xf32>, tensor<7x6xf32>) -> tensor<2x5x7xf32>
         return %0 : tensor<2x5x7xf32>",
    );
    assert!(printed.contains("linalg.matmul indexing_maps"), "{printed}");
    assert!(printed.contains("into tensor<10x6xf32>"), "{printed}");
}

#[test]
fn what_has_no_lowering_is_reported_by_name() {
    let error = stage(
        "(%x: tensor<3xf32>) -> tensor<3xf32>",
        "%0 = stablehlo.custom_call @\"a-b\"(%x) : (tensor<3xf32>) -> tensor<3xf32>
         return %0 : tensor<3xf32>",
    )
    .expect_err("no lowering");
    assert!(error.contains("S1201") && error.contains("stablehlo.custom_call"), "{error}");
}
