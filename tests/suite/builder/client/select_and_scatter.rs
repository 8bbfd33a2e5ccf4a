//! The gradient of pooling: elements given back to the place of each window that was selected.

use strata_builder::{Computation, ElementType, F32, Literal, Padding, S32};

use super::{
    Array, check_arrays, of_scalars, offset, positions,
    reduce_window::{Moves, moves},
};

/// Each element of `source` added where its window has its extreme element; of equal ones the first.
fn given_back(
    x: &Array,
    window: &Moves,
    source: &Array,
    init: f64,
    better: fn(f64, f64) -> bool,
) -> Array {
    let mut result = Array::of(&x.sizes, |_| init);
    let sizes: Vec<usize> = window.sizes.iter().map(|size| *size as usize).collect();
    for output in positions(&source.sizes) {
        let mut selected: Option<(usize, f64)> = None;
        for element in positions(&sizes) {
            let index = window.source(&output, &element).expect("no holes");
            let Some(value) = x.inside(&index) else { continue };
            let at: Vec<usize> = index.iter().map(|part| *part as usize).collect();
            if selected.is_none_or(|(_, best)| better(value, best)) {
                selected = Some((offset(&x.sizes, &at), value));
            }
        }
        if let Some((at, _)) = selected {
            result.values[at] += source.at(&output);
        }
    }
    result
}

fn check_max(sizes: &[usize], element: ElementType, window: &Moves, init: f64) {
    let x = Array::mixed(sizes, -90..91);
    let source = Array::mixed(&window.positions(sizes), 1..20);
    let ge = Computation::ge(element).expect("a comparison");
    let add = Computation::add(element).expect("a sum");
    let padding = match &window.padding[..] {
        [] => Padding::Valid,
        given => Padding::General(given.to_vec()),
    };
    check_arrays(
        (sizes, window),
        element,
        &[&x, &source],
        |_, p| {
            let init = Literal::full(element, &[], init)?;
            let (sizes, strides) = (&window.sizes, &window.strides);
            p[0].select_and_scatter(&ge, sizes, strides, padding, &p[1], init, &add)
        },
        &given_back(&x, window, &source, init, |value, best| value > best),
    );
}

#[test]
fn windows_beside_each_other() {
    let cases: [(&[usize], Moves); 5] = [
        (&[6], moves(&[2], &[2], &[])),
        (&[9], moves(&[3], &[3], &[])),
        (&[4, 6], moves(&[2, 3], &[2, 3], &[])),
        (&[2, 6, 4, 3], moves(&[1, 2, 2, 1], &[1, 2, 2, 1], &[])),
        (&[2, 3, 6, 4], moves(&[1, 1, 3, 2], &[1, 1, 3, 2], &[])),
    ];
    for (sizes, window) in cases {
        check_max(sizes, F32, &window, 0.0);
    }
}

#[test]
fn windows_of_one_element() {
    check_max(&[3, 4], F32, &moves(&[1, 1], &[1, 1], &[]), 0.0);
    check_max(&[5], S32, &moves(&[1], &[2], &[]), 0.0);
}

#[test]
fn windows_over_each_other_and_with_gaps() {
    let cases: [(&[usize], Moves); 5] = [
        (&[9], moves(&[3], &[1], &[])),
        (&[9], moves(&[2], &[3], &[])),
        (&[5, 7], moves(&[3, 3], &[1, 2], &[])),
        (&[5, 7], moves(&[2, 2], &[3, 4], &[])),
        (&[1, 7, 6, 2], moves(&[1, 3, 3, 1], &[1, 2, 1, 1], &[])),
    ];
    for (sizes, window) in cases {
        check_max(sizes, F32, &window, 0.0);
        check_max(sizes, S32, &window, 0.0);
    }
}

#[test]
fn windows_in_padding() {
    let cases: [(&[usize], Moves); 4] = [
        (&[5], moves(&[3], &[2], &[(1, 1)])),
        (&[5, 4], moves(&[2, 3], &[2, 2], &[(0, 1), (1, 1)])),
        (&[2, 5, 5, 2], moves(&[1, 3, 3, 1], &[1, 2, 2, 1], &[(0, 0), (1, 1), (1, 1), (0, 0)])),
        (&[6], moves(&[2], &[1], &[(1, 0)])),
    ];
    for (sizes, window) in cases {
        check_max(sizes, F32, &window, 0.0);
    }
}

#[test]
fn the_first_of_equal_elements_is_selected() {
    let x = Array::of(&[2, 6], |index| [4.0, 4.0, 1.0, 4.0, 7.0, 7.0][index[1]]);
    let window = moves(&[2, 3], &[2, 3], &[]);
    let source = Array::mixed(&[1, 2], 3..20);
    let ge = Computation::ge(F32).expect("a comparison");
    let add = Computation::add(F32).expect("a sum");
    check_arrays(
        "ties",
        F32,
        &[&x, &source],
        |_, p| {
            let size = &[2, 3];
            p[0].select_and_scatter(&ge, size, size, Padding::Valid, &p[1], 0.0, &add)
        },
        &given_back(&x, &window, &source, 0.0, |value, best| value > best),
    );
}

#[test]
fn the_smallest_elements_and_another_initial_value() {
    let x = Array::mixed(&[4, 9], -90..91);
    let window = moves(&[2, 3], &[1, 3], &[]);
    let source = Array::mixed(&[3, 3], 1..20);
    let le = Computation::le(F32).expect("a comparison");
    let add = Computation::add(F32).expect("a sum");
    check_arrays(
        "smallest",
        F32,
        &[&x, &source],
        |_, p| p[0].select_and_scatter(&le, &[2, 3], &[1, 3], Padding::Valid, &p[1], 5.0, &add),
        &given_back(&x, &window, &source, 5.0, |value, best| value < best),
    );
    check_max(&[4, 6], F32, &moves(&[2, 2], &[1, 1], &[]), -3.0);
}

#[test]
fn what_is_scattered_by_a_maximum() {
    // Two windows that select one element: the larger of their numbers is kept.
    let x = Array::of(&[5], |index| [1.0, 2.0, 9.0, 3.0, 4.0][index[0]]);
    let source = Array::of(&[3], |index| [6.0, 8.0, 7.0][index[0]]);
    let ge = Computation::ge(S32).expect("a comparison");
    let larger = of_scalars("larger", S32, 2, |_, p| p[0].max(&p[1]));
    check_arrays(
        "larger",
        S32,
        &[&x, &source],
        |_, p| p[0].select_and_scatter(&ge, &[3], &[1], Padding::Valid, &p[1], -1, &larger),
        &Array::of(&[5], |index| if index[0] == 2 { 8.0 } else { -1.0 }),
    );
}

#[test]
fn nothing_to_give_back() {
    check_max(&[0, 4], F32, &moves(&[1, 2], &[1, 2], &[]), 0.0);
    check_max(&[3], F32, &moves(&[4], &[1], &[]), 2.0);
}

#[test]
fn the_gradient_of_a_pooled_square() {
    let x = Array::mixed(&[4, 6], -9..10);
    let squares = Array::of(&[4, 6], |index| x.at(index) * x.at(index) * 3.0 + x.at(index));
    let window = moves(&[2, 2], &[2, 2], &[]);
    let source = Array::of(&[2, 3], |_| 1.0);
    let back = given_back(&squares, &window, &source, 0.0, |value, best| value > best);
    let expected = Array::of(&[4, 6], |index| back.at(index) * (6.0 * x.at(index) + 1.0));
    let ge = Computation::ge(F32).expect("a comparison");
    let add = Computation::add(F32).expect("a sum");
    check_arrays(
        "square",
        F32,
        &[&x],
        |b, p| {
            let squares = (p[0].mul(&p[0])? * 3.0)? + &p[0];
            let ones = b.constant(1.0_f32).broadcast(&[2, 3])?;
            let size = &[2, 2];
            let back =
                squares?.select_and_scatter(&ge, size, size, Padding::Valid, ones, 0.0, &add)?;
            back * ((&p[0] * 6.0)? + 1.0)?
        },
        &expected,
    );
}
