//! Tuples: made, taken apart, nested, given to a program and given back by it.

use num_complex::Complex;
use strata_builder::{
    Builder, C64, Computation, F32, Literal, Op, PRED, Result, S32, S64, Shape, U8,
};

use super::{super::build, Array, check};

/// A program of the given parameters.
fn gives(
    case: &str,
    parameters: &[Shape],
    arguments: &[Literal],
    root: impl FnOnce(&Builder, &[Op]) -> Result<Op>,
    expected: &[Literal],
) {
    let program = build(|b| {
        let all: Vec<Op> = parameters.iter().map(|shape| b.parameter_of(shape, "")).collect();
        root(b, &all)
    });
    check(case, &program, arguments, expected);
}

fn vector() -> Literal {
    [1.5_f32, -2.0, 3.25].into()
}

fn matrix() -> Literal {
    [[4.0_f32, 5.5, -6.0], [7.25, 8.0, 9.0]].into()
}

#[test]
fn constants_of_all_ranks() {
    gives(
        "constants",
        &[],
        &[],
        |b, _| {
            b.tuple(&[
                b.constant(7.5_f32),
                b.constant(vector()),
                b.constant(matrix()),
                b.constant(-9_i64),
            ])
        },
        &[7.5_f32.into(), vector(), matrix(), (-9_i64).into()],
    );
}

#[test]
fn elements_without_elements() {
    let wide = Literal::new::<f32>(&[0, 101], &[]).expect("as many");
    gives(
        "empty",
        &[],
        &[],
        |b, _| b.tuple(&[b.constant(7.0_f32), b.constant([0.0_f32; 0]), b.constant(wide.clone())]),
        &[7.0_f32.into(), [0.0_f32; 0].into(), wide.clone()],
    );
    gives(
        "one of them",
        &[Shape::tuple([Shape::array(F32, [0, 101]), Shape::scalar(S32)])],
        &[wide.clone(), 3_i32.into()],
        |_, p| p[0].get_tuple_element(0),
        std::slice::from_ref(&wide),
    );
}

#[test]
fn a_tuple_of_nothing() {
    gives("nothing", &[], &[], |b, _| b.tuple(&[]), &[]);
    gives(
        "nothing beside something",
        &[],
        &[],
        |b, _| b.tuple(&[b.tuple(&[])?, b.constant(4_i32), b.tuple(&[b.tuple(&[])?])?]),
        &[4_i32.into()],
    );
}

#[test]
fn an_element_of_a_tuple() {
    for (at, expected) in [vector(), matrix()].into_iter().enumerate() {
        gives(
            "element",
            &[],
            &[],
            |b, _| b.tuple(&[b.constant(vector()), b.constant(matrix())])?.get_tuple_element(at),
            &[expected],
        );
    }
}

#[test]
fn elements_are_computed_with() {
    let expected = [[5.5_f32, 3.5, -2.75], [8.75, 6.0, 12.25]];
    gives(
        "sum",
        &[Shape::tuple([Shape::array(F32, [3]), Shape::array(F32, [2, 3])])],
        &[vector(), matrix()],
        |_, p| p[0].get_tuple_element(1)?.add_in_dim(p[0].get_tuple_element(0), &[1]),
        &[expected.into()],
    );
}

#[test]
fn elements_in_another_order_and_in_two_tuples_at_once() {
    let pair = Shape::tuple([Shape::array(F32, [3]), Shape::array(F32, [2, 3])]);
    gives(
        "swapped",
        std::slice::from_ref(&pair),
        &[vector(), matrix()],
        |b, p| b.tuple(&[p[0].get_tuple_element(1)?, p[0].get_tuple_element(0)?]),
        &[matrix(), vector()],
    );
    // One tuple and its reverse, whose elements are added: each is there twice.
    let expected = [[11.0_f32, 7.0, -5.5], [17.5, 12.0, 24.5]];
    gives(
        "two",
        &[pair],
        &[vector(), matrix()],
        |b, p| {
            let parts = p[0].tuple_elements()?;
            let one = b.tuple(&parts)?;
            let other = b.tuple(&[parts[1].clone(), parts[0].clone()])?;
            let vectors = one.get_tuple_element(0)?.add(other.get_tuple_element(1))?;
            let matrices = one.get_tuple_element(1)?.add(other.get_tuple_element(0))?;
            matrices.add_in_dim(vectors, &[1])
        },
        &[expected.into()],
    );
}

#[test]
fn nested_results_come_from_left_to_right() {
    gives(
        "nested",
        &[],
        &[],
        |b, _| {
            let inner = b.tuple(&[b.constant([1.0_f32, 2.0]), b.constant(42_i32)])?;
            let middle = b.tuple(&[b.constant(true), inner, b.constant(5_u8)])?;
            b.tuple(&[middle, b.constant([22.0_f32, 44.0])])
        },
        &[true.into(), [1.0_f32, 2.0].into(), 42_i32.into(), 5_u8.into(), [22.0_f32, 44.0].into()],
    );
}

#[test]
fn an_element_of_a_tuple_in_a_parameter() {
    let three = Shape::array(F32, [3]);
    let inner = Shape::tuple([three.clone(), three.clone()]);
    let arguments = [
        vector(),
        [4.0_f32, 5.0, 6.0].into(),
        [7.0_f32, 8.0, 9.0].into(),
        [0.5_f32, 0.25, 0.0].into(),
    ];
    gives(
        "inner",
        &[Shape::tuple([inner, three.clone()]), three],
        &arguments,
        |_, p| {
            let inner = p[0].get_tuple_element(0)?;
            (inner.get_tuple_element(1)? - inner.get_tuple_element(0)?)? + &p[1]
        },
        &[[3.0_f32, 7.25, 2.75].into()],
    );
}

#[test]
fn complex_numbers_in_nested_parameters_and_results() {
    let c = |re: f32, im: f32| Complex::new(re, im);
    let (scalar, pair) = (c(1.0, 2.0), [c(10.0, -20.0), c(3.0, 4.0)]);
    let grid =
        [[c(1.0, 0.5), c(-2.0, 1.0)], [c(0.0, 3.0), c(5.0, -1.0)], [c(7.0, 2.0), c(-4.0, -4.0)]];
    let other = [c(0.0, 1.0), c(2.0, -1.0)];
    let sum = grid.map(|row| [row[0] + pair[0] + scalar, row[1] + pair[1] + scalar]);
    let product = sum.map(|row| [row[0] * other[0], row[1] * other[1]]);
    let inner = Shape::tuple([Shape::array(C64, [2]), Shape::array(C64, [3, 2])]);
    gives(
        "complex",
        &[Shape::tuple([Shape::scalar(C64), inner]), Shape::array(C64, [2])],
        &[scalar.into(), pair.into(), grid.into(), other.into()],
        |b, p| {
            let inner = p[0].get_tuple_element(1)?.tuple_elements()?;
            let sum = inner[0].add_in_dim(&inner[1], &[1])?.add(p[0].get_tuple_element(0))?;
            let product = p[1].mul_in_dim(&sum, &[1])?;
            b.tuple(&[b.tuple(&[product, sum])?, b.constant(c(12.0, -34.0))])
        },
        &[product.into(), sum.into(), c(12.0, -34.0).into()],
    );
}

#[test]
fn parameters_that_are_given_back_as_they_came() {
    let shapes = [Shape::array(F32, [3]), Shape::scalar(S64), Shape::array(PRED, [2])];
    let arguments = [vector(), 5_i64.into(), [true, false].into()];
    gives(
        "swapped",
        &shapes,
        &arguments,
        |b, p| b.tuple(&[p[2].clone(), p[0].clone(), p[1].clone()]),
        &[arguments[2].clone(), arguments[0].clone(), arguments[1].clone()],
    );
    // The same value more than once, and a parameter that nothing needs.
    gives(
        "twice",
        &shapes,
        &arguments,
        |b, p| b.tuple(&[p[0].clone(), p[0].neg()?, p[0].clone(), b.tuple(&[p[0].clone()])?]),
        &[vector(), [-1.5_f32, 2.0, -3.25].into(), vector(), vector()],
    );
    let pair = Shape::tuple([Shape::array(F32, [3]), Shape::tuple([Shape::scalar(U8)])]);
    gives(
        "whole",
        &[pair],
        &[vector(), 9_u8.into()],
        |_, p| Ok(p[0].clone()),
        &[vector(), 9_u8.into()],
    );
}

#[test]
fn many_elements_and_deep_nests() {
    let all: Vec<Literal> = (0..50_i32).map(|at| [at, at * at].into()).collect();
    let expected: Vec<Literal> = (0..50_i32).rev().map(|at| [at + 1, at * at + 1].into()).collect();
    gives(
        "fifty",
        &[Shape::tuple(vec![Shape::array(S32, [2]); 50])],
        &all,
        |b, p| {
            let parts = p[0].tuple_elements()?;
            b.tuple(&parts.iter().rev().map(|part| part + 1).collect::<Result<Vec<_>>>()?)
        },
        &expected,
    );
    // ((((x, 1), 2), 3), …), taken apart again from the outside.
    let depth = 40;
    gives(
        "deep",
        &[Shape::scalar(S32)],
        &[7_i32.into()],
        |b, p| {
            let mut nest = p[0].clone();
            for at in 0..depth {
                nest = b.tuple(&[nest, b.constant(at)])?;
            }
            let mut sum = b.constant(0_i32);
            for _ in 0..depth {
                sum = ((&sum * 2)? + nest.get_tuple_element(1)?.and(1)?)?.rem(1_000_003)?;
                nest = nest.get_tuple_element(0)?;
            }
            b.tuple(&[nest, sum])
        },
        &[7_i32.into(), (0..depth).rev().fold(0, |sum, at| (sum * 2 + at % 2) % 1_000_003).into()],
    );
}

#[test]
fn a_tuple_or_another_one() {
    let (x, y) = (Array::mixed(&[2, 2], -9..10), Array::mixed(&[2, 2], 20..40));
    for flag in [true, false] {
        let (first, second) = if flag { (&x, 1_i32) } else { (&y, 2) };
        let square = Shape::array(F32, [2, 2]);
        gives(
            "select",
            &[Shape::scalar(PRED), square.clone(), square],
            &[flag.into(), x.literal(F32), y.literal(F32)],
            |b, p| {
                let one = b.tuple(&[p[1].clone(), b.tuple(&[b.constant(1_i32)])?])?;
                let other = b.tuple(&[p[2].clone(), b.tuple(&[b.constant(2_i32)])?])?;
                b.select(&p[0], &one, &other)
            },
            &[first.literal(F32), second.into()],
        );
    }
}

#[test]
fn tuples_through_calls_branches_and_barriers() {
    let pair = Shape::tuple([Shape::array(F32, [3]), Shape::scalar(S32)]);
    let turn = Computation::new("turn", std::slice::from_ref(&pair), |b, p| {
        let (v, n) = (p[0].get_tuple_element(0)?, p[0].get_tuple_element(1)?);
        b.tuple(&[v.rev(&[0])?, (n * 2)?])
    })
    .expect("a computation");
    let keep = Computation::new("keep", std::slice::from_ref(&pair), |_, p| Ok(p[0].clone()))
        .expect("one");
    for (flag, v, n) in [(true, [3.25_f32, -2.0, 1.5], 10), (false, [1.5, -2.0, 3.25], 5)] {
        let result = [v.into(), n.into(), [v[2], v[1], v[0]].into(), (2 * n).into(), n.into()];
        gives(
            "through",
            &[Shape::scalar(PRED), pair.clone()],
            &[flag.into(), vector(), 5_i32.into()],
            |b, p| {
                let one =
                    b.conditional(&p[0], &p[1], &turn, &p[1], &keep)?.optimization_barrier()?;
                let two = b.call(&turn, std::slice::from_ref(&one))?;
                b.tuple(&[one.clone(), two, one.get_tuple_element(1)?])
            },
            &result,
        );
    }
}

#[test]
fn elements_of_operations_with_several_results() {
    let x = [30_i32, 10, 20, 40];
    let lt = Computation::new("lt", &vec![Shape::scalar(S32); 4], |_, p| p[0].lt(&p[1]))
        .expect("a comparison");
    gives(
        "sorted",
        &[Shape::array(S32, [4])],
        &[x.into()],
        |b, p| {
            let both = b.sort(&[p[0].clone(), b.iota_1d(S32, 4)?], &lt, 0, true)?;
            let order = both.get_tuple_element(1)?;
            b.tuple(&[order.clone(), b.tuple(&[both, order])?])
        },
        &[
            [1_i32, 2, 0, 3].into(),
            [10_i32, 20, 30, 40].into(),
            [1_i32, 2, 0, 3].into(),
            [1_i32, 2, 0, 3].into(),
        ],
    );
}
