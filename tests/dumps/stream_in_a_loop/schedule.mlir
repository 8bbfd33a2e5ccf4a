#id = affine_map<(d0) -> (d0)>
#back = affine_map<(d0) -> (15 - d0)>
module {
  func.func @main(%arg: tensor<16xf32>) -> tensor<16xf32> attributes {strata.entry, strata.inputs = [tensor<16xf32>], strata.outputs = [tensor<16xf32>]} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %pad = arith.constant 0.0 : f32
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %three = arith.constant 3 : i32
    %e = tensor.empty() : tensor<16xf32>
    %x = linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel"]} ins(%arg : tensor<16xf32>) outs(%e : tensor<16xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<16xf32>
    %r:2 = scf.while (%i = %zero, %acc = %arg) : (i32, tensor<16xf32>) -> (i32, tensor<16xf32>) {
      %c = arith.cmpi slt, %i, %three : i32
      scf.condition(%c) %i, %acc : i32, tensor<16xf32>
    } do {
    ^bb0(%i: i32, %acc: tensor<16xf32>):
      %n = arith.addi %i, %one : i32
      %f = tensor.empty() : tensor<16xf32>
      %s = scf.for %j = %c0 to %c16 step %c4 iter_args(%a = %f) -> (tensor<16xf32>) {
        %v = vector.transfer_read %x[%j], %pad {in_bounds = [true]} : tensor<16xf32>, vector<4xf32>
        %w = vector.transfer_read %acc[%j], %pad {in_bounds = [true]} : tensor<16xf32>, vector<4xf32>
        %d = arith.addf %v, %w : vector<4xf32>
        %p = vector.transfer_write %d, %a[%j] {in_bounds = [true]} : vector<4xf32>, tensor<16xf32>
        scf.yield %p : tensor<16xf32>
      } {strata.schedule = "by hand"}
      %h = tensor.empty() : tensor<16xf32>
      %t = linalg.generic {indexing_maps = [#back, #id], iterator_types = ["parallel"]} ins(%s : tensor<16xf32>) outs(%h : tensor<16xf32>) {
      ^bb0(%in: f32, %out: f32):
        linalg.yield %in : f32
      } -> tensor<16xf32>
      scf.yield %n, %t : i32, tensor<16xf32>
    }
    return %r#1 : tensor<16xf32>
  }
}
