//! Arrays concatenated, padded, sliced and transposed.

use strata_builder::{BF16, F32, Op, PRED, PaddingDimension, S8, S32, S64};

use super::{Array, Indices, Sizes, check_arrays};

/// Padding before, after and between the elements of each dimension.
type Edges = &'static [(i64, i64, i64)];

fn joined(arrays: &[&Array], dimension: usize) -> Array {
    let mut sizes = arrays[0].sizes.clone();
    sizes[dimension] = arrays.iter().map(|one| one.sizes[dimension]).sum();
    Array::of(&sizes, |index| {
        let mut index = index.to_vec();
        let mut rest = arrays.iter();
        loop {
            let one = rest.next().expect("an array");
            match index[dimension].checked_sub(one.sizes[dimension]) {
                Some(source) => index[dimension] = source,
                None => return one.at(&index),
            }
        }
    })
}

#[test]
fn concatenated_arrays() {
    // sizes of all but the joined dimension are those of the first list
    let cases: [(&[usize], usize, &[usize]); 12] = [
        (&[3], 0, &[4]),
        (&[0], 0, &[3]),
        (&[3], 0, &[0, 2]),
        (&[0], 0, &[0]),
        (&[2, 3], 0, &[2, 1]),
        (&[2, 3], 1, &[4, 1]),
        (&[2, 3], 1, &[0]),
        (&[1, 1], 1, &[1, 1, 1, 1]),
        (&[2, 3, 4], 0, &[1]),
        (&[2, 3, 4], 1, &[2, 5]),
        (&[2, 3, 4], 2, &[3, 33]),
        (&[2, 0, 4], 2, &[3]),
    ];
    for (sizes, dimension, others) in cases {
        let first = Array::mixed(sizes, -50..51);
        let rest: Vec<Array> = others
            .iter()
            .enumerate()
            .map(|(at, size)| {
                let mut sizes = sizes.to_vec();
                sizes[dimension] = *size;
                Array::mixed(&sizes, at as i64..at as i64 + 97)
            })
            .collect();
        let all: Vec<&Array> = std::iter::once(&first).chain(&rest).collect();
        check_arrays(
            (sizes, dimension, others),
            F32,
            &all,
            |b, p| b.concat_in_dim(p, dimension as i64),
            &joined(&all, dimension),
        );
    }
}

#[test]
fn many_arrays_and_the_same_one_again() {
    let arrays: Vec<Array> = (1..=24_usize).map(|at| Array::mixed(&[2, at % 4], 0..90)).collect();
    let all: Vec<&Array> = arrays.iter().collect();
    check_arrays("many", S32, &all, |b, p| b.concat_in_dim(p, 1), &joined(&all, 1));
    let x = Array::mixed(&[2, 3], -9..10);
    let again = [&x, &x, &x];
    check_arrays(
        "again",
        S8,
        &[&x],
        |b, p| b.concat_in_dim(&vec![p[0].clone(); 3], 0),
        &joined(&again, 0),
    );
}

#[test]
fn element_types_that_are_joined_and_padded() {
    for element in [PRED, S8, S64, BF16] {
        let (x, y) = (Array::mixed(&[2, 3], 0..2), Array::mixed(&[2, 2], 0..2));
        check_arrays(
            element,
            element,
            &[&x, &y],
            |b, p| b.concat_in_dim(p, 1),
            &joined(&[&x, &y], 1),
        );
        let config = [(1, 0, 1).into(), (-1, 2, 0).into()];
        check_arrays(
            element,
            element,
            &[&x, &y],
            |b, p| p[0].pad(b.constant(strata_builder::Literal::one(element)), &config),
            &padded(&x, 1.0, &config),
        );
    }
}

fn padded(x: &Array, value: f64, config: &[PaddingDimension]) -> Array {
    let size = |(size, one): (&usize, &PaddingDimension)| {
        let size = *size as i64 + (*size as i64 - 1).max(0) * one.interior_padding;
        (size + one.edge_padding_low + one.edge_padding_high) as usize
    };
    let sizes: Vec<usize> = x.sizes.iter().zip(config).map(size).collect();
    Array::of(&sizes, |index| {
        let own = index.iter().zip(config).map(|(at, one)| {
            let at = *at as i64 - one.edge_padding_low;
            let step = one.interior_padding + 1;
            (at.rem_euclid(step) == 0).then(|| at.div_euclid(step))
        });
        let own: Option<Vec<i64>> = own.collect();
        own.and_then(|own| x.inside(&own)).unwrap_or(value)
    })
}

#[test]
fn edges_and_gaps_are_filled() {
    let cases: [(Sizes, Edges); 14] = [
        (&[], &[]),
        (&[0], &[(1, 4, 7)]),
        (&[1], &[(0, 0, 5)]),
        (&[5], &[(1, 2, 0)]),
        (&[5], &[(2, 0, 1)]),
        (&[5], &[(-1, 0, 0)]),
        (&[5], &[(-2, -3, 0)]),
        (&[5], &[(-3, 4, 2)]),
        (&[5], &[(1, -2, 3)]),
        (&[3, 4], &[(1, 0, 0), (0, 2, 1)]),
        (&[3, 4], &[(-1, 1, 2), (3, -4, 0)]),
        (&[2, 0], &[(1, 1, 0), (2, 1, 3)]),
        (&[1, 2, 3, 2], &[(0, 1, 0), (1, 0, 2), (-1, -1, 1), (0, 0, 0)]),
        (&[2, 70], &[(0, 0, 0), (3, 5, 0)]),
    ];
    for (sizes, config) in cases {
        let x = Array::mixed(sizes, -50..51);
        let config: Vec<PaddingDimension> = config.iter().map(|one| (*one).into()).collect();
        check_arrays(
            (sizes, &config),
            F32,
            &[&x],
            |_, p| p[0].pad(77, &config),
            &padded(&x, 77.0, &config),
        );
    }
}

#[test]
fn the_padding_is_an_argument_and_what_is_padded_is_computed() {
    let (x, value) = (Array::mixed(&[3, 4], -30..31), Array::of(&[], |_| 9.0));
    let config = [(1, 1, 0).into(), (0, 2, 1).into()];
    let doubled = Array::of(&[3, 4], |i| 2.0 * x.at(i));
    let around = padded(&doubled, -9.0, &config);
    let expected = Array::of(&around.sizes, |i| around.at(i) + 1.0);
    check_arrays(
        "computed",
        F32,
        &[&x, &value],
        |_, p| (&p[0] * 2.0)?.pad(p[1].neg(), &config)? + 1.0,
        &expected,
    );
}

#[test]
fn every_some_elements_of_each_dimension() {
    let cases: [(Sizes, Indices, Indices, Indices); 9] = [
        (&[10], &[0], &[10], &[1]),
        (&[10], &[3], &[3], &[1]),
        (&[10], &[2], &[9], &[3]),
        (&[10], &[9], &[10], &[40]),
        (&[0], &[0], &[0], &[2]),
        (&[4, 6], &[1, 0], &[4, 5], &[2, 4]),
        (&[4, 6], &[0, 5], &[4, 6], &[1, 1]),
        (&[3, 4, 5], &[0, 1, 2], &[3, 4, 5], &[2, 1, 2]),
        (&[2, 90], &[1, 7], &[2, 88], &[1, 5]),
    ];
    for (sizes, starts, limits, strides) in cases {
        let x = Array::mixed(sizes, -300..301);
        let count =
            |at: usize| ((limits[at] - starts[at] + strides[at] - 1) / strides[at]) as usize;
        let result: Vec<usize> = (0..sizes.len()).map(count).collect();
        let expected = Array::of(&result, |index| {
            let own =
                (0..index.len()).map(|at| starts[at] as usize + index[at] * strides[at] as usize);
            x.at(&own.collect::<Vec<_>>())
        });
        let case = (sizes, starts, limits, strides);
        check_arrays(case, S32, &[&x], |_, p| p[0].slice(starts, limits, strides), &expected);
    }
}

#[test]
fn each_order_and_each_direction_of_three_dimensions() {
    let x = Array::mixed(&[2, 3, 5], -60..61);
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    for (number, order) in orders.into_iter().enumerate() {
        let sizes = order.map(|at| x.sizes[at]);
        let transposed = Array::of(&sizes, |index| {
            let mut own = [0; 3];
            order.iter().zip(index).for_each(|(at, place)| own[*at] = *place);
            x.at(&own)
        });
        // Another subset of dimensions backwards with each order.
        let backwards: Vec<usize> = (0..3).filter(|at| (number + 2) >> at & 1 == 1).collect();
        let expected = Array::of(&sizes, |index| {
            let mut own = index.to_vec();
            backwards.iter().for_each(|at| own[*at] = sizes[*at] - 1 - own[*at]);
            transposed.at(&own)
        });
        check_arrays(
            (order, &backwards),
            F32,
            &[&x],
            |_, p| p[0].transpose(&order.map(|at| at as i64))?.rev(&super::signed(&backwards)),
            &expected,
        );
    }
}

#[test]
fn slices_exchanged_and_concatenated_again() {
    // Both halves are swapped along one dimension, then along the other.
    let x = Array::mixed(&[4, 7], -60..61);
    let expected = Array::of(&[4, 7], |i| x.at(&[(i[0] + 1) % 4, (i[1] + 3) % 7]));
    check_arrays(
        "rolled",
        S32,
        &[&x],
        |b, p| {
            let roll = |x: &Op, by: i64, size: i64, dimension: i64| {
                let head = x.slice_in_dim(0, by, 1, dimension)?;
                let tail = x.slice_in_dim(by, size, 1, dimension)?;
                b.concat_in_dim(&[tail, head], dimension)
            };
            roll(&roll(&p[0], 1, 4, 0)?, 3, 7, 1)
        },
        &expected,
    );
}
