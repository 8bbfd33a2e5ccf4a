module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 2 : i32} {
  func.func public @main(%x: tensor<4x4xf32>, %g: tensor<5xf32>) -> (tensor<4x4xf32>, tensor<5xf32>) {
    %f = "stablehlo.async_start"(%g) ({
    ^bb0(%a: tensor<5xf32>):
      %1 = "stablehlo.all_reduce"(%a) ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %s = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<5xf32>) -> tensor<5xf32>
      stablehlo.return %1 : tensor<5xf32>
    }) : (tensor<5xf32>) -> !stablehlo.future<tensor<5xf32>>
    %y = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<5xf32>>) -> tensor<5xf32>
    return %y, %r : tensor<4x4xf32>, tensor<5xf32>
  }
}
