// rms: 4e-6

// The second matrix has a negative number on its diagonal, in its last tile.
func.func public @main() -> (tensor<3x67x67xf32>, tensor<3x67x67xf64>) {
  %batch = stablehlo.iota dim = 0 : tensor<3x67x67xi32>
  %row = stablehlo.iota dim = 1 : tensor<3x67x67xi32>
  %column = stablehlo.iota dim = 2 : tensor<3x67x67xi32>
  %on = stablehlo.compare EQ, %row, %column : (tensor<3x67x67xi32>, tensor<3x67x67xi32>) -> tensor<3x67x67xi1>
  %one = stablehlo.constant dense<1> : tensor<3x67x67xi32>
  %late = stablehlo.constant dense<65> : tensor<3x67x67xi32>
  %second = stablehlo.compare EQ, %batch, %one : (tensor<3x67x67xi32>, tensor<3x67x67xi32>) -> tensor<3x67x67xi1>
  %there = stablehlo.compare EQ, %row, %late : (tensor<3x67x67xi32>, tensor<3x67x67xi32>) -> tensor<3x67x67xi1>
  %bad0 = stablehlo.and %on, %second : tensor<3x67x67xi1>
  %bad = stablehlo.and %bad0, %there : tensor<3x67x67xi1>
  %sum = stablehlo.add %row, %column : tensor<3x67x67xi32>
  %f = stablehlo.convert %sum : (tensor<3x67x67xi32>) -> tensor<3x67x67xf32>
  %small = stablehlo.cosine %f : tensor<3x67x67xf32>
  %large = stablehlo.constant dense<70.0> : tensor<3x67x67xf32>
  %negative = stablehlo.constant dense<-0.5> : tensor<3x67x67xf32>
  %m0 = stablehlo.select %on, %large, %small : tensor<3x67x67xi1>, tensor<3x67x67xf32>
  %m = stablehlo.select %bad, %negative, %m0 : tensor<3x67x67xi1>, tensor<3x67x67xf32>
  %wide = stablehlo.convert %m : (tensor<3x67x67xf32>) -> tensor<3x67x67xf64>
  %0 = stablehlo.cholesky %m, lower = true : tensor<3x67x67xf32>
  %1 = stablehlo.cholesky %wide, lower = false : tensor<3x67x67xf64>
  return %0, %1 : tensor<3x67x67xf32>, tensor<3x67x67xf64>
}
