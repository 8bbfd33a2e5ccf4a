// sizes: x.0=3
// every: x.0=40
// open: x.0=130
// Products end at the size; so does what only running reductions read, which take the first element, too, and what is gathered for a sum.
func.func public @main(%x: tensor<?x20xf32> loc("x"), %k: tensor<?x20xi32> loc("k"), %h: tensor<?x20xbf16> loc("h"), %t: tensor<7x24xf32>) -> (tensor<20xf32>, tensor<i32>, tensor<20xbf16>, tensor<?x20xf32>, tensor<?x20xf32>, tensor<24xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x20xf32>) -> tensor<i32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %onei = stablehlo.constant dense<1> : tensor<i32>
  %oneh = stablehlo.constant dense<1.0> : tensor<bf16>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %p = stablehlo.reduce(%x init: %one) applies stablehlo.multiply across dimensions = [0] : (tensor<?x20xf32>, tensor<f32>) -> tensor<20xf32>
  %pk = stablehlo.reduce(%k init: %onei) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<?x20xi32>, tensor<i32>) -> tensor<i32>
  %ph = stablehlo.reduce(%h init: %oneh) applies stablehlo.multiply across dimensions = [0] : (tensor<?x20xbf16>, tensor<bf16>) -> tensor<20xbf16>
  %e = stablehlo.cosine %x : tensor<?x20xf32>
  %kf = stablehlo.convert %k : (tensor<?x20xi32>) -> tensor<?x20xf32>
  %hf = stablehlo.convert %h : (tensor<?x20xbf16>) -> tensor<?x20xf32>
  %c0 = stablehlo.constant dense<0> : tensor<1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %less = stablehlo.subtract %n1, %c1 : tensor<1xi32>
  %size = stablehlo.concatenate %n1, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %pad = stablehlo.concatenate %less, %c0, %c0, %c0, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
  %pads = stablehlo.reshape %pad : (tensor<4xi32>) -> tensor<2x2xi32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%e, %one, %size, %ones, %ones, %ones, %pads) {called_computations = [@product]} : (tensor<?x20xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x20xf32>
  %1 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%e, %low, %size, %ones, %ones, %ones, %pads) {called_computations = [@largest]} : (tensor<?x20xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x20xf32>
  // One size.
  %both = stablehlo.add %kf, %hf : tensor<?x20xf32>
  %all = stablehlo.add %e, %both : tensor<?x20xf32>
  %2 = stablehlo.add %1, %all : tensor<?x20xf32>
  // Rows of a table, and their sum.
  %first = stablehlo.constant dense<[1, 1]> : tensor<2xi32>
  %sizes = stablehlo.concatenate %n1, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %begin = stablehlo.constant dense<0> : tensor<2xi32>
  %column = stablehlo.real_dynamic_slice %k, %begin, %sizes, %first : (tensor<?x20xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x1xi32>
  %rows = "stablehlo.gather"(%t, %column) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 24>}> : (tensor<7x24xf32>, tensor<?x1xi32>) -> tensor<?x24xf32>
  %3 = stablehlo.reduce(%rows init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x24xf32>, tensor<f32>) -> tensor<24xf32>
  return %p, %pk, %ph, %0, %2, %3 : tensor<20xf32>, tensor<i32>, tensor<20xbf16>, tensor<?x20xf32>, tensor<?x20xf32>, tensor<24xf32>
}
func.func private @product(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.multiply %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
func.func private @largest(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.maximum %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
