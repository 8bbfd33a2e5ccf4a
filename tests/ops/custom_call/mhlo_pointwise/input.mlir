// plain
// ulp: 8
// absolute: 1e-6
func.func public @main(%x: tensor<5xf32>, %i: tensor<3xi32>, %j: tensor<3xi32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<3xi32>) {
  %0 = stablehlo.custom_call @mhlo.erf(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<5xf32>) -> tensor<5xf32>
  %1 = stablehlo.custom_call @chlo.asinh(%x) {mhlo.attributes = {}, mhlo.version = 1 : i64} : (tensor<5xf32>) -> tensor<5xf32>
  %2 = stablehlo.custom_call @mhlo.mulhi(%i, %j) {mhlo.attributes = {}, mhlo.version = 1 : i64}
    : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  return %0, %1, %2 : tensor<5xf32>, tensor<5xf32>, tensor<3xi32>
}
