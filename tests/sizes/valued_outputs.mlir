// sizes:
// Outputs whose size depends on values: each has its shape beside it.
func.func public @main(%x: tensor<5x7xf32>, %rows: tensor<i32>, %columns: tensor<i32>, %mask: tensor<9xf32>)
    -> (tensor<?x7xf32, #stablehlo.bounds<5, ?>>, tensor<?x?xf32, #stablehlo.bounds<7, 5>>, tensor<7xf32>,
        tensor<?xi32, #stablehlo.bounds<9>> {jax.result_info = "places"}, tensor<?xf32, #stablehlo.bounds<14>>) {
  // Equal sizes meet.
  %few = stablehlo.set_dimension_size %x, %rows, dim = 0 : (tensor<5x7xf32>, tensor<i32>) -> tensor<?x7xf32, #stablehlo.bounds<5, ?>>
  %grown = stablehlo.cosine %few : tensor<?x7xf32, #stablehlo.bounds<5, ?>>
  %both = stablehlo.add %few, %grown : tensor<?x7xf32, #stablehlo.bounds<5, ?>>
  // Both dimensions, transposed.
  %part = stablehlo.set_dimension_size %both, %columns, dim = 1 : (tensor<?x7xf32, #stablehlo.bounds<5, ?>>, tensor<i32>) -> tensor<?x?xf32, #stablehlo.bounds<5, 7>>
  %across = stablehlo.transpose %part, dims = [1, 0] : (tensor<?x?xf32, #stablehlo.bounds<5, 7>>) -> tensor<?x?xf32, #stablehlo.bounds<7, 5>>
  // A sum of what is valid.
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sums = stablehlo.reduce(%both init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x7xf32, #stablehlo.bounds<5, ?>>, tensor<f32>) -> tensor<7xf32>
  // The places of what is positive.
  %none = stablehlo.constant dense<0.0> : tensor<9xf32>
  %is = stablehlo.compare GT, %mask, %none : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xi1>
  %ones = stablehlo.convert %is : (tensor<9xi1>) -> tensor<9xi32>
  %first = stablehlo.constant dense<0> : tensor<i32>
  %count = stablehlo.reduce(%ones init: %first) applies stablehlo.add across dimensions = [0] : (tensor<9xi32>, tensor<i32>) -> tensor<i32>
  %not = stablehlo.not %is : tensor<9xi1>
  %at = stablehlo.iota dim = 0 : tensor<9xi32>
  %sorted:2 = "stablehlo.sort"(%not, %at) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>, %c: tensor<i32>, %d: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<9xi1>, tensor<9xi32>) -> (tensor<9xi1>, tensor<9xi32>)
  %places = stablehlo.set_dimension_size %sorted#1, %count, dim = 0 : (tensor<9xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<9>>
  // One after the other.
  %start = stablehlo.slice %mask [0:5] : (tensor<9xf32>) -> tensor<5xf32>
  %head = stablehlo.set_dimension_size %start, %rows, dim = 0 : (tensor<5xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<5>>
  %tail = stablehlo.set_dimension_size %mask, %count, dim = 0 : (tensor<9xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<9>>
  %joined = stablehlo.concatenate %head, %tail, dim = 0 : (tensor<?xf32, #stablehlo.bounds<5>>, tensor<?xf32, #stablehlo.bounds<9>>) -> tensor<?xf32, #stablehlo.bounds<14>>
  return %both, %across, %sums, %places, %joined : tensor<?x7xf32, #stablehlo.bounds<5, ?>>, tensor<?x?xf32, #stablehlo.bounds<7, 5>>, tensor<7xf32>, tensor<?xi32, #stablehlo.bounds<9>>, tensor<?xf32, #stablehlo.bounds<14>>
}
