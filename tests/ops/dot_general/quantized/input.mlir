// uniform: 2
func.func public @main(%a: tensor<9x37x!quant.uniform<i8:f32, 0.05:-3>>, %b: tensor<37x5x!quant.uniform<i8:f32:1, {0.02, 0.5, 0.001, 0.1, 0.3}>>, %c: tensor<2x6x35x!quant.uniform<u8:f32, 0.1:131>>, %d: tensor<2x35x17x!quant.uniform<i8:f32, 0.1>>, %e: tensor<3x0x!quant.uniform<i8:f32, 0.05:-3>>, %f: tensor<0x2x!quant.uniform<i8:f32, 0.1>>, %g: tensor<1x21x!quant.uniform<i4:f32, 0.1:2>>, %h: tensor<8x21x!quant.uniform<i4:f32, 0.5>>) -> (tensor<9x5x!quant.uniform<i8:f32, 2.0:1>>, tensor<2x6x17x!quant.uniform<i32:f32, 0.01>>, tensor<3x2x!quant.uniform<i8:f32, 0.05:-3>>, tensor<1x8xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<9x37x!quant.uniform<i8:f32, 0.05:-3>>, tensor<37x5x!quant.uniform<i8:f32:1, {0.02, 0.5, 0.001, 0.1, 0.3}>>) -> tensor<9x5x!quant.uniform<i8:f32, 2.0:1>>
  %1 = stablehlo.dot_general %c, %d, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x6x35x!quant.uniform<u8:f32, 0.1:131>>, tensor<2x35x17x!quant.uniform<i8:f32, 0.1>>) -> tensor<2x6x17x!quant.uniform<i32:f32, 0.01>>
  %2 = stablehlo.dot_general %e, %f, contracting_dims = [1] x [0] : (tensor<3x0x!quant.uniform<i8:f32, 0.05:-3>>, tensor<0x2x!quant.uniform<i8:f32, 0.1>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.05:-3>>
  %3 = stablehlo.dot_general %g, %h, contracting_dims = [1] x [1] : (tensor<1x21x!quant.uniform<i4:f32, 0.1:2>>, tensor<8x21x!quant.uniform<i4:f32, 0.5>>) -> tensor<1x8x!quant.uniform<i32:f32, 0.001>>
  %4 = stablehlo.uniform_dequantize %3 : (tensor<1x8x!quant.uniform<i32:f32, 0.001>>) -> tensor<1x8xf32>
  return %0, %1, %2, %4 : tensor<9x5x!quant.uniform<i8:f32, 2.0:1>>, tensor<2x6x17x!quant.uniform<i32:f32, 0.01>>, tensor<3x2x!quant.uniform<i8:f32, 0.05:-3>>, tensor<1x8xf32>
}
