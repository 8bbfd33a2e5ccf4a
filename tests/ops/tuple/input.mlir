func.func public @main(%x: tensor<3xf32>, %y: tensor<2xi32>) -> (tensor<3xf32>, tensor<2xi32>) {
  %t = stablehlo.tuple %x, %y : tuple<tensor<3xf32>, tensor<2xi32>>
  %u = stablehlo.tuple %t, %y : tuple<tuple<tensor<3xf32>, tensor<2xi32>>, tensor<2xi32>>
  %v = stablehlo.get_tuple_element %u[0] : (tuple<tuple<tensor<3xf32>, tensor<2xi32>>, tensor<2xi32>>) -> tuple<tensor<3xf32>, tensor<2xi32>>
  %0 = stablehlo.get_tuple_element %v[0] : (tuple<tensor<3xf32>, tensor<2xi32>>) -> tensor<3xf32>
  %1 = stablehlo.get_tuple_element %u[1] : (tuple<tuple<tensor<3xf32>, tensor<2xi32>>, tensor<2xi32>>) -> tensor<2xi32>
  return %0, %1 : tensor<3xf32>, tensor<2xi32>
}
