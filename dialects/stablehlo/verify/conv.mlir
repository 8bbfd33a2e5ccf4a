// Programs that the verifier rejects, one or more for each constraint of the
// conv family. The comment above a program names the constraint.

// convolution_c1
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x4x8xf32>) {
  // expected-error@+1 {{expected operands of equal rank, found 'tensor<1x8x8x4xf32>' and 'tensor<3x4x8xf32>'}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c2
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected window strides of 2 entries, found 1}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c3
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected positive window strides, found 0 for dimension 1}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 0]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c4
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected padding of 2 entries, found 1}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c5
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected base dilations of 2 entries, found 1}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c6
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected positive base dilations, found 0 for dimension 0}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [0, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c7
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected window dilations of 2 entries, found 1}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c8
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected positive window dilations, found -1 for dimension 1}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {rhs_dilate = [1, -1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c9
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected window reversal of 2 entries, found 1}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c10
func.func @test(%a: tensor<3x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected the input batch dimension to be divisible by batch_group_count 2, found 3}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<3x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c11
func.func @test(%a: tensor<1x8x8x5xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected the input feature dimension to be divisible by feature_group_count 2, found 5}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x8x5xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c12
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected input dimensions of 4 entries, found 3}}
  %r = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c13
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected distinct values in input dimensions, found 0 twice}}
  %r = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 0, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c13
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected input dimensions in the range [0, 4), found 4}}
  %r = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 4, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c14
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x3x8xf32>) {
  // expected-error@+1 {{expected a kernel input feature dimension of 4, found 3}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x3x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c15
func.func @test(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x7xf32>) {
  // expected-error@+1 {{expected the kernel output feature dimension to be divisible by batch_group_count 2, found 7}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x4x7xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c16
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x2x7xf32>) {
  // expected-error@+1 {{expected the kernel output feature dimension to be divisible by feature_group_count 2, found 7}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x2x7xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c17
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected kernel dimensions of 4 entries, found 3}}
  %r = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c18
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected distinct values in kernel dimensions, found 3 twice}}
  %r = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 3], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c19
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected output dimensions of 4 entries, found 3}}
  %r = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c20
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected output dimensions in the range [0, 4), found -1}}
  %r = "stablehlo.convolution"(%a, %b) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, -1]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c21
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.convolution' 'stablehlo.convolution' op attribute 'feature_group_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c22
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{custom op 'stablehlo.convolution' 'stablehlo.convolution' op attribute 'batch_group_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 0 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c23
func.func @test(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x2x8xf32>) {
  // expected-error@+1 {{expected feature_group_count or batch_group_count to be 1, found 2 and 2}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<2x8x8x4xf32>, tensor<3x3x2x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c24
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected precision_config of at most 2 entries, found 3}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c25
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected a result of shape 'tensor<1x6x6x8xf32>', found 'tensor<1x5x6x8xf32>'}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x5x6x8xf32>
  return
}

// -----

// convolution_c26
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected a result of shape 'tensor<1x6x6x8xf32>', found 'tensor<1x6x6x4xf32>'}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

// convolution_c28
func.func @test(%a: tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x8xf32>) {
  // expected-error@+1 {{expected all types or only rhs to be quantized, found '!quant.uniform<i8:f32, 1.000000e+00>', 'f32' and '!quant.uniform<i8:f32, 1.000000e+00>'}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// dynamic_conv_c4
func.func @test(%a: tensor<1x8x4xf32>, %b: tensor<3x4x8xf32>, %p: tensor<2x2xi32>) {
  // expected-error@+1 {{expected padding of shape [1, 2], found 'tensor<2x2xi32>'}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>} : (tensor<1x8x4xf32>, tensor<3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x8xf32>
  return
}

// -----

// convolution_c27
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf64>) {
  // expected-error@+1 {{expected operands of one element type, found 'f32' and 'f64'}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf64>) -> tensor<1x6x6x8xf32>
  return
}

// -----

// convolution_c29
func.func @test(%a: tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x8x!quant.uniform<i8:f32:2, {1.0, 1.0, 1.0, 1.0}>>) {
  // expected-error@+1 {{expected rhs to be quantized along its output feature dimension 3, found 2}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x8x!quant.uniform<i8:f32:2, {1.0, 1.0, 1.0, 1.0}>>) -> tensor<1x6x6x8x!quant.uniform<i32:f32:3, {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}>>
  return
}

// -----

// convolution_c30
func.func @test(%a: tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x8x!quant.uniform<i8:f32:3, {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}>>) {
  // expected-error@+1 {{expected the result to be quantized along its feature dimension 3, found 0}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x8x!quant.uniform<i8:f32:3, {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}>>) -> tensor<1x6x6x8x!quant.uniform<i32:f32:0, {1.0}>>
  return
}

// -----

// convolution_c31
func.func @test(%a: tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x8x!quant.uniform<i16:f32, 1.0>>) {
  // expected-error@+1 {{expected operands of one storage type, found '!quant.uniform<i8:f32, 1.000000e+00>' and '!quant.uniform<i16:f32, 1.000000e+00>'}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x8x!quant.uniform<i16:f32, 1.0>>) -> tensor<1x6x6x8x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// convolution_c32
func.func @test(%a: tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x8x!quant.uniform<i8:f64, 1.0>>) {
  // expected-error@+1 {{expected one expressed type, found '!quant.uniform<i8:f32, 1.000000e+00>', '!quant.uniform<i8:f64, 1.000000e+00>' and '!quant.uniform<i8:f32, 1.000000e+00>'}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x8x!quant.uniform<i8:f64, 1.0>>) -> tensor<1x6x6x8x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// convolution_c33
func.func @test(%a: tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x8x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{expected a per-tensor quantized result, as rhs is, found '!quant.uniform<i32:f32:3, {1.000000e+00,1.000000e+00,1.000000e+00,1.000000e+00,1.000000e+00,1.000000e+00,1.000000e+00,1.000000e+00}>'}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x8x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x6x6x8x!quant.uniform<i32:f32:3, {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0}>>
  return
}

// -----

// convolution_c34
func.func @test(%a: tensor<1x8x8x4xf64>, %b: tensor<3x3x4x8x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{expected the expressed type of rhs to be the element type of lhs and the result, found 'f64', '!quant.uniform<i8:f32, 1.000000e+00>' and 'f64'}}
  %r = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf64>, tensor<3x3x4x8x!quant.uniform<i8:f32, 1.0>>) -> tensor<1x6x6x8xf64>
  return
}

// -----

// dynamic_conv_c2
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>, %p: tensor<2x2xi32>) {
  // expected-error@+1 {{expected window strides of 2 entries, found 1}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c3
func.func @test(%a: tensor<1x8x4xf32>, %b: tensor<3x4x8xf32>, %p: tensor<1x2xi32>) {
  // expected-error@+1 {{expected positive window strides, found 0 for dimension 0}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, window_strides = array<i64: 0>} : (tensor<1x8x4xf32>, tensor<3x4x8xf32>, tensor<1x2xi32>) -> tensor<1x?x8xf32>
  return
}

// -----

// dynamic_conv_c5
func.func @test(%a: tensor<1x8x4xf32>, %b: tensor<3x4x8xf32>, %p: tensor<1x2xi32>) {
  // expected-error@+1 {{expected base dilations of 1 entries, found 2}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, lhs_dilation = array<i64: 1, 1>} : (tensor<1x8x4xf32>, tensor<3x4x8xf32>, tensor<1x2xi32>) -> tensor<1x?x8xf32>
  return
}

// -----

// dynamic_conv_c6
func.func @test(%a: tensor<1x8x4xf32>, %b: tensor<3x4x8xf32>, %p: tensor<1x2xi32>) {
  // expected-error@+1 {{expected positive base dilations, found 0 for dimension 0}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, lhs_dilation = array<i64: 0>} : (tensor<1x8x4xf32>, tensor<3x4x8xf32>, tensor<1x2xi32>) -> tensor<1x?x8xf32>
  return
}

// -----

// dynamic_conv_c7
func.func @test(%a: tensor<1x8x4xf32>, %b: tensor<3x4x8xf32>, %p: tensor<1x2xi32>) {
  // expected-error@+1 {{expected window dilations of 1 entries, found 2}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, rhs_dilation = array<i64: 1, 1>} : (tensor<1x8x4xf32>, tensor<3x4x8xf32>, tensor<1x2xi32>) -> tensor<1x?x8xf32>
  return
}

// -----

// dynamic_conv_c8
func.func @test(%a: tensor<1x8x4xf32>, %b: tensor<3x4x8xf32>, %p: tensor<1x2xi32>) {
  // expected-error@+1 {{expected positive window dilations, found -1 for dimension 0}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, rhs_dilation = array<i64: -1>} : (tensor<1x8x4xf32>, tensor<3x4x8xf32>, tensor<1x2xi32>) -> tensor<1x?x8xf32>
  return
}

// -----

// dynamic_conv_c9
func.func @test(%a: tensor<1x8x4xf32>, %b: tensor<3x4x8xf32>, %p: tensor<1x2xi32>) {
  // expected-error@+1 {{expected window reversal of 1 entries, found 2}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, window_reversal = array<i1: true, false>} : (tensor<1x8x4xf32>, tensor<3x4x8xf32>, tensor<1x2xi32>) -> tensor<1x?x8xf32>
  return
}

// -----

// dynamic_conv_c24
func.func @test(%a: tensor<1x8x4xf32>, %b: tensor<3x4x8xf32>, %p: tensor<1x2xi32>) {
  // expected-error@+1 {{expected precision_config of at most 2 entries, found 3}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x8x4xf32>, tensor<3x4x8xf32>, tensor<1x2xi32>) -> tensor<1x?x8xf32>
  return
}

// -----

// dynamic_conv_c27
func.func @test(%a: tensor<1x8x4xf32>, %b: tensor<3x4x8xf64>, %p: tensor<1x2xi32>) {
  // expected-error@+1 {{expected operands of one element type, found 'f32' and 'f64'}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>} : (tensor<1x8x4xf32>, tensor<3x4x8xf64>, tensor<1x2xi32>) -> tensor<1x?x8xf32>
  return
}

// -----

// dynamic_conv_c28
func.func @test(%a: tensor<1x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x4x8xf32>, %p: tensor<1x2xi32>) {
  // expected-error@+1 {{expected all types or only rhs to be quantized, found '!quant.uniform<i8:f32, 1.000000e+00>', 'f32' and '!quant.uniform<i8:f32, 1.000000e+00>'}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>} : (tensor<1x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x4x8xf32>, tensor<1x2xi32>) -> tensor<1x?x8x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// dynamic_conv_c34
func.func @test(%a: tensor<1x8x4xf64>, %b: tensor<3x4x8x!quant.uniform<i8:f32, 1.0>>, %p: tensor<1x2xi32>) {
  // expected-error@+1 {{expected the expressed type of rhs to be the element type of lhs and the result, found 'f64', '!quant.uniform<i8:f32, 1.000000e+00>' and 'f64'}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>} : (tensor<1x8x4xf64>, tensor<3x4x8x!quant.uniform<i8:f32, 1.0>>, tensor<1x2xi32>) -> tensor<1x?x8xf64>
  return
}

// -----

// dynamic_conv_c1
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x4x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected operands of equal rank, found 'tensor<1x8x8x4xf32>' and 'tensor<3x4x8xf32>'}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c10
func.func @test(%a: tensor<3x8x8x4xf32>, %b: tensor<3x3x4x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected the input batch dimension to be divisible by batch_group_count 2, found 3}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 2 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<3x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c11
func.func @test(%a: tensor<1x8x8x5xf32>, %b: tensor<3x3x4x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected the input feature dimension to be divisible by feature_group_count 2, found 5}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x5xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c12
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>, %c: tensor<1x2xi32>) {
  // expected-error@+1 {{expected input dimensions of 4 entries, found 3}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<1x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c13
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected distinct values in input dimensions, found 0 twice}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 0, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c13
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected input dimensions in the range [0, 4), found 4}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 4, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c14
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x3x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected a kernel input feature dimension of 4, found 3}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x3x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c15
func.func @test(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x4x7xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected the kernel output feature dimension to be divisible by batch_group_count 2, found 7}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 2 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<2x8x8x4xf32>, tensor<3x3x4x7xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c16
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x2x7xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected the kernel output feature dimension to be divisible by feature_group_count 2, found 7}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x2x7xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c17
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected kernel dimensions of 4 entries, found 3}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c18
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected distinct values in kernel dimensions, found 3 twice}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 3], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c19
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected output dimensions of 4 entries, found 3}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c20
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected output dimensions in the range [0, 4), found -1}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, -1]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c21
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{attribute 'feature_group_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 0 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c22
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{attribute 'batch_group_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 0 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c23
func.func @test(%a: tensor<2x8x8x4xf32>, %b: tensor<3x3x2x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected feature_group_count or batch_group_count to be 1, found 2 and 2}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 2 : i64, feature_group_count = 2 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<2x8x8x4xf32>, tensor<3x3x2x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x8xf32>
  return
}

// -----

// dynamic_conv_c25
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected a result of shape 'tensor<1x?x?x8xf32>', found 'tensor<1x?x?x7xf32>'}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x?x7xf32>
  return
}

// -----

// dynamic_conv_c26
func.func @test(%a: tensor<1x8x8x4xf32>, %b: tensor<3x3x4x8xf32>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected a result of shape 'tensor<1x?x?x8xf32>', found 'tensor<1x?x8xf32>'}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>, tensor<2x2xi32>) -> tensor<1x?x8xf32>
  return
}

// -----

// dynamic_conv_c31
func.func @test(%a: tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x8x!quant.uniform<i16:f32, 1.0>>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected operands of one storage type, found '!quant.uniform<i8:f32, 1.000000e+00>' and '!quant.uniform<i16:f32, 1.000000e+00>'}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x8x!quant.uniform<i16:f32, 1.0>>, tensor<2x2xi32>) -> tensor<1x?x?x8x!quant.uniform<i32:f32, 1.0>>
  return
}

// -----

// dynamic_conv_c32
func.func @test(%a: tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x3x4x8x!quant.uniform<i8:f64, 1.0>>, %c: tensor<2x2xi32>) {
  // expected-error@+1 {{expected one expressed type, found '!quant.uniform<i8:f32, 1.000000e+00>', '!quant.uniform<i8:f64, 1.000000e+00>' and '!quant.uniform<i32:f32, 1.000000e+00>'}}
  %r = "stablehlo.dynamic_conv"(%a, %b, %c) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<raw input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2]>} : (tensor<1x8x8x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x3x4x8x!quant.uniform<i8:f64, 1.0>>, tensor<2x2xi32>) -> tensor<1x?x?x8x!quant.uniform<i32:f32, 1.0>>
  return
}
