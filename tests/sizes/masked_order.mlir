// sizes: x.0=6,x.1=4
// open: x.0=17 x.1=9
// Sorts with a payload, reversal, positions of extrema and running sums along dimensions of open size.
func.func public @main(%x: tensor<?x?xf32> loc("x")) -> (tensor<?x?xf32>, tensor<?x?xi32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<?x?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %columns = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %least = stablehlo.constant dense<1> : tensor<i32>
  %some = stablehlo.compare GE, %rows, %least, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %rows) {error_message = "{0} rows", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %r = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %c = stablehlo.reshape %columns : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %r, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %place = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
  %0:2 = "stablehlo.sort"(%x, %place) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
      %more = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<?x?xf32>, tensor<?x?xi32>) -> (tensor<?x?xf32>, tensor<?x?xi32>)
  %1 = stablehlo.reverse %x, dims = [0, 1] : tensor<?x?xf32>
  %across = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<?x?xi32>
  %2:2 = stablehlo.reduce(%x init: %none), (%across init: %first) across dimensions = [1] : (tensor<?x?xf32>, tensor<?x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<?xf32>, tensor<?xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %larger = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %value = stablehlo.select %larger, %a, %b : tensor<i1>, tensor<f32>
      %where = stablehlo.select %larger, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %value, %where : tensor<f32>, tensor<i32>
    }
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %none0 = stablehlo.constant dense<0> : tensor<1xi32>
  %window = stablehlo.concatenate %r, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %before = stablehlo.subtract %r, %one : tensor<1xi32>
  %pads = stablehlo.concatenate %before, %none0, %none0, %none0, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %edges = stablehlo.reshape %pads : (tensor<4xi32>) -> tensor<2x2xi32>
  %3 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %ones, %ones, %ones, %edges) {called_computations = [@sum]} : (tensor<?x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x?xf32>
  return %0#0, %0#1, %1, %2#0, %2#1, %3 : tensor<?x?xf32>, tensor<?x?xi32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?xi32>, tensor<?x?xf32>
}
func.func private @sum(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.add %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
