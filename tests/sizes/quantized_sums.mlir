// every: x.0=21
// Sums over an open size of quantized values whose zero points are not zero: integers that a call does not have mean zero.
func.func public @main(%x: tensor<?x5x!quant.uniform<i8:f32, 0.05:-3>> loc("x")) -> (tensor<5x5xf32>, tensor<5x5x!quant.uniform<i8:f32, 0.05:-3>>) {
  %d = stablehlo.uniform_dequantize %x : (tensor<?x5x!quant.uniform<i8:f32, 0.05:-3>>) -> tensor<?x5xf32>
  %e = stablehlo.cosine %d : tensor<?x5xf32>
  %v = stablehlo.uniform_quantize %e : (tensor<?x5xf32>) -> tensor<?x5x!quant.uniform<i8:f32, 0.02>>
  %a = stablehlo.dot_general %x, %v, contracting_dims = [0] x [0] : (tensor<?x5x!quant.uniform<i8:f32, 0.05:-3>>, tensor<?x5x!quant.uniform<i8:f32, 0.02>>) -> tensor<5x5x!quant.uniform<i32:f32, 0.001>>
  %b = stablehlo.uniform_dequantize %a : (tensor<5x5x!quant.uniform<i32:f32, 0.001>>) -> tensor<5x5xf32>
  %c = stablehlo.uniform_quantize %a : (tensor<5x5x!quant.uniform<i32:f32, 0.001>>) -> tensor<5x5x!quant.uniform<i8:f32, 0.05:-3>>
  return %b, %c : tensor<5x5xf32>, tensor<5x5x!quant.uniform<i8:f32, 0.05:-3>>
}
