// Elementwise operations. The file is printed as it is written.
module {
  func.func @unary(%arg0: tensor<3xf32>, %arg1: tensor<3xi32>, %arg2: tensor<3xcomplex<f32>>, %arg3: tensor<3xi1>) {
    %0 = stablehlo.abs %arg0 : tensor<3xf32>
    %1 = stablehlo.cbrt %arg0 : tensor<3xf32>
    %2 = stablehlo.ceil %arg0 : tensor<3xf32>
    %3 = stablehlo.cosine %arg0 : tensor<3xf32>
    %4 = stablehlo.exponential %arg0 : tensor<3xf32>
    %5 = stablehlo.exponential_minus_one %arg0 : tensor<3xf32>
    %6 = stablehlo.floor %arg0 : tensor<3xf32>
    %7 = stablehlo.log %arg0 : tensor<3xf32>
    %8 = stablehlo.log_plus_one %arg0 : tensor<3xf32>
    %9 = stablehlo.logistic %arg0 : tensor<3xf32>
    %10 = stablehlo.negate %arg0 : tensor<3xf32>
    %11 = stablehlo.round_nearest_afz %arg0 : tensor<3xf32>
    %12 = stablehlo.round_nearest_even %arg0 : tensor<3xf32>
    %13 = stablehlo.rsqrt %arg0 : tensor<3xf32>
    %14 = stablehlo.sign %arg0 : tensor<3xf32>
    %15 = stablehlo.sine %arg0 : tensor<3xf32>
    %16 = stablehlo.sqrt %arg0 : tensor<3xf32>
    %17 = stablehlo.tan %arg0 : tensor<3xf32>
    %18 = stablehlo.tanh %arg0 : tensor<3xf32>
    %19 = stablehlo.count_leading_zeros %arg1 : tensor<3xi32>
    %20 = stablehlo.not %arg3 : tensor<3xi1>
    %21 = stablehlo.popcnt %arg1 : tensor<3xi32>
    %22 = stablehlo.abs %arg2 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    %23 = stablehlo.real %arg2 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    %24 = stablehlo.imag %arg2 : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
    %25 = stablehlo.is_finite %arg0 : (tensor<3xf32>) -> tensor<3xi1>
    %26 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 5.000000e-01, ulps = 3, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<3xf32>
    %27 = stablehlo.tanh %arg0 {mhlo.note = "kept", result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<3xf32>
    return
  }
  func.func @binary(%arg0: tensor<3xf32>, %arg1: tensor<3xui8>, %arg2: tensor<?xf32>, %arg3: tensor<?x4xf32, #stablehlo.bounds<8, ?>>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<3xf32>
    %1 = stablehlo.atan2 %arg0, %arg0 : tensor<3xf32>
    %2 = stablehlo.divide %arg0, %arg0 : tensor<3xf32>
    %3 = stablehlo.maximum %arg0, %arg0 : tensor<3xf32>
    %4 = stablehlo.minimum %arg0, %arg0 : tensor<3xf32>
    %5 = stablehlo.multiply %arg0, %arg0 : tensor<3xf32>
    %6 = stablehlo.power %arg0, %arg0 : tensor<3xf32>
    %7 = stablehlo.remainder %arg0, %arg0 : tensor<3xf32>
    %8 = stablehlo.subtract %arg0, %arg0 : tensor<3xf32>
    %9 = stablehlo.and %arg1, %arg1 : tensor<3xui8>
    %10 = stablehlo.or %arg1, %arg1 : tensor<3xui8>
    %11 = stablehlo.xor %arg1, %arg1 : tensor<3xui8>
    %12 = stablehlo.shift_left %arg1, %arg1 : tensor<3xui8>
    %13 = stablehlo.shift_right_arithmetic %arg1, %arg1 : tensor<3xui8>
    %14 = stablehlo.shift_right_logical %arg1, %arg1 : tensor<3xui8>
    %15 = stablehlo.add %arg0, %arg2 : (tensor<3xf32>, tensor<?xf32>) -> tensor<3xf32>
    %16 = stablehlo.add %arg3, %arg3 : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
    %17 = stablehlo.complex %arg0, %arg0 : tensor<3xcomplex<f32>>
    return
  }
}
