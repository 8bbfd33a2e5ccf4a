// Rows and columns of a matrix have other factors than those of its decomposition: each device has all of them.
module attributes {mhlo.num_partitions = 2 : i32} {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<3x6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}) -> (tensor<3x6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"x"}]>}, tensor<3x4xi32>) {
    %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {
      api_version = 4 : i32, mhlo.backend_config = {},
      operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>],
      result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>],
      sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) {i=3, j=6, k=4, l=6, m=4, n=4}, custom>
    } : (tensor<3x6x4xf32>) -> (tensor<3x6x4xf32>, tensor<3x4xi32>, tensor<3xi32>)
    return %0#0, %0#1 : tensor<3x6x4xf32>, tensor<3x4xi32>
  }
}
