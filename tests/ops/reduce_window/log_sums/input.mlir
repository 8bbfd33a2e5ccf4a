// ulp: 32
func.func public @main(%x: tensor<13xf32>, %y: tensor<2x7xf64>) -> (tensor<13xf32>, tensor<2x7xf64>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %low) <{padding = dense<[[12, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: 13>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    %2 = stablehlo.subtract %a, %b : tensor<f32>
    %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.add %a, %b : tensor<f32>
    %5 = stablehlo.abs %2 : tensor<f32>
    %6 = stablehlo.negate %5 : tensor<f32>
    %7 = stablehlo.exponential %6 : tensor<f32>
    %8 = stablehlo.log_plus_one %7 : tensor<f32>
    %9 = stablehlo.add %1, %8 : tensor<f32>
    %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f32>
    stablehlo.return %10 : tensor<f32>
  }) : (tensor<13xf32>, tensor<f32>) -> tensor<13xf32>
  %least = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %11 = "stablehlo.reduce_window"(%y, %least) <{padding = dense<[[0, 0], [0, 6]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 7>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %1 = stablehlo.maximum %a, %b : tensor<f64>
    %2 = stablehlo.subtract %a, %b : tensor<f64>
    %3 = stablehlo.compare NE, %2, %2, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %4 = stablehlo.add %a, %b : tensor<f64>
    %5 = stablehlo.abs %2 : tensor<f64>
    %6 = stablehlo.negate %5 : tensor<f64>
    %7 = stablehlo.exponential %6 : tensor<f64>
    %8 = stablehlo.log_plus_one %7 : tensor<f64>
    %9 = stablehlo.add %1, %8 : tensor<f64>
    %10 = stablehlo.select %3, %4, %9 : tensor<i1>, tensor<f64>
    stablehlo.return %10 : tensor<f64>
  }) : (tensor<2x7xf64>, tensor<f64>) -> tensor<2x7xf64>
  return %0, %11 : tensor<13xf32>, tensor<2x7xf64>
}
