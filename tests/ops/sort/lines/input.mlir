func.func public @main(%x: tensor<20x21xf32>, %y: tensor<2x9x18xi16>, %z: tensor<37xf64>, %w: tensor<300xf32>)
    -> (tensor<20x21xf32>, tensor<2x9x18xi16>, tensor<37xf64>, tensor<300xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare EQ, %a, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %zero, %a : tensor<i1>, tensor<f32>
    %3 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.select %3, %nan, %2 : tensor<i1>, tensor<f32>
    %5 = stablehlo.compare EQ, %b, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.select %5, %zero, %b : tensor<i1>, tensor<f32>
    %7 = stablehlo.compare NE, %b, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %8 = stablehlo.select %7, %nan, %6 : tensor<i1>, tensor<f32>
    %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %9 : tensor<i1>
  }) : (tensor<20x21xf32>) -> tensor<20x21xf32>
  %10 = "stablehlo.sort"(%y) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i16>, %b: tensor<i16>):
    %11 = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
    stablehlo.return %11 : tensor<i1>
  }) : (tensor<2x9x18xi16>) -> tensor<2x9x18xi16>
  %12 = "stablehlo.sort"(%z) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %13 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f64>, tensor<f64>) -> tensor<i1>
    stablehlo.return %13 : tensor<i1>
  }) : (tensor<37xf64>) -> tensor<37xf64>
  %14 = "stablehlo.sort"(%w) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %15 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %15 : tensor<i1>
  }) : (tensor<300xf32>) -> tensor<300xf32>
  return %0, %10, %12, %14 : tensor<20x21xf32>, tensor<2x9x18xi16>, tensor<37xf64>, tensor<300xf32>
}
