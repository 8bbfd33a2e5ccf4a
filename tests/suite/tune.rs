//! Files of schedules by nest, and `strata tune`.

mod command;
mod file;
mod search;

use strata::{Compiler, Options, TunableNest};

/// A dot with a bias, in sizes that no vector divides.
const DENSE: &str = "
func.func @main(%a: tensor<37x65xf32>, %b: tensor<65x83xf32>, %c: tensor<83xf32>) -> tensor<37x83xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<37x65xf32>, tensor<65x83xf32>) -> tensor<37x83xf32>
  %1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<83xf32>) -> tensor<37x83xf32>
  %2 = stablehlo.add %0, %1 : tensor<37x83xf32>
  return %2 : tensor<37x83xf32>
}
";

/// The same nest with other names in another program, after another one.
const DENSE_ELSEWHERE: &str = "
func.func @f(%x: tensor<37x65xf32>, %w: tensor<65x83xf32>, %bias: tensor<83xf32>) -> (tensor<83xf32>, tensor<37x83xf32>) {
  %s = stablehlo.sine %bias : tensor<83xf32>
  %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<37x65xf32>, tensor<65x83xf32>) -> tensor<37x83xf32>
  %t = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<83xf32>) -> tensor<37x83xf32>
  %r = stablehlo.add %p, %t : tensor<37x83xf32>
  return %s, %r : tensor<83xf32>, tensor<37x83xf32>
}
";

/// A softmax.
const SOFTMAX: &str = "
func.func @main(%x: tensor<13x131xf32>) -> tensor<13x131xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<13x131xf32>, tensor<f32>) -> tensor<13xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<13xf32>) -> tensor<13x131xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<13x131xf32>
  %3 = stablehlo.exponential %2 : tensor<13x131xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<13x131xf32>, tensor<f32>) -> tensor<13xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<13xf32>) -> tensor<13x131xf32>
  %6 = stablehlo.divide %3, %5 : tensor<13x131xf32>
  return %6 : tensor<13x131xf32>
}
";

/// Two elementwise nests that become one, and a transpose.
const POINTWISE: &str = "
func.func @main(%x: tensor<67x45xf32>, %y: tensor<67x45xf32>) -> (tensor<67x45xf32>, tensor<67x45xf32>, tensor<45x67xf32>) {
  %0 = stablehlo.tanh %x : tensor<67x45xf32>
  %1 = stablehlo.multiply %0, %y : tensor<67x45xf32>
  %2 = stablehlo.transpose %y, dims = [1, 0] : (tensor<67x45xf32>) -> tensor<45x67xf32>
  return %0, %1, %2 : tensor<67x45xf32>, tensor<67x45xf32>, tensor<45x67xf32>
}
";

/// A dot with a transposed right operand, a batch of dots, and a sum over rows.
const DOTS: &str = "
func.func @main(%a: tensor<33x70xf32>, %b: tensor<50x70xf32>, %c: tensor<3x17x40xf32>, %d: tensor<3x40x37xf32>) -> (tensor<33x50xf32>, tensor<3x17x37xf32>, tensor<70xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : (tensor<33x70xf32>, tensor<50x70xf32>) -> tensor<33x50xf32>
  %1 = stablehlo.dot_general %c, %d, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x17x40xf32>, tensor<3x40x37xf32>) -> tensor<3x17x37xf32>
  %2 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<33x70xf32>, tensor<f32>) -> tensor<70xf32>
  return %0, %1, %2 : tensor<33x50xf32>, tensor<3x17x37xf32>, tensor<70xf32>
}
";

/// A convolution of two images with a bias, one of each channel by itself, and maxima of windows, whose panels of columns go through rows of images.
const IMAGES: &str = "
func.func @main(%x: tensor<2x10x9x20xf32>, %w: tensor<3x3x20x19xf32>, %b: tensor<19xf32>, %d: tensor<3x3x1x20xf32>) -> (tensor<2x8x7x19xf32>, tensor<2x8x7x20xf32>, tensor<2x8x7x20xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x10x9x20xf32>, tensor<3x3x20x19xf32>) -> tensor<2x8x7x19xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<19xf32>) -> tensor<2x8x7x19xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x8x7x19xf32>
  %3 = stablehlo.convolution(%x, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 20 : i64} : (tensor<2x10x9x20xf32>, tensor<3x3x1x20xf32>) -> tensor<2x8x7x20xf32>
  %4 = \"stablehlo.reduce_window\"(%x, %low) <{window_dimensions = array<i64: 1, 3, 3, 1>}> ({
  ^bb0(%one: tensor<f32>, %other: tensor<f32>):
    %5 = stablehlo.maximum %one, %other : tensor<f32>
    stablehlo.return %5 : tensor<f32>
  }) : (tensor<2x10x9x20xf32>, tensor<f32>) -> tensor<2x8x7x20xf32>
  return %2, %3, %4 : tensor<2x8x7x19xf32>, tensor<2x8x7x20xf32>, tensor<2x8x7x20xf32>
}
";

/// Sums of rows, in numbers that no tile divides.
const ROWS: &str = "
func.func @main(%x: tensor<3x11x131xf32>) -> tensor<3x11xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x11x131xf32>, tensor<f32>) -> tensor<3x11xf32>
  return %0 : tensor<3x11xf32>
}
";

/// The options for a processor of the machine that runs the tests.
fn options() -> Options {
    let target = strata::target::resolve(None, Some("native"), None).expect("this machine");
    Options { name: "test".into(), ..Options::new(target) }
}

fn nests(program: &str, options: &Options) -> Vec<TunableNest> {
    Compiler::new(options.clone()).nests("test.mlir", program.as_bytes()).expect("its nests")
}
