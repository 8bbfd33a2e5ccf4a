// sizes: x.0=4, x.1=5, y.0=5
// open: x.0=19, x.1=7, y.0=20
// Two rows from places on that leave room for them, of two open dimensions: the extrema in their start and their end do not cancel each
// other. A running maximum whose window's size is another expression than that of its values.
func.func public @main(%x: tensor<?x?xi32> loc("x"), %y: tensor<?xi32> loc("y")) -> (tensor<2x?xi32>, tensor<2x?xi32>, tensor<?xi32>, tensor<?xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %each = stablehlo.constant dense<1> : tensor<2xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %r = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xi32>) -> tensor<i32>
  %c = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xi32>) -> tensor<i32>
  %least = stablehlo.constant dense<2> : tensor<i32>
  %there = stablehlo.compare GE, %r, %least : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%there) {has_side_effect = true} : (tensor<i1>) -> ()
  %rows = stablehlo.reshape %r : (tensor<i32>) -> tensor<1xi32>
  %columns = stablehlo.reshape %c : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %taken = stablehlo.concatenate %two, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %room = stablehlo.subtract %shape, %taken : tensor<2xi32>
  %last = stablehlo.subtract %rows, %one : tensor<1xi32>
  %place = stablehlo.concatenate %last, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %start = stablehlo.clamp %zero, %place, %room : tensor<2xi32>
  %end = stablehlo.add %start, %taken : tensor<2xi32>
  %0 = stablehlo.real_dynamic_slice %x, %start, %end, %each : (tensor<?x?xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x?xi32>
  %before = stablehlo.subtract %rows, %two : tensor<1xi32>
  %place.before = stablehlo.concatenate %before, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %start.before = stablehlo.clamp %zero, %place.before, %room : tensor<2xi32>
  %end.before = stablehlo.add %taken, %start.before : tensor<2xi32>
  %1 = stablehlo.real_dynamic_slice %x, %start.before, %end.before, %each : (tensor<?x?xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x?xi32>
  %s = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xi32>) -> tensor<i32>
  %single = stablehlo.constant dense<1> : tensor<i32>
  %some = stablehlo.compare GE, %s, %single : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some) {has_side_effect = true} : (tensor<i1>) -> ()
  %size = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
  %half = stablehlo.divide %size, %two : tensor<1xi32>
  %upper = stablehlo.real_dynamic_slice %y, %half, %size, %one : (tensor<?xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %2 = stablehlo.add %upper, %upper : tensor<?xi32>
  %even = stablehlo.real_dynamic_slice %y, %none, %size, %two : (tensor<?xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xi32>
  %more = stablehlo.add %size, %one : tensor<1xi32>
  %window = stablehlo.divide %more, %two : tensor<1xi32>
  %low = stablehlo.subtract %window, %one : tensor<1xi32>
  %edges = stablehlo.concatenate %low, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %padding = stablehlo.reshape %edges : (tensor<2xi32>) -> tensor<1x2xi32>
  %smallest = stablehlo.constant dense<-2147483648> : tensor<i32>
  %3 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%even, %smallest, %window, %one, %one, %one, %padding) {called_computations = [@larger]} : (tensor<?xi32>, tensor<i32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xi32>
  return %0, %1, %2, %3 : tensor<2x?xi32>, tensor<2x?xi32>, tensor<?xi32>, tensor<?xi32>
}

func.func private @larger(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.maximum %a, %b : tensor<i32>
  return %0 : tensor<i32>
}
