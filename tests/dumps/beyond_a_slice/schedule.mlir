#id = affine_map<(d0) -> (d0)>
module {
  func.func @main(%x: tensor<24xf32>) -> (tensor<16xf32>, tensor<24xf32>) attributes {strata.entry, strata.inputs = [tensor<24xf32>], strata.outputs = [tensor<16xf32>, tensor<24xf32>]} {
    %c0 = arith.constant 0 : index
    %edge = arith.constant -1.0 : f32
    %part = tensor.extract_slice %x[3] [7] [1] : tensor<24xf32> to tensor<7xf32>
    %v = vector.transfer_read %part[%c0], %edge {in_bounds = [false]} : tensor<7xf32>, vector<16xf32>
    %e = tensor.empty() : tensor<16xf32>
    %a = vector.transfer_write %v, %e[%c0] {in_bounds = [true]} : vector<16xf32>, tensor<16xf32>
    %f = tensor.empty() : tensor<24xf32>
    %copy = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<24xf32>) outs(%f : tensor<24xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<24xf32>
    %front = tensor.extract_slice %copy[0] [5] [1] : tensor<24xf32> to tensor<5xf32>
    %w = vector.transfer_read %front[%c0], %edge {in_bounds = [false]} : tensor<5xf32>, vector<8xf32>
    %n = arith.negf %w : vector<8xf32>
    %head = vector.transfer_write %n, %front[%c0] {in_bounds = [false]} : vector<8xf32>, tensor<5xf32>
    %b = tensor.insert_slice %head into %copy[0] [5] [1] : tensor<5xf32> into tensor<24xf32>
    return %a, %b : tensor<16xf32>, tensor<24xf32>
  }
}
