// expect: schedule "registers 4x24 transposed"
// plain
// absolute: 1e-4
func.func @main(%a: tensor<7x18xf32>, %b: tensor<293x18xf32>) -> tensor<7x293xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1]
    : (tensor<7x18xf32>, tensor<293x18xf32>) -> tensor<7x293xf32>
  return %0 : tensor<7x293xf32>
}
