// Meshes, shardings, sharding rules and bodies that the verifiers reject.

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected a sharding of rank 2, found 1}}
  %0 = sdy.sharding_constraint %a <@m, [{"a"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected a mesh of the module, found @q}}
  %0 = sdy.sharding_constraint %a <@q, [{"a"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected an axis of the mesh #sdy.mesh<["a"=2, "b"=4, "c"=6]>, found "z"}}
  %0 = sdy.sharding_constraint %a <@m, [{"z"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected manual_axes of the mesh #sdy.mesh<["a"=2, "b"=4, "c"=6]>, found "z"}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"z"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected axes that do not overlap, found "a" and "a"}}
  %0 = sdy.sharding_constraint %a <@m, [{"a"}, {"a"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected consecutive sub-axes to be one, found "b":(1)2 and "b":(2)2}}
  %0 = sdy.sharding_constraint %a <@m, [{"b":(1)2, "b":(2)2}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected a sub-axis smaller than its axis, of size 4, found "b":(1)4}}
  %0 = sdy.sharding_constraint %a <@m, [{"b":(1)4}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected a sub-axis of pre-size 1 or more and size 2 or more, found "b":(1)1}}
  %0 = sdy.sharding_constraint %a <@m, [{"b":(1)1}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected a sub-axis whose pre-size and size divide the axis, of size 4, found "b":(1)3}}
  %0 = sdy.sharding_constraint %a <@m, [{"b":(1)3}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected replicated axes in the order of the mesh, found "b" before "a"}}
  %0 = sdy.sharding_constraint %a <@m, [{}, {}], replicated={"b","a"}> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected unreduced axes in the order of the mesh, found "c" before "b"}}
  %0 = sdy.sharding_constraint %a <@m, [{}, {}], unreduced={"c", "b"}> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected no priority for dimension 1, which is closed and has no axes, found 1}}
  %0 = sdy.sharding_constraint %a <@m, [{"a"}p1, {}p1]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{custom op 'sdy.sharding_constraint' expected a priority such as p1, found ''}}
  %0 = sdy.sharding_constraint %a <@m, [{"a"}p-1, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @one = <[], device_ids=[3]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected a sharding of rank 0 without replicated or unreduced axes for a single device, found #sdy.sharding<@one, [{}, {}]>}}
  %0 = sdy.sharding_constraint %a <@one, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{custom op 'sdy.sharding_constraint' expected axis "q" of size 1 or more, found 0}}
  %0 = sdy.sharding_constraint %a <mesh<["q"=0]>, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{custom op 'sdy.sharding_constraint' expected distinct axes, found "q" twice}}
  %0 = sdy.sharding_constraint %a <mesh<["q"=2,"q"=2]>, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<*xf32>) -> tensor<*xf32> {
  // expected-error@+1 {{expected a ranked tensor to have a sharding, found 'tensor<*xf32>'}}
  %0 = sdy.sharding_constraint %a <@m, [{"a"}]> : tensor<*xf32>
  return %0 : tensor<*xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: !stablehlo.token) -> !stablehlo.token {
  // expected-error@+1 {{expected a sharding of rank 0 without replicated or unreduced axes for a value that is not a tensor, found #sdy.sharding<@m, [{}]>}}
  %0 = sdy.sharding_constraint %a <@m, [{}]> : !stablehlo.token
  return %0 : !stablehlo.token
}

// -----

// expected-error@+1 {{custom op 'sdy.mesh' expected distinct axes, found "a" twice}}
sdy.mesh @m = <["a"=2,"a"=3]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' expected axis "a" of size 1 or more, found 0}}
sdy.mesh @m = <["a"=0]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' expected device_ids 0 to 1, found 2}}
sdy.mesh @m = <["a"=2], device_ids=[1,2]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' expected device_ids 0 to 3 once each, found 1 more than once and no 3}}
sdy.mesh @m = <["a"=4], device_ids=[0,1,1,2]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' expected 2 device_ids, one for each device, found 1}}
sdy.mesh @m = <["a"=2], device_ids=[1]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' expected device_ids of at least 0, found -1}}
sdy.mesh @m = <["a"=2], device_ids=[-1,0]>

// -----

// expected-error@+1 {{custom op 'sdy.mesh' expected one device id or more, found none}}
sdy.mesh @m = <["a"=2], device_ids=[]>

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
// expected-error@+1 {{argument 0: expected a sharding of rank 2, found 1}}
func.func @t(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) {
  return
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
// expected-error@+1 {{result 0: expected a sharding of rank 2, found 1}}
func.func @t(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>}) {
  return %a : tensor<8x8xf32>
}

// -----

// expected-error@+1 {{argument 0: expected a mesh of the module, found @q}}
func.func @t(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@q, [{"a"}, {}]>}) {
  return
}

// -----

// expected-error@+1 {{result 0: expected a mesh of the module, found @q}}
func.func @t(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@q, [{"a"}, {}]>}) {
  return %a : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
// expected-error@+1 {{argument 0: expected an axis of the mesh #sdy.mesh<["a"=2, "b"=4, "c"=6]>, found "z"}}
func.func @t(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {}]>}) {
  return
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
// expected-error@+1 {{result 0: expected an axis of the mesh #sdy.mesh<["a"=2, "b"=4, "c"=6]>, found "z"}}
func.func @t(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"z"}, {}]>}) {
  return %a : tensor<8x8xf32>
}

// -----

// expected-error@+1 {{argument 0: expected sdy.sharding to be #sdy.sharding, found 1 : i32}}
func.func @t(%a: tensor<8x8xf32> {sdy.sharding = 1 : i32}) {
  return
}

// -----

// expected-error@+1 {{result 0: expected sdy.sharding to be #sdy.sharding, found 1 : i32}}
func.func @t(%a: tensor<8x8xf32>) -> (tensor<8x8xf32> {sdy.sharding = 1 : i32}) {
  return %a : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{result 0: expected a sharding of rank 2, found 1}}
  %0 = "stablehlo.add"(%a, %a) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{expected 1 shardings, one for each result, found 2}}
  %0 = "stablehlo.add"(%a, %a) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>, <@m, [{"a"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{expected sdy.sharding to be #sdy.sharding_per_value, found #sdy.sharding<@m, [{"a"}, {}]>}}
  %0 = "stablehlo.add"(%a, %a) {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{result 0: expected a mesh of the module, found @q}}
  %0 = "stablehlo.add"(%a, %a) {sdy.sharding = #sdy.sharding_per_value<[<@q, [{"a"}, {}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @one = <[], device_ids=[3]>
func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{result 0: expected a sharding of rank 0 without replicated or unreduced axes for a single device, found #sdy.sharding<@one, [{}, {}]>}}
  %0 = "stablehlo.add"(%a, %a) {sdy.sharding = #sdy.sharding_per_value<[<@one, [{},{}]>]>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{result 0: expected a sharding of rank 0 without replicated or unreduced axes for an operation without results, found #sdy.sharding<@m, [{}]>}}
  "stablehlo.custom_call"(%a) {call_target_name = "x", has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : (tensor<8x8xf32>) -> ()
  return
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{expected 0 shardings, one for each result, found 2}}
  "stablehlo.custom_call"(%a) {call_target_name = "x", has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@m, []>, <@m, []>]>} : (tensor<8x8xf32>) -> ()
  return
}

// -----

func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{result 0: expected a mesh of the module, found @q}}
  "stablehlo.custom_call"(%a) {call_target_name = "x", has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@q, []>]>} : (tensor<8x8xf32>) -> ()
  return
}

// -----

func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{expected all factors of the sharding rule in its mappings, found 2 in none}}
  %0 = "stablehlo.add"(%a, %a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8, k=2}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{expected a sharding rule with 2 operand mappings, found 1}}
  %0 = "stablehlo.add"(%a, %a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{result 0: expected a mapping of rank 2, found 1}}
  %0 = "stablehlo.add"(%a, %a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i]) {i=8, j=8}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{operand 0: expected distinct factors, found 0 twice}}
  %0 = "stablehlo.add"(%a, %a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, i], [i, j])->([i, j]) {i=8, j=8}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{operand 0: expected no factor of size 1 beside others, found 2}}
  %0 = "stablehlo.add"(%a, %a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk], [i, jk])->([i, jk]) {i=8, j=8, k=1}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{expected reduction factors in no result, found 0}}
  %0 = "stablehlo.add"(%a, %a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8} reduction={i}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{expected each factor to be special in one way, found 0 twice}}
  %0 = "stablehlo.add"(%a, %a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8} reduction={i} need_replication={i}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{expected special factors in ascending order, found 0 before 0}}
  %0 = "stablehlo.add"(%a, %a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=8, j=8} reduction={i, i}>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{expected sdy.sharding_rule to be #sdy.op_sharding_rule, found "x"}}
  %0 = "stablehlo.add"(%a, %a) {sdy.sharding_rule = "x"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected operand 0 of the body to be 'tensor<4x8xf32>', found 'tensor<8x8xf32>'}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%x: tensor<8x8xf32>) {
    sdy.return %x : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected manual_axes of the mesh #sdy.mesh<["a"=2, "b"=4, "c"=6]>, found "z"}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"z"} (%x: tensor<8x8xf32>) {
    sdy.return %x : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected 1 shardings, one for each operand, found 2}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"a"}, {}]>, <@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected 1 shardings, one for each result, found 0}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[] manual_axes={"a"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected manual axes before free ones in dimension 0 of the sharding of operand 0, found #sdy.sharding<@m, [{"b", "a"}, {}]>}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"b","a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected a length that the manual axes divide by 6 for operand 0, found 8}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"c"}, {}]>] out_shardings=[<@m, [{"c"}, {}]>] manual_axes={"c"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
sdy.mesh @n = <["x"=2]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected shardings of one mesh, found #sdy.mesh<["a"=2, "b"=4, "c"=6]> and #sdy.mesh<["x"=2]>}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@n, [{"x"}, {}]>] manual_axes={"a"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
sdy.mesh @n = <["x"=2]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected shardings of one mesh, found #sdy.mesh<["a"=2, "b"=4, "c"=6]> and #sdy.mesh<["x"=2]>}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@n, [{"x"}, {}]>] manual_axes={"a", "x"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{operand 0: expected a mesh of the module, found @q}}
  %0 = sdy.manual_computation(%a) in_shardings=[<@q, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%x: tensor<4x8xf32>) {
    // expected-error@+1 {{expected axes that no sdy.manual_computation around deals with, found "a"}}
    %1 = sdy.manual_computation(%x) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%y: tensor<2x8xf32>) {
    sdy.return %y : tensor<2x8xf32>
  } : (tensor<4x8xf32>) -> tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%x: tensor<4x8xf32>) {
    // expected-error@+1 {{expected axes that no sdy.manual_computation around deals with, found "a"}}
    %1 = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"a"}, {}]>] out_shardings=[<@m, [{"a"}, {}]>] manual_axes={"a"} (%x: tensor<4x8xf32>) {
    // expected-error@+1 {{result 0: expected axes that no sdy.manual_computation around deals with, found "a"}}
    %1 = stablehlo.add %x, %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {}]>]>} : tensor<4x8xf32>
    sdy.return %1 : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

func.func @t() {
  // expected-error@+1 {{expected no manual_axes without shardings, found 1}}
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={"a"} () {
    %0 = stablehlo.constant dense<0> : tensor<i32>
    sdy.return
  } : () -> ()
  return
}

// -----

func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{operand 0: expected a mesh of the module, found @q}}
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@q, [{"a"}, {}]>]  (%x: tensor<8x8xf32>) {
    sdy.return %x : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{operand 0: expected a sharding of rank 2, found 1}}
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@m, [{"a"}]>]  (%x: tensor<8x8xf32>) {
    sdy.return %x : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{expected 1 shardings, one for each operand, found 2}}
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@m, [{"a"}, {}]>, <@m, [{"a"}, {}]>]  (%x: tensor<8x8xf32>) {
    sdy.return %x : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{expected operand 0 of the body to be 'tensor<8x8xf32>', found 'tensor<4x8xf32>'}}
  %0 = sdy.named_computation<"f">(%a)   (%x: tensor<4x8xf32>) {
    sdy.return %x : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{expected result 0 of the body to be 'tensor<4x8xf32>', found 'tensor<8x8xf32>'}}
  %0 = sdy.named_computation<"f">(%a)   (%x: tensor<8x8xf32>) {
    sdy.return %x : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{expected a sharding of rank 2, found 1}}
  %0 = sdy.reshard %a <@m, [{"a"}]> : tensor<8x8xf32>
  return
}

// -----

// expected-error@+1 {{expected sdy.sharding to be #sdy.sharding_per_value, found 1 : i32}}
module attributes {sdy.sharding = 1 : i32} {}

// -----

// expected-error@+1 {{expected sdy.sharding to be #sdy.sharding_per_value, found 1 : i32}}
func.func @t() attributes {sdy.sharding = 1 : i32} { return
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected axes of 2 dimensions, found 1}}
  %0 = sdy.all_gather [{"a"}] %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected an axis of the mesh #sdy.mesh<["a"=2, "b"=4, "c"=6]>, found "z"}}
  %0 = sdy.all_gather [{"z"}, {}] %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected axes that do not overlap, found "a" and "a"}}
  %0 = sdy.all_gather [{"a"}, {"a"}] %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected no dimension of out_sharding to be split along "a"}}
  %0 = sdy.all_gather [{"a"}, {}] %a out_sharding=<@m, [{}, {"a"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected a sharding of rank 2, found 1}}
  %0 = sdy.all_gather [{"a"}, {}] %a out_sharding=<@m, [{}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected out_sharding to split dimension 0 along the axes of the operation last}}
  %0 = sdy.all_slice [{"a"}, {}] %a out_sharding=<@m, [{"a", "b"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected out_sharding to split dimension 1 along the axes of the operation last}}
  %0 = sdy.reduce_scatter [{}, {"b"}] %a out_sharding=<@m, [{"b"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected no dimension of out_sharding to be split along "b"}}
  %0 = sdy.all_reduce {"b"} %a out_sharding=<@m, [{"b"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected a mesh of the module, found @q}}
  %0 = sdy.collective_permute %a out_sharding=<@q, [{"a"}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected dimensions below 2, found 2}}
  %0 = sdy.all_to_all [{"a"}: 0->2] %a out_sharding=<@m, [{}, {"a"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected two dimensions, found 1 twice}}
  %0 = sdy.all_to_all [{"a"}: 1->1] %a out_sharding=<@m, [{}, {"a"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected out_sharding to split dimension 1 along the axes of the operation last}}
  %0 = sdy.all_to_all [{"a"}: 0->1] %a out_sharding=<@m, [{}, {"b"}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected axes that leave a dimension for another, found none}}
  %0 = sdy.all_to_all [] %a out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected a list of axes, found 3 : i64}}
  %0 = "sdy.all_gather"(%a) {gathering_axes = [3, 4], out_sharding = #sdy.sharding<@m, [{}, {}]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @m = <["a"=2,"b"=4,"c"=6]>
func.func @t(%a: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error@+1 {{expected allowed_direction NONE, FORWARD, BACKWARD or BOTH, found "SIDEWAYS"}}
  %0 = "sdy.propagation_barrier"(%a) {allowed_direction = "SIDEWAYS"} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
