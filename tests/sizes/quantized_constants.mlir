// every: x.0=9
// A quantized constant is repeated along an open size.
func.func public @main(%x: tensor<?x6x!quant.uniform<i8:f32, 0.5:25>> loc("x")) -> tensor<?x6x!quant.uniform<i8:f32, 0.5:25>> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x6x!quant.uniform<i8:f32, 0.5:25>>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %six = stablehlo.constant dense<6> : tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %six, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %c = stablehlo.constant() {value = dense<7> : tensor<i8>} : () -> tensor<!quant.uniform<i8:f32, 0.5:25>>
  %all = stablehlo.dynamic_broadcast_in_dim %c, %shape, dims = [] : (tensor<!quant.uniform<i8:f32, 0.5:25>>, tensor<2xi32>) -> tensor<?x6x!quant.uniform<i8:f32, 0.5:25>>
  %y = stablehlo.add %x, %all : tensor<?x6x!quant.uniform<i8:f32, 0.5:25>>
  return %y : tensor<?x6x!quant.uniform<i8:f32, 0.5:25>>
}
