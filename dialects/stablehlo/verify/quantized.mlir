// Programs that the verifier rejects, one or more for each constraint of the
// quantized family. The comment above a program names the constraint.

// uniform_dequantize_c2
func.func @test(%a: tensor<3x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<3xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.uniform_dequantize %a : (tensor<3x!quant.uniform<i8:f32, 1.0>>) -> tensor<3xf64>
  return
}

// -----

// uniform_quantize_c2
func.func @test(%a: tensor<3xf64>) {
  // expected-error@+1 {{expected a result that expresses 'f64', found '!quant.uniform<i8:f32, 1.000000e+00>'}}
  %r = stablehlo.uniform_quantize %a : (tensor<3xf64>) -> tensor<3x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// quantized_type_c7
func.func @test(%a: tensor<3x!quant.uniform<i8<3:127>:f32, 1.0>>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of per-tensor quantized or per-axis quantized (with a scale for each index) values, but got 'tensor<3x!quant.uniform<i8<3:127>:f32, 1.000000e+00>>'}}
  %r = stablehlo.uniform_dequantize %a : (tensor<3x!quant.uniform<i8<3:127>:f32, 1.0>>) -> tensor<3xf32>
  return
}

// -----

// quantized_type_c12
func.func @test(%a: tensor<2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of per-tensor quantized or per-axis quantized (with a scale for each index) values, but got 'tensor<2x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>'}}
  %r = stablehlo.uniform_dequantize %a : (tensor<2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) -> tensor<2xf32>
  return
}

// -----

// quantized_type_c13
func.func @test(%a: tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of per-tensor quantized or per-axis quantized (with a scale for each index) values, but got 'tensor<3x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>'}}
  %r = stablehlo.uniform_dequantize %a : (tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<3xf32>
  return
}

// -----

// uniform_dequantize_c1
func.func @test(%a: tensor<3x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{expected one shape of operands and results, found 'tensor<3x!quant.uniform<i8:f32, 1.000000e+00>>' and 'tensor<4xf32>'}}
  %r = "stablehlo.uniform_dequantize"(%a) : (tensor<3x!quant.uniform<i8:f32, 1.0>>) -> tensor<4xf32>
  return
}

// -----

// uniform_quantize_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected one shape of operands and results, found 'tensor<3xf32>' and 'tensor<4x!quant.uniform<i8:f32, 1.000000e+00>>'}}
  %r = "stablehlo.uniform_quantize"(%a) : (tensor<3xf32>) -> tensor<4x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// quantized_type_c6
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{result #0 must be ranked tensor of per-tensor quantized or per-axis quantized (with a scale for each index) values, but got 'tensor<3x!quant.uniform<i8:f32,}}
  %r = stablehlo.uniform_quantize %a : (tensor<3xf32>) -> tensor<3x!quant.uniform<i8:f32, 0x7FF8000000000000>>
  return
}
