func.func public @main(%x: tensor<7xui8>, %y: tensor<3x5xbf16>, %z: tensor<0x5xf32>) -> (tensor<3xui8>, tensor<3xi32>, tensor<3x0xbf16>, tensor<3x0xi32>, tensor<0x2xf32>, tensor<0x2xi32>) {
  %0, %1 = chlo.top_k(%x, k = 3) : tensor<7xui8> -> (tensor<3xui8>, tensor<3xi32>)
  %2, %3 = chlo.top_k(%y, k = 0) : tensor<3x5xbf16> -> (tensor<3x0xbf16>, tensor<3x0xi32>)
  %4, %5 = chlo.top_k(%z, k = 2) : tensor<0x5xf32> -> (tensor<0x2xf32>, tensor<0x2xi32>)
  return %0, %1, %2, %3, %4, %5 : tensor<3xui8>, tensor<3xi32>, tensor<3x0xbf16>, tensor<3x0xi32>, tensor<0x2xf32>, tensor<0x2xi32>
}
