func.func public @main(%x: tensor<6xi32>, %y: tensor<6xi32>) -> tensor<i32> {
  // The array is read where the loop decides whether it goes on, and nowhere else.
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %most = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<6xi32>
  cond {
    %part = stablehlo.slice %s [4:5] : (tensor<6xi32>) -> tensor<1xi32>
    %element = stablehlo.reshape %part : (tensor<1xi32>) -> tensor<i32>
    %low = stablehlo.compare LT, %element, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %few = stablehlo.compare LT, %i, %most : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %p = stablehlo.and %low, %few : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %y : tensor<i32>, tensor<6xi32>
  }
  return %0#0 : tensor<i32>
}
