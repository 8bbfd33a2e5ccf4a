//! Matrices, and calls of the targets with them.

use std::{
    ffi::{CString, c_void},
    ptr,
};

use num_complex::Complex64;
use strata_abi::{Attribute, Buffer, CALL_VERSION, Call};
use strata_runtime::TARGETS;

pub const F64: i32 = 0x440;
pub const C128: i32 = 0x680;
pub const I32: i32 = 0x220;

#[derive(Clone, Debug)]
pub struct Array {
    pub code: i32,
    pub shape: Vec<i64>,
    pub values: Vec<Complex64>,
}

impl Array {
    pub fn new(code: i32, shape: &[i64], values: Vec<Complex64>) -> Self {
        assert_eq!(shape.iter().product::<i64>() as usize, values.len());
        Self { code, shape: shape.to_vec(), values }
    }

    pub fn empty(code: i32, shape: &[i64]) -> Self {
        let count = shape.iter().product::<i64>() as usize;
        Self::new(code, shape, vec![Complex64::new(f64::NAN, 0.0); count])
    }

    /// Numbers that no symmetry is in; without imaginary parts for a real code.
    pub fn arbitrary(code: i32, shape: &[i64], seed: u64) -> Self {
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
    pub fn size(&self) -> (usize, usize) {
        let [.., rows, columns] = self.shape[..] else { panic!("no matrix") };
        (rows as usize, columns as usize)
    }

    /// Element of the first matrix, which is in column-major order.
    pub fn at(&self, row: usize, column: usize) -> Complex64 {
        self.values[column * self.size().0 + row]
    }

    pub fn matrix(
        code: i32,
        rows: usize,
        columns: usize,
        at: impl Fn(usize, usize) -> Complex64,
    ) -> Self {
        let values = (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column)));
        let values = values.map(|(row, column)| at(row, column)).collect();
        Self::new(code, &[rows as i64, columns as i64], values)
    }

    pub fn times(&self, other: &Array) -> Array {
        let ((rows, inner), (_, columns)) = (self.size(), other.size());
        Array::matrix(self.code, rows, columns, |row, column| {
            (0..inner).map(|k| self.at(row, k) * other.at(k, column)).sum()
        })
    }

    pub fn adjoint(&self) -> Array {
        let (rows, columns) = self.size();
        Array::matrix(self.code, columns, rows, |row, column| self.at(column, row).conj())
    }
}

pub fn identity(code: i32, size: usize) -> Array {
    Array::matrix(code, size, size, |row, column| if row == column { 1.0 } else { 0.0 }.into())
}

#[track_caller]
pub fn assert_close(found: &Array, expected: &Array) {
    assert_eq!(found.size(), expected.size());
    for (found, expected) in found.values.iter().zip(&expected.values) {
        assert!((found - expected).norm() < 1e-10, "{found} is not {expected}");
    }
}

/// Calls the target `lapack_<letter><routine>_ffi`, or that of a whole name, which must return 0.
#[track_caller]
pub fn call(
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
pub fn hermitian(code: i32, size: usize, shift: f64) -> Array {
    let any = Array::arbitrary(code, &[size as i64, size as i64], 5);
    Array::matrix(code, size, size, |row, column| {
        let shift = if row == column { shift } else { 0.0 };
        any.at(row, column) + any.at(column, row).conj() + shift
    })
}
