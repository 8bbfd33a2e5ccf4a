// plain
// uniform: 0 1 2 3
func.func public @main(%x: tensor<7xf32>, %h: tensor<7xbf16>) -> (tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xbf16>) {
  // -0 + 0 is +0: only -0 is neutral to an addition, and only +0 to what is subtracted.
  %zero = stablehlo.constant dense<0.0> : tensor<7xf32>
  %minus = stablehlo.constant dense<-0.0> : tensor<7xf32>
  %narrow = stablehlo.constant dense<0.0> : tensor<7xbf16>
  %signed = stablehlo.multiply %x, %zero : tensor<7xf32>
  %small = stablehlo.multiply %h, %narrow : tensor<7xbf16>
  %a = stablehlo.add %signed, %zero : tensor<7xf32>
  %b = stablehlo.add %minus, %signed : tensor<7xf32>
  %c = stablehlo.subtract %signed, %minus : tensor<7xf32>
  %d = stablehlo.add %narrow, %small : tensor<7xbf16>
  return %a, %b, %c, %d : tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xbf16>
}
