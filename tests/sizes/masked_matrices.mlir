// sizes: x.0=4
// open: x.0=9
// Factorisations of matrices of open size: padding is an identity.
func.func public @main(%x: tensor<?x6xf32> loc("x")) -> (tensor<?x?xf32>, tensor<?x6xf32>) {
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x6xf32>) -> tensor<i32>
  %n = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %n, %n, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %i = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
  %j = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
  %same = stablehlo.compare EQ, %i, %j, SIGNED : (tensor<?x?xi32>, tensor<?x?xi32>) -> tensor<?x?xi1>
  %large = stablehlo.constant dense<8.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %eights = stablehlo.dynamic_broadcast_in_dim %large, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
  %zeros = stablehlo.dynamic_broadcast_in_dim %zero, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x?xf32>
  %diagonal = stablehlo.select %same, %eights, %zeros : tensor<?x?xi1>, tensor<?x?xf32>
  %s = stablehlo.sine %x : tensor<?x6xf32>
  %gram = stablehlo.dot_general %s, %s, contracting_dims = [1] x [1] : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x?xf32>
  %a = stablehlo.add %gram, %diagonal : tensor<?x?xf32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<?x?xf32>
  %c = stablehlo.cosine %x : tensor<?x6xf32>
  %1 = "stablehlo.triangular_solve"(%0, %c) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<?x?xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x6xf32>
}
