// range: 0 4

// A state machine per row: the state and the input choose a row and a column of a table from outside. The second result
// counts, by a branch whose sides are tensors, how often the state stayed.
func.func public @main(%x: tensor<3x11xi32>, %table: tensor<5x5xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %ones = stablehlo.constant dense<[[0], [1]]> : tensor<2x1xi32>
  %0:2 = stablehlo.reduce(%x init: %zero), (%x init: %zero) across dimensions = [1]
    : (tensor<3x11xi32>, tensor<3x11xi32>, tensor<i32>, tensor<i32>) -> (tensor<3xi32>, tensor<3xi32>)
   reducer(%state: tensor<i32>, %in: tensor<i32>) (%stays: tensor<i32>, %unused: tensor<i32>) {
    %cell = stablehlo.dynamic_slice %table, %state, %in, sizes = [1, 1] : (tensor<5x5xi32>, tensor<i32>, tensor<i32>) -> tensor<1x1xi32>
    %next = stablehlo.reshape %cell : (tensor<1x1xi32>) -> tensor<i32>
    %same = stablehlo.compare EQ, %next, %state : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %by = "stablehlo.if"(%same) ({
      %one = stablehlo.slice %ones [1:2, 0:1] : (tensor<2x1xi32>) -> tensor<1x1xi32>
      stablehlo.return %one : tensor<1x1xi32>
    }, {
      %none = stablehlo.slice %ones [0:1, 0:1] : (tensor<2x1xi32>) -> tensor<1x1xi32>
      stablehlo.return %none : tensor<1x1xi32>
    }) : (tensor<i1>) -> tensor<1x1xi32>
    %add = stablehlo.reshape %by : (tensor<1x1xi32>) -> tensor<i32>
    %count = stablehlo.add %stays, %add : tensor<i32>
    stablehlo.return %next, %count : tensor<i32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<3xi32>, tensor<3xi32>
}
