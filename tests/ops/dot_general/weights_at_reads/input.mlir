// plain
// rms: 4e-6
func.func public @main(%x: tensor<1x37xf32>, %y: tensor<5x37xf32>, %z: tensor<70x37xf32>, %v: tensor<37x83xi8>, %v1: tensor<37x83xi8>, %v2: tensor<37x83xui8>, %w: tensor<37x83xi4>, %t: tensor<83x37xui8>, %c: tensor<83xf32>, %r: tensor<37xf32>)
    -> (tensor<1x83xf32>, tensor<5x83xf32>, tensor<5x83xf32>, tensor<70x83xf32>, tensor<1x83xf32>) {
  // Weights of few bits become f32 where they are read: of one row, of five, with a scale for each column and a zero point, of 4 bits,
  // along their own last dimension, and of 70 rows, where a panel is packed. What is read by a single row, with an offset for each row of weights, is not what is read by 70.
  %f = stablehlo.convert %v : (tensor<37x83xi8>) -> tensor<37x83xf32>
  %0 = stablehlo.dot_general %x, %f, contracting_dims = [1] x [0] : (tensor<1x37xf32>, tensor<37x83xf32>) -> tensor<1x83xf32>
  %zero = stablehlo.constant dense<3.0> : tensor<37x83xf32>
  %cs = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<83xf32>) -> tensor<37x83xf32>
  %rs = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<37xf32>) -> tensor<37x83xf32>
  %g = stablehlo.convert %w : (tensor<37x83xi4>) -> tensor<37x83xf32>
  %g1 = stablehlo.subtract %g, %zero : tensor<37x83xf32>
  %g2 = stablehlo.multiply %g1, %cs : tensor<37x83xf32>
  %1 = stablehlo.dot_general %y, %g2, contracting_dims = [1] x [0] : (tensor<5x37xf32>, tensor<37x83xf32>) -> tensor<5x83xf32>
  %h = stablehlo.convert %t : (tensor<83x37xui8>) -> tensor<83x37xf32>
  %2 = stablehlo.dot_general %y, %h, contracting_dims = [1] x [1] : (tensor<5x37xf32>, tensor<83x37xf32>) -> tensor<5x83xf32>
  %i = stablehlo.convert %v1 : (tensor<37x83xi8>) -> tensor<37x83xf32>
  %i1 = stablehlo.multiply %i, %rs : tensor<37x83xf32>
  %3 = stablehlo.dot_general %z, %i1, contracting_dims = [1] x [0] : (tensor<70x37xf32>, tensor<37x83xf32>) -> tensor<70x83xf32>
  %j = stablehlo.convert %v2 : (tensor<37x83xui8>) -> tensor<37x83xf32>
  %j1 = stablehlo.subtract %j, %rs : tensor<37x83xf32>
  %4 = stablehlo.dot_general %x, %j1, contracting_dims = [1] x [0] : (tensor<1x37xf32>, tensor<37x83xf32>) -> tensor<1x83xf32>
  return %0, %1, %2, %3, %4 : tensor<1x83xf32>, tensor<5x83xf32>, tensor<5x83xf32>, tensor<70x83xf32>, tensor<1x83xf32>
}
