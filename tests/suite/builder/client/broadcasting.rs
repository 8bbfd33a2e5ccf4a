//! Arrays repeated along dimensions: explicitly, by dimensions, and by sizes of 1.

use strata_builder::{
    BF16, Builder, ElementType, F16, F32, F64, Literal, Op, PRED, Result, S8, S32, S64, U8, U64,
};

use super::{super::build, Array, Sizes, check, check_arrays};

/// The array with its dimensions at `dimensions` of a larger shape.
fn spread(array: &Array, sizes: &[usize], dimensions: &[usize]) -> Array {
    Array::of(sizes, |index| {
        let own: Vec<usize> = dimensions
            .iter()
            .zip(&array.sizes)
            .map(|(at, size)| if *size == 1 { 0 } else { index[*at] })
            .collect();
        array.at(&own)
    })
}

fn signed(list: &[usize]) -> Vec<i64> {
    super::signed(list)
}

#[test]
fn a_scalar_fills_any_sizes() {
    let shapes: [&[usize]; 7] = [&[], &[1], &[5], &[2, 3], &[0, 2], &[2, 0], &[3, 1, 2, 2]];
    for element in [F32, S8, PRED, U64, BF16] {
        let scalar = Array::of(&[], |_| 1.0);
        for sizes in shapes {
            let expected = Array::of(sizes, |_| 1.0);
            check_arrays(
                (element, sizes),
                element,
                &[&scalar],
                |_, x| x[0].broadcast(&signed(sizes)),
                &expected,
            );
        }
    }
}

#[test]
fn new_dimensions_are_leading() {
    let cases: [(&[usize], &[usize]); 8] = [
        (&[3], &[2]),
        (&[3], &[0]),
        (&[0], &[2]),
        (&[3], &[2, 4]),
        (&[2, 3], &[4]),
        (&[2, 3], &[1, 1]),
        (&[1], &[7]),
        (&[2, 1, 3], &[2, 2]),
    ];
    for (own, added) in cases {
        let x = Array::mixed(own, -20..21);
        let sizes = [added, own].concat();
        let trailing: Vec<usize> = (added.len()..sizes.len()).collect();
        let expected = spread(&x, &sizes, &trailing);
        check_arrays((own, added), S32, &[&x], |_, x| x[0].broadcast(&signed(added)), &expected);
    }
}

#[test]
fn each_dimension_goes_where_it_is_told() {
    let cases: [(&[usize], &[usize], &[usize]); 20] = [
        (&[2], &[2, 3], &[0]),
        (&[3], &[2, 3], &[1]),
        (&[3], &[3, 3], &[0]),
        (&[3], &[3, 3], &[1]),
        (&[2, 3], &[2, 3, 4], &[0, 1]),
        (&[2, 3], &[2, 4, 3], &[0, 2]),
        (&[2, 3], &[4, 2, 3], &[1, 2]),
        (&[3, 3], &[3, 3, 3], &[0, 2]),
        // Sizes of 1 are repeated on the way.
        (&[1], &[4, 5], &[0]),
        (&[1, 3], &[2, 3], &[0, 1]),
        (&[2, 1, 3], &[2, 5, 3, 2], &[0, 1, 2]),
        (&[1, 1], &[3, 4, 2], &[0, 2]),
        // Ranks that are far apart.
        (&[3], &[2, 3, 2, 2], &[1]),
        (&[2, 3], &[2, 2, 3, 4], &[0, 2]),
        (&[2, 3, 4], &[2, 3, 5, 4], &[0, 1, 3]),
        (&[2, 2], &[2, 1, 3, 2, 1, 2], &[0, 5]),
        // Longer than a vector, and not a multiple of one.
        (&[517], &[3, 2, 517], &[2]),
        (&[517], &[517, 3], &[0]),
        // Nothing to repeat, and something repeated no times.
        (&[0], &[2, 0], &[1]),
        (&[1], &[0, 3], &[0]),
    ];
    for (own, sizes, dimensions) in cases {
        let x = Array::mixed(own, -300..301);
        check_arrays(
            (own, sizes, dimensions),
            F32,
            &[&x],
            |_, x| x[0].broadcast_in_dim(&signed(sizes), &signed(dimensions)),
            &spread(&x, sizes, dimensions),
        );
    }
}

#[test]
fn the_same_array_matches_either_dimension_of_a_square() {
    let (x, v) = (Array::mixed(&[4, 4], -50..51), Array::mixed(&[4], 3..20));
    for dimension in [0, 1] {
        let expected = Array::of(&[4, 4], |index| x.at(index) - v.at(&[index[dimension]]));
        let dimensions = [dimension as i64];
        check_arrays(
            dimension,
            S32,
            &[&x, &v],
            |_, p| p[0].sub_in_dim(&p[1], &dimensions),
            &expected,
        );
    }
}

type Function = (&'static str, fn(&Op, &Op) -> Result<Op>, fn(f64, f64) -> f64);

const FUNCTIONS: [Function; 5] = [
    ("sub", |x, y| x.sub(y), |x, y| x - y),
    ("add", |x, y| x.add(y), |x, y| x + y),
    ("max", |x, y| x.max(y), f64::max),
    ("min", |x, y| x.min(y), f64::min),
    ("mul", |x, y| x.mul(y), |x, y| x * y),
];

/// The sizes where a bit is set, 1 where it is not.
fn masked(sizes: &[usize], mask: usize) -> Vec<usize> {
    let kept = |(at, size): (usize, &usize)| if mask >> at & 1 == 1 { *size } else { 1 };
    sizes.iter().enumerate().map(kept).collect()
}

fn applied(function: fn(f64, f64) -> f64, left: &Array, right: &Array) -> Array {
    let size = |(l, r): (&usize, &usize)| if *l == 1 { *r } else { *l };
    let sizes: Vec<usize> = left.sizes.iter().zip(&right.sizes).map(size).collect();
    let all: Vec<usize> = (0..sizes.len()).collect();
    let (left, right) = (spread(left, &sizes, &all), spread(right, &sizes, &all));
    Array::of(&sizes, |index| function(left.at(index), right.at(index)))
}

/// Every pair of degenerate shapes of `sizes`: one program for each left one, with a result for each right one.
fn check_all_pairs(sizes: &[usize], element: ElementType) {
    let count = 1 << sizes.len();
    for left_mask in 0..count {
        let (name, build_one, function) = FUNCTIONS[left_mask % FUNCTIONS.len()];
        let left = Array::mixed(&masked(sizes, left_mask), -7..8);
        let rights: Vec<Array> =
            (0..count).map(|mask| Array::mixed(&masked(sizes, mask), -6..11)).collect();
        let program = build(|b| {
            let x = left.parameter(b, element, "x");
            let one = |right: &Array| build_one(&x, &right.parameter(b, element, ""));
            b.tuple(&rights.iter().map(one).collect::<Result<Vec<_>>>()?)
        });
        let mut arguments = vec![left.literal(element)];
        arguments.extend(rights.iter().map(|right| right.literal(element)));
        let expected: Vec<Literal> =
            rights.iter().map(|right| applied(function, &left, right).literal(element)).collect();
        check((name, sizes, left_mask), &program, &arguments, &expected);
    }
}

#[test]
fn sizes_of_1_are_repeated_on_both_sides_of_matrices() {
    check_all_pairs(&[3, 5], S8);
}

#[test]
fn sizes_of_1_are_repeated_on_both_sides_of_cuboids() {
    check_all_pairs(&[3, 4, 5], F32);
}

#[test]
fn sizes_of_1_are_repeated_along_long_dimensions() {
    for (left, right) in [([3, 131, 5], [1, 131, 1]), ([1, 1, 131], [3, 4, 131])] {
        let (x, y) = (Array::mixed(&left, -90..91), Array::mixed(&right, -40..41));
        let expected = applied(f64::min, &x, &y);
        check_arrays((left, right), F64, &[&x, &y], |_, p| p[0].min(&p[1]), &expected);
    }
}

#[test]
fn sizes_of_1_beside_empty_dimensions() {
    let cases: [(&[usize], &[usize]); 4] =
        [(&[0, 3], &[1, 3]), (&[1, 3], &[0, 1]), (&[0], &[1]), (&[2, 0, 1], &[1, 1, 4])];
    for (left, right) in cases {
        let (x, y) = (Array::mixed(left, -9..10), Array::mixed(right, -9..10));
        let expected = applied(|x, y| x - y, &x, &y);
        check_arrays((left, right), F32, &[&x, &y], |_, p| p[0].sub(&p[1]), &expected);
    }
}

#[test]
fn dimensions_of_lower_rank_meet_sizes_of_1() {
    // smaller, larger, where the smaller one's dimensions go, result
    let cases: [(Sizes, Sizes, Sizes, Sizes); 6] = [
        (&[1, 2], &[2, 3, 1], &[1, 2], &[2, 3, 2]),
        (&[3, 1], &[3, 4, 5], &[0, 1], &[3, 4, 5]),
        (&[4], &[2, 1, 3], &[1], &[2, 4, 3]),
        (&[1], &[2, 3], &[0], &[2, 3]),
        (&[2, 5], &[1, 3, 1, 4], &[0, 2], &[2, 3, 5, 4]),
        (&[1, 1], &[1, 1, 1], &[0, 2], &[1, 1, 1]),
    ];
    for (small, large, dimensions, sizes) in cases {
        let (x, y) = (Array::mixed(small, -30..31), Array::mixed(large, -80..81));
        let all: Vec<usize> = (0..large.len()).collect();
        let (left, right) = (spread(&x, sizes, dimensions), spread(&y, sizes, &all));
        let difference = Array::of(sizes, |index| left.at(index) - right.at(index));
        let negated = Array::of(sizes, |index| -difference.at(index));
        let at = signed(dimensions);
        let case = (small, large, dimensions);
        check_arrays(case, S32, &[&x, &y], |_, p| p[0].sub_in_dim(&p[1], &at), &difference);
        check_arrays(case, S32, &[&x, &y], |_, p| p[1].sub_in_dim(&p[0], &at), &negated);
    }
}

#[test]
fn element_types_that_are_broadcast() {
    for element in [S8, U8, S64, U64, F16, BF16, F64] {
        let (x, v) = (Array::mixed(&[3, 7], 40..91), Array::mixed(&[7], 1..30));
        let expected = Array::of(&[3, 7], |index| x.at(index) - v.at(&index[1..]));
        check_arrays(element, element, &[&x, &v], |_, p| p[0].sub_in_dim(&p[1], &[1]), &expected);
    }
}

#[test]
fn booleans_and_comparisons_of_different_rank() {
    let (x, y) = (Array::mixed(&[2, 3], -9..10), Array::mixed(&[3], -4..5));
    let case = |build_one: fn(&Op, &Op) -> Result<Op>, value: fn(f64, f64) -> bool| {
        let program = build(|b| build_one(&x.parameter(b, S32, "x"), &y.parameter(b, S32, "y")));
        let expected =
            Array::of(&[2, 3], |index| f64::from(u8::from(value(x.at(index), y.at(&index[1..])))));
        check("compare", &program, &[x.literal(S32), y.literal(S32)], &[expected.literal(PRED)]);
    };
    case(|x, y| x.lt_in_dim(y, &[1]), |x, y| x < y);
    case(|x, y| y.ge_in_dim(x, &[1]), |x, y| y >= x);
    case(|x, y| x.gt(0)?.and_in_dim(y.gt(0)?, &[1]), |x, y| x > 0.0 && y > 0.0);
    case(|x, y| x.gt(0)?.xor_in_dim(y.gt(0)?, &[1]), |x, y| (x > 0.0) != (y > 0.0));
}

#[test]
fn scalars_on_either_side_of_a_clamp() {
    let x = Array::mixed(&[3, 6], -40..41);
    let bounds = |b: &Builder| (b.constant(-12_i32), b.constant(9_i32));
    let expected = Array::of(&[3, 6], |index| x.at(index).clamp(-12.0, 9.0));
    check_arrays(
        "clamp",
        S32,
        &[&x],
        |b, p| {
            let (low, high) = bounds(b);
            b.clamp(&low, &p[0], &high)
        },
        &expected,
    );
}

#[test]
fn a_broadcast_is_sliced_transposed_and_summed() {
    // A column over 5 columns of which two are kept, transposed, and added to the rows' own broadcast.
    let (x, y) = (Array::mixed(&[3], -9..10), Array::mixed(&[2, 3], -30..31));
    let expected = Array::of(&[2, 3], |index| x.at(&index[1..]) * 2.0 + y.at(index));
    check_arrays(
        "cut",
        F32,
        &[&x, &y],
        |_, p| {
            let wide = p[0].broadcast_in_dim(&[3, 5], &[0])?;
            let cut = wide.slice(&[0, 1], &[3, 5], &[1, 2])?.transpose(&[1, 0])?;
            cut.add(&p[1])? + p[0].broadcast(&[2])?
        },
        &expected,
    );
    let sum = strata_builder::Computation::add(F32).expect("a sum");
    let expected = Array::of(&[3], |index| 35.0 * x.at(index));
    check_arrays(
        "sum",
        F32,
        &[&x],
        |_, p| p[0].broadcast_in_dim(&[5, 3, 7], &[1])?.reduce(0.0, &sum, &[0, 2]),
        &expected,
    );
}
