// sizes: x.0=4
// every: x.0=9
// open: x.0=17
// Running sums of complex numbers from both ends, whose windows are as long as the input.
func.func private @add(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>) -> tensor<complex<f32>> {
  %c = stablehlo.add %a, %b : tensor<complex<f32>>
  return %c : tensor<complex<f32>>
}
func.func public @main(%x: tensor<?xf32> loc("x"), %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<f32>, tensor<f32>) {
  %z = stablehlo.complex %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xcomplex<f32>>
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %window = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %before = stablehlo.subtract %window, %one : tensor<1xi32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  %low = stablehlo.concatenate %before, %none, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %high = stablehlo.concatenate %none, %before, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %lows = stablehlo.reshape %low : (tensor<2xi32>) -> tensor<1x2xi32>
  %highs = stablehlo.reshape %high : (tensor<2xi32>) -> tensor<1x2xi32>
  %zero = stablehlo.constant dense<(0.0, 0.0)> : tensor<complex<f32>>
  %0 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%z, %zero, %window, %one, %one, %one, %lows) {called_computations = [@add]} : (tensor<?xcomplex<f32>>, tensor<complex<f32>>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xcomplex<f32>>
  %1 = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%z, %zero, %window, %one, %one, %one, %highs) {called_computations = [@add]} : (tensor<?xcomplex<f32>>, tensor<complex<f32>>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1x2xi32>) -> tensor<?xcomplex<f32>>
  %2 = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xcomplex<f32>>, tensor<complex<f32>>) -> tensor<complex<f32>>
  %r0 = stablehlo.real %0 : (tensor<?xcomplex<f32>>) -> tensor<?xf32>
  %i0 = stablehlo.imag %0 : (tensor<?xcomplex<f32>>) -> tensor<?xf32>
  %r1 = stablehlo.real %1 : (tensor<?xcomplex<f32>>) -> tensor<?xf32>
  %i1 = stablehlo.imag %1 : (tensor<?xcomplex<f32>>) -> tensor<?xf32>
  %r2 = stablehlo.real %2 : (tensor<complex<f32>>) -> tensor<f32>
  %i2 = stablehlo.imag %2 : (tensor<complex<f32>>) -> tensor<f32>
  return %r0, %i0, %r1, %i1, %r2, %i2 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<f32>, tensor<f32>
}
