// ulp: 4
func.func public @main(%x: tensor<530xcomplex<f32>>, %y: tensor<300xcomplex<f64>>, %z: tensor<530xcomplex<f32>>) -> (tensor<530xcomplex<f32>>, tensor<300xcomplex<f64>>, tensor<530xcomplex<f32>>, tensor<530xcomplex<f32>>) {
  // Imaginary parts beyond 2^25, which few blocks of elements have: none, one in the second, one in the last.
  %i = stablehlo.iota dim = 0 : tensor<530xi32>
  %n = stablehlo.constant dense<401> : tensor<530xi32>
  %is = stablehlo.compare EQ, %i, %n, SIGNED : (tensor<530xi32>, tensor<530xi32>) -> tensor<530xi1>
  %k = stablehlo.constant dense<(0.5, 3.0e+30)> : tensor<530xcomplex<f32>>
  %one = stablehlo.select %is, %k, %x : tensor<530xi1>, tensor<530xcomplex<f32>>
  %0 = stablehlo.exponential %one : tensor<530xcomplex<f32>>
  %1 = stablehlo.exponential %y : tensor<300xcomplex<f64>>
  %2 = stablehlo.sine %z : tensor<530xcomplex<f32>>
  %m = stablehlo.constant dense<529> : tensor<530xi32>
  %last = stablehlo.compare EQ, %i, %m, SIGNED : (tensor<530xi32>, tensor<530xi32>) -> tensor<530xi1>
  %huge = stablehlo.select %last, %k, %z : tensor<530xi1>, tensor<530xcomplex<f32>>
  %3 = stablehlo.exponential %huge : tensor<530xcomplex<f32>>
  return %0, %1, %2, %3 : tensor<530xcomplex<f32>>, tensor<300xcomplex<f64>>, tensor<530xcomplex<f32>>, tensor<530xcomplex<f32>>
}
