// Tuples and tokens. The file is printed as it is written.
module {
  func.func @f(%arg0: tensor<3xf32>, %arg1: !stablehlo.token) {
    %0 = stablehlo.tuple %arg0, %arg1 : tuple<tensor<3xf32>, !stablehlo.token>
    %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<3xf32>, !stablehlo.token>) -> !stablehlo.token
    %2 = stablehlo.tuple  : tuple<>
    %3 = stablehlo.create_token : !stablehlo.token
    %4 = stablehlo.after_all %arg1, %3 : !stablehlo.token
    %5 = stablehlo.after_all  : !stablehlo.token
    %6:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<3xf32>, !stablehlo.token
    stablehlo.optimization_barrier()
    return
  }
}
