func.func private @main(tensor<4x8xf32>) -> tensor<4x8xf32>
