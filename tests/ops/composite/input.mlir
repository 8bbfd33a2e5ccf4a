func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.composite "my.double" %x {decomposition = @double} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func private @double(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %x, %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
