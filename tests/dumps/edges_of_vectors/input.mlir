// Vectors that go beyond rows and columns: what is there is padding when it is read, and nothing when it is written.
func.func public @main(%x: tensor<3x11xf32>) -> (tensor<4x16xf32>, tensor<16xf32>, tensor<11xf32>, tensor<f32>, tensor<12xf32>) {
  %edge = stablehlo.constant dense<-1.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %a = stablehlo.pad %x, %edge, low = [0, 0], high = [1, 5], interior = [0, 0] : (tensor<3x11xf32>, tensor<f32>) -> tensor<4x16xf32>
  %row = stablehlo.slice %x [1:2, 4:9] : (tensor<3x11xf32>) -> tensor<1x5xf32>
  %flat = stablehlo.reshape %row : (tensor<1x5xf32>) -> tensor<5xf32>
  %b = stablehlo.pad %flat, %edge, low = [0], high = [11], interior = [0] : (tensor<5xf32>, tensor<f32>) -> tensor<16xf32>
  %last = stablehlo.slice %x [2:3, 0:11] : (tensor<3x11xf32>) -> tensor<1x11xf32>
  %c = stablehlo.reshape %last : (tensor<1x11xf32>) -> tensor<11xf32>
  %d = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x11xf32>, tensor<f32>) -> tensor<f32>
  %e = stablehlo.pad %c, %edge, low = [0], high = [1], interior = [0] : (tensor<11xf32>, tensor<f32>) -> tensor<12xf32>
  return %a, %b, %c, %d, %e : tensor<4x16xf32>, tensor<16xf32>, tensor<11xf32>, tensor<f32>, tensor<12xf32>
}
