//! Systems of equations, and calls as such: batches, wrong ones.

use std::ptr;

use num_complex::Complex64;
use strata_abi::{CALL_VERSION, Call};
use strata_runtime::TARGETS;

use crate::call::{Array, C128, F64, I32, assert_close, call, hermitian};

#[test]
fn triangular_and_tridiagonal_systems_are_solved() {
    let a = Array::arbitrary(C128, &[3, 3], 14);
    let b = Array::arbitrary(C128, &[3, 3], 15);
    for (uplo, lower) in [(b'L', true), (b'U', false)] {
        let triangle = Array::matrix(C128, 3, 3, |row, column| {
            let inside = if lower { row >= column } else { row <= column };
            if inside { a.at(row, column) } else { 0.0.into() }
        });
        let transposed = Array::matrix(C128, 3, 3, |row, column| triangle.at(column, row));
        for (trans, operator) in
            [(b'N', &triangle), (b'T', &transposed), (b'C', &triangle.adjoint())]
        {
            for side in [b'L', b'R'] {
                let letters = [("diag", b'N'), ("side", side), ("trans_x", trans), ("uplo", uplo)];
                let x = call(C128, "trsm", &[&a, &b], &[(C128, &[3, 3])], &letters).remove(0);
                let product = if side == b'L' { operator.times(&x) } else { x.times(operator) };
                assert_close(&product, &b);
            }
        }
    }
    for code in [F64, C128] {
        // Small diagonals force exchanges of rows.
        let mut bands: Vec<_> =
            (0..3).map(|seed| Array::arbitrary(code, &[5], 30 + seed)).collect();
        bands[1].values.iter_mut().for_each(|one| *one *= 0.1);
        let b = Array::arbitrary(code, &[5, 2], 40);
        let types: [(i32, &[i64]); 5] =
            [(code, &[5]), (code, &[5]), (code, &[5]), (code, &[5, 2]), (I32, &[])];
        let inputs = [&bands[0], &bands[1], &bands[2], &b];
        let found = call(code, "gtsv", &inputs, &types, &[]);
        let matrix = Array::matrix(code, 5, 5, |row, column| {
            if row == column + 1 {
                bands[0].values[row]
            } else if row == column {
                bands[1].values[row]
            } else if row + 1 == column {
                bands[2].values[row]
            } else {
                0.0.into()
            }
        });
        assert_close(&matrix.times(&found[3]), &b);
        assert_eq!(found[4].values[0].re, 0.0);
    }
}

#[test]
fn pivots_that_are_zero_are_moved() {
    let column = |values: &[f64]| {
        let values = values.iter().map(|value| Complex64::from(*value)).collect::<Vec<_>>();
        Array::new(F64, &[values.len() as i64], values)
    };
    let solve = |lower: &[f64], diagonal: &[f64], upper: &[f64], b: &[f64]| {
        let bands = [column(lower), column(diagonal), column(upper)];
        let b = Array::new(F64, &[b.len() as i64, 1], column(b).values);
        let inputs = [&bands[0], &bands[1], &bands[2], &b];
        let types: [(i32, &[i64]); 1] = [(F64, &[b.values.len() as i64, 1])];
        let found = call(F64, "tridiagonal_solve_perturbed_ffi", &inputs, &types, &[]);
        found[0].values.iter().map(|one| one.re).collect::<Vec<_>>()
    };
    let step = f64::EPSILON;
    // The first element of the lower and the last of the upper diagonal count for nothing.
    let singular =
        solve(&[9.0, -1.0, -1.0], &[1.0, 2.0, 1.0], &[-1.0, -1.0, 9.0], &[1.0, 2.0, 3.0]);
    let large = 6.0 / step;
    assert!(singular.iter().all(|one| (one / large - 1.0).abs() <= step), "{singular:?}");
    assert_eq!(solve(&[0.0; 3], &[1.0, -0.0, 2.0], &[0.0; 3], &[1.0; 3]), [1.0, -0.5 / step, 0.5]);
    let exchanged = solve(&[0.0, 1.0, 1.0], &[0.0; 3], &[1.0, 1.0, 0.0], &[1.0, 2.0, 3.0]);
    assert_eq!(exchanged, [2.0 - 2.0 / step, 1.0, 2.0 / step]);
    // A zero matrix: the pivot doubles until the quotient is finite.
    let tiny = f64::MIN_POSITIVE;
    assert_eq!(
        solve(&[0.0; 2], &[0.0; 2], &[0.0; 2], &[1.0, 2.0]),
        [1.0 / tiny, 2.0 / (3.0 * tiny)]
    );
    // Pivots that are small and not zero stay.
    assert_eq!(solve(&[0.0; 2], &[100.0, 1e-20], &[0.0; 2], &[1.0; 2]), [0.01, 1e20]);
}

#[test]
fn batches_are_taken_one_by_one_and_wrong_calls_refused() {
    let first = hermitian(F64, 2, 5.0);
    let mut values = first.values.clone();
    values.extend(first.values.iter().map(|one| one * 4.0));
    let both = Array::new(F64, &[2, 2, 2], values);
    let types: [(i32, &[i64]); 2] = [(F64, &[2, 2, 2]), (I32, &[2])];
    let found = call(F64, "potrf", &[&both], &types, &[("uplo", b'L')]);
    assert!((found[0].values[4] - found[0].values[0] * 2.0).norm() < 1e-12);
    let none = Array::new(F64, &[0, 0], Vec::new());
    call(F64, "potrf", &[&none], &[(F64, &[0, 0]), (I32, &[])], &[("uplo", b'L')]);

    let target = TARGETS.iter().find(|(name, _)| *name == "lapack_dpotrf_ffi").expect("there").1;
    let empty = Call {
        version: CALL_VERSION,
        input_count: 0,
        output_count: 0,
        attribute_count: 0,
        inputs: ptr::null(),
        outputs: ptr::null(),
        attributes: ptr::null(),
    };
    // SAFETY: the counts of the null pointers are 0.
    assert_eq!(unsafe { target(&empty) }, strata_runtime::BAD_CALL);
    // SAFETY: a target refuses to be called with nothing at all.
    assert_eq!(unsafe { target(ptr::null()) }, strata_runtime::BAD_CALL);
}
