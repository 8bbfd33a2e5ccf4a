// plain
module {
  // Elements whose fractions count: sums are in the operand's type, and converted.
  func.func public @main(%x: tensor<4x5xf32>) -> tensor<4xi32> {
    %0 = "stablehlo.unary_einsum"(%x) <{einsum_config = "ab->a"}> : (tensor<4x5xf32>) -> tensor<4xi32>
    return %0 : tensor<4xi32>
  }
}
