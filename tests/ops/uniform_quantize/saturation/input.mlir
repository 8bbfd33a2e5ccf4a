func.func public @main() -> (tensor<14x!quant.uniform<i8:f32, 0.05>>, tensor<14x!quant.uniform<i32:f32, 1.0e-9>>, tensor<14x!quant.uniform<u8<2:250>:f32, 0.05:17>>) {
  %x = stablehlo.constant dense<[-6.45, -6.4, -6.3, 6.3, 6.35, 6.4, 1.0e30, -1.0e30, 0.025, 0.075, -0.025, 0x7FC00000, 0x7F800000, 0xFF800000]> : tensor<14xf32>
  %0 = stablehlo.uniform_quantize %x : (tensor<14xf32>) -> tensor<14x!quant.uniform<i8:f32, 0.05>>
  %1 = stablehlo.uniform_quantize %x : (tensor<14xf32>) -> tensor<14x!quant.uniform<i32:f32, 1.0e-9>>
  %2 = stablehlo.uniform_quantize %x : (tensor<14xf32>) -> tensor<14x!quant.uniform<u8<2:250>:f32, 0.05:17>>
  return %0, %1, %2 : tensor<14x!quant.uniform<i8:f32, 0.05>>, tensor<14x!quant.uniform<i32:f32, 1.0e-9>>, tensor<14x!quant.uniform<u8<2:250>:f32, 0.05:17>>
}
