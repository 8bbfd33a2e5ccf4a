func.func public @main(%x: tensor<5x7xui2>) -> tensor<7xui2> {
  %z = stablehlo.constant dense<1> : tensor<ui2>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<5x7xui2>, tensor<ui2>) -> tensor<7xui2>
  return %0 : tensor<7xui2>
}
