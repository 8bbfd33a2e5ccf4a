module @jit_conv attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<8x9x7x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}, {}]>}, %arg1: tensor<3x3x3x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}, {}]>}) -> (tensor<8x6xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<8x9x7x3xf32>, tensor<3x3x3x6xf32>) -> tensor<8x9x7x6xf32>
    %1 = call @relu(%0) : (tensor<8x9x7x6xf32>) -> tensor<8x9x7x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x9x7x6xf32>, tensor<f32>) -> tensor<8x6xf32>
    %cst_0 = stablehlo.constant dense<6.300000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x6xf32>
    %4 = stablehlo.divide %2, %3 : tensor<8x6xf32>
    return %4 : tensor<8x6xf32>
  }
  func.func private @relu(%arg0: tensor<8x9x7x6xf32>) -> tensor<8x9x7x6xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x9x7x6xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<8x9x7x6xf32>
    return %1 : tensor<8x9x7x6xf32>
  }
}
