// plain
// absolute: 1e-3
func.func public @main(%x: tensor<3x1000xf32>, %y: tensor<2x333x5xf32>, %z: tensor<2x97xcomplex<f32>>) -> (tensor<3x101xf32>, tensor<2x333x5xf32>, tensor<2x333x5xf32>, tensor<3x1000xf32>, tensor<2x97xcomplex<f32>>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 300>, window_strides = array<i64: 1, 7>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x1000xf32>, tensor<f32>) -> tensor<3x101xf32>
  %1 = "stablehlo.reduce_window"(%y, %zero) <{window_dimensions = array<i64: 1, 333, 1>, padding = dense<[[0, 0], [332, 0], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x333x5xf32>, tensor<f32>) -> tensor<2x333x5xf32>
  %2 = "stablehlo.reduce_window"(%y, %zero) <{window_dimensions = array<i64: 1, 333, 1>, padding = dense<[[0, 0], [0, 332], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x333x5xf32>, tensor<f32>) -> tensor<2x333x5xf32>
  %3 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 1000>, padding = dense<[[0, 0], [0, 999]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x1000xf32>, tensor<f32>) -> tensor<3x1000xf32>
  %4 = "stablehlo.reduce_window"(%z, %zeros) <{window_dimensions = array<i64: 1, 97>, padding = dense<[[0, 0], [96, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %s = stablehlo.add %a, %b : tensor<complex<f32>>
    stablehlo.return %s : tensor<complex<f32>>
  }) : (tensor<2x97xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2x97xcomplex<f32>>
  return %0, %1, %2, %3, %4 : tensor<3x101xf32>, tensor<2x333x5xf32>, tensor<2x333x5xf32>, tensor<3x1000xf32>, tensor<2x97xcomplex<f32>>
}
