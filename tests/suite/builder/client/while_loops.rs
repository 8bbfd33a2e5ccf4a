//! Loops by what they carry: one value of each type, tuples, values that are passed on, exchanged or never used.

use half::{bf16, f16};
use strata_builder::{
    Builder, Computation, F32, Literal, Native, Op, PRED, Result, S32, Shape, U8, U32,
};

use super::{super::build, check};

/// A computation of one parameter for each shape.
pub(super) fn of(
    name: &str,
    state: &[Shape],
    build: impl FnOnce(&Builder, &[Op]) -> Result<Op>,
) -> Computation {
    Computation::new(name, state, build).expect("a computation")
}

/// A loop over a tuple of arguments, with a parameter for each of them.
pub(super) fn check_loop(
    case: &str,
    init: &[Literal],
    condition: impl FnOnce(&Builder, &[Op]) -> Result<Op>,
    body: impl FnOnce(&Builder, &[Op]) -> Result<Op>,
    expected: &[Literal],
) {
    let state: Vec<Shape> = init.iter().map(Literal::shape).collect();
    let (condition, body) = (of("condition", &state, condition), of("body", &state, body));
    let program = build(|b| {
        let arguments: Vec<Op> = state.iter().map(|shape| b.parameter_of(shape, "")).collect();
        b.while_loop(&condition, &body, &b.tuple(&arguments)?)
    });
    check(case, &program, init, expected);
    // The same from constants, whose trips can be counted while it is compiled.
    let program = build(|b| {
        let constants: Vec<Op> = init.iter().map(|literal| b.constant_literal(literal)).collect();
        b.while_loop(&condition, &body, &b.tuple(&constants)?)
    });
    check(case, &program, &[], expected);
}

/// A loop that carries one number without a tuple, given from outside.
fn count<T: Native>(start: T, limit: Literal, step: Literal, expected: T) {
    let scalar = [Shape::scalar(T::TYPE)];
    let below = of("below", &scalar, |_, p| p[0].lt(&limit));
    let add = of("add", &scalar, |_, p| p[0].add(&step));
    let program = build(|b| b.while_loop(&below, &add, &b.parameter(T::TYPE, [], "start")));
    check(T::TYPE, &program, &[start.into()], &[expected.into()]);
}

#[test]
fn a_number_of_each_type_is_counted_up() {
    count(0_i32, 7_i32.into(), 1_i32.into(), 7);
    count(-100_i8, 30_i8.into(), 40_i8.into(), 60);
    count(1_u8, 250_u8.into(), 83_u8.into(), 250);
    count(5_i64, (1_i64 << 40).into(), (1_i64 << 37).into(), 5 + (1 << 40));
    count(3_u64, (1_u64 << 63).into(), (1_u64 << 61).into(), 3 + (1 << 63));
    count(0.0_f32, 5.0_f32.into(), 0.75_f32.into(), 5.25);
    count(-1.0_f64, 2.0_f64.into(), 0.5_f64.into(), 2.0);
    count(
        f16::from_f32(0.0),
        f16::from_f32(3.0).into(),
        f16::from_f32(1.25).into(),
        f16::from_f32(3.75),
    );
    count(
        bf16::from_f32(1.0),
        bf16::from_f32(9.0).into(),
        bf16::from_f32(2.5).into(),
        bf16::from_f32(11.0),
    );
}

#[test]
fn no_trip_at_all() {
    count(7_i32, 7_i32.into(), 1_i32.into(), 7);
    count(f32::NAN, 7.0_f32.into(), 1.0_f32.into(), f32::NAN);
    let init = [Literal::from(1_i32), [3.0_f32, 4.0].into()];
    let body = |b: &Builder, p: &[Op]| b.tuple(&[p[0].clone(), p[1].neg()?]);
    check_loop("never", &init, |b, _| Ok(b.constant(false)), body, &init);
}

#[test]
fn a_boolean_is_carried_and_decides() {
    let scalar = [Shape::scalar(PRED)];
    let (condition, body) =
        (of("not", &scalar, |_, p| p[0].not()), of("set", &scalar, |_, p| p[0].or(true)));
    let program = build(|b| b.while_loop(&condition, &body, &b.parameter(PRED, [], "done")));
    for start in [false, true] {
        check(start, &program, &[start.into()], &[true.into()]);
    }
    // Of a pair the number decides, and the boolean changes at each trip.
    check_loop(
        "flips",
        &[0_i32.into(), false.into()],
        |_, p| p[0].lt(5),
        |b, p| b.tuple(&[(&p[0] + 1)?, p[1].not()?]),
        &[5_i32.into(), true.into()],
    );
}

#[test]
fn a_vector_is_carried_without_a_counter() {
    let vector = [Shape::array(F32, [3])];
    // While the sum is below 40: vectors are reduced in the condition.
    let sum = Computation::add(F32).expect("a sum");
    let condition = of("below", &vector, |_, p| p[0].reduce_all(0.0, &sum)?.lt(40.0));
    let body = of("step", &vector, |b, p| p[0].add(b.constant([0.5_f32, 1.0, 2.0])));
    let program = build(|b| b.while_loop(&condition, &body, &b.parameter(F32, [3], "v")));
    // 3.5 are added at each trip: 2 + 11 * 3.5 is the first sum that is not below 40.
    let expected = [1.0 + 5.5, -4.0 + 11.0, 5.0 + 22.0_f32];
    check("sum", &program, &[[1.0_f32, -4.0, 5.0].into()], &[expected.into()]);
    let zero = [Shape::array(F32, [0])];
    let condition = of("below", &zero, |_, p| p[0].reduce_all(0.0, &sum)?.lt(0.0));
    let body = of("step", &zero, |_, p| &p[0] + 1.0);
    let program = build(|b| b.while_loop(&condition, &body, &b.parameter(F32, [0], "v")));
    let nothing = Literal::from([0.0_f32; 0]);
    check("nothing", &program, std::slice::from_ref(&nothing), std::slice::from_ref(&nothing));
}

#[test]
fn a_counter_and_a_vector() {
    let start = [1.0_f32, -2.0, 7.0, 0.0, 3.0];
    let step = [0.5_f32, 1.0, -1.5, 2.0, 4.0];
    for trips in [0, 1, 2, 9] {
        let expected: Vec<f32> =
            start.iter().zip(step).map(|(x, step)| x + trips as f32 * step).collect();
        check_loop(
            "vector",
            &[0_i32.into(), start.into()],
            |_, p| p[0].lt(trips),
            |b, p| b.tuple(&[(&p[0] + 1)?, p[1].add(b.constant(step))?]),
            &[trips.into(), expected.into()],
        );
    }
}

#[test]
fn the_number_of_trips_is_an_argument() {
    let state = [Shape::scalar(S32), Shape::scalar(S32), Shape::array(S32, [4])];
    let condition = of("condition", &state, |_, p| p[0].lt(&p[1]));
    let body = of("body", &state, |b, p| b.tuple(&[(&p[0] + 1)?, p[1].clone(), p[2].add(&p[0])?]));
    let program = build(|b| {
        let limit = b.parameter(S32, [], "limit");
        let start = b.tuple(&[b.constant(0_i32), limit, b.parameter(S32, [4], "v")])?;
        b.while_loop(&condition, &body, &start)?.get_tuple_element(2)
    });
    for limit in [0, 1, 6, -3_i32] {
        let sum: i32 = (0..limit).sum();
        let v = [10, -20, 5, 8_i32];
        check(limit, &program, &[limit.into(), v.into()], &[v.map(|x| x + sum).into()]);
    }
}

#[test]
fn values_of_different_types_and_ranks() {
    check_loop(
        "types",
        &[
            0_u32.into(),
            [1.0_f32, 2.0, 3.0].into(),
            [[true, false], [false, false]].into(),
            [200_u8, 17].into(),
            (-3_i64).into(),
            [[1.5_f64], [-0.5]].into(),
        ],
        |_, p| p[0].lt(3),
        |b, p| {
            b.tuple(&[
                (&p[0] + 1)?,
                p[1].mul(-2.0)?,
                p[2].xor(&p[2].rev(&[0, 1])?)?.or(&p[2])?,
                // Wraps around.
                p[3].add(90)?,
                p[4].mul(&p[4])?,
                p[5].sub(p[0].convert(strata_builder::F64))?,
            ])
        },
        &[
            3_u32.into(),
            [-8.0_f32, -16.0, -24.0].into(),
            [[true, false], [false, true]].into(),
            [(200_u8).wrapping_add(14), 17_u8.wrapping_add(14)].into(),
            6561_i64.into(),
            [[-1.5_f64], [-3.5]].into(),
        ],
    );
}

#[test]
fn what_the_body_does_not_touch_stays() {
    check_loop(
        "untouched",
        &[0_i32.into(), [5_i32, 6, 7].into(), 40_i32.into(), [1.5_f32, 2.5].into()],
        |_, p| p[0].lt(4),
        |b, p| b.tuple(&[(&p[0] + 1)?, p[1].clone(), p[2].sub(&p[0])?, p[3].clone()]),
        &[4_i32.into(), [5_i32, 6, 7].into(), 34_i32.into(), [1.5_f32, 2.5].into()],
    );
}

#[test]
fn constants_and_the_same_value_twice_in_the_state() {
    // One carried value becomes a constant in the first iteration, and two become equal.
    for (trips, expected) in [(0, [1.0_f32, 2.0, 3.0]), (1, [7.0, 4.0, 4.0]), (3, [7.0, 6.0, 6.0])]
    {
        check_loop(
            "constants",
            &[0_i32.into(), 1.0_f32.into(), 2.0_f32.into(), 3.0_f32.into()],
            |_, p| p[0].lt(trips),
            |b, p| {
                let next = (&p[3] + 1.0)?;
                b.tuple(&[(&p[0] + 1)?, b.constant(7.0_f32), next.clone(), next])
            },
            &[trips.into(), expected[0].into(), expected[1].into(), expected[2].into()],
        );
    }
}

#[test]
fn places_of_the_state_are_exchanged() {
    let vectors = [[1.0_f32, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [-9.0, -10.0, -11.0, -12.0]];
    for trips in 0..7_usize {
        let init = [0_i32.into(), vectors[0].into(), vectors[1].into(), vectors[2].into()];
        let limit = trips as i32;
        let rotated = [0, 1, 2].map(|at| Literal::from(vectors[(at + trips) % 3]));
        let [x, y, z] = rotated;
        check_loop(
            "turn",
            &init,
            |_, p| p[0].lt(limit),
            |b, p| b.tuple(&[(&p[0] + 1)?, p[2].clone(), p[3].clone(), p[1].clone()]),
            &[limit.into(), x, y, z],
        );
        // Two are swapped, and the third one is what the first one was.
        let mut state = vectors;
        for _ in 0..trips {
            state = [state[1], state[0], state[0]];
        }
        check_loop(
            "swap",
            &init,
            |_, p| p[0].lt(limit),
            |b, p| b.tuple(&[(&p[0] + 1)?, p[2].clone(), p[1].clone(), p[1].clone()]),
            &[limit.into(), state[0].into(), state[1].into(), state[2].into()],
        );
    }
}

#[test]
fn two_numbers_feed_each_other() {
    // Fibonacci's numbers, and Euclid's algorithm.
    let mut pair = (0_i64, 1_i64);
    for _ in 0..50 {
        pair = (pair.1, pair.0 + pair.1);
    }
    check_loop(
        "fibonacci",
        &[0_i32.into(), 0_i64.into(), 1_i64.into()],
        |_, p| p[0].lt(50),
        |b, p| b.tuple(&[(&p[0] + 1)?, p[2].clone(), p[1].add(&p[2])?]),
        &[50_i32.into(), pair.0.into(), pair.1.into()],
    );
    check_loop(
        "euclid",
        &[1071_i32.into(), 462_i32.into()],
        |_, p| p[1].ne(0),
        |b, p| b.tuple(&[p[1].clone(), p[0].rem(&p[1])?]),
        &[21_i32.into(), 0_i32.into()],
    );
}

#[test]
fn a_tuple_is_one_parameter_or_one_for_each_element() {
    let parts = [Shape::scalar(S32), Shape::array(F32, [2])];
    let whole = [Shape::tuple(parts.clone())];
    let by_whole = of("below", &whole, |_, p| p[0].get_tuple_element(0)?.lt(3));
    let by_parts = of("below", &parts, |_, p| p[0].lt(3));
    let add = |b: &Builder, at: &Op, v: &Op| b.tuple(&[(at + 1)?, v.add(v)?]);
    let of_whole =
        of("body", &whole, |b, p| add(b, &p[0].get_tuple_element(0)?, &p[0].get_tuple_element(1)?));
    let of_parts = of("body", &parts, |b, p| add(b, &p[0], &p[1]));
    for (condition, body) in [
        (&by_whole, &of_whole),
        (&by_whole, &of_parts),
        (&by_parts, &of_whole),
        (&by_parts, &of_parts),
    ] {
        let program = build(|b| {
            let v = b.parameter(F32, [2], "v");
            b.while_loop(condition, body, &b.tuple(&[b.constant(0_i32), v])?)
        });
        let expected = [3_i32.into(), [12.0_f32, -24.0].into()];
        check("forms", &program, &[[1.5_f32, -3.0].into()], &expected);
    }
}

#[test]
fn nested_tuples_are_carried() {
    let pair = Shape::tuple([Shape::array(S32, [2]), Shape::scalar(U8)]);
    let state = [Shape::tuple([Shape::scalar(U32), Shape::tuple([pair, Shape::scalar(F32)])])];
    let condition = of("below", &state, |_, p| p[0].get_tuple_element(0)?.lt(4));
    let body = of("body", &state, |b, p| {
        let outer = p[0].get_tuple_element(1)?;
        let pair = outer.get_tuple_element(0)?.tuple_elements()?;
        let pair = b.tuple(&[pair[0].mul(b.constant([2_i32, -3]))?, (&pair[1] + 100)?])?;
        let outer = b.tuple(&[pair, (outer.get_tuple_element(1)? - 0.5)?])?;
        b.tuple(&[p[0].get_tuple_element(0)?.add(1)?, outer])
    });
    let program = build(|b| {
        let init = b.parameter_of(&state[0], "init");
        let end = b.while_loop(&condition, &body, &init)?;
        // Out again, inside out.
        let outer = end.get_tuple_element(1)?;
        b.tuple(&[outer.get_tuple_element(1)?, outer.get_tuple_element(0)?])
    });
    let init = [1_u32.into(), [5_i32, 7].into(), 50_u8.into(), 3.0_f32.into()];
    let expected = [1.5_f32.into(), [40_i32, -189].into(), 94_u8.into()];
    check("nested", &program, &init, &expected);
}
