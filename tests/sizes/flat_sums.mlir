// sizes: x.1=5
// every: x.1=40
// open: x.1=150
// Reductions of all elements of inputs that are used in place are one loop over them, of blocks where sums are long, and vectors with masks.
func.func public @main(%x: tensor<12x?xf32> loc("x"), %y: tensor<12x?xf32> loc("y"), %b: tensor<96x?xf32> loc("b"), %h: tensor<12x?xbf16> loc("h"), %i: tensor<3x4x?xi32> loc("i")) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<bf16>, tensor<i32>, tensor<i32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zeroh = stablehlo.constant dense<0.0> : tensor<bf16>
  %zeroi = stablehlo.constant dense<0> : tensor<i32>
  %lowi = stablehlo.constant dense<-2147483648> : tensor<i32>
  // One size.
  %hf = stablehlo.convert %h : (tensor<12x?xbf16>) -> tensor<12x?xf32>
  %ii = stablehlo.reduce(%i init: %zeroi) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x4x?xi32>, tensor<i32>) -> tensor<?xi32>
  %if = stablehlo.convert %ii : (tensor<?xi32>) -> tensor<?xf32>
  %bb = stablehlo.reduce(%b init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<96x?xf32>, tensor<f32>) -> tensor<?xf32>
  %row = stablehlo.add %if, %bb : tensor<?xf32>
  %xx = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<12x?xf32>, tensor<f32>) -> tensor<?xf32>
  %rows = stablehlo.add %row, %xx : tensor<?xf32>
  %d = stablehlo.subtract %x, %y : tensor<12x?xf32>
  %dd = stablehlo.multiply %d, %d : tensor<12x?xf32>
  %error = stablehlo.reduce(%dd init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x?xf32>, tensor<f32>) -> tensor<f32>
  %hh = stablehlo.reduce(%hf init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<12x?xf32>, tensor<f32>) -> tensor<?xf32>
  %all = stablehlo.add %rows, %hh : tensor<?xf32>
  // Elements beyond the end would count: they are not zero.
  %ones = stablehlo.multiply %y, %y : tensor<12x?xf32>
  %n = stablehlo.negate %ones : tensor<12x?xf32>
  %far = stablehlo.subtract %n, %ones : tensor<12x?xf32>
  %max = stablehlo.reduce(%far init: %low) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<12x?xf32>, tensor<f32>) -> tensor<f32>
  %product = stablehlo.reduce(%y init: %one) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<12x?xf32>, tensor<f32>) -> tensor<f32>
  %some = stablehlo.reduce(%x init: %one) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x?xf32>, tensor<f32>) -> tensor<f32>
  %long = stablehlo.reduce(%b init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<96x?xf32>, tensor<f32>) -> tensor<f32>
  %half = stablehlo.reduce(%h init: %zeroh) applies stablehlo.add across dimensions = [0, 1] : (tensor<12x?xbf16>, tensor<bf16>) -> tensor<bf16>
  %count = stablehlo.reduce(%i init: %zeroi) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x4x?xi32>, tensor<i32>) -> tensor<i32>
  %most = stablehlo.reduce(%i init: %lowi) applies stablehlo.maximum across dimensions = [0, 1, 2] : (tensor<3x4x?xi32>, tensor<i32>) -> tensor<i32>
  return %error, %max, %product, %some, %long, %half, %count, %most, %all : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<bf16>, tensor<i32>, tensor<i32>, tensor<?xf32>
}
