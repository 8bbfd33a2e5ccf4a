// plain
// absolute: 1e-4
module {
  // Results that cannot hold what the operands do: sums are in the operands' type, and converted.
  func.func public @main(%x: tensor<3x5xf32>, %y: tensor<5x4xf32>, %h: tensor<3x5xbf16>, %k: tensor<5x4xf16>, %c: tensor<3x5xcomplex<f32>>, %d: tensor<5x4xcomplex<f32>>, %n: tensor<5xi8>, %p: tensor<6x4xf32>, %q: tensor<4x5xf32>)
      -> (tensor<3x4xi32>, tensor<3x4xui8>, tensor<3x4xi8>, tensor<6x5xi1>, tensor<3x4xf32>, tensor<3x4xi16>, tensor<3xi32>, tensor<4xi32>, tensor<3x4xi32>) {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xi32>
    %1 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xui8>
    %2 = stablehlo.dot_general %h, %k, contracting_dims = [1] x [0] : (tensor<3x5xbf16>, tensor<5x4xf16>) -> tensor<3x4xi8>
    // Products of signs may cancel.
    %s = stablehlo.sign %p : tensor<6x4xf32>
    %t = stablehlo.sign %q : tensor<4x5xf32>
    %3 = stablehlo.dot_general %s, %t, contracting_dims = [1] x [0] : (tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xi1>
    %4 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<3x5xcomplex<f32>>, tensor<5x4xcomplex<f32>>) -> tensor<3x4xf32>
    %5 = stablehlo.dot_general %c, %y, contracting_dims = [1] x [0] : (tensor<3x5xcomplex<f32>>, tensor<5x4xf32>) -> tensor<3x4xi16>
    %6 = stablehlo.dot_general %x, %n, contracting_dims = [1] x [0] : (tensor<3x5xf32>, tensor<5xi8>) -> tensor<3xi32>
    %7 = stablehlo.dot %n, %y : (tensor<5xi8>, tensor<5x4xf32>) -> tensor<4xi32>
    %8 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x5xf32>, tensor<5x4xf32>) -> tensor<3x4xi32>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<3x4xi32>, tensor<3x4xui8>, tensor<3x4xi8>, tensor<6x5xi1>, tensor<3x4xf32>, tensor<3x4xi16>, tensor<3xi32>, tensor<4xi32>, tensor<3x4xi32>
  }
}
