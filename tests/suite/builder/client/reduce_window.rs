//! Windows reduced: sizes, strides, padding and dilations of every rank, compared with loops over positions.

use strata_builder::{Computation, ElementType, F32, Literal, Padding, S32, Window};

use super::{Array, check_arrays, of_scalars, positions};

/// A window with its padding; empty lists are 1, or no padding, along each dimension.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves {
    pub(super) sizes: Vec<i64>,
    pub(super) strides: Vec<i64>,
    pub(super) base: Vec<i64>,
    pub(super) dilations: Vec<i64>,
    pub(super) padding: Vec<(i64, i64)>,
}

impl Moves {
    fn one(list: &[i64], at: usize) -> i64 {
        list.get(at).copied().unwrap_or(1)
    }

    fn pad(&self, at: usize) -> (i64, i64) {
        self.padding.get(at).copied().unwrap_or((0, 0))
    }

    /// How many positions the window has along each dimension.
    pub(super) fn positions(&self, sizes: &[usize]) -> Vec<usize> {
        let along = |(at, size): (usize, &usize)| {
            let size = *size as i64;
            let size = if size == 0 { 0 } else { (size - 1) * Self::one(&self.base, at) + 1 };
            let room = size + self.pad(at).0 + self.pad(at).1;
            let window = (self.sizes[at] - 1) * Self::one(&self.dilations, at) + 1;
            if room < window { 0 } else { (room - window) / Self::one(&self.strides, at) + 1 }
        };
        sizes.iter().enumerate().map(|one| along(one) as usize).collect()
    }

    /// Where the window's element is in the array; `None` in padding and holes.
    pub(super) fn source(&self, output: &[usize], element: &[usize]) -> Option<Vec<i64>> {
        let along = |at: usize| {
            let start = output[at] as i64 * Self::one(&self.strides, at) - self.pad(at).0;
            let place = start + element[at] as i64 * Self::one(&self.dilations, at);
            let base = Self::one(&self.base, at);
            (place.rem_euclid(base) == 0).then(|| place.div_euclid(base))
        };
        (0..output.len()).map(along).collect()
    }

    /// The reduction of elements in bounds, from `init` on. With the identity of `function` padding does not matter.
    pub(super) fn reduced(
        &self,
        x: &Array,
        init: f64,
        function: impl Fn(f64, f64) -> f64,
    ) -> Array {
        let window: Vec<usize> = self.sizes.iter().map(|size| *size as usize).collect();
        Array::of(&self.positions(&x.sizes), |output| {
            positions(&window)
                .filter_map(|element| self.source(output, &element))
                .filter_map(|index| x.inside(&index))
                .fold(init, &function)
        })
    }

    pub(super) fn window(&self) -> Window<'_> {
        Window {
            dimensions: &self.sizes,
            strides: &self.strides,
            base_dilations: &self.base,
            window_dilations: &self.dilations,
        }
    }

    /// Padding that preserves the size for strides of 1, with an odd element at the end.
    fn same(mut self, sizes: &[usize]) -> Self {
        let along = |(at, size): (usize, &usize)| {
            let (size, stride) = (*size as i64, Self::one(&self.strides, at));
            let positions = (size + stride - 1) / stride;
            let total = ((positions - 1) * stride + self.sizes[at] - size).max(0);
            (total / 2, total - total / 2)
        };
        self.padding = sizes.iter().enumerate().map(along).collect();
        self
    }
}

pub(super) fn moves(sizes: &[i64], strides: &[i64], padding: &[(i64, i64)]) -> Moves {
    Moves {
        sizes: sizes.to_vec(),
        strides: strides.to_vec(),
        padding: padding.to_vec(),
        ..Moves::default()
    }
}

fn padding_or_none(moves: &Moves) -> Vec<(i64, i64)> {
    (0..moves.sizes.len()).map(|at| moves.pad(at)).collect()
}

/// Sum, maximum and minimum under one window.
pub(super) fn check_window(sizes: &[usize], element: ElementType, moves: &Moves) {
    let x = Array::mixed(sizes, -60..61);
    let padding = padding_or_none(moves);
    let sum = Computation::add(element).expect("a sum");
    check_arrays(
        ("sum", sizes, moves),
        element,
        &[&x],
        |_, p| p[0].reduce_window_with_general_padding(0, &sum, &moves.window(), &padding),
        &moves.reduced(&x, 0.0, |x, y| x + y),
    );
    let max = Computation::max(element).expect("a maximum");
    check_arrays(
        ("max", sizes, moves),
        element,
        &[&x],
        |_, p| p[0].reduce_window_with_general_padding(-100, &max, &moves.window(), &padding),
        &moves.reduced(&x, -100.0, f64::max),
    );
    let min = Computation::min(element).expect("a minimum");
    check_arrays(
        ("min", sizes, moves),
        element,
        &[&x],
        |_, p| p[0].reduce_window_with_general_padding(100, &min, &moves.window(), &padding),
        &moves.reduced(&x, 100.0, f64::min),
    );
}

#[test]
fn windows_over_vectors() {
    // size, window, stride, padding before and after
    let cases = [
        (1, 1, 1, (0, 0)),
        (1, 3, 1, (1, 1)),
        (5, 5, 1, (0, 0)),
        (6, 4, 3, (0, 0)),
        (7, 3, 2, (0, 1)),
        (7, 2, 5, (3, 0)),
        (9, 4, 1, (3, 3)),
        (10, 3, 7, (1, 0)),
        (33, 8, 8, (0, 0)),
        (37, 8, 3, (2, 5)),
        (130, 17, 1, (8, 8)),
        (131, 128, 1, (0, 0)),
        // The window starts after the first elements and stops before the last ones.
        (9, 2, 2, (-1, 0)),
        (9, 3, 1, (-2, -3)),
        (9, 3, 2, (2, -4)),
        // Positions entirely in padding.
        (2, 2, 2, (4, 5)),
    ];
    for (size, window, stride, padding) in cases {
        check_window(&[size], F32, &moves(&[window], &[stride], &[padding]));
    }
}

#[test]
fn windows_over_matrices() {
    let cases: [(&[usize], Moves); 9] = [
        (&[1, 1], moves(&[1, 1], &[1, 1], &[])),
        (&[4, 7], moves(&[2, 3], &[1, 1], &[])),
        (&[4, 7], moves(&[2, 3], &[2, 3], &[(0, 0), (1, 1)])),
        (&[5, 5], moves(&[5, 1], &[1, 1], &[(4, 0), (0, 0)])),
        (&[3, 19], moves(&[3, 3], &[1, 2], &[(1, 1), (1, 1)])),
        (&[6, 70], moves(&[1, 5], &[1, 1], &[(0, 0), (2, 2)])),
        (&[70, 6], moves(&[5, 1], &[3, 1], &[(2, 2), (0, 0)])),
        (&[2, 9], moves(&[4, 4], &[1, 4], &[(2, 1), (0, 3)])),
        (&[6, 6], moves(&[2, 2], &[2, 1], &[(-1, -1), (1, -2)])),
    ];
    for (sizes, moves) in cases {
        check_window(sizes, S32, &moves);
    }
}

#[test]
fn windows_over_three_dimensions() {
    let cases: [(&[usize], Moves); 5] = [
        (&[2, 4, 5], moves(&[1, 2, 2], &[1, 2, 2], &[])),
        (&[3, 4, 5], moves(&[2, 3, 4], &[1, 1, 1], &[])),
        (&[5, 3, 7], moves(&[3, 1, 3], &[2, 1, 3], &[(1, 1), (0, 0), (1, 0)])),
        (&[1, 6, 17], moves(&[1, 3, 1], &[1, 1, 1], &[(0, 0), (2, 0), (0, 0)])),
        (&[4, 1, 1], moves(&[2, 1, 1], &[1, 1, 1], &[(0, 1), (0, 0), (0, 0)])),
    ];
    for (sizes, moves) in cases {
        check_window(sizes, F32, &moves);
    }
}

#[test]
fn windows_over_images() {
    let same = |sizes: &'static [usize], window: &[i64], strides: &[i64]| {
        (sizes, moves(window, strides, &[]).same(sizes))
    };
    let cases = [
        // Features last: the window moves over the middle.
        (&[2, 7, 6, 3][..], moves(&[1, 3, 2, 1], &[1, 2, 2, 1], &[])),
        same(&[2, 7, 6, 3], &[1, 3, 3, 1], &[1, 2, 2, 1]),
        // Features second: the window moves over the end.
        (&[2, 3, 7, 6], moves(&[1, 1, 2, 2], &[1, 1, 2, 2], &[])),
        same(&[1, 2, 5, 9], &[1, 1, 3, 5], &[1, 1, 1, 1]),
        // Over the slow dimensions, and across features alone.
        same(&[4, 5, 3, 6], &[3, 3, 1, 1], &[1, 1, 1, 1]),
        same(&[5, 7, 2, 19], &[3, 3, 1, 1], &[2, 2, 1, 1]),
        same(&[2, 3, 4, 21], &[1, 1, 1, 7], &[1, 1, 1, 1]),
        same(&[2, 3, 9, 4], &[1, 1, 7, 1], &[1, 1, 1, 1]),
        // Strides without a window leave elements out.
        (&[1, 5, 6, 2], moves(&[1, 1, 1, 1], &[1, 2, 3, 1], &[])),
    ];
    for (sizes, moves) in cases {
        check_window(sizes, F32, &moves);
    }
}

#[test]
fn windows_over_six_dimensions() {
    let shape = [3, 2, 4, 3, 2, 3];
    check_window(&shape, F32, &moves(&[2, 1, 3, 2, 1, 1], &[1; 6], &[]));
    let padding = [(0, 0), (1, 0), (0, 1), (0, 0), (0, 0), (1, 1)];
    check_window(&shape, S32, &moves(&[1, 2, 2, 3, 1, 2], &[1, 1, 2, 1, 1, 2], &padding));
}

#[test]
fn elements_of_the_array_and_of_the_window_apart() {
    let dilated = |base: &[i64], dilations: &[i64], moves: Moves| Moves {
        base: base.to_vec(),
        dilations: dilations.to_vec(),
        ..moves
    };
    let cases: [(&[usize], Moves); 10] = [
        (&[5], dilated(&[2], &[1], moves(&[3], &[1], &[]))),
        (&[5], dilated(&[3], &[1], moves(&[2], &[2], &[(1, 2)]))),
        (&[9], dilated(&[1], &[3], moves(&[3], &[1], &[(2, 2)]))),
        (&[9], dilated(&[1], &[4], moves(&[2], &[3], &[]))),
        (&[6], dilated(&[2], &[3], moves(&[3], &[2], &[(3, 1)]))),
        (&[6], dilated(&[3], &[2], moves(&[4], &[1], &[(-1, -2)]))),
        (&[1], dilated(&[5], &[2], moves(&[2], &[1], &[(2, 2)]))),
        (&[4, 5], dilated(&[2, 1], &[1, 2], moves(&[2, 2], &[1, 1], &[(1, 0), (0, 1)]))),
        (&[3, 4], dilated(&[1, 3], &[2, 1], moves(&[2, 3], &[1, 2], &[]))),
        (
            &[1, 4, 4, 2],
            dilated(&[1, 2, 2, 1], &[1, 2, 1, 1], moves(&[1, 2, 3, 1], &[1, 1, 2, 1], &[])),
        ),
    ];
    for (sizes, moves) in cases {
        check_window(sizes, F32, &moves);
    }
}

#[test]
fn nothing_to_reduce() {
    // Dimensions of size 0, windows that are nowhere, and results that are padding alone.
    let cases: [(&[usize], Moves); 6] = [
        (&[0], moves(&[2], &[1], &[(0, 0)])),
        (&[0], moves(&[2], &[1], &[(2, 1)])),
        (&[2, 0, 3], moves(&[1, 1, 2], &[1, 1, 1], &[])),
        (&[3], moves(&[4], &[1], &[])),
        (&[4, 2], moves(&[2, 3], &[1, 1], &[])),
        (&[3], moves(&[1], &[1], &[(-2, -1)])),
    ];
    for (sizes, moves) in cases {
        check_window(sizes, F32, &moves);
    }
}

#[test]
fn same_and_valid_padding_of_vectors() {
    let sum = Computation::add(S32).expect("a sum");
    for (size, window, stride) in
        [(5, 3, 1), (5, 3, 2), (6, 4, 1), (6, 4, 2), (8, 2, 3), (3, 7, 1), (3, 7, 2), (4, 1, 3)]
    {
        let x = Array::mixed(&[size], -40..41);
        let valid = moves(&[window], &[stride], &[]);
        for (padding, moves) in
            [(Padding::Valid, valid.clone()), (Padding::Same, valid.clone().same(&[size]))]
        {
            check_arrays(
                (size, window, stride, &padding),
                S32,
                &[&x],
                |_, p| p[0].reduce_window(0, &sum, &[window], &[stride], padding.clone()),
                &moves.reduced(&x, 0.0, |x, y| x + y),
            );
        }
    }
}

#[test]
fn a_scalar_has_one_window_without_dimensions() {
    let sum = Computation::add(F32).expect("a sum");
    let x = Array::of(&[], |_| 42.0);
    check_arrays(
        "scalar",
        F32,
        &[&x],
        |_, p| p[0].reduce_window(0, &sum, &[], &[], Padding::Same),
        &x,
    );
}

#[test]
fn a_sum_of_all_elements_so_far() {
    let (element, size) = (S32, 23);
    let sum = Computation::add(element).expect("a sum");
    let x = Array::mixed(&[3, size], -50..51);
    let so_far = |index: &[usize]| (0..=index[1]).map(|at| x.at(&[index[0], at])).sum();
    let padding = Padding::General(vec![(0, 0), (size as i64 - 1, 0)]);
    check_arrays(
        "so far",
        element,
        &[&x],
        |_, p| p[0].reduce_window(0, &sum, &[1, size as i64], &[1, 1], padding),
        &Array::of(&[3, size], so_far),
    );
    // From the other end.
    let from_here = |index: &[usize]| (index[1]..size).map(|at| x.at(&[index[0], at])).sum();
    let padding = Padding::General(vec![(0, 0), (0, size as i64 - 1)]);
    check_arrays(
        "from here",
        element,
        &[&x],
        |_, p| p[0].reduce_window(0, &sum, &[1, size as i64], &[1, 1], padding),
        &Array::of(&[3, size], from_here),
    );
}

#[test]
fn an_initial_value_that_is_not_the_identity_counts_once() {
    let x = Array::mixed(&[4, 6], -30..31);
    let window = moves(&[2, 3], &[1, 2], &[]);
    let sum = Computation::add(F32).expect("a sum");
    check_arrays(
        "sum",
        F32,
        &[&x],
        |_, p| p[0].reduce_window(7, &sum, &[2, 3], &[1, 2], Padding::Valid),
        &window.reduced(&x, 7.0, |x, y| x + y),
    );
    let max = Computation::max(F32).expect("a maximum");
    check_arrays(
        "max",
        F32,
        &[&x],
        |_, p| p[0].reduce_window(5, &max, &[2, 3], &[1, 2], Padding::Valid),
        &window.reduced(&x, 5.0, f64::max),
    );
}

#[test]
fn a_function_of_several_operations() {
    // A sum that stops at 50, of numbers that are not negative.
    let capped = of_scalars("capped", F32, 2, |_, p| (&p[0] + &p[1])?.min(50.0));
    let x = Array::mixed(&[3, 8, 2], 0..31);
    let window = moves(&[2, 3, 1], &[1, 2, 1], &[(1, 0), (1, 1), (0, 0)]);
    check_arrays(
        "capped",
        F32,
        &[&x],
        |_, p| {
            let padding = padding_or_none(&window);
            p[0].reduce_window_with_general_padding(0.0, &capped, &window.window(), &padding)
        },
        &window.reduced(&x, 0.0, |x, y| (x + y).min(50.0)),
    );
}

#[test]
fn limits_of_the_element_type_as_initial_values() {
    for element in [F32, S32, strata_builder::S8, strata_builder::BF16] {
        let x = Array::mixed(&[11], -60..61);
        let max = Computation::max(element).expect("a maximum");
        let window = moves(&[3], &[2], &[(1, 1)]);
        check_arrays(
            element,
            element,
            &[&x],
            |_, p| {
                let init = Literal::min_value(element);
                p[0].reduce_window(init, &max, &[3], &[2], Padding::General(vec![(1, 1)]))
            },
            &window.reduced(&x, f64::NEG_INFINITY, f64::max),
        );
    }
}
