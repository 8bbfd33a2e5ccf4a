// range: 0 64
func.func public @main(%n0: tensor<5x37xi32>, %n1: tensor<21x37xi32>) -> (tensor<5xi16>, tensor<5xi32>, tensor<37xi64>, tensor<5xi64>, tensor<37xi16>, tensor<37xi32>, tensor<5xi64>, tensor<5xui32>, tensor<37xi64>, tensor<37xi8>, tensor<5xi8>, tensor<5xi16>, tensor<37xui8>, tensor<5xi32>, tensor<37xui8>, tensor<37xi64>, tensor<5xi16>, tensor<5xi64>, tensor<37xi16>, tensor<37xi32>, tensor<5xi32>, tensor<5xui32>, tensor<37xi8>, tensor<5xi16>, tensor<37xui32>, tensor<37xui8>, tensor<5xi64>, tensor<5xi32>, tensor<37xi64>, tensor<37xi64>, tensor<5xi1>, tensor<5xi64>, tensor<37xi32>) {
  // The place of an extreme element of each type, as places of several types.
  %x0c = stablehlo.constant dense<7> : tensor<5x37xi32>
  %x0l = stablehlo.and %n0, %x0c : tensor<5x37xi32>
  %x0f = stablehlo.convert %x0l : (tensor<5x37xi32>) -> tensor<5x37xbf16>
  %x0n = stablehlo.negate %x0f : tensor<5x37xbf16>
  %x0h = stablehlo.constant dense<32> : tensor<5x37xi32>
  %x0s = stablehlo.compare LT, %n0, %x0h : (tensor<5x37xi32>, tensor<5x37xi32>) -> tensor<5x37xi1>
  %x0m = stablehlo.select %x0s, %x0n, %x0f : tensor<5x37xi1>, tensor<5x37xbf16>
  %x0e = stablehlo.constant dense<61> : tensor<5x37xi32>
  %x0b = stablehlo.compare GT, %n0, %x0e : (tensor<5x37xi32>, tensor<5x37xi32>) -> tensor<5x37xi1>
  %x0q = stablehlo.constant dense<0x7FC0> : tensor<5x37xbf16>
  %x0 = stablehlo.select %x0b, %x0q, %x0m : tensor<5x37xi1>, tensor<5x37xbf16>
  %r0i = stablehlo.iota dim = 1 : tensor<5x37xi32>
  %r0e = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %r0z = stablehlo.constant dense<0> : tensor<i32>
  %r0:2 = stablehlo.reduce(%x0 init: %r0e), (%r0i init: %r0z) across dimensions = [1] : (tensor<5x37xbf16>, tensor<5x37xi32>, tensor<bf16>, tensor<i32>) -> (tensor<5xbf16>, tensor<5xi32>)
    reducer(%a: tensor<bf16>, %b: tensor<bf16>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<bf16>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<bf16>, tensor<i32>
    }
  %r0v = stablehlo.bitcast_convert %r0#0 : (tensor<5xbf16>) -> tensor<5xi16>
  %x1c = stablehlo.constant dense<7> : tensor<21x37xi32>
  %x1l = stablehlo.and %n1, %x1c : tensor<21x37xi32>
  %x1f = stablehlo.convert %x1l : (tensor<21x37xi32>) -> tensor<21x37xbf16>
  %x1n = stablehlo.negate %x1f : tensor<21x37xbf16>
  %x1h = stablehlo.constant dense<32> : tensor<21x37xi32>
  %x1s = stablehlo.compare LT, %n1, %x1h : (tensor<21x37xi32>, tensor<21x37xi32>) -> tensor<21x37xi1>
  %x1m = stablehlo.select %x1s, %x1n, %x1f : tensor<21x37xi1>, tensor<21x37xbf16>
  %x1e = stablehlo.constant dense<61> : tensor<21x37xi32>
  %x1b = stablehlo.compare GT, %n1, %x1e : (tensor<21x37xi32>, tensor<21x37xi32>) -> tensor<21x37xi1>
  %x1q = stablehlo.constant dense<0x7FC0> : tensor<21x37xbf16>
  %x1 = stablehlo.select %x1b, %x1q, %x1m : tensor<21x37xi1>, tensor<21x37xbf16>
  %r1i = stablehlo.iota dim = 0 : tensor<21x37xi64>
  %r1e = stablehlo.constant dense<0x7F80> : tensor<bf16>
  %r1z = stablehlo.constant dense<0> : tensor<i64>
  %r1:2 = stablehlo.reduce(%x1 init: %r1e), (%r1i init: %r1z) across dimensions = [0] : (tensor<21x37xbf16>, tensor<21x37xi64>, tensor<bf16>, tensor<i64>) -> (tensor<37xbf16>, tensor<37xi64>)
    reducer(%a: tensor<bf16>, %b: tensor<bf16>) (%i: tensor<i64>, %j: tensor<i64>) {
      %further = stablehlo.compare LT, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<bf16>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i64>
      stablehlo.return %value, %place : tensor<bf16>, tensor<i64>
    }
  %x2c = stablehlo.constant dense<7> : tensor<5x37xi32>
  %x2l = stablehlo.and %n0, %x2c : tensor<5x37xi32>
  %x2f = stablehlo.convert %x2l : (tensor<5x37xi32>) -> tensor<5x37xf16>
  %x2n = stablehlo.negate %x2f : tensor<5x37xf16>
  %x2h = stablehlo.constant dense<32> : tensor<5x37xi32>
  %x2s = stablehlo.compare LT, %n0, %x2h : (tensor<5x37xi32>, tensor<5x37xi32>) -> tensor<5x37xi1>
  %x2m = stablehlo.select %x2s, %x2n, %x2f : tensor<5x37xi1>, tensor<5x37xf16>
  %x2e = stablehlo.constant dense<61> : tensor<5x37xi32>
  %x2b = stablehlo.compare GT, %n0, %x2e : (tensor<5x37xi32>, tensor<5x37xi32>) -> tensor<5x37xi1>
  %x2q = stablehlo.constant dense<0x7E00> : tensor<5x37xf16>
  %x2 = stablehlo.select %x2b, %x2q, %x2m : tensor<5x37xi1>, tensor<5x37xf16>
  %r2i = stablehlo.iota dim = 1 : tensor<5x37xi64>
  %r2e = stablehlo.constant dense<0x7C00> : tensor<f16>
  %r2z = stablehlo.constant dense<0> : tensor<i64>
  %r2:2 = stablehlo.reduce(%x2 init: %r2e), (%r2i init: %r2z) across dimensions = [1] : (tensor<5x37xf16>, tensor<5x37xi64>, tensor<f16>, tensor<i64>) -> (tensor<5xf16>, tensor<5xi64>)
    reducer(%a: tensor<f16>, %b: tensor<f16>) (%i: tensor<i64>, %j: tensor<i64>) {
      %further = stablehlo.compare LT, %a, %b : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f16>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i64>
      stablehlo.return %value, %place : tensor<f16>, tensor<i64>
    }
  %x3c = stablehlo.constant dense<7> : tensor<21x37xi32>
  %x3l = stablehlo.and %n1, %x3c : tensor<21x37xi32>
  %x3f = stablehlo.convert %x3l : (tensor<21x37xi32>) -> tensor<21x37xf16>
  %x3n = stablehlo.negate %x3f : tensor<21x37xf16>
  %x3h = stablehlo.constant dense<32> : tensor<21x37xi32>
  %x3s = stablehlo.compare LT, %n1, %x3h : (tensor<21x37xi32>, tensor<21x37xi32>) -> tensor<21x37xi1>
  %x3m = stablehlo.select %x3s, %x3n, %x3f : tensor<21x37xi1>, tensor<21x37xf16>
  %x3e = stablehlo.constant dense<61> : tensor<21x37xi32>
  %x3b = stablehlo.compare GT, %n1, %x3e : (tensor<21x37xi32>, tensor<21x37xi32>) -> tensor<21x37xi1>
  %x3q = stablehlo.constant dense<0x7E00> : tensor<21x37xf16>
  %x3 = stablehlo.select %x3b, %x3q, %x3m : tensor<21x37xi1>, tensor<21x37xf16>
  %r3i = stablehlo.iota dim = 0 : tensor<21x37xi32>
  %r3e = stablehlo.constant dense<0xFC00> : tensor<f16>
  %r3z = stablehlo.constant dense<0> : tensor<i32>
  %r3:2 = stablehlo.reduce(%x3 init: %r3e), (%r3i init: %r3z) across dimensions = [0] : (tensor<21x37xf16>, tensor<21x37xi32>, tensor<f16>, tensor<i32>) -> (tensor<37xf16>, tensor<37xi32>)
    reducer(%a: tensor<f16>, %b: tensor<f16>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f16>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f16>, tensor<i32>
    }
  %r3v = stablehlo.bitcast_convert %r3#0 : (tensor<37xf16>) -> tensor<37xi16>
  %x4c = stablehlo.constant dense<7> : tensor<5x37xi32>
  %x4l = stablehlo.and %n0, %x4c : tensor<5x37xi32>
  %x4f = stablehlo.convert %x4l : (tensor<5x37xi32>) -> tensor<5x37xf64>
  %x4n = stablehlo.negate %x4f : tensor<5x37xf64>
  %x4h = stablehlo.constant dense<32> : tensor<5x37xi32>
  %x4s = stablehlo.compare LT, %n0, %x4h : (tensor<5x37xi32>, tensor<5x37xi32>) -> tensor<5x37xi1>
  %x4m = stablehlo.select %x4s, %x4n, %x4f : tensor<5x37xi1>, tensor<5x37xf64>
  %x4e = stablehlo.constant dense<61> : tensor<5x37xi32>
  %x4b = stablehlo.compare GT, %n0, %x4e : (tensor<5x37xi32>, tensor<5x37xi32>) -> tensor<5x37xi1>
  %x4q = stablehlo.constant dense<0x7FF8000000000000> : tensor<5x37xf64>
  %x4 = stablehlo.select %x4b, %x4q, %x4m : tensor<5x37xi1>, tensor<5x37xf64>
  %r4i = stablehlo.iota dim = 1 : tensor<5x37xui32>
  %r4e = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %r4z = stablehlo.constant dense<0> : tensor<ui32>
  %r4:2 = stablehlo.reduce(%x4 init: %r4e), (%r4i init: %r4z) across dimensions = [1] : (tensor<5x37xf64>, tensor<5x37xui32>, tensor<f64>, tensor<ui32>) -> (tensor<5xf64>, tensor<5xui32>)
    reducer(%a: tensor<f64>, %b: tensor<f64>) (%i: tensor<ui32>, %j: tensor<ui32>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f64>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<ui32>
      stablehlo.return %value, %place : tensor<f64>, tensor<ui32>
    }
  %r4v = stablehlo.bitcast_convert %r4#0 : (tensor<5xf64>) -> tensor<5xi64>
  %x5c = stablehlo.constant dense<7> : tensor<21x37xi32>
  %x5l = stablehlo.and %n1, %x5c : tensor<21x37xi32>
  %x5f = stablehlo.convert %x5l : (tensor<21x37xi32>) -> tensor<21x37xf64>
  %x5n = stablehlo.negate %x5f : tensor<21x37xf64>
  %x5h = stablehlo.constant dense<32> : tensor<21x37xi32>
  %x5s = stablehlo.compare LT, %n1, %x5h : (tensor<21x37xi32>, tensor<21x37xi32>) -> tensor<21x37xi1>
  %x5m = stablehlo.select %x5s, %x5n, %x5f : tensor<21x37xi1>, tensor<21x37xf64>
  %x5e = stablehlo.constant dense<61> : tensor<21x37xi32>
  %x5b = stablehlo.compare GT, %n1, %x5e : (tensor<21x37xi32>, tensor<21x37xi32>) -> tensor<21x37xi1>
  %x5q = stablehlo.constant dense<0x7FF8000000000000> : tensor<21x37xf64>
  %x5 = stablehlo.select %x5b, %x5q, %x5m : tensor<21x37xi1>, tensor<21x37xf64>
  %r5i = stablehlo.iota dim = 0 : tensor<21x37xi8>
  %r5e = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %r5z = stablehlo.constant dense<0> : tensor<i8>
  %r5:2 = stablehlo.reduce(%x5 init: %r5e), (%r5i init: %r5z) across dimensions = [0] : (tensor<21x37xf64>, tensor<21x37xi8>, tensor<f64>, tensor<i8>) -> (tensor<37xf64>, tensor<37xi8>)
    reducer(%a: tensor<f64>, %b: tensor<f64>) (%i: tensor<i8>, %j: tensor<i8>) {
      %further = stablehlo.compare LT, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %none = stablehlo.compare NE, %a, %a : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %takes = stablehlo.or %further, %none : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f64>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i8>
      stablehlo.return %value, %place : tensor<f64>, tensor<i8>
    }
  %r5v = stablehlo.bitcast_convert %r5#0 : (tensor<37xf64>) -> tensor<37xi64>
  %x6c = stablehlo.constant dense<30> : tensor<5x37xi32>
  %x6l = stablehlo.subtract %n0, %x6c : tensor<5x37xi32>
  %x6 = stablehlo.convert %x6l : (tensor<5x37xi32>) -> tensor<5x37xi8>
  %r6i = stablehlo.iota dim = 1 : tensor<5x37xi16>
  %r6e = stablehlo.constant dense<127> : tensor<i8>
  %r6z = stablehlo.constant dense<0> : tensor<i16>
  %r6:2 = stablehlo.reduce(%x6 init: %r6e), (%r6i init: %r6z) across dimensions = [1] : (tensor<5x37xi8>, tensor<5x37xi16>, tensor<i8>, tensor<i16>) -> (tensor<5xi8>, tensor<5xi16>)
    reducer(%a: tensor<i8>, %b: tensor<i8>) (%i: tensor<i16>, %j: tensor<i16>) {
      %further = stablehlo.compare LT, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %further, %tie : tensor<i1>
      %value = stablehlo.select %further, %a, %b : tensor<i1>, tensor<i8>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i16>
      stablehlo.return %value, %place : tensor<i8>, tensor<i16>
    }
  %x7c = stablehlo.constant dense<30> : tensor<21x37xi32>
  %x7l = stablehlo.subtract %n1, %x7c : tensor<21x37xi32>
  %x7 = stablehlo.convert %x7l : (tensor<21x37xi32>) -> tensor<21x37xi8>
  %r7i = stablehlo.iota dim = 0 : tensor<21x37xui8>
  %r7e = stablehlo.constant dense<-128> : tensor<i8>
  %r7z = stablehlo.constant dense<0> : tensor<ui8>
  %r7:2 = stablehlo.reduce(%x7 init: %r7e), (%r7i init: %r7z) across dimensions = [0] : (tensor<21x37xi8>, tensor<21x37xui8>, tensor<i8>, tensor<ui8>) -> (tensor<37xi8>, tensor<37xui8>)
    reducer(%a: tensor<i8>, %b: tensor<i8>) (%i: tensor<ui8>, %j: tensor<ui8>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %further, %tie : tensor<i1>
      %value = stablehlo.select %further, %a, %b : tensor<i1>, tensor<i8>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<ui8>
      stablehlo.return %value, %place : tensor<i8>, tensor<ui8>
    }
  %x8c = stablehlo.constant dense<30> : tensor<5x37xi32>
  %x8l = stablehlo.subtract %n0, %x8c : tensor<5x37xi32>
  %x8 = stablehlo.convert %x8l : (tensor<5x37xi32>) -> tensor<5x37xui8>
  %r8i = stablehlo.iota dim = 1 : tensor<5x37xi32>
  %r8e = stablehlo.constant dense<0> : tensor<ui8>
  %r8z = stablehlo.constant dense<0> : tensor<i32>
  %r8:2 = stablehlo.reduce(%x8 init: %r8e), (%r8i init: %r8z) across dimensions = [1] : (tensor<5x37xui8>, tensor<5x37xi32>, tensor<ui8>, tensor<i32>) -> (tensor<5xui8>, tensor<5xi32>)
    reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %further, %tie : tensor<i1>
      %value = stablehlo.select %further, %a, %b : tensor<i1>, tensor<ui8>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<ui8>, tensor<i32>
    }
  %x9c = stablehlo.constant dense<30> : tensor<21x37xi32>
  %x9l = stablehlo.subtract %n1, %x9c : tensor<21x37xi32>
  %x9 = stablehlo.convert %x9l : (tensor<21x37xi32>) -> tensor<21x37xui8>
  %r9i = stablehlo.iota dim = 0 : tensor<21x37xi64>
  %r9e = stablehlo.constant dense<0> : tensor<ui8>
  %r9z = stablehlo.constant dense<0> : tensor<i64>
  %r9:2 = stablehlo.reduce(%x9 init: %r9e), (%r9i init: %r9z) across dimensions = [0] : (tensor<21x37xui8>, tensor<21x37xi64>, tensor<ui8>, tensor<i64>) -> (tensor<37xui8>, tensor<37xi64>)
    reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%i: tensor<i64>, %j: tensor<i64>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %further, %tie : tensor<i1>
      %value = stablehlo.select %further, %a, %b : tensor<i1>, tensor<ui8>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i64>
      stablehlo.return %value, %place : tensor<ui8>, tensor<i64>
    }
  %x10c = stablehlo.constant dense<30> : tensor<5x37xi32>
  %x10l = stablehlo.subtract %n0, %x10c : tensor<5x37xi32>
  %x10 = stablehlo.convert %x10l : (tensor<5x37xi32>) -> tensor<5x37xi16>
  %r10i = stablehlo.iota dim = 1 : tensor<5x37xi64>
  %r10e = stablehlo.constant dense<32767> : tensor<i16>
  %r10z = stablehlo.constant dense<0> : tensor<i64>
  %r10:2 = stablehlo.reduce(%x10 init: %r10e), (%r10i init: %r10z) across dimensions = [1] : (tensor<5x37xi16>, tensor<5x37xi64>, tensor<i16>, tensor<i64>) -> (tensor<5xi16>, tensor<5xi64>)
    reducer(%a: tensor<i16>, %b: tensor<i16>) (%i: tensor<i64>, %j: tensor<i64>) {
      %further = stablehlo.compare LT, %a, %b : (tensor<i16>, tensor<i16>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<i16>, tensor<i16>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %further, %tie : tensor<i1>
      %value = stablehlo.select %further, %a, %b : tensor<i1>, tensor<i16>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i64>
      stablehlo.return %value, %place : tensor<i16>, tensor<i64>
    }
  %x11c = stablehlo.constant dense<30> : tensor<21x37xi32>
  %x11l = stablehlo.subtract %n1, %x11c : tensor<21x37xi32>
  %x11 = stablehlo.convert %x11l : (tensor<21x37xi32>) -> tensor<21x37xi16>
  %r11i = stablehlo.iota dim = 0 : tensor<21x37xi32>
  %r11e = stablehlo.constant dense<-32768> : tensor<i16>
  %r11z = stablehlo.constant dense<0> : tensor<i32>
  %r11:2 = stablehlo.reduce(%x11 init: %r11e), (%r11i init: %r11z) across dimensions = [0] : (tensor<21x37xi16>, tensor<21x37xi32>, tensor<i16>, tensor<i32>) -> (tensor<37xi16>, tensor<37xi32>)
    reducer(%a: tensor<i16>, %b: tensor<i16>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<i16>, tensor<i16>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<i16>, tensor<i16>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %further, %tie : tensor<i1>
      %value = stablehlo.select %further, %a, %b : tensor<i1>, tensor<i16>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<i16>, tensor<i32>
    }
  %x12c = stablehlo.constant dense<30> : tensor<5x37xi32>
  %x12l = stablehlo.subtract %n0, %x12c : tensor<5x37xi32>
  %x12 = stablehlo.convert %x12l : (tensor<5x37xi32>) -> tensor<5x37xi32>
  %r12i = stablehlo.iota dim = 1 : tensor<5x37xui32>
  %r12e = stablehlo.constant dense<-2147483648> : tensor<i32>
  %r12z = stablehlo.constant dense<0> : tensor<ui32>
  %r12:2 = stablehlo.reduce(%x12 init: %r12e), (%r12i init: %r12z) across dimensions = [1] : (tensor<5x37xi32>, tensor<5x37xui32>, tensor<i32>, tensor<ui32>) -> (tensor<5xi32>, tensor<5xui32>)
    reducer(%a: tensor<i32>, %b: tensor<i32>) (%i: tensor<ui32>, %j: tensor<ui32>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, UNSIGNED : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %further, %tie : tensor<i1>
      %value = stablehlo.select %further, %a, %b : tensor<i1>, tensor<i32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<ui32>
      stablehlo.return %value, %place : tensor<i32>, tensor<ui32>
    }
  %x13c = stablehlo.constant dense<30> : tensor<21x37xi32>
  %x13l = stablehlo.subtract %n1, %x13c : tensor<21x37xi32>
  %x13 = stablehlo.convert %x13l : (tensor<21x37xi32>) -> tensor<21x37xi32>
  %r13i = stablehlo.iota dim = 0 : tensor<21x37xi8>
  %r13e = stablehlo.constant dense<2147483647> : tensor<i32>
  %r13z = stablehlo.constant dense<0> : tensor<i8>
  %r13:2 = stablehlo.reduce(%x13 init: %r13e), (%r13i init: %r13z) across dimensions = [0] : (tensor<21x37xi32>, tensor<21x37xi8>, tensor<i32>, tensor<i8>) -> (tensor<37xi32>, tensor<37xi8>)
    reducer(%a: tensor<i32>, %b: tensor<i32>) (%i: tensor<i8>, %j: tensor<i8>) {
      %further = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %further, %tie : tensor<i1>
      %value = stablehlo.select %further, %a, %b : tensor<i1>, tensor<i32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i8>
      stablehlo.return %value, %place : tensor<i32>, tensor<i8>
    }
  %x14c = stablehlo.constant dense<30> : tensor<5x37xi32>
  %x14l = stablehlo.subtract %n0, %x14c : tensor<5x37xi32>
  %x14 = stablehlo.convert %x14l : (tensor<5x37xi32>) -> tensor<5x37xui32>
  %r14i = stablehlo.iota dim = 1 : tensor<5x37xi16>
  %r14e = stablehlo.constant dense<0> : tensor<ui32>
  %r14z = stablehlo.constant dense<0> : tensor<i16>
  %r14:2 = stablehlo.reduce(%x14 init: %r14e), (%r14i init: %r14z) across dimensions = [1] : (tensor<5x37xui32>, tensor<5x37xi16>, tensor<ui32>, tensor<i16>) -> (tensor<5xui32>, tensor<5xi16>)
    reducer(%a: tensor<ui32>, %b: tensor<ui32>) (%i: tensor<i16>, %j: tensor<i16>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i16>, tensor<i16>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %further, %tie : tensor<i1>
      %value = stablehlo.select %further, %a, %b : tensor<i1>, tensor<ui32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i16>
      stablehlo.return %value, %place : tensor<ui32>, tensor<i16>
    }
  %x15c = stablehlo.constant dense<30> : tensor<21x37xi32>
  %x15l = stablehlo.subtract %n1, %x15c : tensor<21x37xi32>
  %x15 = stablehlo.convert %x15l : (tensor<21x37xi32>) -> tensor<21x37xui32>
  %r15i = stablehlo.iota dim = 0 : tensor<21x37xui8>
  %r15e = stablehlo.constant dense<0> : tensor<ui32>
  %r15z = stablehlo.constant dense<0> : tensor<ui8>
  %r15:2 = stablehlo.reduce(%x15 init: %r15e), (%r15i init: %r15z) across dimensions = [0] : (tensor<21x37xui32>, tensor<21x37xui8>, tensor<ui32>, tensor<ui8>) -> (tensor<37xui32>, tensor<37xui8>)
    reducer(%a: tensor<ui32>, %b: tensor<ui32>) (%i: tensor<ui8>, %j: tensor<ui8>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %further, %tie : tensor<i1>
      %value = stablehlo.select %further, %a, %b : tensor<i1>, tensor<ui32>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<ui8>
      stablehlo.return %value, %place : tensor<ui32>, tensor<ui8>
    }
  %x16c = stablehlo.constant dense<30> : tensor<5x37xi32>
  %x16l = stablehlo.subtract %n0, %x16c : tensor<5x37xi32>
  %x16 = stablehlo.convert %x16l : (tensor<5x37xi32>) -> tensor<5x37xi64>
  %r16i = stablehlo.iota dim = 1 : tensor<5x37xi32>
  %r16e = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
  %r16z = stablehlo.constant dense<0> : tensor<i32>
  %r16:2 = stablehlo.reduce(%x16 init: %r16e), (%r16i init: %r16z) across dimensions = [1] : (tensor<5x37xi64>, tensor<5x37xi32>, tensor<i64>, tensor<i32>) -> (tensor<5xi64>, tensor<5xi32>)
    reducer(%a: tensor<i64>, %b: tensor<i64>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %further, %tie : tensor<i1>
      %value = stablehlo.select %further, %a, %b : tensor<i1>, tensor<i64>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<i64>, tensor<i32>
    }
  %x17c = stablehlo.constant dense<30> : tensor<21x37xi32>
  %x17l = stablehlo.subtract %n1, %x17c : tensor<21x37xi32>
  %x17 = stablehlo.convert %x17l : (tensor<21x37xi32>) -> tensor<21x37xi64>
  %r17i = stablehlo.iota dim = 0 : tensor<21x37xi64>
  %r17e = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %r17z = stablehlo.constant dense<0> : tensor<i64>
  %r17:2 = stablehlo.reduce(%x17 init: %r17e), (%r17i init: %r17z) across dimensions = [0] : (tensor<21x37xi64>, tensor<21x37xi64>, tensor<i64>, tensor<i64>) -> (tensor<37xi64>, tensor<37xi64>)
    reducer(%a: tensor<i64>, %b: tensor<i64>) (%i: tensor<i64>, %j: tensor<i64>) {
      %further = stablehlo.compare LT, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %further, %tie : tensor<i1>
      %value = stablehlo.select %further, %a, %b : tensor<i1>, tensor<i64>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i64>
      stablehlo.return %value, %place : tensor<i64>, tensor<i64>
    }
  %x18c = stablehlo.constant dense<30> : tensor<5x37xi32>
  %x18l = stablehlo.subtract %n0, %x18c : tensor<5x37xi32>
  %x18 = stablehlo.convert %x18l : (tensor<5x37xi32>) -> tensor<5x37xi1>
  %r18i = stablehlo.iota dim = 1 : tensor<5x37xi64>
  %r18e = stablehlo.constant dense<true> : tensor<i1>
  %r18z = stablehlo.constant dense<0> : tensor<i64>
  %r18:2 = stablehlo.reduce(%x18 init: %r18e), (%r18i init: %r18z) across dimensions = [1] : (tensor<5x37xi1>, tensor<5x37xi64>, tensor<i1>, tensor<i64>) -> (tensor<5xi1>, tensor<5xi64>)
    reducer(%a: tensor<i1>, %b: tensor<i1>) (%i: tensor<i64>, %j: tensor<i64>) {
      %further = stablehlo.compare LT, %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %further, %tie : tensor<i1>
      %value = stablehlo.select %further, %a, %b : tensor<i1>, tensor<i1>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i64>
      stablehlo.return %value, %place : tensor<i1>, tensor<i64>
    }
  %x19c = stablehlo.constant dense<30> : tensor<21x37xi32>
  %x19l = stablehlo.subtract %n1, %x19c : tensor<21x37xi32>
  %x19 = stablehlo.convert %x19l : (tensor<21x37xi32>) -> tensor<21x37xi1>
  %r19i = stablehlo.iota dim = 0 : tensor<21x37xi32>
  %r19e = stablehlo.constant dense<false> : tensor<i1>
  %r19z = stablehlo.constant dense<0> : tensor<i32>
  %r19:2 = stablehlo.reduce(%x19 init: %r19e), (%r19i init: %r19z) across dimensions = [0] : (tensor<21x37xi1>, tensor<21x37xi32>, tensor<i1>, tensor<i32>) -> (tensor<37xi1>, tensor<37xi32>)
    reducer(%a: tensor<i1>, %b: tensor<i1>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %equal = stablehlo.compare EQ, %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %before = stablehlo.compare LT, %i, %j, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %keep = stablehlo.or %further, %tie : tensor<i1>
      %value = stablehlo.select %further, %a, %b : tensor<i1>, tensor<i1>
      %place = stablehlo.select %keep, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<i1>, tensor<i32>
    }
  return %r0v, %r0#1, %r1#1, %r2#1, %r3v, %r3#1, %r4v, %r4#1, %r5v, %r5#1, %r6#0, %r6#1, %r7#1, %r8#1, %r9#0, %r9#1, %r10#0, %r10#1, %r11#0, %r11#1, %r12#0, %r12#1, %r13#1, %r14#1, %r15#0, %r15#1, %r16#0, %r16#1, %r17#0, %r17#1, %r18#0, %r18#1, %r19#1 : tensor<5xi16>, tensor<5xi32>, tensor<37xi64>, tensor<5xi64>, tensor<37xi16>, tensor<37xi32>, tensor<5xi64>, tensor<5xui32>, tensor<37xi64>, tensor<37xi8>, tensor<5xi8>, tensor<5xi16>, tensor<37xui8>, tensor<5xi32>, tensor<37xui8>, tensor<37xi64>, tensor<5xi16>, tensor<5xi64>, tensor<37xi16>, tensor<37xi32>, tensor<5xi32>, tensor<5xui32>, tensor<37xi8>, tensor<5xi16>, tensor<37xui32>, tensor<37xui8>, tensor<5xi64>, tensor<5xi32>, tensor<37xi64>, tensor<37xi64>, tensor<5xi1>, tensor<5xi64>, tensor<37xi32>
}
