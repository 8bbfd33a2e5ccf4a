func.func public @main(%x: tensor<7xui64>, %y: tensor<7xui64>) -> tensor<7xui64> {
  %0 = chlo.mulhi %x, %y : tensor<7xui64>, tensor<7xui64> -> tensor<7xui64>
  return %0 : tensor<7xui64>
}
