//! The programs of `examples/builder`: each runs in the process and compiles to an object.

use strata_builder::{Literal, Options, Program, native};

use super::assert_close;

#[path = "../../../examples/builder/src/bin/documents.rs"]
#[allow(dead_code)]
mod documents;
#[path = "../../../examples/builder/src/bin/gpt2_block.rs"]
#[allow(dead_code)]
mod gpt2_block;
#[path = "../../../examples/builder/src/bin/mandelbrot.rs"]
#[allow(dead_code)]
mod mandelbrot;
#[path = "../../../examples/builder/src/bin/mlp_training.rs"]
#[allow(dead_code)]
mod mlp_training;

/// The result of the compiled program, which equals the evaluator's; also compiles an object.
fn both(program: &Program, arguments: &[Literal]) -> Vec<Literal> {
    let object = program.compile(Options::new(native().expect("a machine"))).expect("an object");
    assert!(object.bytes().starts_with(b"\x7fELF"));
    let compiled = program.load().expect("a function").call(arguments).expect("results");
    for (compiled, evaluated) in compiled.iter().zip(program.evaluate(arguments).expect("results"))
    {
        assert_close(compiled, &evaluated);
    }
    compiled
}

#[test]
fn documents() {
    let found = both(&documents::while_loop().expect("a program"), &[]);
    let expected: Vec<f32> = (0..10).map(|at| 1000.0 * at as f32).collect();
    assert_eq!(found, [Literal::from(1000_i32), Literal::from(expected)]);
    let arrays = [[3_i32, 1].into(), [42_i32, 50].into(), [-3.0_f32, 1.1].into()];
    let found = both(&documents::sort_three().expect("a program"), &arrays);
    assert_eq!(found, [[1_i32, 3].into(), [50_i32, 42].into(), [1.1_f32, -3.0].into()]);
    let x = super::counted::<f32>(0, &[4, 6]);
    let found = both(&documents::average().expect("a program"), &[x]);
    assert_eq!(found, [Literal::from([[3.5_f32, 5.5, 7.5], [15.5, 17.5, 19.5]])]);
    let exchange = documents::all_to_all().expect("a program");
    assert!(exchange.to_text().expect("text").contains("(tensor<4x16xf32>) -> tensor<16x4xf32>"));
    assert_eq!(super::code_of(exchange.load()).map(|code| code.id()), Some("S1103"));
}

#[test]
fn mlp_training_makes_the_loss_fall() {
    both(&mlp_training::step().expect("a program"), &mlp_training::arguments().expect("arguments"));
    let losses = mlp_training::train(1500).expect("losses");
    let (first, last) = (losses[0], losses[losses.len() - 1]);
    assert!(first > 0.15 && last < 0.05, "from {first} to {last}");
}

#[test]
fn mlp_gradients_are_differences_of_the_loss() {
    let program = mlp_training::step().expect("a program");
    let arguments = mlp_training::arguments().expect("arguments");
    let results = program.evaluate(&arguments).expect("a step");
    let loss = |w1: &[f32]| {
        let mut moved = arguments.clone();
        moved[0] = Literal::new(arguments[0].dimensions(), w1).expect("as many");
        f64::from(program.evaluate(&moved).expect("a step")[4].to_scalar::<f32>().expect("a loss"))
    };
    let w1 = arguments[0].to_vec::<f32>().expect("floats");
    let new = results[0].to_vec::<f32>().expect("floats");
    for at in [0, 7, 31] {
        let mut sides = [0.0; 2];
        for (side, step) in sides.iter_mut().zip([-1e-2_f32, 1e-2]) {
            let mut moved = w1.clone();
            moved[at] += step;
            *side = loss(&moved);
        }
        let expected = (sides[1] - sides[0]) / 2e-2;
        // The step is twice the gradient.
        let gradient = f64::from(w1[at] - new[at]) / 2.0;
        assert!((gradient - expected).abs() < 1e-4, "{at}: {gradient} and {expected}");
    }
}

#[test]
fn mandelbrot() {
    let (height, width, limit) = (25, 31, 40);
    let program = mandelbrot::program(height, width, limit).expect("a program");
    let counts = both(&program, &[]).remove(0).to_vec::<i32>().expect("counts");
    for (at, count) in counts.iter().enumerate() {
        let (row, column) = (at as i64 / width, at as i64 % width);
        let c = num_complex::Complex::new(
            column as f32 * (3.0_f64 / (width - 1) as f64) as f32 - 2.2,
            row as f32 * (2.4_f64 / (height - 1) as f64) as f32 - 1.2,
        );
        let (mut z, mut expected) = (num_complex::Complex::new(0.0_f32, 0.0), 0);
        while expected < limit && z.norm() <= 2.0 {
            z = z * z + c;
            expected += 1;
        }
        // Points at the edge of the circle may be rounded to either side.
        assert!((count - expected).abs() <= 1, "{row} {column}: {count} and {expected}");
    }
    let picture = mandelbrot::picture(&counts, height, width, limit);
    assert!(picture.starts_with(b"P5\n31 25\n255\n") && picture.len() == 13 + 25 * 31);
}

#[test]
fn gpt2_block() {
    let sizes = gpt2_block::Sizes { tokens: 8, heads: 2, features: 12 };
    let program = gpt2_block::program(sizes).expect("a program");
    let arguments = gpt2_block::arguments(&program).expect("arguments");
    let found = both(&program, &arguments);
    // Nothing of a later token reaches an earlier one.
    let mut changed = arguments.clone();
    let mut x = changed[0].to_vec::<f32>().expect("floats");
    x[7 * 12..].fill(3.0);
    changed[0] = Literal::new(&[8, 12], &x).expect("as many");
    let other = program.load().expect("a function").call(&changed).expect("results");
    let rows = |one: &Literal| one.to_vec::<f32>().expect("floats");
    assert_eq!(rows(&found[0])[..7 * 12], rows(&other[0])[..7 * 12]);
    assert_ne!(rows(&found[0])[7 * 12..], rows(&other[0])[7 * 12..]);
}
