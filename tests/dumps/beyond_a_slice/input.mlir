// A vector that goes beyond the slice that it is read from does not see what lies there in the sliced tensor.
func.func public @main(%x: tensor<24xf32>) -> (tensor<16xf32>, tensor<24xf32>) {
  %edge = stablehlo.constant dense<-1.0> : tensor<f32>
  %part = stablehlo.slice %x [3:10] : (tensor<24xf32>) -> tensor<7xf32>
  %a = stablehlo.pad %part, %edge, low = [0], high = [9], interior = [0] : (tensor<7xf32>, tensor<f32>) -> tensor<16xf32>
  %front = stablehlo.slice %x [0:5] : (tensor<24xf32>) -> tensor<5xf32>
  %head = stablehlo.negate %front : tensor<5xf32>
  %tail = stablehlo.slice %x [5:24] : (tensor<24xf32>) -> tensor<19xf32>
  %b = stablehlo.concatenate %head, %tail, dim = 0 : (tensor<5xf32>, tensor<19xf32>) -> tensor<24xf32>
  return %a, %b : tensor<16xf32>, tensor<24xf32>
}
