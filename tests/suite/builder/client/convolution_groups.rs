//! Convolutions with groups and in other layouts, and the gradients that training makes of them.

use strata_builder::{BF16, ConvOptions, ConvolutionDimensionNumbers, F32, S32};

use super::{
    Array, check_arrays,
    convolution::{Conv, conv},
    positions,
};

#[test]
fn groups_of_features_have_kernels_of_their_own() {
    for case in [
        conv(&[1, 4, 5], &[2, 2, 3]).groups(2, 1),
        conv(&[2, 6, 5, 4], &[3, 2, 2, 2]).groups(3, 1),
        conv(&[1, 6, 4, 4], &[9, 2, 3, 1]).groups(3, 1).padding(&[(1, 1), (0, 0)]),
        conv(&[2, 8, 7, 7], &[16, 4, 3, 3]).groups(2, 1).strides(&[2, 2]),
        conv(&[1, 4, 5, 5], &[4, 2, 2, 2]).groups(2, 1).dilated(&[2, 1], &[1, 2]),
        conv(&[1, 4, 6, 5], &[6, 2, 2, 3]).groups(2, 1).reversed(&[true, true]),
    ] {
        case.check(F32);
    }
    conv(&[1, 4, 5], &[4, 2, 3]).groups(2, 1).check(S32);
}

#[test]
fn each_feature_with_kernels_of_its_own() {
    for case in [
        conv(&[1, 3, 6], &[3, 1, 2]).groups(3, 1),
        conv(&[2, 5, 6, 7], &[5, 1, 3, 3]).groups(5, 1).padding(&[(1, 1), (1, 1)]),
        // Two results of each feature.
        conv(&[1, 4, 5, 5], &[8, 1, 2, 3]).groups(4, 1),
        conv(&[1, 16, 9, 9], &[16, 1, 3, 3]).groups(16, 1).strides(&[2, 2]),
        conv(&[1, 17, 6, 6], &[17, 1, 3, 3]).groups(17, 1).dilated(&[1, 1], &[2, 2]),
        conv(&[3, 2, 4, 4], &[2, 1, 4, 4]).groups(2, 1),
    ] {
        case.check(F32);
    }
    conv(&[1, 3, 6, 5], &[3, 1, 2, 2]).groups(3, 1).check(BF16);
}

#[test]
fn groups_of_the_batch_have_kernels_of_their_own() {
    for case in [
        conv(&[2, 1, 4], &[2, 1, 2]).groups(1, 2),
        conv(&[4, 3, 5], &[6, 3, 3]).groups(1, 2),
        conv(&[6, 2, 4, 5], &[3, 2, 2, 2]).groups(1, 3).padding(&[(1, 0), (0, 1)]),
        conv(&[4, 2, 5, 5], &[8, 2, 3, 2]).groups(1, 4).strides(&[2, 1]),
        conv(&[6, 1, 5, 4], &[6, 1, 2, 2]).groups(1, 6).dilated(&[1, 2], &[2, 1]),
    ] {
        case.check(F32);
    }
    conv(&[4, 2, 5], &[4, 2, 2]).groups(1, 2).check(S32);
}

/// Where the dimensions of (batch, feature, space…), or (output, input, space…), go.
fn moved(array: &Array, order: &[usize]) -> Array {
    let sizes: Vec<usize> = order.iter().map(|at| array.sizes[*at]).collect();
    Array::of(&sizes, |index| {
        let mut own = vec![0; order.len()];
        order.iter().zip(index).for_each(|(at, part)| own[*at] = *part);
        array.at(&own)
    })
}

fn found(order: &[usize], dimension: usize) -> i64 {
    order.iter().position(|at| *at == dimension).expect("it is there") as i64
}

/// The same convolution in other orders of dimensions.
fn check_orders(case: &Conv, input: &[usize], kernel: &[usize], output: &[usize]) {
    let (x, w) = (Array::mixed(&case.input, -20..21), Array::mixed(&case.kernel, -9..10));
    let space = |order: &[usize]| (2..order.len()).map(|at| found(order, at)).collect();
    let numbers = ConvolutionDimensionNumbers {
        input_batch_dimension: found(input, 0),
        input_feature_dimension: found(input, 1),
        input_spatial_dimensions: space(input),
        kernel_output_feature_dimension: found(kernel, 0),
        kernel_input_feature_dimension: found(kernel, 1),
        kernel_spatial_dimensions: space(kernel),
        output_batch_dimension: found(output, 0),
        output_feature_dimension: found(output, 1),
        output_spatial_dimensions: space(output),
    };
    check_arrays(
        (input, kernel, output),
        F32,
        &[&moved(&x, input), &moved(&w, kernel)],
        |_, p| {
            let (strides, padding) = (&case.strides, case.all_padding());
            p[0].conv_general(&p[1], strides, &padding, &numbers, &case.options())
        },
        &moved(&case.of(&x, &w), output),
    );
}

#[test]
fn batch_features_and_space_in_any_order() {
    let case = conv(&[2, 3, 5, 4], &[4, 3, 2, 3]).strides(&[2, 1]).padding(&[(1, 0), (1, 2)]);
    let orders: [[[usize; 4]; 3]; 7] = [
        [[0, 2, 3, 1], [2, 3, 1, 0], [0, 2, 3, 1]],
        [[0, 2, 3, 1], [0, 2, 3, 1], [0, 2, 3, 1]],
        [[2, 3, 0, 1], [2, 3, 0, 1], [2, 3, 0, 1]],
        [[1, 2, 3, 0], [1, 2, 3, 0], [1, 2, 3, 0]],
        // Another order in each, with the two dimensions of space the other way around.
        [[3, 0, 2, 1], [1, 3, 0, 2], [2, 1, 3, 0]],
        [[1, 3, 0, 2], [3, 2, 1, 0], [3, 2, 1, 0]],
        [[0, 1, 3, 2], [0, 1, 2, 3], [0, 1, 3, 2]],
    ];
    for [input, kernel, output] in orders {
        check_orders(&case, &input, &kernel, &output);
    }
    let line = conv(&[2, 3, 7], &[2, 3, 2]).strides(&[2]);
    check_orders(&line, &[0, 2, 1], &[2, 1, 0], &[0, 2, 1]);
    let cube = conv(&[1, 2, 3, 4, 5], &[3, 2, 2, 1, 2]).strides(&[1, 1, 2]);
    check_orders(&cube, &[0, 2, 3, 4, 1], &[2, 3, 4, 1, 0], &[0, 2, 3, 4, 1]);
}

#[test]
fn groups_with_features_last() {
    let last = [0, 2, 3, 1];
    let grouped = conv(&[2, 6, 5, 4], &[4, 3, 2, 2]).strides(&[1, 1]).groups(2, 1);
    check_orders(&grouped, &last, &[2, 3, 1, 0], &last);
    let each = conv(&[1, 12, 6, 5], &[24, 1, 3, 2]).strides(&[2, 1]).groups(12, 1);
    check_orders(&each, &last, &[2, 3, 1, 0], &last);
    let batches = conv(&[6, 2, 4, 5], &[3, 2, 2, 3]).strides(&[1, 1]).groups(1, 3);
    check_orders(&batches, &last, &[2, 3, 1, 0], &last);
}

/// The gradients of a convolution's operands for `seed`, the gradient of its result, by definition: every product
/// contributes one factor times the seed.
fn gradients(
    x: &Array,
    w: &Array,
    seed: &Array,
    strides: [usize; 2],
    padding: [usize; 2],
) -> (Array, Array) {
    let mut of_x = Array::of(&x.sizes, |_| 0.0);
    let mut of_w = Array::of(&w.sizes, |_| 0.0);
    for out in positions(&seed.sizes) {
        for tap in positions(&w.sizes[1..]) {
            let place = [0, 1]
                .map(|at| (out[2 + at] * strides[at] + tap[1 + at]) as i64 - padding[at] as i64);
            let from = [out[0] as i64, tap[0] as i64, place[0], place[1]];
            let Some(value) = x.inside(&from) else { continue };
            let from = from.map(|part| part as usize);
            let weight = [out[1], tap[0], tap[1], tap[2]];
            of_x.values[super::offset(&x.sizes, &from)] += w.at(&weight) * seed.at(&out);
            of_w.values[super::offset(&w.sizes, &weight)] += value * seed.at(&out);
        }
    }
    (of_x, of_w)
}

struct Layer {
    input: [usize; 4],
    kernel: [usize; 4],
    strides: [usize; 2],
    padding: [usize; 2],
}

const LAYERS: [Layer; 4] = [
    Layer { input: [2, 3, 6, 5], kernel: [4, 3, 3, 2], strides: [1, 1], padding: [0, 0] },
    Layer { input: [2, 3, 6, 5], kernel: [2, 3, 3, 3], strides: [1, 1], padding: [1, 1] },
    Layer { input: [1, 2, 7, 8], kernel: [3, 2, 3, 2], strides: [2, 3], padding: [1, 0] },
    // The last row and column of the image are never reached.
    Layer { input: [2, 1, 8, 9], kernel: [2, 1, 3, 3], strides: [3, 2], padding: [0, 1] },
];

impl Layer {
    fn case(&self) -> Conv {
        let padding = self.padding.map(|size| (size as i64, size as i64));
        conv(&self.input, &self.kernel).strides(&self.strides.map(|s| s as i64)).padding(&padding)
    }

    fn arrays(&self) -> (Array, Array, Array) {
        let (x, w) = (Array::mixed(&self.input, -9..10), Array::mixed(&self.kernel, -5..6));
        let seed = Array::mixed(&self.case().of(&x, &w).sizes, -6..8);
        (x, w, seed)
    }

    /// How much of the image after the last window is not covered.
    fn rest(&self, seed: &Array, at: usize) -> i64 {
        let room = self.input[2 + at] + 2 * self.padding[at] - self.kernel[2 + at];
        (room - (seed.sizes[2 + at] - 1) * self.strides[at]) as i64
    }
}

#[test]
fn the_gradient_of_the_image_is_a_convolution_of_the_seed_with_holes() {
    for layer in LAYERS {
        let (x, w, seed) = layer.arrays();
        let (expected, _) = gradients(&x, &w, &seed, layer.strides, layer.padding);
        let padding = [0, 1].map(|at| {
            let low = (layer.kernel[2 + at] - 1) as i64 - layer.padding[at] as i64;
            (low, low + layer.rest(&seed, at))
        });
        let mut numbers = layer.case().numbers();
        (numbers.kernel_output_feature_dimension, numbers.kernel_input_feature_dimension) = (1, 0);
        let holes = layer.strides.map(|stride| stride as i64);
        let reversing = ConvOptions { window_reversal: vec![true; 2], ..ConvOptions::default() };
        let plain = ConvOptions::default();
        // The kernel is reversed by the convolution, or before it.
        for reversed in [true, false] {
            check_arrays(
                (layer.input, reversed),
                F32,
                &[&seed, &w],
                |_, p| {
                    let w = if reversed { p[1].clone() } else { p[1].rev(&[2, 3])? };
                    let options = if reversed { &reversing } else { &plain };
                    p[0].conv_general_dilated(&w, &[], &padding, &holes, &[], &numbers, options)
                },
                &expected,
            );
        }
    }
}

#[test]
fn the_gradient_of_the_kernel_is_a_convolution_over_the_batch() {
    for layer in LAYERS {
        let (x, w, seed) = layer.arrays();
        let (_, expected) = gradients(&x, &w, &seed, layer.strides, layer.padding);
        // Images count as features and features as images; the seed is a kernel with holes.
        let mut numbers = layer.case().numbers();
        (numbers.input_batch_dimension, numbers.input_feature_dimension) = (1, 0);
        (numbers.kernel_output_feature_dimension, numbers.kernel_input_feature_dimension) = (1, 0);
        (numbers.output_batch_dimension, numbers.output_feature_dimension) = (1, 0);
        let padding = [0, 1].map(|at| {
            let low = layer.padding[at] as i64;
            (low, low - layer.rest(&seed, at))
        });
        let holes = layer.strides.map(|stride| stride as i64);
        let options = ConvOptions::default();
        check_arrays(
            layer.input,
            F32,
            &[&x, &seed],
            |_, p| p[0].conv_general_dilated(&p[1], &[], &padding, &[], &holes, &numbers, &options),
            &expected,
        );
    }
}

#[test]
fn a_bias_and_a_clamp_after_a_convolution_and_after_another() {
    let (x, w, v) = (
        Array::mixed(&[1, 2, 6, 6], -6..7),
        Array::mixed(&[3, 2, 3, 3], -4..5),
        Array::mixed(&[2, 3, 1, 1], -5..6),
    );
    let bias = Array::mixed(&[3], -20..21);
    let (first, second) =
        (conv(&x.sizes, &w.sizes).padding(&[(1, 1), (1, 1)]), conv(&[1, 3, 6, 6], &v.sizes));
    let middle = first.of(&x, &w);
    let middle =
        Array::of(&middle.sizes, |index| (middle.at(index) + bias.at(&index[1..2])).max(0.0));
    let options = ConvOptions::default();
    check_arrays(
        "layers",
        F32,
        &[&x, &w, &bias, &v],
        |_, p| {
            let y =
                p[0].conv_with_general_padding(&p[1], &[1, 1], &first.all_padding(), &options)?;
            let y = y.add_in_dim(&p[2], &[1])?.max(0.0)?;
            y.conv(&p[3], &[1, 1], strata_builder::Padding::Valid, &options)
        },
        &second.of(&middle, &v),
    );
}
