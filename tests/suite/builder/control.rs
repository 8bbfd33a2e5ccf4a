//! Loops, branches, calls, operations that are started.

use strata_builder::{Builder, Computation, F32, Literal, Op, PRED, Result, S32, Shape};

use super::{build, gives, gives_all, refuses, run, shape};

/// The type `T` of the documents' loop: an iteration count and an accumulator.
fn state() -> Shape {
    Shape::tuple([Shape::scalar(S32), Shape::array(F32, [10])])
}

fn below(limit: i32) -> Computation {
    Computation::new("below", &[state()], |_, p| p[0].get_tuple_element(0)?.lt(limit))
        .expect("a condition")
}

fn step() -> Computation {
    Computation::new("step", &[state()], |b, p| {
        let iteration = (p[0].get_tuple_element(0)? + 1)?;
        let constant = b.iota_1d(F32, 10)?;
        b.tuple(&[iteration, p[0].get_tuple_element(1)?.add(&constant)?])
    })
    .expect("a body")
}

fn zeros(b: &Builder) -> Result<Op> {
    b.tuple(&[b.constant(0_i32), b.constant([0.0_f32; 10])])
}

#[test]
fn d000_while_with_a_vector_accumulator() {
    let expected: Vec<f32> = (0..10).map(|at| 1000.0 * at as f32).collect();
    gives_all(
        |b| b.while_loop(&below(1000), &step(), &zeros(b)?),
        &[1000_i32.into(), expected.into()],
    );
}

#[test]
fn d000_while_whose_condition_fails_at_once_gives_its_initial_value() {
    gives_all(
        |b| b.while_loop(&below(0), &step(), &zeros(b)?),
        &[0_i32.into(), [0.0_f32; 10].into()],
    );
}

#[test]
fn d000_while_in_a_while_and_of_parameters_for_each_element() {
    let (int, vector) = (Shape::scalar(S32), Shape::scalar(F32));
    let condition =
        Computation::new("outer", &[int.clone(), vector.clone()], |_, p| p[0].lt(3)).expect("one");
    let body = Computation::new("twice", &[int, vector], |b, p| {
        let scalar = Shape::scalar(F32);
        let small =
            Computation::new("small", std::slice::from_ref(&scalar), |_, p| p[0].lt(100.0))?;
        let double = Computation::new("double", &[scalar], |_, p| &p[0] * 2.0)?;
        b.tuple(&[(&p[0] + 1)?, (b.while_loop(&small, &double, &p[1])? / 3.0)?])
    })
    .expect("one");
    gives_all(
        |b| b.while_loop(&condition, &body, &b.tuple(&[b.constant(0_i32), b.constant(1.0_f32)])?),
        // 1 -> 128 / 3 = 42.7 -> 170.7 / 3 = 56.9 -> 113.8 / 3
        &[3_i32.into(), (128.0_f32 / 3.0 * 4.0 / 3.0 * 2.0 / 3.0).into()],
    );
}

#[test]
fn d000_while_rules() {
    // T -> PRED and T -> T, of one shape.
    refuses(|b| b.while_loop(&step(), &step(), &zeros(b)?), "S1014", "returns pred[]");
    refuses(
        |b| b.while_loop(&below(1), &below(1), &zeros(b)?),
        "S1014",
        "the body returns its parameter's shape",
    );
    refuses(
        |b| b.while_loop(&below(1), &step(), &b.constant(0_i32)),
        "S1014",
        "the condition takes s32[]",
    );
    let other =
        Computation::new("other", &[Shape::scalar(S32)], |_, p| Ok(p[0].clone())).expect("one");
    refuses(|b| b.while_loop(&below(1), &other, &zeros(b)?), "S1014", "the body takes");
    let vector =
        Computation::new("vector", &[Shape::array(F32, [2])], |_, p| p[0].lt(1.0)).expect("one");
    let same =
        Computation::new("same", &[Shape::array(F32, [2])], |_, p| Ok(p[0].clone())).expect("one");
    refuses(
        |b| b.while_loop(&vector, &same, &b.constant([0.0_f32, 1.0])),
        "S1014",
        "returns pred[]",
    );
}

fn scaled(name: &str, factor: f32) -> Computation {
    Computation::new(name, &[Shape::scalar(F32)], |_, p| &p[0] * factor).expect("a branch")
}

#[test]
fn d000_conditional_of_a_predicate() {
    for (predicate, expected) in [(true, 20.0_f32), (false, 300.0)] {
        gives(
            |b| {
                let (on_true, on_false) = (b.constant(2.0_f32), b.constant(3.0_f32));
                b.conditional(
                    &b.constant(predicate),
                    &on_true,
                    &scaled("ten", 10.0),
                    &on_false,
                    &scaled("hundred", 100.0),
                )
            },
            expected,
        );
    }
}

#[test]
fn d000_conditional_of_an_index() {
    let branches = [scaled("one", 1.0), scaled("two", 2.0), scaled("three", 3.0)];
    let program = build(|b| {
        let operands = [b.constant(10.0_f32), b.constant(100.0_f32), b.constant(1000.0_f32)];
        b.conditional_indexed(&b.parameter(S32, [], "index"), &branches, &operands)
    });
    // An index outside is the last branch's.
    for (index, expected) in [(0_i32, 10.0_f32), (1, 200.0), (2, 3000.0), (3, 3000.0), (-1, 3000.0)]
    {
        assert_eq!(run(&program, &[index.into()]), [Literal::from(expected)]);
    }
}

#[test]
fn d000_conditional_branches_take_operands_of_their_own_type() {
    let of_ints = Computation::new("ints", &[Shape::array(S32, [2])], |_, p| p[0].convert(F32))
        .expect("a branch");
    let of_pair = Computation::new(
        "pair",
        &[Shape::tuple([Shape::array(F32, [2]), Shape::array(F32, [2])])],
        |_, p| p[0].get_tuple_element(0)?.add(p[0].get_tuple_element(1)),
    )
    .expect("a branch");
    gives(
        |b| {
            let pair = b.tuple(&[b.constant([1.0_f32, 2.0]), b.constant([10.0_f32, 20.0])])?;
            b.conditional(&b.constant(false), &b.constant([1_i32, 2]), &of_ints, &pair, &of_pair)
        },
        [11.0_f32, 22.0],
    );
}

#[test]
fn d000_conditional_rules() {
    let ten = scaled("ten", 10.0);
    let other = Computation::new("other", &[Shape::scalar(F32)], |_, p| p[0].convert(S32))
        .expect("a branch");
    let x = |b: &Builder| b.constant(1.0_f32);
    refuses(
        |b| b.conditional(&b.constant(1_i32), &x(b), &ten, &x(b), &ten),
        "S1014",
        "chosen by pred[]",
    );
    refuses(
        |b| b.conditional(&b.constant([true]), &x(b), &ten, &x(b), &ten),
        "S1014",
        "chosen by pred[]",
    );
    refuses(
        |b| b.conditional(&b.constant(true), &b.constant(1_i32), &ten, &x(b), &ten),
        "S1014",
        "the branch takes",
    );
    refuses(
        |b| b.conditional(&b.constant(true), &x(b), &ten, &x(b), &other),
        "S1014",
        "all branches return the same",
    );
    refuses(
        |b| b.conditional_indexed(&b.constant(0_i32), &[], &[]),
        "S1014",
        "at least one branch",
    );
    refuses(
        |b| b.conditional_indexed(&b.constant(0_i64), std::slice::from_ref(&ten), &[x(b)]),
        "S1014",
        "chosen by s32[]",
    );
    refuses(
        |b| b.conditional_indexed(&b.constant(0_i32), std::slice::from_ref(&ten), &[]),
        "S1014",
        "one operand is expected",
    );
}

#[test]
fn d000_call() {
    let scalar = Shape::scalar(F32);
    let axpy = Computation::new("axpy", &[scalar.clone(), scalar.clone(), scalar], |_, p| {
        (&p[0] * &p[1])? + &p[2]
    })
    .expect("one");
    let all = |b: &Builder| [b.constant(2.0_f32), b.constant(3.0_f32), b.constant(4.0_f32)];
    gives(|b| b.call(&axpy, &all(b)), 10.0_f32);
    let none = Computation::new("seven", &[], |b, _| Ok(b.constant(7_i32))).expect("one");
    // "It is allowed to have no operands."
    gives(|b| b.call(&none, &[]), 7_i32);
    refuses(|b| b.call(&axpy, &all(b)[..2]), "S1014", "takes 3 operands");
    refuses(
        |b| b.call(&axpy, &[b.constant(2.0_f32), b.constant(3.0_f32), b.constant(4_i32)]),
        "S1014",
        "the operand is s32[]",
    );
}

#[test]
fn calls_of_calls_keep_their_names_apart() {
    // Two computations of one name, one of them called in a loop's body, in a branch and by the other.
    let scalar = Shape::scalar(F32);
    let add =
        Computation::new("helper", std::slice::from_ref(&scalar), |_, p| &p[0] + 1.0).expect("one");
    let twice = Computation::new("helper", std::slice::from_ref(&scalar), |b, p| {
        b.call(&add, &[b.call(&add, &p[..1])?])
    })
    .expect("one");
    let small = Computation::new("small", std::slice::from_ref(&scalar), |_, p| p[0].lt(10.0))
        .expect("one");
    let body =
        Computation::new("body", &[scalar], |b, p| b.call(&twice, &[b.call(&add, &p[..1])?]))
            .expect("one");
    let program = build(|b| {
        let x = b.parameter(F32, [], "x");
        let one = b.while_loop(&small, &body, &x)?;
        let other = b.conditional(&x.gt(0.0)?, &x, &twice, &x, &add)?;
        b.tuple(&[one, other, b.call(&twice, &[x])?])
    });
    let text = program.to_text().expect("text");
    assert_eq!(text.matches("func.func").count(), 3, "{text}");
    let expected = [12.0_f32, 2.0, 2.0].map(Literal::from);
    assert_eq!(
        run(&program, &[0.0_f32.into()]),
        [expected[0].clone(), 1.0_f32.into(), expected[2].clone()]
    );
}

#[test]
fn d002_composite_call() {
    let scalar = Shape::array(F32, [2]);
    let relu = Computation::new("relu", &[scalar], |_, p| p[0].max(0.0)).expect("one");
    let call = |b: &Builder| {
        b.composite_call(
            &relu,
            &[b.constant([-1.0_f32, 2.0])],
            "foo.bar",
            "{n = 1 : i32, tensor = dense<1> : tensor<i32>}",
            1,
        )
    };
    gives(call, [0.0_f32, 2.0]);
    let text = build(call).to_text().expect("text");
    for part in
        ["stablehlo.composite \"foo.bar\"", "n = 1 : i32", "decomposition = @relu", "version = 1"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let x = |b: &Builder| b.constant([-1.0_f32, 2.0]);
    refuses(|b| b.composite_call(&relu, &[], "foo.bar", "", 0), "S1014", "takes 1 operands");
    refuses(|b| b.composite_call(&relu, &[x(b)], "foo.bar", "[1]", 0), "S1014", "not a dictionary");
    refuses(|b| b.composite_call(&relu, &[x(b)], "", "", 0), "S1005", "");
}

#[test]
fn d002_async_of_a_collective_a_slice_and_any_computation() {
    let vector = Shape::array(F32, [4]);
    let middle = Computation::new("middle", std::slice::from_ref(&vector), |_, p| {
        p[0].slice(&[1], &[3], &[])
    })
    .expect("one");
    let square = Computation::new("square", &[vector], |_, p| p[0].mul(&p[0])).expect("one");
    let x = |b: &Builder| b.constant([1.0_f32, 2.0, 3.0, 4.0]);
    let started = |b: &Builder| b.async_start(&middle, &[x(b)])?.async_update()?.async_done();
    assert_eq!(shape(started), "f32[2]");
    assert!(build(started).to_text().expect("text").contains("stablehlo.async_start"));
    gives(
        |b| b.async_start(&square, &[x(b)])?.async_update()?.async_done(),
        [1.0_f32, 4.0, 9.0, 16.0],
    );
    refuses(|b| b.async_start(&middle, &[x(b)])?.add(1.0), "S1014", "async_done");
    refuses(|b| x(b).async_done(), "S1014", "async_start");
    refuses(|b| x(b).async_update(), "S1014", "async_start");
    refuses(|b| b.async_start(&middle, &[]), "S1014", "takes 1 operands");
}

#[test]
fn d002_optimization_barrier() {
    gives_all(
        |b| b.tuple(&[b.constant(1_i32), b.constant([2.0_f32])])?.optimization_barrier(),
        &[1_i32.into(), [2.0_f32].into()],
    );
    gives(|b| b.constant([2.0_f32]).optimization_barrier(), [2.0_f32]);
    assert_eq!(shape(|b| b.parameter(PRED, [], "p").optimization_barrier()), "pred[]");
}
