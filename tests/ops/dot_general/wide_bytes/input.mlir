func.func public @main(%a: tensor<64x257xui8>, %b: tensor<257x65xui8>, %c: tensor<65x3xi8>) -> (tensor<64x65xui32>, tensor<64x65xi32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x257xui8>, tensor<257x65xui8>) -> tensor<64x65xui32>
  %1 = stablehlo.slice %a [0:64, 0:3] : (tensor<64x257xui8>) -> tensor<64x3xui8>
  %2 = stablehlo.dot_general %1, %c, contracting_dims = [1] x [1] : (tensor<64x3xui8>, tensor<65x3xi8>) -> tensor<64x65xi32>
  return %0, %2 : tensor<64x65xui32>, tensor<64x65xi32>
}
