// A step of training on 4 replicas, each with its part of a batch: a network with one hidden layer, whose gradients are summed over all.
module attributes {mhlo.num_replicas = 4 : i32, mhlo.num_partitions = 1 : i32} {
  func.func public @step(%x: tensor<5x6xf32>, %y: tensor<5x3xf32>, %w1: tensor<6x8xf32>, %w2: tensor<8x3xf32>)
      -> (tensor<6x8xf32>, tensor<8x3xf32>, tensor<f32>) {
    %h = stablehlo.dot %x, %w1 : (tensor<5x6xf32>, tensor<6x8xf32>) -> tensor<5x8xf32>
    %a = stablehlo.tanh %h : tensor<5x8xf32>
    %o = stablehlo.dot %a, %w2 : (tensor<5x8xf32>, tensor<8x3xf32>) -> tensor<5x3xf32>
    %d = stablehlo.subtract %o, %y : tensor<5x3xf32>

    // The gradients on this part: of half the sum of squares.
    %g2 = stablehlo.dot_general %a, %d, contracting_dims = [0] x [0] : (tensor<5x8xf32>, tensor<5x3xf32>) -> tensor<8x3xf32>
    %da = stablehlo.dot_general %d, %w2, contracting_dims = [1] x [1] : (tensor<5x3xf32>, tensor<8x3xf32>) -> tensor<5x8xf32>
    %aa = stablehlo.multiply %a, %a : tensor<5x8xf32>
    %one = stablehlo.constant dense<1.0> : tensor<5x8xf32>
    %slope = stablehlo.subtract %one, %aa : tensor<5x8xf32>
    %dh = stablehlo.multiply %da, %slope : tensor<5x8xf32>
    %g1 = stablehlo.dot_general %x, %dh, contracting_dims = [0] x [0] : (tensor<5x6xf32>, tensor<5x8xf32>) -> tensor<6x8xf32>
    %dd = stablehlo.multiply %d, %d : tensor<5x3xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %loss = stablehlo.reduce(%dd init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x3xf32>, tensor<f32>) -> tensor<f32>

    %sums:3 = "stablehlo.all_reduce"(%g1, %g2, %loss) ({
    ^bb0(%lhs: tensor<f32>, %rhs: tensor<f32>):
      %s = stablehlo.add %lhs, %rhs : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}
      : (tensor<6x8xf32>, tensor<8x3xf32>, tensor<f32>) -> (tensor<6x8xf32>, tensor<8x3xf32>, tensor<f32>)

    %rate1 = stablehlo.constant dense<0.01> : tensor<6x8xf32>
    %rate2 = stablehlo.constant dense<0.01> : tensor<8x3xf32>
    %s1 = stablehlo.multiply %sums#0, %rate1 : tensor<6x8xf32>
    %s2 = stablehlo.multiply %sums#1, %rate2 : tensor<8x3xf32>
    %n1 = stablehlo.subtract %w1, %s1 : tensor<6x8xf32>
    %n2 = stablehlo.subtract %w2, %s2 : tensor<8x3xf32>
    return %n1, %n2, %sums#2 : tensor<6x8xf32>, tensor<8x3xf32>, tensor<f32>
  }
}
