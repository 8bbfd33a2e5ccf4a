// sizes: x.0=3,y.0=4
// open: x.0=5 y.0=4
// every: x.0=5,y.0=4
// Slices with strides whose result types say how many elements they take.
func.func public @main(%x: tensor<?x5xi32> loc("x"), %y: tensor<?xi32> loc("y")) -> (tensor<?x3xi32>, tensor<?xi32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x5xi32>) -> tensor<i32>
  %ns = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %five = stablehlo.constant dense<5> : tensor<1xi32>
  %start = stablehlo.constant dense<0> : tensor<2xi32>
  %limit = stablehlo.concatenate %ns, %five, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %strides = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %part = stablehlo.real_dynamic_slice %x, %start, %limit, %strides : (tensor<?x5xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x3xi32>
  %sum = stablehlo.add %part, %part : tensor<?x3xi32>
  return %sum, %y : tensor<?x3xi32>, tensor<?xi32>
}
