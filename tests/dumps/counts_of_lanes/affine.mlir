module {
  memref.global "private" constant @counts : memref<12xi64> = dense<[-9223372036854775808, -4294967294, -1, 0, 1, 5, 8, 9, 16, 65539, 4294967297, 9223372036854775807]> {alignment = 64 : i64}
  func.func @main(%x: memref<8xf32>, %h: memref<16xi16>, %z: memref<i64>, %r: memref<12x8xf32>, %s: memref<12x16xi16>, %workspace: memref<0xi8>) attributes {strata.entry, strata.inputs = [tensor<8xf32>, tensor<16xi16>, tensor<i64>], strata.outputs = [tensor<12x8xf32>, tensor<12x16xi16>], strata.workspace_size = 0 : i64} {
    %zeros = arith.constant dense<0.0> : vector<8xf32>
    %none = arith.constant dense<0> : vector<16xi16>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c12 = arith.constant 12 : index
    %counts = memref.get_global @counts : memref<12xi64>
    scf.for %i = %c0 to %c12 step %c1 {
      %number = memref.load %counts[%i] : memref<12xi64>
      %more = memref.load %z[] : memref<i64>
      %all = arith.addi %number, %more : i64
      %count = arith.index_cast %all : i64 to index
      %eight = vector.create_mask %count : vector<8xi1>
      %a = vector.load %x[%c0] : memref<8xf32>, vector<8xf32>
      %b = arith.select %eight, %a, %zeros : vector<8xi1>, vector<8xf32>
      vector.store %b, %r[%i, %c0] : memref<12x8xf32>, vector<8xf32>
      %sixteen = vector.create_mask %count : vector<16xi1>
      %c = vector.load %h[%c0] : memref<16xi16>, vector<16xi16>
      %d = arith.select %sixteen, %c, %none : vector<16xi1>, vector<16xi16>
      vector.store %d, %s[%i, %c0] : memref<12x16xi16>, vector<16xi16>
    }
    return
  }
}
