// ulp: 16
func.func public @main(%xs: tensor<19xf32>, %xd: tensor<13xf64>) -> (tensor<19xf32>, tensor<13xf64>) {
  %zeros = stablehlo.constant dense<0.0> : tensor<19xf32>
  %infs = stablehlo.constant dense<0x7F800000> : tensor<19xf32>
  %ms = stablehlo.maximum %xs, %zeros : tensor<19xf32>
  %ns = stablehlo.compare NE, %xs, %xs : (tensor<19xf32>, tensor<19xf32>) -> tensor<19xi1>
  %ps = stablehlo.add %xs, %zeros : tensor<19xf32>
  %as = stablehlo.abs %xs : tensor<19xf32>
  %gs = stablehlo.negate %as : tensor<19xf32>
  %es = stablehlo.exponential %gs : tensor<19xf32>
  %ls = stablehlo.log_plus_one %es : tensor<19xf32>
  %ss = stablehlo.add %ms, %ls : tensor<19xf32>
  %sps = stablehlo.select %ns, %ps, %ss : tensor<19xi1>, tensor<19xf32>
  %cs = stablehlo.compare EQ, %xs, %infs : (tensor<19xf32>, tensor<19xf32>) -> tensor<19xi1>
  %us = stablehlo.select %cs, %zeros, %xs : tensor<19xi1>, tensor<19xf32>
  %hs = stablehlo.compare EQ, %sps, %infs : (tensor<19xf32>, tensor<19xf32>) -> tensor<19xi1>
  %vs = stablehlo.select %hs, %zeros, %sps : tensor<19xi1>, tensor<19xf32>
  %ws = stablehlo.subtract %us, %vs : tensor<19xf32>
  %rs = stablehlo.exponential %ws : tensor<19xf32>
  %zerod = stablehlo.constant dense<0.0> : tensor<13xf64>
  %infd = stablehlo.constant dense<0x7FF0000000000000> : tensor<13xf64>
  %md = stablehlo.maximum %xd, %zerod : tensor<13xf64>
  %nd = stablehlo.compare NE, %xd, %xd : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
  %pd = stablehlo.add %xd, %zerod : tensor<13xf64>
  %ad = stablehlo.abs %xd : tensor<13xf64>
  %gd = stablehlo.negate %ad : tensor<13xf64>
  %ed = stablehlo.exponential %gd : tensor<13xf64>
  %ld = stablehlo.log_plus_one %ed : tensor<13xf64>
  %sd = stablehlo.add %md, %ld : tensor<13xf64>
  %spd = stablehlo.select %nd, %pd, %sd : tensor<13xi1>, tensor<13xf64>
  %cd = stablehlo.compare EQ, %xd, %infd : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
  %ud = stablehlo.select %cd, %zerod, %xd : tensor<13xi1>, tensor<13xf64>
  %hd = stablehlo.compare EQ, %spd, %infd : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
  %vd = stablehlo.select %hd, %zerod, %spd : tensor<13xi1>, tensor<13xf64>
  %wd = stablehlo.subtract %ud, %vd : tensor<13xf64>
  %rd = stablehlo.exponential %wd : tensor<13xf64>
  return %rs, %rd : tensor<19xf32>, tensor<13xf64>
}
