// plain
// absolute: 1e-5
func.func public @main(%x: tensor<5x7xcomplex<f32>>, %y: tensor<5x7xcomplex<f32>>, %t: tensor<5x7xf32>) -> (tensor<5x7xcomplex<f32>>, tensor<5x7xf32>, tensor<7x5xcomplex<f32>>, tensor<5x7xcomplex<f32>>) {
  %re = stablehlo.real %y : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
  %im = stablehlo.imag %y : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
  %neg = stablehlo.negate %im : tensor<5x7xf32>
  %conj = stablehlo.complex %re, %neg : tensor<5x7xcomplex<f32>>
  %sum = stablehlo.add %x, %conj : tensor<5x7xcomplex<f32>>
  // Used twice, by one operation and by two.
  %square = stablehlo.multiply %sum, %sum : tensor<5x7xcomplex<f32>>
  %a = stablehlo.real %square : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
  %b = stablehlo.imag %square : (tensor<5x7xcomplex<f32>>) -> tensor<5x7xf32>
  %power = stablehlo.add %a, %b : tensor<5x7xf32>
  // Read in another order.
  %difference = stablehlo.subtract %x, %y : tensor<5x7xcomplex<f32>>
  %moved = stablehlo.transpose %difference, dims = [1, 0] : (tensor<5x7xcomplex<f32>>) -> tensor<7x5xcomplex<f32>>
  %other = stablehlo.multiply %moved, %moved : tensor<7x5xcomplex<f32>>
  // Functions of parts keep their vectors.
  %cos = stablehlo.cosine %t : tensor<5x7xf32>
  %sin = stablehlo.sine %t : tensor<5x7xf32>
  %unit = stablehlo.complex %cos, %sin : tensor<5x7xcomplex<f32>>
  %rotated = stablehlo.multiply %x, %unit : tensor<5x7xcomplex<f32>>
  return %sum, %power, %other, %rotated : tensor<5x7xcomplex<f32>>, tensor<5x7xf32>, tensor<7x5xcomplex<f32>>, tensor<5x7xcomplex<f32>>
}
