module {
  func.func @main(%x: memref<3x11xf32>, %a: memref<4x16xf32>, %b: memref<16xf32>, %c: memref<11xf32>, %d: memref<f32>, %e: memref<12xf32>, %workspace: memref<0xi8>) attributes {strata.entry, strata.inputs = [tensor<3x11xf32>], strata.outputs = [tensor<4x16xf32>, tensor<16xf32>, tensor<11xf32>, tensor<f32>, tensor<12xf32>], strata.workspace_size = 0 : i64} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %edge = arith.constant -1.0 : f32
    %v = vector.transfer_read %x[%c0, %c0], %edge {in_bounds = [false, false]} : memref<3x11xf32>, vector<4x16xf32>
    vector.transfer_write %v, %a[%c0, %c0] {in_bounds = [true, true]} : vector<4x16xf32>, memref<4x16xf32>
    %five = vector.create_mask %c5 : vector<16xi1>
    %w = vector.transfer_read %x[%c1, %c4], %edge, %five {in_bounds = [false]} : memref<3x11xf32>, vector<16xf32>
    vector.transfer_write %w, %b[%c0] {in_bounds = [true]} : vector<16xf32>, memref<16xf32>
    %l = vector.transfer_read %x[%c2, %c0], %edge {in_bounds = [false]} : memref<3x11xf32>, vector<16xf32>
    vector.transfer_write %l, %c[%c0] {in_bounds = [false]} : vector<16xf32>, memref<11xf32>
    %low = arith.constant 0.0 : f32
    %all = vector.transfer_read %x[%c0, %c0], %edge {in_bounds = [true, true]} : memref<3x11xf32>, vector<3x11xf32>
    %m = vector.multi_reduction <add>, %all, %low [0, 1] : vector<3x11xf32> to f32
    memref.store %m, %d[] : memref<f32>
    %one = vector.transfer_read %x[%c2, %c0], %edge {in_bounds = [false]} : memref<3x11xf32>, vector<12xf32>
    vector.transfer_write %one, %e[%c0] {in_bounds = [true]} : vector<12xf32>, memref<12xf32>
    return
  }
}
