// sizes: x.1=7
// open: x.1=33
// every: x.1=21
// Rows and columns that are moved on by half of them and back in at the other end, by a third, and what begins at a computed place
// of a row that is longer than what is taken.
func.func public @main(%x: tensor<5x?xf32> loc("x")) -> (tensor<5x?xf32>, tensor<5x?xf32>, tensor<?x5xf32>, tensor<5x?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<5x?xf32>) -> tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<2xi32>
  %c5 = stablehlo.constant dense<5> : tensor<1xi32>
  %half = stablehlo.divide %n, %two : tensor<i32>
  %third = stablehlo.divide %n, %three : tensor<i32>
  %after = stablehlo.subtract %n, %half : tensor<i32>
  %late = stablehlo.subtract %n, %third : tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %both = stablehlo.concatenate %x, %x, dim = 1 : (tensor<5x?xf32>, tensor<5x?xf32>) -> tensor<5x?xf32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %shape = stablehlo.concatenate %c5, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %ones = stablehlo.dynamic_broadcast_in_dim %one, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<5x?xf32>
  %a = stablehlo.reshape %after : (tensor<i32>) -> tensor<1xi32>
  %a.from = stablehlo.concatenate %zero, %a, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %a.to = stablehlo.add %a.from, %shape : tensor<2xi32>
  %rolled = stablehlo.real_dynamic_slice %both, %a.from, %a.to, %c1 : (tensor<5x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<5x?xf32>
  %0 = stablehlo.add %rolled, %ones : tensor<5x?xf32>
  %b = stablehlo.reshape %late : (tensor<i32>) -> tensor<1xi32>
  %b.from = stablehlo.concatenate %zero, %b, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %b.to = stablehlo.add %b.from, %shape : tensor<2xi32>
  %later = stablehlo.real_dynamic_slice %both, %b.from, %b.to, %c1 : (tensor<5x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<5x?xf32>
  %1 = stablehlo.multiply %later, %x : tensor<5x?xf32>
  %columns = stablehlo.transpose %x, dims = [1, 0] : (tensor<5x?xf32>) -> tensor<?x5xf32>
  %squares = stablehlo.multiply %columns, %columns : tensor<?x5xf32>
  %joined = stablehlo.concatenate %columns, %squares, dim = 0 : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  %h = stablehlo.reshape %half : (tensor<i32>) -> tensor<1xi32>
  %h.from = stablehlo.concatenate %h, %zero, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %tall = stablehlo.concatenate %s, %c5, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %h.to = stablehlo.add %h.from, %tall : tensor<2xi32>
  %2 = stablehlo.real_dynamic_slice %joined, %h.from, %h.to, %c1 : (tensor<?x5xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x5xf32>
  %rest = stablehlo.concatenate %c5, %a, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %r.from = stablehlo.concatenate %zero, %h, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %r.to = stablehlo.add %r.from, %rest : tensor<2xi32>
  %3 = stablehlo.real_dynamic_slice %x, %r.from, %r.to, %c1 : (tensor<5x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<5x?xf32>
  return %0, %1, %2, %3 : tensor<5x?xf32>, tensor<5x?xf32>, tensor<?x5xf32>, tensor<5x?xf32>
}
