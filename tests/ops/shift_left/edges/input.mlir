// range: -1 9
func.func public @main(%x0: tensor<i32>, %y0: tensor<i32>, %x1: tensor<3x0xi16>, %y1: tensor<3x0xi16>, %x2: tensor<5xi4>, %y2: tensor<5xi4>, %x3: tensor<7xui2>, %y3: tensor<7xui2>) -> (tensor<i32>, tensor<3x0xi16>, tensor<5xi4>, tensor<7xui2>) {
  %0 = stablehlo.shift_left %x0, %y0 : tensor<i32>
  %1 = stablehlo.shift_left %x1, %y1 : tensor<3x0xi16>
  %2 = stablehlo.shift_left %x2, %y2 : tensor<5xi4>
  %3 = stablehlo.shift_left %x3, %y3 : tensor<7xui2>
  return %0, %1, %2, %3 : tensor<i32>, tensor<3x0xi16>, tensor<5xi4>, tensor<7xui2>
}
