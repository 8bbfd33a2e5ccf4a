// Programs that the verifier rejects, one or more for each constraint of the
// compare_select family. The comment above a program names the constraint.

// clamp_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<2xf32>) {
  // expected-error@+2 {{expected min to be a scalar or to have shape of 'tensor<3xf32>', found 'tensor<2xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.clamp"(%b, %a, %a) : (tensor<2xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// clamp_c2
func.func @test(%a: tensor<3xf32>, %b: tensor<2xf32>) {
  // expected-error@+2 {{expected max to be a scalar or to have shape of 'tensor<3xf32>', found 'tensor<2xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.clamp"(%a, %a, %b) : (tensor<3xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

// clamp_c3
func.func @test(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{requires compatible element types for all operands and results: expected 'f64', found 'f32'}}
  %r = "stablehlo.clamp"(%b, %a, %a) : (tensor<3xf64>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// clamp_c4
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.clamp"(%a, %a, %a) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// compare_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{requires compatible element types for all operands: expected 'f32', found 'f64'}}
  %r = stablehlo.compare EQ, %a, %b : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xi1>
  return
}

// -----

// compare_c2
func.func @test(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{expected one shape of operands and results, found 'tensor<3xf32>' and 'tensor<4xf32>'}}
  %r = stablehlo.compare EQ, %a, %b : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xi1>
  return
}

// -----

// select_c1
func.func @test(%p: tensor<2xi1>, %a: tensor<3xf32>) {
  // expected-error@+2 {{expected pred to be a scalar or to have the shape of 'tensor<3xf32>', found 'tensor<2xi1>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.select %p, %a, %a : tensor<2xi1>, tensor<3xf32>
  return
}

// -----

// select_c2
func.func @test(%p: tensor<i1>, %a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+2 {{expected operands of compatible types, found 'tensor<3xf32>' and 'tensor<3xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.select %p, %a, %b : (tensor<i1>, tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// select_c2
func.func @test(%a: tensor<3xi1>, %b: tensor<3x!quant.uniform<i8:f32, 1.0>>, %c: tensor<3x!quant.uniform<i8:f32, 2.0>>) {
  // expected-error@+2 {{expected on_false of element type '!quant.uniform<i8:f32, 1.000000e+00>', found '!quant.uniform<i8:f32, 2.000000e+00>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.select"(%a, %b, %c) : (tensor<3xi1>, tensor<3x!quant.uniform<i8:f32, 1.0>>, tensor<3x!quant.uniform<i8:f32, 2.0>>) -> tensor<3x!quant.uniform<i8:f32, 1.0>>
  return
}
