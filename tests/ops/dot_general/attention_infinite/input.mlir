// expect: schedule "attention 260x264"
// plain
// absolute: 1e-5
func.func public @main(%q: tensor<520x6xf32>, %k: tensor<528x6xf32>, %v: tensor<528x7xf32>) -> tensor<520x7xf32> {
  // 0 times infinity is NaN, also for hidden keys: column 2 of all rows that do not see key 500.
  %dot = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<520x6xf32>, tensor<528x6xf32>) -> tensor<520x528xf32>
  %by = stablehlo.constant dense<0.0625> : tensor<520x528xf32>
  %s = stablehlo.multiply %dot, %by : tensor<520x528xf32>
  %i = stablehlo.iota dim = 0 : tensor<520x528xi32>
  %j = stablehlo.iota dim = 1 : tensor<520x528xi32>
  %sees = stablehlo.compare GE, %i, %j, SIGNED : (tensor<520x528xi32>, tensor<520x528xi32>) -> tensor<520x528xi1>
  %fill = stablehlo.constant dense<-1.0e+38> : tensor<520x528xf32>
  %t = stablehlo.select %sees, %s, %fill : tensor<520x528xi1>, tensor<520x528xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%t init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<520x528xf32>, tensor<f32>) -> tensor<520xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<520xf32>) -> tensor<520x528xf32>
  %d = stablehlo.subtract %t, %mb : tensor<520x528xf32>
  %e = stablehlo.exponential %d : tensor<520x528xf32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<520x528xf32>, tensor<f32>) -> tensor<520xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0] : (tensor<520xf32>) -> tensor<520x528xf32>
  %p = stablehlo.divide %e, %lb : tensor<520x528xf32>
  %at = stablehlo.constant dense<3502> : tensor<3696xi32>
  %numbers = stablehlo.iota dim = 0 : tensor<3696xi32>
  %is = stablehlo.compare EQ, %numbers, %at, SIGNED : (tensor<3696xi32>, tensor<3696xi32>) -> tensor<3696xi1>
  %is2 = stablehlo.reshape %is : (tensor<3696xi1>) -> tensor<528x7xi1>
  %infinity = stablehlo.constant dense<0x7F800000> : tensor<528x7xf32>
  %v2 = stablehlo.select %is2, %infinity, %v : tensor<528x7xi1>, tensor<528x7xf32>
  %r = stablehlo.dot_general %p, %v2, contracting_dims = [1] x [0] : (tensor<520x528xf32>, tensor<528x7xf32>) -> tensor<520x7xf32>
  return %r : tensor<520x7xf32>
}
