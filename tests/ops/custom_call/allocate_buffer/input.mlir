// uniform: 1
func.func public @main(%x: tensor<1x2xi32>) -> (tensor<3x2xi32>, tensor<2xcomplex<f32>>) {
  // What `jax.lax.empty` becomes: any elements would be right.
  %zero = stablehlo.constant dense<1> : tensor<i32>
  %0 = stablehlo.custom_call @AllocateBuffer() : () -> tensor<3x2xi32>
  %1 = stablehlo.dynamic_update_slice %0, %x, %zero, %zero : (tensor<3x2xi32>, tensor<1x2xi32>, tensor<i32>, tensor<i32>) -> tensor<3x2xi32>
  %2 = stablehlo.custom_call @AllocateBuffer() : () -> tensor<2xcomplex<f32>>
  return %1, %2 : tensor<3x2xi32>, tensor<2xcomplex<f32>>
}
