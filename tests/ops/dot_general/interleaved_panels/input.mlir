// plain
// rms: 8e-6
// expect: schedule "registers 4x24 packed"

// Large enough that the next panel is copied while one is multiplied.
func.func @main(%a: tensor<256x512xf32>, %b: tensor<512x256xf32>) -> tensor<256x256xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<256x512xf32>, tensor<512x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}
