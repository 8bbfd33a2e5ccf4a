//! What building costs.

use std::time::{Duration, Instant};

use strata_builder::{Builder, F32};

/// The time for building a program of that many operations.
fn time(operations: usize) -> Duration {
    let started = Instant::now();
    let b = Builder::new("long");
    let x = b.parameter(F32, [8, 128], "x");
    let mut y = x.clone();
    for at in 0..operations {
        y = if at % 2 == 0 { y.add(&x) } else { y.tanh() }.expect("it can be built");
    }
    let program = b.build(&y).expect("a program");
    let built = started.elapsed();
    assert!(program.to_text().expect("text").matches("stablehlo.").count() >= operations);
    built
}

#[test]
fn building_takes_time_linear_in_the_operations() {
    time(1000);
    let (tenth, whole) = (time(10_000), time(100_000));
    println!("10,000 operations: {tenth:?}, 100,000: {whole:?}");
    // Where the tests themselves are not optimised and share the machine.
    assert!(whole < 20 * tenth + Duration::from_millis(200), "{tenth:?} and {whole:?}");
    assert!(whole < Duration::from_secs(10), "{whole:?}");
}
