// Written by scripts/tables.py: results to many more digits than the type has, rounded once.

func.func @exp() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F)]> : tensor<9xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3FCC79C8, 0x3ED0D84B), (0xBDBE2AB7, 0x3E4FC2D6), (0x3FA27E66, 0x3FA74F51), (0x3EBDDFAF, 0xBE81E64E), (0x402DF854, 0x313ACC85), (0x3F800000, 0xB089705F), (0x4046494A, 0x419EC2DC), (0x3DA81C2E, 0xB3B046B5), (0x3F42436E, 0x3F8ABD21)]> : tensor<9xcomplex<f32>>
  %found = stablehlo.exponential %x0 : tensor<9xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>
  return
}

// -----

func.func @log() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F), (0x47C35000, 0xC8435000)]> : tensor<10xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0xBF14E220, 0x3EED6338), (0x3F6A9208, 0x400DB70D), (0x32CCCCCD, 0x3F6D6338), (0x32CCCCCD, 0xC01FE0BB), (0x211392EE, 0x3089705F), (0xC1A30377, 0xBF490FDB), (0x4059FEBB, 0xBFBC4DE9), (0x3F6A9208, 0xC0490FD9), (0xB2AE147B, 0x3FA4BC7D), (0x41451512, 0xBF8DB70D)]> : tensor<10xcomplex<f32>>
  %found = stablehlo.log %x0 : tensor<10xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<10xcomplex<f32>>, tensor<10xcomplex<f32>>
  return
}

// -----

func.func @log1p() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F), (0x47C35000, 0xC8435000), (0xBECCCCCD, 0x3F4CCCCD), (0xBF800000, 0x3F800001)]> : tensor<12xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3ED69CBE, 0x3E291CBC), (0x3F3934A4, 0x3FE86B51), (0x3F14E220, 0x3EED6338), (0xBEEA9207, 0xBF9FE0BC), (0x3F317218, 0x3009705F), (0x3089705F, 0xB089705F), (0x405A3D93, 0xBFB81868), (0x3ECF991F, 0xC0490FD8), (0x3EF0A451, 0x3F24BC7D), (0x41451514, 0xBF8DB6EB), (0x31CCCCCD, 0x3F6D6338), (0x33FFFFFF, 0x3FC90FDB)]> : tensor<12xcomplex<f32>>
  %found = stablehlo.log_plus_one %x0 : tensor<12xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<12xcomplex<f32>>, tensor<12xcomplex<f32>>
  return
}

// -----

func.func @sqrt() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F), (0x47C35000, 0xC8435000)]> : tensor<10xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3F3A48CD, 0x3E2FE732), (0x3F3504F3, 0x3FB504F3), (0x3F64F92E, 0x3EE4F92E), (0x3EA1E89B, 0xBF72DCE9), (0x3F800000, 0x3009705F), (0x3811B97D, 0xB77171C1), (0x4082476A, 0xC06BCD3B), (0x34A9C603, 0xBFCA62C2), (0x3F4CCCCD, 0x3F199999), (0x43C91FBC, 0xC3789A57)]> : tensor<10xcomplex<f32>>
  %found = stablehlo.sqrt %x0 : tensor<10xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<10xcomplex<f32>>, tensor<10xcomplex<f32>>
  return
}

// -----

func.func @rsqrt() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F), (0x47C35000, 0xC8435000)]> : tensor<10xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3FA69E29, 0xBE9D5520), (0x3E90D0C3, 0xBF10D0C3), (0x3F64F92E, 0xBEE4F92E), (0x3EA1E89B, 0x3F72DCE8), (0x3F800000, 0xB009705F), (0x46BFEEA6, 0x461F007A), (0x3E0A464B, 0x3DFA4607), (0x3407D19C, 0x3F21E89B), (0x3F4CCCCD, 0xBF19999A), (0x3AEBC951, 0x3A91B959)]> : tensor<10xcomplex<f32>>
  %found = stablehlo.rsqrt %x0 : tensor<10xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<10xcomplex<f32>>, tensor<10xcomplex<f32>>
  return
}

// -----

func.func @sin() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F)]> : tensor<9xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3EFD2D3E, 0x3E630239), (0xC0702D68, 0x3E835B0A), (0x3F4152FE, 0x3F3BA4F0), (0xBF59B3DC, 0xBEE31A68), (0x3F576AA4, 0x30148465), (0x3089705F, 0xB089705F), (0x532F9026, 0x5499F3D2), (0xBF193578, 0x35570E2B), (0x3ED3DBBD, 0x3F891697)]> : tensor<9xcomplex<f32>>
  %found = stablehlo.sine %x0 : tensor<9xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>
  return
}

// -----

func.func @cos() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F)]> : tensor<9xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3F67B7EC, 0xBDF807E3), (0x3E8841D3, 0x406789A0), (0x3F8D4A64, 0xBF005FD7), (0x3F536F99, 0xBEE9D58C), (0x3F0A5140, 0xB0674D41), (0x3F800000, 0x219392EE), (0xD499F3D2, 0x532F9026), (0xBF4D17BF, 0xB520A6B1), (0x3FB8309A, 0xBE9DAE67)]> : tensor<9xcomplex<f32>>
  %found = stablehlo.cosine %x0 : tensor<9xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>
  return
}

// -----

func.func @tan() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F), (0x47C35000, 0xC8435000)]> : tensor<10xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3F0126F5, 0x3E9FF59B), (0xBBAFB43A, 0x3F84B9CE), (0x3EA252F9, 0x3F4EDD5C), (0xBF0FA433, 0xBF58E9E4), (0x3FC75923, 0x316B665D), (0x3089705F, 0xB089705F), (0x93C1D912, 0xBF800000), (0x3F3F3CDA, 0xB5D11DED), (0x3DFB2E0A, 0x3F45412B), (0x80000000, 0xBF800000)]> : tensor<10xcomplex<f32>>
  %found = stablehlo.tan %x0 : tensor<10xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<10xcomplex<f32>>, tensor<10xcomplex<f32>>
  return
}

// -----

func.func @sinh() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F)]> : tensor<9xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3F0140D8, 0x3E8ED65A), (0x3F62D6FC, 0x4008E608), (0x3EE31A68, 0x3F59B3DC), (0xBF3BA4F0, 0xBF4152FE), (0x3F966CFE, 0x30D41452), (0x3089705F, 0xB089705F), (0x3FC5CB77, 0x411F279A), (0xC0C19B46, 0xB6CDC3F7), (0x3E2698C6, 0x3F59FCD6)]> : tensor<9xcomplex<f32>>
  %found = chlo.sinh %x0 : tensor<9xcomplex<f32>> -> tensor<9xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>
  return
}

// -----

func.func @cosh() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F)]> : tensor<9xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3F8BD95C, 0x3E0403E1), (0xBF7A9C53, 0xBFF7D3B5), (0x3F536F99, 0x3EE9D58C), (0x3F8D4A64, 0x3F005FD7), (0x3FC583AB, 0x30A184B7), (0x3F800000, 0xA19392EE), (0x3FC6C71D, 0x411E5E1D), (0x40C43BB7, 0x36CB02DC), (0x3F189D3D, 0x3E6DF5B1)]> : tensor<9xcomplex<f32>>
  %found = chlo.cosh %x0 : tensor<9xcomplex<f32>> -> tensor<9xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<9xcomplex<f32>>, tensor<9xcomplex<f32>>
  return
}

// -----

func.func @tanh() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F), (0x47C35000, 0xC8435000)]> : tensor<10xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3EF891CA, 0x3E4ACF0C), (0xBF8835E2, 0xBDA4A40B), (0x3F58E9E4, 0x3F0FA433), (0xBF4EDD5C, 0xBEA252F9), (0x3F42F7D6, 0x2FE6E222), (0x3089705F, 0xB089705F), (0x3F809B0C, 0x3AC70054), (0xBF7C92C1, 0xB2E46CED), (0x3F386218, 0x3F92E496), (0x3F800000, 0x00000000)]> : tensor<10xcomplex<f32>>
  %found = stablehlo.tanh %x0 : tensor<10xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<10xcomplex<f32>>, tensor<10xcomplex<f32>>
  return
}

// -----

func.func @asin() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F), (0x47C35000, 0xC8435000)]> : tensor<10xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3F006970, 0x3E901325), (0xBF1B4457, 0x3FCFADE3), (0x3EED6339, 0x3F4E0210), (0xBF2F49C2, 0xBF367410), (0x3FC90ED1, 0x3804A2B3), (0x3089705F, 0xB089705F), (0x3DCC028C, 0xC0832FD6), (0xBFC90FD7, 0xBFC88CE1), (0x3E4E30C6, 0x3F5DF4AD), (0x3EED6338, 0xC1502C34)]> : tensor<10xcomplex<f32>>
  %found = chlo.asin %x0 : tensor<10xcomplex<f32>> -> tensor<10xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<10xcomplex<f32>>, tensor<10xcomplex<f32>>
  return
}

// -----

func.func @acos() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F), (0x47C35000, 0xC8435000)]> : tensor<10xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3F88DB23, 0xBE901325), (0x400B5903, 0xBFCFADE3), (0x3F8DB70C, 0xBF4E0210), (0x40105A5E, 0x3F367410), (0x3804A2B3, 0xB804A2B3), (0x3FC90FDB, 0x3089705F), (0x3FBC4FB2, 0x40832FD6), (0x40490FD9, 0x3FC88CE1), (0x3FAF49C2, 0xBF5DF4AD), (0x3F8DB70D, 0x41502C34)]> : tensor<10xcomplex<f32>>
  %found = chlo.acos %x0 : tensor<10xcomplex<f32>> -> tensor<10xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<10xcomplex<f32>>, tensor<10xcomplex<f32>>
  return
}

// -----

func.func @atan() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F), (0x47C35000, 0xC8435000)]> : tensor<10xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3EF7F034, 0x3E4D6694), (0xBFA7D62A, 0x3E9EF075), (0x3F490FDB, 0x3F0C9F54), (0xBF490FDB, 0xBEB17218), (0x3F490FDB, 0x3009705F), (0x3089705F, 0xB089705F), (0x3FC8A397, 0xBD073AAA), (0xBF985B6C, 0xB4141A32), (0x3F490FDA, 0x3F791395), (0x3FC90FCA, 0xB68637BD)]> : tensor<10xcomplex<f32>>
  %found = chlo.atan %x0 : tensor<10xcomplex<f32>> -> tensor<10xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<10xcomplex<f32>>, tensor<10xcomplex<f32>>
  return
}

// -----

func.func @asinh() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F), (0x47C35000, 0xC8435000)]> : tensor<10xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3EFC3FFD, 0x3E65B65C), (0xBFCCDA3D, 0x3F634494), (0x3F367410, 0x3F2F49C2), (0xBF4E0210, 0xBEED6339), (0x3F61A1B3, 0x30425E37), (0x3089705F, 0xB089705F), (0x40832B6B, 0xBFBC4C20), (0xBFD2D878, 0xB4C7638C), (0x3F01D35E, 0x3F81B074), (0x41502C34, 0xBF8DB70D)]> : tensor<10xcomplex<f32>>
  %found = chlo.asinh %x0 : tensor<10xcomplex<f32>> -> tensor<10xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<10xcomplex<f32>>, tensor<10xcomplex<f32>>
  return
}

// -----

func.func @acosh() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F), (0x47C35000, 0xC8435000)]> : tensor<10xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3E901325, 0x3F88DB23), (0x3FCFADE3, 0x400B5903), (0x3F4E0210, 0x3F8DB70C), (0x3F367410, 0xC0105A5E), (0x3804A2B3, 0x3804A2B3), (0x3089705F, 0xBFC90FDB), (0x40832FD6, 0xBFBC4FB2), (0x3FC88CE1, 0xC0490FD9), (0x3F5DF4AD, 0x3FAF49C2), (0x41502C34, 0xBF8DB70D)]> : tensor<10xcomplex<f32>>
  %found = chlo.acosh %x0 : tensor<10xcomplex<f32>> -> tensor<10xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<10xcomplex<f32>>, tensor<10xcomplex<f32>>
  return
}

// -----

func.func @atanh() {
  %x0 = stablehlo.constant dense<[(0x3F000000, 0x3E800000), (0xBFC00000, 0x40000000), (0x3F19999A, 0x3F4CCCCD), (0xBF4CCCCD, 0xBF19999A), (0x3F800000, 0x3089705F), (0x3089705F, 0xB089705F), (0x40400000, 0xC1F00000), (0xC0200000, 0xB58637BD), (0x3E8F5C29, 0x3F75C28F), (0x47C35000, 0xC8435000)]> : tensor<10xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x3F001840, 0x3EA0F8CB), (0xBE615F30, 0x3F9F649D), (0x3EB17218, 0x3F490FDB), (0xBF0C9F54, 0xBF490FDB), (0x412B54D0, 0x3F490FDB), (0x3089705F, 0xB089705F), (0x3B580E4E, 0xBFC4D6C8), (0xBED8E883, 0xBFC90FD9), (0x3E134B11, 0x3F490FDA), (0x360637BD, 0xBFC90FB9)]> : tensor<10xcomplex<f32>>
  %found = chlo.atanh %x0 : tensor<10xcomplex<f32>> -> tensor<10xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<10xcomplex<f32>>, tensor<10xcomplex<f32>>
  return
}

// -----

func.func @divide() {
  %x0 = stablehlo.constant dense<[(0x3F800000, 0x40000000), (0x3F800000, 0x3F800000), (0x3DCCCCCD, 0x3E4CCCCD)]> : tensor<3xcomplex<f32>>
  %x1 = stablehlo.constant dense<[(0x40400000, 0xC0800000), (0x3F800000, 0x3F800000), (0x3E99999A, 0x3F19999A)]> : tensor<3xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0xBE4CCCCD, 0x3ECCCCCD), (0x3F800000, 0x00000000), (0x3EAAAAAA, 0x00000000)]> : tensor<3xcomplex<f32>>
  %found = stablehlo.divide %x0, %x1 : tensor<3xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 1 : tensor<3xcomplex<f32>>, tensor<3xcomplex<f32>>
  return
}

// -----

func.func @multiply() {
  %x0 = stablehlo.constant dense<[(0x3F800000, 0x40000000), (0x3F000000, 0x40000000)]> : tensor<2xcomplex<f32>>
  %x1 = stablehlo.constant dense<[(0x40400000, 0xC0800000), (0x40200000, 0xC0400000)]> : tensor<2xcomplex<f32>>
  %expected = stablehlo.constant dense<[(0x41300000, 0x40000000), (0x40E80000, 0x40600000)]> : tensor<2xcomplex<f32>>
  %found = stablehlo.multiply %x0, %x1 : tensor<2xcomplex<f32>>
  check.expect_close %found, %expected, max_ulp_difference = 4 : tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>
  return
}
