//! Eigenvalues, and the forms that matrices are reduced to on the way.

use num_complex::Complex64;

use crate::call::{Array, C128, F64, I32, assert_close, call, hermitian, identity};

#[test]
fn eigenvectors_are_stretched_by_their_values() {
    for code in [F64, C128] {
        let a = hermitian(code, 4, 0.0);
        let routine = if code == C128 { "heevd" } else { "syevd" };
        for uplo in [b'L', b'U'] {
            let types: [(i32, &[i64]); 3] = [(code, &[4, 4]), (F64, &[4]), (I32, &[])];
            let found = call(code, routine, &[&a], &types, &[("mode", b'V'), ("uplo", uplo)]);
            let values = &found[1].values;
            assert!(values.windows(2).all(|pair| pair[0].re <= pair[1].re));
            let scaled = Array::matrix(code, 4, 4, |row, at| found[0].at(row, at) * values[at]);
            assert_close(&a.times(&found[0]), &scaled);
        }

        let a = Array::arbitrary(code, &[4, 4], 77);
        let vectors: [(i32, &[i64]); 3] = [(C128, &[4, 4]), (C128, &[4, 4]), (I32, &[])];
        let values: &[(i32, &[i64])] =
            if code == C128 { &[(C128, &[4])] } else { &[(F64, &[4]), (F64, &[4])] };
        let letters = [("compute_left", b'V'), ("compute_right", b'V')];
        let found = call(code, "geev", &[&a], &[values, &vectors].concat(), &letters);
        let value = |at: usize| match code {
            C128 => found[0].values[at],
            _ => Complex64::new(found[0].values[at].re, found[1].values[at].re),
        };
        let (left, right) = (&found[values.len()], &found[values.len() + 1]);
        let a = Array { code: C128, ..a };
        let scaled = Array::matrix(C128, 4, 4, |row, at| right.at(row, at) * value(at));
        assert_close(&a.times(right), &scaled);
        let scaled = Array::matrix(C128, 4, 4, |row, at| left.at(row, at) * value(at).conj());
        assert_close(&a.adjoint().times(left), &scaled);
        for at in 0..4 {
            let norm: f64 = (0..4).map(|row| right.at(row, at).norm_sqr()).sum();
            assert!((norm - 1.0).abs() < 1e-12);
        }
    }
}

/// Of conjugate eigenvalues the one with a positive imaginary part is first, whatever the type of the matrix.
#[test]
fn eigenvalues_of_real_numbers_are_in_one_order() {
    for (upper, lower) in [(2.0, -3.0), (-2.0, 3.0)] {
        for code in [F64, C128] {
            let entries = [[1.0, upper], [lower, 1.0]];
            let a = Array::matrix(code, 2, 2, |row, column| entries[row][column].into());
            let vectors: [(i32, &[i64]); 3] = [(C128, &[2, 2]), (C128, &[2, 2]), (I32, &[])];
            let values: &[(i32, &[i64])] =
                if code == C128 { &[(C128, &[2])] } else { &[(F64, &[2]), (F64, &[2])] };
            let letters = [("compute_left", b'N'), ("compute_right", b'N')];
            let found = call(code, "geev", &[&a], &[values, &vectors].concat(), &letters);
            let parts: Vec<f64> = match code {
                C128 => found[0].values.iter().map(|value| value.im).collect(),
                _ => found[1].values.iter().map(|value| value.re).collect(),
            };
            let root = 6.0_f64.sqrt();
            assert!((parts[0] - root).abs() < 1e-12 && parts[1] == -parts[0], "{parts:?}");
        }
    }
}

/// Of matrices whose squares vanish or overflow.
#[test]
fn values_follow_the_scale_of_the_matrix() {
    for (code, exponent) in [(F64, -600), (C128, -600), (F64, 600), (C128, 600)] {
        let (a, scale) = (hermitian(code, 4, 0.0), 2.0_f64.powi(exponent));
        let scaled = Array::matrix(code, 4, 4, |row, at| a.at(row, at) * scale);
        let routine = if code == C128 { "heevd" } else { "syevd" };
        let types: [(i32, &[i64]); 3] = [(code, &[4, 4]), (F64, &[4]), (I32, &[])];
        let letters = [("mode", b'V'), ("uplo", b'L')];
        let [of_a, of_scaled] =
            [&a, &scaled].map(|one| call(code, routine, &[one], &types, &letters));
        let svd: [(i32, &[i64]); 5] =
            [(code, &[4, 4]), (F64, &[4]), (code, &[4, 4]), (code, &[4, 4]), (I32, &[])];
        let mode = [("mode", b'A')];
        let singular = [&a, &scaled].map(|one| call(code, "gesdd", &[one], &svd, &mode));
        for (one, other) in [(&of_a, &of_scaled), (&singular[0], &singular[1])] {
            for (value, found) in one[1].values.iter().zip(&other[1].values) {
                assert!((found.re / scale - value.re).abs() < 1e-12, "{found} for {value}");
            }
        }
        assert_close(&of_a[0], &of_scaled[0]);
    }
}

#[test]
fn a_matrix_with_too_few_eigenvectors_has_left_ones() {
    let a = Array::matrix(F64, 2, 2, |row, column| if row <= column { 1.0 } else { 0.0 }.into());
    let types: [(i32, &[i64]); 5] =
        [(F64, &[2]), (F64, &[2]), (C128, &[2, 2]), (C128, &[2, 2]), (I32, &[])];
    let letters = [("compute_left", b'V'), ("compute_right", b'V')];
    let found = call(F64, "geev", &[&a], &types, &letters);
    for at in 0..2 {
        // The only direction is that of the second unit vector.
        assert!(found[2].at(0, at).norm() < 1e-7 && (found[2].at(1, at).norm() - 1.0).abs() < 1e-7);
    }
}

#[test]
fn reductions_are_similar_to_the_matrix() {
    for code in [F64, C128] {
        let (tridiagonal, apply) =
            if code == C128 { ("hetrd", "unmqr") } else { ("sytrd", "ormqr") };
        let a = hermitian(code, 5, 0.0);
        let types: [(i32, &[i64]); 5] =
            [(code, &[5, 5]), (F64, &[5]), (F64, &[4]), (code, &[4]), (I32, &[])];
        let found = call(code, tridiagonal, &[&a], &types, &[("uplo", b'L')]);
        let band = Array::matrix(code, 5, 5, |row, column| match row.abs_diff(column) {
            0 => found[1].values[row],
            1 => found[2].values[row.min(column)],
            _ => 0.0.into(),
        });
        similar(code, apply, &found[0], &found[3], &band, &a);
        // From the upper triangle other reflectors come, but the same trace and norm.
        let found = call(code, tridiagonal, &[&a], &types, &[("uplo", b'U')]);
        let square = |values: &[Complex64]| values.iter().map(|one| one.norm_sqr()).sum::<f64>();
        let norm = square(&found[1].values) + 2.0 * square(&found[2].values);
        assert!((norm - square(&a.values)).abs() < 1e-10);

        let a = Array::arbitrary(code, &[5, 5], 4);
        let types: [(i32, &[i64]); 3] = [(code, &[5, 5]), (code, &[4]), (I32, &[])];
        let found = call(code, "gehrd", &[&a], &types, &[("high", 5), ("low", 1)]);
        let form = Array::matrix(code, 5, 5, |row, column| {
            if row <= column + 1 { found[0].at(row, column) } else { 0.0.into() }
        });
        similar(code, apply, &found[0], &found[1], &form, &a);
    }
}

#[test]
fn the_schur_form_is_triangular() {
    for (size, seed) in [(1, 1), (2, 2), (6, 3), (9, 4)] {
        let shape = [size, size];
        let a = Array::arbitrary(C128, &shape, seed);
        let types: [(i32, &[i64]); 5] =
            [(C128, &shape), (C128, &shape), (C128, &[size]), (I32, &[]), (I32, &[])];
        let found = call(C128, "gees", &[&a], &types, &[("mode", b'V'), ("sort", b'N')]);
        let (form, basis) = (&found[0], &found[1]);
        assert_close(&basis.times(form).times(&basis.adjoint()), &a);
        assert_close(&basis.adjoint().times(basis), &identity(C128, size as usize));
        for column in 0..size as usize {
            assert_eq!(found[2].values[column], form.at(column, column));
            let below = (column + 1..size as usize).map(|row| form.at(row, column).norm());
            assert!(below.fold(0.0, f64::max) < 1e-12, "below the diagonal of column {column}");
        }
    }
}

#[test]
fn the_real_schur_form_has_blocks_for_pairs_only() {
    for (size, seed) in [(0, 1), (1, 1), (2, 2), (2, 7), (3, 5), (6, 3), (9, 4), (30, 6)] {
        let shape = [size, size];
        let a = Array::arbitrary(F64, &shape, seed);
        let types: [(i32, &[i64]); 6] =
            [(F64, &shape), (F64, &shape), (F64, &[size]), (F64, &[size]), (I32, &[]), (I32, &[])];
        let found = call(F64, "gees", &[&a], &types, &[("mode", b'V'), ("sort", b'N')]);
        let (form, basis) = (&found[0], &found[1]);
        assert_eq!(found[5].values[0].re, 0.0);
        assert_close(&basis.times(form).times(&basis.adjoint()), &a);
        assert_close(&basis.adjoint().times(basis), &identity(F64, size as usize));
        let size = size as usize;
        let is_pair = |at: usize| at + 1 < size && form.at(at + 1, at).re != 0.0;
        for column in 0..size {
            let start = column + if is_pair(column) { 2 } else { 1 };
            assert!((start..size).all(|row| form.at(row, column).re == 0.0));
            let (re, im) = (found[2].values[column].re, found[3].values[column].re);
            assert_eq!(re, form.at(column, column).re);
            if is_pair(column) {
                let (upper, lower) =
                    (form.at(column, column + 1).re, form.at(column + 1, column).re);
                assert!(!is_pair(column + 1) && upper * lower < 0.0);
                assert_eq!(re, form.at(column + 1, column + 1).re);
                assert!((im * im + upper * lower).abs() < 1e-12 && im > 0.0);
            }
        }
    }
}

/// Checks Q form Q^H = a, with the reflectors of Q below the first subdiagonal of `held`.
#[track_caller]
fn similar(code: i32, apply: &str, held: &Array, scales: &Array, form: &Array, a: &Array) {
    let inner = Array::matrix(code, 4, 4, |row, column| held.at(row + 1, column));
    let applied = |matrix: &Array, left, transpose| {
        let inputs = [&inner, scales, matrix];
        let sides = [("left", left), ("transpose", transpose)];
        call(code, apply, &inputs, &[(code, &matrix.shape.clone())], &sides).remove(0)
    };
    let unit = identity(code, 4);
    let small = applied(&unit, 1, 0);
    let q = Array::matrix(code, 5, 5, |row, column| match (row, column) {
        (0, 0) => 1.0.into(),
        (0, _) | (_, 0) => 0.0.into(),
        _ => small.at(row - 1, column - 1),
    });
    assert_close(&q.times(form).times(&q.adjoint()), a);
}
