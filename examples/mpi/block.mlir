// A block of a transformer on 2 partitions: 7 tokens of 16 numbers, 4 heads of 4, of which each partition computes two, and half of the
// hidden layer. Both end with a sum over the partitions; what is between them is computed on both.
module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 2 : i32} {
  func.func private @normalised(%x: tensor<7x16xf32>) -> tensor<7x16xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %width = stablehlo.constant dense<16.0> : tensor<7xf32>
    %small = stablehlo.constant dense<1.0e-5> : tensor<7xf32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<7x16xf32>, tensor<f32>) -> tensor<7xf32>
    %mean = stablehlo.divide %sum, %width : tensor<7xf32>
    %means = stablehlo.broadcast_in_dim %mean, dims = [0] : (tensor<7xf32>) -> tensor<7x16xf32>
    %c = stablehlo.subtract %x, %means : tensor<7x16xf32>
    %cc = stablehlo.multiply %c, %c : tensor<7x16xf32>
    %squares = stablehlo.reduce(%cc init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<7x16xf32>, tensor<f32>) -> tensor<7xf32>
    %variance = stablehlo.divide %squares, %width : tensor<7xf32>
    %safe = stablehlo.add %variance, %small : tensor<7xf32>
    %r = stablehlo.rsqrt %safe : tensor<7xf32>
    %rs = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<7xf32>) -> tensor<7x16xf32>
    %n = stablehlo.multiply %c, %rs : tensor<7x16xf32>
    return %n : tensor<7x16xf32>
  }
  func.func private @total(%x: tensor<7x16xf32>) -> tensor<7x16xf32> {
    %s = "stablehlo.all_reduce"(%x) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %t = stablehlo.add %lhs, %rhs : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        use_global_device_ids} : (tensor<7x16xf32>) -> tensor<7x16xf32>
    return %s : tensor<7x16xf32>
  }
  // Of the weights each partition has its heads and its part of the hidden layer.
  func.func public @block(%x: tensor<7x16xf32>, %q: tensor<16x2x4xf32>, %k: tensor<16x2x4xf32>, %v: tensor<16x2x4xf32>,
      %o: tensor<2x4x16xf32>, %up: tensor<16x32xf32>, %down: tensor<32x16xf32>) -> tensor<7x16xf32> {
    %n = func.call @normalised(%x) : (tensor<7x16xf32>) -> tensor<7x16xf32>
    %qs = stablehlo.dot_general %n, %q, contracting_dims = [1] x [0] : (tensor<7x16xf32>, tensor<16x2x4xf32>) -> tensor<7x2x4xf32>
    %ks = stablehlo.dot_general %n, %k, contracting_dims = [1] x [0] : (tensor<7x16xf32>, tensor<16x2x4xf32>) -> tensor<7x2x4xf32>
    %vs = stablehlo.dot_general %n, %v, contracting_dims = [1] x [0] : (tensor<7x16xf32>, tensor<16x2x4xf32>) -> tensor<7x2x4xf32>
    %scores = stablehlo.dot_general %qs, %ks, batching_dims = [1] x [1], contracting_dims = [2] x [2]
      : (tensor<7x2x4xf32>, tensor<7x2x4xf32>) -> tensor<2x7x7xf32>
    %half = stablehlo.constant dense<0.5> : tensor<2x7x7xf32>
    %scaled = stablehlo.multiply %scores, %half : tensor<2x7x7xf32>
    %e = stablehlo.exponential %scaled : tensor<2x7x7xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %sums = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x7x7xf32>, tensor<f32>) -> tensor<2x7xf32>
    %wide = stablehlo.broadcast_in_dim %sums, dims = [0, 1] : (tensor<2x7xf32>) -> tensor<2x7x7xf32>
    %weights = stablehlo.divide %e, %wide : tensor<2x7x7xf32>
    %mixed = stablehlo.dot_general %weights, %vs, batching_dims = [0] x [1], contracting_dims = [2] x [0]
      : (tensor<2x7x7xf32>, tensor<7x2x4xf32>) -> tensor<2x7x4xf32>
    %part = stablehlo.dot_general %mixed, %o, contracting_dims = [0, 2] x [0, 1] : (tensor<2x7x4xf32>, tensor<2x4x16xf32>) -> tensor<7x16xf32>
    %attention = func.call @total(%part) : (tensor<7x16xf32>) -> tensor<7x16xf32>
    %y = stablehlo.add %x, %attention : tensor<7x16xf32>

    %m = func.call @normalised(%y) : (tensor<7x16xf32>) -> tensor<7x16xf32>
    %hidden = stablehlo.dot %m, %up : (tensor<7x16xf32>, tensor<16x32xf32>) -> tensor<7x32xf32>
    %active = stablehlo.tanh %hidden : tensor<7x32xf32>
    %out = stablehlo.dot %active, %down : (tensor<7x32xf32>, tensor<32x16xf32>) -> tensor<7x16xf32>
    %all = func.call @total(%out) : (tensor<7x16xf32>) -> tensor<7x16xf32>
    %z = stablehlo.add %y, %all : tensor<7x16xf32>
    return %z : tensor<7x16xf32>
  }
}
