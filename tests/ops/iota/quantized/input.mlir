func.func public @main() -> (tensor<9x!quant.uniform<i8:f32, 0.05:-3>>, tensor<2x5x!quant.uniform<u8:f32, 3.0:250>>) {
  %0 = stablehlo.iota dim = 0 : tensor<9x!quant.uniform<i8:f32, 0.05:-3>>
  %1 = stablehlo.iota dim = 1 : tensor<2x5x!quant.uniform<u8:f32, 3.0:250>>
  return %0, %1 : tensor<9x!quant.uniform<i8:f32, 0.05:-3>>, tensor<2x5x!quant.uniform<u8:f32, 3.0:250>>
}
