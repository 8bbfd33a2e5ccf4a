// sizes: x.1=5
// open: x.1=17
// Extrema and their first places along a dimension of open size, of all types, with elements that are the extreme of their type.
func.func public @main(%x: tensor<3x?xf32> loc("x")) -> (tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xui32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi8>, tensor<3xi8>, tensor<3xui8>, tensor<3xi32>, tensor<3xui8>, tensor<3xi32>, tensor<3xui64>, tensor<3xi32>, tensor<3xui64>, tensor<3xi32>, tensor<3xi1>, tensor<3xi32>, tensor<3xi1>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>) {
  %columns = stablehlo.get_dimension_size %x, dim = 1 : (tensor<3x?xf32>) -> tensor<i32>
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
  %to_bf16 = stablehlo.convert %whole : (tensor<3x?xf32>) -> tensor<3x?xbf16>
  %bf16v00 = stablehlo.constant dense<0x7F80> : tensor<bf16>
  %bf16v0 = stablehlo.dynamic_broadcast_in_dim %bf16v00, %shape, dims = [] : (tensor<bf16>, tensor<2xi32>) -> tensor<3x?xbf16>
  %bf16v0k0 = stablehlo.constant dense<1> : tensor<i32>
  %bf16v0k = stablehlo.dynamic_broadcast_in_dim %bf16v0k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %bf16v0i = stablehlo.compare EQ, %n, %bf16v0k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %bf16v0s = stablehlo.select %bf16v0i, %bf16v0, %to_bf16 : tensor<3x?xi1>, tensor<3x?xbf16>
  %bf16v10 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %bf16v1 = stablehlo.dynamic_broadcast_in_dim %bf16v10, %shape, dims = [] : (tensor<bf16>, tensor<2xi32>) -> tensor<3x?xbf16>
  %bf16v1k0 = stablehlo.constant dense<-1> : tensor<i32>
  %bf16v1k = stablehlo.dynamic_broadcast_in_dim %bf16v1k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %bf16v1i = stablehlo.compare EQ, %n, %bf16v1k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %bf16v1s = stablehlo.select %bf16v1i, %bf16v1, %bf16v0s : tensor<3x?xi1>, tensor<3x?xbf16>
  %bf16v20 = stablehlo.constant dense<0x7FC0> : tensor<bf16>
  %bf16v2 = stablehlo.dynamic_broadcast_in_dim %bf16v20, %shape, dims = [] : (tensor<bf16>, tensor<2xi32>) -> tensor<3x?xbf16>
  %bf16v2k0 = stablehlo.constant dense<2> : tensor<i32>
  %bf16v2k = stablehlo.dynamic_broadcast_in_dim %bf16v2k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %bf16v2i = stablehlo.compare EQ, %n, %bf16v2k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %bf16v2s = stablehlo.select %bf16v2i, %bf16v2, %bf16v1s : tensor<3x?xi1>, tensor<3x?xbf16>
  %bf16v30 = stablehlo.constant dense<0xFFC0> : tensor<bf16>
  %bf16v3 = stablehlo.dynamic_broadcast_in_dim %bf16v30, %shape, dims = [] : (tensor<bf16>, tensor<2xi32>) -> tensor<3x?xbf16>
  %bf16v3k0 = stablehlo.constant dense<-2> : tensor<i32>
  %bf16v3k = stablehlo.dynamic_broadcast_in_dim %bf16v3k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %bf16v3i = stablehlo.compare EQ, %n, %bf16v3k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %bf16v3s = stablehlo.select %bf16v3i, %bf16v3, %bf16v2s : tensor<3x?xi1>, tensor<3x?xbf16>
  %bf16v40 = stablehlo.constant dense<-0.0> : tensor<bf16>
  %bf16v4 = stablehlo.dynamic_broadcast_in_dim %bf16v40, %shape, dims = [] : (tensor<bf16>, tensor<2xi32>) -> tensor<3x?xbf16>
  %bf16v4k0 = stablehlo.constant dense<0> : tensor<i32>
  %bf16v4k = stablehlo.dynamic_broadcast_in_dim %bf16v4k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %bf16v4i = stablehlo.compare EQ, %n, %bf16v4k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %bf16v4s = stablehlo.select %bf16v4i, %bf16v4, %bf16v3s : tensor<3x?xi1>, tensor<3x?xbf16>
  %to_f16 = stablehlo.convert %whole : (tensor<3x?xf32>) -> tensor<3x?xf16>
  %f16v00 = stablehlo.constant dense<0x7C00> : tensor<f16>
  %f16v0 = stablehlo.dynamic_broadcast_in_dim %f16v00, %shape, dims = [] : (tensor<f16>, tensor<2xi32>) -> tensor<3x?xf16>
  %f16v0k0 = stablehlo.constant dense<1> : tensor<i32>
  %f16v0k = stablehlo.dynamic_broadcast_in_dim %f16v0k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f16v0i = stablehlo.compare EQ, %n, %f16v0k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f16v0s = stablehlo.select %f16v0i, %f16v0, %to_f16 : tensor<3x?xi1>, tensor<3x?xf16>
  %f16v10 = stablehlo.constant dense<0xFC00> : tensor<f16>
  %f16v1 = stablehlo.dynamic_broadcast_in_dim %f16v10, %shape, dims = [] : (tensor<f16>, tensor<2xi32>) -> tensor<3x?xf16>
  %f16v1k0 = stablehlo.constant dense<-1> : tensor<i32>
  %f16v1k = stablehlo.dynamic_broadcast_in_dim %f16v1k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f16v1i = stablehlo.compare EQ, %n, %f16v1k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f16v1s = stablehlo.select %f16v1i, %f16v1, %f16v0s : tensor<3x?xi1>, tensor<3x?xf16>
  %f16v20 = stablehlo.constant dense<0x7E00> : tensor<f16>
  %f16v2 = stablehlo.dynamic_broadcast_in_dim %f16v20, %shape, dims = [] : (tensor<f16>, tensor<2xi32>) -> tensor<3x?xf16>
  %f16v2k0 = stablehlo.constant dense<2> : tensor<i32>
  %f16v2k = stablehlo.dynamic_broadcast_in_dim %f16v2k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f16v2i = stablehlo.compare EQ, %n, %f16v2k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f16v2s = stablehlo.select %f16v2i, %f16v2, %f16v1s : tensor<3x?xi1>, tensor<3x?xf16>
  %f16v30 = stablehlo.constant dense<0xFE00> : tensor<f16>
  %f16v3 = stablehlo.dynamic_broadcast_in_dim %f16v30, %shape, dims = [] : (tensor<f16>, tensor<2xi32>) -> tensor<3x?xf16>
  %f16v3k0 = stablehlo.constant dense<-2> : tensor<i32>
  %f16v3k = stablehlo.dynamic_broadcast_in_dim %f16v3k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f16v3i = stablehlo.compare EQ, %n, %f16v3k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f16v3s = stablehlo.select %f16v3i, %f16v3, %f16v2s : tensor<3x?xi1>, tensor<3x?xf16>
  %f16v40 = stablehlo.constant dense<-0.0> : tensor<f16>
  %f16v4 = stablehlo.dynamic_broadcast_in_dim %f16v40, %shape, dims = [] : (tensor<f16>, tensor<2xi32>) -> tensor<3x?xf16>
  %f16v4k0 = stablehlo.constant dense<0> : tensor<i32>
  %f16v4k = stablehlo.dynamic_broadcast_in_dim %f16v4k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f16v4i = stablehlo.compare EQ, %n, %f16v4k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f16v4s = stablehlo.select %f16v4i, %f16v4, %f16v3s : tensor<3x?xi1>, tensor<3x?xf16>
  %to_i8 = stablehlo.convert %n : (tensor<3x?xi32>) -> tensor<3x?xi8>
  %i8v00 = stablehlo.constant dense<127> : tensor<i8>
  %i8v0 = stablehlo.dynamic_broadcast_in_dim %i8v00, %shape, dims = [] : (tensor<i8>, tensor<2xi32>) -> tensor<3x?xi8>
  %i8v0k0 = stablehlo.constant dense<1> : tensor<i32>
  %i8v0k = stablehlo.dynamic_broadcast_in_dim %i8v0k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %i8v0i = stablehlo.compare EQ, %n, %i8v0k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %i8v0s = stablehlo.select %i8v0i, %i8v0, %to_i8 : tensor<3x?xi1>, tensor<3x?xi8>
  %i8v10 = stablehlo.constant dense<-128> : tensor<i8>
  %i8v1 = stablehlo.dynamic_broadcast_in_dim %i8v10, %shape, dims = [] : (tensor<i8>, tensor<2xi32>) -> tensor<3x?xi8>
  %i8v1k0 = stablehlo.constant dense<-1> : tensor<i32>
  %i8v1k = stablehlo.dynamic_broadcast_in_dim %i8v1k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %i8v1i = stablehlo.compare EQ, %n, %i8v1k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %i8v1s = stablehlo.select %i8v1i, %i8v1, %i8v0s : tensor<3x?xi1>, tensor<3x?xi8>
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
  %to_ui64 = stablehlo.convert %n : (tensor<3x?xi32>) -> tensor<3x?xui64>
  %ui64v00 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %ui64v0 = stablehlo.dynamic_broadcast_in_dim %ui64v00, %shape, dims = [] : (tensor<ui64>, tensor<2xi32>) -> tensor<3x?xui64>
  %ui64v0k0 = stablehlo.constant dense<1> : tensor<i32>
  %ui64v0k = stablehlo.dynamic_broadcast_in_dim %ui64v0k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %ui64v0i = stablehlo.compare EQ, %n, %ui64v0k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %ui64v0s = stablehlo.select %ui64v0i, %ui64v0, %to_ui64 : tensor<3x?xi1>, tensor<3x?xui64>
  %ui64v10 = stablehlo.constant dense<0> : tensor<ui64>
  %ui64v1 = stablehlo.dynamic_broadcast_in_dim %ui64v10, %shape, dims = [] : (tensor<ui64>, tensor<2xi32>) -> tensor<3x?xui64>
  %ui64v1k0 = stablehlo.constant dense<-1> : tensor<i32>
  %ui64v1k = stablehlo.dynamic_broadcast_in_dim %ui64v1k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %ui64v1i = stablehlo.compare EQ, %n, %ui64v1k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %ui64v1s = stablehlo.select %ui64v1i, %ui64v1, %ui64v0s : tensor<3x?xi1>, tensor<3x?xui64>
  %flag = stablehlo.compare GT, %whole, %scaled : (tensor<3x?xf32>, tensor<3x?xf32>) -> tensor<3x?xi1>
  %quarter0 = stablehlo.constant dense<0.25> : tensor<f32>
  %quarter = stablehlo.dynamic_broadcast_in_dim %quarter0, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<3x?xf32>
  %uneven = stablehlo.add %whole, %quarter : tensor<3x?xf32>
  %inf0 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %inf = stablehlo.dynamic_broadcast_in_dim %inf0, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<3x?xf32>
  %low0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %low = stablehlo.dynamic_broadcast_in_dim %low0, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<3x?xf32>
  %seven0 = stablehlo.constant dense<7> : tensor<i32>
  %seven = stablehlo.dynamic_broadcast_in_dim %seven0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %lows = stablehlo.minimum %low, %x : tensor<3x?xf32>
  %from = stablehlo.add %place, %seven : tensor<3x?xi32>
  %short = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<3x?xi8>
  %unsigned = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<3x?xui32>
  %rows = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> tensor<3x?xi32>
  %i0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %j0 = stablehlo.constant dense<0> : tensor<i32>
  %p0:2 = stablehlo.reduce(%uneven init: %i0), (%place init: %j0) across dimensions = [1] : (tensor<3x?xf32>, tensor<3x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i1 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %j1 = stablehlo.constant dense<0> : tensor<i32>
  %p1:2 = stablehlo.reduce(%uneven init: %i1), (%place init: %j1) across dimensions = [1] : (tensor<3x?xf32>, tensor<3x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %j2 = stablehlo.constant dense<0> : tensor<i32>
  %p2:2 = stablehlo.reduce(%f32v3s init: %i2), (%place init: %j2) across dimensions = [1] : (tensor<3x?xf32>, tensor<3x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i3 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %j3 = stablehlo.constant dense<0> : tensor<i32>
  %p3:2 = stablehlo.reduce(%f32v2s init: %i3), (%place init: %j3) across dimensions = [1] : (tensor<3x?xf32>, tensor<3x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %j4 = stablehlo.constant dense<0> : tensor<i32>
  %p4:2 = stablehlo.reduce(%lows init: %i4), (%place init: %j4) across dimensions = [1] : (tensor<3x?xf32>, tensor<3x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i5 = stablehlo.constant dense<0x7F800000> : tensor<f32>
  %j5 = stablehlo.constant dense<0> : tensor<ui32>
  %p5:2 = stablehlo.reduce(%inf init: %i5), (%unsigned init: %j5) across dimensions = [1] : (tensor<3x?xf32>, tensor<3x?xui32>, tensor<f32>, tensor<ui32>) -> (tensor<3xf32>, tensor<3xui32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<ui32>, %q: tensor<ui32>) {
      %gt = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<ui32>
      stablehlo.return %v, %w : tensor<f32>, tensor<ui32>
    }
  %i6 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %j6 = stablehlo.constant dense<0> : tensor<i32>
  %p6:2 = stablehlo.reduce(%bf16v4s init: %i6), (%place init: %j6) across dimensions = [1] : (tensor<3x?xbf16>, tensor<3x?xi32>, tensor<bf16>, tensor<i32>) -> (tensor<3xbf16>, tensor<3xi32>)
    reducer(%a: tensor<bf16>, %b: tensor<bf16>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<bf16>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<bf16>, tensor<i32>
    }
  %r6 = stablehlo.convert %p6#0 : (tensor<3xbf16>) -> tensor<3xf32>
  %i7 = stablehlo.constant dense<0x7C00> : tensor<f16>
  %j7 = stablehlo.constant dense<0> : tensor<i32>
  %p7:2 = stablehlo.reduce(%f16v4s init: %i7), (%place init: %j7) across dimensions = [1] : (tensor<3x?xf16>, tensor<3x?xi32>, tensor<f16>, tensor<i32>) -> (tensor<3xf16>, tensor<3xi32>)
    reducer(%a: tensor<f16>, %b: tensor<f16>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare LT, %a, %b : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f16>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f16>, tensor<i32>
    }
  %r7 = stablehlo.convert %p7#0 : (tensor<3xf16>) -> tensor<3xf32>
  %i8 = stablehlo.constant dense<-2147483648> : tensor<i32>
  %j8 = stablehlo.constant dense<0> : tensor<i32>
  %p8:2 = stablehlo.reduce(%n init: %i8), (%place init: %j8) across dimensions = [1] : (tensor<3x?xi32>, tensor<3x?xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
    reducer(%a: tensor<i32>, %b: tensor<i32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %gt, %tie : tensor<i1>
      %v = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<i32>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<i32>, tensor<i32>
    }
  %i9 = stablehlo.constant dense<2147483647> : tensor<i32>
  %j9 = stablehlo.constant dense<0> : tensor<i32>
  %p9:2 = stablehlo.reduce(%n init: %i9), (%place init: %j9) across dimensions = [1] : (tensor<3x?xi32>, tensor<3x?xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
    reducer(%a: tensor<i32>, %b: tensor<i32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %gt, %tie : tensor<i1>
      %v = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<i32>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<i32>, tensor<i32>
    }
  %i10 = stablehlo.constant dense<-128> : tensor<i8>
  %j10 = stablehlo.constant dense<0> : tensor<i8>
  %p10:2 = stablehlo.reduce(%i8v1s init: %i10), (%short init: %j10) across dimensions = [1] : (tensor<3x?xi8>, tensor<3x?xi8>, tensor<i8>, tensor<i8>) -> (tensor<3xi8>, tensor<3xi8>)
    reducer(%a: tensor<i8>, %b: tensor<i8>) (%p: tensor<i8>, %q: tensor<i8>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %gt, %tie : tensor<i1>
      %v = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<i8>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i8>
      stablehlo.return %v, %w : tensor<i8>, tensor<i8>
    }
  %i11 = stablehlo.constant dense<0> : tensor<ui8>
  %j11 = stablehlo.constant dense<0> : tensor<i32>
  %p11:2 = stablehlo.reduce(%ui8v1s init: %i11), (%place init: %j11) across dimensions = [1] : (tensor<3x?xui8>, tensor<3x?xi32>, tensor<ui8>, tensor<i32>) -> (tensor<3xui8>, tensor<3xi32>)
    reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %gt, %tie : tensor<i1>
      %v = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<ui8>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<ui8>, tensor<i32>
    }
  %i12 = stablehlo.constant dense<255> : tensor<ui8>
  %j12 = stablehlo.constant dense<0> : tensor<i32>
  %p12:2 = stablehlo.reduce(%ui8v1s init: %i12), (%place init: %j12) across dimensions = [1] : (tensor<3x?xui8>, tensor<3x?xi32>, tensor<ui8>, tensor<i32>) -> (tensor<3xui8>, tensor<3xi32>)
    reducer(%a: tensor<ui8>, %b: tensor<ui8>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare LT, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %gt, %tie : tensor<i1>
      %v = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<ui8>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<ui8>, tensor<i32>
    }
  %i13 = stablehlo.constant dense<0> : tensor<ui64>
  %j13 = stablehlo.constant dense<0> : tensor<i32>
  %p13:2 = stablehlo.reduce(%ui64v1s init: %i13), (%place init: %j13) across dimensions = [1] : (tensor<3x?xui64>, tensor<3x?xi32>, tensor<ui64>, tensor<i32>) -> (tensor<3xui64>, tensor<3xi32>)
    reducer(%a: tensor<ui64>, %b: tensor<ui64>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %gt, %tie : tensor<i1>
      %v = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<ui64>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<ui64>, tensor<i32>
    }
  %i14 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
  %j14 = stablehlo.constant dense<0> : tensor<i32>
  %p14:2 = stablehlo.reduce(%ui64v1s init: %i14), (%place init: %j14) across dimensions = [1] : (tensor<3x?xui64>, tensor<3x?xi32>, tensor<ui64>, tensor<i32>) -> (tensor<3xui64>, tensor<3xi32>)
    reducer(%a: tensor<ui64>, %b: tensor<ui64>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare LT, %a, %b : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %gt, %tie : tensor<i1>
      %v = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<ui64>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<ui64>, tensor<i32>
    }
  %i15 = stablehlo.constant dense<false> : tensor<i1>
  %j15 = stablehlo.constant dense<0> : tensor<i32>
  %p15:2 = stablehlo.reduce(%flag init: %i15), (%place init: %j15) across dimensions = [1] : (tensor<3x?xi1>, tensor<3x?xi32>, tensor<i1>, tensor<i32>) -> (tensor<3xi1>, tensor<3xi32>)
    reducer(%a: tensor<i1>, %b: tensor<i1>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %gt, %tie : tensor<i1>
      %v = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<i1>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<i1>, tensor<i32>
    }
  %i16 = stablehlo.constant dense<true> : tensor<i1>
  %j16 = stablehlo.constant dense<0> : tensor<i32>
  %p16:2 = stablehlo.reduce(%flag init: %i16), (%place init: %j16) across dimensions = [1] : (tensor<3x?xi1>, tensor<3x?xi32>, tensor<i1>, tensor<i32>) -> (tensor<3xi1>, tensor<3xi32>)
    reducer(%a: tensor<i1>, %b: tensor<i1>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare LT, %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %gt, %tie : tensor<i1>
      %v = stablehlo.select %gt, %a, %b : tensor<i1>, tensor<i1>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<i1>, tensor<i32>
    }
  %i17 = stablehlo.constant dense<-1.0> : tensor<f32>
  %j17 = stablehlo.constant dense<0> : tensor<i32>
  %p17:2 = stablehlo.reduce(%uneven init: %i17), (%place init: %j17) across dimensions = [1] : (tensor<3x?xf32>, tensor<3x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i18 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %j18 = stablehlo.constant dense<2> : tensor<i32>
  %p18:2 = stablehlo.reduce(%lows init: %i18), (%place init: %j18) across dimensions = [1] : (tensor<3x?xf32>, tensor<3x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i19 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %j19 = stablehlo.constant dense<-3> : tensor<i32>
  %p19:2 = stablehlo.reduce(%lows init: %i19), (%place init: %j19) across dimensions = [1] : (tensor<3x?xf32>, tensor<3x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i20 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %j20 = stablehlo.constant dense<9> : tensor<i32>
  %p20:2 = stablehlo.reduce(%lows init: %i20), (%from init: %j20) across dimensions = [1] : (tensor<3x?xf32>, tensor<3x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  %i21 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %j21 = stablehlo.constant dense<0> : tensor<i32>
  %p21:2 = stablehlo.reduce(%lows init: %i21), (%rows init: %j21) across dimensions = [1] : (tensor<3x?xf32>, tensor<3x?xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
      %gt = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %nan = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %takes = stablehlo.or %gt, %nan : tensor<i1>
      %eq = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %lt = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %tie = stablehlo.and %eq, %lt : tensor<i1>
      %which = stablehlo.or %takes, %tie : tensor<i1>
      %v = stablehlo.select %takes, %a, %b : tensor<i1>, tensor<f32>
      %w = stablehlo.select %which, %p, %q : tensor<i1>, tensor<i32>
      stablehlo.return %v, %w : tensor<f32>, tensor<i32>
    }
  return %p0#0, %p0#1, %p1#0, %p1#1, %p2#0, %p2#1, %p3#0, %p3#1, %p4#0, %p4#1, %p5#0, %p5#1, %r6, %p6#1, %r7, %p7#1, %p8#0, %p8#1, %p9#0, %p9#1, %p10#0, %p10#1, %p11#0, %p11#1, %p12#0, %p12#1, %p13#0, %p13#1, %p14#0, %p14#1, %p15#0, %p15#1, %p16#0, %p16#1, %p17#0, %p17#1, %p18#0, %p18#1, %p19#0, %p19#1, %p20#0, %p20#1, %p21#0, %p21#1 : tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xui32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi8>, tensor<3xi8>, tensor<3xui8>, tensor<3xi32>, tensor<3xui8>, tensor<3xi32>, tensor<3xui64>, tensor<3xi32>, tensor<3xui64>, tensor<3xi32>, tensor<3xi1>, tensor<3xi32>, tensor<3xi1>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>, tensor<3xf32>, tensor<3xi32>
}
