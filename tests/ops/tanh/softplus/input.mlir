// ulp: 8
func.func public @main(%xs: tensor<19xf32>, %xd: tensor<13xf64>) -> (tensor<19xf32>, tensor<19xf32>, tensor<13xf64>, tensor<13xf64>) {
  %zeros = stablehlo.constant dense<0.0> : tensor<19xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<19xf32>
  %limits = stablehlo.constant dense<20.0> : tensor<19xf32>
  %ms = stablehlo.maximum %xs, %zeros : tensor<19xf32>
  %ns = stablehlo.compare NE, %xs, %xs : (tensor<19xf32>, tensor<19xf32>) -> tensor<19xi1>
  %ps = stablehlo.add %xs, %zeros : tensor<19xf32>
  %as = stablehlo.abs %xs : tensor<19xf32>
  %gs = stablehlo.negate %as : tensor<19xf32>
  %es = stablehlo.exponential %gs : tensor<19xf32>
  %ls = stablehlo.log_plus_one %es : tensor<19xf32>
  %ss = stablehlo.add %ms, %ls : tensor<19xf32>
  %sps = stablehlo.select %ns, %ps, %ss : tensor<19xi1>, tensor<19xf32>
  %rs = stablehlo.tanh %sps : tensor<19xf32>
  %pes = stablehlo.exponential %xs : tensor<19xf32>
  %pls = stablehlo.log_plus_one %pes : tensor<19xf32>
  %pcs = stablehlo.compare GT, %xs, %limits : (tensor<19xf32>, tensor<19xf32>) -> tensor<19xi1>
  %pss = stablehlo.select %pcs, %xs, %pls : tensor<19xi1>, tensor<19xf32>
  %qs = stablehlo.tanh %pss : tensor<19xf32>
  %zerod = stablehlo.constant dense<0.0> : tensor<13xf64>
  %oned = stablehlo.constant dense<1.0> : tensor<13xf64>
  %limitd = stablehlo.constant dense<20.0> : tensor<13xf64>
  %md = stablehlo.maximum %xd, %zerod : tensor<13xf64>
  %nd = stablehlo.compare NE, %xd, %xd : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
  %pd = stablehlo.add %xd, %zerod : tensor<13xf64>
  %ad = stablehlo.abs %xd : tensor<13xf64>
  %gd = stablehlo.negate %ad : tensor<13xf64>
  %ed = stablehlo.exponential %gd : tensor<13xf64>
  %ld = stablehlo.log_plus_one %ed : tensor<13xf64>
  %sd = stablehlo.add %md, %ld : tensor<13xf64>
  %spd = stablehlo.select %nd, %pd, %sd : tensor<13xi1>, tensor<13xf64>
  %rd = stablehlo.tanh %spd : tensor<13xf64>
  %ped = stablehlo.exponential %xd : tensor<13xf64>
  %pld = stablehlo.log_plus_one %ped : tensor<13xf64>
  %pcd = stablehlo.compare GT, %xd, %limitd : (tensor<13xf64>, tensor<13xf64>) -> tensor<13xi1>
  %psd = stablehlo.select %pcd, %xd, %pld : tensor<13xi1>, tensor<13xf64>
  %qd = stablehlo.tanh %psd : tensor<13xf64>
  return %rs, %qs, %rd, %qd : tensor<19xf32>, tensor<19xf32>, tensor<13xf64>, tensor<13xf64>
}
