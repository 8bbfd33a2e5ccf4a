func.func public @main(%x: tensor<33x130xf32>, %c: tensor<130xf32>) -> (tensor<33x130xf32>, tensor<33x130xf32>) {
  %0 = stablehlo.slice %x [0:33, 0:65] : (tensor<33x130xf32>) -> tensor<33x65xf32>
  %1 = stablehlo.slice %x [0:33, 65:130] : (tensor<33x130xf32>) -> tensor<33x65xf32>
  %2 = stablehlo.negate %1 : tensor<33x65xf32>
  %3 = stablehlo.concatenate %2, %0, dim = 1 : (tensor<33x65xf32>, tensor<33x65xf32>) -> tensor<33x130xf32>
  %4 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<130xf32>) -> tensor<33x130xf32>
  %5 = stablehlo.multiply %x, %4 : tensor<33x130xf32>
  %6 = stablehlo.add %5, %3 : tensor<33x130xf32>
  %7 = stablehlo.slice %x [32:33, 0:130] : (tensor<33x130xf32>) -> tensor<1x130xf32>
  %8 = stablehlo.slice %x [0:32, 0:130] : (tensor<33x130xf32>) -> tensor<32x130xf32>
  %9 = stablehlo.concatenate %7, %8, dim = 0 : (tensor<1x130xf32>, tensor<32x130xf32>) -> tensor<33x130xf32>
  %10 = stablehlo.slice %x [0:33, 129:130] : (tensor<33x130xf32>) -> tensor<33x1xf32>
  %11 = stablehlo.slice %x [0:33, 0:129] : (tensor<33x130xf32>) -> tensor<33x129xf32>
  %12 = stablehlo.concatenate %10, %11, dim = 1 : (tensor<33x1xf32>, tensor<33x129xf32>) -> tensor<33x130xf32>
  %13 = stablehlo.add %9, %12 : tensor<33x130xf32>
  %14 = stablehlo.constant dense<2.0> : tensor<33x130xf32>
  %15 = stablehlo.multiply %x, %14 : tensor<33x130xf32>
  %16 = stablehlo.subtract %13, %15 : tensor<33x130xf32>
  return %6, %16 : tensor<33x130xf32>, tensor<33x130xf32>
}
