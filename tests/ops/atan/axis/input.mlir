// ulp: 4
func.func public @main() -> tensor<8xcomplex<f32>> {
  // Where the formulas for the inside and the outside meet, and other points of the axes.
  %z = stablehlo.constant dense<[(1.0, 0.0), (-1.0, 0.0), (1.0, -0.0), (0.0, 1.0), (0.0, -1.0), (0.0, 0.0), (2.0, 0.0), (-0.0, -2.0)]> : tensor<8xcomplex<f32>>
  %0 = "chlo.atan"(%z) : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
  return %0 : tensor<8xcomplex<f32>>
}
