//! One object, batches of 1 to 100.
//!
//! ```sh
//! strata compile scores.mlir -o scores.o --rust scores.rs
//! rustc --edition 2024 batches.rs -C link-arg=scores.o -C link-arg=-lm && ./batches
//! ```

mod scores;

fn main() {
    let mut workspace = scores::Workspace::boxed();
    for batch in 1..=100 {
        let points: Vec<f32> = (0..batch * 4).map(|i| (i % 13) as f32 / 7.0 - 0.8).collect();
        let mut result = vec![0.0; batch * 3];
        scores::scores_main(batch, &points, &mut result, &mut workspace).expect("the sizes fit");
        for row in result.chunks(3) {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
        // Slices of another length are refused.
        assert_eq!(scores::scores_main(batch + 1, &points, &mut result, &mut workspace), Err(10));
    }
}
