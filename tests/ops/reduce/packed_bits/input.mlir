func.func public @main(%x: tensor<512xui8>, %y: tensor<1064xui8>, %z: tensor<768xi1>, %v: tensor<56xui8>) -> (tensor<64xui8>, tensor<133xui8>, tensor<96xui8>, tensor<7xui8>) {
  // Highest bit first, lowest bit first, of booleans; numbers of rows that fill no vector.
  %ai = stablehlo.iota dim = 0 : tensor<8xui8>
  %ar = stablehlo.reverse %ai, dims = [0] : tensor<8xui8>
  %aw = stablehlo.reshape %ar : (tensor<8xui8>) -> tensor<1x8xui8>
  %ab = stablehlo.broadcast_in_dim %aw, dims = [0, 1] : (tensor<1x8xui8>) -> tensor<64x8xui8>
  %ao = stablehlo.constant dense<0> : tensor<512xui8>
  %ap = stablehlo.compare NE, %x, %ao, UNSIGNED : (tensor<512xui8>, tensor<512xui8>) -> tensor<512xi1>
  %ac = stablehlo.convert %ap : (tensor<512xi1>) -> tensor<512xui8>
  %as = stablehlo.reshape %ac : (tensor<512xui8>) -> tensor<64x8xui8>
  %at = stablehlo.shift_left %as, %ab : tensor<64x8xui8>
  %al = stablehlo.convert %at : (tensor<64x8xui8>) -> tensor<64x8xui64>
  %az = stablehlo.constant dense<0> : tensor<ui64>
  %au = stablehlo.reduce(%al init: %az) applies stablehlo.add across dimensions = [1] : (tensor<64x8xui64>, tensor<ui64>) -> tensor<64xui64>
  %a = stablehlo.convert %au : (tensor<64xui64>) -> tensor<64xui8>
  %di = stablehlo.iota dim = 0 : tensor<8xui8>
  %dw = stablehlo.reshape %di : (tensor<8xui8>) -> tensor<1x8xui8>
  %db = stablehlo.broadcast_in_dim %dw, dims = [0, 1] : (tensor<1x8xui8>) -> tensor<133x8xui8>
  %do = stablehlo.constant dense<0> : tensor<1064xui8>
  %dp = stablehlo.compare NE, %y, %do, UNSIGNED : (tensor<1064xui8>, tensor<1064xui8>) -> tensor<1064xi1>
  %dc = stablehlo.convert %dp : (tensor<1064xi1>) -> tensor<1064xui8>
  %ds = stablehlo.reshape %dc : (tensor<1064xui8>) -> tensor<133x8xui8>
  %dt = stablehlo.shift_left %ds, %db : tensor<133x8xui8>
  %dl = stablehlo.convert %dt : (tensor<133x8xui8>) -> tensor<133x8xui64>
  %dz = stablehlo.constant dense<0> : tensor<ui64>
  %du = stablehlo.reduce(%dl init: %dz) applies stablehlo.add across dimensions = [1] : (tensor<133x8xui64>, tensor<ui64>) -> tensor<133xui64>
  %d = stablehlo.convert %du : (tensor<133xui64>) -> tensor<133xui8>
  %gi = stablehlo.iota dim = 0 : tensor<8xui8>
  %gr = stablehlo.reverse %gi, dims = [0] : tensor<8xui8>
  %gw = stablehlo.reshape %gr : (tensor<8xui8>) -> tensor<1x8xui8>
  %gb = stablehlo.broadcast_in_dim %gw, dims = [0, 1] : (tensor<1x8xui8>) -> tensor<96x8xui8>
  %go = stablehlo.constant dense<false> : tensor<768xi1>
  %gp = stablehlo.compare NE, %z, %go, UNSIGNED : (tensor<768xi1>, tensor<768xi1>) -> tensor<768xi1>
  %gc = stablehlo.convert %gp : (tensor<768xi1>) -> tensor<768xui8>
  %gs = stablehlo.reshape %gc : (tensor<768xui8>) -> tensor<96x8xui8>
  %gt = stablehlo.shift_left %gs, %gb : tensor<96x8xui8>
  %gl = stablehlo.convert %gt : (tensor<96x8xui8>) -> tensor<96x8xui64>
  %gz = stablehlo.constant dense<0> : tensor<ui64>
  %gu = stablehlo.reduce(%gl init: %gz) applies stablehlo.add across dimensions = [1] : (tensor<96x8xui64>, tensor<ui64>) -> tensor<96xui64>
  %g = stablehlo.convert %gu : (tensor<96xui64>) -> tensor<96xui8>
  %hi = stablehlo.iota dim = 0 : tensor<8xui8>
  %hr = stablehlo.reverse %hi, dims = [0] : tensor<8xui8>
  %hw = stablehlo.reshape %hr : (tensor<8xui8>) -> tensor<1x8xui8>
  %hb = stablehlo.broadcast_in_dim %hw, dims = [0, 1] : (tensor<1x8xui8>) -> tensor<7x8xui8>
  %ho = stablehlo.constant dense<0> : tensor<56xui8>
  %hp = stablehlo.compare NE, %v, %ho, UNSIGNED : (tensor<56xui8>, tensor<56xui8>) -> tensor<56xi1>
  %hc = stablehlo.convert %hp : (tensor<56xi1>) -> tensor<56xui8>
  %hs = stablehlo.reshape %hc : (tensor<56xui8>) -> tensor<7x8xui8>
  %ht = stablehlo.shift_left %hs, %hb : tensor<7x8xui8>
  %hl = stablehlo.convert %ht : (tensor<7x8xui8>) -> tensor<7x8xui64>
  %hz = stablehlo.constant dense<0> : tensor<ui64>
  %hu = stablehlo.reduce(%hl init: %hz) applies stablehlo.add across dimensions = [1] : (tensor<7x8xui64>, tensor<ui64>) -> tensor<7xui64>
  %h = stablehlo.convert %hu : (tensor<7xui64>) -> tensor<7xui8>
  return %a, %d, %g, %h : tensor<64xui8>, tensor<133xui8>, tensor<96xui8>, tensor<7xui8>
}
