// every: x.1=40
// Sorts, extrema with their places and running sums, which end at the size: lines of equal numbers, zeros of both signs and NaN, alone and
// with their places, along both dimensions, the first ones only, and as parts of other work.
func.func public @main(%x: tensor<9x?xf32> loc("x"), %i: tensor<?x11xi32> loc("i")) -> (tensor<9x?xi32>, tensor<9x?xi32>, tensor<9x2xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9x?xf32>, tensor<?x11xi32>, tensor<11xi32>, tensor<?x11xi32>, tensor<?x11xf32>, tensor<9xf32>, tensor<?x9xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %nine = stablehlo.constant dense<9> : tensor<1xi32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<9x?xf32>) -> tensor<i32>
  %n = stablehlo.get_dimension_size %i, dim = 0 : (tensor<?x11xi32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%same, %m, %n) {error_message = "{0} and {1}", has_side_effect = true} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()
  %two = stablehlo.constant dense<2> : tensor<i32>
  %many = stablehlo.compare GE, %m, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%many, %m) {error_message = "{0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %columns = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %nine, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  // Few different numbers: some zeros are negative, and some are NaN.
  %whole = stablehlo.round_nearest_even %x : tensor<9x?xf32>
  %ones0 = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.dynamic_broadcast_in_dim %ones0, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<9x?xf32>
  %nans = stablehlo.dynamic_broadcast_in_dim %nan, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<9x?xf32>
  %is_one = stablehlo.compare EQ, %whole, %ones : (tensor<9x?xf32>, tensor<9x?xf32>) -> tensor<9x?xi1>
  %odd = stablehlo.select %is_one, %nans, %whole : tensor<9x?xi1>, tensor<9x?xf32>
  %places = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<9x?xi32>
  // Alone.
  %sorted = "stablehlo.sort"(%odd) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %a0 = stablehlo.compare EQ, %a, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %a1 = stablehlo.select %a0, %zero, %a : tensor<i1>, tensor<f32>
    %a2 = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %a3 = stablehlo.select %a2, %nan, %a1 : tensor<i1>, tensor<f32>
    %b0 = stablehlo.compare EQ, %b, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %b1 = stablehlo.select %b0, %zero, %b : tensor<i1>, tensor<f32>
    %b2 = stablehlo.compare NE, %b, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %b3 = stablehlo.select %b2, %nan, %b1 : tensor<i1>, tensor<f32>
    %less = stablehlo.compare LT, %a3, %b3, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<9x?xf32>) -> tensor<9x?xf32>
  %bits = stablehlo.bitcast_convert %sorted : (tensor<9x?xf32>) -> tensor<9x?xi32>
  // With their places.
  %pairs:2 = "stablehlo.sort"(%odd, %places) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) : (tensor<9x?xf32>, tensor<9x?xi32>) -> (tensor<9x?xf32>, tensor<9x?xi32>)
  // The largest two.
  %all:2 = "stablehlo.sort"(%whole, %places) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
    %more = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  }) : (tensor<9x?xf32>, tensor<9x?xi32>) -> (tensor<9x?xf32>, tensor<9x?xi32>)
  %first = stablehlo.slice %all#1 [0:9, 0:2] : (tensor<9x?xi32>) -> tensor<9x2xi32>
  // Where the maximum is, with NaN and without.
  %max:2 = stablehlo.reduce(%odd init: %low), (%places init: %none) across dimensions = [1] : (tensor<9x?xf32>, tensor<9x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<9xf32>, tensor<9xi32>)
    reducer(%a: tensor<f32>, %c: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %more = stablehlo.compare GT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %is_nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %more, %is_nan : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %moves = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %c : tensor<i1>, tensor<f32>
      %place = stablehlo.select %moves, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }
  %plain:2 = stablehlo.reduce(%whole init: %low), (%places init: %none) across dimensions = [1] : (tensor<9x?xf32>, tensor<9x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<9xf32>, tensor<9xi32>)
    reducer(%a: tensor<f32>, %c: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %more = stablehlo.compare GT, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %is_nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %more, %is_nan : tensor<i1>
      %equal = stablehlo.compare EQ, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %before = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %equal, %before : tensor<i1>
      %moves = stablehlo.or %takes, %tie : tensor<i1>
      %value = stablehlo.select %takes, %a, %c : tensor<i1>, tensor<f32>
      %place = stablehlo.select %moves, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %value, %place : tensor<f32>, tensor<i32>
    }
  // Columns of integers.
  %lines = "stablehlo.sort"(%i) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %more = stablehlo.compare GT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  }) : (tensor<?x11xi32>) -> tensor<?x11xi32>
  %greatest = stablehlo.reduce(%i init: %least) applies stablehlo.maximum across dimensions = [0] : (tensor<?x11xi32>, tensor<i32>) -> tensor<11xi32>
  // Running sums of floats along both dimensions, and of integers.
  %prefix = func.call @rows(%x) : (tensor<9x?xf32>) -> tensor<9x?xf32>
  %counted = func.call @counts(%i) : (tensor<?x11xi32>) -> tensor<?x11xi32>
  %float = stablehlo.convert %i : (tensor<?x11xi32>) -> tensor<?x11xf32>
  %down = func.call @columns(%float) : (tensor<?x11xf32>) -> tensor<?x11xf32>
  // A running sum that is read by a sum, and a transpose.
  %waves = stablehlo.tanh %prefix : tensor<9x?xf32>
  %sum = stablehlo.reduce(%waves init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<9x?xf32>, tensor<f32>) -> tensor<9xf32>
  %turned = stablehlo.transpose %whole, dims = [1, 0] : (tensor<9x?xf32>) -> tensor<?x9xf32>
  return %bits, %pairs#1, %first, %max#1, %plain#1, %prefix, %lines, %greatest, %counted, %down, %sum, %turned : tensor<9x?xi32>, tensor<9x?xi32>, tensor<9x2xi32>, tensor<9xi32>, tensor<9xi32>, tensor<9x?xf32>, tensor<?x11xi32>, tensor<11xi32>, tensor<?x11xi32>, tensor<?x11xf32>, tensor<9xf32>, tensor<?x9xf32>
}
func.func private @rows(%x: tensor<9x?xf32>) -> tensor<9x?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %no = stablehlo.constant dense<0> : tensor<1xi32>
  %minus = stablehlo.constant dense<-1> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %n = stablehlo.get_dimension_size %x, dim = 1 : (tensor<9x?xf32>) -> tensor<i32>
  %columns = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %low = stablehlo.add %columns, %minus : tensor<1xi32>
  %window = stablehlo.concatenate %one, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %list = stablehlo.concatenate %no, %no, %low, %no, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %padding = stablehlo.reshape %list : (tensor<4xi32>) -> tensor<2x2xi32>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %ones, %ones, %ones, %padding) {called_computations = [@rows_add]} : (tensor<9x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<9x?xf32>
  return %r : tensor<9x?xf32>
}
func.func private @rows_add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %sum = stablehlo.add %a, %b : tensor<f32>
  return %sum : tensor<f32>
}
func.func private @counts(%x: tensor<?x11xi32>) -> tensor<?x11xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %no = stablehlo.constant dense<0> : tensor<1xi32>
  %minus = stablehlo.constant dense<-1> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x11xi32>) -> tensor<i32>
  %columns = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %low = stablehlo.add %columns, %minus : tensor<1xi32>
  %window = stablehlo.concatenate %columns, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %list = stablehlo.concatenate %low, %no, %no, %no, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %padding = stablehlo.reshape %list : (tensor<4xi32>) -> tensor<2x2xi32>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %ones, %ones, %ones, %padding) {called_computations = [@counts_add]} : (tensor<?x11xi32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x11xi32>
  return %r : tensor<?x11xi32>
}
func.func private @counts_add(%a: tensor<i32>, %b: tensor<i32>) -> tensor<i32> {
  %sum = stablehlo.add %a, %b : tensor<i32>
  return %sum : tensor<i32>
}
func.func private @columns(%x: tensor<?x11xf32>) -> tensor<?x11xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %no = stablehlo.constant dense<0> : tensor<1xi32>
  %minus = stablehlo.constant dense<-1> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x11xf32>) -> tensor<i32>
  %columns = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %low = stablehlo.add %columns, %minus : tensor<1xi32>
  %window = stablehlo.concatenate %columns, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %list = stablehlo.concatenate %low, %no, %no, %no, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %padding = stablehlo.reshape %list : (tensor<4xi32>) -> tensor<2x2xi32>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %ones, %ones, %ones, %padding) {called_computations = [@columns_add]} : (tensor<?x11xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x11xf32>
  return %r : tensor<?x11xf32>
}
func.func private @columns_add(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %sum = stablehlo.add %a, %b : tensor<f32>
  return %sum : tensor<f32>
}
