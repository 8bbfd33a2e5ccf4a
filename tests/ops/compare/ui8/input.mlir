func.func public @main(%x: tensor<5xui8>, %y: tensor<5xui8>) -> tensor<5xi1> {
  %0 = stablehlo.compare GT, %x, %y, UNSIGNED : (tensor<5xui8>, tensor<5xui8>) -> tensor<5xi1>
  return %0 : tensor<5xi1>
}
