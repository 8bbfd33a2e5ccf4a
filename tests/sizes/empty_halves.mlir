// every: x.0=5
// every: x.0=1
// every: x.0=3
// Half of one element is none: reductions of it have no loop to end.
func.func public @main(%x: tensor<?xi32> loc("x")) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %half = stablehlo.divide %n, %two : tensor<i32>
  %start = stablehlo.constant dense<0> : tensor<1xi32>
  %step = stablehlo.constant dense<1> : tensor<1xi32>
  %end = stablehlo.reshape %half : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.real_dynamic_slice %x, %start, %end, %step : (tensor<?xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.xor across dimensions = [0] : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
  %2 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
  %3 = stablehlo.reduce(%0 init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<?xi32>, tensor<i32>) -> tensor<i32>
  return %1, %2, %3 : tensor<i32>, tensor<i32>, tensor<i32>
}
