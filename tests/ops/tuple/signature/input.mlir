func.func public @main(%a: tuple<tensor<3xf32>, tuple<tensor<i32>, tensor<2x0xi8>>>, %t: !stablehlo.token, %b: tensor<3xf32>)
    -> (tensor<3xf32>, tuple<tuple<tensor<i32>, tensor<2x0xi8>>, tensor<3xf32>>) {
  %0 = stablehlo.get_tuple_element %a[0] : (tuple<tensor<3xf32>, tuple<tensor<i32>, tensor<2x0xi8>>>) -> tensor<3xf32>
  %1 = stablehlo.get_tuple_element %a[1] : (tuple<tensor<3xf32>, tuple<tensor<i32>, tensor<2x0xi8>>>) -> tuple<tensor<i32>, tensor<2x0xi8>>
  %2 = stablehlo.add %0, %b : tensor<3xf32>
  %3 = stablehlo.tuple %1, %b : tuple<tuple<tensor<i32>, tensor<2x0xi8>>, tensor<3xf32>>
  return %2, %3 : tensor<3xf32>, tuple<tuple<tensor<i32>, tensor<2x0xi8>>, tensor<3xf32>>
}
