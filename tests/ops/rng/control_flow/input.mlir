// uniform: 1
// ulp: 1
func.func public @main(%p: tensor<i1>) -> (tensor<3xf32>, tensor<2xi8>, tensor<4xbf16>, tensor<5xi1>, tensor<5xf8E5M2>) {
  %a = stablehlo.constant dense<-1.0> : tensor<f32>
  %b = stablehlo.constant dense<1.0> : tensor<f32>
  %c = stablehlo.constant dense<-7> : tensor<i8>
  %d = stablehlo.constant dense<9> : tensor<i8>
  %e = stablehlo.constant dense<2.0> : tensor<bf16>
  %s3 = stablehlo.constant dense<[3]> : tensor<1xi64>
  %s2 = stablehlo.constant dense<[2]> : tensor<1xi64>
  %s4 = stablehlo.constant dense<[4]> : tensor<1xi64>
  %s5 = stablehlo.constant dense<[5]> : tensor<1xi64>
  %z = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %l = stablehlo.constant dense<3> : tensor<i32>
  %x0 = stablehlo.constant dense<0.0> : tensor<3xf32>
  %w:2 = stablehlo.while(%i = %z, %v = %x0) : tensor<i32>, tensor<3xf32>
  cond {
    %t = stablehlo.compare LT, %i, %l : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %j = stablehlo.add %i, %one : tensor<i32>
    %r = stablehlo.rng %a, %b, %s3, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<3xf32>
    %y = stablehlo.add %v, %r : tensor<3xf32>
    stablehlo.return %j, %y : tensor<i32>, tensor<3xf32>
  }
  %q = "stablehlo.if"(%p) ({
    %r = stablehlo.rng %c, %d, %s2, distribution = UNIFORM : (tensor<i8>, tensor<i8>, tensor<1xi64>) -> tensor<2xi8>
    stablehlo.return %r : tensor<2xi8>
  }, {
    %r = stablehlo.constant dense<1> : tensor<2xi8>
    stablehlo.return %r : tensor<2xi8>
  }) : (tensor<i1>) -> tensor<2xi8>
  %n = stablehlo.rng %e, %e, %s4, distribution = NORMAL : (tensor<bf16>, tensor<bf16>, tensor<1xi64>) -> tensor<4xbf16>
  %f = stablehlo.constant dense<false> : tensor<i1>
  %tr = stablehlo.constant dense<true> : tensor<i1>
  %k = stablehlo.rng %f, %tr, %s5, distribution = UNIFORM : (tensor<i1>, tensor<i1>, tensor<1xi64>) -> tensor<5xi1>
  %g = stablehlo.constant dense<0.0> : tensor<f8E5M2>
  %h = stablehlo.constant dense<1.0> : tensor<f8E5M2>
  %m = stablehlo.rng %g, %h, %s5, distribution = UNIFORM : (tensor<f8E5M2>, tensor<f8E5M2>, tensor<1xi64>) -> tensor<5xf8E5M2>
  return %w#1, %q, %n, %k, %m : tensor<3xf32>, tensor<2xi8>, tensor<4xbf16>, tensor<5xi1>, tensor<5xf8E5M2>
}
