//! Convolutions compared with the documents' loop.

use strata_builder::{
    ConvOptions, ConvolutionDimensionNumbers, DotOptions, F32, Literal, Op, Padding, Result,
};

use super::{build, counted, gives, refuses, run, shape};

/// The pseudocode of the documents: `input(b, iz, y, x)`, `kernel(oz, iz, ky, kx)`.
fn reference(
    input: &[f32],
    kernel: &[f32],
    n: [usize; 4],
    k: [usize; 4],
    stride: [i64; 2],
    pad: [(i64, i64); 2],
) -> Literal {
    let out = |at: usize| {
        let size = n[2 + at] as i64 + pad[at].0 + pad[at].1 - k[2 + at] as i64;
        if size < 0 { 0 } else { (size / stride[at] + 1) as usize }
    };
    let sizes = [n[0], k[0], out(0), out(1)];
    let mut values = Vec::new();
    for b in 0..sizes[0] {
        for oz in 0..sizes[1] {
            for oy in 0..sizes[2] {
                for ox in 0..sizes[3] {
                    let mut value = 0.0;
                    for iz in 0..k[1] {
                        for ky in 0..k[2] {
                            for kx in 0..k[3] {
                                let iy = oy as i64 * stride[0] + ky as i64 - pad[0].0;
                                let ix = ox as i64 * stride[1] + kx as i64 - pad[1].0;
                                if (0..n[2] as i64).contains(&iy) && (0..n[3] as i64).contains(&ix)
                                {
                                    let at =
                                        ((b * n[1] + iz) * n[2] + iy as usize) * n[3] + ix as usize;
                                    value += input[at]
                                        * kernel[((oz * k[1] + iz) * k[2] + ky) * k[3] + kx];
                                }
                            }
                        }
                    }
                    values.push(value);
                }
            }
        }
    }
    Literal::new(&sizes, &values).expect("as many")
}

fn both(
    convolve: impl Fn(&Op, &Op) -> Result<Op>,
    n: [usize; 4],
    k: [usize; 4],
) -> (Literal, Literal, Literal) {
    let dimensions = |sizes: [usize; 4]| sizes.map(|size| size as i64);
    let program = build(|b| {
        let input = b.parameter(F32, dimensions(n), "input");
        convolve(&input, &b.parameter(F32, dimensions(k), "kernel"))
    });
    let (input, kernel) = (counted::<f32>(-3, &n), counted::<f32>(-2, &k));
    let found = run(&program, &[input.clone(), kernel.clone()]).remove(0);
    (found, input, kernel)
}

fn values(literal: &Literal) -> Vec<f32> {
    literal.to_vec().expect("floats")
}

#[test]
fn d000_conv_with_general_padding_is_the_pseudocode() {
    let (n, k) = ([2, 3, 5, 4], [2, 3, 3, 2]);
    for (stride, pad) in [
        ([1, 1], [(0, 0), (0, 0)]),
        ([2, 1], [(1, 0), (2, 3)]),
        ([1, 3], [(-1, 2), (0, -1)]),
        ([3, 2], [(2, 2), (1, 1)]),
    ] {
        let (found, input, kernel) = both(
            |x, w| x.conv_with_general_padding(w, &stride, &pad, &ConvOptions::default()),
            n,
            k,
        );
        assert_eq!(
            found,
            reference(&values(&input), &values(&kernel), n, k, stride, pad),
            "{stride:?} {pad:?}"
        );
    }
}

#[test]
fn d000_conv_same_and_valid() {
    let (n, k) = ([1, 1, 4, 5], [1, 1, 3, 2]);
    let options = ConvOptions::default();
    let (valid, input, kernel) = both(|x, w| x.conv(w, &[1, 1], Padding::Valid, &options), n, k);
    let (input, kernel) = (values(&input), values(&kernel));
    assert_eq!(valid, reference(&input, &kernel, n, k, [1, 1], [(0, 0), (0, 0)]));
    // Padding that preserves the shape, with an odd element at the end.
    let (same, ..) = both(|x, w| x.conv(w, &[1, 1], Padding::Same, &options), n, k);
    assert_eq!(same.dimensions(), n);
    assert_eq!(same, reference(&input, &kernel, n, k, [1, 1], [(1, 1), (0, 1)]));
}

/// Batch and features last, as in most frameworks.
fn features_last() -> ConvolutionDimensionNumbers {
    ConvolutionDimensionNumbers {
        input_batch_dimension: 0,
        input_spatial_dimensions: vec![1, 2],
        input_feature_dimension: 3,
        kernel_spatial_dimensions: vec![0, 1],
        kernel_input_feature_dimension: 2,
        kernel_output_feature_dimension: 3,
        output_batch_dimension: 0,
        output_spatial_dimensions: vec![1, 2],
        output_feature_dimension: 3,
    }
}

#[test]
fn d002_conv_with_general_dimensions_and_conv_general() {
    let (n, k) = ([1, 2, 4, 5], [3, 2, 3, 2]);
    let options = ConvOptions::default();
    let last = |x: &Op, w: &Op| -> Result<(Op, Op)> {
        Ok((x.transpose(&[0, 2, 3, 1])?, w.transpose(&[2, 3, 1, 0])?))
    };
    let (found, input, kernel) = both(
        |x, w| {
            let (x, w) = last(x, w)?;
            x.conv_general(&w, &[2, 1], &[(1, 0), (0, 1)], &features_last(), &options)?
                .transpose(&[0, 3, 1, 2])
        },
        n,
        k,
    );
    assert_eq!(found, reference(&values(&input), &values(&kernel), n, k, [2, 1], [(1, 0), (0, 1)]));
    let (found, input, kernel) = both(
        |x, w| {
            let (x, w) = last(x, w)?;
            x.conv_with_general_dimensions(&w, &[1, 1], Padding::Same, &features_last(), &options)?
                .transpose(&[0, 3, 1, 2])
        },
        n,
        k,
    );
    assert_eq!(found, reference(&values(&input), &values(&kernel), n, k, [1, 1], [(1, 1), (0, 1)]));
}

fn spatial_1d() -> ConvolutionDimensionNumbers {
    ConvolutionDimensionNumbers {
        input_batch_dimension: 0,
        input_feature_dimension: 1,
        input_spatial_dimensions: vec![2],
        kernel_output_feature_dimension: 0,
        kernel_input_feature_dimension: 1,
        kernel_spatial_dimensions: vec![2],
        output_batch_dimension: 0,
        output_feature_dimension: 1,
        output_spatial_dimensions: vec![2],
    }
}

#[test]
fn d000_conv_dilation_puts_holes_between_entries() {
    let options = ConvOptions::default();
    let dilated = |left: &'static [i64], right: &'static [i64]| {
        let options = options.clone();
        move |b: &strata_builder::Builder| {
            let x = b.constant([[[1.0_f32, 2.0, 3.0]]]);
            let w = b.constant([[[1.0_f32, 10.0]]]);
            x.conv_general_dilated(&w, &[1], &[(0, 0)], left, right, &spatial_1d(), &options)
        }
    };
    // 1 0 2 0 3 under 1 10.
    gives(dilated(&[2], &[]), [[[1.0_f32, 20.0, 2.0, 30.0]]]);
    // 1 2 3 under 1 0 10.
    gives(dilated(&[], &[2]), [[[31.0_f32]]]);
    refuses(dilated(&[0], &[]), "S1005", "");
    refuses(dilated(&[], &[0]), "S1005", "");
    refuses(dilated(&[1, 1], &[]), "S1005", "");
}

#[test]
fn d002_conv_general_dilated_reverses_the_window() {
    let options = ConvOptions { window_reversal: vec![true], ..ConvOptions::default() };
    gives(
        |b| {
            let x = b.constant([[[1.0_f32, 2.0, 3.0]]]);
            let w = b.constant([[[1.0_f32, 10.0]]]);
            x.conv_general_dilated(&w, &[1], &[(0, 0)], &[1], &[1], &spatial_1d(), &options)
        },
        [[[12.0_f32, 23.0]]],
    );
}

#[test]
fn d000_conv_groups() {
    let grouped = |features: i64, batches: i64, n: [i64; 3], k: [i64; 3]| {
        move |b: &strata_builder::Builder| {
            let options = ConvOptions {
                feature_group_count: features,
                batch_group_count: batches,
                ..ConvOptions::default()
            };
            b.parameter(F32, n, "x").conv(b.parameter(F32, k, "w"), &[1], Padding::Valid, &options)
        }
    };
    assert_eq!(shape(grouped(2, 1, [1, 4, 5], [6, 2, 3])), "f32[1,6,3]");
    // The output batch is input batch / batch_group_count.
    assert_eq!(shape(grouped(1, 2, [4, 3, 5], [6, 3, 3])), "f32[2,6,3]");
    refuses(grouped(2, 1, [1, 3, 5], [6, 2, 3]), "S1005", "");
    refuses(grouped(2, 1, [1, 4, 5], [5, 2, 3]), "S1005", "");
    refuses(grouped(2, 1, [1, 4, 5], [6, 4, 3]), "S1005", "");
    refuses(grouped(1, 2, [3, 3, 5], [6, 3, 3]), "S1005", "");
    refuses(grouped(1, 4, [4, 3, 5], [6, 3, 3]), "S1005", "");
    refuses(grouped(2, 2, [4, 4, 5], [6, 2, 3]), "S1005", "");
    refuses(grouped(0, 1, [1, 4, 5], [6, 2, 3]), "S1005", "");
    refuses(grouped(1, -1, [1, 4, 5], [6, 2, 3]), "S1005", "");
    // Depthwise: each feature has its own kernel.
    gives(
        |b| {
            let options = ConvOptions { feature_group_count: 2, ..ConvOptions::default() };
            let x = b.constant([[[1.0_f32, 2.0], [3.0, 4.0]]]);
            x.conv(b.constant([[[1.0_f32, 1.0]], [[10.0, 10.0]]]), &[1], Padding::Valid, &options)
        },
        [[[3.0_f32], [70.0]]],
    );
}

#[test]
fn d000_conv_rules() {
    let options = ConvOptions::default();
    let conv = |n: &'static [i64], k: &'static [i64], strides: &'static [i64]| {
        let options = options.clone();
        move |b: &strata_builder::Builder| {
            b.parameter(F32, n, "x").conv(
                b.parameter(F32, k, "w"),
                strides,
                Padding::Valid,
                &options,
            )
        }
    };
    assert_eq!(shape(conv(&[1, 2, 5], &[3, 2, 2], &[2])), "f32[1,3,2]");
    assert_eq!(shape(conv(&[1, 2, 5], &[3, 2, 2], &[])), "f32[1,3,4]");
    assert_eq!(shape(conv(&[1, 2], &[3, 2], &[])), "f32[1,3]");
    refuses(conv(&[1, 2, 5], &[3, 1, 2], &[1]), "S1005", "");
    refuses(conv(&[1, 2, 5], &[3, 2, 2], &[0]), "S1005", "");
    refuses(conv(&[1, 2, 5], &[3, 2, 2], &[1, 1]), "S1005", "");
    refuses(conv(&[1, 2, 5], &[3, 2, 2, 2], &[1]), "S1005", "");
    refuses(conv(&[5], &[5], &[]), "S1005", "");
    let mut numbers = spatial_1d();
    numbers.output_feature_dimension = 0;
    refuses(
        |b| {
            let x = b.parameter(F32, [1, 2, 5], "x");
            x.conv_general(b.parameter(F32, [3, 2, 2], "w"), &[1], &[(0, 0)], &numbers, &options)
        },
        "S1005",
        "",
    );
    let wide = ConvOptions {
        dot: DotOptions {
            preferred_element_type: Some(strata_builder::S32),
            ..DotOptions::default()
        },
        ..ConvOptions::default()
    };
    gives(
        |b| {
            b.constant([[[100_i8, 100]]]).conv(
                b.constant([[[100_i8, 100]]]),
                &[],
                Padding::Valid,
                &wide,
            )
        },
        [[[20_000_i32]]],
    );
}
