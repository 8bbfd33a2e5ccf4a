//! What a call passes, checked.

use std::{ffi::CStr, marker::PhantomData, ptr, slice};

use strata_abi::{Attribute, Buffer, Call};

use super::{BadCall, Outcome};

/// The code of a 32-bit integer.
const I32: i32 = 0x220;

/// A buffer as matrices in column-major order, or as vectors.
pub struct Tensor<'a, T> {
    /// All elements, batch by batch.
    pub data: &'a mut [T],
    shape: Vec<usize>,
}

impl<T> Tensor<'_, T> {
    /// The size of dimension `from_end`, counted from the last one.
    pub fn size(&self, from_end: usize) -> Outcome<usize> {
        let at = self.shape.len().checked_sub(from_end + 1).ok_or(BadCall)?;
        self.shape.get(at).copied().ok_or(BadCall)
    }

    /// The number of batches, each of `inner` elements; one where there are no elements.
    pub fn batches(&self, inner_rank: usize) -> Outcome<usize> {
        let outer = self.shape.len().checked_sub(inner_rank).ok_or(BadCall)?;
        Ok(self.shape[..outer].iter().product())
    }

    /// The elements of batch `index` of `batches`.
    pub fn batch(&mut self, index: usize, batches: usize) -> &mut [T] {
        let size = self.data.len() / batches.max(1);
        &mut self.data[index * size..(index + 1) * size]
    }
}

/// The arguments of one call.
pub struct Arguments<'a> {
    call: &'a Call,
    scope: PhantomData<&'a ()>,
}

impl<'a> Arguments<'a> {
    pub(super) fn new(call: &'a Call) -> Self {
        Self { call, scope: PhantomData }
    }

    fn list<T>(&self, first: *const T, count: i32) -> &'a [T] {
        match usize::try_from(count) {
            // SAFETY: the call holds as many entries as it says.
            Ok(count) if count > 0 && !first.is_null() => unsafe {
                slice::from_raw_parts(first, count)
            },
            _ => &[],
        }
    }

    fn inputs(&self) -> &'a [Buffer] {
        self.list(self.call.inputs, self.call.input_count)
    }

    fn outputs(&self) -> &'a [Buffer] {
        self.list(self.call.outputs, self.call.output_count)
    }

    /// Input `index`, as a copy: inputs are not written, and may be outputs as well.
    pub fn input<T: Copy>(&self, index: usize, code: i32) -> Outcome<(Vec<T>, Vec<usize>)> {
        let buffer = self.inputs().get(index).ok_or(BadCall)?;
        let tensor = tensor::<T>(buffer, code)?;
        Ok((tensor.data.to_vec(), tensor.shape))
    }

    /// Output `index`.
    pub fn output<T>(&self, index: usize, code: i32) -> Outcome<Tensor<'a, T>> {
        tensor(self.outputs().get(index).ok_or(BadCall)?, code)
    }

    /// Output `index`, filled with what input `from` holds.
    pub fn updated<T: Copy>(&self, from: usize, index: usize, code: i32) -> Outcome<Tensor<'a, T>> {
        let input = self.inputs().get(from).ok_or(BadCall)?;
        let output = self.output::<T>(index, code)?;
        let shared = ptr::eq(input.data, output.data.as_ptr().cast());
        if !shared {
            let given = tensor::<T>(input, code)?.data;
            (given.len() == output.data.len()).then_some(()).ok_or(BadCall)?;
            let (from, count) = (given.as_ptr(), given.len());
            // SAFETY: both hold so many elements, and may overlap.
            unsafe { ptr::copy(from, output.data.as_mut_ptr(), count) };
        }
        Ok(output)
    }

    /// Output `index`, of 32-bit integers.
    pub fn integers(&self, index: usize) -> Outcome<Tensor<'a, i32>> {
        self.output(index, I32)
    }

    /// The 32-bit integers of input `from`, in output `index`.
    pub fn updated_integers(&self, from: usize, index: usize) -> Outcome<Tensor<'a, i32>> {
        self.updated(from, index, I32)
    }

    /// An integer, character or boolean attribute.
    pub fn number(&self, name: &str) -> Outcome<i64> {
        let attributes: &[Attribute] = self.list(self.call.attributes, self.call.attribute_count);
        let named = |one: &&Attribute| {
            // SAFETY: names end with a zero byte.
            !one.name.is_null() && unsafe { CStr::from_ptr(one.name) }.to_bytes() == name.as_bytes()
        };
        let found = attributes.iter().find(named).ok_or(BadCall)?;
        if found.count != 1 || found.data.is_null() {
            return Err(BadCall);
        }
        // SAFETY: the data is one number of the type that the code names, aligned as such.
        Ok(unsafe {
            match found.kind {
                0x101 | 0x308 => i64::from(found.data.cast::<u8>().read()),
                0x208 => i64::from(found.data.cast::<i8>().read()),
                0x210 => i64::from(found.data.cast::<i16>().read()),
                0x310 => i64::from(found.data.cast::<u16>().read()),
                0x220 => i64::from(found.data.cast::<i32>().read()),
                0x320 => i64::from(found.data.cast::<u32>().read()),
                0x240 | 0x340 => found.data.cast::<i64>().read(),
                _ => return Err(BadCall),
            }
        })
    }

    /// An attribute that LAPACK takes as a letter.
    pub fn letter(&self, name: &str) -> Outcome<u8> {
        u8::try_from(self.number(name)?).map_err(|_| BadCall)
    }
}

fn tensor<'a, T>(buffer: &Buffer, code: i32) -> Outcome<Tensor<'a, T>> {
    if buffer.element_type != code {
        return Err(BadCall);
    }
    let rank = usize::try_from(buffer.rank).map_err(|_| BadCall)?;
    let sizes: &[i64] = match rank {
        0 => &[],
        // SAFETY: the buffer holds as many sizes as it says.
        _ => unsafe { slice::from_raw_parts(buffer.dimensions, rank) },
    };
    let shape = sizes.iter().map(|size| usize::try_from(*size));
    let shape: Vec<usize> = shape.collect::<Result<_, _>>().map_err(|_| BadCall)?;
    let count: usize = shape.iter().product();
    let data = match count {
        0 => &mut [],
        // SAFETY: the buffer holds the elements that its shape says, and outputs overlap nothing that
        // is still read: inputs are copied.
        _ => unsafe { slice::from_raw_parts_mut(buffer.data.cast::<T>(), count) },
    };
    Ok(Tensor { data, shape })
}
