// plain
// rms: 1e-6

// An algorithm is about floats: integers and complex numbers are multiplied as without one.
func.func public @main(%a: tensor<3x5xi8>, %b: tensor<5x2xi8>, %i: tensor<3x5xi32>, %j: tensor<5x2xi32>, %x: tensor<3x5xcomplex<f32>>, %y: tensor<5x2xcomplex<f32>>)
    -> (tensor<3x2xi32>, tensor<3x2xi32>, tensor<3x2xcomplex<f32>>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0],
    algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
    : (tensor<3x5xi8>, tensor<5x2xi8>) -> tensor<3x2xi32>
  %1 = stablehlo.dot_general %i, %j, contracting_dims = [1] x [0],
    algorithm = <lhs_precision_type = f64, rhs_precision_type = f64, accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
    : (tensor<3x5xi32>, tensor<5x2xi32>) -> tensor<3x2xi32>
  %2 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0],
    algorithm = <lhs_precision_type = f64, rhs_precision_type = f64, accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
    : (tensor<3x5xcomplex<f32>>, tensor<5x2xcomplex<f32>>) -> tensor<3x2xcomplex<f32>>
  return %0, %1, %2 : tensor<3x2xi32>, tensor<3x2xi32>, tensor<3x2xcomplex<f32>>
}
