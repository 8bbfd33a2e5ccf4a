// Programs that the verifier rejects, one or more for each constraint of the
// linear_algebra family. The comment above a program names the constraint.

// cholesky_c1
func.func @test(%a: tensor<3x3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3x3xf32>' are incompatible with return type(s) of operation 'tensor<3x4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.cholesky"(%a) : (tensor<3x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

// cholesky_c2
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{expected a of rank 2 or more, found 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.cholesky %a : tensor<3xf32>
  return
}

// -----

// cholesky_c3
func.func @test(%a: tensor<3x2xf32>) {
  // expected-error@+2 {{expected square matrices, found 3 rows and 2 columns}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.cholesky %a : tensor<3x2xf32>
  return
}

// -----

// triangular_solve_c1
func.func @test(%a: tensor<3x3xf32>, %b: tensor<3x2xf64>) {
  // expected-error@+1 {{requires compatible element types for all operands and results: expected 'f32', found 'f64'}}
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return
}

// -----

// triangular_solve_c2
func.func @test(%a: tensor<3x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+2 {{expected operands of equal rank of 2 or more, found 'tensor<3x3xf32>' and 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// triangular_solve_c3
func.func @test(%a: tensor<2x3x3xf32>, %b: tensor<4x3x2xf32>) {
  // expected-error@+2 {{expected equal batch dimensions, found 'tensor<2x3x3xf32>' and 'tensor<4x3x2xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x3x3xf32>, tensor<4x3x2xf32>) -> tensor<4x3x2xf32>
  return
}

// -----

// triangular_solve_c3
func.func @test(%a: tensor<3x2xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+2 {{expected square matrices, found 3 rows and 2 columns}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// triangular_solve_c3
func.func @test(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+2 {{expected dimension 1 of b to be 3, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = false, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// triangular_solve_c4
func.func @test(%a: tensor<3x3xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3x2xf32>' are incompatible with return type(s) of operation 'tensor<3x3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x3xf32>
  return
}
