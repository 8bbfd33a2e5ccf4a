// Programs that the verifier rejects, one or more for each constraint of the
// custom_call family. The comment above a program names the constraint.

// composite_c1
func.func @test(%a: tensor<f32>) {
  // expected-error@+1 {{expected a name in a namespace, such as chlo.top_k, found 'name'}}
  %r = stablehlo.composite "name" %a {decomposition = @test} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// composite_c2
func.func @test(%a: tensor<f32>) {
  // expected-error@+1 {{expected decomposition to name a function, found 'missing'}}
  %r = stablehlo.composite "n.x" %a {decomposition = @missing} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// composite_c3
func.func @test(%a: tensor<f32>) {
  // expected-error@+1 {{expected operand types of the decomposition, ('tensor<f32>'), found ()}}
  "stablehlo.composite"() {name = "n.x", decomposition = @test} : () -> ()
  return
}

// -----

// composite_c4
func.func @test(%a: tensor<f32>) {
  // expected-error@+1 {{expected result types of the decomposition, (), found ('tensor<f32>')}}
  %r = stablehlo.composite "n.x" %a {decomposition = @test} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// custom_call_layouts
func.func @test(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{expected both operand_layouts and result_layouts or neither, found only operand_layouts}}
  %r = stablehlo.custom_call @f(%a) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

// custom_call_layouts
func.func @test(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{expected distinct values in operand_layouts, found 0 twice}}
  %r = stablehlo.custom_call @f(%a) {operand_layouts = [dense<[0, 0]> : tensor<2xindex>], result_layouts = [dense<> : tensor<0xindex>]} : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

// custom_call_aliases
func.func @test(%a: tensor<f32>) {
  // expected-error@+1 {{expected operand_index of output_operand_aliases in the range [0, 1), found 1}}
  %r = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>]} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// custom_call_backend_config
func.func @test(%a: tensor<f32>) {
  // expected-error@+1 {{expected backend_config to be a dictionary with api_version 4, found "text"}}
  %r = stablehlo.custom_call @f(%a) {api_version = 4 : i32, backend_config = "text"} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// composite_c3
func.func private @body(%a: tensor<3xf32>) -> tensor<3xf32> {
  return %a : tensor<3xf32>
}
func.func @test(%a: tensor<?xf32>) {
  // expected-error@+1 {{expected operand types of the decomposition, ('tensor<3xf32>'), found ('tensor<?xf32>')}}
  %r = stablehlo.composite "my.op" %a {decomposition = @body} : (tensor<?xf32>) -> tensor<3xf32>
  return
}

// -----

// composite_c4
func.func private @body(%a: tensor<3xf32>) -> tensor<3xf32> {
  return %a : tensor<3xf32>
}
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected result types of the decomposition, ('tensor<3xf32>'), found ('tensor<?xf32>')}}
  %r = stablehlo.composite "my.op" %a {decomposition = @body} : (tensor<3xf32>) -> tensor<?xf32>
  return
}

// -----

// custom_call: aliases of one type
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected aliases of one type, found 'tensor<3xf32>' and 'tensor<?xf32>'}}
  %r = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<3xf32>) -> tensor<?xf32>
  return
}

// -----

// output_operand_alias: every field
func.func @test(%a: tensor<3xf32>) {
  // expected-error@+1 {{expected 'operand_index'}}
  %r = stablehlo.custom_call @f(%a) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_tuple_indices = []>]} : (tensor<3xf32>) -> tensor<3xf32>
  return
}
