// Quantised types. The file is printed as it is written.
module {
  func.func @f(%arg0: tensor<3x2xf32>) {
    %0 = stablehlo.uniform_quantize %arg0 : (tensor<3x2xf32>) -> tensor<3x2x!quant.uniform<i8:f32, 5.000000e-01:3>>
    %1 = stablehlo.uniform_quantize %arg0 : (tensor<3x2xf32>) -> tensor<3x2x!quant.uniform<i8<-127:127>:f32:1, {5.000000e-01,2.500000e-01}>>
    %2 = stablehlo.uniform_dequantize %0 : (tensor<3x2x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<3x2xf32>
    return
  }
}
