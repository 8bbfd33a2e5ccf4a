#loc1 = loc("/site-packages/equinox/_errors.py":120:11)
#loc2 = loc("main.py":4:8)
#loc3 = loc("error_if"(#loc1))
#loc4 = loc("f"(#loc2))
#loc5 = loc(callsite(#loc3 at #loc4))
func.func public @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {mhlo.backend_config = {index = 0 : ui64}, has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32> loc(#loc5)
  return %0 : tensor<4xf32>
}
