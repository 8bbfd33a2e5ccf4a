// range: 0 1000
func.func public @main(%n: tensor<48x162xi32>, %m: tensor<48x162xi32>) -> (tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>) {
  // Rows of numbers of either sign, of zeros, of numbers without and with a sign (0 and -0 are their ends), with few NaN without and
  // with a sign. One over a result shows the sign of zero.
  %by = stablehlo.constant dense<31> : tensor<48x162xi32>
  %few = stablehlo.constant dense<4> : tensor<48x162xi32>
  %middle = stablehlo.constant dense<500.0> : tensor<48x162xf32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<48x162xf32>
  %minus_nan = stablehlo.constant dense<0xFFC00000> : tensor<48x162xf32>
  %six = stablehlo.constant dense<6> : tensor<48x162xi32>
  %row = stablehlo.iota dim = 0 : tensor<48x162xi32>
  %kind = stablehlo.remainder %row, %six : tensor<48x162xi32>
  %k_1 = stablehlo.constant dense<1> : tensor<48x162xi32>
  %is_1 = stablehlo.compare EQ, %kind, %k_1, SIGNED : (tensor<48x162xi32>, tensor<48x162xi32>) -> tensor<48x162xi1>
  %k_2 = stablehlo.constant dense<2> : tensor<48x162xi32>
  %is_2 = stablehlo.compare EQ, %kind, %k_2, SIGNED : (tensor<48x162xi32>, tensor<48x162xi32>) -> tensor<48x162xi1>
  %k_3 = stablehlo.constant dense<3> : tensor<48x162xi32>
  %is_3 = stablehlo.compare EQ, %kind, %k_3, SIGNED : (tensor<48x162xi32>, tensor<48x162xi32>) -> tensor<48x162xi1>
  %k_4 = stablehlo.constant dense<4> : tensor<48x162xi32>
  %is_4 = stablehlo.compare EQ, %kind, %k_4, SIGNED : (tensor<48x162xi32>, tensor<48x162xi32>) -> tensor<48x162xi1>
  %k_5 = stablehlo.constant dense<5> : tensor<48x162xi32>
  %is_5 = stablehlo.compare EQ, %kind, %k_5, SIGNED : (tensor<48x162xi32>, tensor<48x162xi32>) -> tensor<48x162xi1>
  %x_sign = stablehlo.shift_left %n, %by : tensor<48x162xi32>
  %x_zero = stablehlo.bitcast_convert %x_sign : (tensor<48x162xi32>) -> tensor<48x162xf32>
  %x_all = stablehlo.convert %n : (tensor<48x162xi32>) -> tensor<48x162xf32>
  %x_any = stablehlo.subtract %x_all, %middle : tensor<48x162xf32>
  %x_low = stablehlo.negate %x_all : tensor<48x162xf32>
  %x_rare = stablehlo.compare LT, %n, %few, SIGNED : (tensor<48x162xi32>, tensor<48x162xi32>) -> tensor<48x162xi1>
  %x_nan = stablehlo.select %x_rare, %nan, %x_low : tensor<48x162xi1>, tensor<48x162xf32>
  %x_with = stablehlo.select %x_rare, %minus_nan, %x_all : tensor<48x162xi1>, tensor<48x162xf32>
  %x_1 = stablehlo.select %is_1, %x_zero, %x_any : tensor<48x162xi1>, tensor<48x162xf32>
  %x_2 = stablehlo.select %is_2, %x_all, %x_1 : tensor<48x162xi1>, tensor<48x162xf32>
  %x_3 = stablehlo.select %is_3, %x_low, %x_2 : tensor<48x162xi1>, tensor<48x162xf32>
  %x_4 = stablehlo.select %is_4, %x_nan, %x_3 : tensor<48x162xi1>, tensor<48x162xf32>
  %x = stablehlo.select %is_5, %x_with, %x_4 : tensor<48x162xi1>, tensor<48x162xf32>
  %y_sign = stablehlo.shift_left %m, %by : tensor<48x162xi32>
  %y_zero = stablehlo.bitcast_convert %y_sign : (tensor<48x162xi32>) -> tensor<48x162xf32>
  %y_all = stablehlo.convert %m : (tensor<48x162xi32>) -> tensor<48x162xf32>
  %y_any = stablehlo.subtract %y_all, %middle : tensor<48x162xf32>
  %y_low = stablehlo.negate %y_all : tensor<48x162xf32>
  %y_rare = stablehlo.compare LT, %m, %few, SIGNED : (tensor<48x162xi32>, tensor<48x162xi32>) -> tensor<48x162xi1>
  %y_nan = stablehlo.select %y_rare, %nan, %y_low : tensor<48x162xi1>, tensor<48x162xf32>
  %y_with = stablehlo.select %y_rare, %minus_nan, %y_all : tensor<48x162xi1>, tensor<48x162xf32>
  %y_1 = stablehlo.select %is_1, %y_zero, %y_any : tensor<48x162xi1>, tensor<48x162xf32>
  %y_2 = stablehlo.select %is_2, %y_all, %y_1 : tensor<48x162xi1>, tensor<48x162xf32>
  %y_3 = stablehlo.select %is_3, %y_low, %y_2 : tensor<48x162xi1>, tensor<48x162xf32>
  %y_4 = stablehlo.select %is_4, %y_nan, %y_3 : tensor<48x162xi1>, tensor<48x162xf32>
  %y = stablehlo.select %is_5, %y_with, %y_4 : tensor<48x162xi1>, tensor<48x162xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %greatest = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<48xf32>
  %max = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<48x162xf32>, tensor<f32>) -> tensor<48xf32>
  %min = stablehlo.reduce(%y init: %greatest) applies stablehlo.minimum across dimensions = [1] : (tensor<48x162xf32>, tensor<f32>) -> tensor<48xf32>
  %over_max = stablehlo.divide %one, %max : tensor<48xf32>
  %over_min = stablehlo.divide %one, %min : tensor<48xf32>
  return %max, %min, %over_max, %over_min : tensor<48xf32>, tensor<48xf32>, tensor<48xf32>, tensor<48xf32>
}
