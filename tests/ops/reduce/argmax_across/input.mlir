// range: 0 64
func.func public @main(%n0: tensor<9x3xi32>, %n1: tensor<3x9xi32>, %n2: tensor<12x21xi32>, %n3: tensor<19x70xi32>, %n4: tensor<2x11x13xi32>, %n5: tensor<10x1030xi32>) -> (tensor<3xi32>, tensor<3xi32>, tensor<9xi32>, tensor<9xi64>, tensor<21xi32>, tensor<70xi32>, tensor<70xi32>, tensor<70xi64>, tensor<2x13xi32>, tensor<2x13xi32>, tensor<11x13xi32>, tensor<2x11xi32>, tensor<2x11xui32>, tensor<1030xi32>) {
  // The same along other dimensions: few and many columns, rows in registers and in blocks.
  %x0c = stablehlo.constant dense<7> : tensor<9x3xi32>
  %x0l = stablehlo.and %n0, %x0c : tensor<9x3xi32>
  %x0f = stablehlo.convert %x0l : (tensor<9x3xi32>) -> tensor<9x3xf32>
  %x0n = stablehlo.negate %x0f : tensor<9x3xf32>
  %x0h = stablehlo.constant dense<32> : tensor<9x3xi32>
  %x0s = stablehlo.compare LT, %n0, %x0h : (tensor<9x3xi32>, tensor<9x3xi32>) -> tensor<9x3xi1>
  %x0m = stablehlo.select %x0s, %x0n, %x0f : tensor<9x3xi1>, tensor<9x3xf32>
  %x0e = stablehlo.constant dense<61> : tensor<9x3xi32>
  %x0b = stablehlo.compare GT, %n0, %x0e : (tensor<9x3xi32>, tensor<9x3xi32>) -> tensor<9x3xi1>
  %x0q = stablehlo.constant dense<0x7FC00000> : tensor<9x3xf32>
  %x0 = stablehlo.select %x0b, %x0q, %x0m : tensor<9x3xi1>, tensor<9x3xf32>
  %r0i = stablehlo.iota dim = 0 : tensor<9x3xi32>
  %r0e = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r0z = stablehlo.constant dense<0> : tensor<i32>
  %r0:2 = stablehlo.reduce(%x0 init: %r0e), (%r0i init: %r0z) across dimensions = [0] : (tensor<9x3xf32>, tensor<9x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }
  %r0v = stablehlo.bitcast_convert %r0#0 : (tensor<3xf32>) -> tensor<3xi32>
  %x1c = stablehlo.constant dense<7> : tensor<3x9xi32>
  %x1l = stablehlo.and %n1, %x1c : tensor<3x9xi32>
  %x1f = stablehlo.convert %x1l : (tensor<3x9xi32>) -> tensor<3x9xf32>
  %x1n = stablehlo.negate %x1f : tensor<3x9xf32>
  %x1h = stablehlo.constant dense<32> : tensor<3x9xi32>
  %x1s = stablehlo.compare LT, %n1, %x1h : (tensor<3x9xi32>, tensor<3x9xi32>) -> tensor<3x9xi1>
  %x1m = stablehlo.select %x1s, %x1n, %x1f : tensor<3x9xi1>, tensor<3x9xf32>
  %x1e = stablehlo.constant dense<61> : tensor<3x9xi32>
  %x1b = stablehlo.compare GT, %n1, %x1e : (tensor<3x9xi32>, tensor<3x9xi32>) -> tensor<3x9xi1>
  %x1q = stablehlo.constant dense<0x7FC00000> : tensor<3x9xf32>
  %x1 = stablehlo.select %x1b, %x1q, %x1m : tensor<3x9xi1>, tensor<3x9xf32>
  %r1i = stablehlo.iota dim = 0 : tensor<3x9xi64>
  %r1e = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %r1z = stablehlo.constant dense<0> : tensor<i64>
  %r1:2 = stablehlo.reduce(%x1 init: %r1e), (%r1i init: %r1z) across dimensions = [0] : (tensor<3x9xf32>, tensor<3x9xi64>, tensor<f32>, tensor<i64>) -> (tensor<9xf32>, tensor<9xi64>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i64>, %j: tensor<i64>) {
      %further = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i64>
      stablehlo.return %value, %place : tensor<f32>, tensor<i64>
    }
  %r1v = stablehlo.bitcast_convert %r1#0 : (tensor<9xf32>) -> tensor<9xi32>
  %x2c = stablehlo.constant dense<7> : tensor<12x21xi32>
  %x2l = stablehlo.and %n2, %x2c : tensor<12x21xi32>
  %x2f = stablehlo.convert %x2l : (tensor<12x21xi32>) -> tensor<12x21xf32>
  %x2n = stablehlo.negate %x2f : tensor<12x21xf32>
  %x2h = stablehlo.constant dense<32> : tensor<12x21xi32>
  %x2s = stablehlo.compare LT, %n2, %x2h : (tensor<12x21xi32>, tensor<12x21xi32>) -> tensor<12x21xi1>
  %x2m = stablehlo.select %x2s, %x2n, %x2f : tensor<12x21xi1>, tensor<12x21xf32>
  %x2e = stablehlo.constant dense<61> : tensor<12x21xi32>
  %x2b = stablehlo.compare GT, %n2, %x2e : (tensor<12x21xi32>, tensor<12x21xi32>) -> tensor<12x21xi1>
  %x2q = stablehlo.constant dense<0x7FC00000> : tensor<12x21xf32>
  %x2 = stablehlo.select %x2b, %x2q, %x2m : tensor<12x21xi1>, tensor<12x21xf32>
  %r2i = stablehlo.iota dim = 0 : tensor<12x21xi32>
  %r2e = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r2z = stablehlo.constant dense<0> : tensor<i32>
  %r2:2 = stablehlo.reduce(%x2 init: %r2e), (%r2i init: %r2z) across dimensions = [0] : (tensor<12x21xf32>, tensor<12x21xi32>, tensor<f32>, tensor<i32>) -> (tensor<21xf32>, tensor<21xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }
  %x3c = stablehlo.constant dense<7> : tensor<19x70xi32>
  %x3l = stablehlo.and %n3, %x3c : tensor<19x70xi32>
  %x3f = stablehlo.convert %x3l : (tensor<19x70xi32>) -> tensor<19x70xf32>
  %x3n = stablehlo.negate %x3f : tensor<19x70xf32>
  %x3h = stablehlo.constant dense<32> : tensor<19x70xi32>
  %x3s = stablehlo.compare LT, %n3, %x3h : (tensor<19x70xi32>, tensor<19x70xi32>) -> tensor<19x70xi1>
  %x3m = stablehlo.select %x3s, %x3n, %x3f : tensor<19x70xi1>, tensor<19x70xf32>
  %x3e = stablehlo.constant dense<61> : tensor<19x70xi32>
  %x3b = stablehlo.compare GT, %n3, %x3e : (tensor<19x70xi32>, tensor<19x70xi32>) -> tensor<19x70xi1>
  %x3q = stablehlo.constant dense<0x7FC00000> : tensor<19x70xf32>
  %x3 = stablehlo.select %x3b, %x3q, %x3m : tensor<19x70xi1>, tensor<19x70xf32>
  %r3i = stablehlo.iota dim = 0 : tensor<19x70xi32>
  %r3e = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r3z = stablehlo.constant dense<0> : tensor<i32>
  %r3:2 = stablehlo.reduce(%x3 init: %r3e), (%r3i init: %r3z) across dimensions = [0] : (tensor<19x70xf32>, tensor<19x70xi32>, tensor<f32>, tensor<i32>) -> (tensor<70xf32>, tensor<70xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }
  %r3v = stablehlo.bitcast_convert %r3#0 : (tensor<70xf32>) -> tensor<70xi32>
  %r4i = stablehlo.iota dim = 0 : tensor<19x70xi64>
  %r4e = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %r4z = stablehlo.constant dense<0> : tensor<i64>
  %r4:2 = stablehlo.reduce(%x3 init: %r4e), (%r4i init: %r4z) across dimensions = [0] : (tensor<19x70xf32>, tensor<19x70xi64>, tensor<f32>, tensor<i64>) -> (tensor<70xf32>, tensor<70xi64>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i64>, %j: tensor<i64>) {
      %further = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i64>
      stablehlo.return %value, %place : tensor<f32>, tensor<i64>
    }
  %x4c = stablehlo.constant dense<7> : tensor<2x11x13xi32>
  %x4l = stablehlo.and %n4, %x4c : tensor<2x11x13xi32>
  %x4f = stablehlo.convert %x4l : (tensor<2x11x13xi32>) -> tensor<2x11x13xf32>
  %x4n = stablehlo.negate %x4f : tensor<2x11x13xf32>
  %x4h = stablehlo.constant dense<32> : tensor<2x11x13xi32>
  %x4s = stablehlo.compare LT, %n4, %x4h : (tensor<2x11x13xi32>, tensor<2x11x13xi32>) -> tensor<2x11x13xi1>
  %x4m = stablehlo.select %x4s, %x4n, %x4f : tensor<2x11x13xi1>, tensor<2x11x13xf32>
  %x4e = stablehlo.constant dense<61> : tensor<2x11x13xi32>
  %x4b = stablehlo.compare GT, %n4, %x4e : (tensor<2x11x13xi32>, tensor<2x11x13xi32>) -> tensor<2x11x13xi1>
  %x4q = stablehlo.constant dense<0x7FC00000> : tensor<2x11x13xf32>
  %x4 = stablehlo.select %x4b, %x4q, %x4m : tensor<2x11x13xi1>, tensor<2x11x13xf32>
  %r5i = stablehlo.iota dim = 1 : tensor<2x11x13xi32>
  %r5e = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r5z = stablehlo.constant dense<0> : tensor<i32>
  %r5:2 = stablehlo.reduce(%x4 init: %r5e), (%r5i init: %r5z) across dimensions = [1] : (tensor<2x11x13xf32>, tensor<2x11x13xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x13xf32>, tensor<2x13xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }
  %r5v = stablehlo.bitcast_convert %r5#0 : (tensor<2x13xf32>) -> tensor<2x13xi32>
  %r6i = stablehlo.iota dim = 0 : tensor<2x11x13xi32>
  %r6e = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r6z = stablehlo.constant dense<0> : tensor<i32>
  %r6:2 = stablehlo.reduce(%x4 init: %r6e), (%r6i init: %r6z) across dimensions = [0] : (tensor<2x11x13xf32>, tensor<2x11x13xi32>, tensor<f32>, tensor<i32>) -> (tensor<11x13xf32>, tensor<11x13xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }
  %r7i = stablehlo.iota dim = 2 : tensor<2x11x13xui32>
  %r7e = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %r7z = stablehlo.constant dense<0> : tensor<ui32>
  %r7:2 = stablehlo.reduce(%x4 init: %r7e), (%r7i init: %r7z) across dimensions = [2] : (tensor<2x11x13xf32>, tensor<2x11x13xui32>, tensor<f32>, tensor<ui32>) -> (tensor<2x11xf32>, tensor<2x11xui32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<ui32>, %j: tensor<ui32>) {
      %further = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<ui32>
      stablehlo.return %value, %place : tensor<f32>, tensor<ui32>
    }
  %r7v = stablehlo.bitcast_convert %r7#0 : (tensor<2x11xf32>) -> tensor<2x11xi32>
  %x5c = stablehlo.constant dense<7> : tensor<10x1030xi32>
  %x5l = stablehlo.and %n5, %x5c : tensor<10x1030xi32>
  %x5f = stablehlo.convert %x5l : (tensor<10x1030xi32>) -> tensor<10x1030xf32>
  %x5n = stablehlo.negate %x5f : tensor<10x1030xf32>
  %x5h = stablehlo.constant dense<32> : tensor<10x1030xi32>
  %x5s = stablehlo.compare LT, %n5, %x5h : (tensor<10x1030xi32>, tensor<10x1030xi32>) -> tensor<10x1030xi1>
  %x5m = stablehlo.select %x5s, %x5n, %x5f : tensor<10x1030xi1>, tensor<10x1030xf32>
  %x5e = stablehlo.constant dense<61> : tensor<10x1030xi32>
  %x5b = stablehlo.compare GT, %n5, %x5e : (tensor<10x1030xi32>, tensor<10x1030xi32>) -> tensor<10x1030xi1>
  %x5q = stablehlo.constant dense<0x7FC00000> : tensor<10x1030xf32>
  %x5 = stablehlo.select %x5b, %x5q, %x5m : tensor<10x1030xi1>, tensor<10x1030xf32>
  %r8i = stablehlo.iota dim = 0 : tensor<10x1030xi32>
  %r8e = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r8z = stablehlo.constant dense<0> : tensor<i32>
  %r8:2 = stablehlo.reduce(%x5 init: %r8e), (%r8i init: %r8z) across dimensions = [0] : (tensor<10x1030xf32>, tensor<10x1030xi32>, tensor<f32>, tensor<i32>) -> (tensor<1030xf32>, tensor<1030xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }
  return %r0v, %r0#1, %r1v, %r1#1, %r2#1, %r3v, %r3#1, %r4#1, %r5v, %r5#1, %r6#1, %r7v, %r7#1, %r8#1 : tensor<3xi32>, tensor<3xi32>, tensor<9xi32>, tensor<9xi64>, tensor<21xi32>, tensor<70xi32>, tensor<70xi32>, tensor<70xi64>, tensor<2x13xi32>, tensor<2x13xi32>, tensor<11x13xi32>, tensor<2x11xi32>, tensor<2x11xui32>, tensor<1030xi32>
}
