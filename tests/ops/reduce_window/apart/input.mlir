func.func public @main(%x0: tensor<1x7x9x17xf32>, %x1: tensor<2x8x7x16xf32>, %x2: tensor<6x5x7x3xf32>, %x3: tensor<1x9x8x5xui8>, %x4: tensor<1x12x11x9xf64>, %x5: tensor<1x7x7x8xbf16>, %x7: tensor<1x0x7x8xf32>) -> (tensor<1x7x9x17xf32>, tensor<2x4x3x16xf32>, tensor<5x5x7x3xf32>, tensor<1x9x15x5xui8>, tensor<1x5x13x6xf64>, tensor<1x7x7x8xbf16>, tensor<1x0x7x8xf32>) {
  %c0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %r0 = "stablehlo.reduce_window"(%x0, %c0) <{window_dimensions = array<i64: 1, 5, 5, 1>, window_strides = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [2, 2], [2, 2], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<1x7x9x17xf32>, tensor<f32>) -> tensor<1x7x9x17xf32>
  %c1 = stablehlo.constant dense<0.5> : tensor<f32>
  %r1 = "stablehlo.reduce_window"(%x1, %c1) <{window_dimensions = array<i64: 1, 5, 5, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [1, 2], [2, 0], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.minimum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<2x8x7x16xf32>, tensor<f32>) -> tensor<2x4x3x16xf32>
  %c2 = stablehlo.constant dense<-0.0> : tensor<f32>
  %r2 = "stablehlo.reduce_window"(%x2, %c2) <{window_dimensions = array<i64: 4, 5, 5, 1>, window_strides = array<i64: 1, 1, 1, 1>, padding = dense<[[1, 1], [2, 2], [2, 2], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<6x5x7x3xf32>, tensor<f32>) -> tensor<5x5x7x3xf32>
  %c3 = stablehlo.constant dense<250> : tensor<ui8>
  %r3 = "stablehlo.reduce_window"(%x3, %c3) <{window_dimensions = array<i64: 1, 3, 5, 1>, window_strides = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [2, 2], [4, 4], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 2, 2, 1>, base_dilations = array<i64: 1, 1, 2, 1>}> ({
  ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
    %1 = stablehlo.minimum %a, %b : tensor<ui8>
    stablehlo.return %1 : tensor<ui8>
  }) : (tensor<1x9x8x5xui8>, tensor<ui8>) -> tensor<1x9x15x5xui8>
  %c4 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %r4 = "stablehlo.reduce_window"(%x4, %c4) <{window_dimensions = array<i64: 1, 6, 6, 1>, window_strides = array<i64: 1, 3, 1, 2>, padding = dense<[[0, 0], [7, 0], [0, 7], [1, 1]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %1 = stablehlo.maximum %a, %b : tensor<f64>
    stablehlo.return %1 : tensor<f64>
  }) : (tensor<1x12x11x9xf64>, tensor<f64>) -> tensor<1x5x13x6xf64>
  %c5 = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %r5 = "stablehlo.reduce_window"(%x5, %c5) <{window_dimensions = array<i64: 1, 5, 5, 1>, window_strides = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [2, 2], [2, 2], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %1 = stablehlo.maximum %a, %b : tensor<bf16>
    stablehlo.return %1 : tensor<bf16>
  }) : (tensor<1x7x7x8xbf16>, tensor<bf16>) -> tensor<1x7x7x8xbf16>
  %c7 = stablehlo.constant dense<1.0> : tensor<f32>
  %r7 = "stablehlo.reduce_window"(%x7, %c7) <{window_dimensions = array<i64: 1, 5, 5, 1>, window_strides = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [2, 2], [2, 2], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<1x0x7x8xf32>, tensor<f32>) -> tensor<1x0x7x8xf32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r7 : tensor<1x7x9x17xf32>, tensor<2x4x3x16xf32>, tensor<5x5x7x3xf32>, tensor<1x9x15x5xui8>, tensor<1x5x13x6xf64>, tensor<1x7x7x8xbf16>, tensor<1x0x7x8xf32>
}
