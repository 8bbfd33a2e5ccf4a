// Reduction. The file is printed as it is written.
module {
  func.func @f(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) {
    %0 = stablehlo.reduce(%arg0 init: %arg2) applies stablehlo.maximum across dimensions = [0, 1] {mhlo.note = "kept"} : (tensor<3x4xf32>, tensor<f32>) -> tensor<f32>
    %1:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [1] : (tensor<3x4xf32>, tensor<3x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {
      %4 = stablehlo.minimum %arg4, %arg6 : tensor<f32>
      stablehlo.return %4, %arg7 : tensor<f32>, tensor<i32>
    }
    %2 = stablehlo.reduce(%arg0 init: %arg2) across dimensions = [1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<3xf32>
     reducer(%arg4: tensor<f32>, %arg5: tensor<f32>)  {
      %4 = stablehlo.subtract %arg4, %arg5 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }
    %3 = "stablehlo.map"(%arg0, %arg0) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
      %4 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %4 : tensor<f32>
    }) : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
    return
  }
}
