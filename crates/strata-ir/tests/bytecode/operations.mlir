// The module that operations.mlirbc holds, as MLIR 23 and StableHLO 1.17 wrote it.

module @operations {
  func.func @f(%arg0: tensor<3x5xf32>, %arg1: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %arg2: !stablehlo.token) -> tensor<3x5xf32> {
    %0 = stablehlo.custom_call @g(%arg0) {backend_config = "c", has_side_effect = true, mhlo.note = "kept"} : (tensor<3x5xf32>) -> tensor<3x5xf32>
    %1 = "stablehlo.collective_broadcast"(%0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3x5xf32>) -> tensor<3x5xf32>
    %values, %indices = chlo.top_k(%1, k = 2) : tensor<3x5xf32> -> (tensor<3x2xf32>, tensor<3x2xi32>)
    %2 = stablehlo.dot_general %1, %1, contracting_dims = [1] x [1], precision = [HIGH, DEFAULT] : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x3xf32>
    %3 = stablehlo.dot_general %2, %1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x3xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
    return %3 : tensor<3x5xf32>
  }
}
