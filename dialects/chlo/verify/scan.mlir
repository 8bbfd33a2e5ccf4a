// Programs that the verifier rejects, one or more for each constraint of the
// scan family. The comment above a program names the constraint.

// scan: dimension
func.func @test(%a: tensor<2x3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{expected a dimension below the rank of input 0, found 2 for rank 2}}
  %r:2 = chlo.scan(%a) inits (%c) dimension = 2 attributes {} {
  ^bb0(%x: tensor<3xf32>, %y: tensor<3xf32>):
    stablehlo.return %x, %y : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

// scan: size
func.func @test(%a: tensor<2x3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{expected scan dimension size 4 in input 0, found 2}}
  %r:2 = chlo.scan(%a) inits (%c) dimension = 0 attributes {scan_dim_size = 4 : i64} {
  ^bb0(%x: tensor<3xf32>, %y: tensor<3xf32>):
    stablehlo.return %x, %y : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

// scan: parameters
func.func @test(%a: tensor<2x3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{expected body argument 0 of type 'tensor<3xf32>', found 'tensor<4xf32>'}}
  %r:2 = chlo.scan(%a) inits (%c) dimension = 0 attributes {} {
  ^bb0(%x: tensor<4xf32>, %y: tensor<3xf32>):
    stablehlo.return %y, %y : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

// scan: returned values
func.func @test(%a: tensor<2x3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{expected a body that returns 2 values, found 1}}
  %r:2 = chlo.scan(%a) inits (%c) dimension = 0 attributes {} {
  ^bb0(%x: tensor<3xf32>, %y: tensor<3xf32>):
    stablehlo.return %x : tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

// scan: type of a returned value
func.func @test(%a: tensor<2x3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{expected returned value 0 of type 'tensor<4xf32>', found 'tensor<3xf32>'}}
  %r:2 = chlo.scan(%a) inits (%c) dimension = 0 attributes {} {
  ^bb0(%x: tensor<3xf32>, %y: tensor<3xf32>):
    stablehlo.return %x, %y : tensor<3xf32>, tensor<3xf32>
  } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x4xf32>, tensor<3xf32>)
  return
}
