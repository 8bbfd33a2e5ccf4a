// sizes: x.1=3
// every: x.1=40
// open: x.1=130
// Sums of what is zero where its operands are end at the size, and so does what only they read; rows of a middle dimension.
func.func public @main(%x: tensor<3x?x5xf32> loc("x"), %y: tensor<3x?x5xf32> loc("y"), %k: tensor<3x?x5xi32> loc("k")) -> (tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<3xf32>, tensor<i32>, tensor<?xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %xx = stablehlo.multiply %x, %x : tensor<3x?x5xf32>
  %0 = stablehlo.reduce(%xx init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x?x5xf32>, tensor<f32>) -> tensor<f32>
  %root = stablehlo.sqrt %0 : tensor<f32>
  %d = stablehlo.subtract %x, %y : tensor<3x?x5xf32>
  %dd = stablehlo.multiply %d, %d : tensor<3x?x5xf32>
  %1 = stablehlo.reduce(%dd init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x?x5xf32>, tensor<f32>) -> tensor<f32>
  %a = stablehlo.abs %d : tensor<3x?x5xf32>
  %s = stablehlo.sqrt %a : tensor<3x?x5xf32>
  %n = stablehlo.negate %s : tensor<3x?x5xf32>
  %t = stablehlo.tanh %x : tensor<3x?x5xf32>
  %m = stablehlo.maximum %n, %t : tensor<3x?x5xf32>
  %2 = stablehlo.reduce(%m init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x?x5xf32>, tensor<f32>) -> tensor<5xf32>
  %3 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<3x?x5xf32>, tensor<f32>) -> tensor<3xf32>
  %kk = stablehlo.multiply %k, %k : tensor<3x?x5xi32>
  %ka = stablehlo.xor %kk, %k : tensor<3x?x5xi32>
  %4 = stablehlo.reduce(%ka init: %none) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x?x5xi32>, tensor<i32>) -> tensor<i32>
  // One size.
  %kf = stablehlo.convert %k : (tensor<3x?x5xi32>) -> tensor<3x?x5xf32>
  %all = stablehlo.add %m, %kf : tensor<3x?x5xf32>
  %5 = stablehlo.reduce(%all init: %zero) applies stablehlo.add across dimensions = [0, 2] : (tensor<3x?x5xf32>, tensor<f32>) -> tensor<?xf32>
  return %root, %1, %2, %3, %4, %5 : tensor<f32>, tensor<f32>, tensor<5xf32>, tensor<3xf32>, tensor<i32>, tensor<?xf32>
}
