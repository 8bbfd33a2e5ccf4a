// plain
// absolute: 3e-2
func.func public @main(%rows: tensor<3x9001xf32>, %columns: tensor<3001x5xf32>, %middle: tensor<2x1009x37xf32>, %deep: tensor<2x67x31x5xf32>, %wide: tensor<1283x3xf64>, %complex: tensor<331x7xcomplex<f32>>, %start: tensor<f32>)
    -> (tensor<3xf32>, tensor<5xf32>, tensor<2x37xf32>, tensor<2x5xf32>, tensor<f32>, tensor<3xf64>, tensor<7xcomplex<f32>>, tensor<5xf32>, tensor<5xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zero64 = stablehlo.constant dense<0.0> : tensor<f64>
  %zero_complex = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %0 = stablehlo.reduce(%rows init: %start) applies stablehlo.add across dimensions = [1] : (tensor<3x9001xf32>, tensor<f32>) -> tensor<3xf32>
  %1 = stablehlo.reduce(%columns init: %start) applies stablehlo.add across dimensions = [0] : (tensor<3001x5xf32>, tensor<f32>) -> tensor<5xf32>
  %2 = stablehlo.reduce(%middle init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x1009x37xf32>, tensor<f32>) -> tensor<2x37xf32>
  %3 = stablehlo.reduce(%deep init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x67x31x5xf32>, tensor<f32>) -> tensor<2x5xf32>
  %4 = stablehlo.reduce(%middle init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x1009x37xf32>, tensor<f32>) -> tensor<f32>
  %5 = stablehlo.reduce(%wide init: %zero64) applies stablehlo.add across dimensions = [0] : (tensor<1283x3xf64>, tensor<f64>) -> tensor<3xf64>
  %6 = stablehlo.reduce(%complex init: %zero_complex) applies stablehlo.add across dimensions = [0] : (tensor<331x7xcomplex<f32>>, tensor<complex<f32>>) -> tensor<7xcomplex<f32>>
  %squares = stablehlo.multiply %columns, %columns : tensor<3001x5xf32>
  %7:2 = stablehlo.reduce(%columns init: %start), (%squares init: %zero) across dimensions = [0] : (tensor<3001x5xf32>, tensor<3001x5xf32>, tensor<f32>, tensor<f32>) -> (tensor<5xf32>, tensor<5xf32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>) {
      %sum = stablehlo.add %a, %b : tensor<f32>
      %other = stablehlo.add %c, %d : tensor<f32>
      stablehlo.return %sum, %other : tensor<f32>, tensor<f32>
    }
  return %0, %1, %2, %3, %4, %5, %6, %7#0, %7#1 : tensor<3xf32>, tensor<5xf32>, tensor<2x37xf32>, tensor<2x5xf32>, tensor<f32>, tensor<3xf64>, tensor<7xcomplex<f32>>, tensor<5xf32>, tensor<5xf32>
}
