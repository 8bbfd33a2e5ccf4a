// expect: schedule "registers 4x24 packed"
// plain
// rms: 6e-6
func.func @main(%a: tensor<97x300xf32>, %b: tensor<300x459xf32>) -> tensor<97x459xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<97x300xf32>, tensor<300x459xf32>) -> tensor<97x459xf32>
  return %0 : tensor<97x459xf32>
}
