// uniform: 3
func.func public @main(%x0: tensor<i32>, %y0: tensor<i32>, %x1: tensor<3x0xi16>, %y1: tensor<3x0xi16>, %x2: tensor<5xi4>, %y2: tensor<5xi4>, %x3: tensor<7xui2>, %y3: tensor<7xui2>, %x4: tensor<i1>, %y4: tensor<i1>) -> (tensor<i32>, tensor<3x0xi16>, tensor<5xi4>, tensor<7xui2>, tensor<i1>) {
  %0 = stablehlo.or %x0, %y0 : tensor<i32>
  %1 = stablehlo.or %x1, %y1 : tensor<3x0xi16>
  %2 = stablehlo.or %x2, %y2 : tensor<5xi4>
  %3 = stablehlo.or %x3, %y3 : tensor<7xui2>
  %4 = stablehlo.or %x4, %y4 : tensor<i1>
  return %0, %1, %2, %3, %4 : tensor<i32>, tensor<3x0xi16>, tensor<5xi4>, tensor<7xui2>, tensor<i1>
}
