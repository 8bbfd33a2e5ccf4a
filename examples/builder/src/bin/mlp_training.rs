//! A network of one hidden layer, trained to tell points inside of a circle from those outside. The gradients are
//! written by hand; one program does a whole step.

use strata_builder::{Builder, Computation, F32, Literal, Op, Options, Program, Result, native};

const POINTS: i64 = 64;
const HIDDEN: i64 = 16;

/// Parameters, points and targets in; new parameters and the loss out.
pub fn step() -> Result<Program> {
    let b = Builder::new("mlp_step");
    let w1 = b.parameter(F32, [2, HIDDEN], "w1");
    let b1 = b.parameter(F32, [HIDDEN], "b1");
    let w2 = b.parameter(F32, [HIDDEN, 1], "w2");
    let b2 = b.parameter(F32, [1], "b2");
    let x = b.parameter(F32, [POINTS, 2], "x");
    let target = b.parameter(F32, [POINTS, 1], "target");

    let hidden = x.dot(&w1)?.add_in_dim(&b1, &[1])?.tanh()?;
    let score = hidden.dot(&w2)?.add_in_dim(&b2, &[1])?.logistic()?;
    let error = (&score - &target)?;
    let add = Computation::add(F32)?;
    let loss = ((&error * &error)?.reduce_all(0.0, &add)? / POINTS as f64)?;

    // d loss / d (input of the logistic function), then back through each layer.
    let slope = ((&score * (1.0 - &score))? * (2.0 / POINTS as f64))?;
    let d_score = (&error * slope)?;
    let d_w2 = hidden.transpose(&[1, 0])?.dot(&d_score)?;
    let d_b2 = d_score.reduce(0.0, &add, &[0])?;
    let d_hidden = (d_score.dot(w2.transpose(&[1, 0]))? * (1.0 - (&hidden * &hidden)?)?)?;
    let d_w1 = x.transpose(&[1, 0])?.dot(&d_hidden)?;
    let d_b1 = d_hidden.reduce(0.0, &add, &[0])?;

    let moved = |parameter: &Op, gradient: &Op| -> Result<Op> { parameter - (gradient * 2.0)? };
    let results =
        [moved(&w1, &d_w1)?, moved(&b1, &d_b1)?, moved(&w2, &d_w2)?, moved(&b2, &d_b2)?, loss];
    b.build(&b.tuple(&results)?)
}

/// Numbers between -1 and 1, the same each time.
fn numbers(count: i64, seed: u32) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// The arguments of the first step.
pub fn arguments() -> Result<Vec<Literal>> {
    let points = numbers(2 * POINTS, 1);
    let inside = |point: &[f32]| if point[0].hypot(point[1]) < 0.7 { 1.0 } else { 0.0 };
    let targets: Vec<f32> = points.chunks(2).map(inside).collect();
    Ok(vec![
        Literal::new(&[2, HIDDEN as usize], &numbers(2 * HIDDEN, 2))?,
        Literal::new(&[HIDDEN as usize], &vec![0.0_f32; HIDDEN as usize])?,
        Literal::new(&[HIDDEN as usize, 1], &numbers(HIDDEN, 3))?,
        Literal::from([0.0_f32]),
        Literal::new(&[POINTS as usize, 2], &points)?,
        Literal::new(&[POINTS as usize, 1], &targets)?,
    ])
}

/// The loss of each step.
pub fn train(steps: usize) -> Result<Vec<f32>> {
    let function = step()?.load()?;
    let mut arguments = arguments()?;
    let mut losses = Vec::with_capacity(steps);
    for _ in 0..steps {
        let mut results = function.call(&arguments)?;
        losses.extend(results.pop().map(|loss| loss.to_scalar::<f32>()).transpose()?);
        arguments[..4].clone_from_slice(&results);
    }
    Ok(losses)
}

pub fn main() -> Result<()> {
    for (step, loss) in train(2000)?.iter().enumerate().step_by(200) {
        println!("step {step:4}: loss {loss:.4}");
    }
    if std::env::args().any(|argument| argument == "object") {
        let options = Options { name: "mlp_training".to_owned(), ..Options::new(native()?) };
        let artifact = step()?.compile(options)?;
        std::fs::write("mlp_training.o", artifact.bytes()).expect("a file");
        std::fs::write("mlp_training.h", artifact.header().unwrap_or_default()).expect("a file");
    }
    Ok(())
}
