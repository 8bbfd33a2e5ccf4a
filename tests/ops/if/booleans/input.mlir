func.func public @main(%p: tensor<i1>, %a: tensor<4xi1>, %b: tensor<4xi1>, %c: tensor<3xcomplex<f32>>, %d: tensor<3xcomplex<f32>>,
    %e: tensor<0x2xf32>, %f: tensor<0x2xf32>) -> (tensor<4xi1>, tensor<3xcomplex<f32>>, tensor<0x2xf32>, tensor<4xi1>) {
  // Branches that only choose, of element types that vectors hold otherwise than memory does, and of no element.
  %q = stablehlo.not %p : tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : tensor<4xi1>
  }, {
    stablehlo.return %b : tensor<4xi1>
  }) : (tensor<i1>) -> tensor<4xi1>
  %1 = "stablehlo.if"(%q) ({
    stablehlo.return %c : tensor<3xcomplex<f32>>
  }, {
    stablehlo.return %d : tensor<3xcomplex<f32>>
  }) : (tensor<i1>) -> tensor<3xcomplex<f32>>
  %2 = "stablehlo.if"(%p) ({
    stablehlo.return %e : tensor<0x2xf32>
  }, {
    stablehlo.return %f : tensor<0x2xf32>
  }) : (tensor<i1>) -> tensor<0x2xf32>
  %3 = "stablehlo.if"(%q) ({
    stablehlo.return %a : tensor<4xi1>
  }, {
    stablehlo.return %b : tensor<4xi1>
  }) : (tensor<i1>) -> tensor<4xi1>
  return %0, %1, %2, %3 : tensor<4xi1>, tensor<3xcomplex<f32>>, tensor<0x2xf32>, tensor<4xi1>
}
