func.func public @main(%x: tensor<i4>, %y: tensor<0x3xf8E5M2>) -> (tensor<i4>, tensor<0x3xf8E5M2>) {
  %0:2 = stablehlo.composite "my.pair" %x, %y {composite_attributes = {scale = 2 : i32}, decomposition = @pair, version = 1 : i32} : (tensor<i4>, tensor<0x3xf8E5M2>) -> (tensor<i4>, tensor<0x3xf8E5M2>)
  return %0#0, %0#1 : tensor<i4>, tensor<0x3xf8E5M2>
}
func.func private @pair(%x: tensor<i4>, %y: tensor<0x3xf8E5M2>) -> (tensor<i4>, tensor<0x3xf8E5M2>) {
  %0 = stablehlo.negate %x : tensor<i4>
  return %0, %y : tensor<i4>, tensor<0x3xf8E5M2>
}
