// uniform: 1
func.func public @main(%x: tensor<i2>, %y: tensor<i2>, %a: tensor<5xui4>, %b: tensor<5xui4>, %u: tensor<0xbf16>, %v: tensor<9xbf16>, %w: tensor<9xbf16>) -> (tensor<i1>, tensor<5xi1>, tensor<0xi1>, tensor<9xi1>) {
  %0 = stablehlo.compare GT, %x, %y, SIGNED : (tensor<i2>, tensor<i2>) -> tensor<i1>
  %1 = stablehlo.compare NE, %a, %b, UNSIGNED : (tensor<5xui4>, tensor<5xui4>) -> tensor<5xi1>
  %2 = stablehlo.compare LE, %u, %u, TOTALORDER : (tensor<0xbf16>, tensor<0xbf16>) -> tensor<0xi1>
  %3 = stablehlo.compare GE, %v, %w, TOTALORDER : (tensor<9xbf16>, tensor<9xbf16>) -> tensor<9xi1>
  return %0, %1, %2, %3 : tensor<i1>, tensor<5xi1>, tensor<0xi1>, tensor<9xi1>
}
