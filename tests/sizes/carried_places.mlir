// sizes: x.1=11
// every: x.1=13
// A loop that carries the places of its tensors reads what was written before it, beside rows that end at the size of a call.
func.func public @main(%x: tensor<3x?xf32> loc("x"), %k: tensor<4xi32>) -> (tensor<3x?xf32>, tensor<2x2xi32>) {
  %s = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x?xf32>) -> tensor<i32>
  %s1 = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %three, %s1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<3x?xf32>, tensor<f32>) -> tensor<?xf32>
  %rows = stablehlo.dynamic_broadcast_in_dim %y, %shape, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<3x?xf32>
  %less_y = stablehlo.subtract %x, %rows : tensor<3x?xf32>
  %e = stablehlo.exponential %less_y : tensor<3x?xf32>
  %t = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<3x?xf32>, tensor<f32>) -> tensor<3xf32>
  %ts = stablehlo.dynamic_broadcast_in_dim %t, %shape, dims = [0] : (tensor<3xf32>, tensor<2xi32>) -> tensor<3x?xf32>
  %sum = stablehlo.divide %e, %ts : tensor<3x?xf32>
  %pairs = stablehlo.reshape %k : (tensor<4xi32>) -> tensor<2x2xi32>
  %l = stablehlo.slice %pairs [0:2, 0:1] : (tensor<2x2xi32>) -> tensor<2x1xi32>
  %l1 = stablehlo.reshape %l : (tensor<2x1xi32>) -> tensor<2xi32>
  %left = stablehlo.broadcast_in_dim %l1, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
  %r = stablehlo.slice %pairs [0:2, 1:2] : (tensor<2x2xi32>) -> tensor<2x1xi32>
  %r1 = stablehlo.reshape %r : (tensor<2x1xi32>) -> tensor<2xi32>
  %right = stablehlo.broadcast_in_dim %r1, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
  %both = stablehlo.xor %left, %right : tensor<2x1xi32>
  %i = stablehlo.iota dim = 1 : tensor<2x2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %w:5 = stablehlo.while(%n = %zero, %c = %i, %a = %right, %b = %both, %f = %left) : tensor<i32>, tensor<2x2xi32>, tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>
    cond {
      %less = stablehlo.compare LT, %n, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    } do {
      %next = stablehlo.add %n, %one : tensor<i32>
      %wide = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x2xi32>
      %p = stablehlo.multiply %c, %wide : tensor<2x2xi32>
      %q = stablehlo.add %p, %wide : tensor<2x2xi32>
      stablehlo.return %next, %q, %b, %f, %a : tensor<i32>, tensor<2x2xi32>, tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>
    }
  return %sum, %w#1 : tensor<3x?xf32>, tensor<2x2xi32>
}
