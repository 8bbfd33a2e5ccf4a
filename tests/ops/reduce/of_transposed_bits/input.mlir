func.func public @main(%x: tensor<72x55xui8>, %y: tensor<9x55xui8>) -> (tensor<9x55xui8>, tensor<72x55xui8>) {
  // Bits along columns, as jnp.packbits and jnp.unpackbits write them.
  %zero = stablehlo.constant dense<0> : tensor<72x55xui8>
  %p = stablehlo.compare NE, %x, %zero : (tensor<72x55xui8>, tensor<72x55xui8>) -> tensor<72x55xi1>
  %b = stablehlo.convert %p : (tensor<72x55xi1>) -> tensor<72x55xui8>
  %places = stablehlo.iota dim = 0 : tensor<8xui8>
  %down = stablehlo.reverse %places, dims = [0] : tensor<8xui8>
  %t = stablehlo.transpose %b, dims = [1, 0] : (tensor<72x55xui8>) -> tensor<55x72xui8>
  %r = stablehlo.reshape %t : (tensor<55x72xui8>) -> tensor<55x9x8xui8>
  %s = stablehlo.broadcast_in_dim %down, dims = [2] : (tensor<8xui8>) -> tensor<55x9x8xui8>
  %bits = stablehlo.shift_left %r, %s : tensor<55x9x8xui8>
  %wide = stablehlo.convert %bits : (tensor<55x9x8xui8>) -> tensor<55x9x8xui32>
  %start = stablehlo.constant dense<0> : tensor<ui32>
  %sum = stablehlo.reduce(%wide init: %start) applies stablehlo.add across dimensions = [2] : (tensor<55x9x8xui32>, tensor<ui32>) -> tensor<55x9xui32>
  %narrow = stablehlo.convert %sum : (tensor<55x9xui32>) -> tensor<55x9xui8>
  %packed = stablehlo.transpose %narrow, dims = [1, 0] : (tensor<55x9xui8>) -> tensor<9x55xui8>

  %one = stablehlo.constant dense<1> : tensor<8xui8>
  %masks = stablehlo.shift_left %one, %down : tensor<8xui8>
  %yt = stablehlo.transpose %y, dims = [1, 0] : (tensor<9x55xui8>) -> tensor<55x9xui8>
  %ys = stablehlo.broadcast_in_dim %yt, dims = [0, 1] : (tensor<55x9xui8>) -> tensor<55x9x8xui8>
  %ms = stablehlo.broadcast_in_dim %masks, dims = [2] : (tensor<8xui8>) -> tensor<55x9x8xui8>
  %and = stablehlo.and %ys, %ms : tensor<55x9x8xui8>
  %none = stablehlo.constant dense<0> : tensor<55x9x8xui8>
  %set = stablehlo.compare GT, %and, %none : (tensor<55x9x8xui8>, tensor<55x9x8xui8>) -> tensor<55x9x8xi1>
  %ones = stablehlo.convert %set : (tensor<55x9x8xi1>) -> tensor<55x9x8xui8>
  %line = stablehlo.reshape %ones : (tensor<55x9x8xui8>) -> tensor<55x72xui8>
  %unpacked = stablehlo.transpose %line, dims = [1, 0] : (tensor<55x72xui8>) -> tensor<72x55xui8>
  return %packed, %unpacked : tensor<9x55xui8>, tensor<72x55xui8>
}
