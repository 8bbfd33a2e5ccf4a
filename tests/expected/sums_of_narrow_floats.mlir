// Rounded to bf16 after each element, these sums would end at 256; in f16, at 2048.
func.func @sum_of_bf16() {
  %ones = stablehlo.constant dense<1.0> : tensor<65536xbf16>
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<65536xbf16>, tensor<bf16>) -> tensor<bf16>
  check.expect_eq_const %0, dense<65536.0> : tensor<bf16>
  return
}

// -----

func.func @gradient_of_a_bias() {
  %ones = stablehlo.constant dense<1.0> : tensor<4096x3xbf16>
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4096x3xbf16>, tensor<bf16>) -> tensor<3xbf16>
  check.expect_eq_const %0, dense<4096.0> : tensor<3xbf16>
  return
}

// -----

func.func @sum_of_f16() {
  %ones = stablehlo.constant dense<1.0> : tensor<5x8192xf16>
  %zero = stablehlo.constant dense<0.0> : tensor<f16>
  %0 = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x8192xf16>, tensor<f16>) -> tensor<5xf16>
  check.expect_eq_const %0, dense<8192.0> : tensor<5xf16>
  return
}

// -----

func.func @running_sum_of_bf16() {
  %ones = stablehlo.constant dense<1.0> : tensor<1024xbf16>
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = "stablehlo.reduce_window"(%ones, %zero) <{window_dimensions = array<i64: 1024>, padding = dense<[[1023, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %1 = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %1 : tensor<bf16>
  }) : (tensor<1024xbf16>, tensor<bf16>) -> tensor<1024xbf16>
  %2 = stablehlo.slice %0 [1023:1024] : (tensor<1024xbf16>) -> tensor<1xbf16>
  check.expect_eq_const %2, dense<1024.0> : tensor<1xbf16>
  return
}

// -----

// 1.0078125 is the number above 1 in bf16; its 64th power is 1.6455, and 1.6484375 is next to it.
func.func @product_of_bf16() {
  %x = stablehlo.constant dense<1.0078125> : tensor<64xbf16>
  %one = stablehlo.constant dense<1.0> : tensor<bf16>
  %0 = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<64xbf16>, tensor<bf16>) -> tensor<bf16>
  check.expect_eq_const %0, dense<1.6484375> : tensor<bf16>
  return
}
