// sizes: x.0=5,x.1=7
// every: x.0=2,x.1=17
// open: x.0=4,x.1=70
// Inputs, constants and slices of these that are put beside each other, rolled, or returned in part.
func.func public @main(%x: tensor<?x?xf32> loc("x"), %y: tensor<?x?xf32> loc("y"), %b: tensor<3x?xbf16> loc("b"), %c: tensor<?xcomplex<f32>> loc("c")) -> (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<6x?xbf16>, tensor<3x?xbf16>, tensor<?xcomplex<f32>>, tensor<?x?xf32>, tensor<?x1xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %same = stablehlo.add %x, %y : tensor<?x?xf32>
  %b32 = stablehlo.convert %b : (tensor<3x?xbf16>) -> tensor<3x?xf32>
  %columns = stablehlo.reduce(%b32 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3x?xf32>, tensor<f32>) -> tensor<?xf32>
  %across = stablehlo.reduce(%same init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %real = stablehlo.real %c : (tensor<?xcomplex<f32>>) -> tensor<?xf32>
  %sum = stablehlo.add %columns, %real : tensor<?xf32>
  %all = stablehlo.add %across, %sum : tensor<?xf32>
  %total = stablehlo.reduce(%all init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  // Beside each other.
  %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = stablehlo.concatenate %y, %x, %y, dim = 0 : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %t = stablehlo.tanh %1 : tensor<?x?xf32>
  %2 = stablehlo.concatenate %b, %b, dim = 0 : (tensor<3x?xbf16>, tensor<3x?xbf16>) -> tensor<6x?xbf16>
  %k = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xbf16>
  %3 = stablehlo.concatenate %b, %k, %b, dim = 1 : (tensor<3x?xbf16>, tensor<3x2xbf16>, tensor<3x?xbf16>) -> tensor<3x?xbf16>
  %4 = stablehlo.concatenate %c, %c, dim = 0 : (tensor<?xcomplex<f32>>, tensor<?xcomplex<f32>>) -> tensor<?xcomplex<f32>>
  // Rolled by one, and the last column.
  %rows = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %length = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %some = stablehlo.compare GE, %length, %one, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %length) {error_message = "{0} columns", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %before = stablehlo.subtract %length, %one : tensor<i32>
  %r = stablehlo.reshape %rows : (tensor<i32>) -> tensor<1xi32>
  %l = stablehlo.reshape %length : (tensor<i32>) -> tensor<1xi32>
  %m = stablehlo.reshape %before : (tensor<i32>) -> tensor<1xi32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %first = stablehlo.constant dense<0> : tensor<2xi32>
  %at = stablehlo.concatenate %none, %m, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %end = stablehlo.concatenate %r, %l, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %until = stablehlo.concatenate %r, %m, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %last = stablehlo.real_dynamic_slice %x, %at, %end, %ones : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x1xf32>
  %rest = stablehlo.real_dynamic_slice %x, %first, %until, %ones : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %rolled = stablehlo.concatenate %last, %rest, dim = 1 : (tensor<?x1xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  // As JAX takes all but the first column: a gather of one window.
  %second = stablehlo.constant dense<1> : tensor<1xi32>
  %tail = "stablehlo.dynamic_gather"(%x, %second, %until) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true}> : (tensor<?x?xf32>, tensor<1xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %gap = stablehlo.subtract %tail, %rest : tensor<?x?xf32>
  %pad = stablehlo.pad %y, %zero, low = [0, 1], high = [1, 1], interior = [0, 0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  return %0, %1, %t, %rolled, %gap, %2, %3, %4, %pad, %last, %total : tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>, tensor<6x?xbf16>, tensor<3x?xbf16>, tensor<?xcomplex<f32>>, tensor<?x?xf32>, tensor<?x1xf32>, tensor<f32>
}
