// sizes: x.0=5,x.1=7
// every: x.0=6,x.1=18
// open: x.0=64,x.1=96
// Inputs that are returned as they are, beside other results, are copied as far as they go.
func.func public @main(%x: tensor<?x?xf32> loc("x"), %p: tensor<?x?xi1> loc("p"), %b: tensor<4x?xbf16> loc("b"), %c: tensor<?xcomplex<f32>> loc("c"), %n: tensor<?x3xi64> loc("n")) -> (tensor<?x?xi1>, tensor<?x?xf32>, tensor<?x3xi64>, tensor<4x?xbf16>, tensor<?xcomplex<f32>>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<4x?xbf16>, tensor<?xcomplex<f32>>, tensor<?x3xi64>, tensor<?x?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeroi = stablehlo.constant dense<0> : tensor<i64>
  %y = stablehlo.tanh %x : tensor<?x?xf32>
  %z = stablehlo.select %p, %x, %y : tensor<?x?xi1>, tensor<?x?xf32>
  %two = stablehlo.add %b, %b : tensor<4x?xbf16>
  %b32 = stablehlo.convert %b : (tensor<4x?xbf16>) -> tensor<4x?xf32>
  %columns = stablehlo.reduce(%b32 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x?xf32>, tensor<f32>) -> tensor<?xf32>
  %real = stablehlo.real %c : (tensor<?xcomplex<f32>>) -> tensor<?xf32>
  %sum = stablehlo.add %columns, %real : tensor<?xf32>
  %across = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %same = stablehlo.add %sum, %across : tensor<?xf32>
  %imag = stablehlo.negate %c : tensor<?xcomplex<f32>>
  %rows = stablehlo.reduce(%n init: %zeroi) applies stablehlo.add across dimensions = [1] : (tensor<?x3xi64>, tensor<i64>) -> tensor<?xi64>
  %float = stablehlo.convert %rows : (tensor<?xi64>) -> tensor<?xf32>
  %down = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %left = stablehlo.add %down, %float : tensor<?xf32>
  %outer = stablehlo.dot_general %left, %same, contracting_dims = [] x [] : (tensor<?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %m = stablehlo.negate %n : tensor<?x3xi64>
  return %p, %x, %n, %b, %c, %y, %z, %two, %imag, %m, %outer : tensor<?x?xi1>, tensor<?x?xf32>, tensor<?x3xi64>, tensor<4x?xbf16>, tensor<?xcomplex<f32>>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<4x?xbf16>, tensor<?xcomplex<f32>>, tensor<?x3xi64>, tensor<?x?xf32>
}
