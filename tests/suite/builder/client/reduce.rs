//! Dimensions reduced: each subset of them, element types, several arrays at once.

use strata_builder::{
    BF16, Computation, ElementType, F16, F32, F64, Literal, PRED, S8, S32, S64, Shape, U8, U32,
};

use super::{super::build, Array, check, check_arrays, of_scalars, positions};

/// The elements along dimensions combined from `init` on, in row-major order.
fn reduced(
    x: &Array,
    dimensions: &[usize],
    init: f64,
    function: impl Fn(f64, f64) -> f64,
) -> Array {
    let kept: Vec<usize> = (0..x.sizes.len()).filter(|at| !dimensions.contains(at)).collect();
    let sizes: Vec<usize> = kept.iter().map(|at| x.sizes[*at]).collect();
    let inner: Vec<usize> = dimensions.iter().map(|at| x.sizes[*at]).collect();
    Array::of(&sizes, |index| {
        positions(&inner).fold(init, |value, part| {
            let mut own = vec![0; x.sizes.len()];
            kept.iter().zip(index).for_each(|(at, place)| own[*at] = *place);
            dimensions.iter().zip(&part).for_each(|(at, place)| own[*at] = *place);
            function(value, x.at(&own))
        })
    })
}

fn check_sum_and_max(x: &Array, element: ElementType, dimensions: &[usize]) {
    let sum = Computation::add(element).expect("a sum");
    let max = Computation::max(element).expect("a maximum");
    let list = super::signed(dimensions);
    check_arrays(
        ("sum", element, &x.sizes, dimensions),
        element,
        &[x],
        |_, p| p[0].reduce(0, &sum, &list),
        &reduced(x, dimensions, 0.0, |x, y| x + y),
    );
    let lowest = Literal::min_value(element).to_f64s()[0];
    check_arrays(
        ("max", element, &x.sizes, dimensions),
        element,
        &[x],
        |_, p| p[0].reduce(Literal::min_value(element), &max, &list),
        &reduced(x, dimensions, lowest, f64::max),
    );
}

#[test]
fn each_subset_of_four_dimensions() {
    let x = Array::mixed(&[3, 4, 2, 5], -60..61);
    for mask in 0..16 {
        let dimensions: Vec<usize> = (0..4).filter(|at| mask >> at & 1 == 1).collect();
        check_sum_and_max(&x, F32, &dimensions);
    }
}

#[test]
fn dimensions_in_any_order() {
    let x = Array::mixed(&[3, 4, 5], -60..61);
    for dimensions in [[1, 0], [2, 0], [2, 1]] {
        check_sum_and_max(&x, S32, &dimensions);
    }
    check_sum_and_max(&x, S32, &[1, 2, 0]);
}

#[test]
fn vectors_of_many_sizes() {
    for size in [1, 2, 3, 7, 8, 16, 31, 64, 127, 128, 129, 1000, 4099] {
        check_sum_and_max(&Array::mixed(&[size], -60..61), F32, &[0]);
    }
}

#[test]
fn rows_and_columns_of_matrices() {
    for sizes in [[1, 1], [1, 65], [65, 1], [17, 33], [2, 300], [300, 2], [64, 64]] {
        let x = Array::mixed(&sizes, -60..61);
        check_sum_and_max(&x, F32, &[0]);
        check_sum_and_max(&x, F32, &[1]);
        check_sum_and_max(&x, F32, &[0, 1]);
    }
}

#[test]
fn dimensions_without_elements() {
    for (sizes, dimensions) in
        [([0, 3], [0]), ([0, 3], [1]), ([3, 0], [1]), ([3, 0], [0]), ([0, 0], [0])]
    {
        check_sum_and_max(&Array::mixed(&sizes, 0..9), F32, &dimensions);
        check_sum_and_max(&Array::mixed(&sizes, 0..9), S8, &dimensions);
    }
}

#[test]
fn element_types_that_are_reduced() {
    for element in [S8, U8, S64, U32, F16, BF16, F64] {
        let x = Array::mixed(&[5, 6], 0..8);
        check_sum_and_max(&x, element, &[0]);
        check_sum_and_max(&x, element, &[1]);
    }
}

#[test]
fn functions_of_two_numbers() {
    let x = Array::mixed(&[4, 5], -3..4);
    let product = Computation::mul(F32).expect("a product");
    check_arrays(
        "product",
        F32,
        &[&x],
        |_, p| p[0].reduce(2, &product, &[1]),
        &reduced(&x, &[1], 2.0, |x, y| x * y),
    );
    // The larger by absolute value; and the sum of all with a limit.
    let y = Array::mixed(&[4, 5], 0..31);
    let capped = of_scalars("capped", S32, 2, |_, p| (&p[0] + &p[1])?.min(60));
    check_arrays(
        "capped",
        S32,
        &[&y],
        |_, p| p[0].reduce(0, &capped, &[0]),
        &reduced(&y, &[0], 0.0, |x, y| (x + y).min(60.0)),
    );
    let flags = Array::of(&[3, 7], |i| f64::from(u8::from((i[0] * 5 + i[1] * 3) % 7 < 2)));
    let or = Computation::or(PRED).expect("a disjunction");
    let and = Computation::and(PRED).expect("a conjunction");
    for dimension in [0, 1] {
        let list = [dimension as i64];
        check_arrays(
            "or",
            PRED,
            &[&flags],
            |_, p| p[0].reduce(false, &or, &list),
            &reduced(&flags, &[dimension], 0.0, f64::max),
        );
        check_arrays(
            "and",
            PRED,
            &[&flags],
            |_, p| p[0].not()?.reduce(true, &and, &list)?.not(),
            &reduced(&flags, &[dimension], 0.0, f64::max),
        );
    }
}

#[test]
fn the_smallest_element_and_its_number() {
    let pair = [Shape::scalar(F32), Shape::scalar(S32)];
    let pick = Computation::new("pick", &[&pair[..], &pair[..]].concat(), |b, p| {
        let keep = p[0].lt(&p[2])?.or(p[0].eq(&p[2])?.and(p[1].lt(&p[3])?)?)?;
        b.tuple(&[b.select(&keep, &p[0], &p[2])?, b.select(&keep, &p[1], &p[3])?])
    })
    .expect("a computation");
    // Ties in each row and column.
    let x = Array::of(&[6, 8], |i| ((i[0] * 5 + i[1] * 3) % 7) as f64);
    for dimension in [0, 1] {
        let line = |at: usize, index: usize| {
            if dimension == 0 { x.at(&[index, at]) } else { x.at(&[at, index]) }
        };
        let best = |at: usize| {
            let all = (0..x.sizes[dimension]).map(|index| (line(at, index) as i64, index));
            all.min().expect("elements")
        };
        let sizes = [x.sizes[1 - dimension]];
        let values = Array::of(&sizes, |i| best(i[0]).0 as f64);
        let numbers = Array::of(&sizes, |i| best(i[0]).1 as f64);
        let program = build(|b| {
            let count = b.iota(&Shape::array(S32, [6, 8]), dimension as i64)?;
            let operands = [x.parameter(b, F32, "x"), count];
            let init = [b.constant(f32::INFINITY), b.constant(i32::MAX)];
            b.reduce(&operands, &init, &pick, &[dimension as i64])
        });
        let expected = [values.literal(F32), numbers.literal(S32)];
        check(dimension, &program, &[x.literal(F32)], &expected);
    }
}

#[test]
fn reductions_between_other_operations() {
    // The rows' sums are taken away from the rows, and the squares of that are summed along columns.
    let x = Array::mixed(&[5, 7], -9..10);
    let sums = reduced(&x, &[1], 0.0, |x, y| x + y);
    let centred = Array::of(&[5, 7], |i| 7.0 * x.at(i) - sums.at(&i[..1]));
    let squares = Array::of(&[5, 7], |i| centred.at(i) * centred.at(i));
    let sum = Computation::add(F32).expect("a sum");
    check_arrays(
        "between",
        F32,
        &[&x],
        |_, p| {
            let centred = (&p[0] * 7.0)?.sub_in_dim(p[0].reduce(0, &sum, &[1]), &[0])?;
            centred.mul(&centred)?.reduce(0, &sum, &[0])
        },
        &reduced(&squares, &[0], 0.0, |x, y| x + y),
    );
    // Transposed before, and sequentially.
    let y = Array::mixed(&[3, 4, 5], -60..61);
    let max = Computation::max(F32).expect("a maximum");
    let first = reduced(&y, &[1], -1000.0, f64::max);
    check_arrays(
        "transposed",
        F32,
        &[&y],
        |_, p| {
            let transposed = p[0].transpose(&[2, 0, 1])?;
            transposed.reduce(-1000, &max, &[2])?.reduce(5, &sum, &[0])
        },
        &reduced(&first, &[1], 5.0, |x, y| x + y),
    );
}
