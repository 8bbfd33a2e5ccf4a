//! Sorting along each dimension and of each element type, compared with a stable sort of each line
//! in Rust.

use strata_builder::{
    BF16, Computation, ElementType, F16, F32, F64, Literal, Native, PRED, S8, S16, S32, S64, U8,
    U32,
};

use super::{super::build, Array, check, check_arrays, of_scalars, positions};

/// Each line along a dimension reordered by `order`, which returns the positions of its elements.
pub(super) fn along(x: &Array, dimension: usize, order: impl Fn(&[f64]) -> Vec<usize>) -> Array {
    let mut result = x.clone();
    let mut first = x.sizes.clone();
    first[dimension] = first[dimension].min(1);
    for index in positions(&first) {
        let place = |at: usize| {
            let mut index = index.clone();
            index[dimension] = at;
            super::offset(&x.sizes, &index)
        };
        let line: Vec<f64> = (0..x.sizes[dimension]).map(|at| x.values[place(at)]).collect();
        for (at, from) in order(&line).into_iter().enumerate() {
            result.values[place(at)] = line[from];
        }
    }
    result
}

fn ascending(line: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..line.len()).collect();
    order.sort_by(|x, y| line[*x].total_cmp(&line[*y]));
    order
}

fn descending(line: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..line.len()).collect();
    order.sort_by(|x, y| line[*y].total_cmp(&line[*x]));
    order
}

fn check_both(x: &Array, element: ElementType, dimension: usize) {
    let (lt, gt) = (
        Computation::lt(element).expect("a comparison"),
        Computation::gt(element).expect("a comparison"),
    );
    for is_stable in [false, true] {
        let case = (element, &x.sizes, dimension, is_stable);
        check_arrays(
            ("up", case),
            element,
            &[x],
            |_, p| p[0].sort(&lt, dimension as i64, is_stable),
            &along(x, dimension, ascending),
        );
        check_arrays(
            ("down", case),
            element,
            &[x],
            |_, p| p[0].sort(&gt, dimension as i64, is_stable),
            &along(x, dimension, descending),
        );
    }
}

#[test]
fn vectors_of_every_small_size_and_some_large_ones() {
    for size in [0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 100, 257] {
        check_both(&Array::mixed(&[size], -300..311), F32, 0);
    }
}

#[test]
fn each_dimension_of_a_cuboid() {
    for sizes in [[3, 4, 5], [1, 6, 2], [7, 1, 3]] {
        let x = Array::mixed(&sizes, -90..91);
        (0..3).for_each(|dimension| check_both(&x, S32, dimension));
    }
}

#[test]
fn each_dimension_of_a_wide_and_of_a_tall_matrix() {
    for sizes in [[5, 41], [41, 5]] {
        let x = Array::mixed(&sizes, -300..311);
        (0..2).for_each(|dimension| check_both(&x, F32, dimension));
    }
}

#[test]
fn dimensions_of_size_0() {
    for sizes in [[0, 3], [3, 0]] {
        let x = Array::mixed(&sizes, 0..9);
        (0..2).for_each(|dimension| check_both(&x, F32, dimension));
    }
}

#[test]
fn element_types_that_are_sorted() {
    for element in [S8, S16, S64, F16, BF16, F64] {
        check_both(&Array::mixed(&[3, 19], -60..61), element, 1);
    }
    for element in [U8, U32] {
        check_both(&Array::mixed(&[3, 19], 90..201), element, 0);
    }
    check_both(&Array::of(&[2, 11], |index| ((index[0] + index[1] * 2) % 3 % 2) as f64), PRED, 1);
}

#[test]
fn lines_that_are_in_order_already_or_all_equal() {
    check_both(&Array::of(&[21], |index| index[0] as f64), S32, 0);
    check_both(&Array::of(&[21], |index| -(index[0] as f64)), S32, 0);
    check_both(&Array::of(&[21], |_| 4.0), S32, 0);
    check_both(&Array::of(&[40], |index| (index[0] % 3) as f64), F32, 0);
    // Up and down again.
    check_both(&Array::of(&[24], |index| -((index[0] as f64) - 11.5).abs() * 2.0), F32, 0);
}

#[test]
fn without_a_dimension_the_last_one_is_sorted() {
    let x = Array::mixed(&[4, 6], -60..61);
    let lt = Computation::lt(S32).expect("a comparison");
    let expected = along(&x, 1, ascending);
    check_arrays("none", S32, &[&x], |_, p| p[0].sort(&lt, None, false), &expected);
    check_arrays("-1", S32, &[&x], |_, p| p[0].sort(&lt, -1, false), &expected);
    check_arrays("oldest", S32, &[&x], |_, p| p[0].sort_ascending(), &expected);
}

fn sorted<T: Native>(given: Vec<T>, expected: Vec<T>) {
    let lt = Computation::lt(T::TYPE).expect("a comparison");
    let program = build(|b| b.parameter(T::TYPE, [given.len() as i64], "x").sort(&lt, 0, false));
    check(T::TYPE, &program, &[given.into()], &[expected.into()]);
}

#[test]
fn the_limits_of_integers() {
    sorted(vec![0, i64::MAX, -1, i64::MIN, 1], vec![i64::MIN, -1, 0, 1, i64::MAX]);
    sorted(
        vec![1 << 63, u64::MAX, 0, 1, (1 << 63) - 1],
        vec![0, 1, (1 << 63) - 1, 1 << 63, u64::MAX],
    );
    sorted(vec![127_i8, -128, 0, -1, 1], vec![-128, -1, 0, 1, 127]);
    sorted(vec![255_u8, 127, 128, 0], vec![0, 127, 128, 255]);
    sorted(vec![1_u32 << 31, 5, u32::MAX, 0], vec![0, 5, 1 << 31, u32::MAX]);
    sorted(
        vec![f32::INFINITY, 1.0, f32::NEG_INFINITY, f32::MIN_POSITIVE / 4.0, -1e30, 0.0],
        vec![f32::NEG_INFINITY, -1e30, 0.0, f32::MIN_POSITIVE / 4.0, 1.0, f32::INFINITY],
    );
}

/// The bits of floats, to distinguish zeros and NaN.
fn bits(values: &[f32]) -> Vec<i32> {
    values.iter().map(|value| value.to_bits() as i32).collect()
}

#[test]
fn the_total_order_has_a_place_for_each_zero_and_nan() {
    let nan = f32::from_bits(0x7fc0_0000);
    let given = [1.0_f32, nan, -0.0, f32::INFINITY, 0.0, -nan, -1.0, f32::NEG_INFINITY, -0.0, 0.0];
    let expected = [-nan, f32::NEG_INFINITY, -1.0, -0.0, -0.0, 0.0, 0.0, 1.0, f32::INFINITY, nan];
    let total = of_scalars("total", F32, 2, |_, p| p[0].lt_total_order(&p[1], &[]));
    for oldest in [false, true] {
        let program = build(|b| {
            let x = b.parameter(F32, [10], "x");
            let x = if oldest { x.sort_ascending()? } else { x.sort(&total, 0, true)? };
            x.bitcast_convert_type(S32)
        });
        check(oldest, &program, &[given.into()], &[bits(&expected).into()]);
    }
    // The other way around, with where each one was: equal ones keep their order.
    let down = Computation::new(
        "down",
        &[F32, F32, S32, S32].map(strata_builder::Shape::scalar),
        |_, p| p[0].gt_total_order(&p[1], &[]),
    )
    .expect("a comparison");
    let program = build(|b| {
        b.sort(&[b.parameter(F32, [10], "x"), b.iota_1d(S32, 10)?], &down, 0, true)?
            .get_tuple_element(1)
    });
    check("down", &program, &[given.into()], &[[1_i32, 3, 0, 4, 9, 2, 8, 6, 7, 5].into()]);
}

#[test]
fn zeros_of_either_sign_are_equal_to_a_plain_comparison() {
    let lt = Computation::lt(F32).expect("a comparison");
    let program =
        build(|b| b.parameter(F32, [6], "x").sort(&lt, 0, true)?.bitcast_convert_type(S32));
    let expected = bits(&[-1.0, 0.0, -0.0, 0.0, -0.0, 2.0]);
    check("zeros", &program, &[[0.0_f32, 2.0, -0.0, 0.0, -1.0, -0.0].into()], &[expected.into()]);
}

#[test]
fn the_largest_and_the_smallest_elements_with_their_places() {
    let x = Array::of(&[3, 11], |index| ((index[1] * 7 + index[0] * 3) % 6) as f64);
    for (largest, order) in [(true, descending as fn(&[f64]) -> Vec<usize>), (false, ascending)] {
        let numbers = Array::of(&x.sizes, |index| index[1] as f64);
        let order_of_line = |row: usize| order(&x.values[row * 11..(row + 1) * 11]);
        for k in [0, 1, 4, 11] {
            let program = build(|b| x.parameter(b, F32, "x").top_k(k as i64, largest));
            let pick = |from: &Array| {
                Array::of(&[3, k], |index| from.at(&[index[0], order_of_line(index[0])[index[1]]]))
            };
            let expected: [Literal; 2] = [pick(&x).literal(F32), pick(&numbers).literal(S32)];
            check((largest, k), &program, &[x.literal(F32)], &expected);
        }
    }
}

#[test]
fn sorts_between_other_operations() {
    // What is computed is sorted along one dimension, then along the other, and cut.
    let (x, y) = (Array::mixed(&[5, 7], -30..31), Array::mixed(&[5, 7], -20..21));
    let difference = Array::of(&[5, 7], |index| x.at(index) - 2.0 * y.at(index));
    let twice = along(&along(&difference, 0, ascending), 1, descending);
    let expected = Array::of(&[2, 3], |index| twice.at(&[index[0] + 1, 2 * index[1] + 1]) + 1.0);
    let lt = Computation::lt(F32).expect("a comparison");
    let gt = Computation::gt(F32).expect("a comparison");
    check_arrays(
        "between",
        F32,
        &[&x, &y],
        |_, p| {
            let difference = (&p[0] - (&p[1] * 2.0)?)?;
            let twice = difference.sort(&lt, 0, false)?.sort(&gt, 1, false)?;
            twice.slice(&[1, 1], &[3, 7], &[1, 2])? + 1.0
        },
        &expected,
    );
}
