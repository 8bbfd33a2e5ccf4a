// sizes: x.0=5
// every: x.0=33
// rows: x.0
// Integers times scales, of any number of rows: scales are constants, or one of a call for each row, whose reciprocal root is infinite for
// rows that a call does not have; weights have a scale for each column, or for each group of eight rows; sums of all rows are of numbers.
func.func public @main(%x: tensor<?x32xi8> loc("x"), %y: tensor<3x32xi8> loc("y"), %t: tensor<3xf32> loc("t")) -> (tensor<?x10xf32>, tensor<?x10xf32>, tensor<?x10xf32>, tensor<3x10xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x32xi8>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %depth = stablehlo.constant dense<32> : tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %depth, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %f = stablehlo.convert %x : (tensor<?x32xi8>) -> tensor<?x32xf32>
  %seven = stablehlo.constant dense<7.0> : tensor<f32>
  %point = stablehlo.dynamic_broadcast_in_dim %seven, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x32xf32>
  %less = stablehlo.subtract %f, %point : tensor<?x32xf32>
  %step = stablehlo.constant dense<0.0371> : tensor<f32>
  %steps = stablehlo.dynamic_broadcast_in_dim %step, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x32xf32>
  %a = stablehlo.multiply %less, %steps : tensor<?x32xf32>
  %w = stablehlo.constant dense<"0x82B70EEE7F1A5039BEF07EC2347F066ED08F5DC7512447E3404300026B6E545594A065685D64C4980BB8D4544A8721A99A01AD219EB59CF6A15EF6F15A1D830BB7CE09D6BBC004E7175C643C7DECB0B580EC37BC9712DD2E6AAEB94BAE8D2F9FA29C5A284C9EF7521829CF1079B080E9D74A1C10FCAB6A4243D33656DEBE4C1ED79648E856E8F9A2F58C95F0CE4B39C15BFFAD5C2DFB8BB820B6119CBA8FF88796AE5B05F280A68CED93B6B28CB0D1B358E6BAAB485565B9F49028D557D79A8A0E6451E15C705C15F173541B4438A25CF76312D4EEB3C2246879BF00B3CF8ED13ABF129A3097AD96B442D6D1BDEF4850C3F465442EB300C337A648A6C0DBDD73FC95F5C2C451859AFE80D40AA39DFB9249F40C3EE37D961445C806F58C7CF2127DFA894F9296FCF33C08409990AC970DEDB3B843120181E9376107DBDAF6C5F3"> : tensor<32x10xi8>
  %wf = stablehlo.convert %w : (tensor<32x10xi8>) -> tensor<32x10xf32>
  %c = stablehlo.constant dense<[0.009837, 0.019038, 0.005929, 0.007929, 0.018600, 0.003321, 0.018726, 0.015892, 0.010656, 0.007727]> : tensor<10xf32>
  %cb = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<10xf32>) -> tensor<32x10xf32>
  %b = stablehlo.multiply %wf, %cb : tensor<32x10xf32>
  %r0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<?x32xf32>, tensor<32x10xf32>) -> tensor<?x10xf32>

  %none = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%f init: %none) applies stablehlo.add across dimensions = [1] : (tensor<?x32xf32>, tensor<f32>) -> tensor<?xf32>
  %abs = stablehlo.abs %s : tensor<?xf32>
  %root = stablehlo.rsqrt %abs : tensor<?xf32>
  %scale = stablehlo.dynamic_broadcast_in_dim %root, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x32xf32>
  %low = stablehlo.constant dense<-100.0> : tensor<f32>
  %pf = stablehlo.reduce(%f init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<?x32xf32>, tensor<f32>) -> tensor<?xf32>
  %pb = stablehlo.dynamic_broadcast_in_dim %pf, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x32xf32>
  %d = stablehlo.subtract %f, %pb : tensor<?x32xf32>
  %e = stablehlo.multiply %d, %scale : tensor<?x32xf32>
  %r1 = stablehlo.dot_general %e, %b, contracting_dims = [1] x [0] : (tensor<?x32xf32>, tensor<32x10xf32>) -> tensor<?x10xf32>

  %g = stablehlo.constant dense<[[0.017615, 0.020214, 0.004854, 0.011568, 0.012982, 0.011954, 0.008615, 0.005071, 0.013717, 0.018236], [0.003368, 0.006600, 0.018392, 0.017835, 0.015272, 0.002511, 0.016452, 0.021574, 0.021967, 0.016025], [0.002978, 0.018841, 0.006385, 0.014915, 0.021045, 0.016249, 0.004693, 0.007850, 0.020360, 0.004995], [0.014212, 0.010279, 0.005224, 0.014448, 0.002871, 0.004164, 0.009584, 0.003440, 0.003151, 0.013505]]> : tensor<4x10xf32>
  %gb = stablehlo.broadcast_in_dim %g, dims = [0, 2] : (tensor<4x10xf32>) -> tensor<4x8x10xf32>
  %wg = stablehlo.reshape %wf : (tensor<32x10xf32>) -> tensor<4x8x10xf32>
  %m = stablehlo.multiply %wg, %gb : tensor<4x8x10xf32>
  %h = stablehlo.reshape %m : (tensor<4x8x10xf32>) -> tensor<32x10xf32>
  %r2 = stablehlo.dot_general %e, %h, contracting_dims = [1] x [0] : (tensor<?x32xf32>, tensor<32x10xf32>) -> tensor<?x10xf32>

  %yf = stablehlo.convert %y : (tensor<3x32xi8>) -> tensor<3x32xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0] : (tensor<3xf32>) -> tensor<3x32xf32>
  %yt = stablehlo.multiply %yf, %tb : tensor<3x32xf32>
  %r4 = stablehlo.dot_general %yt, %b, contracting_dims = [1] x [0] : (tensor<3x32xf32>, tensor<32x10xf32>) -> tensor<3x10xf32>
  return %r0, %r1, %r2, %r4 : tensor<?x10xf32>, tensor<?x10xf32>, tensor<?x10xf32>, tensor<3x10xf32>
}
