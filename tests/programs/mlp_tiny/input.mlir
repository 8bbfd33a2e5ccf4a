module @jit_mlp attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x7xf32>) -> (tensor<2x3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[[-0.119888306, 0.714804649, 0.223144531, 1.03909206, 0.821619987], [0.170137405, 0.791501045, -0.507862091, 6.727600e-01, -0.791319847], [0.183467865, 0.569200516, 0.1195364, -0.196243286, -0.430589676], [-0.183234215, 0.561849594, 0.476173401, -0.140114784, -0.666017532], [0.360266685, -0.774990081, -0.283754349, -0.392782211, 0.397292137], [0.126120567, 0.246871948, 0.145607948, -0.362368584, 0.286224365], [0.754991531, -0.0196552277, 0.338670731, -0.0672979355, 0.549785614]]> : tensor<7x5xf32>
    %cst_0 = stablehlo.constant dense<[0.033331871, 0.0437908173, 0.0174207687, 0.0819997787, -0.0180578232]> : tensor<5xf32>
    %cst_1 = stablehlo.constant dense<[[1.22070313E-4, 0.073425293, -0.0735473633], [0.380142212, -0.174530029, -0.205627441], [0.0904998779, -0.0531921387, -0.0373077393], [1.840210e-01, -0.200881958, 0.0168609619], [-0.0550384521, -0.113769531, 0.168792725]]> : tensor<5x3xf32>
    %cst_2 = stablehlo.constant dense<[-0.786132813, 0.202148438, 0.182617188]> : tensor<3xf32>
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
