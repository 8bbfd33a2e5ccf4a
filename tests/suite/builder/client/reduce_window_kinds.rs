//! Windows reduced: element types, several arrays at once, and windows among other operations.

use num_complex::Complex;
use strata_builder::{
    BF16, C64, Computation, F16, F32, F64, Literal, PRED, Padding, S8, S16, S32, S64, Shape, U8,
    U32, Window,
};

use super::{
    super::build,
    Array, check, check_arrays, of_scalars, positions,
    reduce_window::{Moves, moves},
};

#[test]
fn element_types_that_are_reduced() {
    let window = moves(&[2, 3], &[2, 1], &[(0, 1), (1, 1)]);
    let padding = Padding::General(vec![(0, 1), (1, 1)]);
    for element in [S8, S16, S32, S64, U8, U32, F16, BF16, F32, F64] {
        let x = Array::mixed(&[5, 9], 0..19);
        let sum = Computation::add(element).expect("a sum");
        check_arrays(
            ("sum", element),
            element,
            &[&x],
            |_, p| p[0].reduce_window(0, &sum, &[2, 3], &[2, 1], padding.clone()),
            &window.reduced(&x, 0.0, |x, y| x + y),
        );
        let max = Computation::max(element).expect("a maximum");
        check_arrays(
            ("max", element),
            element,
            &[&x],
            |_, p| p[0].reduce_window(0, &max, &[2, 3], &[2, 1], padding.clone()),
            &window.reduced(&x, 0.0, f64::max),
        );
    }
}

#[test]
fn sums_of_narrow_integers_wrap() {
    let x = Array::mixed(&[12], 70..120);
    let wrapped = |value: f64| f64::from(value as i64 as i8);
    let sum = Computation::add(S8).expect("a sum");
    check_arrays(
        "s8",
        S8,
        &[&x],
        |_, p| p[0].reduce_window(0, &sum, &[4], &[1], Padding::Valid),
        &moves(&[4], &[1], &[]).reduced(&x, 0.0, |x, y| wrapped(x + y)),
    );
}

#[test]
fn products_in_windows() {
    let x = Array::mixed(&[4, 5], -4..5);
    let product = Computation::mul(F32).expect("a product");
    let window = moves(&[2, 2], &[1, 1], &[(1, 0), (0, 1)]);
    check_arrays(
        "product",
        F32,
        &[&x],
        |_, p| {
            let padding = Padding::General(vec![(1, 0), (0, 1)]);
            p[0].reduce_window(1, &product, &[2, 2], &[1, 1], padding)
        },
        &window.reduced(&x, 1.0, |x, y| x * y),
    );
}

#[test]
fn booleans_in_windows() {
    let x = Array::of(&[3, 7], |index| f64::from(u8::from((index[0] * 5 + index[1] * 3) % 7 < 3)));
    let window = moves(&[2, 2], &[1, 2], &[]);
    let or = Computation::or(PRED).expect("a disjunction");
    check_arrays(
        "or",
        PRED,
        &[&x],
        |_, p| p[0].reduce_window(false, &or, &[2, 2], &[1, 2], Padding::Valid),
        &window.reduced(&x, 0.0, f64::max),
    );
    let and = Computation::and(PRED).expect("a conjunction");
    check_arrays(
        "and",
        PRED,
        &[&x],
        |_, p| p[0].reduce_window(true, &and, &[2, 2], &[1, 2], Padding::Valid),
        &window.reduced(&x, 1.0, f64::min),
    );
}

#[test]
fn complex_numbers_in_windows() {
    let x: Vec<Complex<f32>> =
        (0..8_i16).map(|at| Complex::new(f32::from(at * 3 % 7), f32::from(at - 5))).collect();
    let expected: Vec<Complex<f32>> =
        x.windows(3).step_by(2).map(|part| part.iter().sum()).collect();
    let sum = Computation::add(C64).expect("a sum");
    let program = build(|b| {
        let zero = Complex::new(0.0_f32, 0.0);
        b.parameter(C64, [8], "x").reduce_window(zero, &sum, &[3], &[2], Padding::Valid)
    });
    check("c64", &program, &[x.into()], &[expected.into()]);
}

/// The largest element of each window and its number; the first of equal ones.
fn largest(x: &Array, window: &Moves) -> (Array, Array) {
    let sizes: Vec<usize> = window.sizes.iter().map(|size| *size as usize).collect();
    let best = |output: &[usize]| {
        let mut best = (-1000.0, -1.0);
        for element in positions(&sizes) {
            let index = window.source(output, &element).expect("no holes");
            if let Some(value) = x.inside(&index) {
                let at = super::offset(
                    &x.sizes,
                    &index.iter().map(|part| *part as usize).collect::<Vec<_>>(),
                );
                if value > best.0 {
                    best = (value, at as f64);
                }
            }
        }
        best
    };
    let shape = window.positions(&x.sizes);
    (Array::of(&shape, |output| best(output).0), Array::of(&shape, |output| best(output).1))
}

#[test]
fn the_largest_element_and_its_number() {
    let (float, int) = (Shape::scalar(F32), Shape::scalar(S32));
    let pick = Computation::new("pick", &[float.clone(), int.clone(), float, int], |b, p| {
        let keep = p[0].gt(&p[2])?.or(p[0].eq(&p[2])?.and(p[1].lt(&p[3])?)?)?;
        b.tuple(&[b.select(&keep, &p[0], &p[2])?, b.select(&keep, &p[1], &p[3])?])
    })
    .expect("a computation");
    let x = Array::mixed(&[5, 8], -30..31);
    let numbers = Array::of(&[5, 8], |index| (index[0] * 8 + index[1]) as f64);
    for window in [moves(&[2, 2], &[2, 2], &[]), moves(&[3, 2], &[2, 3], &[(1, 1), (0, 1)])] {
        let program = build(|b| {
            let operands = [x.parameter(b, F32, "x"), numbers.parameter(b, S32, "n")];
            let init = [b.constant(-1000.0_f32), b.constant(-1_i32)];
            let padding = match &window.padding[..] {
                [] => Padding::Valid,
                given => Padding::General(given.to_vec()),
            };
            b.reduce_window(&operands, &init, &pick, &window.window(), padding)
        });
        let (values, positions) = largest(&x, &window);
        check(
            &window,
            &program,
            &[x.literal(F32), numbers.literal(S32)],
            &[values.literal(F32), positions.literal(S32)],
        );
    }
}

#[test]
fn three_arrays_of_different_types() {
    let scalars = [Shape::scalar(S64), Shape::scalar(F32), Shape::scalar(U8)];
    let all = Computation::new("all", &[&scalars[..], &scalars[..]].concat(), |b, p| {
        b.tuple(&[p[0].add(&p[3])?, p[1].max(&p[4])?, p[2].min(&p[5])?])
    })
    .expect("a computation");
    let (x, y, z) =
        (Array::mixed(&[10], -90..91), Array::mixed(&[10], -20..21), Array::mixed(&[10], 7..99));
    let program = build(|b| {
        let operands =
            [x.parameter(b, S64, "x"), y.parameter(b, F32, "y"), z.parameter(b, U8, "z")];
        let init = [b.constant(0_i64), b.constant(f32::NEG_INFINITY), b.constant(255_u8)];
        let window = Window { dimensions: &[4], strides: &[3], ..Window::default() };
        b.reduce_window(&operands, &init, &all, &window, Padding::Same)
    });
    // Ten elements by threes are four positions that cover 13: one before and two after.
    let window = moves(&[4], &[3], &[(1, 2)]);
    let expected = [
        window.reduced(&x, 0.0, |x, y| x + y).literal(S64),
        window.reduced(&y, f64::NEG_INFINITY, f64::max).literal(F32),
        window.reduced(&z, 255.0, f64::min).literal(U8),
    ];
    check("three", &program, &[x.literal(S64), y.literal(F32), z.literal(U8)], &expected);
}

#[test]
fn windows_between_other_operations() {
    // A scaled operand, transposed, pooled twice, next to an array of the result's shape.
    let (x, y) = (Array::mixed(&[7, 6], -20..21), Array::mixed(&[2, 3], -9..10));
    let sum = Computation::add(F32).expect("a sum");
    let max = Computation::max(F32).expect("a maximum");
    let transposed = Array::of(&[6, 7], |index| 2.0 * x.at(&[index[1], index[0]]) + 1.0);
    let once = moves(&[2, 2], &[1, 1], &[]).reduced(&transposed, 0.0, |x, y| x + y);
    let twice = moves(&[3, 2], &[2, 2], &[]).reduced(&once, -1000.0, f64::max);
    let expected = Array::of(&[2, 3], |index| twice.at(index) - y.at(index));
    check_arrays(
        "between",
        F32,
        &[&x, &y],
        |_, p| {
            let transposed = ((&p[0] * 2.0)? + 1.0)?.transpose(&[1, 0])?;
            let once = transposed.reduce_window(0.0, &sum, &[2, 2], &[1, 1], Padding::Valid)?;
            let twice = once.reduce_window(-1000.0, &max, &[3, 2], &[2, 2], Padding::Valid)?;
            twice - &p[1]
        },
        &expected,
    );
}

#[test]
fn an_average_divides_by_the_elements_in_bounds() {
    let x = Array::mixed(&[1, 5, 5, 2], -60..61);
    let window = moves(&[1, 3, 3, 1], &[1, 2, 2, 1], &[(0, 0), (1, 1), (1, 1), (0, 0)]);
    let sums = window.reduced(&x, 0.0, |x, y| x + y);
    let counts = window.reduced(&Array::of(&[1, 5, 5, 2], |_| 1.0), 0.0, |x, y| x + y);
    let expected: Vec<f32> = sums
        .values
        .iter()
        .zip(&counts.values)
        .map(|(sum, count)| (*sum as f32) / (*count as f32))
        .collect();
    let add = Computation::add(F32).expect("a sum");
    let program = build(|b| {
        let pooled = |x: &strata_builder::Op| {
            x.reduce_window(0.0, &add, &[1, 3, 3, 1], &[1, 2, 2, 1], Padding::Same)
        };
        let ones = b.constant(1.0_f32).broadcast(&[1, 5, 5, 2])?;
        pooled(&x.parameter(b, F32, "x"))?.div(pooled(&ones)?)
    });
    let expected = Literal::new(&sums.sizes, &expected).expect("as many");
    check("average", &program, &[x.literal(F32)], &[expected]);
}

#[test]
fn a_window_in_a_function_of_elements_and_in_a_loop() {
    // The running maximum of three neighbours, taken as often as a loop says, spreads by one element each time.
    let vector = Shape::array(S32, [9]);
    let state = [Shape::scalar(S32), vector];
    let below = Computation::new("below", &state, |_, p| p[0].lt(3)).expect("a condition");
    let max = of_scalars("max", S32, 2, |_, p| p[0].max(&p[1]));
    let body = Computation::new("body", &state, |b, p| {
        let init = Literal::min_value(S32);
        b.tuple(&[(&p[0] + 1)?, p[1].reduce_window(init, &max, &[3], &[1], Padding::Same)?])
    })
    .expect("a body");
    let x = Array::mixed(&[9], -90..91);
    let near = moves(&[7], &[1], &[(3, 3)]).reduced(&x, f64::NEG_INFINITY, f64::max);
    let program = build(|b| {
        let start = b.tuple(&[b.constant(0_i32), x.parameter(b, S32, "x")])?;
        b.while_loop(&below, &body, &start)?.get_tuple_element(1)
    });
    check("loop", &program, &[x.literal(S32)], &[near.literal(S32)]);
}
