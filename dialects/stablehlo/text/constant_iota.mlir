// Constants and iota. The file is printed as it is written.
module {
  func.func @f() {
    %c = stablehlo.constant dense<[1, -2, 7]> : tensor<3xi4>
    %cst = stablehlo.constant {mhlo.note = 1 : i32} dense<1.500000e+00> : tensor<2x2xbf16>
    %cst_0 = stablehlo.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f64>>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %cst_2 = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> tensor<2x!quant.uniform<i8:f32, 2.000000e+00:15>>
    %cst_3 = stablehlo.constant dense<> : tensor<0x3xf8E4M3FN>
    %0 = stablehlo.iota dim = 1 : tensor<3x4xui32>
    return
  }
}
