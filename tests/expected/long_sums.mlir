// A one and 2^14 times half its unit in the last place, which added one after the other change nothing: the sum is 8192 units
// in the last place from there. What may be lost is what lies in the block of the one.
func.func @whole() {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %place_x = stablehlo.iota dim = 0 : tensor<16385xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<16385xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<16385xi32>, tensor<16385xi32>) -> tensor<16385xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<16385xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<16385xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<16385xi1>, tensor<16385xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<16385xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16385xf32>, tensor<f32>) -> tensor<f32>
  %fused = stablehlo.reduce(%chosen_x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16385xf32>, tensor<f32>) -> tensor<f32>
  %expected_sum = stablehlo.constant dense<1.0009765625> : tensor<f32>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 64 : tensor<f32>, tensor<f32>
  %expected_fused = stablehlo.constant dense<1.0009765625> : tensor<f32>
  check.expect_close %fused, %expected_fused, max_ulp_difference = 64 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @whole_f64() {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %place_x = stablehlo.iota dim = 0 : tensor<16385xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<16385xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<16385xi32>, tensor<16385xi32>) -> tensor<16385xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<16385xf64>
  %small_x = stablehlo.constant dense<1.1102230246251565e-16> : tensor<16385xf64>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<16385xi1>, tensor<16385xf64>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<16385xf64>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16385xf64>, tensor<f64>) -> tensor<f64>
  %expected_sum = stablehlo.constant dense<1.0000000000018189894035458564758> : tensor<f64>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 64 : tensor<f64>, tensor<f64>
  return
}

// -----

func.func @leading_f32() {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %place_x = stablehlo.iota dim = 0 : tensor<16385x5xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<16385x5xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<16385x5xi32>, tensor<16385x5xi32>) -> tensor<16385x5xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<16385x5xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<16385x5xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<16385x5xi1>, tensor<16385x5xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<16385x5xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16385x5xf32>, tensor<f32>) -> tensor<5xf32>
  %expected_sum = stablehlo.constant dense<1.0009765625> : tensor<5xf32>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 70 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

func.func @trailing_f32() {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %place_x = stablehlo.iota dim = 1 : tensor<5x16385xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<5x16385xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<5x16385xi32>, tensor<5x16385xi32>) -> tensor<5x16385xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<5x16385xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<5x16385xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<5x16385xi1>, tensor<5x16385xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<5x16385xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x16385xf32>, tensor<f32>) -> tensor<5xf32>
  %expected_sum = stablehlo.constant dense<1.0009765625> : tensor<5xf32>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 70 : tensor<5xf32>, tensor<5xf32>
  return
}

// -----

func.func @middle_f32() {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %place_x = stablehlo.iota dim = 1 : tensor<3x16385x19xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<3x16385x19xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<3x16385x19xi32>, tensor<3x16385x19xi32>) -> tensor<3x16385x19xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<3x16385x19xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<3x16385x19xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<3x16385x19xi1>, tensor<3x16385x19xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<3x16385x19xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x16385x19xf32>, tensor<f32>) -> tensor<3x19xf32>
  %expected_sum = stablehlo.constant dense<1.0009765625> : tensor<3x19xf32>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 70 : tensor<3x19xf32>, tensor<3x19xf32>
  return
}

// -----

func.func @leading_f64() {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %place_x = stablehlo.iota dim = 0 : tensor<16385x5xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<16385x5xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<16385x5xi32>, tensor<16385x5xi32>) -> tensor<16385x5xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<16385x5xf64>
  %small_x = stablehlo.constant dense<1.1102230246251565e-16> : tensor<16385x5xf64>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<16385x5xi1>, tensor<16385x5xf64>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<16385x5xf64>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16385x5xf64>, tensor<f64>) -> tensor<5xf64>
  %expected_sum = stablehlo.constant dense<1.0000000000018189894035458564758> : tensor<5xf64>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 70 : tensor<5xf64>, tensor<5xf64>
  return
}

// -----

func.func @trailing_f64() {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %place_x = stablehlo.iota dim = 1 : tensor<5x16385xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<5x16385xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<5x16385xi32>, tensor<5x16385xi32>) -> tensor<5x16385xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<5x16385xf64>
  %small_x = stablehlo.constant dense<1.1102230246251565e-16> : tensor<5x16385xf64>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<5x16385xi1>, tensor<5x16385xf64>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<5x16385xf64>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x16385xf64>, tensor<f64>) -> tensor<5xf64>
  %expected_sum = stablehlo.constant dense<1.0000000000018189894035458564758> : tensor<5xf64>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 70 : tensor<5xf64>, tensor<5xf64>
  return
}

// -----

func.func @middle_f64() {
  %zero = stablehlo.constant dense<0.0> : tensor<f64>
  %place_x = stablehlo.iota dim = 1 : tensor<3x16385x19xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<3x16385x19xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<3x16385x19xi32>, tensor<3x16385x19xi32>) -> tensor<3x16385x19xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<3x16385x19xf64>
  %small_x = stablehlo.constant dense<1.1102230246251565e-16> : tensor<3x16385x19xf64>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<3x16385x19xi1>, tensor<3x16385x19xf64>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<3x16385x19xf64>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<3x16385x19xf64>, tensor<f64>) -> tensor<3x19xf64>
  %expected_sum = stablehlo.constant dense<1.0000000000018189894035458564758> : tensor<3x19xf64>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 70 : tensor<3x19xf64>, tensor<3x19xf64>
  return
}

// -----

// More than a cache holds: rows are read once, in stretches. 1 + 2^-13.
func.func @leading_from_memory() {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %place_x = stablehlo.iota dim = 0 : tensor<2049x600xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<2049x600xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<2049x600xi32>, tensor<2049x600xi32>) -> tensor<2049x600xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<2049x600xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<2049x600xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<2049x600xi1>, tensor<2049x600xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<2049x600xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2049x600xf32>, tensor<f32>) -> tensor<600xf32>
  %expected_sum = stablehlo.constant dense<1.0001220703125> : tensor<600xf32>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 70 : tensor<600xf32>, tensor<600xf32>
  return
}

// -----

func.func @several_axes() {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %place_y = stablehlo.iota dim = 0 : tensor<5x3x1093xi32>
  %origin_y = stablehlo.constant dense<0> : tensor<5x3x1093xi32>
  %is_first_y = stablehlo.compare EQ, %place_y, %origin_y : (tensor<5x3x1093xi32>, tensor<5x3x1093xi32>) -> tensor<5x3x1093xi1>
  %one_y = stablehlo.constant dense<1.0> : tensor<5x3x1093xf32>
  %small_y = stablehlo.constant dense<5.9604644775390625e-08> : tensor<5x3x1093xf32>
  %chosen_y = stablehlo.select %is_first_y, %one_y, %small_y : tensor<5x3x1093xi1>, tensor<5x3x1093xf32>
  %y = stablehlo.optimization_barrier %chosen_y : tensor<5x3x1093xf32>
  %flat = stablehlo.reshape %y : (tensor<5x3x1093xf32>) -> tensor<16395xf32>
  %place_x = stablehlo.iota dim = 0 : tensor<16395xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<16395xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<16395xi32>, tensor<16395xi32>) -> tensor<16395xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<16395xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<16395xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<16395xi1>, tensor<16395xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<16395xf32>
  %cube = stablehlo.reshape %x : (tensor<16395xf32>) -> tensor<5x3x1093xf32>
  %sum = stablehlo.reduce(%cube init: %zero) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<5x3x1093xf32>, tensor<f32>) -> tensor<f32>
  %expected_sum = stablehlo.constant dense<1.0009771585464478> : tensor<f32>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 64 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @complex_numbers() {
  %place_x = stablehlo.iota dim = 0 : tensor<16385x2xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<16385x2xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<16385x2xi32>, tensor<16385x2xi32>) -> tensor<16385x2xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<16385x2xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<16385x2xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<16385x2xi1>, tensor<16385x2xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<16385x2xf32>
  %z = stablehlo.complex %x, %x : tensor<16385x2xcomplex<f32>>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %both = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<16385x2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
  %re = stablehlo.real %both : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %im = stablehlo.imag %both : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  %expected_re = stablehlo.constant dense<1.0009765625> : tensor<2xf32>
  check.expect_close %re, %expected_re, max_ulp_difference = 70 : tensor<2xf32>, tensor<2xf32>
  %expected_im = stablehlo.constant dense<1.0009765625> : tensor<2xf32>
  check.expect_close %im, %expected_im, max_ulp_difference = 70 : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

// Where the processor has no vectors, or few, blocks are longer than elsewhere.
func.func @two_at_once() {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %place_x = stablehlo.iota dim = 0 : tensor<16385xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<16385xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<16385xi32>, tensor<16385xi32>) -> tensor<16385xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<16385xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<16385xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<16385xi1>, tensor<16385xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<16385xf32>
  %two:2 = stablehlo.reduce(%x init: %zero), (%small_x init: %zero) across dimensions = [0] : (tensor<16385xf32>, tensor<16385xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>) {
      %0 = stablehlo.add %a, %b : tensor<f32>
      %1 = stablehlo.add %c, %d : tensor<f32>
      stablehlo.return %0, %1 : tensor<f32>, tensor<f32>
    }
  %sum = stablehlo.add %two#0, %zero : tensor<f32>
  %expected_sum = stablehlo.constant dense<1.0009765625> : tensor<f32>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 4200 : tensor<f32>, tensor<f32>
  return
}

// -----

func.func @product() {
  %place_x = stablehlo.iota dim = 1 : tensor<3x16385xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<3x16385xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<3x16385xi32>, tensor<3x16385xi32>) -> tensor<3x16385xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<3x16385xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<3x16385xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<3x16385xi1>, tensor<3x16385xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<3x16385xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<16385x17xf32>
  %y = stablehlo.optimization_barrier %ones : tensor<16385x17xf32>
  %sum = stablehlo.dot %x, %y : (tensor<3x16385xf32>, tensor<16385x17xf32>) -> tensor<3x17xf32>
  %expected_sum = stablehlo.constant dense<1.0009765625> : tensor<3x17xf32>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 160 : tensor<3x17xf32>, tensor<3x17xf32>
  return
}

// -----

// 1 + 2^-12.
func.func @product_of_tiles() {
  %place_x = stablehlo.iota dim = 1 : tensor<40x4097xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<40x4097xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<40x4097xi32>, tensor<40x4097xi32>) -> tensor<40x4097xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<40x4097xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<40x4097xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<40x4097xi1>, tensor<40x4097xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<40x4097xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<4097x70xf32>
  %y = stablehlo.optimization_barrier %ones : tensor<4097x70xf32>
  %sum = stablehlo.dot %x, %y : (tensor<40x4097xf32>, tensor<4097x70xf32>) -> tensor<40x70xf32>
  %expected_sum = stablehlo.constant dense<1.000244140625> : tensor<40x70xf32>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 340 : tensor<40x70xf32>, tensor<40x70xf32>
  return
}

// -----

func.func @inner_product() {
  %place_x = stablehlo.iota dim = 0 : tensor<16385xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<16385xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<16385xi32>, tensor<16385xi32>) -> tensor<16385xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<16385xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<16385xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<16385xi1>, tensor<16385xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<16385xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<16385xf32>
  %y = stablehlo.optimization_barrier %ones : tensor<16385xf32>
  %sum = stablehlo.dot %x, %y : (tensor<16385xf32>, tensor<16385xf32>) -> tensor<f32>
  %sum_of_vector = stablehlo.dot %y, %x : (tensor<16385xf32>, tensor<16385xf32>) -> tensor<f32>
  %expected_sum = stablehlo.constant dense<1.0009765625> : tensor<f32>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 160 : tensor<f32>, tensor<f32>
  %expected_sum_of_vector = stablehlo.constant dense<1.0009765625> : tensor<f32>
  check.expect_close %sum_of_vector, %expected_sum_of_vector, max_ulp_difference = 160 : tensor<f32>, tensor<f32>
  return
}

// -----

// 1 + 2303 * 2^-24, 1152 units in the last place above one.
func.func @convolution() {
  %place_x = stablehlo.iota dim = 0 : tensor<2304xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<2304xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<2304xi32>, tensor<2304xi32>) -> tensor<2304xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<2304xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<2304xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<2304xi1>, tensor<2304xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<2304xf32>
  %kernel = stablehlo.reshape %x : (tensor<2304xf32>) -> tensor<3x3x256x1xf32>
  %kernels = stablehlo.broadcast_in_dim %kernel, dims = [0, 1, 2, 3] : (tensor<3x3x256x1xf32>) -> tensor<3x3x256x20xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<1x6x6x256xf32>
  %y = stablehlo.optimization_barrier %ones : tensor<1x6x6x256xf32>
  %sum = stablehlo.convolution(%y, %kernels) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x6x256xf32>, tensor<3x3x256x20xf32>) -> tensor<1x4x4x20xf32>
  %expected_sum = stablehlo.constant dense<1.000137269496918> : tensor<1x4x4x20xf32>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 170 : tensor<1x4x4x20xf32>, tensor<1x4x4x20xf32>
  return
}

// -----

// 1 + 4095 * 2^-24, 2048 units in the last place above one.
func.func @windows() {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %place_x = stablehlo.iota dim = 1 : tensor<4x4096xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<4x4096xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<4x4096xi32>, tensor<4x4096xi32>) -> tensor<4x4096xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<4x4096xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<4x4096xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<4x4096xi1>, tensor<4x4096xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<4x4096xf32>
  %line = stablehlo.reshape %x : (tensor<4x4096xf32>) -> tensor<16384xf32>
  %sum = "stablehlo.reduce_window"(%line, %zero) <{window_dimensions = array<i64: 4096>, window_strides = array<i64: 4096>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16384xf32>, tensor<f32>) -> tensor<4xf32>
  %expected_sum = stablehlo.constant dense<1.0002440810203552> : tensor<4xf32>
  check.expect_close %sum, %expected_sum, max_ulp_difference = 140 : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

func.func @running() {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %place_x = stablehlo.iota dim = 0 : tensor<16385xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<16385xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<16385xi32>, tensor<16385xi32>) -> tensor<16385xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<16385xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<16385xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<16385xi1>, tensor<16385xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<16385xf32>
  %all = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 16385>, padding = dense<[[16384, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16385xf32>, tensor<f32>) -> tensor<16385xf32>
  %last = stablehlo.slice %all [16384:16385] : (tensor<16385xf32>) -> tensor<1xf32>
  %expected_last = stablehlo.constant dense<1.0009765625> : tensor<1xf32>
  check.expect_close %last, %expected_last, max_ulp_difference = 64 : tensor<1xf32>, tensor<1xf32>
  return
}

// -----

func.func @running_side_by_side() {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %place_x = stablehlo.iota dim = 0 : tensor<16385x7xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<16385x7xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<16385x7xi32>, tensor<16385x7xi32>) -> tensor<16385x7xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<16385x7xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<16385x7xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<16385x7xi1>, tensor<16385x7xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<16385x7xf32>
  %all = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 16385, 1>, padding = dense<[[16384, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<16385x7xf32>, tensor<f32>) -> tensor<16385x7xf32>
  %last = stablehlo.slice %all [16384:16385, 0:7] : (tensor<16385x7xf32>) -> tensor<1x7xf32>
  %expected_last = stablehlo.constant dense<1.0009765625> : tensor<1x7xf32>
  check.expect_close %last, %expected_last, max_ulp_difference = 64 : tensor<1x7xf32>, tensor<1x7xf32>
  return
}

// -----

func.func @running_lines() {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %place_x = stablehlo.iota dim = 1 : tensor<2x16385xi32>
  %origin_x = stablehlo.constant dense<0> : tensor<2x16385xi32>
  %is_first_x = stablehlo.compare EQ, %place_x, %origin_x : (tensor<2x16385xi32>, tensor<2x16385xi32>) -> tensor<2x16385xi1>
  %one_x = stablehlo.constant dense<1.0> : tensor<2x16385xf32>
  %small_x = stablehlo.constant dense<5.9604644775390625e-08> : tensor<2x16385xf32>
  %chosen_x = stablehlo.select %is_first_x, %one_x, %small_x : tensor<2x16385xi1>, tensor<2x16385xf32>
  %x = stablehlo.optimization_barrier %chosen_x : tensor<2x16385xf32>
  %all = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 16385>, padding = dense<[[0, 0], [16384, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x16385xf32>, tensor<f32>) -> tensor<2x16385xf32>
  %last = stablehlo.slice %all [0:2, 16384:16385] : (tensor<2x16385xf32>) -> tensor<2x1xf32>
  %expected_last = stablehlo.constant dense<1.0009765625> : tensor<2x1xf32>
  check.expect_close %last, %expected_last, max_ulp_difference = 64 : tensor<2x1xf32>, tensor<2x1xf32>
  return
}

// -----

func.func @running_past_infinity() {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %place = stablehlo.iota dim = 0 : tensor<1000xi32>
  %middle = stablehlo.constant dense<500> : tensor<1000xi32>
  %at = stablehlo.compare EQ, %place, %middle : (tensor<1000xi32>, tensor<1000xi32>) -> tensor<1000xi1>
  %one = stablehlo.constant dense<1.0> : tensor<1000xf32>
  %inf = stablehlo.constant dense<0x7F800000> : tensor<1000xf32>
  %x = stablehlo.select %at, %inf, %one : tensor<1000xi1>, tensor<1000xf32>
  %all = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1000>, padding = dense<[[999, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %two = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<1000xf32>) -> tensor<1000x2xf32>
  %pairs = "stablehlo.reduce_window"(%two, %zero) <{window_dimensions = array<i64: 1000, 1>, padding = dense<[[999, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1000x2xf32>, tensor<f32>) -> tensor<1000x2xf32>
  %before = stablehlo.slice %all [499:500] : (tensor<1000xf32>) -> tensor<1xf32>
  check.expect_eq_const %before, dense<500.0> : tensor<1xf32>
  %behind = stablehlo.slice %all [500:1000] : (tensor<1000xf32>) -> tensor<500xf32>
  check.expect_eq_const %behind, dense<0x7F800000> : tensor<500xf32>
  %pairs_behind = stablehlo.slice %pairs [500:1000, 0:2] : (tensor<1000x2xf32>) -> tensor<500x2xf32>
  check.expect_eq_const %pairs_behind, dense<0x7F800000> : tensor<500x2xf32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1000xf32>, tensor<f32>) -> tensor<f32>
  check.expect_eq_const %sum, dense<0x7F800000> : tensor<f32>
  return
}

// -----

// Partial sums of negative zeros are negative zeros.
func.func @negative_zeros() {
  %init = stablehlo.constant dense<-0.0> : tensor<f32>
  %c_columns = stablehlo.constant dense<-0.0> : tensor<5000x3xf32>
  %x_columns = stablehlo.optimization_barrier %c_columns : tensor<5000x3xf32>
  %columns = stablehlo.reduce(%x_columns init: %init) applies stablehlo.add across dimensions = [0] : (tensor<5000x3xf32>, tensor<f32>) -> tensor<3xf32>
  %bits_columns = stablehlo.bitcast_convert %columns : (tensor<3xf32>) -> tensor<3xui32>
  check.expect_eq_const %bits_columns, dense<2147483648> : tensor<3xui32>
  %c_wide = stablehlo.constant dense<-0.0> : tensor<2000x700xf32>
  %x_wide = stablehlo.optimization_barrier %c_wide : tensor<2000x700xf32>
  %wide = stablehlo.reduce(%x_wide init: %init) applies stablehlo.add across dimensions = [0] : (tensor<2000x700xf32>, tensor<f32>) -> tensor<700xf32>
  %bits_wide = stablehlo.bitcast_convert %wide : (tensor<700xf32>) -> tensor<700xui32>
  check.expect_eq_const %bits_wide, dense<2147483648> : tensor<700xui32>
  return
}

// -----

func.func @softmax_of_a_long_row() {
  %c = stablehlo.constant dense<0.0> : tensor<2x100000xf32>
  %x = stablehlo.optimization_barrier %c : tensor<2x100000xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %most = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<2x100000xf32>, tensor<f32>) -> tensor<2xf32>
  %level = stablehlo.broadcast_in_dim %most, dims = [0] : (tensor<2xf32>) -> tensor<2x100000xf32>
  %difference = stablehlo.subtract %x, %level : tensor<2x100000xf32>
  %e = stablehlo.exponential %difference : tensor<2x100000xf32>
  %total = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x100000xf32>, tensor<f32>) -> tensor<2xf32>
  %totals = stablehlo.broadcast_in_dim %total, dims = [0] : (tensor<2xf32>) -> tensor<2x100000xf32>
  %quotient = stablehlo.divide %e, %totals : tensor<2x100000xf32>
  %expected_quotient = stablehlo.constant dense<1.0e-05> : tensor<2x100000xf32>
  check.expect_close %quotient, %expected_quotient, max_ulp_difference = 1 : tensor<2x100000xf32>, tensor<2x100000xf32>
  return
}
