// sizes: x.0=3,x.1=5
// open: x.0=17 x.1=33
// Rows of 12 that two nests select with one mask: vectors of one of them must not begin earlier where those of the mask do not.
func.func public @main(%x: tensor<?x?xf32> loc("x")) -> tensor<?xf32> {
  %seven = stablehlo.constant dense<7.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = stablehlo.reduce(%0 init: %seven) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
