func.func private @before(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func public @main(%x: tensor<3x7xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>) {
  %i = stablehlo.iota dim = 1 : tensor<3x7xi32>
  %a = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %b = stablehlo.constant dense<-1> : tensor<i32>
  %0:2 = stablehlo.custom_call @ApproxTopK(%x, %i, %a, %b) {called_computations = [@before], mhlo.backend_config = {aggregate_to_topk = true, is_fallback = true, recall_target = 0.9 : f32, reduction_dim = 1 : i64, reduction_input_size_override = -1 : i64, top_k = 2 : i64}} : (tensor<3x7xf32>, tensor<3x7xi32>, tensor<f32>, tensor<i32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return %0#0, %0#1 : tensor<3x2xf32>, tensor<3x2xi32>
}
