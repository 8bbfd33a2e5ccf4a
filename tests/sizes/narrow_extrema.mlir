// sizes: x.0=5
// every: x.0=70
// open: x.0=1500
// Several reductions of few columns, whose masks they apply themselves: extrema, sums of what is computed, products, long ones.
func.func public @main(%x: tensor<?x3xf32> loc("x")) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %high = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %max = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %min = stablehlo.reduce(%x init: %high) applies stablehlo.minimum across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %0 = stablehlo.subtract %max, %min : tensor<3xf32>
  %c = stablehlo.cosine %x : tensor<?x3xf32>
  %1 = stablehlo.reduce(%c init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.reduce(%c init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %3 = stablehlo.reduce(%c init: %high) applies stablehlo.minimum across dimensions = [0, 1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<f32>
  %i = stablehlo.convert %x : (tensor<?x3xf32>) -> tensor<?x3xi32>
  %4 = stablehlo.reduce(%i init: %none) applies stablehlo.and across dimensions = [0] : (tensor<?x3xi32>, tensor<i32>) -> tensor<3xi32>
  return %0, %1, %2, %3, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>, tensor<3xi32>
}
