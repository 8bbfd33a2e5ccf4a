//! Branches: by a boolean and by a number, of tuples, nested, computed on both sides.

use strata_builder::{Builder, Computation, F32, Literal, Op, PRED, Result, S32, Shape};

use super::{super::build, Array, check};

fn scalar_branch(name: &str, build: impl FnOnce(&Builder, &Op) -> Result<Op>) -> Computation {
    Computation::new(name, &[Shape::scalar(F32)], |b, p| build(b, &p[0])).expect("a branch")
}

#[test]
fn a_branch_without_operands() {
    let constant = |name: &str, value: f32| {
        Computation::new(name, &[Shape::tuple([])], |b, _| Ok(b.constant(value))).expect("a branch")
    };
    let (one, two) = (constant("one", 56.0), constant("two", -12.0));
    let program = build(|b| {
        let nothing = b.tuple(&[])?;
        b.conditional(&b.parameter(PRED, [], "p"), &nothing, &one, &nothing, &two)
    });
    check("true", &program, &[true.into()], &[56.0_f32.into()]);
    check("false", &program, &[false.into()], &[(-12.0_f32).into()]);
}

#[test]
fn each_branch_has_an_operand_of_its_own() {
    let up = scalar_branch("up", |_, x| x.ceil());
    let down = scalar_branch("down", |_, x| x.floor());
    let program = build(|b| {
        let (x, y) = (b.parameter(F32, [], "x"), b.parameter(F32, [], "y"));
        b.conditional(&b.parameter(PRED, [], "p"), &x, &up, &y, &down)
    });
    for (flag, expected) in [(true, 13.0_f32), (false, -8.0)] {
        check(
            flag,
            &program,
            &[12.6_f32.into(), (-7.4_f32).into(), flag.into()],
            &[expected.into()],
        );
    }
}

#[test]
fn both_branches_are_the_same_computation() {
    let negate = scalar_branch("negate", |_, x| x.neg());
    let program = build(|b| {
        let (x, y) = (b.constant(3.5_f32), b.constant(-20.0_f32));
        b.conditional(&b.parameter(PRED, [], "p"), &x, &negate, &y, &negate)
    });
    check("true", &program, &[true.into()], &[(-3.5_f32).into()]);
    check("false", &program, &[false.into()], &[20.0_f32.into()]);
}

#[test]
fn tuples_in_and_tuples_out() {
    let pair = Shape::tuple([Shape::array(F32, [3]), Shape::scalar(S32)]);
    let one = Computation::new("one", std::slice::from_ref(&pair), |b, p| {
        let parts = p[0].tuple_elements()?;
        b.tuple(&[(&parts[1] + 1)?, b.tuple(&[parts[0].rev(&[0])?, b.constant(true)])?])
    })
    .expect("a branch");
    let two = Computation::new("two", &[Shape::array(F32, [3])], |b, p| {
        b.tuple(&[
            b.constant(-4_i32),
            b.tuple(&[
                p[0].mul(&p[0])?,
                p[0].lt(0.0)?.reduce_all(false, &Computation::or(PRED)?)?,
            ])?,
        ])
    })
    .expect("a branch");
    let v = [1.5_f32, -2.0, 4.0];
    let expected: [(bool, [Literal; 3]); 2] = [
        (true, [8_i32.into(), [4.0_f32, -2.0, 1.5].into(), true.into()]),
        (false, [(-4_i32).into(), [2.25_f32, 4.0, 16.0].into(), true.into()]),
    ];
    let program = build(|b| {
        let v = b.parameter(F32, [3], "v");
        let pair = b.tuple(&[v.clone(), b.constant(7_i32)])?;
        b.conditional(&b.parameter(PRED, [], "p"), &pair, &one, &v, &two)
    });
    for (flag, expected) in expected {
        check(flag, &program, &[v.into(), flag.into()], &expected);
    }
}

#[test]
fn a_choice_of_one_two_and_many_branches() {
    for count in [1, 2, 3, 11_i32] {
        let branches: Vec<Computation> = (0..count)
            .map(|at| {
                scalar_branch("branch", move |b, x| &(x * (at + 1) as f32)? - b.constant(at as f32))
            })
            .collect();
        let program = build(|b| {
            let operands: Vec<Op> =
                (0..count).map(|at| b.parameter(F32, [], &format!("x{at}"))).collect();
            b.conditional_indexed(&b.parameter(S32, [], "index"), &branches, &operands)
        });
        let arguments = |index: i32| -> Vec<Literal> {
            let operands = (0..count).map(|at| Literal::from((10 * at + 3) as f32));
            operands.chain([index.into()]).collect()
        };
        // Numbers outside are the last branch's.
        for index in [0, 1, count - 1, count, -1, i32::MAX, i32::MIN] {
            let taken = if (0..count).contains(&index) { index } else { count - 1 };
            let expected = ((10 * taken + 3) * (taken + 1) - taken) as f32;
            check((count, index), &program, &arguments(index), &[expected.into()]);
        }
    }
}

#[test]
fn a_choice_in_a_branch() {
    // Below zero: the negative; from 10 on: a tenth; else the square.
    let negate = scalar_branch("negate", |_, x| x.neg());
    let (tenth, square) =
        (scalar_branch("tenth", |_, x| x / 8.0), scalar_branch("square", |_, x| x.mul(x)));
    let rest = scalar_branch("rest", |b, x| b.conditional(&x.ge(10.0)?, x, &tenth, x, &square));
    let program = build(|b| {
        let x = b.parameter(F32, [], "x");
        b.conditional(&x.lt(0.0)?, &x, &negate, &x, &rest)
    });
    for (x, expected) in [(-3.5_f32, 3.5_f32), (20.0, 2.5), (6.0, 36.0), (10.0, 1.25), (0.0, 0.0)] {
        check(x, &program, &[x.into()], &[expected.into()]);
    }
}

#[test]
fn arrays_are_handed_to_branches_and_changed_there() {
    // A captured value is updated in one branch, and used after both.
    let x = Array::mixed(&[6, 5], -30..31);
    let square = Shape::array(F32, [6, 5]);
    let write = Computation::new("write", std::slice::from_ref(&square), |b, p| {
        let block = p[0].slice(&[0, 0], &[2, 3], &[])?;
        p[0].dynamic_update_slice(block.neg()?, &[b.constant(3_i32), b.constant(1_i32)])
    })
    .expect("a branch");
    let turn = Computation::new("turn", &[square], |_, p| p[0].rev(&[0, 1])).expect("a branch");
    let program = build(|b| {
        let x = x.parameter(b, F32, "x");
        let chosen = b.conditional(&b.parameter(PRED, [], "p"), &x, &write, &x, &turn)?;
        b.tuple(&[chosen.sub(&x)?, x])
    });
    let written = Array::of(&[6, 5], |i| {
        let block = (3..5).contains(&i[0]) && (1..4).contains(&i[1]);
        if block { -x.at(&[i[0] - 3, i[1] - 1]) } else { x.at(i) }
    });
    let reversed = Array::of(&[6, 5], |i| x.at(&[5 - i[0], 4 - i[1]]));
    for (flag, chosen) in [(true, written), (false, reversed)] {
        let expected = Array::of(&[6, 5], |i| chosen.at(i) - x.at(i));
        let expected = [expected.literal(F32), x.literal(F32)];
        check(flag, &program, &[x.literal(F32), flag.into()], &expected);
    }
}

#[test]
fn a_predicate_that_is_computed_of_an_array() {
    let (add, sub) =
        (scalar_branch("add", |_, x| x + 100.0), scalar_branch("sub", |_, x| x - 100.0));
    let sum = Computation::add(F32).expect("a sum");
    let program = build(|b| {
        let total = b.parameter(F32, [4], "v").reduce_all(0.0, &sum)?;
        b.conditional(&total.gt(5.0)?, &total, &add, &total, &sub)
    });
    check("above", &program, &[[1.0_f32, 2.0, 3.0, -0.5].into()], &[105.5_f32.into()]);
    check("below", &program, &[[1.0_f32, 2.0, -3.0, 4.0].into()], &[(-96.0_f32).into()]);
}
