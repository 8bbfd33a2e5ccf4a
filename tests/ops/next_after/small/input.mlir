func.func public @main(%x0: tensor<31xf4E2M1FN>, %y0: tensor<31xf4E2M1FN>, %x1: tensor<31xf6E2M3FN>, %y1: tensor<31xf6E2M3FN>, %x2: tensor<31xf6E3M2FN>, %y2: tensor<31xf6E3M2FN>, %x3: tensor<31xf8E3M4>, %y3: tensor<31xf8E3M4>, %x4: tensor<31xf8E4M3>, %y4: tensor<31xf8E4M3>, %x5: tensor<31xf8E4M3B11FNUZ>, %y5: tensor<31xf8E4M3B11FNUZ>, %x6: tensor<31xf8E4M3FN>, %y6: tensor<31xf8E4M3FN>, %x7: tensor<31xf8E4M3FNUZ>, %y7: tensor<31xf8E4M3FNUZ>, %x8: tensor<31xf8E5M2>, %y8: tensor<31xf8E5M2>, %x9: tensor<31xf8E5M2FNUZ>, %y9: tensor<31xf8E5M2FNUZ>, %x10: tensor<31xf8E8M0FNU>, %y10: tensor<31xf8E8M0FNU>)
    -> (tensor<31xf4E2M1FN>, tensor<31xf6E2M3FN>, tensor<31xf6E3M2FN>, tensor<31xf8E3M4>, tensor<31xf8E4M3>, tensor<31xf8E4M3B11FNUZ>, tensor<31xf8E4M3FN>, tensor<31xf8E4M3FNUZ>, tensor<31xf8E5M2>, tensor<31xf8E5M2FNUZ>, tensor<31xf8E8M0FNU>) {
  %r0 = chlo.next_after %x0, %y0 : tensor<31xf4E2M1FN>, tensor<31xf4E2M1FN> -> tensor<31xf4E2M1FN>
  %r1 = chlo.next_after %x1, %y1 : tensor<31xf6E2M3FN>, tensor<31xf6E2M3FN> -> tensor<31xf6E2M3FN>
  %r2 = chlo.next_after %x2, %y2 : tensor<31xf6E3M2FN>, tensor<31xf6E3M2FN> -> tensor<31xf6E3M2FN>
  %r3 = chlo.next_after %x3, %y3 : tensor<31xf8E3M4>, tensor<31xf8E3M4> -> tensor<31xf8E3M4>
  %r4 = chlo.next_after %x4, %y4 : tensor<31xf8E4M3>, tensor<31xf8E4M3> -> tensor<31xf8E4M3>
  %r5 = chlo.next_after %x5, %y5 : tensor<31xf8E4M3B11FNUZ>, tensor<31xf8E4M3B11FNUZ> -> tensor<31xf8E4M3B11FNUZ>
  %r6 = chlo.next_after %x6, %y6 : tensor<31xf8E4M3FN>, tensor<31xf8E4M3FN> -> tensor<31xf8E4M3FN>
  %r7 = chlo.next_after %x7, %y7 : tensor<31xf8E4M3FNUZ>, tensor<31xf8E4M3FNUZ> -> tensor<31xf8E4M3FNUZ>
  %r8 = chlo.next_after %x8, %y8 : tensor<31xf8E5M2>, tensor<31xf8E5M2> -> tensor<31xf8E5M2>
  %r9 = chlo.next_after %x9, %y9 : tensor<31xf8E5M2FNUZ>, tensor<31xf8E5M2FNUZ> -> tensor<31xf8E5M2FNUZ>
  %r10 = chlo.next_after %x10, %y10 : tensor<31xf8E8M0FNU>, tensor<31xf8E8M0FNU> -> tensor<31xf8E8M0FNU>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10
    : tensor<31xf4E2M1FN>, tensor<31xf6E2M3FN>, tensor<31xf6E3M2FN>, tensor<31xf8E3M4>, tensor<31xf8E4M3>, tensor<31xf8E4M3B11FNUZ>, tensor<31xf8E4M3FN>, tensor<31xf8E4M3FNUZ>, tensor<31xf8E5M2>, tensor<31xf8E5M2FNUZ>, tensor<31xf8E8M0FNU>
}
