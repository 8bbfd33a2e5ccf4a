// ulp: 4
// plain

// Orders that are whole numbers from 2 on, of positive numbers: elsewhere the function is hardly defined.
func.func public @main(%x: tensor<5x1xf32>, %y: tensor<3xf32>) -> tensor<5x3xf32> {
  %two = stablehlo.constant dense<2.0> : tensor<5x1xf32>
  %half = stablehlo.constant dense<0.5> : tensor<3xf32>
  %a = stablehlo.abs %x : tensor<5x1xf32>
  %whole = stablehlo.round_nearest_even %a : tensor<5x1xf32>
  %order = stablehlo.add %whole, %two : tensor<5x1xf32>
  %b = stablehlo.abs %y : tensor<3xf32>
  %of = stablehlo.add %b, %half : tensor<3xf32>
  %0 = chlo.broadcast_zeta %order, %of : (tensor<5x1xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
