// uniform: 3
func.func public @main(%x: tensor<37xf32>, %y: tensor<37xf32>, %u: tensor<9xf64>, %v: tensor<9xf64>, %s: tensor<11xbf16>, %t: tensor<11xbf16>)
    -> (tensor<37xf32>, tensor<9xf64>, tensor<11xbf16>, tensor<f32>, tensor<37xf32>) {
  // Zeros of both signs: -0 is below 0, which division shows.
  %zero = stablehlo.constant dense<0.0> : tensor<37xf32>
  %one = stablehlo.constant dense<1.0> : tensor<37xf32>
  %x0 = stablehlo.multiply %x, %zero : tensor<37xf32>
  %y0 = stablehlo.multiply %y, %zero : tensor<37xf32>
  %0 = stablehlo.maximum %x0, %y0 : tensor<37xf32>
  %1 = stablehlo.divide %one, %0 : tensor<37xf32>
  %wide = stablehlo.constant dense<0.0> : tensor<9xf64>
  %ones = stablehlo.constant dense<1.0> : tensor<9xf64>
  %u0 = stablehlo.multiply %u, %wide : tensor<9xf64>
  %v0 = stablehlo.multiply %v, %wide : tensor<9xf64>
  %2 = stablehlo.maximum %u0, %v0 : tensor<9xf64>
  %3 = stablehlo.divide %ones, %2 : tensor<9xf64>
  %narrow = stablehlo.constant dense<0.0> : tensor<11xbf16>
  %units = stablehlo.constant dense<1.0> : tensor<11xbf16>
  %s0 = stablehlo.multiply %s, %narrow : tensor<11xbf16>
  %t0 = stablehlo.multiply %t, %narrow : tensor<11xbf16>
  %4 = stablehlo.maximum %s0, %t0 : tensor<11xbf16>
  %5 = stablehlo.divide %units, %4 : tensor<11xbf16>
  // As a reduction, and with a constant on either side.
  %first = stablehlo.constant dense<-0.0> : tensor<f32>
  %6 = stablehlo.reduce(%y0 init: %first) applies stablehlo.maximum across dimensions = [0] : (tensor<37xf32>, tensor<f32>) -> tensor<f32>
  %unit = stablehlo.constant dense<1.0> : tensor<f32>
  %7 = stablehlo.divide %unit, %6 : tensor<f32>
  %8 = stablehlo.maximum %zero, %x0 : tensor<37xf32>
  %9 = stablehlo.divide %one, %8 : tensor<37xf32>
  return %1, %3, %5, %7, %9 : tensor<37xf32>, tensor<9xf64>, tensor<11xbf16>, tensor<f32>, tensor<37xf32>
}
