func.func public @main(%x0: tensor<i32>, %x1: tensor<3x0xi16>, %x2: tensor<5xi4>, %x3: tensor<7xui2>) -> (tensor<i32>, tensor<3x0xi16>, tensor<5xi4>, tensor<7xui2>) {
  %0 = stablehlo.popcnt %x0 : tensor<i32>
  %1 = stablehlo.popcnt %x1 : tensor<3x0xi16>
  %2 = stablehlo.popcnt %x2 : tensor<5xi4>
  %3 = stablehlo.popcnt %x3 : tensor<7xui2>
  return %0, %1, %2, %3 : tensor<i32>, tensor<3x0xi16>, tensor<5xi4>, tensor<7xui2>
}
