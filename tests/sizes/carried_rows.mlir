// sizes: x.0=3,x.1=5
// every: x.0=3,x.1=9
// open: x.0=4 x.1=21
// Rows of an open number that a loop over another open size carries: of a product, of what a branch returns, and in the other order each time.
func.func public @main(%x: tensor<?x?x20xf32> loc("x"), %w: tensor<20x20xf32> loc("w")) -> (tensor<?x20xf32>, tensor<?x20xf32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %f0 = stablehlo.constant dense<0.0> : tensor<f32>
  %c0 = stablehlo.constant dense<0> : tensor<1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %c20 = stablehlo.constant dense<20> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<3xi32>
  %m = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?x20xf32>) -> tensor<i32>
  %b = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?x20xf32>) -> tensor<i32>
  %rows = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %rows, %c20, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %size = stablehlo.concatenate %c1, %rows, %c20, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %start = stablehlo.dynamic_broadcast_in_dim %f0, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x20xf32>
  %0:4 = stablehlo.while(%i = %zero, %h = %start, %k = %start, %last = %start) : tensor<i32>, tensor<?x20xf32>, tensor<?x20xf32>, tensor<?x20xf32>
    cond {
      %more = stablehlo.compare LT, %i, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %at = stablehlo.reshape %i : (tensor<i32>) -> tensor<1xi32>
      %first = stablehlo.concatenate %at, %c0, %c0, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
      %limit = stablehlo.add %size, %first : tensor<3xi32>
      %part = stablehlo.real_dynamic_slice %x, %first, %limit, %ones : (tensor<?x?x20xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<1x?x20xf32>
      %own = stablehlo.dynamic_reshape %part, %shape : (tensor<1x?x20xf32>, tensor<2xi32>) -> tensor<?x20xf32>
      %product = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : (tensor<?x20xf32>, tensor<20x20xf32>) -> tensor<?x20xf32>
      %sum = stablehlo.add %product, %own : tensor<?x20xf32>
      %next = stablehlo.tanh %sum : tensor<?x20xf32>
      %bit = stablehlo.and %i, %one : tensor<i32>
      %odd = stablehlo.compare EQ, %bit, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %chosen = "stablehlo.if"(%odd) ({
        %twice = stablehlo.add %next, %own : tensor<?x20xf32>
        stablehlo.return %twice : tensor<?x20xf32>
      }, {
        stablehlo.return %next : tensor<?x20xf32>
      }) : (tensor<i1>) -> tensor<?x20xf32>
      %back = stablehlo.reverse %k, dims = [0] : tensor<?x20xf32>
      %other = stablehlo.add %back, %chosen : tensor<?x20xf32>
      %after = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %after, %next, %other, %chosen : tensor<i32>, tensor<?x20xf32>, tensor<?x20xf32>, tensor<?x20xf32>
    }
  %both = stablehlo.add %0#1, %0#3 : tensor<?x20xf32>
  %total = stablehlo.reduce(%0#2 init: %f0) applies stablehlo.add across dimensions = [1] : (tensor<?x20xf32>, tensor<f32>) -> tensor<?xf32>
  return %both, %0#2, %total : tensor<?x20xf32>, tensor<?x20xf32>, tensor<?xf32>
}
