func.func public @main(%x: tensor<3x7x64xf32> {tf.aliasing_output = 0 : i32}, %c: tensor<7x32xf32>, %s: tensor<7x32xf32>, %a: tensor<2x48xf64>, %b: tensor<48xf64>, %i: tensor<33xi16>, %j: tensor<33xi16>, %u: tensor<96xf32>) -> (tensor<3x7x64xf32>, tensor<2x48x3xf64>, tensor<33x2xi16>, tensor<96x4xf32>, tensor<96xf32>) {
  // Rotary embedding of pairs, in the buffer of its operand.
  %x0 = stablehlo.slice %x [0:3, 0:7, 0:64:2] : (tensor<3x7x64xf32>) -> tensor<3x7x32xf32>
  %x1 = stablehlo.slice %x [0:3, 0:7, 1:64:2] : (tensor<3x7x64xf32>) -> tensor<3x7x32xf32>
  %cc = stablehlo.broadcast_in_dim %c, dims = [1, 2] : (tensor<7x32xf32>) -> tensor<3x7x32xf32>
  %ss = stablehlo.broadcast_in_dim %s, dims = [1, 2] : (tensor<7x32xf32>) -> tensor<3x7x32xf32>
  %0 = stablehlo.multiply %x0, %cc : tensor<3x7x32xf32>
  %1 = stablehlo.multiply %x1, %ss : tensor<3x7x32xf32>
  %2 = stablehlo.subtract %0, %1 : tensor<3x7x32xf32>
  %3 = stablehlo.multiply %x0, %ss : tensor<3x7x32xf32>
  %4 = stablehlo.multiply %x1, %cc : tensor<3x7x32xf32>
  %5 = stablehlo.add %3, %4 : tensor<3x7x32xf32>
  %r0e = stablehlo.reshape %2 : (tensor<3x7x32xf32>) -> tensor<3x7x32x1xf32>
  %r1e = stablehlo.reshape %5 : (tensor<3x7x32xf32>) -> tensor<3x7x32x1xf32>
  %r = stablehlo.concatenate %r0e, %r1e, dim = 3 : (tensor<3x7x32x1xf32>, tensor<3x7x32x1xf32>) -> tensor<3x7x32x2xf32>
  %r6 = stablehlo.reshape %r : (tensor<3x7x32x2xf32>) -> tensor<3x7x64xf32>
  %bb = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<48xf64>) -> tensor<2x48xf64>
  %7 = stablehlo.add %a, %bb : tensor<2x48xf64>
  %8 = stablehlo.multiply %a, %bb : tensor<2x48xf64>
  %9 = stablehlo.subtract %7, %8 : tensor<2x48xf64>
  %q0e = stablehlo.reshape %7 : (tensor<2x48xf64>) -> tensor<2x48x1xf64>
  %q1e = stablehlo.reshape %9 : (tensor<2x48xf64>) -> tensor<2x48x1xf64>
  %q2e = stablehlo.reshape %8 : (tensor<2x48xf64>) -> tensor<2x48x1xf64>
  %q = stablehlo.concatenate %q0e, %q1e, %q2e, dim = 2 : (tensor<2x48x1xf64>, tensor<2x48x1xf64>, tensor<2x48x1xf64>) -> tensor<2x48x3xf64>
  %10 = stablehlo.add %i, %j : tensor<33xi16>
  %11 = stablehlo.multiply %i, %j : tensor<33xi16>
  %w0e = stablehlo.reshape %10 : (tensor<33xi16>) -> tensor<33x1xi16>
  %w1e = stablehlo.reshape %11 : (tensor<33xi16>) -> tensor<33x1xi16>
  %w = stablehlo.concatenate %w0e, %w1e, dim = 1 : (tensor<33x1xi16>, tensor<33x1xi16>) -> tensor<33x2xi16>
  // A column that is a result, too.
  %12 = stablehlo.abs %u : tensor<96xf32>
  %13 = stablehlo.negate %u : tensor<96xf32>
  %14 = stablehlo.multiply %u, %u : tensor<96xf32>
  %15 = stablehlo.maximum %u, %14 : tensor<96xf32>
  %v0e = stablehlo.reshape %13 : (tensor<96xf32>) -> tensor<96x1xf32>
  %v1e = stablehlo.reshape %14 : (tensor<96xf32>) -> tensor<96x1xf32>
  %v2e = stablehlo.reshape %15 : (tensor<96xf32>) -> tensor<96x1xf32>
  %v3e = stablehlo.reshape %12 : (tensor<96xf32>) -> tensor<96x1xf32>
  %v = stablehlo.concatenate %v0e, %v1e, %v2e, %v3e, dim = 1 : (tensor<96x1xf32>, tensor<96x1xf32>, tensor<96x1xf32>, tensor<96x1xf32>) -> tensor<96x4xf32>
  return %r6, %q, %w, %v, %14 : tensor<3x7x64xf32>, tensor<2x48x3xf64>, tensor<33x2xi16>, tensor<96x4xf32>, tensor<96xf32>
}
