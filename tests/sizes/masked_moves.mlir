// sizes: x.0=3,x.1=5,y.0=2
// open: x.0=9 x.1=17 y.0=3
// Concatenations, padding, slices, and reshapes that keep elements where they are or move them.
func.func public @main(%x: tensor<?x?xf32> loc("x"), %y: tensor<?x4xf32> loc("y")) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<4x?xf32>, tensor<?x?xf32>, tensor<?x4xf32>) {
  %v = stablehlo.constant dense<7.0> : tensor<f32>
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %columns = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %fours = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %some = stablehlo.compare GE, %rows, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %rows) {error_message = "{0} rows", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %r = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.reshape %columns : (tensor<i32>) -> tensor<1xi32>
  %f = stablehlo.reshape %fours : (tensor<i32>) -> tensor<1xi32>
  %zero1 = stablehlo.constant dense<0> : tensor<1xi32>
  %one1 = stablehlo.constant dense<1> : tensor<1xi32>
  %two1 = stablehlo.constant dense<2> : tensor<1xi32>
  %four1 = stablehlo.constant dense<4> : tensor<1xi32>
  %0 = stablehlo.concatenate %x, %x, %x, dim = 0 : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %low = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
  %high = stablehlo.concatenate %two1, %r, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %inner = stablehlo.constant dense<[2, 0]> : tensor<2xi32>
  %1 = stablehlo.dynamic_pad %x, %v, %low, %high, %inner : (tensor<?x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %front = stablehlo.concatenate %r, %zero1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %nothing = stablehlo.constant dense<0> : tensor<2xi32>
  %2 = stablehlo.dynamic_pad %x, %v, %front, %nothing, %nothing : (tensor<?x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %count = stablehlo.multiply %r, %c : tensor<1xi32>
  %flat = stablehlo.dynamic_reshape %x, %count : (tensor<?x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  %3 = stablehlo.negate %flat : tensor<?xf32>
  %swapped = stablehlo.concatenate %c, %r, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %4 = stablehlo.dynamic_reshape %3, %swapped : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %turned = stablehlo.concatenate %four1, %f, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %5 = stablehlo.dynamic_reshape %y, %turned : (tensor<?x4xf32>, tensor<2xi32>) -> tensor<4x?xf32>
  %last = stablehlo.subtract %r, %one1 : tensor<1xi32>
  %start = stablehlo.concatenate %last, %zero1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %all = stablehlo.concatenate %r, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %step = stablehlo.constant dense<[1, 3]> : tensor<2xi32>
  %6 = stablehlo.real_dynamic_slice %x, %start, %all, %step : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %7 = stablehlo.concatenate %y, %y, dim = 0 : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>, tensor<4x?xf32>, tensor<?x?xf32>, tensor<?x4xf32>
}
