// plain
// absolute: 1e-5
// uniform: 1 3 10 11 12 13 20
func.func public @main(%x: tensor<19x3xf32>) -> (tensor<3xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xf32>) {
  // Two results, with initial values that are no neutral elements.
  %at = stablehlo.iota dim = 0 : tensor<19x3xi32>
  %infinities = stablehlo.constant dense<0x7F800000> : tensor<19x3xf32>
  %quiet = stablehlo.constant dense<0x7FC00000> : tensor<19x3xf32>
  %low = stablehlo.subtract %x, %infinities : tensor<19x3xf32>
  %zeros = stablehlo.subtract %x, %x : tensor<19x3xf32>
  %above = stablehlo.compare GT, %x, %zeros : (tensor<19x3xf32>, tensor<19x3xf32>) -> tensor<19x3xi1>
  %nans = stablehlo.select %above, %x, %quiet : tensor<19x3xi1>, tensor<19x3xf32>
  %n = stablehlo.convert %x : (tensor<19x3xf32>) -> tensor<19x3xi32>
  %c = stablehlo.cosine %x : tensor<19x3xf32>
  %i0 = stablehlo.constant dense<10> : tensor<i32>
  %j0 = stablehlo.constant dense<3> : tensor<i32>
  %p0:2 = stablehlo.reduce(%n init: %i0), (%n init: %j0) across dimensions = [0] : (tensor<19x3xi32>, tensor<19x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
    reducer(%a: tensor<i32>, %b: tensor<i32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %s = stablehlo.add %a, %b : tensor<i32>
      %t = stablehlo.multiply %p, %q : tensor<i32>
      stablehlo.return %s, %t : tensor<i32>, tensor<i32>
    }
  %i2 = stablehlo.constant dense<2.5> : tensor<f32>
  %j2 = stablehlo.constant dense<4> : tensor<i32>
  %p2:2 = stablehlo.reduce(%x init: %i2), (%n init: %j2) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %s = stablehlo.add %a, %b : tensor<f32>
      %t = stablehlo.maximum %p, %q : tensor<i32>
      stablehlo.return %s, %t : tensor<f32>, tensor<i32>
    }
  %i4 = stablehlo.constant dense<10.0> : tensor<f32>
  %j4 = stablehlo.constant dense<3> : tensor<i32>
  %p4:2 = stablehlo.reduce(%c init: %i4), (%n init: %j4) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %is = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %sum = stablehlo.add %a, %b : tensor<f32>
      %s = stablehlo.select %is, %a, %sum : tensor<i1>, tensor<f32>
      %t = stablehlo.add %p, %q : tensor<i32>
      stablehlo.return %s, %t : tensor<f32>, tensor<i32>
    }
  %i6 = stablehlo.constant dense<0.5> : tensor<f32>
  %j6 = stablehlo.constant dense<-7> : tensor<i32>
  %p6:2 = stablehlo.reduce(%c init: %i6), (%at init: %j6) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %place = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %place, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %j8 = stablehlo.constant dense<0> : tensor<i32>
  %p8:2 = stablehlo.reduce(%c init: %i8), (%at init: %j8) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %place = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %place, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %j10 = stablehlo.constant dense<0> : tensor<i32>
  %p10:2 = stablehlo.reduce(%low init: %i10), (%at init: %j10) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %place = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %place, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i12 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %j12 = stablehlo.constant dense<5> : tensor<i32>
  %p12:2 = stablehlo.reduce(%c init: %i12), (%at init: %j12) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %place = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %place, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i14 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %j14 = stablehlo.constant dense<0> : tensor<i32>
  %p14:2 = stablehlo.reduce(%nans init: %i14), (%at init: %j14) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %place = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %place, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i16 = stablehlo.constant dense<0.0> : tensor<f32>
  %j16 = stablehlo.constant dense<-1> : tensor<i32>
  %p16:2 = stablehlo.reduce(%nans init: %i16), (%at init: %j16) across dimensions = [0] : (tensor<19x3xf32>, tensor<19x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %ge = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %v = stablehlo.select %ge, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %ge, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i18 = stablehlo.constant dense<1> : tensor<i32>
  %j18 = stablehlo.constant dense<9> : tensor<i32>
  %p18:2 = stablehlo.reduce(%n init: %i18), (%at init: %j18) across dimensions = [0] : (tensor<19x3xi32>, tensor<19x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
    reducer(%a: tensor<i32>, %b: tensor<i32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %le = stablehlo.compare LE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %v = stablehlo.minimum %a, %b : tensor<i32>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %least = stablehlo.minimum %p, %q : tensor<i32>
      %one = stablehlo.select %le, %p, %q : tensor<i1>, tensor<i32>
      %w = stablehlo.select %eq, %least, %one : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<i32>, tensor<i32>
    }
  %i20 = stablehlo.constant dense<3> : tensor<i32>
  %j20 = stablehlo.constant dense<5> : tensor<i32>
  %p20:2 = stablehlo.reduce(%n init: %i20), (%at init: %j20) across dimensions = [0] : (tensor<19x3xi32>, tensor<19x3xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
    reducer(%a: tensor<i32>, %b: tensor<i32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %s = stablehlo.multiply %a, %b : tensor<i32>
      %scaled = stablehlo.multiply %b, %p : tensor<i32>
      %t = stablehlo.add %scaled, %q : tensor<i32>
      stablehlo.return %s, %t : tensor<i32>, tensor<i32>
    }
  %i22 = stablehlo.constant dense<2> : tensor<i32>
  %j22 = stablehlo.constant dense<0.25> : tensor<f32>
  %p22:2 = stablehlo.reduce(%n init: %i22), (%c init: %j22) across dimensions = [0] : (tensor<19x3xi32>, tensor<19x3xf32>, tensor<i32>, tensor<f32>) -> (tensor<3xi32>, tensor<3xf32>)
    reducer(%a: tensor<i32>, %b: tensor<i32>) (%p: tensor<f32>, %q: tensor<f32>) {
      %lt = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %s = stablehlo.select %lt, %a, %b : tensor<i1>, tensor<i32>
      %t = stablehlo.select %lt, %p, %q : tensor<i1>, tensor<f32>
      stablehlo.return %s, %t : tensor<i32>, tensor<f32>
    }
  return %p0#0, %p0#1, %p2#0, %p2#1, %p4#0, %p4#1, %p6#0, %p6#1, %p8#0, %p8#1, %p10#0, %p10#1, %p12#0, %p12#1, %p14#0, %p14#1, %p16#0, %p16#1, %p18#0, %p18#1, %p20#0, %p20#1, %p22#0, %p22#1 : tensor<3xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xf32>
}
