// plain
func.func public @main(%x: tensor<5x40xi8>, %y: tensor<2x3x40xui8>, %e: tensor<5xi8>, %p: tensor<5xi8>, %f: tensor<i8>)
    -> (tensor<5x24xf32>, tensor<5x24xf32>, tensor<2x3x24xf32>, tensor<5x24xf32>) {
  // Integers times scales that a call computes: powers of two, so that all sums are exact, and integers give what floats do.
  %three = stablehlo.constant dense<3> : tensor<5xi8>
  %ek = stablehlo.and %e, %three : tensor<5xi8>
  %one = stablehlo.constant dense<1> : tensor<5xi8>
  %pow = stablehlo.shift_left %one, %ek : tensor<5xi8>
  %sf = stablehlo.convert %pow : (tensor<5xi8>) -> tensor<5xf32>
  %eighth = stablehlo.constant dense<0.125> : tensor<5xf32>
  %scale = stablehlo.multiply %sf, %eighth : tensor<5xf32>
  %xf = stablehlo.convert %x : (tensor<5x40xi8>) -> tensor<5x40xf32>
  %w = stablehlo.constant dense<"0xA54DCA182530BB1D6D132CDED6237B2ED91E3F721FCB1971174494D6493C9D5C3460BE31201E69FEDAA0EEE8B9997F5C7C2999FDAFE593253CD654AF4DFAD71427A0AEB3FEE9232F8AF2211F9EE491C5B10BECB5563BFC1E6F93427ECBC8FE2955E5CD8E46DC8ED4B7C2764D2A5A4D767706F85D8690024AD6BDA3401BE9C8CBCCC935F6CD1F61226AE15338AE1A34004D33BA0D246AC04C81B1BAF23E3BF9EEF5F79F2B4934AF87F5520B69B94B0D982E85BB55B672A872637ACD7466FCB60E0E8FF18463B0E4B2BA29703474F064AC68F700F5B02B3DC666F45BDEAA2CCAEDCD2B5157410E4DEE4AF2B34F430A073447DE636C0E806C957BA684D6431FB5EAD7424D09E15D024C5848F23D1FA6F7361D7F618D1532E70E20E2A6668DE7F47E8467E546D53EC8E2A1257BDB256C9B3E4FBB498146EF7030CBF9537252DCCEADD764B6A32FBB09ADEAE109C4A997203975352B878B145C8A42D884CF4CFDA72D8E1D5DD92589082D852A7122873EE805ADD58942167A385286195C679F9C6994E45B8AB1098012070961F37DE436DDFDC99D6E75AF6547CFB11B42072482DC531C2BC3907C9617EB5E5089E40186BAA8A57D119E6FB65D00ABC32AF38E667F022E872D49CC15C90B999B772B4FC7A6FD4C914A16DB4708752B0F1544B835C0E719097DFA8701E9232F21F2812687786976EBFCC327F5931765274BA9829B4406F61FF889326FFA9492EDEEEE3C669F2BF20894EA27E689C66B6B262E4886B8438F39BA76FEF8C90C5101FBE6CF9A48D5B0C0A13DA900A6ADCB3D64069481BE21C9C727B8DB8C188F341A924C7F88DFA161BFDB0ECC682919D2E64692F8194157F1D4AF90988285CF7A9AF7C93D5552266AFE70E7AAE6DA47627C2E59AF2EA37ABC84670AD3C4D36BC08AAD1FFF8EB8406E2F8A7FC4CCE4DD9F0B4110D9F2FA0025C8EFE57F37724F4D37EA2B14004077139B4180DF3932249962C6857200059AEB8EA17CF3787E0ED29D1C0B63FFD7298374D9BD74FC11ADD7B9CA6503952269FD669F6376EE71879737FD5F72F8D51C4AC91B6D0C48D41A1E5EC9E6A0392854A8615EEF109FC1BFA9E2563701288F29B3D73F6AC2B69EDD2C19F264BEE462A5BAF20FD27ECF14C011ED201F836320ADB98BAB1686A28D9801210C7736F3EEC580DCFC43FE5D049B4D78A7A3EBB92865C8517ED02111F6A652DA3524872B6A31D7FFE4587744D5EB783E96968F89BE828565E07E5F7D784E9060A721CA807D7633ED123402F376E5BF1496773D19616326BE5BE5850336B36F13BCAE48166882136805A7D1BE5E9F276810FDF720D033CA4F2E53CB8AD1919DD51A9FB6D4D509"> : tensor<24x40xi8>
  %wf = stablehlo.convert %w : (tensor<24x40xi8>) -> tensor<24x40xf32>
  %ws = stablehlo.constant dense<[0.25, 0.125, 0.5, 0.5, 0.125, 0.0625, 0.5, 0.125, 0.5, 0.0625, 0.0625, 0.5, 2.0, 0.25, 0.5, 0.125, 0.125, 0.0625, 0.0625, 2.0, 0.125, 0.5, 0.0625, 2.0]> : tensor<24xf32>
  %unit = stablehlo.constant dense<1.0> : tensor<24xf32>
  %ws1 = stablehlo.multiply %ws, %unit : tensor<24xf32>
  %wsb = stablehlo.broadcast_in_dim %ws1, dims = [0] : (tensor<24xf32>) -> tensor<24x40xf32>
  %wn = stablehlo.multiply %wf, %wsb : tensor<24x40xf32>
  // A scale and a zero point for each row.
  %pf = stablehlo.convert %p : (tensor<5xi8>) -> tensor<5xf32>
  %pr = stablehlo.reshape %pf : (tensor<5xf32>) -> tensor<5x1xf32>
  %pb = stablehlo.broadcast_in_dim %pr, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x40xf32>
  %xd = stablehlo.subtract %xf, %pb : tensor<5x40xf32>
  %sb = stablehlo.broadcast_in_dim %scale, dims = [0] : (tensor<5xf32>) -> tensor<5x40xf32>
  %xn = stablehlo.multiply %sb, %xd : tensor<5x40xf32>
  %0 = stablehlo.dot_general %xn, %wn, contracting_dims = [1] x [1] : (tensor<5x40xf32>, tensor<24x40xf32>) -> tensor<5x24xf32>
  // A scale for all, and no zero point.
  %one1 = stablehlo.constant dense<1> : tensor<i8>
  %f1 = stablehlo.and %f, %one1 : tensor<i8>
  %f2 = stablehlo.convert %f1 : (tensor<i8>) -> tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %f3 = stablehlo.add %f2, %half : tensor<f32>
  %f4 = stablehlo.subtract %f3, %f2 : tensor<f32>
  %f5 = stablehlo.broadcast_in_dim %f4, dims = [] : (tensor<f32>) -> tensor<5x40xf32>
  %xs = stablehlo.multiply %xf, %f5 : tensor<5x40xf32>
  %1 = stablehlo.dot_general %xs, %wn, contracting_dims = [1] x [1] : (tensor<5x40xf32>, tensor<24x40xf32>) -> tensor<5x24xf32>
  // Bytes without a sign, more dimensions of rows, which are joined, weights of another order.
  %yf = stablehlo.convert %y : (tensor<2x3x40xui8>) -> tensor<2x3x40xf32>
  %yp = stablehlo.slice %p [0:3] : (tensor<5xi8>) -> tensor<3xi8>
  %ypf = stablehlo.convert %yp : (tensor<3xi8>) -> tensor<3xf32>
  %ypb = stablehlo.broadcast_in_dim %ypf, dims = [1] : (tensor<3xf32>) -> tensor<2x3x40xf32>
  %yd = stablehlo.subtract %yf, %ypb : tensor<2x3x40xf32>
  %ys = stablehlo.slice %scale [2:5] : (tensor<5xf32>) -> tensor<3xf32>
  %ysb = stablehlo.broadcast_in_dim %ys, dims = [1] : (tensor<3xf32>) -> tensor<2x3x40xf32>
  %yn = stablehlo.multiply %yd, %ysb : tensor<2x3x40xf32>
  %yr = stablehlo.reshape %yn : (tensor<2x3x40xf32>) -> tensor<6x40xf32>
  %wt = stablehlo.transpose %wn, dims = [1, 0] : (tensor<24x40xf32>) -> tensor<40x24xf32>
  %yy = stablehlo.dot_general %yr, %wt, contracting_dims = [1] x [0] : (tensor<6x40xf32>, tensor<40x24xf32>) -> tensor<6x24xf32>
  %2 = stablehlo.reshape %yy : (tensor<6x24xf32>) -> tensor<2x3x24xf32>
  // Not of integers: a zero point of halves.
  %h5 = stablehlo.constant dense<0.5> : tensor<5xf32>
  %ph5 = stablehlo.multiply %pf, %h5 : tensor<5xf32>
  %ph = stablehlo.broadcast_in_dim %ph5, dims = [0] : (tensor<5xf32>) -> tensor<5x40xf32>
  %xh = stablehlo.subtract %xf, %ph : tensor<5x40xf32>
  %xhs = stablehlo.multiply %xh, %sb : tensor<5x40xf32>
  %3 = stablehlo.dot_general %xhs, %wn, contracting_dims = [1] x [1] : (tensor<5x40xf32>, tensor<24x40xf32>) -> tensor<5x24xf32>
  return %0, %1, %2, %3 : tensor<5x24xf32>, tensor<5x24xf32>, tensor<2x3x24xf32>, tensor<5x24xf32>
}
