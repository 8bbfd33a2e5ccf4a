// plain
func.func public @main(%x: tensor<5x96xf32>, %y: tensor<2x99xi16>, %z: tensor<140xi8>, %s: tensor<2x2xf64>) -> (tensor<5x48xf32>, tensor<5x23xf32>, tensor<2x33xi16>, tensor<33xi8>, tensor<2x1xf64>) {
  // Columns of rows of two to four elements; those that begin later, and one whose rows are none of these.
  %x0 = stablehlo.slice %x [0:5, 0:96:2] : (tensor<5x96xf32>) -> tensor<5x48xf32>
  %x1 = stablehlo.slice %x [0:5, 1:96:2] : (tensor<5x96xf32>) -> tensor<5x48xf32>
  %x01 = stablehlo.multiply %x0, %x1 : tensor<5x48xf32>
  %x2 = stablehlo.slice %x [0:5, 3:95:4] : (tensor<5x96xf32>) -> tensor<5x23xf32>
  %x3 = stablehlo.slice %x [0:5, 2:94:4] : (tensor<5x96xf32>) -> tensor<5x23xf32>
  %x23 = stablehlo.subtract %x2, %x3 : tensor<5x23xf32>
  %y0 = stablehlo.slice %y [0:2, 0:99:3] : (tensor<2x99xi16>) -> tensor<2x33xi16>
  %y1 = stablehlo.slice %y [0:2, 2:99:3] : (tensor<2x99xi16>) -> tensor<2x33xi16>
  %y01 = stablehlo.add %y0, %y1 : tensor<2x33xi16>
  %z0 = stablehlo.slice %z [5:135:4] : (tensor<140xi8>) -> tensor<33xi8>
  %z1 = stablehlo.slice %z [10:140:4] : (tensor<140xi8>) -> tensor<33xi8>
  %z01 = stablehlo.xor %z0, %z1 : tensor<33xi8>
  %s0 = stablehlo.slice %s [0:2, 1:2:2] : (tensor<2x2xf64>) -> tensor<2x1xf64>
  %s1 = stablehlo.negate %s0 : tensor<2x1xf64>
  return %x01, %x23, %y01, %z01, %s1 : tensor<5x48xf32>, tensor<5x23xf32>, tensor<2x33xi16>, tensor<33xi8>, tensor<2x1xf64>
}
