module @jit_cnn attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x11x9x1xf32>) -> (tensor<2x3xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[[[[-0.506708145, -0.458429337, 0.397573471]], [[-0.328033447, -0.425988197, -0.406439781]], [[0.074836731, 0.351563454, -0.280510902]]], [[[-0.711909294, 0.500863075, -0.502085686]], [[0.563248634, -0.025595665, -0.329205513]], [[-0.301717758, 0.217725754, 0.419254303]]], [[[-0.0934181213, 0.446389198, 0.983811378]], [[-0.098197937, -0.541853905, -0.497049332]], [[-0.655410767, -0.301541328, -0.341193199]]]]> : tensor<3x3x1x3xf32>
    %cst_0 = stablehlo.constant dense<[-0.0662555694, 0.026509285, -0.130566597]> : tensor<3xf32>
    %cst_1 = stablehlo.constant dense<"0x400DB8BE50690C3FE09D903E80B3113E80DFFE3D20C7F63E4047153E00F6AC3CE06BABBE003EA4BC00884CBE40CF44BE800E47BE001847BC80C7B7BDC0C6723E40CDB8BE00EC3CBD308F013F00742D3C8006A73EA06B9E3E2079B73E40B64D3E005DC0BE800A95BD80FFD3BDC0D4D7BE404801BE8032AEBEA017E8BE001B6B3D006042BC40B13FBE807684BE00DA16BE00AADBBD807AE3BD00086BBC80C4F2BD00B2D73D00B9113E8079C73D40CE38BE80D12BBE0064F23D00A95BBD006C40BCD0A02DBFD0203CBF80ECBB3D00B2B73D402CC23E80FC483E0031773D00F0913B80D0C6BE8023763EC03728BE800A0C3E00015F3D80AA973D40C9783E408608BE00D8D7BDC0866EBE0039D2BDA025E83E0083CABDE036A53E0035663EC03F4B3E40CC5F3EA0568DBE8028D03DE057DD3EC0EA41BE001052BC401140BE80B3B03DC04A96BE804EE03E800BD2BDC0F7D6BE608BF93EC03D873E0082103E406E143E806FC7BD00ED78BD40C8493E80BD7F3E60F5813E00F36C3D40FB01BE002356BD009F9A3EA0A6C83E003FBEBD000605BE40D8AD3EC0AD493E0053423E40DFB6BE8054D0BD40870FBE00C5673D60CBEABEA037B13E804AA73D8060F23D2002A5BE00A0EBBB60FBB93E40BCDABE006FAA3D40C1423E00D840BE0011633E80FAB7BDC05DAB3E4004133E001F7A3D50F80B3F00D9673E605BB63E20C2A5BE403534BE4026693E40647C3E008C78BCC04E593E007B93BE00626E3D60DF9FBE"> : tensor<3x3x3x5xf32>
    %cst_2 = stablehlo.constant dense<[0.0170288086, -0.0243082047, -0.0320501328, 0.00281524658, 0.0908727646]> : tensor<5xf32>
    %cst_3 = stablehlo.constant dense<[[1.76022339, -0.973861694, -0.786361694], [0.687316895, -0.709732056, 0.0224151611], [1.77926636, -0.406295776, -1.37297058], [-0.298049927, 0.0210723877, 0.276977539], [-1.27590942, 1.39256287, -0.116638184], [1.20077515, -2.61560059, 1.41482544], [-0.395965576, -1.21031189, 1.60627747], [-0.0685119629, 0.523971558, -0.455444336], [0.096496582, 0.816497802, -0.912994384], [0.412261963, -0.627227783, 0.21496582], [-0.453659058, -1.93403625, 2.38771057], [0.275253296, -1.5736084, 1.29837036], [-1.22953796, -1.85681152, 3.08634949], [-0.56010437, 0.387435913, 0.172668457], [-0.917770385, 2.32542419, -1.40765381], [0.138824463, 0.73298645, -0.871810913], [-0.84336853, 0.749572753, 0.0937805175], [-1.41796875, 2.78474426, -1.36679077], [1.44207764, -0.940551757, -0.501525879], [0.837921142, -0.849060058, 0.011138916]]> : tensor<20x3xf32>
    %cst_4 = stablehlo.constant dense<[-0.3359375, -0.837890625, -0.786132813]> : tensor<3xf32>
    %0 = stablehlo.convolution(%arg0, %cst) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x11x9x1xf32>, tensor<3x3x1x3xf32>) -> tensor<2x11x9x3xf32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [3] : (tensor<3xf32>) -> tensor<1x1x1x3xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x3xf32>) -> tensor<2x11x9x3xf32>
    %3 = stablehlo.add %0, %2 : tensor<2x11x9x3xf32>
    %4 = call @relu(%3) : (tensor<2x11x9x3xf32>) -> tensor<2x11x9x3xf32>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<f32>
    %6 = "stablehlo.reduce_window"(%4, %5) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %32 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
      stablehlo.return %32 : tensor<f32>
    }) : (tensor<2x11x9x3xf32>, tensor<f32>) -> tensor<2x5x4x3xf32>
    %7 = stablehlo.convolution(%6, %cst_1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x4x3xf32>, tensor<3x3x3x5xf32>) -> tensor<2x5x4x5xf32>
    %8 = stablehlo.broadcast_in_dim %cst_2, dims = [3] : (tensor<5xf32>) -> tensor<1x1x1x5xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x5xf32>) -> tensor<2x5x4x5xf32>
    %10 = stablehlo.add %7, %9 : tensor<2x5x4x5xf32>
    %11 = call @relu_0(%10) : (tensor<2x5x4x5xf32>) -> tensor<2x5x4x5xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<f32>
    %13 = "stablehlo.reduce_window"(%11, %12) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %32 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %32 : tensor<f32>
    }) : (tensor<2x5x4x5xf32>, tensor<f32>) -> tensor<2x2x2x5xf32>
    %cst_7 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x2x2x5xf32>
    %15 = stablehlo.divide %13, %14 : tensor<2x2x2x5xf32>
    %16 = stablehlo.reshape %15 : (tensor<2x2x2x5xf32>) -> tensor<2x20xf32>
    %17 = stablehlo.dot_general %16, %cst_3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x20xf32>, tensor<20x3xf32>) -> tensor<2x3xf32>
    %18 = stablehlo.broadcast_in_dim %cst_4, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<2x3xf32>
    %20 = stablehlo.add %17, %19 : tensor<2x3xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %21 = stablehlo.reduce(%20 init: %cst_8) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %23 = stablehlo.maximum %22, %21 : tensor<2xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
    %26 = stablehlo.subtract %20, %25 : tensor<2x3xf32>
    %27 = stablehlo.exponential %26 : tensor<2x3xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %28 = stablehlo.reduce(%27 init: %cst_10) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
    %31 = stablehlo.divide %27, %30 : tensor<2x3xf32>
    return %31 : tensor<2x3xf32>
  }
  func.func private @relu(%arg0: tensor<2x11x9x3xf32>) -> tensor<2x11x9x3xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x11x9x3xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x11x9x3xf32>
    return %1 : tensor<2x11x9x3xf32>
  }
  func.func private @relu_0(%arg0: tensor<2x5x4x5xf32>) -> tensor<2x5x4x5xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x5x4x5xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x5x4x5xf32>
    return %1 : tensor<2x5x4x5xf32>
  }
}
