// sizes: x.1=5
// open: x.1=17
// Sorts along a dimension of open size, of all types and with many comparisons: what is not valid comes last, after elements that are equal to it.
func.func public @main(%x: tensor<3x?xf32> loc("x")) -> (tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi1>, tensor<3x?xi32>, tensor<3x?xi8>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi16>, tensor<3x?xi16>, tensor<3x?xi32>, tensor<3x?xi16>, tensor<3x?xi16>, tensor<3x?xi32>, tensor<3x?xi8>, tensor<3x?xi32>, tensor<3x?xi8>, tensor<3x?xi8>, tensor<3x?xi32>, tensor<3x?xui8>, tensor<3x?xui8>, tensor<3x?xi32>, tensor<3x?xi64>, tensor<3x?xi64>, tensor<3x?xi32>, tensor<3x?xui64>, tensor<3x?xui64>, tensor<3x?xi32>, tensor<3x?xui16>, tensor<3x?xui16>, tensor<3x?xi32>, tensor<3x?xi1>, tensor<3x?xi1>, tensor<3x?xi32>) {
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
  %to_f8E4M3FN = stablehlo.convert %whole : (tensor<3x?xf32>) -> tensor<3x?xf8E4M3FN>
  %f8v00 = stablehlo.constant dense<0x7F> : tensor<f8E4M3FN>
  %f8v0 = stablehlo.dynamic_broadcast_in_dim %f8v00, %shape, dims = [] : (tensor<f8E4M3FN>, tensor<2xi32>) -> tensor<3x?xf8E4M3FN>
  %f8v0k0 = stablehlo.constant dense<2> : tensor<i32>
  %f8v0k = stablehlo.dynamic_broadcast_in_dim %f8v0k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f8v0i = stablehlo.compare EQ, %n, %f8v0k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f8v0s = stablehlo.select %f8v0i, %f8v0, %to_f8E4M3FN : tensor<3x?xi1>, tensor<3x?xf8E4M3FN>
  %f8v10 = stablehlo.constant dense<0xFF> : tensor<f8E4M3FN>
  %f8v1 = stablehlo.dynamic_broadcast_in_dim %f8v10, %shape, dims = [] : (tensor<f8E4M3FN>, tensor<2xi32>) -> tensor<3x?xf8E4M3FN>
  %f8v1k0 = stablehlo.constant dense<-2> : tensor<i32>
  %f8v1k = stablehlo.dynamic_broadcast_in_dim %f8v1k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f8v1i = stablehlo.compare EQ, %n, %f8v1k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f8v1s = stablehlo.select %f8v1i, %f8v1, %f8v0s : tensor<3x?xi1>, tensor<3x?xf8E4M3FN>
  %f8v20 = stablehlo.constant dense<-0.0> : tensor<f8E4M3FN>
  %f8v2 = stablehlo.dynamic_broadcast_in_dim %f8v20, %shape, dims = [] : (tensor<f8E4M3FN>, tensor<2xi32>) -> tensor<3x?xf8E4M3FN>
  %f8v2k0 = stablehlo.constant dense<0> : tensor<i32>
  %f8v2k = stablehlo.dynamic_broadcast_in_dim %f8v2k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %f8v2i = stablehlo.compare EQ, %n, %f8v2k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %f8v2s = stablehlo.select %f8v2i, %f8v2, %f8v1s : tensor<3x?xi1>, tensor<3x?xf8E4M3FN>
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
  %to_i64 = stablehlo.convert %n : (tensor<3x?xi32>) -> tensor<3x?xi64>
  %i64v00 = stablehlo.constant dense<9223372036854775807> : tensor<i64>
  %i64v0 = stablehlo.dynamic_broadcast_in_dim %i64v00, %shape, dims = [] : (tensor<i64>, tensor<2xi32>) -> tensor<3x?xi64>
  %i64v0k0 = stablehlo.constant dense<1> : tensor<i32>
  %i64v0k = stablehlo.dynamic_broadcast_in_dim %i64v0k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %i64v0i = stablehlo.compare EQ, %n, %i64v0k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %i64v0s = stablehlo.select %i64v0i, %i64v0, %to_i64 : tensor<3x?xi1>, tensor<3x?xi64>
  %i64v10 = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
  %i64v1 = stablehlo.dynamic_broadcast_in_dim %i64v10, %shape, dims = [] : (tensor<i64>, tensor<2xi32>) -> tensor<3x?xi64>
  %i64v1k0 = stablehlo.constant dense<-1> : tensor<i32>
  %i64v1k = stablehlo.dynamic_broadcast_in_dim %i64v1k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %i64v1i = stablehlo.compare EQ, %n, %i64v1k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %i64v1s = stablehlo.select %i64v1i, %i64v1, %i64v0s : tensor<3x?xi1>, tensor<3x?xi64>
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
  %to_ui16 = stablehlo.convert %n : (tensor<3x?xi32>) -> tensor<3x?xui16>
  %ui16v00 = stablehlo.constant dense<65535> : tensor<ui16>
  %ui16v0 = stablehlo.dynamic_broadcast_in_dim %ui16v00, %shape, dims = [] : (tensor<ui16>, tensor<2xi32>) -> tensor<3x?xui16>
  %ui16v0k0 = stablehlo.constant dense<1> : tensor<i32>
  %ui16v0k = stablehlo.dynamic_broadcast_in_dim %ui16v0k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %ui16v0i = stablehlo.compare EQ, %n, %ui16v0k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %ui16v0s = stablehlo.select %ui16v0i, %ui16v0, %to_ui16 : tensor<3x?xi1>, tensor<3x?xui16>
  %ui16v10 = stablehlo.constant dense<0> : tensor<ui16>
  %ui16v1 = stablehlo.dynamic_broadcast_in_dim %ui16v10, %shape, dims = [] : (tensor<ui16>, tensor<2xi32>) -> tensor<3x?xui16>
  %ui16v1k0 = stablehlo.constant dense<-1> : tensor<i32>
  %ui16v1k = stablehlo.dynamic_broadcast_in_dim %ui16v1k0, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<3x?xi32>
  %ui16v1i = stablehlo.compare EQ, %n, %ui16v1k : (tensor<3x?xi32>, tensor<3x?xi32>) -> tensor<3x?xi1>
  %ui16v1s = stablehlo.select %ui16v1i, %ui16v1, %ui16v0s : tensor<3x?xi1>, tensor<3x?xui16>
  %flag = stablehlo.compare GT, %whole, %scaled : (tensor<3x?xf32>, tensor<3x?xf32>) -> tensor<3x?xi1>
  %cx = stablehlo.complex %whole, %x : tensor<3x?xcomplex<f32>>
  %cpl = stablehlo.convert %cx : (tensor<3x?xcomplex<f32>>) -> tensor<3x?xcomplex<f32>>
  %s0 = "stablehlo.sort"(%f32v6s) ({
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
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
      %l = stablehlo.compare GT, %ka0, %kb0, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf32>, tensor<3x?xi32>) -> (tensor<3x?xf32>, tensor<3x?xi32>)
  %r1_0 = stablehlo.bitcast_convert %s1#0 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %s2:2 = "stablehlo.sort"(%f32v6s, %place) ({
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<i32>, %b1: tensor<i32>):
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %nan = stablehlo.constant dense<0xFFC00000> : tensor<f32>
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
  %r2_0 = stablehlo.bitcast_convert %s2#0 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %s3 = "stablehlo.sort"(%f32v6s) ({
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>):
      %l = stablehlo.compare LT, %a0, %b0, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf32>) -> tensor<3x?xf32>
  %r3_0 = stablehlo.bitcast_convert %s3 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %s4:2 = "stablehlo.sort"(%f32v6s, %place) ({
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<i32>, %b1: tensor<i32>):
      %l = stablehlo.compare GT, %a0, %b0, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf32>, tensor<3x?xi32>) -> (tensor<3x?xf32>, tensor<3x?xi32>)
  %r4_0 = stablehlo.bitcast_convert %s4#0 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %s5:2 = "stablehlo.sort"(%whole, %place) ({
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<i32>, %b1: tensor<i32>):
      %l = stablehlo.compare LT, %a0, %b0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf32>, tensor<3x?xi32>) -> (tensor<3x?xf32>, tensor<3x?xi32>)
  %r5_0 = stablehlo.bitcast_convert %s5#0 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %s6:2 = "stablehlo.sort"(%whole, %place) ({
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<i32>, %b1: tensor<i32>):
      %l = stablehlo.compare GT, %a0, %b0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf32>, tensor<3x?xi32>) -> (tensor<3x?xf32>, tensor<3x?xi32>)
  %r6_0 = stablehlo.bitcast_convert %s6#0 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %s7:2 = "stablehlo.sort"(%place, %f32v6s) ({
    ^bb0(%a0: tensor<i32>, %b0: tensor<i32>, %a1: tensor<f32>, %b1: tensor<f32>):
      %l = stablehlo.compare LT, %b1, %a1, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xi32>, tensor<3x?xf32>) -> (tensor<3x?xi32>, tensor<3x?xf32>)
  %r7_1 = stablehlo.bitcast_convert %s7#1 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %s8:3 = "stablehlo.sort"(%whole, %n, %place) ({
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<i32>, %b1: tensor<i32>, %a2: tensor<i32>, %b2: tensor<i32>):
      %m0 = stablehlo.compare LT, %a0, %b0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %e0 = stablehlo.compare EQ, %a0, %b0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %m1 = stablehlo.compare GT, %a2, %b2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %t = stablehlo.and %e0, %m1 : tensor<i1>
      %l = stablehlo.or %m0, %t : tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf32>, tensor<3x?xi32>, tensor<3x?xi32>) -> (tensor<3x?xf32>, tensor<3x?xi32>, tensor<3x?xi32>)
  %r8_0 = stablehlo.bitcast_convert %s8#0 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %s9:3 = "stablehlo.sort"(%flag, %f32v6s, %i8v1s) ({
    ^bb0(%a0: tensor<i1>, %b0: tensor<i1>, %a1: tensor<f32>, %b1: tensor<f32>, %a2: tensor<i8>, %b2: tensor<i8>):
      %m0 = stablehlo.compare LT, %a0, %b0 : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %e0 = stablehlo.compare EQ, %a0, %b0 : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %m1 = stablehlo.compare LT, %a1, %b1, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %e1 = stablehlo.compare EQ, %a1, %b1, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %m2 = stablehlo.compare GT, %a2, %b2 : (tensor<i8>, tensor<i8>) -> tensor<i1>
      %t = stablehlo.and %e1, %m2 : tensor<i1>
      %u = stablehlo.or %m1, %t : tensor<i1>
      %v = stablehlo.and %e0, %u : tensor<i1>
      %l = stablehlo.or %m0, %v : tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xi1>, tensor<3x?xf32>, tensor<3x?xi8>) -> (tensor<3x?xi1>, tensor<3x?xf32>, tensor<3x?xi8>)
  %r9_1 = stablehlo.bitcast_convert %s9#1 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %s10:2 = "stablehlo.sort"(%x, %place) ({
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<i32>, %b1: tensor<i32>):
      %p = stablehlo.abs %a0 : tensor<f32>
      %q = stablehlo.abs %b0 : tensor<f32>
      %l = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf32>, tensor<3x?xi32>) -> (tensor<3x?xf32>, tensor<3x?xi32>)
  %r10_0 = stablehlo.bitcast_convert %s10#0 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %s11:2 = "stablehlo.sort"(%x, %whole) ({
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<f32>, %b1: tensor<f32>):
      %p = stablehlo.maximum %a0, %a1 : tensor<f32>
      %q = stablehlo.maximum %b0, %b1 : tensor<f32>
      %l = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf32>, tensor<3x?xf32>) -> (tensor<3x?xf32>, tensor<3x?xf32>)
  %r11_0 = stablehlo.bitcast_convert %s11#0 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %r11_1 = stablehlo.bitcast_convert %s11#1 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %s12:2 = "stablehlo.sort"(%cpl, %place) ({
    ^bb0(%a0: tensor<complex<f32>>, %b0: tensor<complex<f32>>, %a1: tensor<i32>, %b1: tensor<i32>):
      %p = stablehlo.real %a0 : (tensor<complex<f32>>) -> tensor<f32>
      %q = stablehlo.real %b0 : (tensor<complex<f32>>) -> tensor<f32>
      %l = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xcomplex<f32>>, tensor<3x?xi32>) -> (tensor<3x?xcomplex<f32>>, tensor<3x?xi32>)
  %s13:2 = "stablehlo.sort"(%f32v6s, %place) ({
    ^bb0(%a0: tensor<f32>, %b0: tensor<f32>, %a1: tensor<i32>, %b1: tensor<i32>):
      %most = stablehlo.constant dense<1.0> : tensor<f32>
      %ma = stablehlo.compare GT, %a0, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %mb = stablehlo.compare GT, %b0, %most : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %p = stablehlo.select %ma, %most, %a0 : tensor<i1>, tensor<f32>
      %q = stablehlo.select %mb, %most, %b0 : tensor<i1>, tensor<f32>
      %l = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf32>, tensor<3x?xi32>) -> (tensor<3x?xf32>, tensor<3x?xi32>)
  %r13_0 = stablehlo.bitcast_convert %s13#0 : (tensor<3x?xf32>) -> tensor<3x?xi32>
  %s14 = "stablehlo.sort"(%bf16v4s) ({
    ^bb0(%a0: tensor<bf16>, %b0: tensor<bf16>):
      %zero = stablehlo.constant dense<0.0> : tensor<bf16>
      %nan = stablehlo.constant dense<0x7FC0> : tensor<bf16>
      %za0 = stablehlo.compare EQ, %a0, %zero : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %ua0 = stablehlo.select %za0, %zero, %a0 : tensor<i1>, tensor<bf16>
      %na0 = stablehlo.compare NE, %a0, %a0 : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %ka0 = stablehlo.select %na0, %nan, %ua0 : tensor<i1>, tensor<bf16>
      %zb0 = stablehlo.compare EQ, %b0, %zero : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %ub0 = stablehlo.select %zb0, %zero, %b0 : tensor<i1>, tensor<bf16>
      %nb0 = stablehlo.compare NE, %b0, %b0 : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %kb0 = stablehlo.select %nb0, %nan, %ub0 : tensor<i1>, tensor<bf16>
      %l = stablehlo.compare LT, %ka0, %kb0, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xbf16>) -> tensor<3x?xbf16>
  %r14_0 = stablehlo.bitcast_convert %s14 : (tensor<3x?xbf16>) -> tensor<3x?xi16>
  %s15:2 = "stablehlo.sort"(%bf16v4s, %place) ({
    ^bb0(%a0: tensor<bf16>, %b0: tensor<bf16>, %a1: tensor<i32>, %b1: tensor<i32>):
      %l = stablehlo.compare GT, %a0, %b0, TOTALORDER : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xbf16>, tensor<3x?xi32>) -> (tensor<3x?xbf16>, tensor<3x?xi32>)
  %r15_0 = stablehlo.bitcast_convert %s15#0 : (tensor<3x?xbf16>) -> tensor<3x?xi16>
  %s16 = "stablehlo.sort"(%f16v4s) ({
    ^bb0(%a0: tensor<f16>, %b0: tensor<f16>):
      %zero = stablehlo.constant dense<0.0> : tensor<f16>
      %nan = stablehlo.constant dense<0x7E00> : tensor<f16>
      %za0 = stablehlo.compare EQ, %a0, %zero : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %ua0 = stablehlo.select %za0, %zero, %a0 : tensor<i1>, tensor<f16>
      %na0 = stablehlo.compare NE, %a0, %a0 : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %ka0 = stablehlo.select %na0, %nan, %ua0 : tensor<i1>, tensor<f16>
      %zb0 = stablehlo.compare EQ, %b0, %zero : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %ub0 = stablehlo.select %zb0, %zero, %b0 : tensor<i1>, tensor<f16>
      %nb0 = stablehlo.compare NE, %b0, %b0 : (tensor<f16>, tensor<f16>) -> tensor<i1>
      %kb0 = stablehlo.select %nb0, %nan, %ub0 : tensor<i1>, tensor<f16>
      %l = stablehlo.compare LT, %ka0, %kb0, TOTALORDER : (tensor<f16>, tensor<f16>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf16>) -> tensor<3x?xf16>
  %r16_0 = stablehlo.bitcast_convert %s16 : (tensor<3x?xf16>) -> tensor<3x?xi16>
  %s17:2 = "stablehlo.sort"(%f16v4s, %place) ({
    ^bb0(%a0: tensor<f16>, %b0: tensor<f16>, %a1: tensor<i32>, %b1: tensor<i32>):
      %l = stablehlo.compare GT, %a0, %b0, TOTALORDER : (tensor<f16>, tensor<f16>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf16>, tensor<3x?xi32>) -> (tensor<3x?xf16>, tensor<3x?xi32>)
  %r17_0 = stablehlo.bitcast_convert %s17#0 : (tensor<3x?xf16>) -> tensor<3x?xi16>
  %s18:2 = "stablehlo.sort"(%f8v2s, %place) ({
    ^bb0(%a0: tensor<f8E4M3FN>, %b0: tensor<f8E4M3FN>, %a1: tensor<i32>, %b1: tensor<i32>):
      %l = stablehlo.compare LT, %a0, %b0, TOTALORDER : (tensor<f8E4M3FN>, tensor<f8E4M3FN>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xf8E4M3FN>, tensor<3x?xi32>) -> (tensor<3x?xf8E4M3FN>, tensor<3x?xi32>)
  %r18_0 = stablehlo.bitcast_convert %s18#0 : (tensor<3x?xf8E4M3FN>) -> tensor<3x?xi8>
  %s19 = "stablehlo.sort"(%i8v1s) ({
    ^bb0(%a0: tensor<i8>, %b0: tensor<i8>):
      %l = stablehlo.compare LT, %a0, %b0 : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xi8>) -> tensor<3x?xi8>
  %s20:2 = "stablehlo.sort"(%i8v1s, %place) ({
    ^bb0(%a0: tensor<i8>, %b0: tensor<i8>, %a1: tensor<i32>, %b1: tensor<i32>):
      %l = stablehlo.compare GT, %a0, %b0 : (tensor<i8>, tensor<i8>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xi8>, tensor<3x?xi32>) -> (tensor<3x?xi8>, tensor<3x?xi32>)
  %s21 = "stablehlo.sort"(%ui8v1s) ({
    ^bb0(%a0: tensor<ui8>, %b0: tensor<ui8>):
      %l = stablehlo.compare LT, %a0, %b0 : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xui8>) -> tensor<3x?xui8>
  %s22:2 = "stablehlo.sort"(%ui8v1s, %place) ({
    ^bb0(%a0: tensor<ui8>, %b0: tensor<ui8>, %a1: tensor<i32>, %b1: tensor<i32>):
      %l = stablehlo.compare GT, %a0, %b0 : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xui8>, tensor<3x?xi32>) -> (tensor<3x?xui8>, tensor<3x?xi32>)
  %s23 = "stablehlo.sort"(%i64v1s) ({
    ^bb0(%a0: tensor<i64>, %b0: tensor<i64>):
      %l = stablehlo.compare LT, %a0, %b0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xi64>) -> tensor<3x?xi64>
  %s24:2 = "stablehlo.sort"(%i64v1s, %place) ({
    ^bb0(%a0: tensor<i64>, %b0: tensor<i64>, %a1: tensor<i32>, %b1: tensor<i32>):
      %l = stablehlo.compare GT, %a0, %b0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xi64>, tensor<3x?xi32>) -> (tensor<3x?xi64>, tensor<3x?xi32>)
  %s25 = "stablehlo.sort"(%ui64v1s) ({
    ^bb0(%a0: tensor<ui64>, %b0: tensor<ui64>):
      %l = stablehlo.compare LT, %a0, %b0 : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xui64>) -> tensor<3x?xui64>
  %s26:2 = "stablehlo.sort"(%ui64v1s, %place) ({
    ^bb0(%a0: tensor<ui64>, %b0: tensor<ui64>, %a1: tensor<i32>, %b1: tensor<i32>):
      %l = stablehlo.compare GT, %a0, %b0 : (tensor<ui64>, tensor<ui64>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xui64>, tensor<3x?xi32>) -> (tensor<3x?xui64>, tensor<3x?xi32>)
  %s27 = "stablehlo.sort"(%ui16v1s) ({
    ^bb0(%a0: tensor<ui16>, %b0: tensor<ui16>):
      %l = stablehlo.compare LT, %a0, %b0 : (tensor<ui16>, tensor<ui16>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xui16>) -> tensor<3x?xui16>
  %s28:2 = "stablehlo.sort"(%ui16v1s, %place) ({
    ^bb0(%a0: tensor<ui16>, %b0: tensor<ui16>, %a1: tensor<i32>, %b1: tensor<i32>):
      %l = stablehlo.compare GT, %a0, %b0 : (tensor<ui16>, tensor<ui16>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xui16>, tensor<3x?xi32>) -> (tensor<3x?xui16>, tensor<3x?xi32>)
  %s29 = "stablehlo.sort"(%flag) ({
    ^bb0(%a0: tensor<i1>, %b0: tensor<i1>):
      %l = stablehlo.compare LT, %a0, %b0 : (tensor<i1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xi1>) -> tensor<3x?xi1>
  %s30:2 = "stablehlo.sort"(%flag, %place) ({
    ^bb0(%a0: tensor<i1>, %b0: tensor<i1>, %a1: tensor<i32>, %b1: tensor<i32>):
      %l = stablehlo.compare GT, %a0, %b0 : (tensor<i1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %l : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<3x?xi1>, tensor<3x?xi32>) -> (tensor<3x?xi1>, tensor<3x?xi32>)
  return %r0_0, %r1_0, %s1#1, %r2_0, %s2#1, %r3_0, %r4_0, %s4#1, %r5_0, %s5#1, %r6_0, %s6#1, %s7#0, %r7_1, %r8_0, %s8#1, %s8#2, %s9#0, %r9_1, %s9#2, %r10_0, %s10#1, %r11_0, %r11_1, %s12#1, %r13_0, %s13#1, %r14_0, %r15_0, %s15#1, %r16_0, %r17_0, %s17#1, %r18_0, %s18#1, %s19, %s20#0, %s20#1, %s21, %s22#0, %s22#1, %s23, %s24#0, %s24#1, %s25, %s26#0, %s26#1, %s27, %s28#0, %s28#1, %s29, %s30#0, %s30#1 : tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi1>, tensor<3x?xi32>, tensor<3x?xi8>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi32>, tensor<3x?xi16>, tensor<3x?xi16>, tensor<3x?xi32>, tensor<3x?xi16>, tensor<3x?xi16>, tensor<3x?xi32>, tensor<3x?xi8>, tensor<3x?xi32>, tensor<3x?xi8>, tensor<3x?xi8>, tensor<3x?xi32>, tensor<3x?xui8>, tensor<3x?xui8>, tensor<3x?xi32>, tensor<3x?xi64>, tensor<3x?xi64>, tensor<3x?xi32>, tensor<3x?xui64>, tensor<3x?xui64>, tensor<3x?xi32>, tensor<3x?xui16>, tensor<3x?xui16>, tensor<3x?xi32>, tensor<3x?xi1>, tensor<3x?xi1>, tensor<3x?xi32>
}
