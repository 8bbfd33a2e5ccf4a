// -0 is below 0, whichever operand it is: one over the result shows the sign.
func.func @maximum_and_minimum() {
  %n = stablehlo.constant dense<[-0.0, 0.0, -0.0, 0.0, -0.0]> : tensor<5xf32>
  %p = stablehlo.constant dense<[0.0, -0.0, -0.0, 0.0, 0.0]> : tensor<5xf32>
  %one = stablehlo.constant dense<1.0> : tensor<5xf32>
  %trips = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // A loop, so that nothing is computed when the program is compiled.
  %0:3 = stablehlo.while(%i = %zero, %a = %n, %b = %p) : tensor<i32>, tensor<5xf32>, tensor<5xf32>
  cond {
    %go = stablehlo.compare LT, %i, %trips : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %max = stablehlo.maximum %a, %b : tensor<5xf32>
    %min = stablehlo.minimum %a, %b : tensor<5xf32>
    %next = stablehlo.add %i, %trips : tensor<i32>
    stablehlo.return %next, %max, %min : tensor<i32>, tensor<5xf32>, tensor<5xf32>
  }
  %1 = stablehlo.divide %one, %0#1 : tensor<5xf32>
  %2 = stablehlo.divide %one, %0#2 : tensor<5xf32>
  check.expect_eq_const %1, dense<[0x7F800000, 0x7F800000, 0xFF800000, 0x7F800000, 0x7F800000]> : tensor<5xf32>
  check.expect_eq_const %2, dense<[0xFF800000, 0xFF800000, 0xFF800000, 0x7F800000, 0xFF800000]> : tensor<5xf32>
  return
}
