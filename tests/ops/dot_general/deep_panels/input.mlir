// expect: schedule "registers 4x24 packed depth 1125"
// plain
// rms: 1.2e-5
func.func @main(%a: tensor<67x4500xf32>, %b: tensor<4500x96xf32>) -> tensor<67x96xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    : (tensor<67x4500xf32>, tensor<4500x96xf32>) -> tensor<67x96xf32>
  return %0 : tensor<67x96xf32>
}
