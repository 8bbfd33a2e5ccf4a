func.func public @main(%x: tensor<13x27xi8>, %y: tensor<27x21xi8>, %u: tensor<13x27xui8>, %v: tensor<21x27xui8>, %b: tensor<3x9x36xi8>, %c: tensor<3x36x8xi8>)
    -> (tensor<13x21xi32>, tensor<13x21xi32>, tensor<13x21xui32>, tensor<13x21xi32>, tensor<3x9x8xi32>) {
  // Each pair of signs, a sum that does not fill its last lane, operands of both orders, a batch; the right operand is shifted
  // where the instruction multiplies bytes with a sign by bytes without one.
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<13x27xi8>, tensor<27x21xi8>) -> tensor<13x21xi32>
  %1 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [1] : (tensor<13x27xi8>, tensor<21x27xui8>) -> tensor<13x21xi32>
  %2 = stablehlo.dot_general %u, %v, contracting_dims = [1] x [1] : (tensor<13x27xui8>, tensor<21x27xui8>) -> tensor<13x21xui32>
  %3 = stablehlo.dot_general %u, %y, contracting_dims = [1] x [0] : (tensor<13x27xui8>, tensor<27x21xi8>) -> tensor<13x21xi32>
  %4 = stablehlo.dot_general %b, %c, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x9x36xi8>, tensor<3x36x8xi8>) -> tensor<3x9x8xi32>
  return %0, %1, %2, %3, %4 : tensor<13x21xi32>, tensor<13x21xi32>, tensor<13x21xui32>, tensor<13x21xi32>, tensor<3x9x8xi32>
}
