// Shapes. The file is printed as it is written.
module {
  func.func @f(%arg0: tensor<3x4xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<1x2xf32>) {
    %0 = stablehlo.broadcast %arg0, sizes = [2, 0] : (tensor<3x4xf32>) -> tensor<2x0x3x4xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<3x4xf32>
    %2 = stablehlo.concatenate %arg0, %arg0, dim = 0 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<6x4xf32>
    %3 = stablehlo.dynamic_slice %arg0, %arg2, %arg2, sizes = [1, 2] : (tensor<3x4xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %4 = stablehlo.dynamic_update_slice %arg0, %arg3, %arg2, %arg2 : (tensor<3x4xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>
    %5 = stablehlo.pad %arg0, %arg1, low = [1, -1], high = [0, 2], interior = [0, 1] : (tensor<3x4xf32>, tensor<f32>) -> tensor<4x8xf32>
    %6 = stablehlo.reshape %arg0 : (tensor<3x4xf32>) -> tensor<2x6xf32>
    %7 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<3x4xf32>
    %8 = stablehlo.slice %arg0 [0:3:2, 1:4] : (tensor<3x4xf32>) -> tensor<2x3xf32>
    %9 = stablehlo.slice %arg1 [] : (tensor<f32>) -> tensor<f32>
    %10 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    return
  }
}
