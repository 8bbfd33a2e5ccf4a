// Programs that the verifier rejects, one or more for each constraint of the
// constant_iota family. The comment above a program names the constraint.

// constant_c1
func.func @test() {
  // expected-error@+2 {{inferred type(s) 'tensor<3xi32>' are incompatible with return type(s) of operation 'tensor<4xi32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.constant"() {value = dense<0> : tensor<3xi32>} : () -> tensor<4xi32>
  return
}

// -----

// iota_c1
func.func @test() {
  // expected-error@+1 {{expected iota_dimension in the range [0, 1), found 1}}
  %r = stablehlo.iota dim = 1 : tensor<3xi32>
  return
}
