//! Random numbers.

use strata_builder::{F32, Literal, RandomAlgorithm, S32, Shape, U32, U64};

use super::{build, refuses, run, shape};

fn floats(program: &strata_builder::Program) -> Vec<f64> {
    program.evaluate(&[]).expect("numbers").remove(0).to_f64s()
}

#[test]
fn d000_rng_uniform_is_in_its_interval() {
    let program = build(|b| {
        b.rng_uniform(&b.constant(2.0_f32), &b.constant(3.0_f32), &Shape::array(F32, [1000]))
    });
    let numbers = floats(&program);
    assert!(numbers.iter().all(|one| (2.0..3.0).contains(one)));
    let mean = numbers.iter().sum::<f64>() / 1000.0;
    assert!((mean - 2.5).abs() < 0.05, "{mean}");
    let program = build(|b| {
        b.rng_uniform(&b.constant(-3_i32), &b.constant(4_i32), &Shape::array(S32, [1000]))
    });
    let numbers = floats(&program);
    assert!(numbers.iter().all(|one| (-3.0..4.0).contains(one)) && numbers.contains(&3.0));
}

#[test]
fn d000_rng_normal_has_its_mean_and_deviation() {
    let program = build(|b| {
        b.rng_normal(&b.constant(5.0_f32), &b.constant(2.0_f32), &Shape::array(F32, [4000]))
    });
    let numbers = floats(&program);
    let mean = numbers.iter().sum::<f64>() / 4000.0;
    let variance = numbers.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / 4000.0;
    assert!((mean - 5.0).abs() < 0.15 && (variance.sqrt() - 2.0).abs() < 0.15, "{mean} {variance}");
}

#[test]
fn d001_rng_bernoulli() {
    let program = build(|b| b.rng_bernoulli(&b.constant(0.25_f32), &Shape::array(U32, [4000])));
    let numbers = floats(&program);
    assert!(numbers.iter().all(|one| *one == 0.0 || *one == 1.0));
    let mean = numbers.iter().sum::<f64>() / 4000.0;
    assert!((mean - 0.25).abs() < 0.03, "{mean}");
    refuses(
        |b| b.rng_bernoulli(&b.constant(0.25_f64), &Shape::array(U32, [4])),
        "S1014",
        "the mean is f32[]",
    );
    refuses(|b| b.rng_bernoulli(&b.constant(0.25_f32), &Shape::array(F32, [4])), "S1014", "u32");
}

#[test]
fn d000_rng_rules() {
    let shape = Shape::array(F32, [4]);
    // Scalars, of the shape's element type; normal numbers are floats.
    refuses(
        |b| b.rng_uniform(&b.constant([0.0_f32]), &b.constant(1.0_f32), &shape),
        "S1014",
        "scalars",
    );
    refuses(
        |b| b.rng_uniform(&b.constant(0.0_f64), &b.constant(1.0_f64), &shape),
        "S1014",
        "scalars",
    );
    refuses(
        |b| b.rng_normal(&b.constant(0_i32), &b.constant(1_i32), &Shape::array(S32, [4])),
        "S1005",
        "",
    );
    refuses(
        |b| b.rng_normal(&b.constant(0.0_f32), &b.constant(1.0_f32), &Shape::tuple([])),
        "S1014",
        "an array",
    );
    refuses(
        |b| b.rng_normal(&b.constant(0.0_f32), &b.constant(1.0_f32), &Shape::array(F32, [-1])),
        "S1014",
        "negative",
    );
}

#[test]
fn d000_rng_bit_generator_of_three_algorithms() {
    for (algorithm, words) in [
        (RandomAlgorithm::Default, 2),
        (RandomAlgorithm::ThreeFry, 2),
        (RandomAlgorithm::Philox, 3),
    ] {
        let program = build(|b| {
            let state = b.constant(vec![7_u64; words]);
            b.rng_bit_generator(algorithm, &state, &Shape::array(U32, [4, 5]))
        });
        // A function of the state: the compiled code gives the same bits.
        let found = run(&program, &[]);
        assert_eq!(found[0].dimensions(), [words]);
        assert_eq!(found[1].dimensions(), [4, 5]);
        let bits = found[1].to_vec::<u32>().expect("bits");
        assert!(bits.iter().any(|one| *one != bits[0]));
        assert_ne!(found[0], Literal::from(vec![7_u64; words]), "the state moves on");
    }
    refuses(
        |b| {
            b.rng_bit_generator(
                RandomAlgorithm::ThreeFry,
                &b.constant([1_u64, 2, 3]),
                &Shape::array(U32, [4]),
            )
        },
        "S1014",
        "u64[n]",
    );
    refuses(
        |b| {
            b.rng_bit_generator(
                RandomAlgorithm::Philox,
                &b.constant([1_u64]),
                &Shape::array(U32, [4]),
            )
        },
        "S1014",
        "u64[n]",
    );
    assert_eq!(
        shape(|b| {
            let state = b.parameter(U64, [2], "state");
            b.rng_bit_generator(RandomAlgorithm::Philox, &state, &Shape::array(U64, [2]))
        }),
        "(u64[2], u64[2])"
    );
}
