// every: x.0=40
// What is summed over has an open size: how many products there are is not known, and sums are those of numbers.
func.func public @main(%x: tensor<?x6xi8> loc("x")) -> tensor<6x6xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x6xi8>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %six = stablehlo.constant dense<6> : tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %six, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %step = stablehlo.constant dense<0.0371> : tensor<f32>
  %steps = stablehlo.dynamic_broadcast_in_dim %step, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x6xf32>
  %f = stablehlo.convert %x : (tensor<?x6xi8>) -> tensor<?x6xf32>
  %a = stablehlo.multiply %f, %steps : tensor<?x6xf32>
  %r = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<6x6xf32>
  return %r : tensor<6x6xf32>
}
