// expect: schedule "attention 64 visible 1"
// plain
func.func public @main(%q: tensor<150x6xbf16>, %k: tensor<608x6xbf16>, %v: tensor<608x3xbf16>, %pad: tensor<608xi1>) -> tensor<150x3xbf16> {
  // Scores of bf16, whose maxima are found by their bits, and a mask of floats, as flax has it: a window, and padding, which hides all that
  // some rows would see.
  %d = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<150x6xbf16>, tensor<608x6xbf16>) -> tensor<150x608xbf16>
  %row = stablehlo.iota dim = 0 : tensor<150xi32>
  %i = stablehlo.broadcast_in_dim %row, dims = [0] : (tensor<150xi32>) -> tensor<150x608xi32>
  %key = stablehlo.iota dim = 0 : tensor<608xi32>
  %c4 = stablehlo.constant dense<4> : tensor<608xi32>
  %key4 = stablehlo.divide %key, %c4 : tensor<608xi32>
  %j4 = stablehlo.broadcast_in_dim %key4, dims = [1] : (tensor<608xi32>) -> tensor<150x608xi32>
  %c30 = stablehlo.constant dense<30> : tensor<150xi32>
  %earlier = stablehlo.subtract %row, %c30 : tensor<150xi32>
  %first = stablehlo.broadcast_in_dim %earlier, dims = [0] : (tensor<150xi32>) -> tensor<150x608xi32>
  %before = stablehlo.compare LE, %j4, %i, SIGNED : (tensor<150x608xi32>, tensor<150x608xi32>) -> tensor<150x608xi1>
  %after = stablehlo.compare GT, %j4, %first, SIGNED : (tensor<150x608xi32>, tensor<150x608xi32>) -> tensor<150x608xi1>
  %window = stablehlo.and %before, %after : tensor<150x608xi1>
  %pads = stablehlo.broadcast_in_dim %pad, dims = [1] : (tensor<608xi1>) -> tensor<150x608xi1>
  %both = stablehlo.and %window, %pads : tensor<150x608xi1>
  %mask = stablehlo.convert %both : (tensor<150x608xi1>) -> tensor<150x608xf32>
  %none = stablehlo.constant dense<0.0> : tensor<150x608xf32>
  %sees = stablehlo.compare NE, %mask, %none, FLOAT : (tensor<150x608xf32>, tensor<150x608xf32>) -> tensor<150x608xi1>
  %hidden = stablehlo.constant dense<0xFF7F> : tensor<150x608xbf16>
  %s = stablehlo.select %sees, %d, %hidden : tensor<150x608xi1>, tensor<150x608xbf16>
  %low = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<150x608xbf16>, tensor<bf16>) -> tensor<150xbf16>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<150xbf16>) -> tensor<150x608xbf16>
  %x = stablehlo.subtract %s, %mb : tensor<150x608xbf16>
  %e = stablehlo.exponential %x : tensor<150x608xbf16>
  %wide = stablehlo.convert %e : (tensor<150x608xbf16>) -> tensor<150x608xf32>
  %zero32 = stablehlo.constant dense<0.0> : tensor<f32>
  %l = stablehlo.reduce(%wide init: %zero32) applies stablehlo.add across dimensions = [1] : (tensor<150x608xf32>, tensor<f32>) -> tensor<150xf32>
  %l16 = stablehlo.convert %l : (tensor<150xf32>) -> tensor<150xbf16>
  %lb = stablehlo.broadcast_in_dim %l16, dims = [0] : (tensor<150xbf16>) -> tensor<150x608xbf16>
  %w = stablehlo.divide %e, %lb : tensor<150x608xbf16>
  %r = stablehlo.dot_general %w, %v, contracting_dims = [1] x [0] : (tensor<150x608xbf16>, tensor<608x3xbf16>) -> tensor<150x3xbf16>
  return %r : tensor<150x3xbf16>
}
