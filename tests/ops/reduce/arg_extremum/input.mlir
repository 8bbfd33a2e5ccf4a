// uniform: 1
// range: -3 3
func.func public @main(%x: tensor<3x37xf32>, %y: tensor<2x19x5xi16>) -> (tensor<3xi32>, tensor<2x5xi16>, tensor<2x5xi32>) {
  %places = stablehlo.iota dim = 1 : tensor<3x37xi32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %low), (%places init: %zero) across dimensions = [1] : (tensor<3x37xf32>, tensor<3x37xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
    %1 = stablehlo.compare GT, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %c, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %c : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  %rows = stablehlo.iota dim = 1 : tensor<2x19x5xi32>
  %high = stablehlo.constant dense<32767> : tensor<i16>
  %10:2 = stablehlo.reduce(%y init: %high), (%rows init: %zero) across dimensions = [1] : (tensor<2x19x5xi16>, tensor<2x19x5xi32>, tensor<i16>, tensor<i32>) -> (tensor<2x5xi16>, tensor<2x5xi32>)
   reducer(%a: tensor<i16>, %c: tensor<i16>) (%i: tensor<i32>, %j: tensor<i32>) {
    %11 = stablehlo.compare LT, %a, %c, SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
    %12 = stablehlo.compare EQ, %a, %c, SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
    %13 = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %14 = stablehlo.and %12, %13 : tensor<i1>
    %15 = stablehlo.or %11, %14 : tensor<i1>
    %16 = stablehlo.select %11, %a, %c : tensor<i1>, tensor<i16>
    %17 = stablehlo.select %15, %i, %j : tensor<i1>, tensor<i32>
    stablehlo.return %16, %17 : tensor<i16>, tensor<i32>
  }
  return %0#1, %10#0, %10#1 : tensor<3xi32>, tensor<2x5xi16>, tensor<2x5xi32>
}
