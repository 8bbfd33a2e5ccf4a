// Programs that the verifier rejects, one or more for each constraint of the
// shape family. The comment above a program names the constraint.

// broadcast_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{expected broadcast_sizes that are not negative, found -1}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.broadcast %a, sizes = [-1] : (tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

// broadcast_c2
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<1x3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.broadcast %a, sizes = [2] : (tensor<3xf32>) -> tensor<1x3xf32>
  return
}

// -----

// broadcast_in_dim_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible element types for all operands and results: expected 'f32', found 'f64'}}
  %r = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xf32>) -> tensor<3xf64>
  return
}

// -----

// broadcast_in_dim_c2
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected broadcast_dimensions of 1 entries, found 0}}
  %r = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// broadcast_in_dim_c3
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected broadcast_dimensions in the range [0, 1), found 1}}
  %r = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// broadcast_in_dim_c4
func.func @test(%a: tensor<3x3xf32>) {
  // expected-error@+1 {{expected distinct values in broadcast_dimensions, found 0 twice}}
  %r = stablehlo.broadcast_in_dim %a, dims = [0, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

// broadcast_in_dim_c5
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{operand dimension 0 has size 3; it must be 1 or match result dimension 0 of 'tensor<4xf32>'}}
  %r = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// broadcast_in_dim_c6
func.func @test(%a: tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{expected quantized dimension 1, found 0}}
  %r = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// concatenate_c1
func.func @test(%a: tensor<3xf32>, %b: tensor<3xf64>) {
  // expected-error@+1 {{expected one element type of operands and results, found 'tensor<3xf32>' and 'tensor<3xf64>'}}
  %r = stablehlo.concatenate %a, %b, dim = 0 : (tensor<3xf32>, tensor<3xf64>) -> tensor<6xf32>
  return
}

// -----

// concatenate_c2
func.func @test(%a: tensor<3x1xf32>, %b: tensor<4x1xf32>) {
  // expected-error@+2 {{expected inputs of equal length along dimension 0, found 3 and 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.concatenate %a, %b, dim = 1 : (tensor<3x1xf32>, tensor<4x1xf32>) -> tensor<3x2xf32>
  return
}

// -----

// concatenate_c3
func.func @test() {
  // expected-error@+2 {{expected at least one input, found none}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.concatenate"() {dimension = 0 : i64} : () -> tensor<6xf32>
  return
}

// -----

// concatenate_c4
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{expected dimension in the range [0, 1), found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.concatenate %a, dim = 1 : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// concatenate_c6
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<6xf32>' are incompatible with return type(s) of operation 'tensor<7xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.concatenate %a, %a, dim = 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<7xf32>
  return
}

// -----

// dynamic_slice_c1
func.func @test(%a: tensor<3xf32>, %i: tensor<i32>) {
  // expected-error@+1 {{expected a result of element type 'f32', found 'tensor<2xf64>'}}
  %r = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<3xf32>, tensor<i32>) -> tensor<2xf64>
  return
}

// -----

// dynamic_slice_c2
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{expected start_indices of 1 entries, found 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_slice"(%a) {slice_sizes = array<i64: 2>} : (tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// dynamic_slice_c3
func.func @test(%a: tensor<3x3xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+2 {{expected start_indices of one type, found 'tensor<i32>' and 'tensor<i64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.dynamic_slice %a, %i, %j, sizes = [2, 2] : (tensor<3x3xf32>, tensor<i32>, tensor<i64>) -> tensor<2x2xf32>
  return
}

// -----

// dynamic_slice_c4
func.func @test(%a: tensor<3xf32>, %i: tensor<i32>) {
  // expected-error@+2 {{expected slice_sizes between 0 and the operand's length, 3, found 4 for dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.dynamic_slice %a, %i, sizes = [4] : (tensor<3xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

// dynamic_slice_c5
func.func @test(%a: tensor<3xf32>, %i: tensor<i32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<3xf32>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----

// dynamic_update_slice_c1
func.func @test(%a: tensor<3xf32>, %u: tensor<2xf32>, %i: tensor<i32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<2xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<3xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  return
}

// -----

// dynamic_update_slice_c2
func.func @test(%a: tensor<3xf32>, %u: tensor<2xf64>, %i: tensor<i32>) {
  // expected-error@+2 {{expected an update of element type 'f32', found 'tensor<2xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<3xf32>, tensor<2xf64>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----

// dynamic_update_slice_c3
func.func @test(%a: tensor<3xf32>, %u: tensor<f32>, %i: tensor<i32>) {
  // expected-error@+2 {{expected an update of rank 1, found 'tensor<f32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<3xf32>, tensor<f32>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----

// dynamic_update_slice_c4
func.func @test(%a: tensor<3xf32>, %u: tensor<2xf32>) {
  // expected-error@+2 {{expected start_indices of 1 entries, found 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.dynamic_update_slice %a, %u : (tensor<3xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

// dynamic_update_slice_c5
func.func @test(%a: tensor<3x3xf32>, %u: tensor<2x2xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error@+2 {{expected start_indices of one type, found 'tensor<i32>' and 'tensor<i64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.dynamic_update_slice %a, %u, %i, %j : (tensor<3x3xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i64>) -> tensor<3x3xf32>
  return
}

// -----

// dynamic_update_slice_c6
func.func @test(%a: tensor<3xf32>, %u: tensor<4xf32>, %i: tensor<i32>) {
  // expected-error@+2 {{expected an update of at most the operand's length, 3, found 4 for dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<3xf32>, tensor<4xf32>, tensor<i32>) -> tensor<3xf32>
  return
}

// -----

// pad_c1
func.func @test(%a: tensor<3xf32>, %p: tensor<f64>) {
  // expected-error@+1 {{expected one element type of operands and results, found 'tensor<3xf32>' and 'tensor<f64>'}}
  %r = stablehlo.pad %a, %p, low = [0], high = [0], interior = [0] : (tensor<3xf32>, tensor<f64>) -> tensor<3xf32>
  return
}

// -----

// pad_c2
func.func @test(%a: tensor<3xf32>, %p: tensor<f32>) {
  // expected-error@+2 {{expected edge_padding_low of 1 entries, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.pad %a, %p, low = [0, 0], high = [0], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// pad_c3
func.func @test(%a: tensor<3xf32>, %p: tensor<f32>) {
  // expected-error@+2 {{expected interior_padding of at least 0, found -1 for dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.pad %a, %p, low = [0], high = [0], interior = [-1] : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

// pad_c4
func.func @test(%a: tensor<3xf32>, %p: tensor<f32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<8xf32>' are incompatible with return type(s) of operation 'tensor<7xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.pad %a, %p, low = [1], high = [2], interior = [1] : (tensor<3xf32>, tensor<f32>) -> tensor<7xf32>
  return
}

// -----

// pad_c4
func.func @test(%a: tensor<3xf32>, %p: tensor<f32>) {
  // expected-error@+2 {{expected padding that leaves a length of at least 0, found -1 for dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.pad %a, %p, low = [-4], high = [0], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<0xf32>
  return
}

// -----

// reshape_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible element types for all operands and results: expected 'f32', found 'f64'}}
  %r = stablehlo.reshape %a : (tensor<3xf32>) -> tensor<3x1xf64>
  return
}

// -----

// reshape_c2
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected a result of 3 elements, found 4}}
  %r = stablehlo.reshape %a : (tensor<3xf32>) -> tensor<2x2xf32>
  return
}

// -----

// reshape_c3
func.func @test(%a: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{expected the quantized dimension 0 of 'tensor<2x2x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>' to be kept, found 1 of 'tensor<2x2x!quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>>'}}
  %r = stablehlo.reshape %a : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>
  return
}

// -----

// reverse_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{requires compatible types for all operands and results: expected 'tensor<4xf32>', found 'tensor<3xf32>'}}
  %r = "stablehlo.reverse"(%a) {dimensions = array<i64: 0>} : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// reverse_c2
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected distinct values in dimensions, found 0 twice}}
  %r = stablehlo.reverse %a, dims = [0, 0] : tensor<3xf32>
  return
}

// -----

// reverse_c3
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected dimensions in the range [0, 1), found 1}}
  %r = stablehlo.reverse %a, dims = [1] : tensor<3xf32>
  return
}

// -----

// slice_c1
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected one element type of operands and results, found 'tensor<3xf32>' and 'tensor<2xf64>'}}
  %r = stablehlo.slice %a [0:2] : (tensor<3xf32>) -> tensor<2xf64>
  return
}

// -----

// slice_c2
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{expected start_indices of 1 entries, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.slice %a [0:2, 0:1] : (tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// slice_c3
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{expected 0 <= start <= limit for dimension 0, found start -1 and limit 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.slice %a [-1:2] : (tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// slice_c3
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{expected a limit of at most 3 for dimension 0, found 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.slice %a [0:4] : (tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

// slice_c4
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{expected a positive stride for dimension 0, found 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.slice %a [0:2:0] : (tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

// slice_c5
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.slice %a [0:3:2] : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// transpose_c1
func.func @test(%a: tensor<3x2xf32>) {
  // expected-error@+1 {{requires compatible element types for all operands and results: expected 'f32', found 'f64'}}
  %r = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf64>
  return
}

// -----

// transpose_c2
func.func @test(%a: tensor<3x2xf32>) {
  // expected-error@+2 {{expected distinct values in permutation, found 1 twice}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.transpose %a, dims = [1, 1] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// transpose_c2
func.func @test(%a: tensor<3x2xf32>) {
  // expected-error@+2 {{expected permutation in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.transpose %a, dims = [1, 2] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// transpose_c3
func.func @test(%a: tensor<3x2xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3x2xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// broadcast_in_dim_c5: a bounded result
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{operand dimension 0 has size 3; it must be 1 or match result dimension 0 of 'tensor<?xf32, #stablehlo.bounds<8>>'}}
  %r = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3xf32>) -> tensor<?xf32, #stablehlo.bounds<8>>
  return
}

// -----

// transpose_c4
func.func @test(%a: tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{expected the quantized dimension 0 to move along, found 0 in 'tensor<2x2x!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>>'}}
  %r = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// reshape_c1: quantized per tensor
func.func @test(%a: tensor<4x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{expected a result of element type '!quant.uniform<i8:f32, 1.000000e+00>', found '!quant.uniform<i8:f32, 2.000000e+00>'}}
  %r = stablehlo.reshape %a : (tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32, 2.0>>
  return
}

// -----

// reshape_c1: per tensor and per axis
func.func @test(%a: tensor<4x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{requires compatible element types for all operands and results: expected '!quant.uniform<i8:f32, 1.000000e+00>', found '!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>'}}
  %r = stablehlo.reshape %a : (tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// dynamic_slice_c1: quantized
func.func @test(%a: tensor<4x!quant.uniform<i8:f32, 1.0>>, %i: tensor<i32>) {
  // expected-error@+1 {{expected a result of element type '!quant.uniform<i8:f32, 1.000000e+00>', found 'tensor<2x!quant.uniform<i8:f32, 2.000000e+00>>'}}
  %r = stablehlo.dynamic_slice %a, %i, sizes = [2] : (tensor<4x!quant.uniform<i8:f32, 1.0>>, tensor<i32>) -> tensor<2x!quant.uniform<i8:f32, 2.0>>
  return
}

// -----

// concatenate_c5
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected one element type of operands and results, found 'tensor<3xf32>' and 'tensor<6xf64>'}}
  %r = "stablehlo.concatenate"(%a, %a) {dimension = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf64>
  return
}

// -----

// broadcast_in_dim_c6
func.func @test(%a: tensor<1x3x!quant.uniform<i8:f32:0, {1.0}>>) {
  // expected-error@+1 {{expected the operand's only scale and zero point, 1.000000e+00:0, all along the result, found 2.000000e+00:0}}
  %r = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<1x3x!quant.uniform<i8:f32:0, {1.0}>>) -> tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>
  return
}

// -----

// reshape_c1
func.func @test(%a: tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{expected a result with the scales and zero points of '!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>', found '!quant.uniform<i8:f32:0, {1.000000e+00,5.000000e+00}>'}}
  %r = stablehlo.reshape %a : (tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 5.0}>>
  return
}

// -----

// transpose_c1
func.func @test(%a: tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  // expected-error@+1 {{expected a result with the scales and zero points of '!quant.uniform<i8:f32:0, {1.000000e+00,2.000000e+00}>', found '!quant.uniform<i8:f32:1, {1.000000e+00,5.000000e+00}>'}}
  %r = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {1.0, 5.0}>>
  return
}

// -----

// transpose_c1
func.func @test(%a: tensor<2x3x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{expected a result of element type '!quant.uniform<i8:f32, 1.000000e+00>', found '!quant.uniform<i8:f32, 2.000000e+00>'}}
  %r = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32, 1.0>>) -> tensor<3x2x!quant.uniform<i8:f32, 2.0>>
  return
}

// -----

// broadcast_in_dim_c1
func.func @test(%a: tensor<3x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{expected a result of element type '!quant.uniform<i8:f32, 1.000000e+00>', found '!quant.uniform<i8:f32, 2.000000e+00>'}}
  %r = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<3x!quant.uniform<i8:f32, 1.0>>) -> tensor<3x!quant.uniform<i8:f32, 2.0>>
  return
}

// -----

// reverse_c1
func.func @test(%a: tensor<3x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{expected a result of element type '!quant.uniform<i8:f32, 1.000000e+00>', found '!quant.uniform<i8:f32, 2.000000e+00>'}}
  %r = "stablehlo.reverse"(%a) {dimensions = array<i64: 0>} : (tensor<3x!quant.uniform<i8:f32, 1.0>>) -> tensor<3x!quant.uniform<i8:f32, 2.0>>
  return
}
