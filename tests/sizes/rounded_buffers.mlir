// every: x.0=2,y.0=17,z.0=5
// Sizes that up to the bounds are simpler ones: `floordiv(x + 2, 4)` is `floordiv(x, 2)` up to 2, `min(z, 5)` is `z` up to 5. Buffers are not made
// rounder where these are other ones.
func.func public @main(%x: tensor<?xf64> loc("x"), %y: tensor<?xi8> loc("y"), %z: tensor<?xf32> loc("z")) -> (tensor<?xf64>, tensor<?xi8>, tensor<?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf64>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %z, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %start = stablehlo.constant dense<0> : tensor<1xi32>
  %each = stablehlo.constant dense<1> : tensor<1xi32>
  %second = stablehlo.constant dense<2> : tensor<1xi32>
  %half = stablehlo.divide %n, %two : tensor<i32>
  %few = stablehlo.minimum %m, %five : tensor<i32>
  %to_half = stablehlo.reshape %half : (tensor<i32>) -> tensor<1xi32>
  %to_few = stablehlo.reshape %few : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %x, %start, %to_half, %second : (tensor<?xf64>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf64>
  %1 = stablehlo.concatenate %y, %y, dim = 0 : (tensor<?xi8>, tensor<?xi8>) -> tensor<?xi8>
  %2 = stablehlo.real_dynamic_slice %z, %start, %to_few, %each : (tensor<?xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<?xf64>, tensor<?xi8>, tensor<?xf32>
}
