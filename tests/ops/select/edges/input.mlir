func.func public @main(%p: tensor<i1>, %x: tensor<5xui4>, %y: tensor<5xui4>, %a: tensor<f8E5M2>, %b: tensor<f8E5M2>, %z: tensor<0xi1>, %u: tensor<0xf64>, %v: tensor<0xf64>) -> (tensor<5xui4>, tensor<f8E5M2>, tensor<0xf64>) {
  %0 = stablehlo.select %p, %x, %y : tensor<i1>, tensor<5xui4>
  %1 = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f8E5M2>
  %2 = stablehlo.select %z, %u, %v : tensor<0xi1>, tensor<0xf64>
  return %0, %1, %2 : tensor<5xui4>, tensor<f8E5M2>, tensor<0xf64>
}
