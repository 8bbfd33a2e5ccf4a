// expect: schedule "attention 32"
// plain
func.func public @main(%q: tensor<150x6xbf16>, %k: tensor<600x6xbf16>, %v: tensor<600x3xbf16>, %seen: tensor<600xi1>) -> tensor<150x3xbf16> {
  // Weights are rounded before the second dot: blocks of rows, the last one of fewer, with all keys, the masked ones among them.
  %dot = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<150x6xbf16>, tensor<600x6xbf16>) -> tensor<150x600xf32>
  %sees = stablehlo.broadcast_in_dim %seen, dims = [1] : (tensor<600xi1>) -> tensor<150x600xi1>
  %hidden = stablehlo.constant dense<-1.0e9> : tensor<150x600xf32>
  %s = stablehlo.select %sees, %dot, %hidden : tensor<150x600xi1>, tensor<150x600xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<150x600xf32>, tensor<f32>) -> tensor<150xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<150xf32>) -> tensor<150x600xf32>
  %d = stablehlo.subtract %s, %mb : tensor<150x600xf32>
  %e = stablehlo.exponential %d : tensor<150x600xf32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<150x600xf32>, tensor<f32>) -> tensor<150xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0] : (tensor<150xf32>) -> tensor<150x600xf32>
  %p = stablehlo.divide %e, %lb : tensor<150x600xf32>
  %w = stablehlo.convert %p : (tensor<150x600xf32>) -> tensor<150x600xbf16>
  %r = stablehlo.dot_general %w, %v, contracting_dims = [1] x [0] : (tensor<150x600xbf16>, tensor<600x3xbf16>) -> tensor<150x3xbf16>
  return %r : tensor<150x3xbf16>
}
