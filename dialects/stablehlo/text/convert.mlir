// Conversion. The file is printed as it is written.
module {
  func.func @f(%arg0: tensor<3xf32>) {
    %0 = stablehlo.bitcast_convert %arg0 : (tensor<3xf32>) -> tensor<3x4xui8>
    %1 = stablehlo.convert %arg0 : (tensor<3xf32>) -> tensor<3xi2>
    %2 = stablehlo.convert %arg0 : tensor<3xf32>
    %3 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<3xf32>
    return
  }
}
