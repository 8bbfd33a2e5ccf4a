// plain
func.func public @main(%x: tensor<3x48xi8>, %y: tensor<2x3x48xui8>, %e: tensor<3xi8>, %p: tensor<3xi8>) -> (tensor<3x10xf32>, tensor<2x3x10xf32>) {
  // Weights with a scale for each group of rows: powers of two, so that all sums are exact, and integers give what floats do.
  %three = stablehlo.constant dense<3> : tensor<3xi8>
  %ek = stablehlo.and %e, %three : tensor<3xi8>
  %one = stablehlo.constant dense<1> : tensor<3xi8>
  %pow = stablehlo.shift_left %one, %ek : tensor<3xi8>
  %sf = stablehlo.convert %pow : (tensor<3xi8>) -> tensor<3xf32>
  %eighth = stablehlo.constant dense<0.125> : tensor<3xf32>
  %scale = stablehlo.multiply %sf, %eighth : tensor<3xf32>
  %pf = stablehlo.convert %p : (tensor<3xi8>) -> tensor<3xf32>
  %w = stablehlo.constant dense<"0xA54DCA182530BB1D6D132CDED6237B2ED91E3F721FCB1971174494D6493C9D5C3460BE31201E69FEDAA0EEE8B9997F5C7C2999FDAFE593253CD654AF4DFAD71427A0AEB3FEE9232F8AF2211F9EE491C5B10BECB5563BFC1E6F93427ECBC8FE2955E5CD8E46DC8ED4B7C2764D2A5A4D767706F85D8690024AD6BDA3401BE9C8CBCCC935F6CD1F61226AE15338AE1A34004D33BA0D246AC04C81B1BAF23E3BF9EEF5F79F2B4934AF87F5520B69B94B0D982E85BB55B672A872637ACD7466FCB60E0E8FF18463B0E4B2BA29703474F064AC68F700F5B02B3DC666F45BDEAA2CCAEDCD2B5157410E4DEE4AF2B34F430A073447DE636C0E806C957BA684D6431FB5EAD7424D09E15D024C5848F23D1FA6F7361D7F618D1532E70E20E2A6668DE7F47E8467E546D53EC8E2A1257BDB256C9B3E4FBB498146EF7030CBF9537252DCCEADD764B6A32FBB09ADEAE109C4A997203975352B878B145C8A42D884CF4CFDA72D8E1D5DD92589082D852A7122873EE805ADD58942167A385286195C679F9C6994E45B8AB1098012070961F37DE436DDFDC99D6E75AF6547CFB11B42072482DC531C2BC3907C9617EB5E5089E40186BAA8A57D119E6FB65D00ABC32AF38E667F022E872D49CC15C90B999B772B4FC7A6FD4C914A16DB4708752B0F1544B835C0E7"> : tensor<10x48xi8>
  // As torchao writes it: columns first, three groups, with zero points that are zero.
  %xf = stablehlo.convert %x : (tensor<3x48xi8>) -> tensor<3x48xf32>
  %pb = stablehlo.broadcast_in_dim %pf, dims = [0] : (tensor<3xf32>) -> tensor<3x48xf32>
  %xd = stablehlo.subtract %xf, %pb : tensor<3x48xf32>
  %sb = stablehlo.broadcast_in_dim %scale, dims = [0] : (tensor<3xf32>) -> tensor<3x48xf32>
  %xn = stablehlo.multiply %xd, %sb : tensor<3x48xf32>
  %wr = stablehlo.reshape %w : (tensor<10x48xi8>) -> tensor<10x3x16xi8>
  %wf = stablehlo.convert %wr : (tensor<10x3x16xi8>) -> tensor<10x3x16xf32>
  %z = stablehlo.constant dense<0> : tensor<10x3x1xi8>
  %zf = stablehlo.convert %z : (tensor<10x3x1xi8>) -> tensor<10x3x1xf32>
  %zb = stablehlo.broadcast_in_dim %zf, dims = [0, 1, 2] : (tensor<10x3x1xf32>) -> tensor<10x3x16xf32>
  %wd = stablehlo.subtract %wf, %zb : tensor<10x3x16xf32>
  %ws = stablehlo.constant dense<[[2.0, 0.0625, 0.0625], [2.0, 0.125, 0.5], [0.25, 0.0625, 0.5], [0.0625, 2.0, 2.0], [0.0625, 2.0, 0.0625], [0.5, 0.25, 0.0625], [0.25, 0.125, 0.125], [0.125, 0.5, 0.5], [0.5, 0.0625, 0.5], [0.25, 0.0625, 2.0]]> : tensor<10x3xf32>
  %w1 = stablehlo.reshape %ws : (tensor<10x3xf32>) -> tensor<10x3x1xf32>
  %wb = stablehlo.broadcast_in_dim %w1, dims = [0, 1, 2] : (tensor<10x3x1xf32>) -> tensor<10x3x16xf32>
  %wn = stablehlo.multiply %wd, %wb : tensor<10x3x16xf32>
  %wk = stablehlo.reshape %wn : (tensor<10x3x16xf32>) -> tensor<10x48xf32>
  %wt = stablehlo.transpose %wk, dims = [1, 0] : (tensor<10x48xf32>) -> tensor<48x10xf32>
  %0 = stablehlo.dot_general %xn, %wt, contracting_dims = [1] x [0] : (tensor<3x48xf32>, tensor<48x10xf32>) -> tensor<3x10xf32>
  // Bytes without a sign, more dimensions of rows, rows first, two groups.
  %yf = stablehlo.convert %y : (tensor<2x3x48xui8>) -> tensor<2x3x48xf32>
  %yp = stablehlo.broadcast_in_dim %pf, dims = [1] : (tensor<3xf32>) -> tensor<2x3x48xf32>
  %yd = stablehlo.subtract %yf, %yp : tensor<2x3x48xf32>
  %ys = stablehlo.broadcast_in_dim %scale, dims = [1] : (tensor<3xf32>) -> tensor<2x3x48xf32>
  %yn = stablehlo.multiply %yd, %ys : tensor<2x3x48xf32>
  %vr = stablehlo.reshape %w : (tensor<10x48xi8>) -> tensor<2x24x10xi8>
  %vf = stablehlo.convert %vr : (tensor<2x24x10xi8>) -> tensor<2x24x10xf32>
  %vs = stablehlo.constant dense<[[0.125, 0.0625, 2.0, 0.125, 0.25, 0.25, 0.25, 2.0, 2.0, 0.125], [0.0625, 0.5, 0.0625, 0.5, 0.25, 0.0625, 0.125, 0.5, 0.25, 2.0]]> : tensor<2x10xf32>
  %vb = stablehlo.broadcast_in_dim %vs, dims = [0, 2] : (tensor<2x10xf32>) -> tensor<2x24x10xf32>
  %vn = stablehlo.multiply %vb, %vf : tensor<2x24x10xf32>
  %vk = stablehlo.reshape %vn : (tensor<2x24x10xf32>) -> tensor<48x10xf32>
  %1 = stablehlo.dot_general %yn, %vk, contracting_dims = [2] x [0] : (tensor<2x3x48xf32>, tensor<48x10xf32>) -> tensor<2x3x10xf32>
  return %0, %1 : tensor<3x10xf32>, tensor<2x3x10xf32>
}
