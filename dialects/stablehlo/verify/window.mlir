// Programs that the verifier rejects, one or more for each constraint of the
// window family. The comment above a program names the constraint.

// reduce_window_c3
func.func @test(%a: tensor<6xf32>, %i: tensor<f64>) {
  // expected-error@+2 {{expected result 0 of the reduction region, 'tensor<f32>', to be promotable from the initial value's 'f64'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce_window"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<6xf32>, tensor<f64>) -> tensor<5xf32>
  return
}

// -----

// reduce_window_c4
func.func @test(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected window_dimensions of 1 entries, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce_window"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>} : (tensor<6xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

// reduce_window_c5
func.func @test(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected positive window dimensions, found 0 for dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce_window"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 0>} : (tensor<6xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

// reduce_window_c6
func.func @test(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected window strides of 1 entries, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce_window"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 1, 1>} : (tensor<6xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

// reduce_window_c7
func.func @test(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected positive window strides, found 0 for dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce_window"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 0>} : (tensor<6xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

// reduce_window_c8
func.func @test(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected base dilations of 1 entries, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce_window"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, base_dilations = array<i64: 1, 1>} : (tensor<6xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

// reduce_window_c9
func.func @test(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected positive base dilations, found 0 for dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce_window"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, base_dilations = array<i64: 0>} : (tensor<6xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

// reduce_window_c10
func.func @test(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected window dilations of 1 entries, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce_window"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_dilations = array<i64: 1, 1>} : (tensor<6xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

// reduce_window_c11
func.func @test(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected positive window dilations, found -1 for dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce_window"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_dilations = array<i64: -1>} : (tensor<6xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

// reduce_window_c12
func.func @test(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected padding of 1 entries, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce_window"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, padding = dense<0> : tensor<2x2xi64>} : (tensor<6xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

// reduce_window_c13
func.func @test(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{expected a reduction region of 2 parameters, found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce_window"(%a, %i) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<6xf32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

// reduce_window_c15
func.func @test(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<5xf32>' are incompatible with return type(s) of operation 'tensor<6xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce_window"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

// reduce_window_c16
func.func @test(%a: tensor<6xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<5xf32>' are incompatible with return type(s) of operation 'tensor<5xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.reduce_window"(%a, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<6xf32>, tensor<f32>) -> tensor<5xf64>
  return
}

// -----

// select_and_scatter_c1
func.func @test(%a: tensor<6xf32>, %s: tensor<3xf64>, %i: tensor<f32>) {
  // expected-error@+1 {{expected parameter 1 of the reduction region, 'tensor<f32>', to be promotable from the input's 'f64'}}
  %r = "stablehlo.select_and_scatter"(%a, %s, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<6xf32>, tensor<3xf64>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

// select_and_scatter_c2
func.func @test(%a: tensor<6xf32>, %s: tensor<4xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expected a source of shape 'tensor<3xf32>', found 'tensor<4xf32>'}}
  %r = "stablehlo.select_and_scatter"(%a, %s, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<6xf32>, tensor<4xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

// select_and_scatter_c3
func.func @test(%a: tensor<6xf32>, %s: tensor<3xf32>, %i: tensor<f64>) {
  // expected-error@+1 {{expected result 0 of the reduction region, 'tensor<f32>', to be promotable from the initial value's 'f64'}}
  %r = "stablehlo.select_and_scatter"(%a, %s, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<6xf32>, tensor<3xf32>, tensor<f64>) -> tensor<6xf32>
  return
}

// -----

// select_and_scatter_c4
func.func @test(%a: tensor<6xf32>, %s: tensor<3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expected window_dimensions of 1 entries, found 2}}
  %r = "stablehlo.select_and_scatter"(%a, %s, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2, 2>} : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

// select_and_scatter_c5
func.func @test(%a: tensor<6xf32>, %s: tensor<3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expected positive window dimensions, found 0 for dimension 0}}
  %r = "stablehlo.select_and_scatter"(%a, %s, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 0>} : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

// select_and_scatter_c6
func.func @test(%a: tensor<6xf32>, %s: tensor<3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expected window strides of 1 entries, found 2}}
  %r = "stablehlo.select_and_scatter"(%a, %s, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2, 2>} : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

// select_and_scatter_c7
func.func @test(%a: tensor<6xf32>, %s: tensor<3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expected positive window strides, found 0 for dimension 0}}
  %r = "stablehlo.select_and_scatter"(%a, %s, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 0>} : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

// select_and_scatter_c8
func.func @test(%a: tensor<6xf32>, %s: tensor<3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expected padding of shape [1, 2], found [1, 3]}}
  %r = "stablehlo.select_and_scatter"(%a, %s, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, padding = dense<0> : tensor<1x3xi64>} : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

// select_and_scatter_c9
func.func @test(%a: tensor<6xf32>, %s: tensor<3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expected a select region that returns tensor<i1>, found 'tensor<f32>'}}
  %r = "stablehlo.select_and_scatter"(%a, %s, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

// select_and_scatter_c10
func.func @test(%a: tensor<6xf32>, %s: tensor<3xf32>, %i: tensor<f32>) {
  // expected-error@+1 {{expected a reduction region of 2 parameters, found 1}}
  %r = "stablehlo.select_and_scatter"(%a, %s, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

// select_and_scatter_c11
func.func @test(%a: tensor<6xf32>, %s: tensor<3xf32>, %i: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<6xf32>' are incompatible with return type(s) of operation 'tensor<7xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.select_and_scatter"(%a, %s, %i) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
  return
}

// -----

// reduce_window_c1
func.func @test() {
  // expected-error@+2 {{expected at least one input, found none}}
  // expected-error@+1 {{failed to infer returned types}}
  "stablehlo.reduce_window"() ({
    stablehlo.return
  }) {window_dimensions = array<i64: 2>} : () -> ()
  return
}

// -----

// reduce_window_c2
func.func @test(%a: tensor<6xf32>, %b: tensor<7xf32>, %c: tensor<f32>) {
  // expected-error@+2 {{expected inputs of one shape, found 'tensor<6xf32>' and 'tensor<7xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r:2 = "stablehlo.reduce_window"(%a, %b, %c, %c) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %w: tensor<f32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<6xf32>, tensor<7xf32>, tensor<f32>, tensor<f32>) -> (tensor<5xf32>, tensor<6xf32>)
  return
}

// -----

// reduce_window_c14
func.func @test(%a: tensor<6xf32>, %b: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<5xf32>', 'tensor<5xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>', 'tensor<4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r:2 = "stablehlo.reduce_window"(%a, %a, %b, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %w: tensor<f32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) {window_dimensions = array<i64: 2>} : (tensor<6xf32>, tensor<6xf32>, tensor<f32>, tensor<f32>) -> (tensor<5xf32>, tensor<4xf32>)
  return
}

// -----

// select_and_scatter_c12
func.func @test(%a: tensor<6xf32>, %b: tensor<3xf32>, %c: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<6xf32>' are incompatible with return type(s) of operation 'tensor<6xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.select_and_scatter"(%a, %b, %c) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %0 : tensor<i1>
  }, {
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<6xf32>, tensor<3xf32>, tensor<f32>) -> tensor<6xf64>
  return
}
