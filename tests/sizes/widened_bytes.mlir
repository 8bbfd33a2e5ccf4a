// every: x.0=19
// Bytes of inputs keep their order where they become numbers of `bf16`, whose lanes are apart in registers.
func.func public @main(%x: tensor<?x16xi8> loc("x")) -> (tensor<?x16xbf16>, tensor<?x16xbf16>) {
  %a = stablehlo.convert %x : (tensor<?x16xi8>) -> tensor<?x16xbf16>
  %b = stablehlo.add %a, %a : tensor<?x16xbf16>
  %c = stablehlo.convert %x : (tensor<?x16xi8>) -> tensor<?x16xf32>
  %d = stablehlo.add %c, %c : tensor<?x16xf32>
  %e = stablehlo.convert %d : (tensor<?x16xf32>) -> tensor<?x16xbf16>
  return %b, %e : tensor<?x16xbf16>, tensor<?x16xbf16>
}
