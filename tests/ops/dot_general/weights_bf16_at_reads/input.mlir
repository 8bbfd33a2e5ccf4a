// ulp: 1
func.func public @main(%x: tensor<1x38xi8>, %y: tensor<9x38xi8>, %v: tensor<38x83xi8>, %w: tensor<38x83xi4>) -> (tensor<1x83xbf16>, tensor<9x83xbf16>, tensor<9x83xf32>) {
  // Products and sums of such small integers are exact in f32, in any order: of a row and of nine, whose lanes are packed where they are read.
  %a = stablehlo.convert %x : (tensor<1x38xi8>) -> tensor<1x38xbf16>
  %b = stablehlo.convert %y : (tensor<9x38xi8>) -> tensor<9x38xbf16>
  %f = stablehlo.convert %v : (tensor<38x83xi8>) -> tensor<38x83xbf16>
  %0 = stablehlo.dot_general %a, %f, contracting_dims = [1] x [0] : (tensor<1x38xbf16>, tensor<38x83xbf16>) -> tensor<1x83xbf16>
  %g = stablehlo.convert %w : (tensor<38x83xi4>) -> tensor<38x83xbf16>
  %1 = stablehlo.dot_general %b, %g, contracting_dims = [1] x [0] : (tensor<9x38xbf16>, tensor<38x83xbf16>) -> tensor<9x83xbf16>
  %h = stablehlo.convert %v : (tensor<38x83xi8>) -> tensor<38x83xbf16>
  %2 = stablehlo.dot_general %b, %h, contracting_dims = [1] x [0] : (tensor<9x38xbf16>, tensor<38x83xbf16>) -> tensor<9x83xf32>
  return %0, %1, %2 : tensor<1x83xbf16>, tensor<9x83xbf16>, tensor<9x83xf32>
}
