// plain
// absolute: 1e-4
// ulp: 2
// expect: schedule "rows 8x8"
// expect: schedule "rows 8x32"
// expect: schedule "rows 16x4"
func.func public @main(%x0: tensor<35x20xf32>,
    %x1: tensor<35x5xf64>,
    %x2: tensor<35x41xi8>,
    %x3: tensor<35x13xi32>,
    %x4: tensor<35x7xf32>,
    %x5: tensor<35x33xf16>)
    -> (tensor<35xf32>, tensor<35xf64>, tensor<35xi8>, tensor<35xi32>, tensor<35xf32>, tensor<35xf16>) {
  %i0 = stablehlo.constant dense<0.0> : tensor<f32>
  %r0 = stablehlo.reduce(%x0 init: %i0) applies stablehlo.add across dimensions = [1] : (tensor<35x20xf32>, tensor<f32>) -> tensor<35xf32>
  %i1 = stablehlo.constant dense<1.0> : tensor<f64>
  %r1 = stablehlo.reduce(%x1 init: %i1) applies stablehlo.multiply across dimensions = [1] : (tensor<35x5xf64>, tensor<f64>) -> tensor<35xf64>
  %i2 = stablehlo.constant dense<0> : tensor<i8>
  %r2 = stablehlo.reduce(%x2 init: %i2) applies stablehlo.add across dimensions = [1] : (tensor<35x41xi8>, tensor<i8>) -> tensor<35xi8>
  %i3 = stablehlo.constant dense<1> : tensor<i32>
  %r3 = stablehlo.reduce(%x3 init: %i3) applies stablehlo.multiply across dimensions = [1] : (tensor<35x13xi32>, tensor<i32>) -> tensor<35xi32>
  %i4 = stablehlo.constant dense<0.0> : tensor<f32>
  %r4 = stablehlo.reduce(%x4 init: %i4) applies stablehlo.add across dimensions = [1] : (tensor<35x7xf32>, tensor<f32>) -> tensor<35xf32>
  %i5 = stablehlo.constant dense<0.0> : tensor<f16>
  %r5 = stablehlo.reduce(%x5 init: %i5) applies stablehlo.add across dimensions = [1] : (tensor<35x33xf16>, tensor<f16>) -> tensor<35xf16>
  return %r0, %r1, %r2, %r3, %r4, %r5 : tensor<35xf32>, tensor<35xf64>, tensor<35xi8>, tensor<35xi32>, tensor<35xf32>, tensor<35xf16>
}
