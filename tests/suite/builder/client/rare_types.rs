//! Element types that few programs have: integers and floats of a few bits, complex numbers.

use std::ops::Range;

use strata_builder::{
    C64, C128, Computation, ElementType, F8E4M3FN, F8E5M2, GatherDimensionNumbers, Op, PRED,
    Padding, Result, S4, S32, ScatterDimensionNumbers, ScatterOptions, Shape, U4,
};

use super::{super::build, Array, check, check_arrays, of_scalars};

/// The types with whole numbers that they hold.
const ALL: [(ElementType, Range<i64>); 6] = [
    (S4, -8..8),
    (U4, 0..16),
    (F8E5M2, -7..8),
    (F8E4M3FN, -15..16),
    (C64, -60..61),
    (C128, -60..61),
];

fn check_move(
    case: &str,
    sizes: &[usize],
    build_one: impl Fn(&Op) -> Result<Op>,
    result: &[usize],
    from: impl Fn(&[usize]) -> Option<Vec<usize>>,
    filling: f64,
) {
    for (element, range) in ALL {
        let x = Array::mixed(sizes, range);
        let expected = Array::of(result, |i| from(i).map_or(filling, |own| x.at(&own)));
        check_arrays((case, element), element, &[&x], |_, p| build_one(&p[0]), &expected);
    }
}

#[test]
fn elements_are_moved() {
    check_move(
        "broadcast",
        &[3],
        |x| x.broadcast_in_dim(&[2, 3, 2], &[1]),
        &[2, 3, 2],
        |i| Some(vec![i[1]]),
        0.0,
    );
    check_move(
        "transpose",
        &[3, 5],
        |x| x.transpose(&[1, 0]),
        &[5, 3],
        |i| Some(vec![i[1], i[0]]),
        0.0,
    );
    check_move("reverse", &[3, 5], |x| x.rev(&[1]), &[3, 5], |i| Some(vec![i[0], 4 - i[1]]), 0.0);
    check_move(
        "slice",
        &[3, 7],
        |x| x.slice(&[1, 0], &[3, 7], &[1, 3]),
        &[2, 3],
        |i| Some(vec![i[0] + 1, 3 * i[1]]),
        0.0,
    );
    check_move(
        "pad",
        &[5],
        |x| x.pad(1, &[(2, 0, 1).into()]),
        &[11],
        |i| (i[0] >= 2 && i[0] % 2 == 0).then(|| vec![i[0] / 2 - 1]),
        1.0,
    );
    check_move(
        "concatenate",
        &[2, 3],
        |x| x.builder().concat_in_dim(&[x.rev(&[0])?, x.clone()], 0),
        &[4, 3],
        |i| Some(vec![[1, 0, 0, 1][i[0]], i[1]]),
        0.0,
    );
    check_move(
        "reshape",
        &[3, 5],
        |x| x.reshape(&[15]),
        &[15],
        |i| Some(vec![i[0] / 5, i[0] % 5]),
        0.0,
    );
}

#[test]
fn elements_are_moved_to_computed_places() {
    check_move(
        "dynamic slice",
        &[4, 5],
        |x| {
            let b = x.builder();
            x.dynamic_slice(&[b.constant(9_i32), b.constant(1_i32)], &[2, 3])
        },
        &[2, 3],
        |i| Some(vec![i[0] + 2, i[1] + 1]),
        0.0,
    );
    check_move(
        "dynamic update slice",
        &[7],
        |x| x.dynamic_update_slice(x.slice(&[4], &[7], &[]), &[x.builder().constant(-1_i32)]),
        &[7],
        |i| Some(vec![if i[0] < 3 { i[0] + 4 } else { i[0] }]),
        0.0,
    );
    let rows = GatherDimensionNumbers {
        offset_dims: vec![1],
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        index_vector_dim: 1,
        ..GatherDimensionNumbers::default()
    };
    check_move(
        "gather",
        &[4, 3],
        |x| x.gather(x.builder().constant([2_i32, 9, 0]), &rows, &[1, 3], false),
        &[3, 3],
        |i| Some(vec![[2, 3, 0][i[0]], i[1]]),
        0.0,
    );
    let points = ScatterDimensionNumbers {
        inserted_window_dims: vec![0],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        ..ScatterDimensionNumbers::default()
    };
    check_move(
        "scatter",
        &[6],
        |x| {
            let overwrite = of_scalars("overwrite", x.element_type()?, 2, |_, p| Ok(p[1].clone()));
            let at = x.builder().constant([4_i32, -1, 1]);
            let updates = x.slice(&[0], &[3], &[])?;
            x.scatter(at, updates, &overwrite, &points, ScatterOptions::default())
        },
        &[6],
        |i| Some(vec![[0, 2, 2, 3, 0, 5][i[0]]]),
        0.0,
    );
}

#[test]
fn elements_are_carried_chosen_and_given_back() {
    for (element, range) in ALL {
        let (x, y) =
            (Array::mixed(&[5], range.clone()), Array::mixed(&[5], range.start + 1..range.end));
        let vector = Shape::array(element, [5]);
        let state = [Shape::scalar(S32), vector.clone(), vector];
        let below = Computation::new("below", &state, |_, p| p[0].lt(3)).expect("a condition");
        let turn = Computation::new("turn", &state, |b, p| {
            b.tuple(&[(&p[0] + 1)?, p[2].rev(&[0])?, p[1].clone()])
        })
        .expect("a body");
        // Three iterations: the second vector, reversed twice, and the first one, reversed once.
        let program = build(|b| {
            let (x, y) = (x.parameter(b, element, "x"), y.parameter(b, element, "y"));
            let flags = b.constant([true, false, false, true, false]);
            let chosen = b.select(&flags, &x, &y)?;
            let end = b.while_loop(&below, &turn, &b.tuple(&[b.constant(0_i32), x, y])?)?;
            b.tuple(&[chosen, end])
        });
        let chosen = Array::of(&[5], |i| if [0, 3].contains(&i[0]) { x.at(i) } else { y.at(i) });
        let reversed = Array::of(&[5], |i| x.at(&[4 - i[0]]));
        let expected =
            [chosen.literal(element), 3_i32.into(), y.literal(element), reversed.literal(element)];
        check(element, &program, &[x.literal(element), y.literal(element)], &expected);
    }
}

#[test]
fn elements_are_compared_and_sorted() {
    for (element, range) in
        ALL.into_iter().filter(|(element, _)| !matches!(element, ElementType::Complex(_)))
    {
        let x = Array::mixed(&[2, 13], range.clone());
        let (lt, max) = (
            Computation::lt(element).expect("a comparison"),
            Computation::max(element).expect("a maximum"),
        );
        let line = |row: usize| {
            let mut line = x.values[13 * row..13 * (row + 1)].to_vec();
            line.sort_by(f64::total_cmp);
            line
        };
        let sorted = Array::of(&[2, 13], |i| line(i[0])[i[1]]);
        check_arrays(("sort", element), element, &[&x], |_, p| p[0].sort(&lt, 1, false), &sorted);
        let largest = Array::of(&[2], |i| line(i[0])[12]);
        let low = range.start;
        check_arrays(
            ("max", element),
            element,
            &[&x],
            |_, p| p[0].reduce(low, &max, &[1]),
            &largest,
        );
        let pooled =
            Array::of(&[2, 6], |i| x.at(&[i[0], 2 * i[1]]).max(x.at(&[i[0], 2 * i[1] + 1])));
        check_arrays(
            ("pool", element),
            element,
            &[&x],
            |_, p| p[0].reduce_window(low, &max, &[1, 2], &[1, 2], Padding::Valid),
            &pooled,
        );
        let below = Array::of(&[2, 13], |i| f64::from(u8::from(x.at(i) < 2.0)));
        let program = build(|b| x.parameter(b, element, "x").lt(2));
        check(("lt", element), &program, &[x.literal(element)], &[below.literal(PRED)]);
    }
}

#[test]
fn elements_are_summed_and_multiplied() {
    for (element, _) in ALL {
        // Sums of at most 7.
        let x = Array::of(&[3, 5], |i| f64::from(u8::from((i[0] * 2 + i[1]) % 3 == 1)));
        let y = Array::of(&[5, 2], |i| ((i[0] + i[1]) % 3 == 0).into());
        let sum = Computation::add(element).expect("a sum");
        let sums = Array::of(&[3], |i| (0..5).map(|k| x.at(&[i[0], k])).sum());
        check_arrays(("sum", element), element, &[&x], |_, p| p[0].reduce(0, &sum, &[1]), &sums);
        let windows = Array::of(&[3, 3], |i| (0..3).map(|k| x.at(&[i[0], i[1] + k])).sum());
        check_arrays(
            ("windows", element),
            element,
            &[&x],
            |_, p| p[0].reduce_window(0, &sum, &[1, 3], &[1, 1], Padding::Valid),
            &windows,
        );
        let product =
            Array::of(&[3, 2], |i| (0..5).map(|k| x.at(&[i[0], k]) * y.at(&[k, i[1]])).sum());
        check_arrays(("dot", element), element, &[&x, &y], |_, p| p[0].dot(&p[1]), &product);
    }
}

#[test]
fn complex_numbers_are_convolved_and_scattered() {
    for element in [C64, C128] {
        let case =
            super::convolution::conv(&[1, 2, 5, 4], &[2, 2, 2, 3]).padding(&[(1, 0), (0, 1)]);
        case.check(element);
        let (x, y) = (Array::mixed(&[5], -20..21), Array::mixed(&[3], -9..10));
        let expected =
            Array::of(&[5], |i| x.at(i) + if i[0] == 2 { y.at(&[0]) + y.at(&[2]) } else { 0.0 });
        let sum = Computation::add(element).expect("a sum");
        let points = ScatterDimensionNumbers {
            inserted_window_dims: vec![0],
            scatter_dims_to_operand_dims: vec![0],
            index_vector_dim: 1,
            ..ScatterDimensionNumbers::default()
        };
        check_arrays(
            element,
            element,
            &[&x, &y],
            |b, p| {
                let at = b.constant([2_i32, 5, 2]);
                p[0].scatter(at, &p[1], &sum, &points, ScatterOptions::default())
            },
            &expected,
        );
    }
}
