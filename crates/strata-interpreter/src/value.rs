//! The contents of SSA values.

use std::{cell::Cell, rc::Rc};

use strata_diag::codes;

use crate::{
    element::{Bits, Elem},
    fault::{Fault, Run},
    memory::View,
};

/// The value of an SSA value.
#[derive(Clone, Debug, Default)]
pub(crate) enum Value {
    /// Not computed yet, or moved to its last use.
    #[default]
    Gone,
    Scalar(Bits),
    /// The elements of a vector in row-major order; the shape is in the type.
    Vector(Rc<Vec<Bits>>),
    Tensor(Rc<Tensor>),
    Buffer(Rc<View>),
    /// A scalar or vector that is being copied, with uninitialised elements.
    Missing(Rc<Vec<Option<Bits>>>),
}

/// A tensor that may have uninitialised elements.
#[derive(Clone, Debug)]
pub(crate) struct Tensor {
    pub elem: Elem,
    pub shape: Vec<usize>,
    pub data: Vec<u8>,
    /// Which elements have no value; `None` where all have one.
    pub missing: Option<Vec<bool>>,
    /// Where elements without a value may be read, whether one was; their bytes are in `data`.
    pub read: Option<Rc<Cell<bool>>>,
}

impl Tensor {
    /// A tensor whose elements have no value yet.
    pub fn empty(elem: Elem, shape: Vec<usize>) -> Self {
        let count = shape.iter().product::<usize>();
        let missing = (count > 0).then(|| vec![true; count]);
        Self { elem, shape, data: vec![0; count * elem.bytes()], missing, read: None }
    }

    pub fn splat(elem: Elem, shape: Vec<usize>, bits: Bits) -> Self {
        let mut tensor = Self { missing: None, ..Self::empty(elem, shape) };
        let width = elem.bytes();
        tensor.data.chunks_exact_mut(width).for_each(|bytes| elem.store(bits, bytes));
        tensor
    }

    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Fails for an element without a value.
    pub fn check(&self, at: usize) -> Run {
        if !self.missing.as_ref().is_some_and(|missing| missing[at]) {
            return Ok(());
        }
        let index = unravel(at, &self.shape);
        let reason = format!("element {index:?} of the tensor was never given a value");
        Err(Fault::new(codes::S1921, reason))
    }

    /// The element at a row-major position.
    pub fn get(&self, at: usize) -> Run<Bits> {
        match &self.read {
            Some(read) if self.missing.as_ref().is_some_and(|missing| missing[at]) => {
                read.set(true)
            }
            _ => self.check(at)?,
        }
        let width = self.elem.bytes();
        Ok(self.elem.load(&self.data[at * width..(at + 1) * width]))
    }

    /// Sets the element at a row-major position.
    pub fn set(&mut self, at: usize, bits: Bits) {
        let width = self.elem.bytes();
        self.elem.store(bits, &mut self.data[at * width..(at + 1) * width]);
        if let Some(missing) = &mut self.missing {
            missing[at] = false;
        }
    }

    /// Copies an element, initialised or not.
    pub fn copy(&mut self, to: usize, source: &Tensor, from: usize) {
        let width = self.elem.bytes();
        self.data[to * width..(to + 1) * width]
            .copy_from_slice(&source.data[from * width..(from + 1) * width]);
        if self.read.is_none() {
            self.read.clone_from(&source.read);
        }
        let is_missing = source.missing.as_ref().is_some_and(|missing| missing[from]);
        if is_missing && self.missing.is_none() {
            self.missing = Some(vec![false; self.len()]);
        }
        if let Some(missing) = &mut self.missing {
            missing[to] = is_missing;
        }
    }

    /// The same elements in another shape.
    pub fn reshaped(mut self, shape: Vec<usize>) -> Run<Self> {
        if shape.iter().product::<usize>() != self.len() {
            return Err(Fault::undefined(format!(
                "{:?} has not as many elements as {shape:?}",
                self.shape
            )));
        }
        self.shape = shape;
        Ok(self)
    }
}

/// The row-major position of an index, or the dimension in which it is out of bounds.
pub(crate) fn position(index: &[i64], shape: &[usize]) -> Run<usize> {
    let mut at = 0;
    for (dim, (index, size)) in index.iter().zip(shape).enumerate() {
        match usize::try_from(*index) {
            Ok(index) if index < *size => at = at * size + index,
            _ => return Err(outside(*index, dim, *size as i64)),
        }
    }
    Ok(at)
}

/// The fault for an index out of bounds.
pub(crate) fn outside(index: i64, dim: usize, size: i64) -> Fault {
    Fault::outside(format!("index {index} of dimension {dim}, which has {size}"))
}

/// The index of a row-major position.
pub(crate) fn unravel(mut at: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (dim, size) in shape.iter().enumerate().rev() {
        index[dim] = at % size.max(&1);
        at /= size.max(&1);
    }
    index
}

/// Calls `visit` with every index below `shape` in row-major order.
pub(crate) fn each(shape: &[i64], mut visit: impl FnMut(&[i64]) -> Run) -> Run {
    if shape.iter().any(|size| *size <= 0) {
        return Ok(());
    }
    let mut index = vec![0; shape.len()];
    loop {
        visit(&index)?;
        let mut dim = shape.len();
        loop {
            if dim == 0 {
                return Ok(());
            }
            dim -= 1;
            index[dim] += 1;
            if index[dim] < shape[dim] {
                break;
            }
            index[dim] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;

    #[test]
    fn elements_without_a_value_stay_so() {
        let mut tensor = Tensor::empty(Elem::Int(32), vec![2, 3]);
        tensor.set(4, 7);
        assert_eq!(tensor.get(4).expect("set"), 7);
        let fault = tensor.get(3).expect_err("never set");
        assert_eq!(fault.code, codes::S1921);
        assert!(fault.reason.contains("[1, 0]"), "{}", fault.reason);
        let mut other = Tensor::splat(Elem::Int(32), vec![2], 1);
        other.copy(0, &tensor, 3);
        other.copy(1, &tensor, 4);
        assert!(other.get(0).is_err());
        assert_eq!(other.get(1).expect("copied"), 7);
    }

    #[test]
    fn elements_without_a_value_are_read_where_that_is_allowed() {
        let memory = Memory::with_unwritten(0x5A);
        let mut tensor = memory.tensor(Tensor::empty(Elem::Int(32), vec![3]));
        tensor.set(0, 7);
        assert_eq!(tensor.get(0).expect("set"), 7);
        assert!(!memory.has_read_unwritten());
        let mut other = Tensor::splat(Elem::Int(32), vec![2], 1);
        other.copy(0, &tensor, 2);
        assert!(!memory.has_read_unwritten(), "a copy reads nothing");
        assert!(other.check(0).is_err() && other.check(1).is_ok());
        assert_eq!(other.get(0).expect("allowed"), 0x5A5A_5A5A);
        assert!(memory.has_read_unwritten());
    }

    #[test]
    fn indices_count_in_row_major_order() {
        let mut seen = Vec::new();
        each(&[2, 2], |index| {
            seen.push(position(index, &[2, 2])?);
            Ok(())
        })
        .expect("in bounds");
        assert_eq!(seen, [0, 1, 2, 3]);
        assert!(position(&[0, 2], &[2, 2]).is_err());
        assert!(each(&[2, 0], |_| panic!("nothing to visit")).is_ok());
    }
}
