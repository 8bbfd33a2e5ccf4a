// plain
func.func public @main(%x: tensor<1x9x7x8xui8>, %y: tensor<2x8x6x5xi8>)
    -> (tensor<1x5x5x16xf32>, tensor<1x19x5x16xf32>, tensor<2x9x6x5xf32>, tensor<2x8x6x5xui8>) {
  // Images and kernels that are integers times scales: all sums are exact, so that what integers give is what floats do. Around an image
  // stands the number zero, which is an integer of its own.
  %xf = stablehlo.convert %x : (tensor<1x9x7x8xui8>) -> tensor<1x9x7x8xf32>
  %xz = stablehlo.constant dense<131.0> : tensor<1x9x7x8xf32>
  %xd = stablehlo.subtract %xf, %xz : tensor<1x9x7x8xf32>
  %xs = stablehlo.constant dense<0.125> : tensor<1x9x7x8xf32>
  %xn = stablehlo.multiply %xd, %xs : tensor<1x9x7x8xf32>
  %k = stablehlo.constant dense<"0x47691C571DFF59473C6460DB8B817A6EF8646ADB724CB6A2C1375C3BAE629494C2AA20A89B41C58DA1B8E3C37B13D4F1A13301D1250C69C90275EA06F9233E92E5DD4ED20E2740D607BA983867B501493E07403CCA3829A962F5DA9817011E208091F1CC145D553A98C37AF4978B9B81351BB636F2531AC4E83B73D1C487FCCC66B1A0CA0A4D07859C33637CFFD480969F8C4FDFF9D19DB586E4C853E654D91EA019987483405F6EA967D9F3B505F693BF2B069A085F0717EFAB87D605F8E7D127E24728FA427071838D5FF71DEC48A7D7CA908DB9B6D230C88E8F95C695A297A13AE6A144B6FEE9E8B99191AC1374B3C3B2E816232C58058A330310983C2473138F538F5FB2317098EEAE13D75F80E7139B82327BB07BDE7D3105D111EDF67FD4B8A97BB52736B04D4AAC588C3EE91B065BD742F76BC0913227CF6625D66D6003F6C02B6CF9E2081ACFCFFE2732D2F827E004B4D4B4E444CDCB1A185E0CE4B7B60FE9466D91864C5FF1176D8BC8034F82FC5C57F5F5DCBF685D2005B256FC4CD0005877698A51DD2785477AB69300EFD2E632B369E873883D2F5269EBDE48BE369C010C434C9F86A656573407B7F21B4DF0486CECD4C2A3E270F3CA34536F16C07035F50840015ADF76810F37FD1A2475785BAB39CE1B459DAB26C7308785EBA41600B3C9F7DF6731CEEA4ED5AE18E57DEDA860BBBC0756F7C7727C9D776FC97BFE7FD483D2246F7E176E3F5A56A6DC388E8A9729B07778C991ED54C02DB03B2E72EB115E2F58009A1415357C4E2A0B30E87CBC29E22219C1AC944C4F994C19B78397E1739E40CBAAEC946AD9B3DC9257B3863CC71E041ADE5791238A5C9B7E94BC574F64A28746CF7353B4AA71ECCD875A8284BEADEFBEC271890DFC66DF993BCAAB167F6B029A90859F87A8471F1FD4799E213C6070D5CABB39D3557445670B2A150F9F2A87CD1E5BFE404640F767118024060958D09513C8CB0C7F31AB7843E6F71E9D4A6EE90284456BAC35A0F74B042474E7E0ECE2AFDC1439374ECCFE967C3FB63E6DA9CF218F300F8AB091E878ED050F5AB164C302932DE6DC41AA8E9A913D6A79A04BBDAE0323F7AD49DD65D13DF8F1D89303349E8E9804779CB3CA2282E51861B571253E0347BF3F7642D661FAC9866FE392D0F0A73FC764B1458BA6672D25F774BB3BC929F19DDC67CA60CC085652FECF8D0A172BD5057BB7226977BACE9DEC7412BD03E73A5D05FAF9B1471454D39D16C988622EC7628012DF385E9451EF0DDCC6DCF5D9E4A8AC7D0CD9E9C6E21DE785A1509C312B107CAE875174C408FFDF3B92D33E823664A4BD36FD24439F15B77D648DC48AFCADF2DDD5B41F008F89B1E305896DFA63B433B0DB970BBF6E7C0FB8BEBE4FC6F4F4CB6C4BD4894757924A9A392D4DFB2B5F244D9B26CB34FF58853AB7DFA3265DE68AF3C7574B68979491080B92B300BE865EF99413B91C31D5BD9E09AB6ECB61BFC31650130CFCAC1368F145E73B6B1B74701E8FFC2AF1E0444A8634D3FA25267B0A11EE179D8BD1A232619F466135B7F3CF552C34C7E70DB07309C153B48252BC7E4BCC550FB842676A13341534484424837F426319DE1BCA5F41F6AD2925FC26E85A858D"> : tensor<3x3x8x16xi8>
  %kf = stablehlo.convert %k : (tensor<3x3x8x16xi8>) -> tensor<3x3x8x16xf32>
  %ks = stablehlo.constant dense<[0.5, 0.125, 2.0, 0.0625, 0.125, 2.0, 0.125, 2.0, 2.0, 0.0625, 2.0, 2.0, 0.0625, 0.0625, 0.0625, 0.125]> : tensor<16xf32>
  %ksb = stablehlo.broadcast_in_dim %ks, dims = [3] : (tensor<16xf32>) -> tensor<3x3x8x16xf32>
  %kn = stablehlo.multiply %kf, %ksb : tensor<3x3x8x16xf32>
  %0 = stablehlo.convolution(%xn, %kn) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 2], [2, 3]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x7x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x5x5x16xf32>
  %1 = stablehlo.convolution(%xn, %kn) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 2], [-1, 1]], lhs_dilate = [2, 1], rhs_dilate = [1, 1], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x7x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x19x5x16xf32>
  // Features first, as PyTorch has them, after a larger border on one side alone.
  %yf = stablehlo.convert %y : (tensor<2x8x6x5xi8>) -> tensor<2x8x6x5xf32>
  %yz = stablehlo.constant dense<-5.0> : tensor<2x8x6x5xf32>
  %yd = stablehlo.subtract %yf, %yz : tensor<2x8x6x5xf32>
  %ys = stablehlo.constant dense<0.5> : tensor<2x8x6x5xf32>
  %yn = stablehlo.multiply %yd, %ys : tensor<2x8x6x5xf32>
  %l = stablehlo.constant dense<"0x94336785A2F5B2513F4DCEE057794D612FAFD739223BA61FD9B8162F57D014EAE053DD9EB634955285811D821B4BB2878FE4D97E08C9E552BECAD0B68EB3A6D77B6F5C9F8625C9F9350DD69008B2A032E266458A9BF04A96619BFAFFF296D1D82183691B56017DA2FC47F1531E4C788BFCACD8D73742DF83144A39BA2B452B4EA1BF5833FD46E16F1130F95F910E8C2ECFFBC2AFE40AC1626FFAD13C34EE4F40EA1873E8F467C305613CFE4EECC0BEAE0A458ECA1F8747ACDAF624E0B7A23918E2A11FADF313C04C10364E6DC30DDA8F3B33538C6CFF4D34"> : tensor<9x8x3x1xi8>
  %lf = stablehlo.convert %l : (tensor<9x8x3x1xi8>) -> tensor<9x8x3x1xf32>
  %ls = stablehlo.constant dense<[0.5, 0.25, 0.125, 0.5, 0.125, 2.0, 0.25, 0.5, 0.0625]> : tensor<9xf32>
  %lsr = stablehlo.reshape %ls : (tensor<9xf32>) -> tensor<9x1x1x1xf32>
  %lsb = stablehlo.broadcast_in_dim %lsr, dims = [0, 1, 2, 3] : (tensor<9x1x1x1xf32>) -> tensor<9x8x3x1xf32>
  %ln = stablehlo.multiply %lf, %lsb : tensor<9x8x3x1xf32>
  %2 = stablehlo.convolution(%yn, %ln) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[2, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x6x5xf32>, tensor<9x8x3x1xf32>) -> tensor<2x9x6x5xf32>
  // A kernel of one pixel, what is added to it, and integers again.
  %m = stablehlo.constant dense<"0x94D25CE51BCF42941FDBF47E025E3280B9129598FDB89323EB30AC5549F10FAE3259622E679BE95BC17AE09605D9D3F805FF9ED6373152AFE71FC6C57977F9FB"> : tensor<8x8x1x1xi8>
  %mf = stablehlo.convert %m : (tensor<8x8x1x1xi8>) -> tensor<8x8x1x1xf32>
  %ms = stablehlo.constant dense<0.25> : tensor<8x8x1x1xf32>
  %mn = stablehlo.multiply %mf, %ms : tensor<8x8x1x1xf32>
  %3 = stablehlo.convolution(%yn, %mn) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x6x5xf32>, tensor<8x8x1x1xf32>) -> tensor<2x8x6x5xf32>
  %4 = stablehlo.add %3, %yn : tensor<2x8x6x5xf32>
  %s = stablehlo.constant dense<0.015625> : tensor<2x8x6x5xf32>
  %5 = stablehlo.multiply %4, %s : tensor<2x8x6x5xf32>
  %6 = stablehlo.round_nearest_even %5 : tensor<2x8x6x5xf32>
  %low = stablehlo.constant dense<0.0> : tensor<f32>
  %high = stablehlo.constant dense<255.0> : tensor<f32>
  %7 = stablehlo.clamp %low, %6, %high : (tensor<f32>, tensor<2x8x6x5xf32>, tensor<f32>) -> tensor<2x8x6x5xf32>
  %8 = stablehlo.convert %7 : (tensor<2x8x6x5xf32>) -> tensor<2x8x6x5xui8>
  return %0, %1, %2, %8 : tensor<1x5x5x16xf32>, tensor<1x19x5x16xf32>, tensor<2x9x6x5xf32>, tensor<2x8x6x5xui8>
}
