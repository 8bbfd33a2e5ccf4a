// absolute: 1e-4
func.func public @main(%x: tensor<5x6xf8E4M3FN>, %y: tensor<6x3xf8E5M2>) -> tensor<5x3xf32> {
  %a = stablehlo.constant dense<2.0> : tensor<f8E4M3FN>
  %b = stablehlo.constant dense<-2.0> : tensor<f8E4M3FN>
  %c = stablehlo.constant dense<2.0> : tensor<f8E5M2>
  %d = stablehlo.constant dense<-2.0> : tensor<f8E5M2>
  %l = stablehlo.clamp %b, %x, %a : (tensor<f8E4M3FN>, tensor<5x6xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<5x6xf8E4M3FN>
  %r = stablehlo.clamp %d, %y, %c : (tensor<f8E5M2>, tensor<6x3xf8E5M2>, tensor<f8E5M2>) -> tensor<6x3xf8E5M2>
  %0 = stablehlo.dot_general %l, %r, contracting_dims = [1] x [0] : (tensor<5x6xf8E4M3FN>, tensor<6x3xf8E5M2>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
