// range: -3 9

// Each element chooses from a table, beyond whose ends the nearest entry counts; a case has tensors for branches.
func.func public @main(%x: tensor<3x5xi32>, %table: tensor<7xf32>) -> (tensor<3x5xf32>, tensor<3x5xi32>) {
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%i: tensor<i32>):
    %entry = stablehlo.dynamic_slice %table, %i, sizes = [1] : (tensor<7xf32>, tensor<i32>) -> tensor<1xf32>
    %value = stablehlo.reshape %entry : (tensor<1xf32>) -> tensor<f32>
    stablehlo.return %value : tensor<f32>
  }) : (tensor<3x5xi32>) -> tensor<3x5xf32>
  %1 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%i: tensor<i32>):
    %all = "stablehlo.case"(%i) ({
      %some = stablehlo.constant dense<[5, 6, 7]> : tensor<3xi32>
      stablehlo.return %some : tensor<3xi32>
    }, {
      %some = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<3xi32>
      stablehlo.return %some : tensor<3xi32>
    }, {
      %some = stablehlo.iota dim = 0 : tensor<3xi32>
      stablehlo.return %some : tensor<3xi32>
    }) : (tensor<i32>) -> tensor<3xi32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %sum = stablehlo.reduce(%all init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<3x5xi32>) -> tensor<3x5xi32>
  return %0, %1 : tensor<3x5xf32>, tensor<3x5xi32>
}
