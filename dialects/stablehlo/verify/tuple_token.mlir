// Programs that the verifier rejects, one or more for each constraint of the
// tuple_token family. The comment above a program names the constraint.

// get_tuple_element_c1
func.func @test(%a: tuple<tensor<f32>>) {
  // expected-error@+2 {{expected index in the range [0, 1), found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.get_tuple_element %a[1] : (tuple<tensor<f32>>) -> tensor<f32>
  return
}

// -----

// get_tuple_element_c2
func.func @test(%a: tuple<tensor<f32>>) {
  // expected-error@+2 {{inferred type(s) 'tensor<f32>' are incompatible with return type(s) of operation 'tensor<i32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.get_tuple_element %a[0] : (tuple<tensor<f32>>) -> tensor<i32>
  return
}

// -----

// optimization_barrier_c1
func.func @test(%a: tensor<f32>) {
  // expected-error@+1 {{requires the same type for operand and result at index 0: found 'tensor<f32>' and 'tensor<i32>'}}
  %r = "stablehlo.optimization_barrier"(%a) : (tensor<f32>) -> tensor<i32>
  return
}

// -----

// tuple_c1
func.func @test(%a: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tuple<tensor<f32>>' are incompatible with return type(s) of operation 'tuple<tensor<i32>>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.tuple"(%a) : (tensor<f32>) -> tuple<tensor<i32>>
  return
}

// -----

// tuple_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tuple<tensor<3xf32>>' are incompatible with return type(s) of operation 'tuple<tensor<?xf32>>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.tuple"(%a) : (tensor<3xf32>) -> tuple<tensor<?xf32>>
  return
}
