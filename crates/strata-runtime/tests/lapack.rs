//! Every target, called through its C interface: the factors give the matrix again.

use std::{
    ffi::{CString, c_void},
    ptr,
};

use num_complex::Complex64;
use strata_abi::{Attribute, Buffer, CALL_VERSION, Call};
use strata_runtime::TARGETS;

const F64: i32 = 0x440;
const C128: i32 = 0x680;
const I32: i32 = 0x220;

/// A buffer of a call; complex numbers hold every real type here.
#[derive(Clone, Debug)]
struct Array {
    code: i32,
    shape: Vec<i64>,
    values: Vec<Complex64>,
}

impl Array {
    fn new(code: i32, shape: &[i64], values: Vec<Complex64>) -> Self {
        assert_eq!(shape.iter().product::<i64>() as usize, values.len());
        Self { code, shape: shape.to_vec(), values }
    }

    fn empty(code: i32, shape: &[i64]) -> Self {
        let count = shape.iter().product::<i64>() as usize;
        Self::new(code, shape, vec![Complex64::new(f64::NAN, 0.0); count])
    }

    /// Numbers that no symmetry is in; without imaginary parts for a real code.
    fn arbitrary(code: i32, shape: &[i64], seed: u64) -> Self {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
        };
        let count = shape.iter().product::<i64>() as usize;
        let mut value = || Complex64::new(next(), if code == C128 { next() } else { 0.0 });
        let values = (0..count).map(|_| value()).collect();
        Self::new(code, shape, values)
    }

    fn bytes(&self) -> Vec<u64> {
        match self.code {
            C128 => {
                self.values.iter().flat_map(|one| [one.re.to_bits(), one.im.to_bits()]).collect()
            }
            F64 => self.values.iter().map(|one| one.re.to_bits()).collect(),
            _ => {
                let words: Vec<_> = self.values.iter().map(|one| one.re as i32 as u32).collect();
                words
                    .chunks(2)
                    .map(|pair| u64::from(pair[0]) | u64::from(*pair.get(1).unwrap_or(&0)) << 32)
                    .collect()
            }
        }
    }

    fn read(&mut self, words: &[u64]) {
        for (at, value) in self.values.iter_mut().enumerate() {
            *value = match self.code {
                C128 => {
                    Complex64::new(f64::from_bits(words[2 * at]), f64::from_bits(words[2 * at + 1]))
                }
                F64 => Complex64::new(f64::from_bits(words[at]), 0.0),
                _ => Complex64::new(f64::from((words[at / 2] >> (at % 2 * 32)) as u32 as i32), 0.0),
            };
        }
    }

    /// The last matrix dimensions: rows, columns.
    fn size(&self) -> (usize, usize) {
        let [.., rows, columns] = self.shape[..] else { panic!("no matrix") };
        (rows as usize, columns as usize)
    }

    /// Element of the first matrix, which lies in column-major order.
    fn at(&self, row: usize, column: usize) -> Complex64 {
        self.values[column * self.size().0 + row]
    }

    fn matrix(
        code: i32,
        rows: usize,
        columns: usize,
        at: impl Fn(usize, usize) -> Complex64,
    ) -> Self {
        let values = (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column)));
        let values = values.map(|(row, column)| at(row, column)).collect();
        Self::new(code, &[rows as i64, columns as i64], values)
    }

    fn times(&self, other: &Array) -> Array {
        let ((rows, inner), (_, columns)) = (self.size(), other.size());
        Array::matrix(self.code, rows, columns, |row, column| {
            (0..inner).map(|k| self.at(row, k) * other.at(k, column)).sum()
        })
    }

    fn adjoint(&self) -> Array {
        let (rows, columns) = self.size();
        Array::matrix(self.code, columns, rows, |row, column| self.at(column, row).conj())
    }
}

fn identity(code: i32, size: usize) -> Array {
    Array::matrix(code, size, size, |row, column| if row == column { 1.0 } else { 0.0 }.into())
}

#[track_caller]
fn assert_close(found: &Array, expected: &Array) {
    assert_eq!(found.size(), expected.size());
    for (found, expected) in found.values.iter().zip(&expected.values) {
        assert!((found - expected).norm() < 1e-10, "{found} is not {expected}");
    }
}

/// Calls the target `lapack_<letter><routine>_ffi`, or that of a whole name, which must return 0.
#[track_caller]
fn call(
    code: i32,
    routine: &str,
    inputs: &[&Array],
    outputs: &[(i32, &[i64])],
    letters: &[(&str, u8)],
) -> Vec<Array> {
    let name = match routine.ends_with("_ffi") {
        true => routine.to_owned(),
        false => format!("lapack_{}{routine}_ffi", if code == C128 { 'z' } else { 'd' }),
    };
    let row = TARGETS.iter().find(|(known, _)| *known == name);
    let target = row.unwrap_or_else(|| panic!("{name} is not there")).1;
    let mut results: Vec<_> =
        outputs.iter().map(|(code, shape)| Array::empty(*code, shape)).collect();
    let mut ins: Vec<_> = inputs.iter().map(|array| array.bytes()).collect();
    let mut outs: Vec<_> = results.iter().map(Array::bytes).collect();
    let buffer = |(array, words): (&Array, &mut Vec<u64>)| Buffer {
        element_type: array.code,
        rank: array.shape.len() as i32,
        dimensions: array.shape.as_ptr(),
        data: words.as_mut_ptr().cast::<c_void>(),
    };
    let in_buffers: Vec<_> = inputs.iter().copied().zip(&mut ins).map(buffer).collect();
    let out_buffers: Vec<_> = results.iter().zip(&mut outs).map(buffer).collect();
    let names: Vec<_> =
        letters.iter().map(|(name, _)| CString::new(*name).expect("a name")).collect();
    let attributes: Vec<_> = letters
        .iter()
        .zip(&names)
        .map(|((_, letter), name)| Attribute {
            name: name.as_ptr(),
            kind: 0x308,
            is_array: 0,
            count: 1,
            data: ptr::from_ref(letter).cast(),
        })
        .collect();
    let description = Call {
        version: CALL_VERSION,
        input_count: in_buffers.len() as i32,
        output_count: out_buffers.len() as i32,
        attribute_count: attributes.len() as i32,
        inputs: in_buffers.as_ptr(),
        outputs: out_buffers.as_ptr(),
        attributes: attributes.as_ptr(),
    };
    // SAFETY: all that the description points at outlives the call.
    assert_eq!(unsafe { target(&description) }, 0, "{name}");
    for (result, words) in results.iter_mut().zip(&outs) {
        result.read(words);
    }
    results
}

/// A Hermitian matrix; positive definite with a large `shift`.
fn hermitian(code: i32, size: usize, shift: f64) -> Array {
    let any = Array::arbitrary(code, &[size as i64, size as i64], 5);
    Array::matrix(code, size, size, |row, column| {
        let shift = if row == column { shift } else { 0.0 };
        any.at(row, column) + any.at(column, row).conj() + shift
    })
}

#[test]
fn the_targets_are_sorted() {
    assert!(TARGETS.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

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

/// R of a factorisation that lies on and above the diagonal.
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
    // SAFETY: there is nothing behind the null pointers, as the counts say.
    assert_eq!(unsafe { target(&empty) }, strata_runtime::BAD_CALL);
    // SAFETY: a target refuses to be called with nothing at all.
    assert_eq!(unsafe { target(ptr::null()) }, strata_runtime::BAD_CALL);
}
