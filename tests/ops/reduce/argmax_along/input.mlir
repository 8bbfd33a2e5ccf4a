// range: 0 64
// uniform: 1
func.func public @main(%n0: tensor<7x1xi32>, %n1: tensor<7x2xi32>, %n2: tensor<7x3xi32>, %n3: tensor<7x5xi32>, %n4: tensor<3x16xi32>, %n5: tensor<3x33xi32>, %n6: tensor<5x67xi32>, %n7: tensor<2x130xi32>, %n8: tensor<77xi32>, %n9: tensor<1xi32>) -> (tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<5xi32>, tensor<5xi32>, tensor<2xi32>, tensor<i32>, tensor<i64>, tensor<i32>) {
  // The place of an extreme element along the innermost dimension: rows of no, one and several whole vectors, and what is left. Ties, zeros of
  // both signs, NaN; the element as bits, too.
  %x0c = stablehlo.constant dense<7> : tensor<7x1xi32>
  %x0l = stablehlo.and %n0, %x0c : tensor<7x1xi32>
  %x0f = stablehlo.convert %x0l : (tensor<7x1xi32>) -> tensor<7x1xf32>
  %x0n = stablehlo.negate %x0f : tensor<7x1xf32>
  %x0h = stablehlo.constant dense<32> : tensor<7x1xi32>
  %x0s = stablehlo.compare LT, %n0, %x0h : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x1xi1>
  %x0m = stablehlo.select %x0s, %x0n, %x0f : tensor<7x1xi1>, tensor<7x1xf32>
  %x0e = stablehlo.constant dense<61> : tensor<7x1xi32>
  %x0b = stablehlo.compare GT, %n0, %x0e : (tensor<7x1xi32>, tensor<7x1xi32>) -> tensor<7x1xi1>
  %x0q = stablehlo.constant dense<0x7FC00000> : tensor<7x1xf32>
  %x0 = stablehlo.select %x0b, %x0q, %x0m : tensor<7x1xi1>, tensor<7x1xf32>
  %r0i = stablehlo.iota dim = 1 : tensor<7x1xi32>
  %r0e = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r0z = stablehlo.constant dense<0> : tensor<i32>
  %r0:2 = stablehlo.reduce(%x0 init: %r0e), (%r0i init: %r0z) across dimensions = [1] : (tensor<7x1xf32>, tensor<7x1xi32>, tensor<f32>, tensor<i32>) -> (tensor<7xf32>, tensor<7xi32>)
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
  %r0v = stablehlo.bitcast_convert %r0#0 : (tensor<7xf32>) -> tensor<7xi32>
  %x1c = stablehlo.constant dense<7> : tensor<7x2xi32>
  %x1l = stablehlo.and %n1, %x1c : tensor<7x2xi32>
  %x1f = stablehlo.convert %x1l : (tensor<7x2xi32>) -> tensor<7x2xf32>
  %x1n = stablehlo.negate %x1f : tensor<7x2xf32>
  %x1h = stablehlo.constant dense<32> : tensor<7x2xi32>
  %x1s = stablehlo.compare LT, %n1, %x1h : (tensor<7x2xi32>, tensor<7x2xi32>) -> tensor<7x2xi1>
  %x1m = stablehlo.select %x1s, %x1n, %x1f : tensor<7x2xi1>, tensor<7x2xf32>
  %x1e = stablehlo.constant dense<61> : tensor<7x2xi32>
  %x1b = stablehlo.compare GT, %n1, %x1e : (tensor<7x2xi32>, tensor<7x2xi32>) -> tensor<7x2xi1>
  %x1q = stablehlo.constant dense<0x7FC00000> : tensor<7x2xf32>
  %x1 = stablehlo.select %x1b, %x1q, %x1m : tensor<7x2xi1>, tensor<7x2xf32>
  %r1i = stablehlo.iota dim = 1 : tensor<7x2xi32>
  %r1e = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r1z = stablehlo.constant dense<0> : tensor<i32>
  %r1:2 = stablehlo.reduce(%x1 init: %r1e), (%r1i init: %r1z) across dimensions = [1] : (tensor<7x2xf32>, tensor<7x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<7xf32>, tensor<7xi32>)
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
  %x2c = stablehlo.constant dense<7> : tensor<7x3xi32>
  %x2l = stablehlo.and %n2, %x2c : tensor<7x3xi32>
  %x2f = stablehlo.convert %x2l : (tensor<7x3xi32>) -> tensor<7x3xf32>
  %x2n = stablehlo.negate %x2f : tensor<7x3xf32>
  %x2h = stablehlo.constant dense<32> : tensor<7x3xi32>
  %x2s = stablehlo.compare LT, %n2, %x2h : (tensor<7x3xi32>, tensor<7x3xi32>) -> tensor<7x3xi1>
  %x2m = stablehlo.select %x2s, %x2n, %x2f : tensor<7x3xi1>, tensor<7x3xf32>
  %x2e = stablehlo.constant dense<61> : tensor<7x3xi32>
  %x2b = stablehlo.compare GT, %n2, %x2e : (tensor<7x3xi32>, tensor<7x3xi32>) -> tensor<7x3xi1>
  %x2q = stablehlo.constant dense<0x7FC00000> : tensor<7x3xf32>
  %x2 = stablehlo.select %x2b, %x2q, %x2m : tensor<7x3xi1>, tensor<7x3xf32>
  %r2i = stablehlo.iota dim = 1 : tensor<7x3xi32>
  %r2e = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %r2z = stablehlo.constant dense<0> : tensor<i32>
  %r2:2 = stablehlo.reduce(%x2 init: %r2e), (%r2i init: %r2z) across dimensions = [1] : (tensor<7x3xf32>, tensor<7x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<7xf32>, tensor<7xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
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
  %r2v = stablehlo.bitcast_convert %r2#0 : (tensor<7xf32>) -> tensor<7xi32>
  %x3c = stablehlo.constant dense<7> : tensor<7x5xi32>
  %x3l = stablehlo.and %n3, %x3c : tensor<7x5xi32>
  %x3f = stablehlo.convert %x3l : (tensor<7x5xi32>) -> tensor<7x5xf32>
  %x3n = stablehlo.negate %x3f : tensor<7x5xf32>
  %x3h = stablehlo.constant dense<32> : tensor<7x5xi32>
  %x3s = stablehlo.compare LT, %n3, %x3h : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi1>
  %x3m = stablehlo.select %x3s, %x3n, %x3f : tensor<7x5xi1>, tensor<7x5xf32>
  %x3e = stablehlo.constant dense<61> : tensor<7x5xi32>
  %x3b = stablehlo.compare GT, %n3, %x3e : (tensor<7x5xi32>, tensor<7x5xi32>) -> tensor<7x5xi1>
  %x3q = stablehlo.constant dense<0x7FC00000> : tensor<7x5xf32>
  %x3 = stablehlo.select %x3b, %x3q, %x3m : tensor<7x5xi1>, tensor<7x5xf32>
  %r3i = stablehlo.iota dim = 1 : tensor<7x5xi32>
  %r3e = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r3z = stablehlo.constant dense<0> : tensor<i32>
  %r3:2 = stablehlo.reduce(%x3 init: %r3e), (%r3i init: %r3z) across dimensions = [1] : (tensor<7x5xf32>, tensor<7x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<7xf32>, tensor<7xi32>)
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
  %x4c = stablehlo.constant dense<7> : tensor<3x16xi32>
  %x4l = stablehlo.and %n4, %x4c : tensor<3x16xi32>
  %x4f = stablehlo.convert %x4l : (tensor<3x16xi32>) -> tensor<3x16xf32>
  %x4n = stablehlo.negate %x4f : tensor<3x16xf32>
  %x4h = stablehlo.constant dense<32> : tensor<3x16xi32>
  %x4s = stablehlo.compare LT, %n4, %x4h : (tensor<3x16xi32>, tensor<3x16xi32>) -> tensor<3x16xi1>
  %x4m = stablehlo.select %x4s, %x4n, %x4f : tensor<3x16xi1>, tensor<3x16xf32>
  %x4e = stablehlo.constant dense<61> : tensor<3x16xi32>
  %x4b = stablehlo.compare GT, %n4, %x4e : (tensor<3x16xi32>, tensor<3x16xi32>) -> tensor<3x16xi1>
  %x4q = stablehlo.constant dense<0x7FC00000> : tensor<3x16xf32>
  %x4 = stablehlo.select %x4b, %x4q, %x4m : tensor<3x16xi1>, tensor<3x16xf32>
  %r4i = stablehlo.iota dim = 1 : tensor<3x16xi32>
  %r4e = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r4z = stablehlo.constant dense<0> : tensor<i32>
  %r4:2 = stablehlo.reduce(%x4 init: %r4e), (%r4i init: %r4z) across dimensions = [1] : (tensor<3x16xf32>, tensor<3x16xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
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
  %r4v = stablehlo.bitcast_convert %r4#0 : (tensor<3xf32>) -> tensor<3xi32>
  %x5c = stablehlo.constant dense<7> : tensor<3x33xi32>
  %x5l = stablehlo.and %n5, %x5c : tensor<3x33xi32>
  %x5f = stablehlo.convert %x5l : (tensor<3x33xi32>) -> tensor<3x33xf32>
  %x5n = stablehlo.negate %x5f : tensor<3x33xf32>
  %x5h = stablehlo.constant dense<32> : tensor<3x33xi32>
  %x5s = stablehlo.compare LT, %n5, %x5h : (tensor<3x33xi32>, tensor<3x33xi32>) -> tensor<3x33xi1>
  %x5m = stablehlo.select %x5s, %x5n, %x5f : tensor<3x33xi1>, tensor<3x33xf32>
  %x5e = stablehlo.constant dense<61> : tensor<3x33xi32>
  %x5b = stablehlo.compare GT, %n5, %x5e : (tensor<3x33xi32>, tensor<3x33xi32>) -> tensor<3x33xi1>
  %x5q = stablehlo.constant dense<0x7FC00000> : tensor<3x33xf32>
  %x5 = stablehlo.select %x5b, %x5q, %x5m : tensor<3x33xi1>, tensor<3x33xf32>
  %r5i = stablehlo.iota dim = 1 : tensor<3x33xi32>
  %r5e = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %r5z = stablehlo.constant dense<0> : tensor<i32>
  %r5:2 = stablehlo.reduce(%x5 init: %r5e), (%r5i init: %r5z) across dimensions = [1] : (tensor<3x33xf32>, tensor<3x33xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %further = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
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
  %x6c = stablehlo.constant dense<7> : tensor<5x67xi32>
  %x6l = stablehlo.and %n6, %x6c : tensor<5x67xi32>
  %x6f = stablehlo.convert %x6l : (tensor<5x67xi32>) -> tensor<5x67xf32>
  %x6n = stablehlo.negate %x6f : tensor<5x67xf32>
  %x6h = stablehlo.constant dense<32> : tensor<5x67xi32>
  %x6s = stablehlo.compare LT, %n6, %x6h : (tensor<5x67xi32>, tensor<5x67xi32>) -> tensor<5x67xi1>
  %x6m = stablehlo.select %x6s, %x6n, %x6f : tensor<5x67xi1>, tensor<5x67xf32>
  %x6e = stablehlo.constant dense<61> : tensor<5x67xi32>
  %x6b = stablehlo.compare GT, %n6, %x6e : (tensor<5x67xi32>, tensor<5x67xi32>) -> tensor<5x67xi1>
  %x6q = stablehlo.constant dense<0x7FC00000> : tensor<5x67xf32>
  %x6 = stablehlo.select %x6b, %x6q, %x6m : tensor<5x67xi1>, tensor<5x67xf32>
  %r6i = stablehlo.iota dim = 1 : tensor<5x67xi32>
  %r6e = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r6z = stablehlo.constant dense<0> : tensor<i32>
  %r6:2 = stablehlo.reduce(%x6 init: %r6e), (%r6i init: %r6z) across dimensions = [1] : (tensor<5x67xf32>, tensor<5x67xi32>, tensor<f32>, tensor<i32>) -> (tensor<5xf32>, tensor<5xi32>)
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
  %r6v = stablehlo.bitcast_convert %r6#0 : (tensor<5xf32>) -> tensor<5xi32>
  %x7c = stablehlo.constant dense<7> : tensor<2x130xi32>
  %x7l = stablehlo.and %n7, %x7c : tensor<2x130xi32>
  %x7f = stablehlo.convert %x7l : (tensor<2x130xi32>) -> tensor<2x130xf32>
  %x7n = stablehlo.negate %x7f : tensor<2x130xf32>
  %x7h = stablehlo.constant dense<32> : tensor<2x130xi32>
  %x7s = stablehlo.compare LT, %n7, %x7h : (tensor<2x130xi32>, tensor<2x130xi32>) -> tensor<2x130xi1>
  %x7m = stablehlo.select %x7s, %x7n, %x7f : tensor<2x130xi1>, tensor<2x130xf32>
  %x7e = stablehlo.constant dense<61> : tensor<2x130xi32>
  %x7b = stablehlo.compare GT, %n7, %x7e : (tensor<2x130xi32>, tensor<2x130xi32>) -> tensor<2x130xi1>
  %x7q = stablehlo.constant dense<0x7FC00000> : tensor<2x130xf32>
  %x7 = stablehlo.select %x7b, %x7q, %x7m : tensor<2x130xi1>, tensor<2x130xf32>
  %r7i = stablehlo.iota dim = 1 : tensor<2x130xi32>
  %r7e = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r7z = stablehlo.constant dense<0> : tensor<i32>
  %r7:2 = stablehlo.reduce(%x7 init: %r7e), (%r7i init: %r7z) across dimensions = [1] : (tensor<2x130xf32>, tensor<2x130xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
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
  %x8c = stablehlo.constant dense<7> : tensor<77xi32>
  %x8l = stablehlo.and %n8, %x8c : tensor<77xi32>
  %x8f = stablehlo.convert %x8l : (tensor<77xi32>) -> tensor<77xf32>
  %x8n = stablehlo.negate %x8f : tensor<77xf32>
  %x8h = stablehlo.constant dense<32> : tensor<77xi32>
  %x8s = stablehlo.compare LT, %n8, %x8h : (tensor<77xi32>, tensor<77xi32>) -> tensor<77xi1>
  %x8m = stablehlo.select %x8s, %x8n, %x8f : tensor<77xi1>, tensor<77xf32>
  %x8e = stablehlo.constant dense<61> : tensor<77xi32>
  %x8b = stablehlo.compare GT, %n8, %x8e : (tensor<77xi32>, tensor<77xi32>) -> tensor<77xi1>
  %x8q = stablehlo.constant dense<0x7FC00000> : tensor<77xf32>
  %x8 = stablehlo.select %x8b, %x8q, %x8m : tensor<77xi1>, tensor<77xf32>
  %r8i = stablehlo.iota dim = 0 : tensor<77xi64>
  %r8e = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r8z = stablehlo.constant dense<0> : tensor<i64>
  %r8:2 = stablehlo.reduce(%x8 init: %r8e), (%r8i init: %r8z) across dimensions = [0] : (tensor<77xf32>, tensor<77xi64>, tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<i64>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%i: tensor<i64>, %j: tensor<i64>) {
      %further = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
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
  %r8v = stablehlo.bitcast_convert %r8#0 : (tensor<f32>) -> tensor<i32>
  %x9c = stablehlo.constant dense<7> : tensor<1xi32>
  %x9l = stablehlo.and %n9, %x9c : tensor<1xi32>
  %x9f = stablehlo.convert %x9l : (tensor<1xi32>) -> tensor<1xf32>
  %x9n = stablehlo.negate %x9f : tensor<1xf32>
  %x9h = stablehlo.constant dense<32> : tensor<1xi32>
  %x9s = stablehlo.compare LT, %n9, %x9h : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %x9m = stablehlo.select %x9s, %x9n, %x9f : tensor<1xi1>, tensor<1xf32>
  %x9e = stablehlo.constant dense<61> : tensor<1xi32>
  %x9b = stablehlo.compare GT, %n9, %x9e : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
  %x9q = stablehlo.constant dense<0x7FC00000> : tensor<1xf32>
  %x9 = stablehlo.select %x9b, %x9q, %x9m : tensor<1xi1>, tensor<1xf32>
  %r9i = stablehlo.iota dim = 0 : tensor<1xi32>
  %r9e = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r9z = stablehlo.constant dense<0> : tensor<i32>
  %r9:2 = stablehlo.reduce(%x9 init: %r9e), (%r9i init: %r9z) across dimensions = [0] : (tensor<1xf32>, tensor<1xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
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
  return %r0v, %r0#1, %r1#1, %r2v, %r2#1, %r3#1, %r4v, %r4#1, %r5#1, %r6v, %r6#1, %r7#1, %r8v, %r8#1, %r9#1 : tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<7xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<5xi32>, tensor<5xi32>, tensor<2xi32>, tensor<i32>, tensor<i64>, tensor<i32>
}
