// plain
func.func public @main(%x: tensor<150x3xi32>, %y: tensor<2x75x2xi16>, %z: tensor<150x4xi64>) -> (tensor<150xi32>, tensor<2x75xi16>, tensor<150xi64>) {
  %x0 = stablehlo.slice %x [0:150, 0:1] : (tensor<150x3xi32>) -> tensor<150x1xi32>
  %x1 = stablehlo.slice %x [0:150, 1:2] : (tensor<150x3xi32>) -> tensor<150x1xi32>
  %x2 = stablehlo.slice %x [0:150, 2:3] : (tensor<150x3xi32>) -> tensor<150x1xi32>
  %x01 = stablehlo.multiply %x0, %x1 : tensor<150x1xi32>
  %x012 = stablehlo.subtract %x01, %x2 : tensor<150x1xi32>
  %0 = stablehlo.reshape %x012 : (tensor<150x1xi32>) -> tensor<150xi32>
  %y0 = stablehlo.slice %y [0:2, 0:75, 0:1] : (tensor<2x75x2xi16>) -> tensor<2x75x1xi16>
  %y1 = stablehlo.slice %y [0:2, 0:75, 1:2] : (tensor<2x75x2xi16>) -> tensor<2x75x1xi16>
  %y01 = stablehlo.subtract %y0, %y1 : tensor<2x75x1xi16>
  %1 = stablehlo.reshape %y01 : (tensor<2x75x1xi16>) -> tensor<2x75xi16>
  %z0 = stablehlo.slice %z [0:150, 3:4] : (tensor<150x4xi64>) -> tensor<150x1xi64>
  %z1 = stablehlo.negate %z0 : tensor<150x1xi64>
  %2 = stablehlo.reshape %z1 : (tensor<150x1xi64>) -> tensor<150xi64>
  return %0, %1, %2 : tensor<150xi32>, tensor<2x75xi16>, tensor<150xi64>
}
