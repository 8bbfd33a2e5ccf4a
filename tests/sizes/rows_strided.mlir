// sizes: x.1=3
// rows: x.1
// Time-major: steps outside, rows inside, and a state of all rows. Rows come last in one output, two at a time in another.
func.func public @main(%x: tensor<5x?x3xf32> loc("x"), %w: tensor<3x4xf32>, %u: tensor<4x4xf32>) -> (tensor<5x?x4xf32>, tensor<?x4xf32>, tensor<4x?xf32>, tensor<5x?x2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i0 = stablehlo.constant dense<0> : tensor<i32>
  %i1 = stablehlo.constant dense<1> : tensor<i32>
  %i5 = stablehlo.constant dense<5> : tensor<i32>
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<5x?x3xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %c2 = stablehlo.constant dense<2> : tensor<1xi32>
  %c3 = stablehlo.constant dense<3> : tensor<1xi32>
  %c4 = stablehlo.constant dense<4> : tensor<1xi32>
  %c5 = stablehlo.constant dense<5> : tensor<1xi32>
  %zeros = stablehlo.constant dense<0> : tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<3xi32>
  %state = stablehlo.concatenate %rows, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %steps = stablehlo.concatenate %c5, %rows, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %part = stablehlo.concatenate %c1, %rows, %c3, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %flat = stablehlo.concatenate %rows, %c3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %one = stablehlo.concatenate %c1, %rows, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %h0 = stablehlo.dynamic_broadcast_in_dim %zero, %state, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x4xf32>
  %all0 = stablehlo.dynamic_broadcast_in_dim %zero, %steps, dims = [] : (tensor<f32>, tensor<3xi32>) -> tensor<5x?x4xf32>
  %0:3 = stablehlo.while(%at = %i0, %h = %h0, %all = %all0) : tensor<i32>, tensor<?x4xf32>, tensor<5x?x4xf32>
    cond {
      %more = stablehlo.compare LT, %at, %i5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %place = stablehlo.reshape %at : (tensor<i32>) -> tensor<1xi32>
      %first = stablehlo.concatenate %place, %zeros, dim = 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
      %limit = stablehlo.add %first, %part : tensor<3xi32>
      %taken = stablehlo.real_dynamic_slice %x, %first, %limit, %ones : (tensor<5x?x3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x?x3xf32>
      %now = stablehlo.dynamic_reshape %taken, %flat : (tensor<1x?x3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
      %in = stablehlo.dot_general %now, %w, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>
      %kept = stablehlo.dot_general %h, %u, contracting_dims = [1] x [0] : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
      %sum = stablehlo.add %in, %kept : tensor<?x4xf32>
      %new = stablehlo.tanh %sum : tensor<?x4xf32>
      %row = stablehlo.dynamic_reshape %new, %one : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<1x?x4xf32>
      %put = stablehlo.dynamic_update_slice %all, %row, %at, %i0, %i0 : (tensor<5x?x4xf32>, tensor<1x?x4xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<5x?x4xf32>
      %next = stablehlo.add %at, %i1 : tensor<i32>
      stablehlo.return %next, %new, %put : tensor<i32>, tensor<?x4xf32>, tensor<5x?x4xf32>
    }
  %1 = stablehlo.transpose %0#1, dims = [1, 0] : (tensor<?x4xf32>) -> tensor<4x?xf32>
  %twice = stablehlo.multiply %rows, %c2 : tensor<1xi32>
  %pairs = stablehlo.concatenate %c5, %twice, %c2, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %2 = stablehlo.dynamic_reshape %0#2, %pairs : (tensor<5x?x4xf32>, tensor<3xi32>) -> tensor<5x?x2xf32>
  return %0#2, %0#1, %1, %2 : tensor<5x?x4xf32>, tensor<?x4xf32>, tensor<4x?xf32>, tensor<5x?x2xf32>
}
