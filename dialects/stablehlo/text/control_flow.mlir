// Control flow. The file is printed as it is written.
module {
  func.func @f(%arg0: tensor<i32>, %arg1: tensor<i1>, %arg2: tensor<3xf32>) {
    %0 = "stablehlo.case"(%arg0) ({
      stablehlo.return %arg2 : tensor<3xf32>
    }, {
      stablehlo.return %arg2 : tensor<3xf32>
    }) : (tensor<i32>) -> tensor<3xf32>
    "stablehlo.if"(%arg1) ({
      stablehlo.return 
    }, {
      stablehlo.return 
    }) : (tensor<i1>) -> ()
    %1:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg2) : tensor<i32>, tensor<3xf32> attributes {mhlo.note = "kept"}
    cond {
      %2 = stablehlo.compare LT, %iterArg, %arg0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      stablehlo.return %iterArg, %iterArg_0 : tensor<i32>, tensor<3xf32>
    }
    return
  }
}
