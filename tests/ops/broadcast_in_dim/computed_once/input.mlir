// ulp: 4

// What is the same along a dimension, after slices and reshapes, too, and along both.
func.func public @main(%a: tensor<37x41xf32>, %x: tensor<41x2xf32>, %y: tensor<37x1xf32>, %z: tensor<f32>) -> (tensor<37x41xf32>, tensor<37x41xi1>, tensor<37x41xf32>, tensor<37x41xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<37x41xf32>
  %p = stablehlo.broadcast_in_dim %x, dims = [1, 2] : (tensor<41x2xf32>) -> tensor<37x41x2xf32>
  %q = stablehlo.slice %p [0:37, 0:41, 0:1] : (tensor<37x41x2xf32>) -> tensor<37x41x1xf32>
  %r = stablehlo.slice %p [0:37, 0:41, 1:2] : (tensor<37x41x2xf32>) -> tensor<37x41x1xf32>
  %s = stablehlo.reshape %q : (tensor<37x41x1xf32>) -> tensor<37x41xf32>
  %t = stablehlo.reshape %r : (tensor<37x41x1xf32>) -> tensor<37x41xf32>
  %u = stablehlo.divide %s, %t : tensor<37x41xf32>
  %v = stablehlo.floor %u : tensor<37x41xf32>
  %w = stablehlo.sqrt %v : tensor<37x41xf32>
  %c = stablehlo.compare LT, %w, %one : (tensor<37x41xf32>, tensor<37x41xf32>) -> tensor<37x41xi1>
  %0 = stablehlo.select %c, %a, %w : tensor<37x41xi1>, tensor<37x41xf32>
  %columns = stablehlo.broadcast_in_dim %y, dims = [0, 1] : (tensor<37x1xf32>) -> tensor<37x41xf32>
  %e = stablehlo.negate %columns : tensor<37x41xf32>
  %f = stablehlo.tanh %e : tensor<37x41xf32>
  %1 = stablehlo.multiply %f, %u : tensor<37x41xf32>
  %number = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<37x41xf32>
  %g = stablehlo.logistic %number : tensor<37x41xf32>
  %2 = stablehlo.multiply %g, %f : tensor<37x41xf32>
  return %0, %c, %1, %2 : tensor<37x41xf32>, tensor<37x41xi1>, tensor<37x41xf32>, tensor<37x41xf32>
}
