func.func public @main(%x: tensor<5xbf16>, %y: tensor<3xi4>) -> (tensor<3xbf16>, tensor<3xi4>) {
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%a: tensor<5xbf16>):
    %0 = stablehlo.slice %a [1:4] : (tensor<5xbf16>) -> tensor<3xbf16>
    stablehlo.return %0 : tensor<3xbf16>
  }) : (tensor<5xbf16>) -> !stablehlo.future<tensor<3xbf16>>
  %g = "stablehlo.async_start"(%y) ({
  ^bb0(%a: tensor<3xi4>):
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}>
      : (tensor<3xi4>) -> tensor<3xi4>
    stablehlo.return %0 : tensor<3xi4>
  }) : (tensor<3xi4>) -> !stablehlo.future<tensor<3xi4>>
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<3xbf16>>) -> tensor<3xbf16>
  %s = "stablehlo.async_done"(%g) : (!stablehlo.future<tensor<3xi4>>) -> tensor<3xi4>
  return %r, %s : tensor<3xbf16>, tensor<3xi4>
}
