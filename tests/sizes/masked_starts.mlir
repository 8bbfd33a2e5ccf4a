// sizes: x.0=3
// open: x.0=17
// Initial values that are no neutral elements: of reductions by one operation or by none, and of windows.
func.func public @main(%x: tensor<?x3xf32> loc("x"), %s: tensor<f32>) -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<?x3xi32>, tensor<?x3xf32>, tensor<?x3xi32>) {
  %n = stablehlo.convert %x : (tensor<?x3xf32>) -> tensor<?x3xi32>
  %c1 = stablehlo.constant dense<10> : tensor<i32>
  %r0 = stablehlo.reduce(%n init: %c1) applies stablehlo.add across dimensions = [0] : (tensor<?x3xi32>, tensor<i32>) -> tensor<3xi32>
  %c2 = stablehlo.constant dense<3> : tensor<i32>
  %r1 = stablehlo.reduce(%n init: %c2) applies stablehlo.multiply across dimensions = [0] : (tensor<?x3xi32>, tensor<i32>) -> tensor<3xi32>
  %c3 = stablehlo.constant dense<7> : tensor<i32>
  %r2 = stablehlo.reduce(%n init: %c3) applies stablehlo.xor across dimensions = [0] : (tensor<?x3xi32>, tensor<i32>) -> tensor<3xi32>
  %c4 = stablehlo.constant dense<6> : tensor<i32>
  %r3 = stablehlo.reduce(%n init: %c4) applies stablehlo.and across dimensions = [0] : (tensor<?x3xi32>, tensor<i32>) -> tensor<3xi32>
  %c5 = stablehlo.constant dense<9> : tensor<i32>
  %r4 = stablehlo.reduce(%n init: %c5) applies stablehlo.or across dimensions = [0] : (tensor<?x3xi32>, tensor<i32>) -> tensor<3xi32>
  %c6 = stablehlo.constant dense<5> : tensor<i32>
  %r5 = stablehlo.reduce(%n init: %c6) applies stablehlo.maximum across dimensions = [0] : (tensor<?x3xi32>, tensor<i32>) -> tensor<3xi32>
  %c7 = stablehlo.constant dense<-2> : tensor<i32>
  %r6 = stablehlo.reduce(%n init: %c7) applies stablehlo.minimum across dimensions = [0] : (tensor<?x3xi32>, tensor<i32>) -> tensor<3xi32>
  %r7 = stablehlo.reduce(%x init: %s) applies stablehlo.maximum across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %r8 = stablehlo.reduce(%x init: %s) applies stablehlo.minimum across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %c8 = stablehlo.constant dense<-1.5> : tensor<f32>
  %r9 = stablehlo.reduce(%x init: %c8) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %c = stablehlo.cosine %x : tensor<?x3xf32>
  %c9 = stablehlo.constant dense<0.5> : tensor<f32>
  %r10 = stablehlo.reduce(%c init: %c9) applies stablehlo.multiply across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %abs = stablehlo.abs %x : tensor<?x3xf32>
  %minus = stablehlo.negate %abs : tensor<?x3xf32>
  %c10 = stablehlo.constant dense<0.0> : tensor<f32>
  %r11 = stablehlo.reduce(%minus init: %c10) applies stablehlo.minimum across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %one = stablehlo.constant dense<1.0> : tensor<3xf32>
  %signs = stablehlo.divide %one, %r11 : tensor<3xf32>
  %t = stablehlo.compare GT, %c, %c, FLOAT : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xi1>
  %u = stablehlo.not %t : tensor<?x3xi1>
  %c11 = stablehlo.constant dense<true> : tensor<i1>
  %r12 = stablehlo.reduce(%t init: %c11) applies stablehlo.add across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c12 = stablehlo.constant dense<false> : tensor<i1>
  %r13 = stablehlo.reduce(%t init: %c12) applies stablehlo.add across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c13 = stablehlo.constant dense<true> : tensor<i1>
  %r14 = stablehlo.reduce(%t init: %c13) applies stablehlo.multiply across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c14 = stablehlo.constant dense<false> : tensor<i1>
  %r15 = stablehlo.reduce(%t init: %c14) applies stablehlo.multiply across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c15 = stablehlo.constant dense<true> : tensor<i1>
  %r16 = stablehlo.reduce(%t init: %c15) applies stablehlo.and across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c16 = stablehlo.constant dense<false> : tensor<i1>
  %r17 = stablehlo.reduce(%t init: %c16) applies stablehlo.and across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c17 = stablehlo.constant dense<true> : tensor<i1>
  %r18 = stablehlo.reduce(%t init: %c17) applies stablehlo.or across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c18 = stablehlo.constant dense<false> : tensor<i1>
  %r19 = stablehlo.reduce(%t init: %c18) applies stablehlo.or across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c19 = stablehlo.constant dense<true> : tensor<i1>
  %r20 = stablehlo.reduce(%t init: %c19) applies stablehlo.xor across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c20 = stablehlo.constant dense<false> : tensor<i1>
  %r21 = stablehlo.reduce(%t init: %c20) applies stablehlo.xor across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c21 = stablehlo.constant dense<true> : tensor<i1>
  %r22 = stablehlo.reduce(%u init: %c21) applies stablehlo.add across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c22 = stablehlo.constant dense<false> : tensor<i1>
  %r23 = stablehlo.reduce(%u init: %c22) applies stablehlo.add across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c23 = stablehlo.constant dense<true> : tensor<i1>
  %r24 = stablehlo.reduce(%u init: %c23) applies stablehlo.multiply across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c24 = stablehlo.constant dense<false> : tensor<i1>
  %r25 = stablehlo.reduce(%u init: %c24) applies stablehlo.multiply across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c25 = stablehlo.constant dense<true> : tensor<i1>
  %r26 = stablehlo.reduce(%u init: %c25) applies stablehlo.and across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c26 = stablehlo.constant dense<false> : tensor<i1>
  %r27 = stablehlo.reduce(%u init: %c26) applies stablehlo.and across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c27 = stablehlo.constant dense<true> : tensor<i1>
  %r28 = stablehlo.reduce(%u init: %c27) applies stablehlo.or across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c28 = stablehlo.constant dense<false> : tensor<i1>
  %r29 = stablehlo.reduce(%u init: %c28) applies stablehlo.or across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c29 = stablehlo.constant dense<true> : tensor<i1>
  %r30 = stablehlo.reduce(%u init: %c29) applies stablehlo.xor across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c30 = stablehlo.constant dense<false> : tensor<i1>
  %r31 = stablehlo.reduce(%u init: %c30) applies stablehlo.xor across dimensions = [0] : (tensor<?x3xi1>, tensor<i1>) -> tensor<3xi1>
  %c31 = stablehlo.constant dense<4> : tensor<i32>
  %r32 = stablehlo.reduce(%n init: %c31) across dimensions = [0] : (tensor<?x3xi32>, tensor<i32>) -> tensor<3xi32>
    reducer(%a: tensor<i32>, %b: tensor<i32>) {
      stablehlo.return %b : tensor<i32>
    }
  %c32 = stablehlo.constant dense<4> : tensor<i32>
  %r33 = stablehlo.reduce(%n init: %c32) across dimensions = [0] : (tensor<?x3xi32>, tensor<i32>) -> tensor<3xi32>
    reducer(%a: tensor<i32>, %b: tensor<i32>) {
      stablehlo.return %a : tensor<i32>
    }
  %c33 = stablehlo.constant dense<4> : tensor<i32>
  %r34 = stablehlo.reduce(%n init: %c33) across dimensions = [0] : (tensor<?x3xi32>, tensor<i32>) -> tensor<3xi32>
    reducer(%a: tensor<i32>, %b: tensor<i32>) {
      %sum = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %a : tensor<i32>
    }
  %c34 = stablehlo.constant dense<4> : tensor<i32>
  %r35 = stablehlo.reduce(%n init: %c34) across dimensions = [0] : (tensor<?x3xi32>, tensor<i32>) -> tensor<3xi32>
    reducer(%a: tensor<i32>, %b: tensor<i32>) {
      %sum = stablehlo.add %a, %a : tensor<i32>
      stablehlo.return %b : tensor<i32>
    }
  %w0 = stablehlo.constant dense<10> : tensor<i32>
  %w1 = "stablehlo.reduce_window"(%n, %w0) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %sum = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %sum : tensor<i32>
  }) {window_dimensions = array<i64: 3, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>} : (tensor<?x3xi32>, tensor<i32>) -> tensor<?x3xi32>
  %w2 = stablehlo.constant dense<0.5> : tensor<f32>
  %w3:2 = "stablehlo.reduce_window"(%c, %n, %w2, %w0) ({
    ^bb0(%a: tensor<f32>, %p: tensor<i32>, %b: tensor<f32>, %q: tensor<i32>):
      %first = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %most = stablehlo.select %first, %a, %b : tensor<i1>, tensor<f32>
      %sum = stablehlo.add %p, %q : tensor<i32>
      stablehlo.return %most, %sum : tensor<f32>, tensor<i32>
  }) {window_dimensions = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>} : (tensor<?x3xf32>, tensor<?x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<?x3xf32>, tensor<?x3xi32>)
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %signs, %r12, %r13, %r14, %r15, %r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31, %r32, %r33, %r34, %r35, %w1, %w3#0, %w3#1 : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<?x3xi32>, tensor<?x3xf32>, tensor<?x3xi32>
}
