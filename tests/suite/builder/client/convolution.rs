//! Convolutions without groups, compared with loops: ranks, strides, padding, dilations, layouts and element types.

use strata_builder::{
    BF16, ConvOptions, ConvolutionDimensionNumbers, DotOptions, ElementType, F16, F32, F64,
    Padding, S8, S32, U8,
};

use super::{super::build, Array, Sizes, check, check_arrays, positions};

/// Everything that a convolution of (batch, feature, space…) with (output, input, space…) says. An empty list
/// means 1, no padding, or no reversal along each dimension.
#[derive(Clone, Debug)]
pub(super) struct Conv {
    pub(super) input: Vec<usize>,
    pub(super) kernel: Vec<usize>,
    pub(super) strides: Vec<i64>,
    pub(super) padding: Vec<(i64, i64)>,
    pub(super) lhs_dilation: Vec<i64>,
    pub(super) rhs_dilation: Vec<i64>,
    pub(super) reversal: Vec<bool>,
    pub(super) feature_groups: usize,
    pub(super) batch_groups: usize,
}

pub(super) fn conv(input: &[usize], kernel: &[usize]) -> Conv {
    Conv {
        input: input.to_vec(),
        kernel: kernel.to_vec(),
        strides: Vec::new(),
        padding: Vec::new(),
        lhs_dilation: Vec::new(),
        rhs_dilation: Vec::new(),
        reversal: Vec::new(),
        feature_groups: 1,
        batch_groups: 1,
    }
}

impl Conv {
    pub(super) fn strides(self, strides: &[i64]) -> Self {
        Self { strides: strides.to_vec(), ..self }
    }

    pub(super) fn padding(self, padding: &[(i64, i64)]) -> Self {
        Self { padding: padding.to_vec(), ..self }
    }

    pub(super) fn dilated(self, lhs: &[i64], rhs: &[i64]) -> Self {
        Self { lhs_dilation: lhs.to_vec(), rhs_dilation: rhs.to_vec(), ..self }
    }

    pub(super) fn reversed(self, reversal: &[bool]) -> Self {
        Self { reversal: reversal.to_vec(), ..self }
    }

    pub(super) fn groups(self, feature_groups: usize, batch_groups: usize) -> Self {
        Self { feature_groups, batch_groups, ..self }
    }

    fn space(&self) -> usize {
        self.input.len() - 2
    }

    /// Stride, dilations and padding along a spatial dimension.
    fn along(&self, at: usize) -> (i64, i64, i64, (i64, i64)) {
        let one = |list: &[i64]| list.get(at).copied().unwrap_or(1);
        let padding = self.padding.get(at).copied().unwrap_or((0, 0));
        (one(&self.strides), one(&self.lhs_dilation), one(&self.rhs_dilation), padding)
    }

    fn output(&self) -> Vec<usize> {
        let mut sizes = vec![self.input[0] / self.batch_groups, self.kernel[0]];
        for at in 0..self.space() {
            let (stride, lhs, rhs, padding) = self.along(at);
            let size = self.input[2 + at] as i64;
            let size = if size == 0 { 0 } else { (size - 1) * lhs + 1 } + padding.0 + padding.1;
            let kernel = self.kernel[2 + at] as i64;
            let kernel = if kernel == 0 { 0 } else { (kernel - 1) * rhs + 1 };
            sizes.push(if size < kernel { 0 } else { ((size - kernel) / stride + 1) as usize });
        }
        sizes
    }

    pub(super) fn of(&self, x: &Array, w: &Array) -> Array {
        let (outputs, depth) = (self.kernel[0], self.kernel[1]);
        Array::of(&self.output(), |index| {
            let (batch, feature) = (index[0], index[1]);
            let feature_group = feature * self.feature_groups / outputs;
            let batch_group = feature * self.batch_groups / outputs;
            let batch = batch_group * (self.input[0] / self.batch_groups) + batch;
            let mut sum = 0.0;
            for element in positions(&self.kernel[2..]) {
                let place: Option<Vec<i64>> = (0..self.space())
                    .map(|at| {
                        let (stride, lhs, rhs, padding) = self.along(at);
                        let place =
                            index[2 + at] as i64 * stride + element[at] as i64 * rhs - padding.0;
                        (place.rem_euclid(lhs) == 0).then(|| place.div_euclid(lhs))
                    })
                    .collect();
                let Some(place) = place else { continue };
                let tap: Vec<usize> = (0..self.space())
                    .map(|at| match self.reversal.get(at) {
                        Some(true) => self.kernel[2 + at] - 1 - element[at],
                        _ => element[at],
                    })
                    .collect();
                for z in 0..depth {
                    let feature_in = (feature_group * depth + z) as i64;
                    let from = [&[batch as i64, feature_in][..], &place].concat();
                    let weight = w.at(&[&[feature, z][..], &tap].concat());
                    sum += x.inside(&from).unwrap_or(0.0) * weight;
                }
            }
            sum
        })
    }

    pub(super) fn options(&self) -> ConvOptions {
        ConvOptions {
            feature_group_count: self.feature_groups as i64,
            batch_group_count: self.batch_groups as i64,
            window_reversal: self.reversal.clone(),
            ..ConvOptions::default()
        }
    }

    pub(super) fn numbers(&self) -> ConvolutionDimensionNumbers {
        let space: Vec<i64> = (2..2 + self.space() as i64).collect();
        ConvolutionDimensionNumbers {
            input_batch_dimension: 0,
            input_feature_dimension: 1,
            input_spatial_dimensions: space.clone(),
            kernel_output_feature_dimension: 0,
            kernel_input_feature_dimension: 1,
            kernel_spatial_dimensions: space.clone(),
            output_batch_dimension: 0,
            output_feature_dimension: 1,
            output_spatial_dimensions: space,
        }
    }

    pub(super) fn all_padding(&self) -> Vec<(i64, i64)> {
        (0..self.space()).map(|at| self.along(at).3).collect()
    }

    /// Built with every list given, of inputs that stay exact in narrow floats.
    pub(super) fn check(&self, element: ElementType) {
        let (x, w) = (Array::mixed(&self.input, -6..7), Array::mixed(&self.kernel, -4..6));
        let (mut strides, mut lhs, mut rhs) = (Vec::new(), Vec::new(), Vec::new());
        for at in 0..self.space() {
            let along = self.along(at);
            strides.push(along.0);
            lhs.push(along.1);
            rhs.push(along.2);
        }
        check_arrays(
            (element, self),
            element,
            &[&x, &w],
            |_, p| {
                let padding = self.all_padding();
                let (numbers, options) = (self.numbers(), self.options());
                p[0].conv_general_dilated(&p[1], &strides, &padding, &lhs, &rhs, &numbers, &options)
            },
            &self.of(&x, &w),
        );
    }
}

/// Padding of two dimensions.
type Edges = [(i64, i64); 2];

fn check_each(cases: &[Conv]) {
    cases.iter().for_each(|case| case.check(F32));
}

#[test]
fn one_spatial_dimension() {
    check_each(&[
        conv(&[1, 1, 5], &[1, 1, 2]),
        conv(&[1, 2, 7], &[3, 2, 3]),
        conv(&[2, 5, 9], &[4, 5, 1]),
        conv(&[3, 1, 33], &[2, 1, 4]).strides(&[3]),
        conv(&[2, 2, 8], &[2, 2, 3]).padding(&[(2, 1)]),
        conv(&[1, 16, 20], &[16, 16, 5]).padding(&[(2, 2)]),
        conv(&[2, 3, 11], &[2, 3, 3]).strides(&[2]).padding(&[(1, 1)]).dilated(&[1], &[2]),
    ]);
}

#[test]
fn kernels_and_strides_over_small_images() {
    check_each(&[
        conv(&[1, 1, 1, 1], &[1, 1, 1, 1]),
        conv(&[5, 1, 1, 1], &[1, 1, 1, 1]),
        conv(&[2, 1, 3, 4], &[1, 1, 1, 1]),
        conv(&[1, 2, 1, 1], &[3, 2, 1, 1]),
        conv(&[1, 1, 1, 3], &[1, 1, 1, 2]),
        conv(&[1, 1, 2, 3], &[1, 1, 2, 1]),
        conv(&[1, 1, 2, 2], &[1, 1, 2, 2]),
        conv(&[2, 2, 3, 4], &[2, 2, 1, 2]),
        conv(&[1, 1, 1, 5], &[1, 1, 1, 1]).strides(&[1, 2]),
        conv(&[1, 1, 1, 6], &[1, 1, 1, 3]).strides(&[1, 2]),
        conv(&[1, 1, 5, 4], &[1, 1, 1, 1]).strides(&[2, 3]),
        // The kernel covers the whole image.
        conv(&[1, 1, 6, 7], &[2, 1, 6, 7]),
        conv(&[3, 4, 4, 4], &[5, 4, 4, 4]),
    ]);
}

#[test]
fn images_with_features_and_batches() {
    check_each(&[
        conv(&[2, 3, 8, 7], &[4, 3, 3, 3]).padding(&[(1, 1), (1, 1)]),
        conv(&[1, 8, 6, 6], &[17, 8, 1, 1]),
        conv(&[4, 7, 5, 5], &[3, 7, 2, 4]).padding(&[(0, 1), (2, 1)]),
        conv(&[2, 16, 9, 9], &[16, 16, 3, 3]).strides(&[2, 2]).padding(&[(1, 1), (1, 1)]),
        conv(&[1, 3, 15, 15], &[8, 3, 7, 7]).strides(&[2, 2]).padding(&[(3, 3), (3, 3)]),
    ]);
}

#[test]
fn three_spatial_dimensions_and_none() {
    check_each(&[
        conv(&[1, 1, 3, 4, 5], &[1, 1, 2, 2, 2]),
        conv(&[2, 2, 4, 3, 5], &[3, 2, 2, 3, 1]).padding(&[(1, 0), (1, 1), (0, 2)]),
        conv(&[1, 3, 5, 5, 5], &[2, 3, 3, 3, 3])
            .strides(&[2, 1, 2])
            .dilated(&[1, 2, 1], &[2, 1, 1]),
        // Four dimensions of space, then a matmul.
        conv(&[1, 2, 3, 2, 3, 2], &[2, 2, 2, 1, 2, 2]),
        conv(&[3, 4], &[5, 4]),
        conv(&[1, 1], &[1, 1]),
    ]);
}

#[test]
fn padding_adds_and_takes_away() {
    check_each(&[
        conv(&[1, 2, 4, 5], &[2, 2, 2, 3]).padding(&[(3, 0), (0, 4)]),
        conv(&[1, 1, 6, 6], &[1, 1, 2, 2]).padding(&[(-1, 0), (0, -2)]),
        conv(&[2, 1, 6, 7], &[1, 1, 3, 3]).padding(&[(-2, 3), (4, -3)]).strides(&[1, 2]),
        // Padding that the kernel does not reach beyond, and more than the kernel is large.
        conv(&[1, 1, 1, 1], &[1, 1, 3, 3]).padding(&[(1, 1), (1, 1)]),
        conv(&[1, 1, 2, 2], &[1, 1, 2, 2]).padding(&[(5, 4), (3, 6)]),
        // Negative padding of an image with holes takes holes as well.
        conv(&[1, 1, 4, 4], &[1, 1, 2, 2]).padding(&[(-1, -1), (-2, 1)]).dilated(&[2, 3], &[1, 1]),
    ]);
}

#[test]
fn holes_in_the_image_and_in_the_kernel() {
    check_each(&[
        conv(&[1, 1, 4], &[1, 1, 2]).dilated(&[3], &[1]),
        conv(&[1, 1, 9], &[1, 1, 3]).dilated(&[1], &[4]),
        conv(&[1, 2, 5], &[2, 2, 3]).dilated(&[2], &[3]).padding(&[(4, 1)]),
        conv(&[2, 2, 4, 5], &[3, 2, 3, 2]).dilated(&[2, 1], &[1, 3]).padding(&[(1, 2), (0, 1)]),
        conv(&[1, 3, 5, 5], &[2, 3, 3, 3]).dilated(&[1, 1], &[2, 2]).padding(&[(2, 2), (2, 2)]),
        conv(&[1, 3, 4, 4], &[2, 3, 4, 4]).dilated(&[2, 2], &[1, 1]).padding(&[(2, 2), (2, 2)]),
        conv(&[1, 2, 3, 4], &[2, 2, 2, 2])
            .dilated(&[3, 2], &[2, 3])
            .strides(&[2, 1])
            .padding(&[(1, 0), (3, 2)]),
        // One element has no holes.
        conv(&[1, 1, 1, 1], &[1, 1, 1, 1]).dilated(&[7, 5], &[6, 4]),
    ]);
}

#[test]
fn kernels_read_backwards() {
    check_each(&[
        conv(&[1, 1, 6], &[1, 1, 3]).reversed(&[true]),
        conv(&[1, 2, 4, 5], &[2, 2, 2, 3]).reversed(&[true, false]),
        conv(&[1, 2, 4, 5], &[2, 2, 2, 3]).reversed(&[false, true]).strides(&[1, 2]),
        conv(&[2, 2, 5, 5], &[3, 2, 3, 2])
            .reversed(&[true, true])
            .padding(&[(1, 2), (0, 1)])
            .dilated(&[1, 2], &[2, 1]),
    ]);
}

#[test]
fn nothing_to_convolve() {
    check_each(&[
        conv(&[0, 2, 4, 4], &[3, 2, 2, 2]),
        conv(&[2, 0, 4, 4], &[3, 0, 2, 2]),
        conv(&[2, 2, 4, 4], &[0, 2, 2, 2]),
        conv(&[1, 1, 3, 3], &[1, 1, 4, 4]),
        conv(&[1, 1, 0, 4], &[2, 1, 2, 2]).padding(&[(2, 1), (0, 0)]),
        conv(&[1, 1, 0], &[1, 1, 1]),
    ]);
}

#[test]
fn element_types_that_are_convolved() {
    let small = conv(&[1, 2, 5, 6], &[2, 2, 2, 3]).padding(&[(1, 0), (1, 1)]).strides(&[1, 2]);
    for element in [F16, BF16, F64, S32, strata_builder::S64] {
        small.check(element);
    }
    // Narrow integers into wide sums.
    for (element, range) in [(S8, -100..101), (U8, 3..250)] {
        let (x, w) =
            (Array::mixed(&small.input, range.clone()), Array::mixed(&small.kernel, range));
        let dot = DotOptions { preferred_element_type: Some(S32), ..DotOptions::default() };
        let options = ConvOptions { dot, ..small.options() };
        let program = build(|b| {
            let x = x.parameter(b, element, "x");
            let w = w.parameter(b, element, "w");
            x.conv_with_general_padding(w, &[1, 2], &small.all_padding(), &options)
        });
        let expected = small.of(&x, &w).literal(S32);
        check(element, &program, &[x.literal(element), w.literal(element)], &[expected]);
    }
}

#[test]
fn same_padding_of_even_and_odd_kernels() {
    // The total padding of `Same`: enough for one position per started stride, with an odd element at the end.
    let cases: [(Sizes, Sizes, [i64; 2], Edges); 5] = [
        (&[1, 1, 1, 1], &[1, 1, 1, 3], [1, 1], [(0, 0), (1, 1)]),
        (&[1, 1, 1, 3], &[1, 1, 1, 5], [1, 1], [(0, 0), (2, 2)]),
        (&[1, 2, 4, 4], &[2, 2, 2, 4], [1, 1], [(0, 1), (1, 2)]),
        (&[1, 2, 5, 6], &[1, 2, 3, 3], [2, 2], [(1, 1), (0, 1)]),
        (&[1, 1, 7, 7], &[1, 1, 2, 1], [3, 3], [(0, 1), (0, 0)]),
    ];
    for (input, kernel, strides, padding) in cases {
        let case = conv(input, kernel).strides(&strides).padding(&padding);
        let covered = case.output();
        assert_eq!(covered[2] as i64, (input[2] as i64 + strides[0] - 1) / strides[0]);
        assert_eq!(covered[3] as i64, (input[3] as i64 + strides[1] - 1) / strides[1]);
        let (x, w) = (Array::mixed(input, -20..21), Array::mixed(kernel, -9..10));
        check_arrays(
            &case,
            F32,
            &[&x, &w],
            |_, p| p[0].conv(&p[1], &strides, Padding::Same, &ConvOptions::default()),
            &case.of(&x, &w),
        );
    }
}
