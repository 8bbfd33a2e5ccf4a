// Comparison and choice. The file is printed as it is written.
module {
  func.func @f(%arg0: tensor<3xf32>, %arg1: tensor<f32>, %arg2: tensor<3xi1>, %arg3: tensor<i1>, %arg4: tensor<?xf32>) {
    %0 = stablehlo.compare LT, %arg0, %arg0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %1 = stablehlo.compare EQ, %arg0, %arg0, TOTALORDER : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    %2 = stablehlo.clamp %arg1, %arg0, %arg1 : (tensor<f32>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.clamp %arg0, %arg0, %arg0 : tensor<3xf32>
    %4 = stablehlo.select %arg2, %arg0, %arg0 : tensor<3xi1>, tensor<3xf32>
    %5 = stablehlo.select %arg3, %arg0, %arg4 : (tensor<i1>, tensor<3xf32>, tensor<?xf32>) -> tensor<3xf32>
    return
  }
}
