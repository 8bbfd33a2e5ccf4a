// plain
func.func public @main(%base: tensor<128xcomplex<f32>> {tf.aliasing_output = 0 : i32}) -> tensor<128xcomplex<f32>> {
  // As beside, element by element without a schedule.
  %c5 = stablehlo.constant dense<5> : tensor<i32>
  %x = stablehlo.slice %base [0:64] : (tensor<128xcomplex<f32>>) -> tensor<64xcomplex<f32>>
  %y = stablehlo.multiply %x, %x : tensor<64xcomplex<f32>>
  %big2 = stablehlo.dynamic_update_slice %base, %y, %c5 : (tensor<128xcomplex<f32>>, tensor<64xcomplex<f32>>, tensor<i32>) -> tensor<128xcomplex<f32>>
  return %big2 : tensor<128xcomplex<f32>>
}
