// Operations whose attributes are values, as JAX exports them for symbolic shapes, in a program that has none: all values are constants.
func.func @a_running_sum() {
  %x = stablehlo.constant dense<[[1, 2, 3, 4], [10, 20, 30, 40]]> : tensor<2x4xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %columns = stablehlo.constant dense<4> : tensor<1xi32>
  %window = stablehlo.concatenate %one, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %padding = stablehlo.constant dense<[[0, 0], [3, 0]]> : tensor<2x2xi32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %ones, %ones, %ones, %padding) {called_computations = [@sum]}
    : (tensor<2x4xi32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<2x4xi32>
  check.expect_eq_const %0, dense<[[1, 3, 6, 10], [10, 30, 60, 100]]> : tensor<2x4xi32>
  return
}
func.func private @sum(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %a, %b : tensor<i32>
  return %0 : tensor<i32>
}
// -----
func.func @the_largest_two() {
  %x = stablehlo.constant dense<[[3, 9, 7], [5, 4, 6]]> : tensor<2x3xi32>
  %k = stablehlo.constant dense<2> : tensor<i32>
  %0:2 = stablehlo.custom_call @stablehlo.dynamic_top_k(%x, %k) : (tensor<2x3xi32>, tensor<i32>) -> (tensor<2x2xi32>, tensor<2x2xi32>)
  check.expect_eq_const %0#0, dense<[[9, 7], [6, 5]]> : tensor<2x2xi32>
  check.expect_eq_const %0#1, dense<[[1, 2], [2, 0]]> : tensor<2x2xi32>
  return
}
