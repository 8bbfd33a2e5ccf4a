// sizes: x.0=1,x.1=1
// sizes: x.0=3,x.1=5
// sizes: x.0=9,x.1=2
// The state of a loop, the rows that it takes one by one, and branches.
func.func public @main(%x: tensor<?x?xf32> loc("x")) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %f0 = stablehlo.constant dense<0.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %m = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %columns = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %start = stablehlo.dynamic_broadcast_in_dim %f0, %columns, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %size = stablehlo.concatenate %c1, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0:3 = stablehlo.while(%i = %zero, %sum = %start, %y = %x) : tensor<i32>, tensor<?xf32>, tensor<?x?xf32>
    cond {
      %more = stablehlo.compare LT, %i, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %at = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
      %first = stablehlo.concatenate %at, %c0, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
      %limit = stablehlo.add %size, %first : tensor<2xi32>
      %row = stablehlo.real_dynamic_slice %y, %first, %limit, %ones : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x?xf32>
      %flat = stablehlo.dynamic_reshape %row, %columns : (tensor<1x?xf32>, tensor<1xi32>) -> tensor<?xf32>
      %next = stablehlo.add %sum, %flat : tensor<?xf32>
      %negated = stablehlo.negate %row : tensor<1x?xf32>
      %changed = stablehlo.dynamic_update_slice %y, %negated, %i, %zero : (tensor<?x?xf32>, tensor<1x?xf32>, tensor<i32>, tensor<i32>) -> tensor<?x?xf32>
      %after = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %after, %next, %changed : tensor<i32>, tensor<?xf32>, tensor<?x?xf32>
    }
  %total = stablehlo.reduce(%0#1 init: %f0) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %positive = stablehlo.compare GT, %total, %f0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %1 = "stablehlo.if"(%positive) ({
    %tanh = stablehlo.tanh %0#2 : tensor<?x?xf32>
    stablehlo.return %tanh : tensor<?x?xf32>
  }, {
    stablehlo.return %0#2 : tensor<?x?xf32>
  }) : (tensor<i1>) -> tensor<?x?xf32>
  return %0#1, %1 : tensor<?xf32>, tensor<?x?xf32>
}
