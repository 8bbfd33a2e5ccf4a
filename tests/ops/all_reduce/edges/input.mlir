func.func public @main(%x: tensor<i4>, %y: tensor<0x3xf8E5M2>) -> (tensor<i4>, tensor<0x3xf8E5M2>) {
  %0 = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<i4>, %b: tensor<i4>):
    %s = stablehlo.maximum %a, %b : tensor<i4>
    stablehlo.return %s : tensor<i4>
  }) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<i4>) -> tensor<i4>
  %1 = "stablehlo.all_reduce"(%y) ({
  ^bb0(%a: tensor<f8E5M2>, %b: tensor<f8E5M2>):
    %s = stablehlo.add %a, %b : tensor<f8E5M2>
    stablehlo.return %s : tensor<f8E5M2>
  }) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<0x3xf8E5M2>) -> tensor<0x3xf8E5M2>
  return %0, %1 : tensor<i4>, tensor<0x3xf8E5M2>
}
