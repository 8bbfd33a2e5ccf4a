// A loop in the region of a reduction: the greatest common divisor.
func.func @greatest_common_divisor() {
  %x = stablehlo.constant dense<[[12, 18, 30], [7, 21, 14], [8, 12, 27]]> : tensor<3x3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<3x3xi32>, tensor<i32>) -> tensor<3xi32>
   reducer(%a: tensor<i32>, %b: tensor<i32>) {
    %w:2 = stablehlo.while(%p = %a, %q = %b) : tensor<i32>, tensor<i32>
    cond {
      %go = stablehlo.compare NE, %q, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %go : tensor<i1>
    } do {
      %r = stablehlo.remainder %p, %q : tensor<i32>
      stablehlo.return %q, %r : tensor<i32>, tensor<i32>
    }
    stablehlo.return %w#0 : tensor<i32>
  }
  check.expect_eq_const %0, dense<[6, 7, 1]> : tensor<3xi32>
  return
}

// -----

// A comparator that looks numbers up in a table from outside.
func.func @sort_by_table() {
  %x = stablehlo.constant dense<[0, 1, 2, 3, 2, 0]> : tensor<6xi32>
  %ranks = stablehlo.constant dense<[30, 10, 40, 20]> : tensor<4xi32>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %ra = stablehlo.dynamic_slice %ranks, %a, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
    %rb = stablehlo.dynamic_slice %ranks, %b, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
    %less = stablehlo.compare LT, %ra, %rb : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %comes = stablehlo.reshape %less : (tensor<1xi1>) -> tensor<i1>
    stablehlo.return %comes : tensor<i1>
  }) : (tensor<6xi32>) -> tensor<6xi32>
  check.expect_eq_const %0, dense<[1, 3, 0, 0, 2, 2]> : tensor<6xi32>
  return
}

// -----

// Integers are multiplied whatever the algorithm of the product.
func.func @integers_by_algorithm() {
  %a = stablehlo.constant dense<[[16777217, 2], [3, -4]]> : tensor<2x2xi32>
  %b = stablehlo.constant dense<[[1, 5], [7, 1]]> : tensor<2x2xi32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0],
    algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
    : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi32>
  check.expect_eq_const %0, dense<[[16777231, 83886087], [-25, 11]]> : tensor<2x2xi32>
  return
}
