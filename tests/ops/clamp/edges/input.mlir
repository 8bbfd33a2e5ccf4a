// uniform: 0 2
// plain
func.func public @main(%l: tensor<i4>, %x: tensor<5xi4>, %h: tensor<i4>, %a: tensor<f8E4M3FN>, %b: tensor<0x3xf8E4M3FN>, %c: tensor<f8E4M3FN>, %d: tensor<5xf8E4M3FN>) -> (tensor<5xi4>, tensor<0x3xf8E4M3FN>, tensor<5xf8E4M3FN>) {
  %0 = stablehlo.clamp %l, %x, %h : (tensor<i4>, tensor<5xi4>, tensor<i4>) -> tensor<5xi4>
  %1 = stablehlo.clamp %a, %b, %c : (tensor<f8E4M3FN>, tensor<0x3xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<0x3xf8E4M3FN>
  %2 = stablehlo.clamp %a, %d, %c : (tensor<f8E4M3FN>, tensor<5xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<5xf8E4M3FN>
  return %0, %1, %2 : tensor<5xi4>, tensor<0x3xf8E4M3FN>, tensor<5xf8E4M3FN>
}
