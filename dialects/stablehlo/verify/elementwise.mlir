// Programs that the verifier rejects, one or more for each constraint of the
// elementwise family. The comment above a program names the constraint.

// abs_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected one shape of operands and results, found 'tensor<3xf32>' and 'tensor<4xf32>'}}
  %r = "stablehlo.abs"(%a) : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// abs_c2
func.func @test(%a: tensor<3xcomplex<f32>>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<3xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.abs"(%a) : (tensor<3xcomplex<f32>>) -> tensor<3xf64>
  return
}

// -----

// add_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+2 {{expected operands of compatible types, found 'tensor<3xf32>' and 'tensor<3xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.add"(%a, %b) : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// add_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{expected one shape of operands and results, found 'tensor<3xf32>' and 'tensor<4xf32>'}}
  %r = "stablehlo.add"(%a, %b) : (tensor<3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

// add_c5
func.func @test(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{expected a per-axis quantized result exactly when an operand is, found 'tensor<2x2x!quant.uniform<i8:f32, 1.000000e+00>>', 'tensor<2x2x!quant.uniform<i8:f32, 1.000000e+00>>' and 'tensor<2x2x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>'}}
  %r = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// add_c6
func.func @test(%a: tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>, %b: tensor<2x2x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{expected quantized dimension 0, found 1}}
  %r = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>, tensor<2x2x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// and_c1
func.func @test(%a: tensor<3xi32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xi32>', found 'tensor<3xi64>'}}
  %r = "stablehlo.and"(%a, %b) : (tensor<3xi32>, tensor<3xi64>) -> tensor<3xi32>
  return
}

// -----

// complex_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+2 {{expected operands of compatible types, found 'tensor<3xf32>' and 'tensor<3xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.complex"(%a, %b) : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xcomplex<f32>>
  return
}

// -----

// complex_c3
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3xcomplex<f32>>' are incompatible with return type(s) of operation 'tensor<3xcomplex<f64>>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.complex"(%a, %a) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xcomplex<f64>>
  return
}

// -----

// imag_c2
func.func @test(%a: tensor<3xcomplex<f32>>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<3xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.imag"(%a) : (tensor<3xcomplex<f32>>) -> tensor<3xf64>
  return
}

// -----

// is_finite_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected one shape of operands and results, found 'tensor<3xf32>' and 'tensor<4xi1>'}}
  %r = "stablehlo.is_finite"(%a) : (tensor<3xf32>) -> tensor<4xi1>
  return
}

// -----

// negate_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.negate"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// not_i1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of boolean (i1) or 2/4/8/16/32/64-bit integer values, but got 'tensor<3xf32>'}}
  %r = "stablehlo.not"(%a) : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// shift_left_i1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of 2/4/8/16/32/64-bit integer values, but got 'tensor<3xf32>'}}
  %r = "stablehlo.shift_left"(%a, %a) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// exponential_i2
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected atol, rtol and ulps to be 0 unless mode is TOLERANCE, found mode DEFAULT}}
  %r = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<DEFAULT>>} : tensor<3xf32>
  return
}

// -----

// result_accuracy: a mode
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected 'mode', found none}}
  %r = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<>} : tensor<3xf32>
  return
}

// -----

// add_c2
func.func @test(%a: tensor<3x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3xf32>) {
  // expected-error@+2 {{expected operands of compatible types, found 'tensor<3x!quant.uniform<i8:f32, 1.000000e+00>>' and 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.add"(%a, %b) : (tensor<3x!quant.uniform<i8:f32, 1.0>>, tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// add_c3
func.func @test(%a: tensor<3x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x!quant.uniform<i16:f32, 1.0>>) {
  // expected-error@+2 {{expected operands of compatible types, found 'tensor<3x!quant.uniform<i8:f32, 1.000000e+00>>' and 'tensor<3x!quant.uniform<i16:f32, 1.000000e+00>>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.add"(%a, %b) : (tensor<3x!quant.uniform<i8:f32, 1.0>>, tensor<3x!quant.uniform<i16:f32, 1.0>>) -> tensor<3x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// add_c4
func.func @test(%a: tensor<3x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x!quant.uniform<i8:f64, 1.0>>) {
  // expected-error@+2 {{expected operands of compatible types, found 'tensor<3x!quant.uniform<i8:f32, 1.000000e+00>>' and 'tensor<3x!quant.uniform<i8:f64, 1.000000e+00>>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.add"(%a, %b) : (tensor<3x!quant.uniform<i8:f32, 1.0>>, tensor<3x!quant.uniform<i8:f64, 1.0>>) -> tensor<3x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// add_c7
func.func @test(%a: tensor<2x2x!quant.uniform<i8:f32, 1.0>>, %b: tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) {
  // expected-error@+1 {{expected quantized dimension 0, found 1}}
  %r = "stablehlo.add"(%a, %b) : (tensor<2x2x!quant.uniform<i8:f32, 1.0>>, tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// atan2_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf32>', found 'tensor<3xf64>'}}
  %r = "stablehlo.atan2"(%a, %b) : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// divide_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf32>', found 'tensor<3xf64>'}}
  %r = "stablehlo.divide"(%a, %b) : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// maximum_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf32>', found 'tensor<3xf64>'}}
  %r = "stablehlo.maximum"(%a, %b) : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// minimum_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf32>', found 'tensor<3xf64>'}}
  %r = "stablehlo.minimum"(%a, %b) : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// multiply_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf32>', found 'tensor<3xf64>'}}
  %r = "stablehlo.multiply"(%a, %b) : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// power_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf32>', found 'tensor<3xf64>'}}
  %r = "stablehlo.power"(%a, %b) : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// remainder_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf32>', found 'tensor<3xf64>'}}
  %r = "stablehlo.remainder"(%a, %b) : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// subtract_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf32>', found 'tensor<3xf64>'}}
  %r = "stablehlo.subtract"(%a, %b) : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

// or_c1
func.func @test(%a: tensor<3xi32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xi32>', found 'tensor<3xi64>'}}
  %r = "stablehlo.or"(%a, %b) : (tensor<3xi32>, tensor<3xi64>) -> tensor<3xi32>
  return
}

// -----

// shift_left_c1
func.func @test(%a: tensor<3xi32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xi32>', found 'tensor<3xi64>'}}
  %r = "stablehlo.shift_left"(%a, %b) : (tensor<3xi32>, tensor<3xi64>) -> tensor<3xi32>
  return
}

// -----

// shift_right_arithmetic_c1
func.func @test(%a: tensor<3xi32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xi32>', found 'tensor<3xi64>'}}
  %r = "stablehlo.shift_right_arithmetic"(%a, %b) : (tensor<3xi32>, tensor<3xi64>) -> tensor<3xi32>
  return
}

// -----

// shift_right_logical_c1
func.func @test(%a: tensor<3xi32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xi32>', found 'tensor<3xi64>'}}
  %r = "stablehlo.shift_right_logical"(%a, %b) : (tensor<3xi32>, tensor<3xi64>) -> tensor<3xi32>
  return
}

// -----

// xor_c1
func.func @test(%a: tensor<3xi32>, %b: tensor<3xi64>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xi32>', found 'tensor<3xi64>'}}
  %r = "stablehlo.xor"(%a, %b) : (tensor<3xi32>, tensor<3xi64>) -> tensor<3xi32>
  return
}

// -----

// cbrt_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.cbrt"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// ceil_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.ceil"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// cosine_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.cosine"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// exponential_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.exponential"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// exponential_minus_one_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.exponential_minus_one"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// floor_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.floor"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// log_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.log"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// log_plus_one_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.log_plus_one"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// logistic_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.logistic"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// round_nearest_afz_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.round_nearest_afz"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// round_nearest_even_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.round_nearest_even"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// rsqrt_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.rsqrt"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// sign_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.sign"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// sine_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.sine"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// sqrt_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.sqrt"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// tan_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.tan"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// tanh_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xf64>', found 'tensor<3xf32>'}}
  %r = "stablehlo.tanh"(%a) : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// count_leading_zeros_c1
func.func @test(%a: tensor<3xi32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xi64>', found 'tensor<3xi32>'}}
  %r = "stablehlo.count_leading_zeros"(%a) : (tensor<3xi32>) -> tensor<3xi64>
  return
}

// -----

// not_c1
func.func @test(%a: tensor<3xi32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xi64>', found 'tensor<3xi32>'}}
  %r = "stablehlo.not"(%a) : (tensor<3xi32>) -> tensor<3xi64>
  return
}

// -----

// popcnt_c1
func.func @test(%a: tensor<3xi32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<3xi64>', found 'tensor<3xi32>'}}
  %r = "stablehlo.popcnt"(%a) : (tensor<3xi32>) -> tensor<3xi64>
  return
}

// -----

// complex_c2
func.func @test(%a: tensor<3xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{expected one shape of operands and results, found 'tensor<3xf32>' and 'tensor<4xcomplex<f32>>'}}
  %r = "stablehlo.complex"(%a, %b) : (tensor<3xf32>, tensor<3xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

// imag_c1
func.func @test(%a: tensor<3xcomplex<f32>>) {
  // expected-error@+1 {{expected one shape of operands and results, found 'tensor<3xcomplex<f32>>' and 'tensor<4xf32>'}}
  %r = "stablehlo.imag"(%a) : (tensor<3xcomplex<f32>>) -> tensor<4xf32>
  return
}

// -----

// real_c1
func.func @test(%a: tensor<3xcomplex<f32>>) {
  // expected-error@+1 {{expected one shape of operands and results, found 'tensor<3xcomplex<f32>>' and 'tensor<4xf32>'}}
  %r = "stablehlo.real"(%a) : (tensor<3xcomplex<f32>>) -> tensor<4xf32>
  return
}

// -----

// real_c2
func.func @test(%a: tensor<3xcomplex<f32>>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<3xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.real"(%a) : (tensor<3xcomplex<f32>>) -> tensor<3xf64>
  return
}
