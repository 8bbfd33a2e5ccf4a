// sizes: x.0=3
// every: x.0=140
// open: x.0=200
// The size as an `i8` wraps around from 128 on, as the program of the size has it: positions are what they are, and no shape follows from it.
func.func public @main(%x: tensor<?x3xf32> loc("x"), %i: tensor<5xi8>) -> (tensor<5x3xf32>, tensor<i8>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %narrow = stablehlo.convert %n : (tensor<i32>) -> tensor<i8>
  %zero = stablehlo.constant dense<0> : tensor<5xi8>
  %size = stablehlo.broadcast_in_dim %narrow, dims = [] : (tensor<i8>) -> tensor<5xi8>
  %before = stablehlo.compare LT, %i, %zero, SIGNED : (tensor<5xi8>, tensor<5xi8>) -> tensor<5xi1>
  %back = stablehlo.add %i, %size : tensor<5xi8>
  %at = stablehlo.select %before, %back, %i : tensor<5xi1>, tensor<5xi8>
  %wide = stablehlo.convert %at : (tensor<5xi8>) -> tensor<5xi32>
  %places = stablehlo.reshape %wide : (tensor<5xi32>) -> tensor<5x1xi32>
  %rows = "stablehlo.gather"(%x, %places) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<?x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  return %rows, %narrow : tensor<5x3xf32>, tensor<i8>
}
