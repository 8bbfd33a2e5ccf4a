// sizes: x.0=3
// sizes: x.0=6
// beyond: x.0=8 its window has an open size, and its initial value is not known to be neutral
// A running sum that starts with 1.5 meets it once more for each element before the first.
func.func public @main(%x: tensor<?x5xf32> loc("x")) -> tensor<?x5xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x5xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c0 = stablehlo.constant dense<0> : tensor<1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %start = stablehlo.constant dense<1.5> : tensor<f32>
  %window = stablehlo.concatenate %rows, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %before = stablehlo.subtract %rows, %c1 : tensor<1xi32>
  %pads = stablehlo.concatenate %before, %c0, %c0, %c0, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %padding = stablehlo.reshape %pads : (tensor<4xi32>) -> tensor<2x2xi32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %start, %window, %ones, %ones, %ones, %padding) {called_computations = [@sum]} : (tensor<?x5xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
