//! Batch normalisation, factors, triangular systems, Fourier transforms.

use num_complex::Complex;
use strata_builder::{C64, F32, FftType, Literal, Op, Transpose};

use super::{build, gives, gives_all, refuses, run, shape};

const A: [[f32; 2]; 2] = [[4.0, 2.0], [2.0, 10.0]];

#[test]
fn d000_cholesky() {
    // The other triangle holds what it likes.
    let lower = run(&build(|b| b.constant([[4.0_f32, f32::NAN], [2.0, 10.0]]).cholesky(true)), &[]);
    let lower = lower[0].to_vec::<f32>().expect("floats");
    assert_eq!([lower[0], lower[2], lower[3]], [2.0, 1.0, 3.0]);
    let upper =
        run(&build(|b| b.constant([[4.0_f32, 2.0], [f32::NAN, 10.0]]).cholesky(false)), &[]);
    let upper = upper[0].to_vec::<f32>().expect("floats");
    assert_eq!([upper[0], upper[1], upper[3]], [2.0, 1.0, 3.0]);
    // Batches of matrices.
    let batch = run(&build(|b| b.constant([A, A]).cholesky(true)), &[]);
    let batch = batch[0].to_vec::<f32>().expect("floats");
    assert_eq!(
        [batch[0], batch[2], batch[3], batch[4], batch[6], batch[7]],
        [2.0, 1.0, 3.0, 2.0, 1.0, 3.0]
    );
    refuses(|b| b.constant([[1.0_f32, 2.0]]).cholesky(true), "S1005", "");
    refuses(|b| b.constant([1.0_f32]).cholesky(true), "S1005", "");
    refuses(|b| b.constant([[1_i32]]).cholesky(true), "S1014", "floats or complex");
}

#[test]
fn d000_triangular_solve() {
    let (l, b1) = ([[2.0_f32, 99.0], [1.0, 3.0]], [[2.0_f32], [7.0]]);
    let solve = |left, lower, unit, form| {
        move |b: &strata_builder::Builder| {
            b.constant(l).triangular_solve(b.constant(b1), left, lower, unit, form)
        }
    };
    // Values of the other triangle are ignored.
    gives(solve(true, true, false, Transpose::NoTranspose), [[1.0_f32], [2.0]]);
    // With the transposed matrix, whose upper triangle counts: 2 x + y = 2, 3 y = 7.
    gives(solve(true, true, false, Transpose::Transpose), [[-1.0_f32 / 6.0], [7.0 / 3.0]]);
    gives(solve(true, true, false, Transpose::Adjoint), [[-1.0_f32 / 6.0], [7.0 / 3.0]]);
    // A unit diagonal is not read.
    gives(solve(true, true, true, Transpose::NoTranspose), [[2.0_f32], [5.0]]);
    // x op(a) = b.
    gives(
        |b| {
            let right = b.constant([[2.0_f32, 7.0]]);
            b.constant(l).triangular_solve(&right, false, false, false, Transpose::NoTranspose)
        },
        [[1.0_f32, (7.0 - 99.0) / 3.0]],
    );
    refuses(solve(false, true, false, Transpose::NoTranspose), "S1005", "");
    refuses(
        solve(true, true, false, Transpose::Invalid),
        "S1014",
        "as it is, transposed or adjoint",
    );
    refuses(
        |b| {
            b.constant([[1_i32]]).triangular_solve(
                b.constant([[1_i32]]),
                true,
                true,
                false,
                Transpose::NoTranspose,
            )
        },
        "S1014",
        "floats or complex",
    );
    refuses(
        |b| {
            b.constant([l, l]).triangular_solve(
                b.constant([b1]),
                true,
                true,
                false,
                Transpose::NoTranspose,
            )
        },
        "S1005",
        "",
    );
}

fn complex(parts: &[(f32, f32)]) -> Literal {
    Literal::from(parts.iter().map(|(re, im)| Complex::new(*re, *im)).collect::<Vec<_>>())
}

#[test]
fn d000_fft_of_four_types() {
    let x = complex(&[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0)]);
    let y = complex(&[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0), (-2.0, -2.0)]);
    let found = run(&build(|b| b.constant(x.clone()).fft(FftType::Fft, &[4])), &[]);
    assert!(near(&found[0], &y), "{found:?}");
    let found = run(&build(|b| b.constant(y).fft(FftType::Ifft, &[4])), &[]);
    assert!(near(&found[0], &x), "{found:?}");
    let half = complex(&[(10.0, 0.0), (-2.0, 2.0), (-2.0, 0.0)]);
    let found = run(&build(|b| b.constant([1.0_f32, 2.0, 3.0, 4.0]).fft(FftType::Rfft, &[4])), &[]);
    assert!(near(&found[0], &half), "{found:?}");
    gives(|b| b.constant(half).fft(FftType::Irfft, &[4]), [1.0_f32, 2.0, 3.0, 4.0]);
}

fn near(found: &Literal, expected: &Literal) -> bool {
    let of = |one: &Literal| one.to_vec::<Complex<f32>>().expect("complex");
    found.shape() == expected.shape()
        && of(found).iter().zip(of(expected)).all(|(x, y)| (x - y).norm() < 1e-5)
}

#[test]
fn d000_fft_shapes_and_rules() {
    let real = |sizes: &'static [i64], length: &'static [i64]| {
        move |b: &strata_builder::Builder| b.parameter(F32, sizes, "x").fft(FftType::Rfft, length)
    };
    let inverse = |sizes: &'static [i64], length: &'static [i64]| {
        move |b: &strata_builder::Builder| b.parameter(C64, sizes, "x").fft(FftType::Irfft, length)
    };
    // RFFT of 16 and of 17 have the same shape.
    assert_eq!(shape(real(&[16], &[16])), "c64[9]");
    assert_eq!(shape(real(&[17], &[17])), "c64[9]");
    assert_eq!(shape(inverse(&[9], &[16])), "f32[16]");
    assert_eq!(shape(inverse(&[9], &[17])), "f32[17]");
    assert_eq!(shape(real(&[2, 4, 6, 8], &[4, 6, 8])), "c64[2,4,6,5]");
    refuses(real(&[16], &[15]), "S1005", "");
    refuses(real(&[2, 2, 2, 2], &[2, 2, 2, 2]), "S1005", "");
    refuses(real(&[16], &[]), "S1005", "");
    refuses(real(&[16], &[16, 16]), "S1005", "");
    refuses(inverse(&[9], &[15]), "S1005", "");
    for kind in [FftType::Fft, FftType::Ifft] {
        for length in [2, 5] {
            let other = move |b: &strata_builder::Builder| {
                b.parameter(C64, [3, 4], "x").fft(kind, &[length])
            };
            refuses(other, "S1014", "the lengths are those of the last dimensions");
        }
    }
    refuses(|b| b.parameter(F32, [4], "x").fft(FftType::Fft, &[4]), "S1005", "");
    refuses(|b| b.parameter(C64, [4], "x").fft(FftType::Rfft, &[4]), "S1005", "");
    refuses(|b| b.constant([1_i32]).fft(FftType::Rfft, &[1]), "S1014", "floats or complex");
}

#[test]
fn d000_batch_norm_training_by_the_formulas() {
    let x = [[1.0_f32, 10.0], [3.0, 30.0]];
    gives_all(
        |b| {
            b.constant(x).batch_norm_training(
                &b.constant([1.0_f32, 2.0]),
                &b.constant([0.5_f32, 0.0]),
                0.0,
                1,
            )
        },
        &[[[-0.5_f32, -2.0], [1.5, 2.0]].into(), [2.0_f32, 20.0].into(), [1.0_f32, 100.0].into()],
    );
}

fn vectors(b: &strata_builder::Builder, count: usize) -> Vec<Op> {
    (0..count).map(|at| b.parameter(F32, [3], &format!("v{at}"))).collect()
}

#[test]
fn d000_batch_norm_inference_by_the_formula() {
    gives(
        |b| {
            let v = |values: [f32; 2]| b.constant(values);
            b.constant([[1.0_f32, 10.0], [3.0, 30.0]]).batch_norm_inference(
                &v([1.0, 2.0]),
                &v([0.5, 0.0]),
                &v([2.0, 20.0]),
                &v([1.0, 100.0]),
                0.0,
                1,
            )
        },
        [[-0.5_f32, -2.0], [1.5, 2.0]],
    );
}

#[test]
fn d000_batch_norm_grad_by_the_formulas() {
    // One feature; x - mean is -1 and 1, the variance 1, the gradients 1 and 3: their mean is d = 2, c = 1.
    gives_all(
        |b| {
            let v = |value: f32| b.constant([value]);
            let grad = b.constant([[1.0_f32], [3.0]]);
            b.constant([[1.0_f32], [3.0]]).batch_norm_grad(&v(2.0), &v(2.0), &v(1.0), &grad, 0.0, 1)
        },
        &[[[0.0_f32], [0.0]].into(), [2.0_f32].into(), [4.0_f32].into()],
    );
}

#[test]
fn d000_batch_norm_rules() {
    let x = |b: &strata_builder::Builder| b.parameter(F32, [2, 3], "");
    let norm = |b: &strata_builder::Builder, feature| {
        let v = vectors(b, 2);
        x(b).batch_norm_training(&v[0], &v[1], 1e-3, feature)
    };
    assert_eq!(shape(|b| norm(b, 1)), "(f32[2,3], f32[3], f32[3])");
    refuses(|b| norm(b, 0), "S1005", "");
    refuses(|b| norm(b, 2), "S1005", "");
    refuses(|b| norm(b, -1), "S1005", "");
    refuses(
        |b| {
            let v = vectors(b, 2);
            b.parameter(strata_builder::S32, [2, 3], "x").batch_norm_training(&v[0], &v[1], 1e-3, 1)
        },
        "S1014",
        "the operands are floats",
    );
    refuses(
        |b| {
            let v = vectors(b, 3);
            x(b).batch_norm_grad(&v[0], &v[1], &v[2], &b.parameter(F32, [3, 2], "g"), 1e-3, 1)
        },
        "S1005",
        "",
    );
    refuses(
        |b| {
            let v = vectors(b, 3);
            x(b).batch_norm_inference(&v[0], &v[1], &v[2], &x(b), 1e-3, 1)
        },
        "S1014",
        "all others are vectors",
    );
}
