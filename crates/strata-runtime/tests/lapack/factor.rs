//! Factorisations: Cholesky, LU, QR and singular values.

use crate::call::{Array, C128, F64, I32, assert_close, call, hermitian, identity};

#[test]
fn cholesky_factors_multiply_to_the_matrix() {
    for code in [F64, C128] {
        let a = hermitian(code, 5, 9.0);
        for uplo in [b'L', b'U'] {
            let found =
                call(code, "potrf", &[&a], &[(code, &[5, 5]), (I32, &[])], &[("uplo", uplo)]);
            let lower = uplo == b'L';
            let factor = Array::matrix(code, 5, 5, |row, column| {
                let inside = if lower { row >= column } else { row <= column };
                if inside { found[0].at(row, column) } else { 0.0.into() }
            });
            let adjoint = factor.adjoint();
            let product = if lower { factor.times(&adjoint) } else { adjoint.times(&factor) };
            assert_close(&product, &a);
            assert_eq!(found[1].values[0].re, 0.0);
            // The other triangle is left alone.
            let (row, column) = if lower { (0, 3) } else { (3, 0) };
            assert_eq!(found[0].at(row, column), a.at(row, column));
        }
        let mut broken = a.clone();
        broken.values[2 * 5 + 2] = (-1.0).into();
        let found =
            call(code, "potrf", &[&broken], &[(code, &[5, 5]), (I32, &[])], &[("uplo", b'L')]);
        assert_eq!(found[1].values[0].re, 3.0, "the order of the minor that is not positive");
    }
}

#[test]
fn lu_factors_and_exchanges_give_the_matrix() {
    for (rows, columns) in [(5, 3), (3, 5), (4, 4)] {
        for code in [F64, C128] {
            let a = Array::arbitrary(code, &[rows as i64, columns as i64], 3);
            let least = rows.min(columns);
            let types: [(i32, &[i64]); 3] =
                [(code, &[rows as i64, columns as i64]), (I32, &[least as i64]), (I32, &[])];
            let found = call(code, "getrf", &[&a], &types, &[]);
            let lower = Array::matrix(code, rows, least, |row, column| match row.cmp(&column) {
                std::cmp::Ordering::Less => 0.0.into(),
                std::cmp::Ordering::Equal => 1.0.into(),
                std::cmp::Ordering::Greater => found[0].at(row, column),
            });
            let upper = Array::matrix(code, least, columns, |row, column| {
                if row <= column { found[0].at(row, column) } else { 0.0.into() }
            });
            let mut order: Vec<_> = (0..rows).collect();
            for (row, pivot) in found[1].values.iter().enumerate() {
                order.swap(row, pivot.re as usize - 1);
            }
            let moved = Array::matrix(code, rows, columns, |row, column| a.at(order[row], column));
            assert_close(&lower.times(&upper), &moved);
        }
    }
    let zero = Array::new(F64, &[2, 2], vec![0.0.into(); 4]);
    let found = call(F64, "getrf", &[&zero], &[(F64, &[2, 2]), (I32, &[2]), (I32, &[])], &[]);
    assert_eq!(found[2].values[0].re, 1.0, "the first zero pivot");
}

#[test]
fn columns_without_a_pivot_stay() {
    let a = Array::matrix(F64, 3, 3, |row, column| ((row + 1) as f64 * column as f64).into());
    let types: [(i32, &[i64]); 3] = [(F64, &[3, 3]), (I32, &[3]), (I32, &[])];
    let found = call(F64, "getrf", &[&a], &types, &[]);
    assert_eq!(found[2].values[0].re, 1.0);
    assert_eq!(found[1].values.iter().map(|one| one.re).collect::<Vec<_>>(), [1.0, 3.0, 3.0]);
    // The first column is zero; the second one's multipliers are 2/3 and 1/3 of what is left below.
    let factors: Vec<_> = found[0].values.iter().map(|one| one.re).collect();
    assert_eq!(factors, [0.0, 0.0, 0.0, 1.0, 3.0, 2.0 / 3.0, 2.0, 6.0, 0.0]);
}

/// R of a factorisation, stored on and above the diagonal.
fn upper(a: &Array, rows: usize) -> Array {
    Array::matrix(a.code, rows, a.size().1, |row, column| {
        if row <= column { a.at(row, column) } else { 0.0.into() }
    })
}

#[test]
fn reflectors_give_an_orthogonal_basis() {
    for code in [F64, C128] {
        let (form, apply) = if code == C128 { ("ungqr", "unmqr") } else { ("orgqr", "ormqr") };
        for (rows, columns) in [(5, 3), (4, 4)] {
            let shape = [rows as i64, columns as i64];
            let a = Array::arbitrary(code, &shape, 8);
            let found = call(code, "geqrf", &[&a], &[(code, &shape), (code, &[shape[1]])], &[]);
            let q = &call(code, form, &[&found[0], &found[1]], &[(code, &shape)], &[])[0];
            assert_close(&q.adjoint().times(q), &identity(code, columns));
            let r = upper(&found[0], columns);
            assert_close(&q.times(&r), &a);
            assert!((0..columns).all(|at| r.at(at, at).im == 0.0), "the diagonal is real");
            // Q applied to R with rows of zeros is A again; Q^H takes A to it; both from the right too.
            let tall = upper(&found[0], rows);
            let sides = |left, transpose| [("left", left), ("transpose", transpose)];
            let applied = |matrix: &Array, left, transpose| {
                let shape: Vec<_> = matrix.shape.clone();
                let inputs = [&found[0], &found[1], matrix];
                call(code, apply, &inputs, &[(code, &shape)], &sides(left, transpose)).remove(0)
            };
            assert_close(&applied(&tall, 1, 0), &a);
            assert_close(&applied(&a, 1, 1), &tall);
            assert_close(&applied(&a.adjoint(), 0, 0), &tall.adjoint());
            assert_close(&applied(&tall.adjoint(), 0, 1), &a.adjoint());
        }
    }
}

#[test]
fn pivoted_columns_fall_in_size() {
    let a = Array::arbitrary(C128, &[5, 4], 21);
    let free = Array::new(I32, &[4], vec![0.0.into(); 4]);
    let types: [(i32, &[i64]); 3] = [(C128, &[5, 4]), (I32, &[4]), (C128, &[4])];
    let found = call(C128, "geqp3", &[&a, &free], &types, &[]);
    let q = &call(C128, "ungqr", &[&found[0], &found[2]], &[(C128, &[5, 4])], &[])[0];
    let r = upper(&found[0], 4);
    let order: Vec<_> = found[1].values.iter().map(|one| one.re as usize - 1).collect();
    let moved = Array::matrix(C128, 5, 4, |row, column| a.at(row, order[column]));
    assert_close(&q.times(&r), &moved);
    assert!((1..4).all(|at| r.at(at, at).norm() <= r.at(at - 1, at - 1).norm()));
}

#[test]
fn singular_vectors_and_values_give_the_matrix() {
    for code in [F64, C128] {
        for (rows, columns) in [(5_i64, 3_i64), (3, 5)] {
            let a = Array::arbitrary(code, &[rows, columns], 2);
            let least = rows.min(columns);
            for (mode, left, right) in [(b'A', rows, columns), (b'S', least, least)] {
                let types: [(i32, &[i64]); 5] = [
                    (code, &[rows, columns]),
                    (F64, &[least]),
                    (code, &[rows, left]),
                    (code, &[right, columns]),
                    (I32, &[]),
                ];
                let found = call(code, "gesdd", &[&a], &types, &[("mode", mode)]);
                let values = &found[1].values;
                assert!(values.windows(2).all(|pair| pair[0].re >= pair[1].re && pair[1].re > 0.0));
                let scaled = Array::matrix(code, rows as usize, least as usize, |row, column| {
                    found[2].at(row, column) * values[column]
                });
                let vt = Array::matrix(code, least as usize, columns as usize, |row, column| {
                    found[3].at(row, column)
                });
                assert_close(&scaled.times(&vt), &a);
                let u = &found[2];
                assert_close(&u.adjoint().times(u), &identity(code, left as usize));
            }
        }
    }
    let bad = Array::new(F64, &[2, 2], vec![f64::NAN.into(); 4]);
    let types: [(i32, &[i64]); 5] =
        [(F64, &[2, 2]), (F64, &[2]), (F64, &[2, 2]), (F64, &[2, 2]), (I32, &[])];
    let found = call(F64, "gesvd", &[&bad], &types, &[("mode", b'A')]);
    assert_ne!(found[4].values[0].re, 0.0);
}
