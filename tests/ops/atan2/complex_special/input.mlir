// ulp: 4
func.func public @main() -> (tensor<13x13x13x13xcomplex<f32>>) {
  %ss = stablehlo.constant dense<[0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0xFF7FFFFF, 0x00800000, 0x00000001, 0x3F400000, 0xC0400000]> : tensor<13xf32>
  %sr = stablehlo.broadcast_in_dim %ss, dims = [0] : (tensor<13xf32>) -> tensor<13x13xf32>
  %si = stablehlo.broadcast_in_dim %ss, dims = [1] : (tensor<13xf32>) -> tensor<13x13xf32>
  %sz = stablehlo.complex %sr, %si : tensor<13x13xcomplex<f32>>
  %sa = stablehlo.broadcast_in_dim %sz, dims = [0, 1] : (tensor<13x13xcomplex<f32>>) -> tensor<13x13x13x13xcomplex<f32>>
  %sb = stablehlo.broadcast_in_dim %sz, dims = [2, 3] : (tensor<13x13xcomplex<f32>>) -> tensor<13x13x13x13xcomplex<f32>>
  %s = stablehlo.atan2 %sa, %sb : tensor<13x13x13x13xcomplex<f32>>
  return %s : tensor<13x13x13x13xcomplex<f32>>
}
