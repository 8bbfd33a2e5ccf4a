//! Sorting several arrays together, ties, and comparators that are more than one comparison.

use strata_builder::{
    Computation, ElementType, F32, GatherDimensionNumbers, Literal, Op, Result, S8, S32, S64,
    Shape, U32,
};

use super::{super::build, Array, check, check_arrays, of_scalars, sort::along};

/// A comparator of pairs of each type.
fn comparator(elements: &[ElementType], build: impl FnOnce(&[Op]) -> Result<Op>) -> Computation {
    let shapes: Vec<Shape> =
        elements.iter().flat_map(|one| [Shape::scalar(*one), Shape::scalar(*one)]).collect();
    Computation::new("comparator", &shapes, |_, p| build(p)).expect("a comparator")
}

/// The positions of a line's elements in the order of their keys, stably.
fn by_key<K: Ord>(count: usize, key: impl Fn(usize) -> K) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|at| key(*at));
    order
}

fn picked(x: &Array, order: &[usize]) -> Array {
    Array { sizes: x.sizes.clone(), values: order.iter().map(|at| x.values[*at]).collect() }
}

#[test]
fn ties_keep_their_order_in_stable_sorts() {
    for size in [1, 2, 5, 16, 40, 130, 300] {
        let keys = Array::of(&[size], |index| ((index[0] * 7 + 3) % 5) as f64);
        let order = by_key(size, |at| keys.values[at] as i64);
        let lt = comparator(&[S32, S32], |p| p[0].lt(&p[1]));
        let program = build(|b| {
            let numbers = b.iota_1d(S32, size as i64)?;
            b.sort(&[keys.parameter(b, S32, "keys"), numbers], &lt, 0, true)
        });
        let numbers = Array::of(&[size], |index| order[index[0]] as f64);
        let expected = [picked(&keys, &order).literal(S32), numbers.literal(S32)];
        check(size, &program, &[keys.literal(S32)], &expected);
        // From the largest on, ties still from left to right.
        let order = by_key(size, |at| -(keys.values[at] as i64));
        let gt = comparator(&[S32, S32], |p| p[0].gt(&p[1]));
        let program = build(|b| {
            let numbers = b.iota_1d(S32, size as i64)?;
            b.sort(&[keys.parameter(b, S32, "keys"), numbers], &gt, 0, true)?.get_tuple_element(1)
        });
        let numbers = Array::of(&[size], |index| order[index[0]] as f64);
        check(size, &program, &[keys.literal(S32)], &[numbers.literal(S32)]);
    }
}

#[test]
fn a_comparator_that_never_holds_changes_nothing() {
    let x = Array::mixed(&[3, 29], -60..61);
    for comparison in [
        of_scalars("never", S32, 2, |b, _| Ok(b.constant(false))),
        of_scalars("equal", S32, 2, |_, p| (&p[0] * 0)?.lt(&p[1] * 0)),
    ] {
        check_arrays("never", S32, &[&x], |_, p| p[0].sort(&comparison, 1, true), &x);
    }
}

#[test]
fn arrays_of_other_types_follow_the_keys() {
    let size = 23;
    let keys = Array::mixed(&[size], -60..61);
    let values = [
        Array::mixed(&[size], 0..101),
        Array::mixed(&[size], -9..100),
        Array::mixed(&[size], -3..80),
    ];
    let elements = [S64, S8, F32];
    let order = by_key(size, |at| keys.values[at] as i64);
    for count in 0..=3 {
        let all = [&[F32][..], &elements[..count]].concat();
        let lt = comparator(&all, |p| p[0].lt(&p[1]));
        let program = build(|b| {
            let mut operands = vec![keys.parameter(b, F32, "keys")];
            for (value, element) in values.iter().zip(elements).take(count) {
                operands.push(value.parameter(b, element, ""));
            }
            b.sort(&operands, &lt, 0, false)
        });
        let with = |change: &dyn Fn(&Array) -> Array| -> Vec<Literal> {
            let rest = values.iter().zip(elements).take(count);
            let rest = rest.map(|(value, element)| change(value).literal(element));
            std::iter::once(change(&keys).literal(F32)).chain(rest).collect()
        };
        check(count, &program, &with(&|x| x.clone()), &with(&|x| picked(x, &order)));
    }
}

#[test]
fn twenty_arrays_at_once_along_the_first_dimension() {
    let sizes = [9, 4];
    let arrays: Vec<Array> = (0..20_i64).map(|at| Array::mixed(&sizes, at - 40..at + 61)).collect();
    // The key is the fourth array.
    let gt = comparator(&[F32; 20], |p| p[6].gt(&p[7]));
    let program = build(|b| {
        let operands: Vec<Op> = arrays.iter().map(|one| one.parameter(b, F32, "")).collect();
        b.sort(&operands, &gt, 0, false)
    });
    let keys = &arrays[3];
    let order_of = |column: usize| by_key(9, |at| -(keys.at(&[at, column]) as i64));
    let sorted = |one: &Array| Array::of(&sizes, |i| one.at(&[order_of(i[1])[i[0]], i[1]]));
    let arguments: Vec<Literal> = arrays.iter().map(|one| one.literal(F32)).collect();
    let expected: Vec<Literal> = arrays.iter().map(|one| sorted(one).literal(F32)).collect();
    check("twenty", &program, &arguments, &expected);
}

#[test]
fn a_second_key_decides_among_equal_first_ones() {
    let size = 37;
    let first = Array::of(&[size], |index| ((index[0] * 5) % 4) as f64);
    let second = Array::of(&[size], |index| ((index[0] * 11 + 2) % 37) as f64);
    // The first key up, the second one down.
    let order = by_key(size, |at| (first.values[at] as i64, -(second.values[at] as i64)));
    let both = comparator(&[S32, F32, U32], |p| {
        p[0].lt(&p[1])?.or(p[0].eq(&p[1])?.and(p[2].gt(&p[3])?)?)
    });
    let program = build(|b| {
        let operands = [
            first.parameter(b, S32, "first"),
            second.parameter(b, F32, "second"),
            b.iota_1d(U32, size as i64)?,
        ];
        b.sort(&operands, &both, 0, false)
    });
    let numbers = Array::of(&[size], |index| order[index[0]] as f64);
    let expected = [
        picked(&first, &order).literal(S32),
        picked(&second, &order).literal(F32),
        numbers.literal(U32),
    ];
    check("two keys", &program, &[first.literal(S32), second.literal(F32)], &expected);
}

#[test]
fn the_order_of_something_computed_of_the_elements() {
    let x = Array::mixed(&[2, 31], -60..61);
    let key = |order: fn(f64) -> i64| along(&x, 1, |line| by_key(line.len(), |at| order(line[at])));
    let absolute = of_scalars("absolute", S32, 2, |_, p| p[0].abs()?.lt(p[1].abs()));
    check_arrays(
        "absolute",
        S32,
        &[&x],
        |_, p| p[0].sort(&absolute, 1, true),
        &key(|value| value.abs() as i64),
    );
    let modulo = of_scalars("modulo", S32, 2, |_, p| p[0].and(7)?.gt(p[1].and(7)));
    check_arrays(
        "modulo",
        S32,
        &[&x],
        |_, p| p[0].sort(&modulo, 1, true),
        &key(|value| -(value as i64 & 7)),
    );
}

#[test]
fn a_comparator_with_vectors_in_it() {
    // Two elements are compared by their products with three weights, of which the sum decides.
    let x = Array::mixed(&[26], -60..61);
    let sum = Computation::add(F32).expect("a sum");
    let weighted = of_scalars("weighted", F32, 2, |b, p| {
        let weights = b.constant([0.5_f32, -4.0, 1.5]);
        let total = |x: &Op| x.mul(&weights)?.reduce_all(0.0, &sum);
        total(&p[0])?.lt(total(&p[1]))
    });
    check_arrays(
        "weighted",
        F32,
        &[&x],
        |_, p| p[0].sort(&weighted, 0, true),
        &along(&x, 0, |line| by_key(line.len(), |at| -(line[at] as i64))),
    );
}

#[test]
fn a_comparator_that_calls_and_branches() {
    // Even numbers in ascending order, then the odd ones in descending order.
    let x = Array::mixed(&[33], -60..61);
    let int = Shape::scalar(S32);
    let rank = Computation::new("rank", std::slice::from_ref(&int), |b, p| {
        let odd = p[0].and(1)?.ne(0)?;
        b.select(&odd, &(1000 - &p[0])?, &p[0])
    })
    .expect("a computation");
    let comparison = Computation::new("comparison", &[int.clone(), int], |b, p| {
        b.call(&rank, &p[..1])?.lt(b.call(&rank, &p[1..]))
    })
    .expect("a comparison");
    check_arrays(
        "rank",
        S32,
        &[&x],
        |_, p| p[0].sort(&comparison, 0, false),
        &along(&x, 0, |line| {
            by_key(line.len(), |at| {
                let value = line[at] as i64;
                if value % 2 == 0 { value } else { 1000 - value }
            })
        }),
    );
}

#[test]
fn two_sorts_with_the_same_comparator() {
    let (x, y) = (Array::mixed(&[6, 9], -60..61), Array::mixed(&[9, 6], -50..51));
    let lt = Computation::lt(F32).expect("a comparison");
    let up = |line: &[f64]| by_key(line.len(), |at| line[at] as i64);
    let program = build(|b| {
        let (x, y) = (x.parameter(b, F32, "x"), y.parameter(b, F32, "y"));
        b.tuple(&[x.sort(&lt, 0, false)?, y.sort(&lt, 1, false)?, x.sort(&lt, 1, false)?])
    });
    let expected = [
        along(&x, 0, up).literal(F32),
        along(&y, 1, up).literal(F32),
        along(&x, 1, up).literal(F32),
    ];
    check("two", &program, &[x.literal(F32), y.literal(F32)], &expected);
}

#[test]
fn an_order_and_the_order_that_undoes_it() {
    let size = 19;
    let x = Array::mixed(&[size], -60..61);
    let lt = comparator(&[S32, S32], |p| p[0].lt(&p[1]));
    let numbers = GatherDimensionNumbers {
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        index_vector_dim: 1,
        ..GatherDimensionNumbers::default()
    };
    let order = by_key(size, |at| x.values[at] as i64);
    let program = build(|b| {
        let count = b.iota_1d(S32, size as i64)?;
        let x = x.parameter(b, S32, "x");
        let sorted = b.sort(&[x.clone(), count.clone()], &lt, 0, true)?.tuple_elements()?;
        let undone = b.sort(&[sorted[1].clone(), count], &lt, 0, true)?.get_tuple_element(1)?;
        b.tuple(&[
            x.gather(&sorted[1], &numbers, &[1], false)?,
            sorted[0].gather(undone, &numbers, &[1], false)?,
        ])
    });
    let expected = [picked(&x, &order).literal(S32), x.literal(S32)];
    check("undone", &program, &[x.literal(S32)], &expected);
}
