// Heat in a rod of which each of 4 partitions has 10 cells: in each step the cells at the borders go to the neighbours. The ends of
// the rod, which nothing is received from, have temperature 0.
module attributes {mhlo.num_replicas = 1 : i32, mhlo.num_partitions = 4 : i32} {
  func.func public @run(%rod: tensor<10xf32>, %steps: tensor<i32>) -> tensor<10xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %rate = stablehlo.constant dense<0.25> : tensor<10xf32>
    %two = stablehlo.constant dense<2.0> : tensor<10xf32>
    %end:2 = stablehlo.while(%i = %zero, %t = %rod) : tensor<i32>, tensor<10xf32>
      cond {
        %more = stablehlo.compare LT, %i, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %more : tensor<i1>
      } do {
        %first = stablehlo.slice %t [0:1] : (tensor<10xf32>) -> tensor<1xf32>
        %last = stablehlo.slice %t [9:10] : (tensor<10xf32>) -> tensor<1xf32>
        %left = "stablehlo.collective_permute"(%last) {source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>,
          channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<1xf32>) -> tensor<1xf32>
        %right = "stablehlo.collective_permute"(%first) {source_target_pairs = dense<[[1, 0], [2, 1], [3, 2]]> : tensor<3x2xi64>,
          channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>} : (tensor<1xf32>) -> tensor<1xf32>
        %inner = stablehlo.slice %t [0:9] : (tensor<10xf32>) -> tensor<9xf32>
        %outer = stablehlo.slice %t [1:10] : (tensor<10xf32>) -> tensor<9xf32>
        %before = stablehlo.concatenate %left, %inner, dim = 0 : (tensor<1xf32>, tensor<9xf32>) -> tensor<10xf32>
        %after = stablehlo.concatenate %outer, %right, dim = 0 : (tensor<9xf32>, tensor<1xf32>) -> tensor<10xf32>
        %both = stablehlo.add %before, %after : tensor<10xf32>
        %twice = stablehlo.multiply %t, %two : tensor<10xf32>
        %bend = stablehlo.subtract %both, %twice : tensor<10xf32>
        %change = stablehlo.multiply %bend, %rate : tensor<10xf32>
        %new = stablehlo.add %t, %change : tensor<10xf32>
        %next = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %next, %new : tensor<i32>, tensor<10xf32>
      }
    return %end#1 : tensor<10xf32>
  }
}
