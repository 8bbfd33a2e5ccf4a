// expect: schedule "rows 8x8"
// expect: schedule "rows 8x32"
// expect: schedule "rows 4x16"
func.func public @main(%x0: tensor<35x9xf32>,
    %x1: tensor<35x40xi8>,
    %x2: tensor<35x25xbf16>,
    %x3: tensor<35x37xi16>,
    %x4: tensor<35x70xui8>,
    %x5: tensor<35x7xf64>)
    -> (tensor<35xf32>, tensor<35xi8>, tensor<35xbf16>, tensor<35xi16>, tensor<35xui8>, tensor<35xf64>) {
  %i0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r0 = stablehlo.reduce(%x0 init: %i0) applies stablehlo.maximum across dimensions = [1] : (tensor<35x9xf32>, tensor<f32>) -> tensor<35xf32>
  %i1 = stablehlo.constant dense<-128> : tensor<i8>
  %r1 = stablehlo.reduce(%x1 init: %i1) applies stablehlo.maximum across dimensions = [1] : (tensor<35x40xi8>, tensor<i8>) -> tensor<35xi8>
  %i2 = stablehlo.constant dense<0x7F80> : tensor<bf16>
  %r2 = stablehlo.reduce(%x2 init: %i2) applies stablehlo.minimum across dimensions = [1] : (tensor<35x25xbf16>, tensor<bf16>) -> tensor<35xbf16>
  %i3 = stablehlo.constant dense<0> : tensor<i16>
  %r3 = stablehlo.reduce(%x3 init: %i3) applies stablehlo.xor across dimensions = [1] : (tensor<35x37xi16>, tensor<i16>) -> tensor<35xi16>
  %i4 = stablehlo.constant dense<255> : tensor<ui8>
  %r4 = stablehlo.reduce(%x4 init: %i4) applies stablehlo.minimum across dimensions = [1] : (tensor<35x70xui8>, tensor<ui8>) -> tensor<35xui8>
  %i5 = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
  %r5 = stablehlo.reduce(%x5 init: %i5) applies stablehlo.minimum across dimensions = [1] : (tensor<35x7xf64>, tensor<f64>) -> tensor<35xf64>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<35xf32>, tensor<35xi8>, tensor<35xbf16>, tensor<35xi16>, tensor<35xui8>, tensor<35xf64>
}
