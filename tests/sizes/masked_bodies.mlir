// sizes: x.0=3
// open: x.0=17
// Reductions whose initial value is not neutral, and whose computation is not one operation; positions of the largest.
func.func public @main(%x: tensor<?x3xf32> loc("x")) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3x3xf32>, tensor<3x3xi32>) {
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %enough = stablehlo.compare GE, %rows, %three, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%enough, %rows) {error_message = "{0} rows", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %ten = stablehlo.constant dense<10.0> : tensor<f32>
  %half = stablehlo.constant dense<1.5> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %seven = stablehlo.constant dense<7> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %ten) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %c = stablehlo.cosine %x : tensor<?x3xf32>
  %1 = stablehlo.reduce(%c init: %half) applies stablehlo.multiply across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.reduce(%x init: %ten) applies stablehlo.maximum across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %3 = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %scaled = stablehlo.multiply %b, %b : tensor<f32>
      %sum = stablehlo.add %a, %scaled : tensor<f32>
      stablehlo.return %sum : tensor<f32>
    }
  %n = stablehlo.convert %x : (tensor<?x3xf32>) -> tensor<?x3xi32>
  %4 = stablehlo.reduce(%n init: %seven) applies stablehlo.xor across dimensions = [0] : (tensor<?x3xi32>, tensor<i32>) -> tensor<3xi32>
  // The largest, and a negative NaN after it.
  %r = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %width = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %r, %width, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %place = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> tensor<?x3xi32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.subtract %rows, %one : tensor<i32>
  %ends = stablehlo.dynamic_broadcast_in_dim %end, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<?x3xi32>
  %last = stablehlo.compare EQ, %place, %ends, SIGNED : (tensor<?x3xi32>, tensor<?x3xi32>) -> tensor<?x3xi1>
  %quiet = stablehlo.constant dense<0xFFC00000> : tensor<f32>
  %quiets = stablehlo.dynamic_broadcast_in_dim %quiet, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
  %nan = stablehlo.select %last, %quiets, %x : tensor<?x3xi1>, tensor<?x3xf32>
  %5:2 = stablehlo.reduce(%nan init: %none), (%place init: %first) across dimensions = [0] : (tensor<?x3xf32>, tensor<?x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %larger = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %value = stablehlo.select %larger, %a, %b : tensor<i1>, tensor<f32>
      %where = stablehlo.select %larger, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %value, %where : tensor<f32>, tensor<i32>
    }
  %across = stablehlo.transpose %nan, dims = [1, 0] : (tensor<?x3xf32>) -> tensor<3x?xf32>
  %6:2 = chlo.top_k(%across, k = 3) : tensor<3x?xf32> -> (tensor<3x3xf32>, tensor<3x3xi32>)
  return %0, %1, %2, %3, %4, %5#0, %6#0, %6#1 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3x3xf32>, tensor<3x3xi32>
}
