// Programs that the verifier rejects, one or more for each constraint of the
// host_io family. The comment above a program names the constraint.

// infeed_c1
func.func @test(%t: !stablehlo.token) {
  // expected-error@+1 {{expected at least one result, found none}}
  "stablehlo.infeed"(%t) : (!stablehlo.token) -> ()
  return
}

// -----

// infeed_c2
func.func @test(%t: !stablehlo.token) {
  // expected-error@+1 {{expected tensors before the last result, found '!stablehlo.token'}}
  %r:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----

// infeed_c3
func.func @test(%t: !stablehlo.token) {
  // expected-error@+1 {{expected a token as last result, found 'tensor<3xf32>'}}
  %r = "stablehlo.infeed"(%t) : (!stablehlo.token) -> tensor<3xf32>
  return
}

// -----

// recv_c1
func.func @test(%t: !stablehlo.token) {
  // expected-error@+1 {{expected channel type 3 for a host transfer, found 1}}
  %r = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true} : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

// recv_c2
func.func @test(%t: !stablehlo.token) {
  // expected-error@+1 {{expected at least one result, found none}}
  "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (!stablehlo.token) -> ()
  return
}

// -----

// recv_c4
func.func @test(%t: !stablehlo.token) {
  // expected-error@+1 {{expected a token as last result, found 'tensor<3xf32>'}}
  %r = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (!stablehlo.token) -> tensor<3xf32>
  return
}

// -----

// send_c1
func.func @test(%a: tensor<3xf32>, %t: !stablehlo.token) {
  // expected-error@+1 {{expected channel type 1 without a host transfer, found 2}}
  %r = "stablehlo.send"(%a, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>} : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

// channel_handle: every field
func.func @test(%t: !stablehlo.token) {
  // expected-error@+1 {{expected ','}}
  %r = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<type = 1>} : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

// channel_handle: each field once
func.func @test(%t: !stablehlo.token) {
  // expected-error@+1 {{expected 'handle' and 'type', found 'type' twice}}
  %r = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<type = 1, type = 1>} : (!stablehlo.token) -> !stablehlo.token
  return
}

// -----

// recv_c3
func.func @test(%a: !stablehlo.token) {
  // expected-error@+1 {{expected tensors before the last result, found '!stablehlo.token'}}
  %r:2 = "stablehlo.recv"(%a) {channel_handle = #stablehlo.channel_handle<handle = 0, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}
