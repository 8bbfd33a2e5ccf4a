HloModule jit_f, entry_computation_layout={(f32[4,8]{1,0})->f32[4,8]{1,0}}

ENTRY main.3 {
  Arg_0.1 = f32[4,8]{1,0} parameter(0)
  ROOT tanh.2 = f32[4,8]{1,0} tanh(Arg_0.1)
}
