//! Computations applied to elements one by one, and called.

use strata_builder::{Computation, F32, PRED, S32, S64, Shape};

use super::{super::build, Array, check, check_arrays, of_scalars};

#[test]
fn a_function_of_one_element() {
    let step = of_scalars("step", F32, 1, |_, p| (&p[0] * 3.0)? - 1.0);
    for sizes in [&[][..], &[1], &[7], &[0], &[3, 5], &[2, 3, 4]] {
        let x = Array::mixed(sizes, -60..61);
        let expected = Array::of(sizes, |index| 3.0 * x.at(index) - 1.0);
        let dimensions: Vec<i64> = (0..sizes.len() as i64).collect();
        check_arrays(sizes, F32, &[&x], |b, p| b.map(&p[..1], &step, &dimensions, &[]), &expected);
    }
}

#[test]
fn a_function_of_several_elements() {
    let mixed = of_scalars("mixed", S32, 3, |_, p| p[0].mul(&p[1])? - &p[2]);
    let arrays = [
        Array::mixed(&[4, 3], -30..31),
        Array::mixed(&[4, 3], -8..9),
        Array::mixed(&[4, 3], 50..90),
    ];
    let expected = Array::of(&[4, 3], |i| arrays[0].at(i) * arrays[1].at(i) - arrays[2].at(i));
    let all: Vec<&Array> = arrays.iter().collect();
    check_arrays("mixed", S32, &all, |b, p| b.map(p, &mixed, &[0, 1], &[]), &expected);
}

#[test]
fn a_function_that_ignores_an_element_or_all_of_them() {
    let x = Array::mixed(&[5], -30..31);
    let y = Array::mixed(&[5], 40..80);
    let second = of_scalars("second", F32, 2, |_, p| Ok(p[1].clone()));
    check_arrays("second", F32, &[&x, &y], |b, p| b.map(p, &second, &[0], &[]), &y);
    let constant = of_scalars("constant", F32, 1, |b, _| Ok(b.constant(2.5_f32)));
    let program = build(|b| b.map(&[x.parameter(b, F32, "x")], &constant, &[0], &[]));
    check("constant", &program, &[x.literal(F32)], &[[2.5_f32; 5].into()]);
}

#[test]
fn a_function_to_another_type() {
    let x = Array::mixed(&[3, 4], -30..31);
    let positive = of_scalars("positive", S32, 1, |_, p| p[0].gt(3));
    let program = build(|b| b.map(&[x.parameter(b, S32, "x")], &positive, &[0, 1], &[]));
    let expected = Array::of(&[3, 4], |i| f64::from(u8::from(x.at(i) > 3.0)));
    check("pred", &program, &[x.literal(S32)], &[expected.literal(PRED)]);
    let wide = of_scalars("wide", S32, 1, |_, p| p[0].convert(S64)? * (1_i64 << 33));
    let program = build(|b| b.map(&[x.parameter(b, S32, "x")], &wide, &[0, 1], &[]));
    let expected = Array::of(&[3, 4], |i| x.at(i) * f64::from(1 << 30) * 8.0);
    check("s64", &program, &[x.literal(S32)], &[expected.literal(S64)]);
}

#[test]
fn functions_of_functions() {
    // A function that is called twice by one that is applied, whose result another one is applied to.
    let int = Shape::scalar(S32);
    let square = Computation::new("square", std::slice::from_ref(&int), |_, p| p[0].mul(&p[0]))
        .expect("a computation");
    let sum = Computation::new("sum", &[int.clone(), int], |b, p| {
        b.call(&square, &p[..1])?.add(b.call(&square, &p[1..]))
    })
    .expect("a computation");
    let (x, y) = (Array::mixed(&[3, 3], -30..31), Array::mixed(&[3, 3], -12..13));
    let halved = of_scalars("halved", S32, 1, |_, p| p[0].shift_right_arithmetic(1));
    let expected =
        Array::of(&[3, 3], |i| ((x.at(i) * x.at(i) + y.at(i) * y.at(i)) as i64 >> 1) as f64);
    check_arrays(
        "functions",
        S32,
        &[&x, &y],
        |b, p| b.map(&[b.map(p, &sum, &[0, 1], &[])?], &halved, &[0, 1], &[]),
        &expected,
    );
}

#[test]
fn a_function_with_a_loop_and_a_branch() {
    // Powers of 2 until they exceed the element, negated for odd elements.
    let int = [Shape::scalar(S32), Shape::scalar(S32)];
    let below = Computation::new("below", &int, |_, p| p[0].le(&p[1])).expect("a condition");
    let twice = Computation::new("twice", &int, |b, p| b.tuple(&[(&p[0] * 2)?, p[1].clone()]))
        .expect("a body");
    let power = of_scalars("power", S32, 1, |b, p| {
        let start = b.tuple(&[b.constant(1_i32), p[0].clone()])?;
        let end = b.while_loop(&below, &twice, &start)?.get_tuple_element(0)?;
        b.select(&p[0].and(1)?.eq(1)?, &end.neg()?, &end)
    });
    let x = Array::mixed(&[17], 0..200);
    let expected = Array::of(&[17], |i| {
        let value = x.at(i) as u32;
        let power = f64::from((value + 1).next_power_of_two());
        if value % 2 == 1 { -power } else { power }
    });
    check_arrays("power", S32, &[&x], |b, p| b.map(p, &power, &[0], &[]), &expected);
}

#[test]
fn arrays_are_handed_to_a_call() {
    let (square, row) = (Shape::array(F32, [3, 3]), Shape::array(F32, [3]));
    let affine = Computation::new("affine", &[square.clone(), row.clone(), row], |_, p| {
        p[0].dot(&p[1])? + &p[2]
    })
    .expect("a computation");
    let (w, x, c) =
        (Array::mixed(&[3, 3], -6..7), Array::mixed(&[3], -9..10), Array::mixed(&[3], 20..40));
    let of = |x: &Array| {
        Array::of(&[3], |i| (0..3).map(|k| w.at(&[i[0], k]) * x.at(&[k])).sum::<f64>() + c.at(i))
    };
    // The same computation three times, once with its own result.
    let (once, twice, other) = (of(&x), of(&of(&x)), of(&c));
    let expected = Array::of(&[3], |i| once.at(i) + twice.at(i) - other.at(i));
    check_arrays(
        "affine",
        F32,
        &[&w, &x, &c],
        |b, p| {
            let apply =
                |x: &strata_builder::Op| b.call(&affine, &[p[0].clone(), x.clone(), p[2].clone()]);
            let once = apply(&p[1])?;
            (once.add(apply(&once))? - apply(&p[2])?)?.reshape(&[3])
        },
        &expected,
    );
}

#[test]
fn a_call_that_changes_what_it_was_given() {
    let eight = Shape::array(S32, [8]);
    let write = Computation::new("write", &[eight, Shape::scalar(S32)], |b, p| {
        let value = b.tuple(&[p[1].reshape(&[1])?, p[1].clone()])?;
        p[0].dynamic_update_slice(value.get_tuple_element(0)?, &[value.get_tuple_element(1)?])
    })
    .expect("a computation");
    let x = Array::mixed(&[8], 20..90);
    let expected = Array::of(&[8], |i| {
        let one = if i[0] == 2 { 2.0 } else { x.at(i) };
        let two = if i[0] == 5 { 5.0 } else { one };
        x.at(i) + 100.0 * one + 10_000.0 * two
    });
    check_arrays(
        "write",
        S32,
        &[&x],
        |b, p| {
            let one = b.call(&write, &[p[0].clone(), b.constant(2_i32)])?;
            let two = b.call(&write, &[one.clone(), b.constant(5_i32)])?;
            (&p[0] + (one * 100)?)? + (two * 10_000)?
        },
        &expected,
    );
}
