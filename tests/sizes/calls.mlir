// sizes: x.0=2
// sizes: x.0=6
// sizes: x.0=13
// Calls that stand for operations with computed attributes.
func.func public @main(%x: tensor<?x5xf32> loc("x"), %state: tensor<2xui64>) -> (tensor<?x5xf32>, tensor<5x?xf32>, tensor<5x?xi32>, tensor<?x2xui32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x5xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c0 = stablehlo.constant dense<0> : tensor<1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %window = stablehlo.concatenate %rows, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %before = stablehlo.subtract %rows, %c1 : tensor<1xi32>
  %pads = stablehlo.concatenate %before, %c0, %c0, %c0, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %padding = stablehlo.reshape %pads : (tensor<4xi32>) -> tensor<2x2xi32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %ones, %ones, %ones, %padding) {called_computations = [@sum]} : (tensor<?x5xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x5xf32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x5xf32>) -> tensor<5x?xf32>
  %half = stablehlo.divide %n, %two : tensor<i32>
  %k = stablehlo.maximum %half, %one : tensor<i32>
  %1:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%t, %k) : (tensor<5x?xf32>, tensor<i32>) -> (tensor<5x?xf32>, tensor<5x?xi32>)
  %shape = stablehlo.concatenate %rows, %c2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %2:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%state, %shape) {rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : (tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<?x2xui32>)
  return %0, %1#0, %1#1, %2#1 : tensor<?x5xf32>, tensor<5x?xf32>, tensor<5x?xi32>, tensor<?x2xui32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
