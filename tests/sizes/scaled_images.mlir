// every: x.0=9
// Convolutions of integers times scales, of any number of images, with a zero point, which borders are made of.
func.func public @main(%x: tensor<?x2x4x4xi8> loc("x")) -> tensor<?x2x4x5xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2x4x4xi8>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %parts = stablehlo.constant dense<[2, 4, 4]> : tensor<3xi32>
  %shape = stablehlo.concatenate %n1, %parts, dim = 0 : (tensor<1xi32>, tensor<3xi32>) -> tensor<4xi32>
  %f = stablehlo.convert %x : (tensor<?x2x4x4xi8>) -> tensor<?x2x4x4xf32>
  %seven = stablehlo.constant dense<7.0> : tensor<f32>
  %point = stablehlo.dynamic_broadcast_in_dim %seven, %shape, dims = [] : (tensor<f32>, tensor<4xi32>) -> tensor<?x2x4x4xf32>
  %less = stablehlo.subtract %f, %point : tensor<?x2x4x4xf32>
  %step = stablehlo.constant dense<0.0371> : tensor<f32>
  %steps = stablehlo.dynamic_broadcast_in_dim %step, %shape, dims = [] : (tensor<f32>, tensor<4xi32>) -> tensor<?x2x4x4xf32>
  %image = stablehlo.multiply %less, %steps : tensor<?x2x4x4xf32>
  %k = stablehlo.constant dense<"0xCC4405DD2EA1FAFAB4BF1C46964D947086207882914478BEE8C75B4309AE2B122E3FE87AC7ECF5A5370FC41B4DDB723B2AFB6C47C0B57894AAB2C5C145B797DDB9126E5CCA203112105F676414FAF6B200DAF099DBA5EEEC33624F5124BFC5F04D82388E52927810F610B0BCA11E0BE9F14F3CA695E87A53"> : tensor<2x3x4x5xi8>
  %kf = stablehlo.convert %k : (tensor<2x3x4x5xi8>) -> tensor<2x3x4x5xf32>
  %kc = stablehlo.constant dense<[0.002671, 0.016296, 0.013494, 0.015129, 0.014352]> : tensor<5xf32>
  %kb = stablehlo.broadcast_in_dim %kc, dims = [3] : (tensor<5xf32>) -> tensor<2x3x4x5xf32>
  %ks = stablehlo.multiply %kf, %kb : tensor<2x3x4x5xf32>
  %r3 = stablehlo.convolution(%image, %ks) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 0], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x2x4x4xf32>, tensor<2x3x4x5xf32>) -> tensor<?x2x4x5xf32>
  return %r3 : tensor<?x2x4x5xf32>
}
