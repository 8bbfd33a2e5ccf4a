// Programs that the verifier rejects, one or more for each constraint of the
// rng family. The comment above a program names the constraint.

// rng_c1
func.func @test(%a: tensor<f32>, %s: tensor<1xi64>) {
  // expected-error@+2 {{inferred type(s) 'tensor<?xf32>' are incompatible with return type(s) of operation 'tensor<3xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf64>
  return
}

// -----

// rng_c2
func.func @test(%a: tensor<i32>, %s: tensor<1xi64>) {
  // expected-error@+2 {{expected floating-point elements for NORMAL, found 'i32'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<3xi32>
  return
}

// -----

// rng_c3
func.func @test(%a: tensor<f32>, %s: tensor<2xi64>) {
  // expected-error@+2 {{inferred type(s) 'tensor<?x?xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<3xf32>
  return
}

// -----

// rng_bit_generator_c1
func.func @test(%a: tensor<2xui64>) {
  // expected-error@+1 {{expected an output state of the initial state's type, 'tensor<2xui64>', found 'tensor<3xui64>'}}
  %r:2 = stablehlo.rng_bit_generator %a, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}
