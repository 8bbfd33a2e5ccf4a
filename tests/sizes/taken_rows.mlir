// sizes: x.0=5
// every: x.0=21
// The last row and column, the first ones, and what begins at a computed row, of an input that is not copied; pairs in lines that are sorted,
// of which there are fewer than the bound.
func.func public @main(%x: tensor<?x9xf32> loc("x"), %at: tensor<i32> loc("at")) -> (tensor<9xf32>, tensor<9xf32>, tensor<?x2xf32>, tensor<9xf32>, tensor<?x9xf32>, tensor<?x9xi32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x9xf32>) -> tensor<i32>
  %some = stablehlo.compare GE, %n, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %n) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %end = stablehlo.subtract %n, %one : tensor<i32>
  %last = stablehlo.dynamic_slice %x, %end, %none, sizes = [1, 9] : (tensor<?x9xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9xf32>
  %0 = stablehlo.reshape %last : (tensor<1x9xf32>) -> tensor<9xf32>
  %first = stablehlo.dynamic_slice %x, %none, %none, sizes = [1, 9] : (tensor<?x9xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9xf32>
  %1 = stablehlo.reshape %first : (tensor<1x9xf32>) -> tensor<9xf32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %nine = stablehlo.constant dense<9> : tensor<1xi32>
  %seven = stablehlo.constant dense<7> : tensor<1xi32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %starts = stablehlo.concatenate %zero, %seven, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %ends = stablehlo.concatenate %rows, %nine, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %steps = stablehlo.constant dense<1> : tensor<2xi32>
  %2 = stablehlo.real_dynamic_slice %x, %starts, %ends, %steps : (tensor<?x9xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x2xf32>
  %chosen = stablehlo.dynamic_slice %x, %at, %none, sizes = [1, 9] : (tensor<?x9xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9xf32>
  %3 = stablehlo.reshape %chosen : (tensor<1x9xf32>) -> tensor<9xf32>
  %shape = stablehlo.concatenate %rows, %nine, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %places = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<?x9xi32>
  %4:2 = "stablehlo.sort"(%x, %places) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>):
      %less = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
  }) : (tensor<?x9xf32>, tensor<?x9xi32>) -> (tensor<?x9xf32>, tensor<?x9xi32>)
  return %0, %1, %2, %3, %4#0, %4#1 : tensor<9xf32>, tensor<9xf32>, tensor<?x2xf32>, tensor<9xf32>, tensor<?x9xf32>, tensor<?x9xi32>
}
