func.func public @main(%x: tensor<3x5xi4>, %source: tensor<2x4xi4>, %none: tensor<0x5xf32>, %nothing: tensor<0x4xf32>) -> (tensor<3x5xi4>, tensor<0x5xf32>) {
  %zero = stablehlo.constant dense<1> : tensor<i4>
  %0 = "stablehlo.select_and_scatter"(%x, %source, %zero) <{window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<i4>, %b: tensor<i4>):
    %1 = stablehlo.compare LE, %a, %b, SIGNED : (tensor<i4>, tensor<i4>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<i4>, %b: tensor<i4>):
    %1 = stablehlo.add %a, %b : tensor<i4>
    stablehlo.return %1 : tensor<i4>
  }) : (tensor<3x5xi4>, tensor<2x4xi4>, tensor<i4>) -> tensor<3x5xi4>
  %f = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = "stablehlo.select_and_scatter"(%none, %nothing, %f) <{window_dimensions = array<i64: 1, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %3 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }) : (tensor<0x5xf32>, tensor<0x4xf32>, tensor<f32>) -> tensor<0x5xf32>
  return %0, %2 : tensor<3x5xi4>, tensor<0x5xf32>
}
