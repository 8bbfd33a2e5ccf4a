// uniform: 1
func.func public @main(%x: tensor<i4>, %y: tensor<5xf8E5M2>, %z: tensor<0x3xf32>) -> (tensor<i4>, tensor<5xi1>, tensor<0x3xf32>) {
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64>}> ({
  ^bb0(%a: tensor<i4>):
    %1 = stablehlo.add %a, %a : tensor<i4>
    stablehlo.return %1 : tensor<i4>
  }) : (tensor<i4>) -> tensor<i4>
  %2 = "stablehlo.map"(%y) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f8E5M2>):
    %3 = stablehlo.is_finite %a : (tensor<f8E5M2>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<5xf8E5M2>) -> tensor<5xi1>
  %4 = "stablehlo.map"(%z) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<0x3xf32>) -> tensor<0x3xf32>
  return %0, %2, %4 : tensor<i4>, tensor<5xi1>, tensor<0x3xf32>
}
