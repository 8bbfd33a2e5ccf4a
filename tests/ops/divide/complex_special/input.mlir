// ulp: 4
func.func public @main() -> (tensor<13x13x13x13xcomplex<f32>>, tensor<13x13x13x13xcomplex<f64>>) {
  %ss = stablehlo.constant dense<[0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0x7F7FFFFF, 0xFF7FFFFF, 0x00800000, 0x00000001, 0x3F400000, 0xC0400000]> : tensor<13xf32>
  %sr = stablehlo.broadcast_in_dim %ss, dims = [0] : (tensor<13xf32>) -> tensor<13x13xf32>
  %si = stablehlo.broadcast_in_dim %ss, dims = [1] : (tensor<13xf32>) -> tensor<13x13xf32>
  %sz = stablehlo.complex %sr, %si : tensor<13x13xcomplex<f32>>
  %sa = stablehlo.broadcast_in_dim %sz, dims = [0, 1] : (tensor<13x13xcomplex<f32>>) -> tensor<13x13x13x13xcomplex<f32>>
  %sb = stablehlo.broadcast_in_dim %sz, dims = [2, 3] : (tensor<13x13xcomplex<f32>>) -> tensor<13x13x13x13xcomplex<f32>>
  %s = stablehlo.divide %sa, %sb : tensor<13x13x13x13xcomplex<f32>>
  %ds = stablehlo.constant dense<[0x0000000000000000, 0x8000000000000000, 0x3FF0000000000000, 0xBFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x0010000000000000, 0x0000000000000001, 0x3FE8000000000000, 0xC008000000000000]> : tensor<13xf64>
  %dr = stablehlo.broadcast_in_dim %ds, dims = [0] : (tensor<13xf64>) -> tensor<13x13xf64>
  %di = stablehlo.broadcast_in_dim %ds, dims = [1] : (tensor<13xf64>) -> tensor<13x13xf64>
  %dz = stablehlo.complex %dr, %di : tensor<13x13xcomplex<f64>>
  %da = stablehlo.broadcast_in_dim %dz, dims = [0, 1] : (tensor<13x13xcomplex<f64>>) -> tensor<13x13x13x13xcomplex<f64>>
  %db = stablehlo.broadcast_in_dim %dz, dims = [2, 3] : (tensor<13x13xcomplex<f64>>) -> tensor<13x13x13x13xcomplex<f64>>
  %d = stablehlo.divide %da, %db : tensor<13x13x13x13xcomplex<f64>>
  return %s, %d : tensor<13x13x13x13xcomplex<f32>>, tensor<13x13x13x13xcomplex<f64>>
}
