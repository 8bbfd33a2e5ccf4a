// plain
func.func public @main(%a0: tensor<5x23xi8>, %b0: tensor<5x23xi8>, %c0: tensor<5xi8>, %a1: tensor<5x23xui8>, %b1: tensor<5x23xui8>, %c1: tensor<5xui8>, %a2: tensor<5x23xi16>, %b2: tensor<5x23xi16>, %c2: tensor<5xi16>, %a3: tensor<5x23xui16>, %b3: tensor<5x23xui16>, %c3: tensor<5xui16>, %a4: tensor<5x23xi32>, %b4: tensor<5x23xi32>, %c4: tensor<5xi32>, %a5: tensor<5x23xui32>, %b5: tensor<5x23xui32>, %c5: tensor<5xui32>) -> (tensor<5x23xi8>, tensor<5x23xi8>, tensor<5x23xui8>, tensor<5x23xui8>, tensor<5x23xi16>, tensor<5x23xi16>, tensor<5x23xui16>, tensor<5x23xui16>, tensor<5x23xi32>, tensor<5x23xi32>, tensor<5x23xui32>, tensor<5x23xui32>) {
  %q0 = stablehlo.divide %a0, %b0 : tensor<5x23xi8>
  %r0 = stablehlo.broadcast_in_dim %c0, dims = [0] : (tensor<5xi8>) -> tensor<5x23xi8>
  %s0 = stablehlo.divide %a0, %r0 : tensor<5x23xi8>
  %q1 = stablehlo.divide %a1, %b1 : tensor<5x23xui8>
  %r1 = stablehlo.broadcast_in_dim %c1, dims = [0] : (tensor<5xui8>) -> tensor<5x23xui8>
  %s1 = stablehlo.divide %a1, %r1 : tensor<5x23xui8>
  %q2 = stablehlo.divide %a2, %b2 : tensor<5x23xi16>
  %r2 = stablehlo.broadcast_in_dim %c2, dims = [0] : (tensor<5xi16>) -> tensor<5x23xi16>
  %s2 = stablehlo.divide %a2, %r2 : tensor<5x23xi16>
  %q3 = stablehlo.divide %a3, %b3 : tensor<5x23xui16>
  %r3 = stablehlo.broadcast_in_dim %c3, dims = [0] : (tensor<5xui16>) -> tensor<5x23xui16>
  %s3 = stablehlo.divide %a3, %r3 : tensor<5x23xui16>
  %q4 = stablehlo.divide %a4, %b4 : tensor<5x23xi32>
  %r4 = stablehlo.broadcast_in_dim %c4, dims = [0] : (tensor<5xi32>) -> tensor<5x23xi32>
  %s4 = stablehlo.divide %a4, %r4 : tensor<5x23xi32>
  %q5 = stablehlo.divide %a5, %b5 : tensor<5x23xui32>
  %r5 = stablehlo.broadcast_in_dim %c5, dims = [0] : (tensor<5xui32>) -> tensor<5x23xui32>
  %s5 = stablehlo.divide %a5, %r5 : tensor<5x23xui32>
  return %q0, %s0, %q1, %s1, %q2, %s2, %q3, %s3, %q4, %s4, %q5, %s5 : tensor<5x23xi8>, tensor<5x23xi8>, tensor<5x23xui8>, tensor<5x23xui8>, tensor<5x23xi16>, tensor<5x23xi16>, tensor<5x23xui16>, tensor<5x23xui16>, tensor<5x23xi32>, tensor<5x23xi32>, tensor<5x23xui32>, tensor<5x23xui32>
}
