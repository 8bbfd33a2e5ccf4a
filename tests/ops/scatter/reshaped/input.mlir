func.func public @main(%x: tensor<3x1x2x4xi32>, %y: tensor<3x3x1x2x4xi32>) -> tensor<3x3x1x2x4xi32> {
  // The result of the scatter is the last part of a larger tensor.
  %ones = stablehlo.constant dense<1> : tensor<2x3x1x2x4xi32>
  %at = stablehlo.constant dense<1> : tensor<1xi32>
  %negative = stablehlo.negate %y : tensor<3x3x1x2x4xi32>
  %flat = stablehlo.reshape %negative : (tensor<3x3x1x2x4xi32>) -> tensor<72xi32>
  %first = stablehlo.slice %flat [0:8] : (tensor<72xi32>) -> tensor<8xi32>
  %u = stablehlo.reshape %first : (tensor<8xi32>) -> tensor<1x2x4xi32>
  %0 = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [0, 1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %least = stablehlo.minimum %a, %b : tensor<i32>
    %same = stablehlo.minimum %least, %b : tensor<i32>
    stablehlo.return %same : tensor<i32>
  }) : (tensor<3x1x2x4xi32>, tensor<1xi32>, tensor<1x2x4xi32>) -> tensor<3x1x2x4xi32>
  %1 = stablehlo.reshape %0 : (tensor<3x1x2x4xi32>) -> tensor<1x3x1x2x4xi32>
  %2 = stablehlo.concatenate %ones, %1, dim = 0
    : (tensor<2x3x1x2x4xi32>, tensor<1x3x1x2x4xi32>) -> tensor<3x3x1x2x4xi32>
  return %2 : tensor<3x3x1x2x4xi32>
}
