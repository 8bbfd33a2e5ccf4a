// Programs that the verifier rejects, one or more for each constraint of the
// collective family. The comment above a program names the constraint.

// all_gather_c1
func.func @test(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{expected all_gather_dim in the range [0, 2), found 2}}
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// all_gather_c2
func.func @test(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{expected distinct values in replica_groups, found 0 twice}}
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// all_gather_c4
func.func @test(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{expected replica_groups of ids 0 to 1, found 2}}
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// all_gather_c4
func.func @test(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{expected replica_groups of ids of at least 0, found -1}}
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// all_gather_c5
func.func @test(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{expected a positive channel with use_global_device_ids, found 0}}
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<2x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// all_gather_c6
func.func @test(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{expected a result whose length along dimension 0 is a multiple of 2, found 3}}
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// all_gather_c6
func.func @test(%a: tensor<2x2xf32>) {
  // expected-error@+1 {{expected a result of length 2 along dimension 1, found 3}}
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2xf32>) -> tensor<4x3xf32>
  return
}

// -----

// all_reduce_c1
func.func @test(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected distinct values in replica_groups, found 0 twice}}
  %r = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// all_reduce_c4
func.func @test(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected a positive channel with use_global_device_ids, found 0}}
  %r = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// all_reduce_c5
func.func @test(%a: tensor<2xf32>) {
  // expected-error@+2 {{expected a reduction region of 2 parameters, found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// all_reduce_c6
func.func @test(%a: tensor<2xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

// all_to_all_c1
func.func @test(%a: tensor<4x4xf32>) {
  // expected-error@+2 {{expected split_dimension in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.all_to_all"(%a) {split_dimension = 2 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<8x2xf32>
  return
}

// -----

// all_to_all_c3
func.func @test(%a: tensor<4x4xf32>) {
  // expected-error@+2 {{expected concat_dimension in the range [0, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 2 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<8x2xf32>
  return
}

// -----

// all_to_all_c4
func.func @test(%a: tensor<4x4xf32>) {
  // expected-error@+1 {{attribute 'split_count' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %r = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<8x2xf32>
  return
}

// -----

// all_to_all_c5
func.func @test(%a: tensor<4x4xf32>) {
  // expected-error@+2 {{expected distinct values in replica_groups, found 0 twice}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<8x2xf32>
  return
}

// -----

// all_to_all_c2
func.func @test(%a: tensor<4x4xf32>) {
  // expected-error@+2 {{expected dimension 1 to be divisible by split_count 3, found 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 3 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4x4xf32>) -> tensor<8x2xf32>
  return
}

// -----

// all_to_all_c8
func.func @test(%a: tensor<4x4xf32>) {
  // expected-error@+2 {{expected replica_groups of 4 ids each, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<8x2xf32>
  return
}

// -----

// all_to_all_c9
func.func @test(%a: tensor<4x4xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<8x2xf32>' are incompatible with return type(s) of operation 'tensor<4x4xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// collective_broadcast_c1
func.func @test(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected distinct values in replica_groups, found 1 twice}}
  %r = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// collective_broadcast_c3
func.func @test(%a: tensor<2xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

// collective_permute_c1
func.func @test(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected source_target_pairs of shape [N, 2], found 'tensor<2x3xi64>'}}
  %r = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<0> : tensor<2x3xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// collective_permute_c2
func.func @test(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected distinct values in sources of source_target_pairs, found 0 twice}}
  %r = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// collective_permute_c3
func.func @test(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected distinct values in targets of source_target_pairs, found 1 twice}}
  %r = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// collective_permute_c4
func.func @test(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected source_target_pairs of ids of at least 0, found -1}}
  %r = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[-1, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// collective_permute_c5
func.func @test(%a: tensor<2xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

// reduce_scatter_c1
func.func @test(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected a result whose length along dimension 0 divides 4, found 3}}
  %r = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

// reduce_scatter_c2
func.func @test(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected scatter_dimension in the range [0, 2), found 2}}
  %r = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// reduce_scatter_c3
func.func @test(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected distinct values in replica_groups, found 0 twice}}
  %r = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 0]]> : tensor<1x2xi64>} : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// reduce_scatter_c6
func.func @test(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected a positive channel with use_global_device_ids, found 0}}
  %r = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// reduce_scatter_c7
func.func @test(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected a reduction region of 2 parameters, found 1}}
  %r = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>):
    stablehlo.return %x : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

// reduce_scatter_c8
func.func @test(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected a result of length 2 along dimension 1, found 3}}
  %r = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// reduce_scatter_c9
func.func @test(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected a result of element type 'f32', found 'tensor<2x2xf64>'}}
  %r = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x2xf32>) -> tensor<2x2xf64>
  return
}

// -----

// all_gather_c6
func.func @test(%a: tensor<2x0xf32>) {
  // expected-error@+1 {{expected dimension 1 of the operand, which is gathered, not to be empty, found 'tensor<2x0xf32>'}}
  %r = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x0xf32>) -> tensor<2x?xf32>
  return
}

// -----

// reduce_scatter_c8
func.func @test(%a: tensor<4x0xf32>) {
  // expected-error@+1 {{expected dimension 1, which is scattered, not to be empty, found 'tensor<4x0xf32>' and 'tensor<4x4xf32>'}}
  %r = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x0xf32>) -> tensor<4x4xf32>
  return
}

// -----

// reduce_scatter_c8
func.func @test(%a: tensor<4x16xf32>) {
  // expected-error@+1 {{expected dimension 1, which is scattered, not to be empty, found 'tensor<4x16xf32>' and 'tensor<4x0xf32>'}}
  %r = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x16xf32>) -> tensor<4x0xf32>
  return
}

// -----

// collective_broadcast_c2
func.func @test(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected replica_groups of ids of at least 0, found -1}}
  %r = "stablehlo.collective_broadcast"(%a) {replica_groups = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// reduce_scatter_c9
func.func @test(%a: tensor<4x!quant.uniform<i8:f32, 1.0>>) {
  // expected-error@+1 {{expected a result of element type '!quant.uniform<i8:f32, 2.000000e+00>', found 'tensor<2x!quant.uniform<i8:f32, 1.000000e+00>>'}}
  %r = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<!quant.uniform<i8:f32, 2.0>>, %y: tensor<!quant.uniform<i8:f32, 2.0>>):
    stablehlo.return %x : tensor<!quant.uniform<i8:f32, 2.0>>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// all_reduce_c3
func.func @test(%a: tensor<2xf32>) {
  // expected-error@+1 {{expected replica_groups of ids 0 to 1, found 2}}
  %r = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// all_reduce_c7
func.func @test(%a: tensor<2xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.all_reduce"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

// all_to_all_c7
func.func @test(%a: tensor<2x4xf32>) {
  // expected-error@+2 {{expected replica_groups of ids 0 to 1, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %r = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  return
}

// -----

// reduce_scatter_c5
func.func @test(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{expected replica_groups of ids 0 to 1, found 2}}
  %r = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %0 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %0 : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}
