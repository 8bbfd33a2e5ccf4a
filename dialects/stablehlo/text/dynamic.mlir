// Computed shapes. The file is printed as it is written.
module {
  func.func @f(%arg0: tensor<?xf32>, %arg1: tensor<1xi32>, %arg2: tensor<2xindex>, %arg3: tensor<f32>, %arg4: tensor<i32>) {
    %0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg2, dims = [1] {known_expanding_dimensions = array<i64: 0>} : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    %1 = stablehlo.dynamic_iota %arg2, dim = 0 : (tensor<2xindex>) -> tensor<?x?xi32>
    %2 = stablehlo.dynamic_pad %arg0, %arg3, %arg1, %arg1, %arg1 : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    %3 = stablehlo.dynamic_reshape %arg0, %arg2 : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>
    %4 = stablehlo.get_dimension_size %arg0, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %5 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
    %6 = stablehlo.set_dimension_size %arg0, %arg4, dim = 0 : (tensor<?xf32>, tensor<i32>) -> tensor<?xf32>
    return
  }
}
