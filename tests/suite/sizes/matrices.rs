//! Factorisations by LAPACK's functions of matrices of any size up to a bound.

use crate::command::strata;

/// As JAX writes `cholesky`, `solve_triangular`, `lu` and `qr`.
const PROGRAM: &str = r#"
func.func public @main(%x: tensor<?x3xf64> loc("x")) -> (tensor<?x?xf64>, tensor<i32>, tensor<?x3xf64>, tensor<3x?xf64>, tensor<?x?xf64>, tensor<?xi32>, tensor<i32>, tensor<?x3xf64>, tensor<3xf64>, tensor<?x3xf64>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf64>) -> tensor<i32>
  %least = stablehlo.constant dense<3> : tensor<i32>
  %some = stablehlo.compare GE, %n, %least, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %n) {error_message = "{0} rows", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %none = stablehlo.constant dense<> : tensor<0xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %square = stablehlo.concatenate %n1, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %tall = stablehlo.concatenate %n1, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %wide = stablehlo.concatenate %three, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %gram = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<?x3xf64>, tensor<?x3xf64>) -> tensor<?x?xf64>
  %rows = stablehlo.dynamic_iota %square, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
  %columns = stablehlo.dynamic_iota %square, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
  %diagonal = stablehlo.compare EQ, %rows, %columns : (tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi1>
  %two = stablehlo.constant dense<2.0> : tensor<f64>
  %twos = stablehlo.dynamic_broadcast_in_dim %two, %square, dims = [] : (tensor<f64>, tensor<2xi32>) -> tensor<?x?xf64>
  %more = stablehlo.add %gram, %twos : tensor<?x?xf64>
  %a = stablehlo.select %diagonal, %more, %gram : tensor<?x?xi1>, tensor<?x?xf64>
  %0:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%a, %square, %none) {indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<?x?xf64>, tensor<2xi32>, tensor<0xi32>) -> (tensor<?x?xf64>, tensor<i32>)
  %1 = stablehlo.custom_call @lapack_dtrsm_ffi(%0#0, %x, %tall) {indices_of_shape_operands = dense<2> : tensor<1xi64>, mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<?x?xf64>, tensor<?x3xf64>, tensor<2xi32>) -> tensor<?x3xf64>
  %transposed = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x3xf64>) -> tensor<3x?xf64>
  %2 = stablehlo.custom_call @lapack_dtrsm_ffi(%0#0, %transposed, %wide) {indices_of_shape_operands = dense<2> : tensor<1xi64>, mhlo.backend_config = {diag = 78 : ui8, side = 82 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<?x?xf64>, tensor<3x?xf64>, tensor<2xi32>) -> tensor<3x?xf64>
  %places = stablehlo.convert %columns : (tensor<?x?xi32>) -> tensor<?x?xf64>
  %crooked = stablehlo.subtract %a, %places : tensor<?x?xf64>
  %3:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%crooked, %square, %n1, %none) {indices_of_shape_operands = dense<[1, 2, 3]> : tensor<3xi64>, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<?x?xf64>, tensor<2xi32>, tensor<1xi32>, tensor<0xi32>) -> (tensor<?x?xf64>, tensor<?xi32>, tensor<i32>)
  %4:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%x, %tall, %three) {indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>]} : (tensor<?x3xf64>, tensor<2xi32>, tensor<1xi32>) -> (tensor<?x3xf64>, tensor<3xf64>)
  %5 = stablehlo.custom_call @lapack_dorgqr_ffi(%4#0, %4#1, %tall) {indices_of_shape_operands = dense<2> : tensor<1xi64>, mhlo.backend_config = {}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<?x3xf64>, tensor<3xf64>, tensor<2xi32>) -> tensor<?x3xf64>
  return %0#0, %0#1, %1, %2, %3#0, %3#1, %3#2, %4#0, %4#1, %5 : tensor<?x?xf64>, tensor<i32>, tensor<?x3xf64>, tensor<3x?xf64>, tensor<?x?xf64>, tensor<?xi32>, tensor<i32>, tensor<?x3xf64>, tensor<3xf64>, tensor<?x3xf64>
}
"#;

/// The functions see an identity, or zeros, around a matrix: its own part of their results is what they make of it alone.
#[test]
fn matrices_of_any_size_are_factorised() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("matrices.mlir"), PROGRAM).unwrap();
    let words = ["verify", "matrices.mlir", "--max", "x.0=13", "--values", "tame"];
    strata(folder.path(), &[&words[..], &["--rounds", "40"]].concat()).succeeded();
    let own = ["--specialize", "x.0=7,x.0=11", "--rounds", "8"];
    strata(folder.path(), &[&words[..], &own].concat()).succeeded();
}

/// A number of matrices and their size, as in a vmapped `solve_triangular`.
const BATCH: &str = r#"
func.func public @main(%a: tensor<?x?x?xf64> loc("a"), %x: tensor<?x?x2xf64> loc("x")) -> tensor<?x?x2xf64> {
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %b = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x?x?xf64>) -> tensor<i32>
  %n = stablehlo.get_dimension_size %a, dim = 1 : (tensor<?x?x?xf64>) -> tensor<i32>
  %n2 = stablehlo.get_dimension_size %a, dim = 2 : (tensor<?x?x?xf64>) -> tensor<i32>
  %b1 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?x2xf64>) -> tensor<i32>
  %n1 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?x2xf64>) -> tensor<i32>
  %0 = stablehlo.compare EQ, %n, %n2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %1 = stablehlo.compare EQ, %n, %n1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %2 = stablehlo.compare EQ, %b, %b1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%0, %n) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%1, %n) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%2, %b) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %3 = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
  %4 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %5 = stablehlo.concatenate %3, %4, %4, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %6 = stablehlo.concatenate %3, %4, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %7 = stablehlo.dynamic_iota %5, dim = 1 : (tensor<3xi32>) -> tensor<?x?x?xi32>
  %8 = stablehlo.dynamic_iota %5, dim = 2 : (tensor<3xi32>) -> tensor<?x?x?xi32>
  %9 = stablehlo.compare EQ, %7, %8 : (tensor<?x?x?xi32>, tensor<?x?x?xi32>) -> tensor<?x?x?xi1>
  %f4 = stablehlo.constant dense<4.0> : tensor<f64>
  %10 = stablehlo.dynamic_broadcast_in_dim %f4, %5, dims = [] : (tensor<f64>, tensor<3xi32>) -> tensor<?x?x?xf64>
  %11 = stablehlo.select %9, %10, %a : tensor<?x?x?xi1>, tensor<?x?x?xf64>
  %12 = stablehlo.custom_call @lapack_dtrsm_ffi(%11, %x, %6) {indices_of_shape_operands = dense<2> : tensor<1xi64>, mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>]} : (tensor<?x?x?xf64>, tensor<?x?x2xf64>, tensor<3xi32>) -> tensor<?x?x2xf64>
  return %12 : tensor<?x?x2xf64>
}
"#;

/// Parts of the batch know its size, but not that of the matrices.
#[test]
fn batches_of_matrices_of_any_size_are_solved() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("batch.mlir"), BATCH).unwrap();
    let words = ["verify", "batch.mlir", "--max", "a.0=3,a.1=9", "--values", "tame"];
    strata(folder.path(), &[&words[..], &["--rounds", "12"]].concat()).succeeded();
}
