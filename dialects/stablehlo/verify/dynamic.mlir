// Programs that the verifier rejects, one or more for each constraint of the
// dynamic family. The comment above a program names the constraint.

// dynamic_broadcast_in_dim_c1
func.func @test(%a: tensor<3xf32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{expected a result of element type 'f32', found 'f64'}}
  %r = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0] : (tensor<3xf32>, tensor<1xi32>) -> tensor<3xf64>
  return
}

// -----

// dynamic_broadcast_in_dim_c2
func.func @test(%a: tensor<3xf32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{expected broadcast_dimensions of 1 entries, found 0}}
  %r = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [] : (tensor<3xf32>, tensor<1xi32>) -> tensor<3xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c3
func.func @test(%a: tensor<3xf32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{expected broadcast_dimensions in the range [0, 1), found 1}}
  %r = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [1] : (tensor<3xf32>, tensor<1xi32>) -> tensor<3xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c4
func.func @test(%a: tensor<3x3xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{expected distinct values in broadcast_dimensions, found 0 twice}}
  %r = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0, 0] : (tensor<3x3xf32>, tensor<2xi32>) -> tensor<3x3xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c5
func.func @test(%a: tensor<3xf32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{operand dimension 0 has size 3; it must be 1 or match result dimension 0 of 'tensor<4xf32>'}}
  %r = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0] : (tensor<3xf32>, tensor<1xi32>) -> tensor<4xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c7
func.func @test(%a: tensor<3xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{expected output_dimensions of 1 entries, found 2}}
  %r = stablehlo.dynamic_broadcast_in_dim %a, %s, dims = [0] : (tensor<3xf32>, tensor<2xi32>) -> tensor<3xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c8
func.func @test(%a: tensor<3xf32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{expected distinct values in known expanding and nonexpanding dimensions, found 0 twice}}
  %r = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 0>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<3xf32>, tensor<1xi32>) -> tensor<3xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c9
func.func @test(%a: tensor<3xf32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{expected known expanding and nonexpanding dimensions in the range [0, 1), found 1}}
  %r = "stablehlo.dynamic_broadcast_in_dim"(%a, %s) {broadcast_dimensions = array<i64: 0>, known_expanding_dimensions = array<i64: 1>} : (tensor<3xf32>, tensor<1xi32>) -> tensor<3xf32>
  return
}

// -----

// dynamic_iota_c1
func.func @test(%s: tensor<1xi32>) {
  // expected-error@+1 {{expected iota_dimension in the range [0, 1), found 1}}
  %r = stablehlo.dynamic_iota %s, dim = 1 : (tensor<1xi32>) -> tensor<?xi32>
  return
}

// -----

// dynamic_iota_c2
func.func @test(%s: tensor<2xi32>) {
  // expected-error@+1 {{expected output_shape of 1 entries, found 2}}
  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<?xi32>
  return
}

// -----

// dynamic_pad_c1
func.func @test(%a: tensor<?xf32>, %p: tensor<f64>, %s: tensor<1xi32>) {
  // expected-error@+1 {{expected a padding value and a result of element type 'f32', found 'tensor<f64>'}}
  %r = stablehlo.dynamic_pad %a, %p, %s, %s, %s : (tensor<?xf32>, tensor<f64>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

// dynamic_pad_c2
func.func @test(%a: tensor<?xf32>, %p: tensor<f32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{expected edge_padding_low of 1 entries, found 2}}
  %r = stablehlo.dynamic_pad %a, %p, %s, %s, %s : (tensor<?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xf32>
  return
}

// -----

// dynamic_reshape_c1
func.func @test(%a: tensor<?xf32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{expected a result of element type 'f32', found 'f64'}}
  %r = stablehlo.dynamic_reshape %a, %s : (tensor<?xf32>, tensor<1xi32>) -> tensor<?xf64>
  return
}

// -----

// dynamic_reshape_c2
func.func @test(%a: tensor<3xf32>, %s: tensor<1xi32>) {
  // expected-error@+1 {{expected a result of 3 elements, found 4}}
  %r = stablehlo.dynamic_reshape %a, %s : (tensor<3xf32>, tensor<1xi32>) -> tensor<4xf32>
  return
}

// -----

// dynamic_reshape_c4
func.func @test(%a: tensor<?xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{expected output_shape of 1 entries, found 2}}
  %r = stablehlo.dynamic_reshape %a, %s : (tensor<?xf32>, tensor<2xi32>) -> tensor<?xf32>
  return
}

// -----

// get_dimension_size_c1
func.func @test(%a: tensor<?xf32>) {
  // expected-error@+2 {{expected dimension in the range [0, 1), found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.get_dimension_size %a, dim = 1 : (tensor<?xf32>) -> tensor<i32>
  return
}

// -----

// real_dynamic_slice_c2
func.func @test(%a: tensor<?xf32>, %s: tensor<2xi32>) {
  // expected-error@+1 {{expected start_indices of 1 entries, found 2}}
  %r = stablehlo.real_dynamic_slice %a, %s, %s, %s : (tensor<?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xf32>
  return
}

// -----

// set_dimension_size_c1
func.func @test(%a: tensor<3xf32>, %s: tensor<i32>) {
  // expected-error@+2 {{expected dimension in the range [0, 1), found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.set_dimension_size %a, %s, dim = 1 : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----

// real_dynamic_slice_c2
func.func @test(%a: tensor<?xf32>, %s: tensor<?xi32>) {
  // expected-error@+1 {{expected start_indices of known length, found 'tensor<?xi32>'}}
  %r = stablehlo.real_dynamic_slice %a, %s, %s, %s : (tensor<?xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> tensor<?xf32>
  return
}

// -----

// dynamic_reshape_c1: quantized per tensor
func.func @test(%a: tensor<4x!quant.uniform<i8:f32, 1.0>>, %s: tensor<1xi32>) {
  // expected-error@+1 {{expected a result of element type '!quant.uniform<i8:f32, 1.000000e+00>', found '!quant.uniform<i8:f32, 2.000000e+00>'}}
  %r = stablehlo.dynamic_reshape %a, %s : (tensor<4x!quant.uniform<i8:f32, 1.0>>, tensor<1xi32>) -> tensor<?x!quant.uniform<i8:f32, 2.0>>
  return
}

// -----

// dynamic_pad_c3
func.func @test(%a: tensor<3xf32>, %b: tensor<f32>) {
  %z = stablehlo.constant dense<[0]> : tensor<1xi32>
  %n = stablehlo.constant dense<[-1]> : tensor<1xi32>
  // expected-error@+1 {{expected interior_padding of at least 0, found -1}}
  %r = stablehlo.dynamic_pad %a, %b, %z, %z, %n : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

// dynamic_pad_c4
func.func @test(%a: tensor<3xf32>, %b: tensor<f32>) {
  %z = stablehlo.constant dense<[0]> : tensor<1xi32>
  %n = stablehlo.constant dense<[1]> : tensor<1xi32>
  // expected-error@+1 {{expected a result of length 4 along dimension 0, found 5}}
  %r = stablehlo.dynamic_pad %a, %b, %n, %z, %z : (tensor<3xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<5xf32>
  return
}

// -----

// dynamic_broadcast_in_dim_c10
func.func @test(%a: tensor<3xf32>, %b: tensor<1xi32>) {
  // expected-error@+1 {{expected known expanding and nonexpanding dimensions in the range [0, 1), found -1}}
  %r = "stablehlo.dynamic_broadcast_in_dim"(%a, %b) {broadcast_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: -1>} : (tensor<3xf32>, tensor<1xi32>) -> tensor<3xf32>
  return
}

// -----

// real_dynamic_slice_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<1xi32>) {
  // expected-error@+1 {{expected a result of element type 'f32', found 'tensor<?xf64>'}}
  %r = stablehlo.real_dynamic_slice %a, %b, %b, %b : (tensor<3xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf64>
  return
}

// -----

// dynamic_broadcast_in_dim_c6
func.func @test(%a: tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %b: tensor<3xi32>) {
  // expected-error@+1 {{expected quantized dimension 0, found 2}}
  %r = stablehlo.dynamic_broadcast_in_dim %a, %b, dims = [0, 1] : (tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<3xi32>) -> tensor<2x3x2x!quant.uniform<i8:f32:2, {1.0, 2.0}>>
  return
}

// -----

// dynamic_broadcast_in_dim_c6
func.func @test(%a: tensor<1x3x!quant.uniform<i8:f32:0, {1.0}>>, %b: tensor<2xi32>) {
  // expected-error@+1 {{expected the operand's only scale and zero point, 1.000000e+00:0, all along the result, found 2.000000e+00:0}}
  %r = stablehlo.dynamic_broadcast_in_dim %a, %b, dims = [0, 1] : (tensor<1x3x!quant.uniform<i8:f32:0, {1.0}>>, tensor<2xi32>) -> tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// dynamic_reshape_c3
func.func @test(%a: tensor<2x3x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %b: tensor<3xi32>) {
  // expected-error@+1 {{expected the quantized dimension 0 of 'tensor<2x3x2x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>' to be kept, found 1 of 'tensor<3x2x2x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>'}}
  %r = stablehlo.dynamic_reshape %a, %b : (tensor<2x3x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<3xi32>) -> tensor<3x2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

// dynamic_reshape_c1
func.func @test(%a: tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, %b: tensor<2xi32>) {
  // expected-error@+1 {{expected a result with the scales and zero points of '!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>', found '!quant.uniform<i8:f32:0, {1.000000e+00,5.000000e+00}>'}}
  %r = stablehlo.dynamic_reshape %a, %b : (tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>, tensor<2xi32>) -> tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 5.0}>>
  return
}
