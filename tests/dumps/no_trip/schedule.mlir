module {
  func.func @main(%x: tensor<3x0xf32>) -> (tensor<3xf32>, tensor<3xf32>) attributes {strata.entry, strata.inputs = [tensor<3x0xf32>], strata.outputs = [tensor<3xf32>, tensor<3xf32>]} {
    %c = arith.constant 7.0 : f32
    %e = tensor.empty() : tensor<3xf32>
    %f = linalg.fill ins(%c : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
    %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<3x0xf32>) outs(%f : tensor<3xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3xf32>
    return %f, %r : tensor<3xf32>, tensor<3xf32>
  }
}
