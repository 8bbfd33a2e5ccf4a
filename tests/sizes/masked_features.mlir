// sizes: x.1=3
// every: x.1=9
// Normalisation in training of an open number of features.
func.func public @main(%x: tensor<4x?xf32> loc("x"), %scale: tensor<?xf32>, %offset: tensor<?xf32>) -> (tensor<4x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 1.0e-03 : f32, feature_index = 1 : i64}> : (tensor<4x?xf32>, tensor<?xf32>, tensor<?xf32>) -> (tensor<4x?xf32>, tensor<?xf32>, tensor<?xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x?xf32>, tensor<?xf32>, tensor<?xf32>
}
