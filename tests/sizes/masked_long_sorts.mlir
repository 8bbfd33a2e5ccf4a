// sizes: x.1=5
// open: x.1=192
// Sorts by digits, in panels and of the first elements only, of up to many elements. Constants are in the comparison, or around it.
func.func public @main(%x: tensor<3x?xf32> loc("x")) -> (tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xui8>, tensor<3x?xi32>, tensor<3x2xi32>, tensor<3x2xi32>) {
  %columns = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x?xf32>) -> tensor<i32>
  %least = stablehlo.constant dense<2> : tensor<i32>
  %some = stablehlo.compare GE, %columns, %least, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%some, %columns) {error_message = "{0} columns", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %c = stablehlo.reshape %columns : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %three, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %place = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<3x?xi32>
  %scale0 = stablehlo.constant dense<1.5> : tensor<f32>
  %scale = stablehlo.dynamic_broadcast_in_dim %scale0, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<3x?xf32>
  %scaled = stablehlo.multiply %x, %scale : tensor<3x?xf32>
  %whole = stablehlo.round_nearest_even %scaled : tensor<3x?xf32>
  %n = stablehlo.convert %whole : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %f32v00 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %f32v0 = stablehlo.dynamic_broadcast_in_dim %f32v00, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<3x?xf32>
  %f32v0k0 = stablehlo.constant dense<1> : tensor<i32>
  %f32v0k = stablehlo.dynamic_broadcast_in_dim %f32v0k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f32v0i = stablehlo.compare EQ, %n, %f32v0k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f32v0s = stablehlo.select %f32v0i, %f32v0, %whole : tensor<3x?xi1>, tensor<3x?xf32>
  %f32v10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %f32v1 = stablehlo.dynamic_broadcast_in_dim %f32v10, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<3x?xf32>
  %f32v1k0 = stablehlo.constant dense<-1> : tensor<i32>
  %f32v1k = stablehlo.dynamic_broadcast_in_dim %f32v1k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f32v1i = stablehlo.compare EQ, %n, %f32v1k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f32v1s = stablehlo.select %f32v1i, %f32v1, %f32v0s : tensor<3x?xi1>, tensor<3x?xf32>
  %f32v20 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %f32v2 = stablehlo.dynamic_broadcast_in_dim %f32v20, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<3x?xf32>
  %f32v2k0 = stablehlo.constant dense<2> : tensor<i32>
  %f32v2k = stablehlo.dynamic_broadcast_in_dim %f32v2k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f32v2i = stablehlo.compare EQ, %n, %f32v2k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f32v2s = stablehlo.select %f32v2i, %f32v2, %f32v1s : tensor<3x?xi1>, tensor<3x?xf32>
  %f32v30 = stablehlo.constant dense<0xFFC00001> : tensor<f32>
  %f32v3 = stablehlo.dynamic_broadcast_in_dim %f32v30, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<3x?xf32>
  %f32v3k0 = stablehlo.constant dense<-2> : tensor<i32>
  %f32v3k = stablehlo.dynamic_broadcast_in_dim %f32v3k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f32v3i = stablehlo.compare EQ, %n, %f32v3k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f32v3s = stablehlo.select %f32v3i, %f32v3, %f32v2s : tensor<3x?xi1>, tensor<3x?xf32>
  %f32v40 = stablehlo.constant dense<-0.0> : tensor<f32>
  %f32v4 = stablehlo.dynamic_broadcast_in_dim %f32v40, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<3x?xf32>
  %f32v4k0 = stablehlo.constant dense<0> : tensor<i32>
  %f32v4k = stablehlo.dynamic_broadcast_in_dim %f32v4k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f32v4i = stablehlo.compare EQ, %n, %f32v4k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f32v4s = stablehlo.select %f32v4i, %f32v4, %f32v3s : tensor<3x?xi1>, tensor<3x?xf32>
  %f32v50 = stablehlo.constant dense<0x7FFFFFFF> : tensor<f32>
  %f32v5 = stablehlo.dynamic_broadcast_in_dim %f32v50, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<3x?xf32>
  %f32v5k0 = stablehlo.constant dense<3> : tensor<i32>
  %f32v5k = stablehlo.dynamic_broadcast_in_dim %f32v5k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f32v5i = stablehlo.compare EQ, %n, %f32v5k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f32v5s = stablehlo.select %f32v5i, %f32v5, %f32v4s : tensor<3x?xi1>, tensor<3x?xf32>
  %f32v60 = stablehlo.constant dense<0xFFFFFFFF> : tensor<f32>
  %f32v6 = stablehlo.dynamic_broadcast_in_dim %f32v60, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<3x?xf32>
  %f32v6k0 = stablehlo.constant dense<-3> : tensor<i32>
  %f32v6k = stablehlo.dynamic_broadcast_in_dim %f32v6k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f32v6i = stablehlo.compare EQ, %n, %f32v6k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f32v6s = stablehlo.select %f32v6i, %f32v6, %f32v5s : tensor<3x?xi1>, tensor<3x?xf32>
  %to_ui8 = stablehlo.convert %n : (tensor<3x?xi32>) -> tensor<3x?xui8>
  %ui8v00 = stablehlo.constant dense<255> : tensor<ui8>
  %ui8v0 = stablehlo.dynamic_broadcast_in_dim %ui8v00, %shape, dims = [] : (tensor<ui8>, tensor<2xi32>) -> tensor<3x?xui8>
  %ui8v0k0 = stablehlo.constant dense<1> : tensor<i32>
  %ui8v0k = stablehlo.dynamic_broadcast_in_dim %ui8v0k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %ui8v0i = stablehlo.compare EQ, %n, %ui8v0k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %ui8v0s = stablehlo.select %ui8v0i, %ui8v0, %to_ui8 : tensor<3x?xi1>, tensor<3x?xui8>
  %ui8v10 = stablehlo.constant dense<0> : tensor<ui8>
  %ui8v1 = stablehlo.dynamic_broadcast_in_dim %ui8v10, %shape, dims = [] : (tensor<ui8>, tensor<2xi32>) -> tensor<3x?xui8>
  %ui8v1k0 = stablehlo.constant dense<-1> : tensor<i32>
  %ui8v1k = stablehlo.dynamic_broadcast_in_dim %ui8v1k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %ui8v1i = stablehlo.compare EQ, %n, %ui8v1k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %ui8v1s = stablehlo.select %ui8v1i, %ui8v1, %ui8v0s : tensor<3x?xi1>, tensor<3x?xui8>
  %around_zero = stablehlo.constant dense<0.0> : tensor<f32>
  %around_nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %s0 = "stablehlo.sort"(%f32v6s) ({
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
      %za0 = stablehlo.compare EQ, %a0, %around_zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %ua0 = stablehlo.select %za0, %around_zero, %a0 : tensor<i1>, tensor<f32>
      %na0 = stablehlo.compare NE, %a0, %a0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %ka0 = stablehlo.select %na0, %around_nan, %ua0 : tensor<i1>, tensor<f32>
      %zb0 = stablehlo.compare EQ, %b0, %around_zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %ub0 = stablehlo.select %zb0, %around_zero, %b0 : tensor<i1>, tensor<f32>
      %nb0 = stablehlo.compare NE, %b0, %b0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %kb0 = stablehlo.select %nb0, %around_nan, %ub0 : tensor<i1>, tensor<f32>
      %l = stablehlo.compare LT, %ka0, %kb0, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf32>) -> tensor<3x?xf32>
  %r0_0 = stablehlo.bitcast_convert %s0 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %s1:2 = "stablehlo.sort"(%f32v6s, %place) ({
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<i32>, %b1: tensor<i32>):
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %za0 = stablehlo.compare EQ, %a0, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %ua0 = stablehlo.select %za0, %zero, %a0 : tensor<i1>, tensor<f32>
      %na0 = stablehlo.compare NE, %a0, %a0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %ka0 = stablehlo.select %na0, %nan, %ua0 : tensor<i1>, tensor<f32>
      %zb0 = stablehlo.compare EQ, %b0, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %ub0 = stablehlo.select %zb0, %zero, %b0 : tensor<i1>, tensor<f32>
      %nb0 = stablehlo.compare NE, %b0, %b0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %kb0 = stablehlo.select %nb0, %nan, %ub0 : tensor<i1>, tensor<f32>
      %l = stablehlo.compare LT, %ka0, %kb0, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf32>, tensor<3x?xi32>) -> (tensor<3x?xf32>, tensor<3x?xi32>)
  %r1_0 = stablehlo.bitcast_convert %s1#0 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %s2:2 = "stablehlo.sort"(%ui8v1s, %place) ({
    ^bb0(%a0: tensor<ui8>, %b0: tensor<ui8>, %a1: tensor<i32>, %b1: tensor<i32>):
      %l = stablehlo.compare GT, %a0, %b0 : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xui8>, tensor<3x?xi32>) -> (tensor<3x?xui8>, tensor<3x?xi32>)
  %top:2 = stablehlo.composite "chlo.top_k" %f32v6s {composite_attributes = {k = 2 : i64}, decomposition = @top, version = 1 : i32} : (tensor<3x?xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  %topb = stablehlo.bitcast_convert %top#0 : (tensor<3x2xf32>) -> tensor<3x2xi32>
  return %r0_0, %r1_0, %s1#1, %s2#0, %s2#1, %topb, %top#1 : tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xui8>, tensor<3x?xi32>, tensor<3x2xi32>, tensor<3x2xi32>
}
func.func private @top(%x: tensor<3x?xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>) {
  %columns = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x?xf32>) -> tensor<i32>
  %c = stablehlo.reshape %columns : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %three, %c, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %place = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<3x?xi32>
  %sorted:2 = "stablehlo.sort"(%x, %place) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<i32>, %q: tensor<i32>):
      %l = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf32>, tensor<3x?xi32>) -> (tensor<3x?xf32>, tensor<3x?xi32>)
  %0 = stablehlo.slice %sorted#0 [0:3, 0:2] : (tensor<3x?xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.slice %sorted#1 [0:3, 0:2] : (tensor<3x?xi32>) -> tensor<3x2xi32>
  return %0, %1 : tensor<3x2xf32>, tensor<3x2xi32>
}
