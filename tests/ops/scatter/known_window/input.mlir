func.func public @main(%x: tensor<5x7xf32>, %y: tensor<3x4xf32>, %z: tensor<7xf32>, %n: tensor<6x9xi32>, %m: tensor<2x9x1xi32>)
    -> (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<6x9xi32>, tensor<5x7xf32>) {
  // x[1:4, 2:6] += y * y, then x[4] = z, then x[0, 6] is the larger of it and an element.
  %product = stablehlo.multiply %y, %y : tensor<3x4xf32>
  %at = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %0 = "stablehlo.scatter"(%x, %at, %product) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<5x7xf32>, tensor<2xi32>, tensor<3x4xf32>) -> tensor<5x7xf32>
  %last = stablehlo.constant dense<4> : tensor<1x1xi64>
  %row = stablehlo.reshape %z : (tensor<7xf32>) -> tensor<1x7xf32>
  %1 = "stablehlo.scatter"(%0, %last, %row) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<5x7xf32>, tensor<1x1xi64>, tensor<1x7xf32>) -> tensor<5x7xf32>
  %corner = stablehlo.constant dense<[0, 6]> : tensor<2xui32>
  %one = stablehlo.slice %z [3:4] : (tensor<7xf32>) -> tensor<1xf32>
  %element = stablehlo.reshape %one : (tensor<1xf32>) -> tensor<f32>
  %2 = "stablehlo.scatter"(%1, %corner, %element) <{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %larger = stablehlo.maximum %b, %a : tensor<f32>
    stablehlo.return %larger : tensor<f32>
  }) : (tensor<5x7xf32>, tensor<2xui32>, tensor<f32>) -> tensor<5x7xf32>
  // Whole rows, subtracted from; the operand is read again.
  %first = stablehlo.constant dense<4> : tensor<1xi32>
  %rows = stablehlo.reshape %m : (tensor<2x9x1xi32>) -> tensor<2x9xi32>
  %3 = "stablehlo.scatter"(%n, %first, %rows) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %difference = stablehlo.subtract %b, %a : tensor<i32>
    stablehlo.return %difference : tensor<i32>
  }) : (tensor<6x9xi32>, tensor<1xi32>, tensor<2x9xi32>) -> tensor<6x9xi32>
  %4 = stablehlo.add %3, %n : tensor<6x9xi32>
  // All of the operand.
  %origin = stablehlo.constant dense<0> : tensor<1xi32>
  %5 = "stablehlo.scatter"(%x, %origin, %2) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %quotient = stablehlo.divide %b, %a : tensor<f32>
    stablehlo.return %quotient : tensor<f32>
  }) : (tensor<5x7xf32>, tensor<1xi32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0, %1, %2, %4, %5 : tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<6x9xi32>, tensor<5x7xf32>
}
