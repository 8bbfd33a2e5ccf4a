// expect: schedule "attention 64 visible 1"
// plain
func.func public @main(%q: tensor<150x6xbf16>, %k: tensor<608x6xbf16>, %v: tensor<608x3xbf16>) -> tensor<150x3xbf16> {
  // A window of 70 keys of 608, which lies before the first for two rows: their weights are the same number for all keys.
  %dot = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<150x6xbf16>, tensor<608x6xbf16>) -> tensor<150x608xf32>
  %i = stablehlo.iota dim = 0 : tensor<150x608xi32>
  %j = stablehlo.iota dim = 1 : tensor<150x608xi32>
  %three = stablehlo.constant dense<3> : tensor<150x608xi32>
  %i3 = stablehlo.multiply %i, %three : tensor<150x608xi32>
  %four = stablehlo.constant dense<4> : tensor<150x608xi32>
  %last = stablehlo.subtract %i3, %four : tensor<150x608xi32>
  %width = stablehlo.constant dense<70> : tensor<150x608xi32>
  %first = stablehlo.subtract %last, %width : tensor<150x608xi32>
  %before = stablehlo.compare LE, %j, %last, SIGNED : (tensor<150x608xi32>, tensor<150x608xi32>) -> tensor<150x608xi1>
  %after = stablehlo.compare GT, %j, %first, SIGNED : (tensor<150x608xi32>, tensor<150x608xi32>) -> tensor<150x608xi1>
  %sees = stablehlo.and %before, %after : tensor<150x608xi1>
  %hidden = stablehlo.constant dense<-1.0e9> : tensor<150x608xf32>
  %s = stablehlo.select %sees, %dot, %hidden : tensor<150x608xi1>, tensor<150x608xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<150x608xf32>, tensor<f32>) -> tensor<150xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<150xf32>) -> tensor<150x608xf32>
  %d = stablehlo.subtract %s, %mb : tensor<150x608xf32>
  %e = stablehlo.exponential %d : tensor<150x608xf32>
  %l = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<150x608xf32>, tensor<f32>) -> tensor<150xf32>
  %lb = stablehlo.broadcast_in_dim %l, dims = [0] : (tensor<150xf32>) -> tensor<150x608xf32>
  %p = stablehlo.divide %e, %lb : tensor<150x608xf32>
  %w = stablehlo.convert %p : (tensor<150x608xf32>) -> tensor<150x608xbf16>
  %r = stablehlo.dot_general %w, %v, contracting_dims = [1] x [0] : (tensor<150x608xbf16>, tensor<608x3xbf16>) -> tensor<150x3xbf16>
  return %r : tensor<150x3xbf16>
}
