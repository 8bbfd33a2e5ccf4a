func.func public @main(%x: tensor<9xf32>, %y: tensor<bf16>, %z: tensor<0x3xf64>) -> (tensor<9xi1>, tensor<i1>, tensor<0x3xi1>) {
  %0 = chlo.is_pos_inf %x : tensor<9xf32> -> tensor<9xi1>
  %1 = chlo.is_pos_inf %y : tensor<bf16> -> tensor<i1>
  %2 = chlo.is_pos_inf %z : tensor<0x3xf64> -> tensor<0x3xi1>
  return %0, %1, %2 : tensor<9xi1>, tensor<i1>, tensor<0x3xi1>
}
