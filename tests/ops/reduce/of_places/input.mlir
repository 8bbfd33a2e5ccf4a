func.func public @main(%x: tensor<67x65xi32>, %n: tensor<67xi32>) -> (tensor<i32>, tensor<67xi32>, tensor<i32>, tensor<i32>) {
  // Sums of all and of each row of a triangle, a maximum of what is valid in each row, and a product with a mask of the diagonal.
  %row = stablehlo.iota dim = 0 : tensor<67x65xi32>
  %column = stablehlo.iota dim = 1 : tensor<67x65xi32>
  %below = stablehlo.compare GE, %row, %column : (tensor<67x65xi32>, tensor<67x65xi32>) -> tensor<67x65xi1>
  %zeros = stablehlo.constant dense<0> : tensor<67x65xi32>
  %triangle = stablehlo.select %below, %x, %zeros : tensor<67x65xi1>, tensor<67x65xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %all = stablehlo.reduce(%triangle init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<67x65xi32>, tensor<i32>) -> tensor<i32>
  %again = stablehlo.select %below, %x, %zeros : tensor<67x65xi1>, tensor<67x65xi32>
  %rows = stablehlo.reduce(%again init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<67x65xi32>, tensor<i32>) -> tensor<67xi32>
  %ends = stablehlo.broadcast_in_dim %n, dims = [0] : (tensor<67xi32>) -> tensor<67x65xi32>
  %valid = stablehlo.compare LT, %column, %ends : (tensor<67x65xi32>, tensor<67x65xi32>) -> tensor<67x65xi1>
  %least = stablehlo.constant dense<-2147483648> : tensor<i32>
  %leasts = stablehlo.constant dense<-2147483648> : tensor<67x65xi32>
  %kept = stablehlo.select %valid, %x, %leasts : tensor<67x65xi1>, tensor<67x65xi32>
  %most = stablehlo.reduce(%kept init: %least) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<67x65xi32>, tensor<i32>) -> tensor<i32>
  %same = stablehlo.compare EQ, %row, %column : (tensor<67x65xi32>, tensor<67x65xi32>) -> tensor<67x65xi1>
  %mask = stablehlo.convert %same : (tensor<67x65xi1>) -> tensor<67x65xi32>
  %on = stablehlo.multiply %x, %mask : tensor<67x65xi32>
  %trace = stablehlo.reduce(%on init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<67x65xi32>, tensor<i32>) -> tensor<i32>
  return %all, %rows, %most, %trace : tensor<i32>, tensor<67xi32>, tensor<i32>, tensor<i32>
}
