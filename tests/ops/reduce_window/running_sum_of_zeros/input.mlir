// plain
// uniform: 0 1 2
func.func public @main() -> (tensor<4xf32>, tensor<40x3xf32>, tensor<4xf32>) {
  // The initial value is part of every sum: of negative zeros it makes positive ones, and -0 leaves them.
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %negative = stablehlo.constant dense<-0.0> : tensor<f32>
  %a = stablehlo.constant dense<-0.0> : tensor<4xf32>
  %b = stablehlo.constant dense<-0.0> : tensor<40x3xf32>
  %x = stablehlo.optimization_barrier %a : tensor<4xf32>
  %y = stablehlo.optimization_barrier %b : tensor<40x3xf32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 4>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = "stablehlo.reduce_window"(%y, %zero) <{padding = dense<[[0, 39], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 40, 1>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<40x3xf32>, tensor<f32>) -> tensor<40x3xf32>
  %2 = "stablehlo.reduce_window"(%x, %negative) <{padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 4>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<40x3xf32>, tensor<4xf32>
}
