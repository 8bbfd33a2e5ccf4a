// uniform: 2
// ulp: 1
func.func public @main(%x: tensor<5xbf16>, %y: tensor<3xf16>) -> (tensor<5xbf16>, tensor<3xf16>, tensor<7xi4>) {
  %0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<5xbf16>) -> tensor<5xbf16>
  %1 = stablehlo.custom_call @mhlo.asinh(%y) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<3xf16>) -> tensor<3xf16>
  %2 = stablehlo.custom_call @AllocateBuffer() : () -> tensor<7xi4>
  return %0, %1, %2 : tensor<5xbf16>, tensor<3xf16>, tensor<7xi4>
}
