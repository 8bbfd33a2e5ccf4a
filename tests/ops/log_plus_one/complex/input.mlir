// ulp: 4
// plain
func.func public @main(%x: tensor<13xcomplex<f32>>, %y: tensor<11xcomplex<f64>>) -> (tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<11xcomplex<f64>>, tensor<3xcomplex<f32>>) {
  %scale = stablehlo.constant dense<(1.0e-06, 0.0)> : tensor<13xcomplex<f32>>
  %small = stablehlo.multiply %x, %scale : tensor<13xcomplex<f32>>
  %0 = stablehlo.log_plus_one %x : tensor<13xcomplex<f32>>
  %1 = stablehlo.log_plus_one %small : tensor<13xcomplex<f32>>
  %2 = stablehlo.log_plus_one %y : tensor<11xcomplex<f64>>
  %below = stablehlo.constant dense<[(-1.0, 0.0), (-1.0, -0.0), (-1.0, 1.0e-20)]> : tensor<3xcomplex<f32>>
  %kept = stablehlo.optimization_barrier %below : tensor<3xcomplex<f32>>
  %3 = stablehlo.log_plus_one %kept : tensor<3xcomplex<f32>>
  return %0, %1, %2, %3 : tensor<13xcomplex<f32>>, tensor<13xcomplex<f32>>, tensor<11xcomplex<f64>>, tensor<3xcomplex<f32>>
}
