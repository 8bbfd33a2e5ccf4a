module @jit_mlp attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x7xf32>) -> (tensor<2x3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[[-0.12566185, -0.67747879, 0.144996643, 0.0837869644, -0.0999183654], [-1.34526443, -0.28794384, -0.0259246826, 0.0605659485, -0.817892075], [-0.25537014, -0.523040771, -0.432341576, 0.567073822, -0.431645393], [-0.0173835754, 0.472725868, -0.311947823, -0.0597076416, 0.0590457916], [0.0340929031, -0.654819488, 0.0406990051, 0.72632122, -0.826983451], [0.459359169, 0.063796997, -0.342880249, 1.06926727, 0.407444954], [-0.641046524, 0.0398302078, 0.308253288, -0.100908279, 0.365031242]]> : tensor<7x5xf32>
    %cst_0 = stablehlo.constant dense<[-0.00332546234, 0.0333623886, 0.0719261169, -0.033782959, 0.0101566315]> : tensor<5xf32>
    %cst_1 = stablehlo.constant dense<[[0.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 0.000000e+00], [0.0736694336, -0.324508667, 0.250823975], [0.000000e+00, 0.000000e+00, 0.000000e+00]]> : tensor<5x3xf32>
    %cst_2 = stablehlo.constant dense<[-0.115234375, 0.364257813, -0.443359375]> : tensor<3xf32>
    %0 = stablehlo.dot_general %arg0, %cst, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x7xf32>, tensor<7x5xf32>) -> tensor<2x5xf32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [1] : (tensor<5xf32>) -> tensor<1x5xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x5xf32>) -> tensor<2x5xf32>
    %3 = stablehlo.add %0, %2 : tensor<2x5xf32>
    %4 = call @relu(%3) : (tensor<2x5xf32>) -> tensor<2x5xf32>
    %5 = stablehlo.dot_general %4, %cst_1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x5xf32>, tensor<5x3xf32>) -> tensor<2x3xf32>
    %6 = stablehlo.broadcast_in_dim %cst_2, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
    %8 = stablehlo.add %5, %7 : tensor<2x3xf32>
    return %8 : tensor<2x3xf32>
  }
  func.func private @relu(%arg0: tensor<2x5xf32>) -> tensor<2x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x5xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x5xf32>
    return %1 : tensor<2x5xf32>
  }
}
