//! Matrices below and above the order from which on others methods pay, several in a call.

use num_complex::Complex64;

use crate::call::{Array, C128, F64, I32, assert_close, call, hermitian};

const ORDERS: [usize; 8] = [0, 1, 2, 3, 5, 16, 17, 33];

/// Matrices one after another.
fn batch(all: &[Array]) -> Array {
    let shape: Vec<i64> = [all.len() as i64].into_iter().chain(all[0].shape.clone()).collect();
    let values = all.iter().flat_map(|one| one.values.clone()).collect();
    Array::new(all[0].code, &shape, values)
}

/// Those of a batch.
fn each(all: &Array) -> Vec<Array> {
    let shape = &all.shape[1..];
    let size = shape.iter().product::<i64>() as usize;
    let part = |at: usize| all.values[at * size..(at + 1) * size].to_vec();
    (0..all.shape[0] as usize).map(|at| Array::new(all.code, shape, part(at))).collect()
}

fn triangle(a: &Array, lower: bool, unit: bool) -> Array {
    let (n, _) = a.size();
    Array::matrix(a.code, n, n, |row, column| match row.cmp(&column) {
        std::cmp::Ordering::Equal if unit => 1.0.into(),
        std::cmp::Ordering::Greater if !lower => 0.0.into(),
        std::cmp::Ordering::Less if lower => 0.0.into(),
        _ => a.at(row, column),
    })
}

/// Factors, and where they failed.
fn potrf(a: &Array, uplo: u8) -> (Vec<Array>, Vec<f64>) {
    let types: [(i32, &[i64]); 2] = [(a.code, &a.shape), (I32, &a.shape[..1])];
    let found = call(a.code, "potrf", &[a], &types, &[("uplo", uplo)]);
    (each(&found[0]), found[1].values.iter().map(|one| one.re).collect())
}

fn bits(a: &Array) -> Vec<(u64, u64)> {
    a.values.iter().map(|one| (one.re.to_bits(), one.im.to_bits())).collect()
}

#[test]
fn cholesky_factors_of_a_batch_are_those_of_each_matrix() {
    for (n, count, code, uplo) in ORDERS.into_iter().flat_map(|n| {
        [(1, F64, b'L'), (7, C128, b'U'), (8, F64, b'U'), (9, C128, b'L'), (17, F64, b'L')]
            .map(|(count, code, uplo)| (n, count, code, uplo))
    }) {
        let all: Vec<_> = (0..count)
            .map(|at| {
                let mut a = hermitian(code, n, 3.0 * n as f64 + at as f64);
                // The other triangle is not read.
                for row in 0..n {
                    for column in 0..row {
                        let (row, column) =
                            if uplo == b'L' { (column, row) } else { (row, column) };
                        a.values[column * n + row] = f64::NAN.into();
                    }
                }
                a
            })
            .collect();
        let (found, info) = potrf(&batch(&all), uplo);
        assert!(info.iter().all(|one| *one == 0.0), "order {n}: {info:?}");
        for (at, (factor, a)) in found.iter().zip(&all).enumerate() {
            let (alone, _) = potrf(&batch(std::slice::from_ref(a)), uplo);
            assert_eq!(bits(factor), bits(&alone[0]), "order {n}, matrix {at}");
            let lower = uplo == b'L';
            let factor = triangle(factor, lower, false);
            let adjoint = factor.adjoint();
            let product = if lower { factor.times(&adjoint) } else { adjoint.times(&factor) };
            assert_close(&product, &hermitian(code, n, 3.0 * n as f64 + at as f64));
        }
    }
}

#[test]
fn matrices_without_a_factor_are_named_and_do_not_touch_others() {
    for n in [1, 3, 16, 17] {
        let good = hermitian(F64, n, 3.0 * n as f64);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, -1.0] {
            let mut broken = good.clone();
            broken.values[n * n - 1] = bad.into();
            let mut all = vec![good.clone(); 11];
            (all[2], all[9]) = (broken.clone(), broken);
            let (found, info) = potrf(&batch(&all), b'L');
            let (alone, _) = potrf(&batch(std::slice::from_ref(&good)), b'L');
            for (at, (found, info)) in found.iter().zip(info).enumerate() {
                if at == 2 || at == 9 {
                    assert_eq!(info, n as f64, "order {n} with {bad}");
                    assert_eq!(bits(found), bits(&all[at]), "the matrix stays");
                } else {
                    assert_eq!((info, bits(found)), (0.0, bits(&alone[0])));
                }
            }
        }
    }
}

#[test]
fn triangular_systems_of_every_form_and_order() {
    for (n, lines) in ORDERS.into_iter().flat_map(|n| [0, 1, 2, 17].map(|lines| (n, lines))) {
        for form in 0..24 {
            let code = if form % 2 == 0 { F64 } else { C128 };
            let (lower, unit) = (form / 2 % 2 == 0, form / 4 % 2 == 0);
            for (trans, left) in [b'N', b'T', b'C'].into_iter().map(|one| (one, form >= 12)) {
                let any = |at: u64| {
                    let some = Array::arbitrary(code, &[n as i64, n as i64], 50 + at);
                    // Near the identity, so that solutions are not large.
                    Array::matrix(code, n, n, |row, column| {
                        let shift = if row == column { 2.0 } else { 0.0 };
                        some.at(row, column) / Complex64::from(n as f64) + shift
                    })
                };
                let matrices: Vec<_> = (0..2).map(any).collect();
                let shape = if left { [n as i64, lines] } else { [lines, n as i64] };
                let sides: Vec<_> =
                    (0..2).map(|at| Array::arbitrary(code, &shape, 70 + at)).collect();
                let letters = [
                    ("diag", if unit { b'U' } else { b'N' }),
                    ("side", if left { b'L' } else { b'R' }),
                    ("trans_x", trans),
                    ("uplo", if lower { b'L' } else { b'U' }),
                ];
                let (a, b) = (batch(&matrices), batch(&sides));
                let found = call(code, "trsm", &[&a, &b], &[(code, &b.shape)], &letters);
                for ((x, a), b) in each(&found[0]).iter().zip(&matrices).zip(&sides) {
                    let a = triangle(a, lower, unit);
                    let operator = match trans {
                        b'N' => a,
                        b'T' => Array::matrix(code, n, n, |row, column| a.at(column, row)),
                        _ => a.adjoint(),
                    };
                    let product = if left { operator.times(x) } else { x.times(&operator) };
                    assert_close(&product, b);
                }
            }
        }
    }
}

#[test]
fn exchanges_and_factors_give_each_matrix() {
    for (n, code) in ORDERS.into_iter().flat_map(|n| [(n, F64), (n, C128)]) {
        for columns in [n, n + 2, n.saturating_sub(1)] {
            let shape = [n as i64, columns as i64];
            let all: Vec<_> = (0..3).map(|at| Array::arbitrary(code, &shape, 90 + at)).collect();
            let a = batch(&all);
            let least = n.min(columns);
            let types: [(i32, &[i64]); 3] =
                [(code, &a.shape), (I32, &[3, least as i64]), (I32, &[3])];
            let found = call(code, "getrf", &[&a], &types, &[]);
            for ((factors, pivots), a) in each(&found[0]).iter().zip(each(&found[1])).zip(&all) {
                let lower = Array::matrix(code, n, least, |row, column| match row.cmp(&column) {
                    std::cmp::Ordering::Less => 0.0.into(),
                    std::cmp::Ordering::Equal => 1.0.into(),
                    std::cmp::Ordering::Greater => factors.at(row, column),
                });
                let upper = Array::matrix(code, least, columns, |row, column| {
                    if row <= column { factors.at(row, column) } else { 0.0.into() }
                });
                let mut order: Vec<_> = (0..n).collect();
                for (row, pivot) in pivots.values.iter().enumerate() {
                    order.swap(row, pivot.re as usize - 1);
                }
                let moved = Array::matrix(code, n, columns, |row, column| a.at(order[row], column));
                assert_close(&lower.times(&upper), &moved);
            }
        }
    }
}

#[test]
fn bases_of_every_order_are_orthogonal() {
    for (n, code) in ORDERS.into_iter().skip(1).flat_map(|n| [(n, F64), (n, C128)]) {
        let (rows, columns) = (n + 1, n);
        let shape = [rows as i64, columns as i64];
        let a = Array::arbitrary(code, &shape, 8);
        let found = call(code, "geqrf", &[&a], &[(code, &shape), (code, &[shape[1]])], &[]);
        let form = if code == C128 { "ungqr" } else { "orgqr" };
        let q = &call(code, form, &[&found[0], &found[1]], &[(code, &shape)], &[])[0];
        let r = Array::matrix(code, columns, columns, |row, column| {
            if row <= column { found[0].at(row, column) } else { 0.0.into() }
        });
        assert_close(&q.times(&r), &a);
        assert_close(&q.adjoint().times(q), &crate::call::identity(code, columns));
    }
}
