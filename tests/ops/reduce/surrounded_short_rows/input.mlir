// plain
// absolute: 1e-5

// Short rows with a reduction and what surrounds it: several at a time, the last of which are fewer, and blocks of those that are shorter.
func.func public @main(%a: tensor<131x3xf32>, %b: tensor<19x7xf32>, %c: tensor<67x12xf32>, %d: tensor<3x5x15xf32>, %e: tensor<9x24xf32>, %f: tensor<11x5xf64>, %g: tensor<8x8xf32>, %h: tensor<21x7xi32>) -> (tensor<131x3xf32>, tensor<19x7xf32>, tensor<67x12xf32>, tensor<3x5x15xf32>, tensor<9x24xf32>, tensor<11x5xf64>, tensor<8x8xf32>, tensor<21x7xi32>) {
  %leastf32 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zerof32 = stablehlo.constant dense<0.0> : tensor<f32>
  %leastf64 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
  %zerof64 = stablehlo.constant dense<0.0> : tensor<f64>
  %leasti32 = stablehlo.constant dense<-2147483648> : tensor<i32>
  %am = stablehlo.reduce(%a init: %leastf32) applies stablehlo.maximum across dimensions = [1] : (tensor<131x3xf32>, tensor<f32>) -> tensor<131xf32>
  %ab = stablehlo.broadcast_in_dim %am, dims = [0] : (tensor<131xf32>) -> tensor<131x3xf32>
  %ad = stablehlo.subtract %a, %ab : tensor<131x3xf32>
  %ae = stablehlo.exponential %ad : tensor<131x3xf32>
  %as = stablehlo.reduce(%ae init: %zerof32) applies stablehlo.add across dimensions = [1] : (tensor<131x3xf32>, tensor<f32>) -> tensor<131xf32>
  %al = stablehlo.log %as : tensor<131xf32>
  %ar = stablehlo.broadcast_in_dim %al, dims = [0] : (tensor<131xf32>) -> tensor<131x3xf32>
  %ao = stablehlo.subtract %ad, %ar : tensor<131x3xf32>
  %bm = stablehlo.reduce(%b init: %leastf32) applies stablehlo.maximum across dimensions = [1] : (tensor<19x7xf32>, tensor<f32>) -> tensor<19xf32>
  %bb = stablehlo.broadcast_in_dim %bm, dims = [0] : (tensor<19xf32>) -> tensor<19x7xf32>
  %bd = stablehlo.subtract %b, %bb : tensor<19x7xf32>
  %be = stablehlo.exponential %bd : tensor<19x7xf32>
  %bs = stablehlo.reduce(%be init: %zerof32) applies stablehlo.add across dimensions = [1] : (tensor<19x7xf32>, tensor<f32>) -> tensor<19xf32>
  %bl = stablehlo.log %bs : tensor<19xf32>
  %br = stablehlo.broadcast_in_dim %bl, dims = [0] : (tensor<19xf32>) -> tensor<19x7xf32>
  %bo = stablehlo.subtract %bd, %br : tensor<19x7xf32>
  %cm = stablehlo.reduce(%c init: %leastf32) applies stablehlo.maximum across dimensions = [1] : (tensor<67x12xf32>, tensor<f32>) -> tensor<67xf32>
  %cb = stablehlo.broadcast_in_dim %cm, dims = [0] : (tensor<67xf32>) -> tensor<67x12xf32>
  %cd = stablehlo.subtract %c, %cb : tensor<67x12xf32>
  %ce = stablehlo.exponential %cd : tensor<67x12xf32>
  %cs = stablehlo.reduce(%ce init: %zerof32) applies stablehlo.add across dimensions = [1] : (tensor<67x12xf32>, tensor<f32>) -> tensor<67xf32>
  %cl = stablehlo.log %cs : tensor<67xf32>
  %cr = stablehlo.broadcast_in_dim %cl, dims = [0] : (tensor<67xf32>) -> tensor<67x12xf32>
  %co = stablehlo.subtract %cd, %cr : tensor<67x12xf32>
  %dm = stablehlo.reduce(%d init: %leastf32) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x15xf32>, tensor<f32>) -> tensor<3x5xf32>
  %db = stablehlo.broadcast_in_dim %dm, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x15xf32>
  %dd = stablehlo.subtract %d, %db : tensor<3x5x15xf32>
  %de = stablehlo.exponential %dd : tensor<3x5x15xf32>
  %ds = stablehlo.reduce(%de init: %zerof32) applies stablehlo.add across dimensions = [2] : (tensor<3x5x15xf32>, tensor<f32>) -> tensor<3x5xf32>
  %dl = stablehlo.log %ds : tensor<3x5xf32>
  %dr = stablehlo.broadcast_in_dim %dl, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x15xf32>
  %do = stablehlo.subtract %dd, %dr : tensor<3x5x15xf32>
  %em = stablehlo.reduce(%e init: %leastf32) applies stablehlo.maximum across dimensions = [1] : (tensor<9x24xf32>, tensor<f32>) -> tensor<9xf32>
  %eb = stablehlo.broadcast_in_dim %em, dims = [0] : (tensor<9xf32>) -> tensor<9x24xf32>
  %ed = stablehlo.subtract %e, %eb : tensor<9x24xf32>
  %ee = stablehlo.exponential %ed : tensor<9x24xf32>
  %es = stablehlo.reduce(%ee init: %zerof32) applies stablehlo.add across dimensions = [1] : (tensor<9x24xf32>, tensor<f32>) -> tensor<9xf32>
  %el = stablehlo.log %es : tensor<9xf32>
  %er = stablehlo.broadcast_in_dim %el, dims = [0] : (tensor<9xf32>) -> tensor<9x24xf32>
  %eo = stablehlo.subtract %ed, %er : tensor<9x24xf32>
  %fm = stablehlo.reduce(%f init: %leastf64) applies stablehlo.maximum across dimensions = [1] : (tensor<11x5xf64>, tensor<f64>) -> tensor<11xf64>
  %fb = stablehlo.broadcast_in_dim %fm, dims = [0] : (tensor<11xf64>) -> tensor<11x5xf64>
  %fd = stablehlo.subtract %f, %fb : tensor<11x5xf64>
  %fe = stablehlo.exponential %fd : tensor<11x5xf64>
  %fs = stablehlo.reduce(%fe init: %zerof64) applies stablehlo.add across dimensions = [1] : (tensor<11x5xf64>, tensor<f64>) -> tensor<11xf64>
  %fl = stablehlo.log %fs : tensor<11xf64>
  %fr = stablehlo.broadcast_in_dim %fl, dims = [0] : (tensor<11xf64>) -> tensor<11x5xf64>
  %fo = stablehlo.subtract %fd, %fr : tensor<11x5xf64>
  %gm = stablehlo.reduce(%g init: %leastf32) applies stablehlo.maximum across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %gb = stablehlo.broadcast_in_dim %gm, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  %gd = stablehlo.subtract %g, %gb : tensor<8x8xf32>
  %ge = stablehlo.exponential %gd : tensor<8x8xf32>
  %gs = stablehlo.reduce(%ge init: %zerof32) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %gl = stablehlo.log %gs : tensor<8xf32>
  %gr = stablehlo.broadcast_in_dim %gl, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  %go = stablehlo.subtract %gd, %gr : tensor<8x8xf32>
  %hm = stablehlo.reduce(%h init: %leasti32) applies stablehlo.maximum across dimensions = [1] : (tensor<21x7xi32>, tensor<i32>) -> tensor<21xi32>
  %hb = stablehlo.broadcast_in_dim %hm, dims = [0] : (tensor<21xi32>) -> tensor<21x7xi32>
  %ho = stablehlo.subtract %hb, %h : tensor<21x7xi32>
  return %ao, %bo, %co, %do, %eo, %fo, %go, %ho : tensor<131x3xf32>, tensor<19x7xf32>, tensor<67x12xf32>, tensor<3x5x15xf32>, tensor<9x24xf32>, tensor<11x5xf64>, tensor<8x8xf32>, tensor<21x7xi32>
}
