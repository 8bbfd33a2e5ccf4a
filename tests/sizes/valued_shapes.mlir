// sizes:
// Results whose shape is a value, in types that say how large they are at most.
func.func public @main(%n: tensor<1xi32>, %x: tensor<3x6xf32>, %shape: tensor<2xi64>, %limits: tensor<2xi32>)
    -> (tensor<?xi32, #stablehlo.bounds<5>>, tensor<?x6xf32, #stablehlo.bounds<4, ?>>, tensor<3x?xf32, #stablehlo.bounds<?, 6>>,
        tensor<?x?xf32, #stablehlo.bounds<3, 8>>, tensor<f32>) {
  %count = stablehlo.dynamic_iota %n, dim = 0 : (tensor<1xi32>) -> tensor<?xi32, #stablehlo.bounds<5>>
  %six = stablehlo.constant dense<6> : tensor<1xi32>
  %wide = stablehlo.concatenate %n, %six, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %row = stablehlo.slice %x [0:1, 0:6] : (tensor<3x6xf32>) -> tensor<1x6xf32>
  %rows = stablehlo.dynamic_broadcast_in_dim %row, %wide, dims = [0, 1] : (tensor<1x6xf32>, tensor<2xi32>) -> tensor<?x6xf32, #stablehlo.bounds<4, ?>>
  %starts = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %steps = stablehlo.constant dense<1> : tensor<2xi32>
  %part = stablehlo.real_dynamic_slice %x, %starts, %limits, %steps : (tensor<3x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<3x?xf32, #stablehlo.bounds<?, 6>>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %filled = stablehlo.dynamic_broadcast_in_dim %half, %shape, dims = [] : (tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32, #stablehlo.bounds<3, 8>>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%filled init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x?xf32, #stablehlo.bounds<3, 8>>, tensor<f32>) -> tensor<f32>
  return %count, %rows, %part, %filled, %sum : tensor<?xi32, #stablehlo.bounds<5>>, tensor<?x6xf32, #stablehlo.bounds<4, ?>>, tensor<3x?xf32, #stablehlo.bounds<?, 6>>, tensor<?x?xf32, #stablehlo.bounds<3, 8>>, tensor<f32>
}
