#id = affine_map<(d0) -> (d0)>
#back = affine_map<(d0) -> (15 - d0)>
module {
  func.func @main(%arg: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) attributes {strata.entry, strata.inputs = [tensor<16xf32>], strata.outputs = [tensor<16xf32>, tensor<16xf32>]} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c12 = arith.constant 12 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<16xf32>
    %x = linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel"]} ins(%arg : tensor<16xf32>) outs(%e : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16xf32>
    %f = tensor.empty() : tensor<16xf32>
    %g = tensor.empty() : tensor<16xf32>
    %r:2 = scf.for %i = %c0 to %c16 step %c4 iter_args(%a = %f, %b = %g) -> (tensor<16xf32>, tensor<16xf32>) {
      %v = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : tensor<16xf32>, vector<4xf32>
      %d = arith.addf %v, %v : vector<4xf32>
      %p = vector.transfer_write %d, %a[%i] {in_bounds = [true]} : vector<4xf32>, tensor<16xf32>
      %u = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : tensor<16xf32>, vector<4xf32>
      %k = arith.subi %c12, %i : index
      %q = vector.transfer_write %u, %b[%k] {in_bounds = [true]} : vector<4xf32>, tensor<16xf32>
      scf.yield %p, %q : tensor<16xf32>, tensor<16xf32>
    } {strata.schedule = "by hand"}
    %h = tensor.empty() : tensor<16xf32>
    %s = linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel"]} ins(%r#0 : tensor<16xf32>) outs(%h : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16xf32>
    return %s, %r#1 : tensor<16xf32>, tensor<16xf32>
  }
}
