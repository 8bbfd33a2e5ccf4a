// plain
func.func public @main(%x: tensor<9xf32>, %y: tensor<5xf32>) -> (tensor<9xf32>, tensor<5xf32>) {
  // The part that is updated and the one that is read behind it share one element.
  %c4 = stablehlo.constant dense<4> : tensor<i32>
  %base = stablehlo.reverse %x, dims = [0] : tensor<9xf32>
  %new = stablehlo.dynamic_update_slice %base, %y, %c4 : (tensor<9xf32>, tensor<5xf32>, tensor<i32>) -> tensor<9xf32>
  %old = stablehlo.slice %base [0:5] : (tensor<9xf32>) -> tensor<5xf32>
  %read = stablehlo.reverse %old, dims = [0] : tensor<5xf32>
  return %new, %read : tensor<9xf32>, tensor<5xf32>
}
