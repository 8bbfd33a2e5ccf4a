//! Programs that look as if their rows were computed apart, and are not: each operation, with the rows where it mixes them. And rows
//! that are not contiguous, beside sizes with bounds.

use std::fs;

use strata::{Compiler, Options};
use strata_eval::{Evaluator, Session, Values};
use strata_ir::new_context;
use strata_verify::{random_inputs, shapes_of};

use super::{bound, open};
use crate::{
    command::workspace,
    harness::{self, Loaded},
};

/// A program on `%x` of `n` rows, whose result `%r` has this type.
fn program(ty: &str, body: &str) -> String {
    format!(
        "func.func public @main(%x: tensor<?x4xf32> loc(\"x\")) -> {ty} {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %c0 = stablehlo.constant dense<0> : tensor<1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %c4 = stablehlo.constant dense<4> : tensor<1xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %list = stablehlo.concatenate %rows, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %positions = stablehlo.dynamic_broadcast_in_dim %i0, %list, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<?x1xi32>
{body}
  return %r : {ty}
}}"
    )
}

const SUM: &str = "({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %sum = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %sum : tensor<f32>
  })";

/// The type of the result, the operations with `SUM` for a region, and why they are refused.
const CANDIDATES: &[(&str, &str, &str)] = &[
    (
        "tensor<?x4xf32>",
        "  %r = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>",
        "it appends rows",
    ),
    // As many rows as before, moved by one.
    (
        "tensor<?x4xf32>",
        "  %low = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %high = stablehlo.constant dense<[-1, 0]> : tensor<2xi32>
  %r = stablehlo.dynamic_pad %x, %zero, %low, %high, %none : (tensor<?x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x4xf32>",
        "it adds rows",
    ),
    (
        "tensor<?x4xf32>",
        "  %r = stablehlo.pad %x, %zero, low = [1, 0], high = [-1, 0], interior = [0, 0] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>",
        "it adds rows",
    ),
    // As many columns more as there are rows, which a sum of them shows.
    (
        "tensor<?xf32>",
        "  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %high = stablehlo.concatenate %c0, %rows, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %p = stablehlo.dynamic_pad %x, %two, %none, %high, %none : (tensor<?x4xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %r = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>",
        "what it takes depends on the number of rows",
    ),
    // As many columns as there are rows, of 4.
    (
        "tensor<?xf32>",
        "  %four = stablehlo.minimum %rows, %c4 : tensor<1xi32>
  %limit = stablehlo.concatenate %rows, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %p = stablehlo.real_dynamic_slice %x, %none, %limit, %ones : (tensor<?x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %r = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>",
        "what it takes depends on the number of rows",
    ),
    (
        "tensor<?xf32>",
        "  %four = stablehlo.minimum %rows, %c4 : tensor<1xi32>
  %sizes = stablehlo.concatenate %rows, %four, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %at = stablehlo.constant dense<0> : tensor<1xi32>
  %p = \"stablehlo.dynamic_gather\"(%x, %at, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>} : (tensor<?x4xf32>, tensor<1xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %r = stablehlo.reduce(%p init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>",
        "what it takes depends on the number of rows",
    ),
    // Every second row, twice as many of a copy.
    (
        "tensor<?x4xf32>",
        "  %two = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %r = stablehlo.real_dynamic_slice %x, %none, %shape, %two : (tensor<?x4xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x4xf32>",
        "it takes some of the rows",
    ),
    // Row 0 for each row.
    (
        "tensor<?x4xf32>",
        "  %r = \"stablehlo.gather\"(%x, %positions) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<?x4xf32>, tensor<?x1xi32>) -> tensor<?x4xf32>",
        "it takes some of the rows",
    ),
    (
        "tensor<1x4xf32>",
        "  %r = stablehlo.dynamic_slice %x, %i0, %i0, sizes = [1, 4] : (tensor<?x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x4xf32>",
        "it takes some of the rows",
    ),
    (
        "tensor<?x4xf32>",
        "  %u = stablehlo.constant dense<1.0> : tensor<1x4xf32>
  %r = stablehlo.dynamic_update_slice %x, %u, %i0, %i0 : (tensor<?x4xf32>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<?x4xf32>",
        "an operand without rows has elements for each",
    ),
    // All rows are added to row 0.
    (
        "tensor<?x4xf32>",
        "  %r = \"stablehlo.scatter\"(%x, %positions, %x) SUM {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x4xf32>) -> tensor<?x4xf32>",
        "it updates some rows",
    ),
    // All rows are put at a position along the rows.
    (
        "tensor<?x4xf32>",
        "  %r = \"stablehlo.scatter\"(%x, %c1, %x) SUM {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>} : (tensor<?x4xf32>, tensor<1xi32>, tensor<?x4xf32>) -> tensor<?x4xf32>",
        "it updates some rows",
    ),
    (
        "tensor<?x4xf32>",
        "  %twice = stablehlo.concatenate %rows, %rows, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x4xf32>, tensor<f32>) -> tensor<?xf32>
  %b = stablehlo.dynamic_broadcast_in_dim %s, %twice, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %r = stablehlo.dot_general %b, %x, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>",
        "two dimensions of a shape depend on it",
    ),
    (
        "tensor<?x4xf32>",
        "  %r = \"stablehlo.reduce_window\"(%x, %zero) SUM {window_dimensions = array<i64: 1, 1>, window_dilations = array<i64: 1, 1>, padding = dense<[[1, -1], [0, 0]]> : tensor<2x2xi64>} : (tensor<?x4xf32>, tensor<f32>) -> tensor<?x4xf32>",
        "its window spans rows",
    ),
    (
        "tensor<?x4xf32>",
        "  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x4xf32>) -> tensor<4x?xf32>
  %most:2 = chlo.top_k(%t, k = 2) : tensor<4x?xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  %s = stablehlo.reduce(%most#0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
  %b = stablehlo.dynamic_broadcast_in_dim %s, %shape, dims = [1] : (tensor<4xf32>, tensor<2xi32>) -> tensor<?x4xf32>
  %r = stablehlo.add %x, %b : tensor<?x4xf32>",
        "it sorts rows",
    ),
];

/// An object for any number of rows inside of other dimensions, and sizes up to a bound in the same tensors.
#[test]
fn rows_inside_are_copied_beside_a_bound() {
    let program = fs::read(workspace().join("tests/sizes/bounded_types.mlir")).unwrap();
    let max = vec![("x.3".to_owned(), 5)];
    let options = Options { open: true, max, ..harness::options("native") };
    let artifact = Compiler::new(options).compile("inside", &program);
    let artifact = artifact.unwrap_or_else(|errors| panic!("{errors}"));
    let loaded = Loaded::new(&artifact);
    let context = new_context();
    let module = strata_vhlo::parse(&context, "inside", &program).unwrap();
    let evaluator = Evaluator::new(&module).unwrap();
    for rows in [1, 2, 5, 16, 33] {
        for size in [0, 1, 3, 5] {
            let options = bound(&format!("x.1={rows},x.3={size}"));
            let inputs = random_inputs("inside", &program, &options, Values::Tame, 7).unwrap();
            let expected = evaluator.run(None, &inputs, &Session::new(0)).unwrap();
            let symbols = [rows, size];
            assert_eq!(loaded.symbols_of(&shapes_of(&inputs), 2), Some(symbols.to_vec()));
            assert_eq!(loaded.output_shapes(&symbols), shapes_of(&expected));
            let bytes: Vec<_> = inputs.iter().map(|input| input.bytes().to_vec()).collect();
            let sizes: Vec<_> = expected.iter().map(|output| output.bytes().len()).collect();
            let (status, outputs) = loaded.call_open(&bytes, &symbols, &sizes);
            assert_eq!(status, 0, "{symbols:?}");
            for (index, (found, expected)) in outputs.iter().zip(&expected).enumerate() {
                assert!(found == expected.bytes(), "{symbols:?}, output {index}");
            }
        }
    }
}

#[test]
fn rows_that_meet_are_refused() {
    for (ty, body, reason) in CANDIDATES {
        let program = program(ty, &body.replace("SUM", SUM));
        let errors = open("candidate", program.as_bytes()).map(|_| ()).expect_err(body);
        let found: Vec<_> = errors.iter().map(|error| error.reason_text()).collect();
        let expected = format!("rows of `x.0` cannot be computed apart: {reason}");
        assert_eq!(found, [Some(expected.as_str())], "{body}");
    }
}
