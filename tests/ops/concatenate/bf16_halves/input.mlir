// any nan
func.func public @main(%x: tensor<6x64xbf16>, %y: tensor<6x64xbf16>) -> (tensor<6x64xbf16>, tensor<6xbf16>) {
  // The halves of a register of `bf16` come from different operands, on every instruction set.
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %x0 = stablehlo.slice %x [0:6, 0:8] : (tensor<6x64xbf16>) -> tensor<6x8xbf16>
  %x1 = stablehlo.slice %x [0:6, 8:16] : (tensor<6x64xbf16>) -> tensor<6x8xbf16>
  %y1 = stablehlo.slice %y [0:6, 16:32] : (tensor<6x64xbf16>) -> tensor<6x16xbf16>
  %y2 = stablehlo.slice %y [0:6, 32:64] : (tensor<6x64xbf16>) -> tensor<6x32xbf16>
  %0 = stablehlo.concatenate %x1, %x0, %y1, %y2, dim = 1 : (tensor<6x8xbf16>, tensor<6x8xbf16>, tensor<6x16xbf16>, tensor<6x32xbf16>) -> tensor<6x64xbf16>
  %1 = stablehlo.multiply %0, %x : tensor<6x64xbf16>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x64xbf16>, tensor<bf16>) -> tensor<6xbf16>
  return %1, %2 : tensor<6x64xbf16>, tensor<6xbf16>
}
