// range: 0 64
func.func public @main(%n: tensor<33x5xi32>) -> (tensor<33xi32>, tensor<33xi32>, tensor<5xi16>, tensor<33xi32>) {
  // Of equal zeros the last one's sign is the result's, with the index of the first; of NaNs the first one's bits.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sign = stablehlo.constant dense<31> : tensor<33x5xi32>
  %few = stablehlo.constant dense<4> : tensor<33x5xi32>
  %quiet = stablehlo.constant dense<0x7FC00000> : tensor<33x5xi32>
  %signs = stablehlo.shift_left %n, %sign : tensor<33x5xi32>
  %nan = stablehlo.or %quiet, %n : tensor<33x5xi32>
  %rare = stablehlo.compare LT, %n, %few, SIGNED : (tensor<33x5xi32>, tensor<33x5xi32>) -> tensor<33x5xi1>
  %bits = stablehlo.select %rare, %nan, %signs : tensor<33x5xi1>, tensor<33x5xi32>
  %x = stablehlo.bitcast_convert %bits : (tensor<33x5xi32>) -> tensor<33x5xf32>
  %zeros = stablehlo.bitcast_convert %signs : (tensor<33x5xi32>) -> tensor<33x5xf32>
  %narrow = stablehlo.convert %zeros : (tensor<33x5xf32>) -> tensor<33x5xbf16>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %greatest = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %narrow_greatest = stablehlo.constant dense<0x7F80> : tensor<bf16>
  %columns = stablehlo.iota dim = 1 : tensor<33x5xi32>
  %rows = stablehlo.iota dim = 0 : tensor<33x5xi32>
  %0:2 = stablehlo.reduce(%x init: %least), (%columns init: %zero) across dimensions = [1]
      : (tensor<33x5xf32>, tensor<33x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<33xf32>, tensor<33xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %no_number = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %first = stablehlo.or %further, %no_number : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %first, %tie : tensor<i1>
      %value = stablehlo.select %first, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }
  %1:2 = stablehlo.reduce(%narrow init: %narrow_greatest), (%rows init: %zero) across dimensions = [0]
      : (tensor<33x5xbf16>, tensor<33x5xi32>, tensor<bf16>, tensor<i32>) -> (tensor<5xbf16>, tensor<5xi32>)
    reducer(%a: tensor<bf16>, %b: tensor<bf16>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare LT, %a, %b, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %no_number = stablehlo.compare NE, %a, %a, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %first = stablehlo.or %further, %no_number : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %first, %tie : tensor<i1>
      %value = stablehlo.select %first, %a, %b : tensor<i1>, tensor<bf16>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<bf16>, tensor<i32>
    }
  %2:2 = stablehlo.reduce(%zeros init: %greatest), (%columns init: %zero) across dimensions = [1]
      : (tensor<33x5xf32>, tensor<33x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<33xf32>, tensor<33xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %no_number = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %first = stablehlo.or %further, %no_number : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %first, %tie : tensor<i1>
      %value = stablehlo.select %first, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }
  %3 = stablehlo.bitcast_convert %0#0 : (tensor<33xf32>) -> tensor<33xi32>
  %4 = stablehlo.bitcast_convert %1#0 : (tensor<5xbf16>) -> tensor<5xi16>
  %5 = stablehlo.bitcast_convert %2#0 : (tensor<33xf32>) -> tensor<33xi32>
  return %3, %0#1, %4, %5 : tensor<33xi32>, tensor<33xi32>, tensor<5xi16>, tensor<33xi32>
}
