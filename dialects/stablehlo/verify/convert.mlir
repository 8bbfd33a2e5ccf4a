// Programs that the verifier rejects, one or more for each constraint of the
// convert family. The comment above a program names the constraint.

// bitcast_convert_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected 'tensor<3xf32>' to have one dimension more than 'tensor<3xf64>' has}}
  %r = stablehlo.bitcast_convert %a : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// bitcast_convert_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected the last dimension of 'tensor<3x3xi8>' to hold the 32 bits of an element of 'tensor<3xf32>'}}
  %r = stablehlo.bitcast_convert %a : (tensor<3xf32>) -> tensor<3x3xi8>
  return
}

// -----

// bitcast_convert_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected compatible shapes, found 'tensor<3xf32>' and 'tensor<4xi32>'}}
  %r = stablehlo.bitcast_convert %a : (tensor<3xf32>) -> tensor<4xi32>
  return
}

// -----

// bitcast_convert_c2
func.func @test(%a: tensor<3xf64>) {
  // expected-error@+1 {{expected both types to be complex or neither, found 'tensor<3xf64>' and 'tensor<3xcomplex<f32>>'}}
  %r = stablehlo.bitcast_convert %a : (tensor<3xf64>) -> tensor<3xcomplex<f32>>
  return
}

// -----

// convert_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected one shape of operands and results, found 'tensor<3xf32>' and 'tensor<4xf64>'}}
  %r = stablehlo.convert %a : (tensor<3xf32>) -> tensor<4xf64>
  return
}

// -----

// reduce_precision_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.reduce_precision"(%a) {exponent_bits = 8 : i32, mantissa_bits = 7 : i32} : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// reduce_precision_c2
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{attribute 'exponent_bits' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
  %r = "stablehlo.reduce_precision"(%a) {exponent_bits = 0 : i32, mantissa_bits = 7 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// reduce_precision_c3
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{attribute 'mantissa_bits' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  %r = "stablehlo.reduce_precision"(%a) {exponent_bits = 8 : i32, mantissa_bits = -1 : i32} : (tensor<3xf32>) -> tensor<3xf32>
  return
}
