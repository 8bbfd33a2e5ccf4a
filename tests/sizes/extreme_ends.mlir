// every: x.1=41
// open: x.1=100
// Extrema and their places along rows that end at a size: the last vector begins earlier and meets elements again. Rows have ties, zeros of
// both signs, infinities, and elements that are not numbers; lanes have several widths, and results take one row, several, or a number of
// them that is no multiple.
func.func public @main(%x: tensor<7x?xf32> loc("x"), %d: tensor<3x?xf64> loc("d"), %b: tensor<5x?xi8> loc("b")) -> (tensor<7xi32>, tensor<7xi32>, tensor<7xf32>, tensor<7xi32>, tensor<3xi64>, tensor<5xi32>, tensor<5xi8>) {
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<7x?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %sevens = stablehlo.constant dense<7> : tensor<1xi32>
  %threes = stablehlo.constant dense<3> : tensor<1xi32>
  %fives = stablehlo.constant dense<5> : tensor<1xi32>
  %d1 = stablehlo.get_dimension_size %d, dim = 1 : (tensor<3x?xf64>) -> tensor<i32>
  %b1 = stablehlo.get_dimension_size %b, dim = 1 : (tensor<5x?xi8>) -> tensor<i32>
  %e0 = stablehlo.compare EQ, %n, %d1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %e1 = stablehlo.compare EQ, %n, %b1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %p0 = stablehlo.constant dense<1> : tensor<i32>
  %e2 = stablehlo.compare GE, %n, %p0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%e0, %n, %d1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e1, %n, %b1) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  stablehlo.custom_call @shape_assertion(%e2, %n) {error_message = "{0} is 0", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %seven = stablehlo.concatenate %sevens, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %three = stablehlo.concatenate %threes, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %five = stablehlo.concatenate %fives, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %i7 = stablehlo.dynamic_iota %seven, dim = 1 : (tensor<2xi32>) -> tensor<7x?xi32>
  %i3 = stablehlo.dynamic_iota %three, dim = 1 : (tensor<2xi32>) -> tensor<3x?xi64>
  %i5 = stablehlo.dynamic_iota %five, dim = 1 : (tensor<2xi32>) -> tensor<5x?xi32>
  // Few values.
  %ties = stablehlo.round_nearest_even %x : tensor<7x?xf32>
  %dties = stablehlo.round_nearest_even %d : tensor<3x?xf64>
  // 0 / 0 where they are zero.
  %odd = stablehlo.divide %ties, %ties : tensor<7x?xf32>
  %high = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %low = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %dhigh = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %bhigh = stablehlo.constant dense<-128> : tensor<i8>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %zero64 = stablehlo.constant dense<0> : tensor<i64>
  %0:2 = stablehlo.reduce(%ties init: %high), (%i7 init: %zero) across dimensions = [1] : (tensor<7x?xf32>, tensor<7x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<7xf32>, tensor<7xi32>)
    reducer(%a: tensor<f32>, %e: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
    %1 = stablehlo.compare GT, %a, %e, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %e, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %e : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  %10:2 = stablehlo.reduce(%ties init: %low), (%i7 init: %zero) across dimensions = [1] : (tensor<7x?xf32>, tensor<7x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<7xf32>, tensor<7xi32>)
    reducer(%a: tensor<f32>, %e: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
    %1 = stablehlo.compare LT, %a, %e, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %e, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %e : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  %20:2 = stablehlo.reduce(%odd init: %high), (%i7 init: %zero) across dimensions = [1] : (tensor<7x?xf32>, tensor<7x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<7xf32>, tensor<7xi32>)
    reducer(%a: tensor<f32>, %e: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
    %1 = stablehlo.compare GT, %a, %e, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %e, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %e : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  %30:2 = stablehlo.reduce(%dties init: %dhigh), (%i3 init: %zero64) across dimensions = [1] : (tensor<3x?xf64>, tensor<3x?xi64>, tensor<f64>, tensor<i64>) -> (tensor<3xf64>, tensor<3xi64>)
    reducer(%a: tensor<f64>, %e: tensor<f64>) (%p: tensor<i64>, %q: tensor<i64>) {
    %1 = stablehlo.compare GT, %a, %e, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %e, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %5 = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %e : tensor<i1>, tensor<f64>
    %9 = stablehlo.select %7, %p, %q : tensor<i1>, tensor<i64>
    stablehlo.return %8, %9 : tensor<f64>, tensor<i64>
  }
  %40:2 = stablehlo.reduce(%b init: %bhigh), (%i5 init: %zero) across dimensions = [1] : (tensor<5x?xi8>, tensor<5x?xi32>, tensor<i8>, tensor<i32>) -> (tensor<5xi8>, tensor<5xi32>)
    reducer(%a: tensor<i8>, %e: tensor<i8>) (%p: tensor<i32>, %q: tensor<i32>) {
    %1 = stablehlo.compare GT, %a, %e, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %4 = stablehlo.compare EQ, %a, %e, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
    %5 = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %1, %6 : tensor<i1>
    %8 = stablehlo.select %1, %a, %e : tensor<i1>, tensor<i8>
    %9 = stablehlo.select %7, %p, %q : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<i8>, tensor<i32>
  }
  return %0#1, %10#1, %0#0, %20#1, %30#1, %40#1, %40#0 : tensor<7xi32>, tensor<7xi32>, tensor<7xf32>, tensor<7xi32>, tensor<3xi64>, tensor<5xi32>, tensor<5xi8>
}
