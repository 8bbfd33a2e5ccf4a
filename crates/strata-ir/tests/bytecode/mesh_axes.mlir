// The module that mesh_axes.mlirbc holds, as MLIR 23 and StableHLO 1.17 wrote it.

module {
  func.func private @mesh()
  func.func @f(%arg0: tensor<16x8xf32>) -> tensor<16x16xf32> {
    %0 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "a">, #stablehlo.axis_ref<name = "b">]>}> : (tensor<16x8xf32>) -> tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}
