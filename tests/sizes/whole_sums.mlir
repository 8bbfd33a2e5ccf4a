// sizes: x.0=5
// every: x.0=9
// open: x.0=300
// Sums, products and extrema of everything, and of rows that are shorter than a vector, end at the size, long sums in blocks, too.
func.func public @main(%x: tensor<?x64xf32> loc("x"), %y: tensor<?x3xf32> loc("y"), %h: tensor<?x5xbf16> loc("h"), %i: tensor<4x?x3xi32> loc("i")) -> (tensor<f32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<bf16>, tensor<5xbf16>, tensor<i32>, tensor<3xi32>, tensor<i32>, tensor<4xi32>, tensor<f32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zeroh = stablehlo.constant dense<0.0> : tensor<bf16>
  %zeroi = stablehlo.constant dense<0> : tensor<i32>
  %lowi = stablehlo.constant dense<-2147483648> : tensor<i32>
  // One size.
  %hf = stablehlo.convert %h : (tensor<?x5xbf16>) -> tensor<?x5xf32>
  %ii = stablehlo.convert %i : (tensor<4x?x3xi32>) -> tensor<4x?x3xf32>
  %rx = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x64xf32>, tensor<f32>) -> tensor<?xf32>
  %ry = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
  %rh = stablehlo.reduce(%hf init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x5xf32>, tensor<f32>) -> tensor<?xf32>
  %ri = stablehlo.reduce(%ii init: %zero) applies stablehlo.maximum across dimensions = [0, 2] : (tensor<4x?x3xf32>, tensor<f32>) -> tensor<?xf32>
  %r0 = stablehlo.add %rx, %ry : tensor<?xf32>
  %r1 = stablehlo.add %rh, %ri : tensor<?xf32>
  %rows = stablehlo.multiply %r0, %r1 : tensor<?xf32>
  %all = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x64xf32>, tensor<f32>) -> tensor<f32>
  %sum = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<?x64xf32>, tensor<f32>) -> tensor<f32>
  %largest = stablehlo.reduce(%y init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<f32>
  %least = stablehlo.reduce(%y init: %one) applies stablehlo.minimum across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %product = stablehlo.reduce(%y init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %half = stablehlo.reduce(%h init: %zeroh) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x5xbf16>, tensor<bf16>) -> tensor<bf16>
  %halves = stablehlo.reduce(%h init: %zeroh) applies stablehlo.add across dimensions = [0] : (tensor<?x5xbf16>, tensor<bf16>) -> tensor<5xbf16>
  %count = stablehlo.reduce(%i init: %zeroi) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<4x?x3xi32>, tensor<i32>) -> tensor<i32>
  %counts = stablehlo.reduce(%i init: %zeroi) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x?x3xi32>, tensor<i32>) -> tensor<3xi32>
  %most = stablehlo.reduce(%i init: %lowi) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<4x?x3xi32>, tensor<i32>) -> tensor<i32>
  %mosts = stablehlo.reduce(%i init: %lowi) applies stablehlo.maximum across dimensions = [1, 2] : (tensor<4x?x3xi32>, tensor<i32>) -> tensor<4xi32>
  %e = stablehlo.tanh %x : tensor<?x64xf32>
  %d = stablehlo.multiply %e, %e : tensor<?x64xf32>
  %squares = stablehlo.reduce(%d init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x64xf32>, tensor<f32>) -> tensor<f32>
  return %all, %sum, %max, %largest, %least, %product, %half, %halves, %count, %counts, %most, %mosts, %squares, %rows : tensor<f32>, tensor<3xf32>, tensor<f32>, tensor<f32>, tensor<3xf32>, tensor<3xf32>, tensor<bf16>, tensor<5xbf16>, tensor<i32>, tensor<3xi32>, tensor<i32>, tensor<4xi32>, tensor<f32>, tensor<?xf32>
}
