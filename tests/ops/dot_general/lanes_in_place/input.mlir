func.func public @main(%a: tensor<37x192xi8>, %x: tensor<192xi8>, %b: tensor<2x71x45xui8>, %y: tensor<2x71xi8>, %c: tensor<3x67xi8>, %d: tensor<67x48xi8>)
    -> (tensor<37xi32>, tensor<2x45xi32>, tensor<3x48xi32>) {
  // Elements with few uses are not packed ahead: a matrix times a vector, vectors times matrices whose sums do not fill their
  // last lane, three rows.
  %0 = stablehlo.dot_general %a, %x, contracting_dims = [1] x [0] : (tensor<37x192xi8>, tensor<192xi8>) -> tensor<37xi32>
  %1 = stablehlo.dot_general %b, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x71x45xui8>, tensor<2x71xi8>) -> tensor<2x45xi32>
  %2 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<3x67xi8>, tensor<67x48xi8>) -> tensor<3x48xi32>
  return %0, %1, %2 : tensor<37xi32>, tensor<2x45xi32>, tensor<3x48xi32>
}
