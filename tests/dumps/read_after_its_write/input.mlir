// A nest that reads an element once more behind the write of its new value: that must not lie in the same place.
func.func public @main(%arg: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %x = stablehlo.reverse %arg, dims = [0] : tensor<16xf32>
  %r = stablehlo.add %x, %x : tensor<16xf32>
  %s = stablehlo.reverse %r, dims = [0] : tensor<16xf32>
  %blocks = stablehlo.reshape %x : (tensor<16xf32>) -> tensor<4x4xf32>
  %turned = stablehlo.reverse %blocks, dims = [0] : tensor<4x4xf32>
  %t = stablehlo.reshape %turned : (tensor<4x4xf32>) -> tensor<16xf32>
  return %s, %t : tensor<16xf32>, tensor<16xf32>
}
