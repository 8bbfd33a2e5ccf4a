// Programs that the verifier rejects, one or more for each constraint of the
// control_flow family. The comment above a program names the constraint.

// case_c1
func.func @test(%i: tensor<i32>) {
  // expected-error@+2 {{expected at least one branch, found none}}
  // expected-error@+1 {{failed to infer returned types}}
  "stablehlo.case"(%i) : (tensor<i32>) -> ()
  return
}

// -----

// case_c2
func.func @test(%i: tensor<i32>, %a: tensor<f32>) {
  // expected-error@+2 {{expected branch 0 to have no parameters, found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.case"(%i) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// -----

// case_c3
func.func @test(%i: tensor<i32>, %a: tensor<f32>, %b: tensor<i32>) {
  // expected-error@+2 {{expected branch 1 to return types of branch 0, 'tensor<f32>', found 'tensor<i32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %b : tensor<i32>
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// -----

// case_c4
func.func @test(%i: tensor<i32>, %a: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<f32>' are incompatible with return type(s) of operation 'tensor<f64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i32>) -> tensor<f64>
  return
}

// -----

// if_c1
func.func @test(%p: tensor<i1>, %a: tensor<f32>) {
  // expected-error@+2 {{expected branch 0 to have no parameters, found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.if"(%p) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

// if_c2
func.func @test(%p: tensor<i1>, %a: tensor<f32>, %b: tensor<2xf32>) {
  // expected-error@+2 {{expected branch 1 to return types of branch 0, 'tensor<f32>', found 'tensor<2xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %b : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

// if_c3
func.func @test(%p: tensor<i1>, %a: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<f32>' are incompatible with return type(s) of operation 'tensor<i32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<f32>
  }, {
    stablehlo.return %a : tensor<f32>
  }) : (tensor<i1>) -> tensor<i32>
  return
}

// -----

// while_c1
func.func @test(%a: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{expected condition parameters compatible with the operands 'tensor<i32>', found 'tensor<f32>'}}
  %r = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// while_c1
func.func @test(%a: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{expected a condition that returns 1 value, found 2}}
  %r = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<i32>):
    stablehlo.return %p, %p : tensor<i1>, tensor<i1>
  }, {
  ^bb0(%x: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// while_c1
func.func @test(%a: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{expected a condition that returns tensor<i1>, found 'tensor<i32>'}}
  %r = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }, {
  ^bb0(%x: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// while_c2
func.func @test(%a: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{expected body parameters compatible with the operands 'tensor<i32>', found 'tensor<f32>'}}
  %r = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<i32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>):
    stablehlo.return %a : tensor<i32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// while_c2
func.func @test(%a: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+1 {{expected body results compatible with the operands 'tensor<i32>', found 'tensor<f32>'}}
  %r = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<i32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<i32>):
    stablehlo.return %f : tensor<f32>
  }) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// while_c3
func.func @test(%a: tensor<i32>, %p: tensor<i1>, %f: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<i32>' are incompatible with return type(s) of operation 'tensor<f32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.while"(%a) ({
  ^bb0(%x: tensor<i32>):
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%x: tensor<i32>):
    stablehlo.return %x : tensor<i32>
  }) : (tensor<i32>) -> tensor<f32>
  return
}
