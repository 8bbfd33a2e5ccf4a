// expect: schedule "transpose 8"
// expect: schedule "elementwise 8"
// plain
func.func public @main(%x: tensor<33x47xf32>, %y: tensor<47x33xf32>) -> tensor<47x33xf32> {
  // Read transposed, the operations after it would be plain loops.
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<33x47xf32>) -> tensor<47x33xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<47x33xf32>
  %2 = stablehlo.add %1, %y : tensor<47x33xf32>
  %3 = stablehlo.multiply %2, %0 : tensor<47x33xf32>
  return %3 : tensor<47x33xf32>
}
