// range: 0 1
// ulp: 4
func.func public @main(%p: tensor<i32>, %x: tensor<6xf64>, %y: tensor<6xf64>) -> (tensor<6xf64>, tensor<6xf64>, tensor<6xf64>) {
  // A scatter into what a branch chose; the input is a result, too.
  %where = stablehlo.constant dense<[[1], [4]]> : tensor<2x1xi32>
  %u = stablehlo.constant dense<[7.0, -3.0]> : tensor<2xf64>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %q = stablehlo.subtract %one, %p : tensor<i32>
  %chosen = "stablehlo.case"(%p) ({
    stablehlo.return %x : tensor<6xf64>
  }, {
    %s = stablehlo.sine %y : tensor<6xf64>
    stablehlo.return %s : tensor<6xf64>
  }) : (tensor<i32>) -> tensor<6xf64>
  %other = "stablehlo.case"(%q) ({
    stablehlo.return %x : tensor<6xf64>
  }, {
    stablehlo.return %chosen : tensor<6xf64>
  }) : (tensor<i32>) -> tensor<6xf64>
  %0 = "stablehlo.scatter"(%other, %where, %u) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>} : (tensor<6xf64>, tensor<2x1xi32>, tensor<2xf64>) -> tensor<6xf64>
  return %0, %x, %chosen : tensor<6xf64>, tensor<6xf64>, tensor<6xf64>
}
