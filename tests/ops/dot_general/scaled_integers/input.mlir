// plain
func.func public @main(%x: tensor<5x40xui8>, %y: tensor<5x40xi8>, %z: tensor<40x24xi8>, %v: tensor<2x6x16xi8>, %u: tensor<2x16x10xui8>)
    -> (tensor<5x24xf32>, tensor<5x24xf32>, tensor<2x6x10xf32>, tensor<5x24xf32>, tensor<5x5xf32>) {
  // Numbers that are integers times scales: all sums are exact, so that what integers give is what floats do.
  // As PyTorch writes a linear layer: a scale and a zero point for each feature, weights transposed.
  %xf = stablehlo.convert %x : (tensor<5x40xui8>) -> tensor<5x40xf32>
  %xz = stablehlo.constant dense<3.0> : tensor<f32>
  %xzb = stablehlo.broadcast_in_dim %xz, dims = [] : (tensor<f32>) -> tensor<5x40xf32>
  %xd = stablehlo.subtract %xf, %xzb : tensor<5x40xf32>
  %xs = stablehlo.constant dense<0.25> : tensor<5x40xf32>
  %xn = stablehlo.multiply %xd, %xs : tensor<5x40xf32>
  %w = stablehlo.constant dense<"0x25CD4A98A5B03B9DED93AC5E56A3FBAE599EBFF29F4B99F197C41456C9BC1DDCB4E03EB1A09EE97E5A206E683919FFDCFCA9197D2F6513A5BC56D42FCD7A5794A7202E337E69A3AF0A72A19F1E641145318B6C35D6BB7C9EEF13C2FE4B487EA9D5654D0EC65C0E543742F6CDAADACDF6F78678DD061082CA563D23C09B69484B4C49B5764D9FE1A2EA61D3B82E9AB480CDB33A8DA4EA40CC01313A72BEBB796E75771FABC9B42F0775D28BE939CB8D18AE053BD536F228F2E3FA4DF4E67C368E8E0F7104E33064323AA9F0B4F470E42CE877807530ABBD46E674DB5E2AAC4A6D4DABD1D7C18ECD6ECA7233CFC38A87B4C75EE3EC8E00EC15FB260456C39F356A57C2CD8961DD82CCD8C872BD9F2677B69DFFE10D95B2678EA06226E60D6774FE04E765C655BE486221A5FB5BA5EC1BBECF3BC901C66FF0B04B79D3F2D25C4E2D57E43623AF3B892D6A6189442917A0B9F5B5AB070B94DC0AC258044FCC7D27AD0E9DDD59A50988AD05AAF1A207BE68852D5509C296FAB8D20699DCE71F1CE91464DB0A318900928789E173FD64B65D7D491DEEF52FE5C74F319BC287A4025CD39CAB4310FC16976BDED0096481063A2825FD911EEF36DD802B43AA730EE6FF82AE07ADC94C95498B191BF7ABCF47267DCC11CA965BC788F5AB8F95C438B540679989FD7A078169A3AFA17201A607F8E9F66B7C43A7751397E5A7CB29021BC486769F7809B2EF7A14126D6E6EBCE61FAB7288146AA7660946EBEBA6AEC80638C30FB93AF67E78498CD1817B664F1AC855304021BD2980262D4BBDE48614013EA14947A7385B0C980FB49A12CCFF085F21E13F5B8E4CE8A9995266C6127899C1D771542F101802054FFA1A7749BDD5D2A6EA7EF0672A665AC7E2FCAED92FAE23FA3C04E78A534453EB400A2D9F7F0E38C0EEAF0AFF444C645D1F8BC19059727A80A5486F65FFB7F2CFCDB76AAB9480C0F7931BC1005FB9B2A419E24605F280851A6B0E21FC73F8FE8E521D9C8BE37F57A903F4593DF47C912D57394AE58315A2E97DE61FE3F66EF10717B77DDFF278559CCA499BED8CC8549A9EDE496620B9A8D428E1DE6F901F413F2962D6B781A80FA93357BFEA42361E5DAC9972E43E64E2253A728F52FE4F9440916DA09F03E3A02D390B2B9606220D1881A18CF7B6736E45005C7CC37EDD841BCDF827236B39A8E548D1FE50A1917626D25AB5A407ABEAB1577F64D8F7C4556BF8BE16160F093E0205E560FEDFFDF8CE10E027A14A00FDF6B36D92B48273F6653F9416F7BD99E1E3A63EDB650583B633EF933C2EC896E80293E88527513EDE1FA7E8907D77A050B34ACFAED34B0A51111D559A1F36545589"> : tensor<24x40xi8>
  %wf = stablehlo.convert %w : (tensor<24x40xi8>) -> tensor<24x40xf32>
  %wz = stablehlo.constant dense<0> : tensor<24xi64>
  %wzr = stablehlo.reshape %wz : (tensor<24xi64>) -> tensor<24x1xi64>
  %wzf = stablehlo.convert %wzr : (tensor<24x1xi64>) -> tensor<24x1xf32>
  %wzb = stablehlo.broadcast_in_dim %wzf, dims = [0, 1] : (tensor<24x1xf32>) -> tensor<24x40xf32>
  %wd = stablehlo.subtract %wf, %wzb : tensor<24x40xf32>
  %ws = stablehlo.constant dense<[0.125, 0.25, 0.0625, 0.0625, 0.25, 0.5, 0.0625, 0.25, 0.0625, 0.5, 0.5, 0.0625, 2.0, 0.125, 0.0625, 0.25, 0.25, 0.5, 0.5, 2.0, 0.25, 0.0625, 0.5, 2.0]> : tensor<24xf32>
  %wsr = stablehlo.reshape %ws : (tensor<24xf32>) -> tensor<24x1xf32>
  %wsb = stablehlo.broadcast_in_dim %wsr, dims = [0, 1] : (tensor<24x1xf32>) -> tensor<24x40xf32>
  %wn = stablehlo.multiply %wsb, %wd : tensor<24x40xf32>
  %wt = stablehlo.transpose %wn, dims = [1, 0] : (tensor<24x40xf32>) -> tensor<40x24xf32>
  %0 = stablehlo.dot_general %xn, %wt, contracting_dims = [1] x [0] : (tensor<5x40xf32>, tensor<40x24xf32>) -> tensor<5x24xf32>
  // Differences of wider integers, zero points on both sides, neither of them known.
  %yi = stablehlo.convert %y : (tensor<5x40xi8>) -> tensor<5x40xi32>
  %yz = stablehlo.constant dense<-7> : tensor<5x40xi32>
  %yd = stablehlo.subtract %yi, %yz : tensor<5x40xi32>
  %yf = stablehlo.convert %yd : (tensor<5x40xi32>) -> tensor<5x40xf32>
  %yn = stablehlo.multiply %xs, %yf : tensor<5x40xf32>
  %zi = stablehlo.convert %z : (tensor<40x24xi8>) -> tensor<40x24xi32>
  %zz = stablehlo.constant dense<11> : tensor<40x24xi32>
  %zd = stablehlo.subtract %zi, %zz : tensor<40x24xi32>
  %zf = stablehlo.convert %zd : (tensor<40x24xi32>) -> tensor<40x24xf32>
  %1 = stablehlo.dot_general %yn, %zf, contracting_dims = [1] x [0] : (tensor<5x40xf32>, tensor<40x24xf32>) -> tensor<5x24xf32>
  // Batches, and a scale that is reshaped with its numbers.
  %vf = stablehlo.convert %v : (tensor<2x6x16xi8>) -> tensor<2x6x16xf32>
  %vs = stablehlo.constant dense<0.5> : tensor<2x6x16xf32>
  %vn = stablehlo.multiply %vf, %vs : tensor<2x6x16xf32>
  %vr = stablehlo.reshape %vn : (tensor<2x6x16xf32>) -> tensor<2x6x4x4xf32>
  %uf = stablehlo.convert %u : (tensor<2x16x10xui8>) -> tensor<2x16x10xf32>
  %us = stablehlo.constant dense<[2.0, 0.125, 2.0, 0.25, 0.25, 0.125, 0.125, 0.25, 2.0, 0.25]> : tensor<10xf32>
  %usb = stablehlo.broadcast_in_dim %us, dims = [2] : (tensor<10xf32>) -> tensor<2x16x10xf32>
  %un = stablehlo.multiply %uf, %usb : tensor<2x16x10xf32>
  %ur = stablehlo.reshape %un : (tensor<2x16x10xf32>) -> tensor<2x4x4x10xf32>
  %2 = stablehlo.dot_general %vr, %ur, batching_dims = [0] x [0], contracting_dims = [2, 3] x [1, 2] : (tensor<2x6x4x4xf32>, tensor<2x4x4x10xf32>) -> tensor<2x6x10xf32>
  // Not of integers: a scale for each number that is summed; of a part of the result's rows.
  %ks = stablehlo.constant dense<[0.5, 0.5, 0.0625, 0.0625, 0.25, 0.125, 0.25, 0.5, 0.0625, 0.125, 0.5, 2.0, 0.0625, 0.5, 2.0, 0.25, 0.25, 2.0, 0.0625, 2.0, 0.25, 0.0625, 0.25, 2.0, 0.25, 0.5, 0.0625, 2.0, 0.25, 0.0625, 0.125, 0.5, 0.25, 0.25, 0.25, 0.5, 2.0, 0.5, 0.125, 0.5]> : tensor<40xf32>
  %ksb = stablehlo.broadcast_in_dim %ks, dims = [0] : (tensor<40xf32>) -> tensor<40x24xf32>
  %zf1 = stablehlo.convert %z : (tensor<40x24xi8>) -> tensor<40x24xf32>
  %zn = stablehlo.multiply %zf1, %ksb : tensor<40x24xf32>
  %3 = stablehlo.dot_general %xn, %zn, contracting_dims = [1] x [0] : (tensor<5x40xf32>, tensor<40x24xf32>) -> tensor<5x24xf32>
  %rs = stablehlo.constant dense<[0.5, 0.25, 2.0, 4.0, 0.125]> : tensor<5xf32>
  %rsb = stablehlo.broadcast_in_dim %rs, dims = [0] : (tensor<5xf32>) -> tensor<5x40xf32>
  %rn = stablehlo.multiply %yf, %rsb : tensor<5x40xf32>
  %4 = stablehlo.dot_general %rn, %xn, contracting_dims = [1] x [1] : (tensor<5x40xf32>, tensor<5x40xf32>) -> tensor<5x5xf32>
  return %0, %1, %2, %3, %4 : tensor<5x24xf32>, tensor<5x24xf32>, tensor<2x6x10xf32>, tensor<5x24xf32>, tensor<5x5xf32>
}
