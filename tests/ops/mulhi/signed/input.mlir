func.func public @main(%x: tensor<7xi64>, %y: tensor<7xi64>) -> tensor<7xi64> {
  %0 = chlo.mulhi %x, %y : tensor<7xi64>, tensor<7xi64> -> tensor<7xi64>
  return %0 : tensor<7xi64>
}
