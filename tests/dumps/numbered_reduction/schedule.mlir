module {
  func.func @main(%x: tensor<5x64xi64>) -> tensor<64xi64> attributes {strata.entry, strata.inputs = [tensor<5x64xi64>], strata.outputs = [tensor<64xi64>]} {
    %zero = arith.constant 0 : i64
    %e = tensor.empty() : tensor<64xi64>
    %f = linalg.fill ins(%zero : i64) outs(%e : tensor<64xi64>) -> tensor<64xi64>
    %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x64xi64>) outs(%f : tensor<64xi64>) {
    ^bb0(%in: i64, %out: i64):
      %i = linalg.index 1 : index
      %j = linalg.index 0 : index
      %row = arith.index_cast %i : index to i64
      %column = arith.index_cast %j : index to i64
      %a = arith.muli %in, %row : i64
      %b = arith.xori %a, %column : i64
      %s = arith.addi %out, %b : i64
      linalg.yield %s : i64
    } -> tensor<64xi64>
    return %r : tensor<64xi64>
  }
}
