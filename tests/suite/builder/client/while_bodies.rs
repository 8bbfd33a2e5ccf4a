//! Loops by what surrounds them and what is in them: other loops, branches, calls, slices, products, sorts.

use strata_builder::{Builder, Computation, F32, Literal, Op, Result, S32, Shape};

use super::{
    super::build,
    Array, check,
    while_loops::{check_loop, of},
};

fn state() -> [Shape; 2] {
    [Shape::scalar(S32), Shape::array(F32, [3])]
}

fn below(limit: i32) -> Computation {
    of("below", &state(), |_, p| p[0].lt(limit))
}

fn step() -> Computation {
    of("step", &state(), |b, p| {
        b.tuple(&[(&p[0] + 1)?, p[1].add(b.constant([1.0_f32, 10.0, -2.0]))?])
    })
}

fn after(start: [f32; 3], trips: i32) -> [f32; 3] {
    let step = [1.0, 10.0, -2.0];
    [0, 1, 2].map(|at| start[at] + trips as f32 * step[at])
}

const START: [f32; 3] = [4.0, -1.0, 0.5];

fn start(b: &Builder) -> Result<Op> {
    b.tuple(&[b.constant(0_i32), b.parameter(F32, [3], "v")])
}

fn minus(x: [f32; 3], y: [f32; 3]) -> Literal {
    [0, 1, 2].map(|at| x[at] - 100.0 * y[at]).into()
}

#[test]
fn a_loop_goes_on_where_another_one_stopped() {
    // The first loop's result is used by the second loop, and after it.
    for (first, second) in [(3, 8), (3, 2), (0, 4)] {
        let program = build(|b| {
            let one = b.while_loop(&below(first), &step(), &start(b)?)?;
            let two = b.while_loop(&below(second), &step(), &one)?;
            one.get_tuple_element(1)? - two.get_tuple_element(1)?.mul(100.0)?
        });
        let expected = minus(after(START, first), after(START, second.max(first)));
        check((first, second), &program, &[START.into()], &[expected]);
    }
}

#[test]
fn two_loops_begin_with_the_same_state() {
    let body = step();
    let program = build(|b| {
        let init = start(b)?;
        let one = b.while_loop(&below(2), &body, &init)?;
        let two = b.while_loop(&below(5), &body, &init)?;
        let start = init.get_tuple_element(1)?;
        b.tuple(&[(one.get_tuple_element(1)? - two.get_tuple_element(1)?.mul(100.0)?)?, start])
    });
    let expected = [minus(after(START, 2), after(START, 5)), START.into()];
    check("same start", &program, &[START.into()], &expected);
}

#[test]
fn what_a_loop_gives_is_used_twice_and_what_is_not_used_is_left_out() {
    let program = build(|b| {
        let end = b.while_loop(&below(4), &step(), &start(b)?)?.get_tuple_element(1)?;
        b.tuple(&[end.mul(&end)?, end.rev(&[0])?, end])
    });
    let end = after(START, 4);
    let squares = end.map(|x| x * x);
    let reversed = [end[2], end[1], end[0]];
    check("twice", &program, &[START.into()], &[squares.into(), reversed.into(), end.into()]);
}

#[test]
fn loops_three_deep() {
    // Every pair and triple of counters that do not exceed the one around them.
    let scalars = [Shape::scalar(S32), Shape::scalar(S32), Shape::scalar(S32)];
    // (counter, limit, count)
    let up_to = of("up to", &scalars, |_, p| p[0].lt(&p[1]));
    let one = of("one", &scalars, |b, p| b.tuple(&[(&p[0] + 1)?, p[1].clone(), (&p[2] + 1)?]));
    let around = |inner: &Computation| {
        of("around", &scalars, |b, p| {
            let next = (&p[0] + 1)?;
            let start = b.tuple(&[b.constant(0_i32), next.clone(), p[2].clone()])?;
            let end = b.while_loop(&up_to, inner, &start)?;
            b.tuple(&[next, p[1].clone(), end.get_tuple_element(2)?])
        })
    };
    let (two, three) = (around(&one), around(&around(&one)));
    let program = build(|b| {
        let limit = b.parameter(S32, [], "limit");
        let start = b.tuple(&[b.constant(0_i32), limit, b.constant(0_i32)])?;
        let pairs = b.while_loop(&up_to, &two, &start)?.get_tuple_element(2)?;
        b.tuple(&[pairs, b.while_loop(&up_to, &three, &start)?.get_tuple_element(2)?])
    });
    for limit in [0, 1, 5, 9_i32] {
        let pairs = limit * (limit + 1) / 2;
        let triples = limit * (limit + 1) * (limit + 2) / 6;
        check(limit, &program, &[limit.into()], &[pairs.into(), triples.into()]);
    }
}

#[test]
fn a_branch_in_a_loop() {
    // How many steps 3 n + 1 and n / 2 take down to 1.
    let int = [Shape::scalar(S32)];
    let (half, triple) =
        (of("half", &int, |_, p| &p[0] / 2), of("triple", &int, |_, p| (&p[0] * 3)? + 1));
    let state = [Shape::scalar(S32), Shape::scalar(S32)];
    let above = of("above", &state, |_, p| p[0].gt(1));
    let body = of("body", &state, |b, p| {
        let even = (&p[0] % 2)?.eq(0)?;
        b.tuple(&[b.conditional(&even, &p[0], &half, &p[0], &triple)?, (&p[1] + 1)?])
    });
    let program = build(|b| {
        let init = b.tuple(&[b.parameter(S32, [], "n"), b.constant(0_i32)])?;
        b.while_loop(&above, &body, &init)?.get_tuple_element(1)
    });
    for (n, steps) in [(1, 0), (2, 1), (6, 8), (27, 111_i32)] {
        check(n, &program, &[n.into()], &[steps.into()]);
    }
}

#[test]
fn a_loop_in_a_branch_and_a_loop_in_a_call() {
    let doubled = |name: &str, limit: f32| {
        let scalar = [Shape::scalar(F32)];
        let below = of("below", &scalar, |_, p| p[0].lt(limit));
        let twice = of("twice", &scalar, |_, p| p[0].add(&p[0]));
        of(name, &scalar, |b, p| b.while_loop(&below, &twice, &p[0]))
    };
    let (ten, hundred) = (doubled("ten", 10.0), doubled("hundred", 100.0));
    let program = build(|b| {
        let (small, x) =
            (b.parameter(strata_builder::PRED, [], "small"), b.parameter(F32, [], "x"));
        let one = b.conditional(&small, &x, &ten, &x, &hundred)?;
        b.tuple(&[one, b.call(&hundred, &[b.call(&ten, &[x])?.sub(1.0)?])?])
    });
    for (small, one) in [(true, 12.0_f32), (false, 192.0)] {
        // 3, 6, 12; then 11, 22, 44, 88, 176.
        check(small, &program, &[small.into(), 3.0_f32.into()], &[one.into(), 176.0_f32.into()]);
    }
}

#[test]
fn rows_are_written_and_read_at_the_counter() {
    let x = Array::mixed(&[5, 4], -20..21);
    // Each row becomes the sum of all rows so far, in place.
    let mut expected = x.clone();
    for at in 4..20 {
        expected.values[at] += expected.values[at - 4];
    }
    check_loop(
        "rows",
        &[1_i32.into(), x.literal(F32)],
        |_, p| p[0].lt(5),
        |b, p| {
            let zero = b.constant(0_i32);
            let row = |at: Op| p[1].dynamic_slice(&[at, zero.clone()], &[1, 4]);
            let sum = (row(p[0].clone())? + row((&p[0] - 1)?)?)?;
            b.tuple(&[(&p[0] + 1)?, p[1].dynamic_update_slice(sum, &[p[0].clone(), zero.clone()])?])
        },
        &[5_i32.into(), expected.literal(F32)],
    );
}

#[test]
fn an_array_is_written_while_its_state_before_is_read() {
    // All elements are shifted by one for a new first one; dropped elements are summed.
    let x = [3, 1, 4, 1, 5, 9, 2_i32];
    let mut expected = x;
    let mut out = 0;
    for at in 0..4 {
        out += expected[6];
        expected.rotate_right(1);
        expected[0] = 100 + at;
    }
    check_loop(
        "shift",
        &[0_i32.into(), x.into(), 0_i32.into()],
        |_, p| p[0].lt(4),
        |b, p| {
            let last = p[1].slice(&[6], &[7], &[])?.reshape(&[])?;
            let moved =
                p[1].dynamic_update_slice(p[1].slice(&[0], &[6], &[]), &[b.constant(1_i32)])?;
            let first = (&p[0] + 100)?.reshape(&[1])?;
            let moved = moved.dynamic_update_slice(first, &[b.constant(0_i32)])?;
            b.tuple(&[(&p[0] + 1)?, moved, p[2].add(last)?])
        },
        &[4_i32.into(), expected.into(), out.into()],
    );
}

#[test]
fn results_of_all_trips_in_one_array() {
    // A scan: the carried vector and a row of the output for each trip.
    let x = Array::mixed(&[6, 2], -9..10);
    let (mut carry, mut rows) = ([1.0, -1.0], Vec::new());
    for at in 0..6 {
        carry = [carry[1] + x.at(&[at, 0]), carry[0] - x.at(&[at, 1])];
        rows.extend(carry);
    }
    let rows = Array { sizes: vec![6, 2], values: rows };
    let carry = Array { sizes: vec![2], values: carry.to_vec() };
    let zeros = Array::of(&[6, 2], |_| 0.0);
    check_loop(
        "scan",
        &[0_i32.into(), [1.0_f32, -1.0].into(), x.literal(F32), zeros.literal(F32)],
        |_, p| p[0].lt(6),
        |b, p| {
            let at = [p[0].clone(), b.constant(0_i32)];
            let row = p[2].dynamic_slice(&at, &[1, 2])?.reshape(&[2])?;
            let next = p[1].rev(&[0])?.add(row.mul(b.constant([1.0_f32, -1.0])))?;
            let rows = p[3].dynamic_update_slice(next.reshape(&[1, 2]), &at)?;
            b.tuple(&[(&p[0] + 1)?, next, p[2].clone(), rows])
        },
        &[6_i32.into(), carry.literal(F32), x.literal(F32), rows.literal(F32)],
    );
}

#[test]
fn powers_of_a_matrix() {
    let x = Array::mixed(&[3, 3], -2..3);
    let times = |x: &Array, y: &Array| {
        Array::of(&[3, 3], |i| (0..3).map(|k| x.at(&[i[0], k]) * y.at(&[k, i[1]])).sum())
    };
    let mut power = x.clone();
    for _ in 0..5 {
        power = times(&power, &x);
    }
    check_loop(
        "power",
        &[0_i32.into(), x.literal(F32), x.literal(F32)],
        |_, p| p[0].lt(5),
        |b, p| b.tuple(&[(&p[0] + 1)?, p[1].dot(&p[2])?, p[2].clone()]),
        &[5_i32.into(), power.literal(F32), x.literal(F32)],
    );
}

#[test]
fn random_numbers_by_multiplication() {
    let mut seed = 12_345_u32;
    let mut seen = Vec::new();
    for _ in 0..8 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seen.push(seed >> 16);
    }
    check_loop(
        "random",
        &[0_i32.into(), 12_345_u32.into(), [0_u32; 8].into()],
        |_, p| p[0].lt(8),
        |b, p| {
            let next = (p[1].mul(1_664_525_u32)? + b.constant(1_013_904_223_u32))?;
            let high = next.shift_right_logical(16)?.reshape(&[1])?;
            b.tuple(&[(&p[0] + 1)?, next, p[2].dynamic_update_slice(high, &p[..1])?])
        },
        &[8_i32.into(), seed.into(), seen.into()],
    );
}

#[test]
fn a_sort_and_a_gather_in_a_loop() {
    // The largest element is lowered by the smallest one, three times.
    let mut x = [9, 40, 3, 25, 11_i32];
    for _ in 0..3 {
        x.sort_unstable();
        x[4] -= x[0];
        x = [4, 0, 3, 1, 2].map(|at: usize| x[at]);
    }
    let lt = Computation::lt(S32).expect("a comparison");
    let numbers = strata_builder::GatherDimensionNumbers {
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        index_vector_dim: 1,
        ..Default::default()
    };
    check_loop(
        "sort",
        &[0_i32.into(), [9, 40, 3, 25, 11_i32].into()],
        |_, p| p[0].lt(3),
        |b, p| {
            let sorted = p[1].sort(&lt, 0, false)?;
            let last = sorted.slice(&[4], &[5], &[])?.sub(sorted.slice(&[0], &[1], &[]))?;
            let sorted = sorted.dynamic_update_slice(last, &[b.constant(4_i32)])?;
            let order = b.constant([4_i32, 0, 3, 1, 2]);
            b.tuple(&[(&p[0] + 1)?, sorted.gather(order, &numbers, &[1], false)?])
        },
        &[3_i32.into(), x.into()],
    );
}

#[test]
fn a_long_array_through_many_trips() {
    let x = Array::mixed(&[1031], -90..91);
    let expected = Array::of(&[1031], |i| x.at(&[(i[0] + 1031 - 37) % 1031]) + 37.0);
    check_loop(
        "long",
        &[0_i32.into(), x.literal(F32)],
        |_, p| p[0].lt(37),
        |b, p| {
            let last = p[1].slice(&[1030], &[1031], &[])?;
            let rest = p[1].slice(&[0], &[1030], &[])?;
            b.tuple(&[(&p[0] + 1)?, (b.concat_in_dim(&[last, rest], 0)? + 1.0)?])
        },
        &[37_i32.into(), expected.literal(F32)],
    );
}
