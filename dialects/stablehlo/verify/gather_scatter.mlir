// Programs that the verifier rejects, one or more for each constraint of the
// gather_scatter family. The comment above a program names the constraint.

// gather_c1
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected an operand of rank 1, the number of offset, collapsed and batching dimensions, found 'tensor<4x4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c2
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected index_vector_dim in the range [0, 2], found 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c3
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected start_index_map of 1 entries, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c4
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected offset_dims in ascending order, found 1 before 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 0], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<4x4x3xf32>
  return
}

// -----

// gather_c4
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected distinct values in offset_dims, found 1 twice}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 1], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c5
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected offset_dims in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c6
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected distinct values in collapsed_slice_dims, found 0 twice}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c7
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected collapsed_slice_dims in ascending order, found 1 before 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1, 0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return
}

// -----

// gather_c9
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected slice_sizes of at most 1 for collapsed and batching dimensions, found 2 for dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c8
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected collapsed_slice_dims in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c11
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected operand_batching_dims in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [], operand_batching_dims = [2], start_indices_batching_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c13
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected distinct values in start_indices_batching_dims, found 0 twice}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3xf32>
  return
}

// -----

// gather_c14
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected start_indices_batching_dims in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [], operand_batching_dims = [0], start_indices_batching_dims = [2], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c15
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected start_indices_batching_dims without index_vector_dim, found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [], operand_batching_dims = [0], start_indices_batching_dims = [1], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c16
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected start_indices_batching_dims of 1 entries, found 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [], operand_batching_dims = [0], start_indices_batching_dims = [], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c17
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected batching dimensions of equal length, found 4 and 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c18
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x2xi32>) {
  // expected-error@+2 {{expected distinct values in start_index_map, found 0 twice}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0, 0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x2xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c19
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected start_index_map in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [2], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c20
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected slice_sizes of 2 entries, found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// gather_c21
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{expected slice_sizes between 0 and the operand's length, 4, found 5 for dimension 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 5>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x5xf32>
  return
}

// -----

// gather_c22
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3x4xf32>' are incompatible with return type(s) of operation 'tensor<3x3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x3xf32>
  return
}

// -----

// gather_c23
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3x4xf32>' are incompatible with return type(s) of operation 'tensor<3x4xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf64>
  return
}

// -----

// scatter_c2
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected inputs of rank 1, the number of window, inserted and batching dimensions, found 'tensor<4x4xf32>'}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c4
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x5xf32>) {
  // expected-error@+1 {{expected window dimension 1 of updates to be at most 4, found 5}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x5xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c4
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<2x4xf32>) {
  // expected-error@+1 {{expected scatter dimension 0 of updates to be 3, found 2}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c6
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf64>) {
  // expected-error@+1 {{expected updates of the input's element type, 'f32', found 'tensor<3x4xf64>'}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf64>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c7
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected distinct values in update_window_dims, found 1 twice}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 1], inserted_window_dims = [], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c8
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected update_window_dims in the range [0, 2), found 2}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c9
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected distinct values in inserted_window_dims, found 0 twice}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [0, 0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c10
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected inserted_window_dims in ascending order, found 1 before 0}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [], inserted_window_dims = [1, 0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c11
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected inserted_window_dims in the range [0, 2), found 2}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [2], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c13
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected input_batching_dims in the range [0, 2), found 2}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [], input_batching_dims = [2], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c15
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected scatter_indices_batching_dims in the range [0, 2), found 2}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [], input_batching_dims = [0], scatter_indices_batching_dims = [2], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c16
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected scatter_indices_batching_dims without index_vector_dim, found 1}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [], input_batching_dims = [0], scatter_indices_batching_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c17
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected scatter_indices_batching_dims of 1 entries, found 0}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [], input_batching_dims = [0], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c18
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected batching dimensions of equal length, found 4 and 3}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c19
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected scatter_dims_to_operand_dims of 1 entries, found 2}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c20
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x2xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected distinct values in scatter_dims_to_operand_dims, found 0 twice}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0, 0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x2xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c22
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected index_vector_dim in the range [0, 2], found 3}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 3>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c23
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+1 {{expected a reduction region of 2 parameters, found 1}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// scatter_c24
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4x4xf32>' are incompatible with return type(s) of operation 'tensor<4x5xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x5xf32>
  return
}

// -----

// scatter_c25
func.func @test(%a: tensor<4x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<4x4xf32>' are incompatible with return type(s) of operation 'tensor<4x4xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.scatter"(%a, %i, %u) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf64>
  return
}

// -----

// gather_c10
func.func @test(%a: tensor<3x3x4xf32>, %b: tensor<3x3x1xi32>) {
  // expected-error@+2 {{expected operand_batching_dims in ascending order, found 1 before 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [], operand_batching_dims = [1, 0], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 4>} : (tensor<3x3x4xf32>, tensor<3x3x1xi32>) -> tensor<3x3x4xf32>
  return
}

// -----

// gather_c12
func.func @test(%a: tensor<3x4xf32>, %b: tensor<3x1xi32>) {
  // expected-error@+2 {{expected slice_sizes of at most 1 for collapsed and batching dimensions, found 2 for dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.gather"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 2, 4>} : (tensor<3x4xf32>, tensor<3x1xi32>) -> tensor<3x4xf32>
  return
}

// -----

// dynamic_gather_c1
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>, %c: tensor<2xi32>) {
  // expected-error@+2 {{expected an operand of rank 1, the number of offset, collapsed and batching dimensions, found 'tensor<4x4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %c) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x?xf32>
  return
}

// -----

// dynamic_gather_c2
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>, %c: tensor<2xi32>) {
  // expected-error@+2 {{expected index_vector_dim in the range [0, 2], found 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %c) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 3>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x?xf32>
  return
}

// -----

// dynamic_gather_c3
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>, %c: tensor<2xi32>) {
  // expected-error@+2 {{expected start_index_map of 1 entries, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %c) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0, 1], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x?xf32>
  return
}

// -----

// dynamic_gather_c4
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>, %c: tensor<2xi32>) {
  // expected-error@+2 {{expected offset_dims in ascending order, found 1 before 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %c) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 0], collapsed_slice_dims = [], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x?xf32>
  return
}

// -----

// dynamic_gather_c5
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>, %c: tensor<2xi32>) {
  // expected-error@+2 {{expected offset_dims in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %c) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x?xf32>
  return
}

// -----

// dynamic_gather_c6
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>, %c: tensor<2xi32>) {
  // expected-error@+2 {{expected distinct values in collapsed_slice_dims, found 0 twice}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %c) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [0, 0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x?xf32>
  return
}

// -----

// dynamic_gather_c6
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>, %c: tensor<2xi32>) {
  // expected-error@+2 {{expected collapsed_slice_dims in ascending order, found 1 before 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %c) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1, 0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x?xf32>
  return
}

// -----

// dynamic_gather_c7
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>, %c: tensor<2xi32>) {
  // expected-error@+2 {{expected collapsed_slice_dims in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %c) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x?xf32>
  return
}

// -----

// dynamic_gather_c8
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[2, 4]> : tensor<2xi32>
  // expected-error@+2 {{expected slice_sizes of at most 1 for collapsed and batching dimensions, found 2 for dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x4xf32>
  return
}

// -----

// dynamic_gather_c9
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x2xi32>, %c: tensor<2xi32>) {
  // expected-error@+2 {{expected distinct values in start_index_map, found 0 twice}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %c) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0, 0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x2xi32>, tensor<2xi32>) -> tensor<3x?xf32>
  return
}

// -----

// dynamic_gather_c10
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>, %c: tensor<2xi32>) {
  // expected-error@+2 {{expected start_index_map in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %c) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [2], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x?xf32>
  return
}

// -----

// dynamic_gather_c11
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>, %c: tensor<3xi32>) {
  // expected-error@+2 {{expected slice_sizes of 2 entries, found 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %c) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<3x?xf32>
  return
}

// -----

// dynamic_gather_c12
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  // expected-error@+2 {{expected slice_sizes between 0 and the operand's length, 4, found 5 for dimension 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}

// -----

// dynamic_gather_c13
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>, %c: tensor<2xi32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3x?xf32>' are incompatible with return type(s) of operation 'tensor<4x?xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %c) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<4x?xf32>
  return
}

// -----

// dynamic_gather_c14
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>, %c: tensor<2xi32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3x?xf32>' are incompatible with return type(s) of operation 'tensor<3x?xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.dynamic_gather"(%a, %b, %c) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x?xf64>
  return
}

// -----

// scatter_c1
func.func @test(%a: tensor<4x4xf32>, %b: tensor<4x5xf32>, %c: tensor<3x1xi32>, %d: tensor<3x4xf32>) {
  // expected-error@+1 {{expected inputs of one shape, found 'tensor<4x4xf32>' and 'tensor<4x5xf32>'}}
  %r:2 = "stablehlo.scatter"(%a, %b, %c, %d, %d) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %w: tensor<f32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<4x5xf32>, tensor<3x1xi32>, tensor<3x4xf32>, tensor<3x4xf32>) -> (tensor<4x4xf32>, tensor<4x5xf32>)
  return
}

// -----

// scatter_c3
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>, %c: tensor<3x4xf32>, %d: tensor<3x3xf32>) {
  // expected-error@+1 {{expected updates of one shape, found 'tensor<3x4xf32>' and 'tensor<3x3xf32>'}}
  %r:2 = "stablehlo.scatter"(%a, %a, %b, %c, %d) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>, %z: tensor<f32>, %w: tensor<f32>):
    stablehlo.return %x, %y : tensor<f32>, tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>, tensor<3x3xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return
}

// -----

// scatter_c5
func.func @test(%a: tensor<3x1xi32>) {
  // expected-error@+1 {{expected at least one input, found none}}
  "stablehlo.scatter"(%a) ({
    stablehlo.return
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3x1xi32>) -> ()
  return
}

// -----

// scatter_c12
func.func @test(%a: tensor<3x3x4xf32>, %b: tensor<3x3x1xi32>, %c: tensor<3x3x4xf32>) {
  // expected-error@+1 {{expected input_batching_dims in ascending order, found 1 before 0}}
  %r = "stablehlo.scatter"(%a, %b, %c) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [], input_batching_dims = [1, 0], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>} : (tensor<3x3x4xf32>, tensor<3x3x1xi32>, tensor<3x3x4xf32>) -> tensor<3x3x4xf32>
  return
}

// -----

// scatter_c14
func.func @test(%a: tensor<3x3x4xf32>, %b: tensor<3x3x1xi32>, %c: tensor<3x3x4xf32>) {
  // expected-error@+1 {{expected distinct values in scatter_indices_batching_dims, found 0 twice}}
  %r = "stablehlo.scatter"(%a, %b, %c) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 0], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>} : (tensor<3x3x4xf32>, tensor<3x3x1xi32>, tensor<3x3x4xf32>) -> tensor<3x3x4xf32>
  return
}

// -----

// scatter_c21
func.func @test(%a: tensor<4x4xf32>, %b: tensor<3x1xi32>, %c: tensor<3x4xf32>) {
  // expected-error@+1 {{expected scatter_dims_to_operand_dims in the range [0, 2), found 2}}
  %r = "stablehlo.scatter"(%a, %b, %c) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [2], index_vector_dim = 1>} : (tensor<4x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// gather_c23
func.func @test(%a: tensor<4x4x!quant.uniform<i8:f32, 1.0>>, %b: tensor<3x1xi32>) {
  // expected-error@+1 {{expected a result of element type '!quant.uniform<i8:f32, 1.000000e+00>', found '!quant.uniform<i8:f32, 2.000000e+00>'}}
  %r = "stablehlo.gather"(%a, %b) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<4x4x!quant.uniform<i8:f32, 1.0>>, tensor<3x1xi32>) -> tensor<3x4x!quant.uniform<i8:f32, 2.0>>
  return
}
