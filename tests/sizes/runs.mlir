// sizes: x.0=4,y.1=3
// every: x.0=70,y.1=9
// open: x.0=9,y.1=70
// Gathers at positions that follow each other, as slices backwards and with strides are written.
func.func public @main(%x: tensor<?xf32> loc("x"), %y: tensor<6x?xf32> loc("y")) -> (tensor<?xf32>, tensor<6x?xf32>, tensor<3x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %less = stablehlo.constant dense<-1> : tensor<i32>
  // x[::-1]
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %ns = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %n1 = stablehlo.concatenate %ns, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %last = stablehlo.add %n, %less : tensor<i32>
  %i = stablehlo.dynamic_iota %ns, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %steps = stablehlo.dynamic_broadcast_in_dim %less, %ns, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
  %down = stablehlo.multiply %steps, %i : tensor<?xi32>
  %lasts = stablehlo.dynamic_broadcast_in_dim %last, %ns, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
  %back = stablehlo.add %lasts, %down : tensor<?xi32>
  %up = stablehlo.reverse %back, dims = [0] : tensor<?xi32>
  %at = stablehlo.dynamic_broadcast_in_dim %up, %n1, dims = [0] : (tensor<?xi32>, tensor<2xi32>) -> tensor<?x1xi32>
  %g = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<?xf32>, tensor<?x1xi32>) -> tensor<?xf32>
  %0 = stablehlo.reverse %g, dims = [0] : tensor<?xf32>
  // y[::-1], y[1::2]
  %j = stablehlo.iota dim = 0 : tensor<6x1xi64>
  %m = stablehlo.get_dimension_size %y, dim = 1 : (tensor<6x?xf32>) -> tensor<i32>
  %ms = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %row = stablehlo.concatenate %one, %ms, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %h = "stablehlo.dynamic_gather"(%y, %j, %row) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<6x?xf32>, tensor<6x1xi64>, tensor<2xi32>) -> tensor<6x?xf32>
  %1 = stablehlo.reverse %h, dims = [0] : tensor<6x?xf32>
  %k = stablehlo.iota dim = 0 : tensor<3xi8>
  %k2 = stablehlo.add %k, %k : tensor<3xi8>
  %k1 = stablehlo.constant dense<1> : tensor<3xi8>
  %odd = stablehlo.add %k2, %k1 : tensor<3xi8>
  %2 = "stablehlo.dynamic_gather"(%y, %odd, %row) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<6x?xf32>, tensor<3xi8>, tensor<2xi32>) -> tensor<3x?xf32>
  // x[::2]; the same beyond the end, at the last element; positions that wrap around.
  %more = stablehlo.add %n, %two : tensor<i32>
  %most = stablehlo.add %more, %less : tensor<i32>
  %half = stablehlo.divide %most, %two : tensor<i32>
  %halves = stablehlo.reshape %half : (tensor<i32>) -> tensor<1xi32>
  %p = stablehlo.dynamic_iota %halves, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %twos = stablehlo.dynamic_broadcast_in_dim %two, %halves, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
  %even = stablehlo.multiply %p, %twos : tensor<?xi32>
  %3 = "stablehlo.gather"(%x, %even) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<?xf32>, tensor<?xi32>) -> tensor<?xf32>
  %beyond = stablehlo.add %even, %twos : tensor<?xi32>
  %4 = "stablehlo.gather"(%x, %beyond) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<?xf32>, tensor<?xi32>) -> tensor<?xf32>
  %narrow = stablehlo.convert %i : (tensor<?xi32>) -> tensor<?xi8>
  %double = stablehlo.add %narrow, %narrow : tensor<?xi8>
  %5 = "stablehlo.gather"(%x, %double) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>}> : (tensor<?xf32>, tensor<?xi8>) -> tensor<?xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<?xf32>, tensor<6x?xf32>, tensor<3x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}
