// sizes: x.0=3,y.0=4
// open: x.0=5 y.0=4
// every: x.0=5,y.0=4
// A part of an output that is filled, overwritten in part through another view, and read: its elements are not all the number that
// it was filled with.
func.func public @main(%x: tensor<?xi8> loc("x"), %y: tensor<?xi8> loc("y")) -> (tensor<?xi8>, tensor<?xi8>) {
  %one = stablehlo.constant dense<1> : tensor<i8>
  %padded = stablehlo.pad %x, %one, low = [0], high = [1], interior = [0] : (tensor<?xi8>, tensor<i8>) -> tensor<?xi8>
  %squares = stablehlo.multiply %padded, %padded : tensor<?xi8>
  %both = stablehlo.concatenate %x, %squares, dim = 0 : (tensor<?xi8>, tensor<?xi8>) -> tensor<?xi8>
  return %both, %y : tensor<?xi8>, tensor<?xi8>
}
