//! Dense tensors: a shape, an element type and the elements' bytes in row-major order.

use std::{fmt, sync::Arc};

use num_complex::Complex64;

use crate::{
    element::{Element, ElementType, F32, F64, I1, I32, I64, UI32},
    error::{EvalError, Result},
    index,
    quantized::Quantization,
};

/// A value of a ranked tensor type. Cloning shares the elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    shape: Vec<usize>,
    element_type: ElementType,
    quantization: Option<Arc<Quantization>>,
    /// The elements before they were rounded to their type, in `f32`, in programs whose numbers may have more digits.
    digits: Option<Arc<Self>>,
    data: Arc<Vec<u8>>,
}

impl Tensor {
    /// A tensor of zeros.
    pub fn zeros(shape: &[usize], element_type: ElementType) -> Self {
        let bytes = index::element_count(shape) * element_type.bytes();
        let mut data = vec![0; bytes];
        // Zero is not all zero bits in a format without zero.
        let mut zero = vec![0; element_type.bytes()];
        element_type.encode(element_type.zero(), &mut zero);
        if zero.iter().any(|byte| *byte != 0) {
            data.chunks_exact_mut(zero.len()).for_each(|chunk| chunk.copy_from_slice(&zero));
        }
        Self::from_data(shape, element_type, data)
    }

    fn from_data(shape: &[usize], element_type: ElementType, data: Vec<u8>) -> Self {
        let shape = shape.to_vec();
        Self { shape, element_type, quantization: None, digits: None, data: Arc::new(data) }
    }

    /// A tensor whose element at row-major position `i` is `element(i)`.
    pub fn from_fn(
        shape: &[usize],
        element_type: ElementType,
        mut element: impl FnMut(usize) -> Element,
    ) -> Self {
        let width = element_type.bytes();
        let mut data = vec![0; index::element_count(shape) * width];
        for (position, bytes) in data.chunks_exact_mut(width).enumerate() {
            element_type.encode(element(position), bytes);
        }
        Self::from_data(shape, element_type, data)
    }

    /// As [`Self::from_fn`], where an element may fail.
    pub fn try_from_fn(
        shape: &[usize],
        element_type: ElementType,
        mut element: impl FnMut(usize) -> Result<Element>,
    ) -> Result<Self> {
        let width = element_type.bytes();
        let mut data = vec![0; index::element_count(shape) * width];
        for (position, bytes) in data.chunks_exact_mut(width).enumerate() {
            element_type.encode(element(position)?, bytes);
        }
        Ok(Self::from_data(shape, element_type, data))
    }

    /// A tensor of `elements` in row-major order; fails where their number is not the shape's.
    pub fn from_elements(
        shape: &[usize],
        element_type: ElementType,
        elements: &[Element],
    ) -> Result<Self> {
        let count = index::element_count(shape);
        if elements.len() != count {
            return Err(EvalError::invalid(format!(
                "{} elements do not fill a tensor of {count}",
                elements.len()
            )));
        }
        Ok(Self::from_fn(shape, element_type, |position| elements[position]))
    }

    /// A tensor from raw little-endian bytes, one or more bytes per element.
    pub fn from_bytes(shape: &[usize], element_type: ElementType, bytes: Vec<u8>) -> Result<Self> {
        let expected = index::element_count(shape) * element_type.bytes();
        if bytes.len() != expected {
            return Err(EvalError::invalid(format!(
                "{} bytes given, but the tensor has {expected}",
                bytes.len()
            )));
        }
        let tensor = Self::from_data(shape, element_type, bytes);
        let is_integer = matches!(element_type, ElementType::Signed(_) | ElementType::Unsigned(_));
        if is_integer && element_type.bits() < 8 {
            // Of a byte the lower bits count: equal tensors have equal bytes.
            return Ok(Self::from_fn(shape, element_type, |position| tensor.get(position)));
        }
        Ok(tensor)
    }

    /// A tensor whose elements are all `element`.
    pub fn splat(shape: &[usize], element_type: ElementType, element: Element) -> Self {
        Self::from_fn(shape, element_type, |_| element)
    }

    /// A tensor of rank 0.
    pub fn scalar(element_type: ElementType, element: Element) -> Self {
        Self::splat(&[], element_type, element)
    }

    /// An `f32` tensor. Panics where the number of values is not the shape's.
    pub fn from_f32(shape: &[usize], values: &[f32]) -> Self {
        assert_eq!(values.len(), index::element_count(shape));
        Self::from_fn(shape, F32, |position| Element::Float(f64::from(values[position])))
    }

    /// An `f64` tensor. Panics where the number of values is not the shape's.
    pub fn from_f64(shape: &[usize], values: &[f64]) -> Self {
        Self::of_floats(shape, F64, values)
    }

    /// A tensor of a real floating-point type, values rounded to it. Panics on a wrong number.
    pub fn of_floats(shape: &[usize], element_type: ElementType, values: &[f64]) -> Self {
        assert_eq!(values.len(), index::element_count(shape));
        Self::from_fn(shape, element_type, |position| Element::Float(values[position]))
    }

    /// A tensor of any type, integers converted to it. Panics on a wrong number of values.
    pub fn of_integers(shape: &[usize], element_type: ElementType, values: &[i64]) -> Self {
        assert_eq!(values.len(), index::element_count(shape));
        Self::from_fn(shape, element_type, |position| element_type.from_i64(values[position]))
    }

    /// An `i32` tensor. Panics where the number of values is not the shape's.
    pub fn from_i32(shape: &[usize], values: &[i32]) -> Self {
        assert_eq!(values.len(), index::element_count(shape));
        Self::from_fn(shape, I32, |position| Element::Signed(i64::from(values[position])))
    }

    /// An `i64` tensor. Panics where the number of values is not the shape's.
    pub fn from_i64(shape: &[usize], values: &[i64]) -> Self {
        Self::of_integers(shape, I64, values)
    }

    /// A `ui32` tensor. Panics where the number of values is not the shape's.
    pub fn from_u32(shape: &[usize], values: &[u32]) -> Self {
        assert_eq!(values.len(), index::element_count(shape));
        Self::from_fn(shape, UI32, |position| Element::Unsigned(u64::from(values[position])))
    }

    /// An `i1` tensor. Panics where the number of values is not the shape's.
    pub fn from_bools(shape: &[usize], values: &[bool]) -> Self {
        assert_eq!(values.len(), index::element_count(shape));
        Self::from_fn(shape, I1, |position| Element::Bool(values[position]))
    }

    /// A complex tensor. Panics where the number of values is not the shape's.
    pub fn of_complexes(shape: &[usize], element_type: ElementType, values: &[Complex64]) -> Self {
        assert_eq!(values.len(), index::element_count(shape));
        Self::from_fn(shape, element_type, |position| Element::Complex(values[position]))
    }

    /// The dimension sizes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// The type of the elements; the storage type of a quantized tensor.
    pub fn element_type(&self) -> ElementType {
        self.element_type
    }

    /// The quantization parameters, for a quantized tensor.
    pub fn quantization(&self) -> Option<&Arc<Quantization>> {
        self.quantization.as_ref()
    }

    /// The same elements, quantized by `quantization` (or no longer).
    #[must_use]
    pub fn with_quantization(mut self, quantization: Option<Arc<Quantization>>) -> Self {
        self.quantization = quantization;
        self
    }

    /// The elements before they were rounded, in `f32`.
    pub(crate) fn digits(&self) -> Option<&Self> {
        self.digits.as_deref()
    }

    /// The same elements, with what they were before they were rounded.
    #[must_use]
    pub(crate) fn with_digits(mut self, digits: Option<Arc<Self>>) -> Self {
        self.digits = digits;
        self
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        index::element_count(&self.shape)
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements' bytes, row-major and little-endian; sub-byte types take a byte each.
    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    /// The bytes of the element at a row-major position.
    pub fn element_bytes(&self, position: usize) -> &[u8] {
        let width = self.element_type.bytes();
        &self.data[position * width..(position + 1) * width]
    }

    /// The element at a row-major position.
    pub fn get(&self, position: usize) -> Element {
        self.element_type.decode(self.element_bytes(position))
    }

    /// The element at a multi-dimensional index.
    pub fn at(&self, index: &[usize]) -> Element {
        self.get(index::position(index, &self.shape))
    }

    /// Replaces the element at a row-major position, rounding or wrapping it to the type.
    pub fn set(&mut self, position: usize, element: Element) {
        let (ty, width) = (self.element_type, self.element_type.bytes());
        let data = Arc::make_mut(&mut self.data);
        ty.encode(element, &mut data[position * width..(position + 1) * width]);
    }

    /// All elements in row-major order.
    pub fn elements(&self) -> Vec<Element> {
        let ty = self.element_type;
        self.data.chunks_exact(ty.bytes()).map(|bytes| ty.decode(bytes)).collect()
    }

    /// All elements as real numbers: integers are converted, of complex numbers the real part is taken.
    pub fn to_f64s(&self) -> Vec<f64> {
        self.elements()
            .into_iter()
            .map(|element| match element {
                Element::Bool(value) => f64::from(u8::from(value)),
                Element::Signed(value) => value as f64,
                Element::Unsigned(value) => value as f64,
                Element::Float(value) => value,
                Element::Complex(value) => value.re,
            })
            .collect()
    }

    /// All elements as integers; fails for floating-point and complex tensors.
    pub fn to_i64s(&self) -> Result<Vec<i64>> {
        self.elements()
            .into_iter()
            .map(|element| {
                element.as_integer().ok_or_else(|| {
                    EvalError::invalid(format!("{} is not an integer type", self.element_type))
                })
            })
            .collect()
    }

    /// The only element of a tensor with one element; fails for all others.
    pub fn single(&self) -> Result<Element> {
        if self.len() == 1 {
            Ok(self.get(0))
        } else {
            Err(EvalError::invalid(format!("{}, expected one element", self.type_text())))
        }
    }

    /// The same elements under another shape of equal size.
    pub fn reshaped(&self, shape: &[usize]) -> Result<Self> {
        if index::element_count(shape) != self.len() {
            return Err(EvalError::invalid(format!(
                "{} elements cannot take the shape {shape:?}",
                self.len()
            )));
        }
        Ok(Self { shape: shape.to_vec(), ..self.clone() })
    }

    /// A tensor of this element type whose element at position `i` is a copy of `source(i)`'s.
    ///
    /// The bytes are copied, so NaN payloads survive.
    pub fn rearranged(&self, shape: &[usize], mut source: impl FnMut(usize) -> usize) -> Self {
        let width = self.element_type.bytes();
        let mut data = vec![0; index::element_count(shape) * width];
        for (position, bytes) in data.chunks_exact_mut(width).enumerate() {
            bytes.copy_from_slice(self.element_bytes(source(position)));
        }
        Self {
            shape: shape.to_vec(),
            element_type: self.element_type,
            quantization: self.quantization.clone(),
            digits: None,
            data: Arc::new(data),
        }
    }

    /// Copies the element at `from` of `source`, a tensor of the same element type, to position `to`.
    pub fn copy_element(&mut self, to: usize, source: &Tensor, from: usize) {
        let width = self.element_type.bytes();
        let data = Arc::make_mut(&mut self.data);
        data[to * width..(to + 1) * width].copy_from_slice(source.element_bytes(from));
    }

    /// The type in MLIR's text form, such as `tensor<2x3xf32>`.
    pub fn type_text(&self) -> String {
        let mut text = String::from("tensor<");
        for size in &self.shape {
            text += &format!("{size}x");
        }
        match &self.quantization {
            Some(quantization) => text += &quantization.to_string(),
            None => text += &self.element_type.to_string(),
        }
        text + ">"
    }
}

impl fmt::Display for Tensor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::print::structured(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_row_major_and_little_endian() {
        let tensor = Tensor::from_i32(&[2, 1], &[1, -2]);
        assert_eq!(tensor.bytes(), [1, 0, 0, 0, 254, 255, 255, 255]);
        assert_eq!(tensor.at(&[1, 0]), Element::Signed(-2));
        let again = Tensor::from_bytes(&[2, 1], I32, tensor.bytes().to_vec()).unwrap();
        assert_eq!(again, tensor);
        assert!(Tensor::from_bytes(&[3], I32, vec![0; 8]).is_err());
    }

    #[test]
    fn tensors_without_elements_exist() {
        let tensor = Tensor::from_f32(&[0, 3], &[]);
        assert!(tensor.is_empty());
        assert!(tensor.single().is_err());
        assert_eq!(tensor.type_text(), "tensor<0x3xf32>");
    }

    #[test]
    fn writing_a_clone_leaves_the_original() {
        let original = Tensor::from_i32(&[2], &[1, 2]);
        let mut copy = original.clone();
        copy.set(0, Element::Signed(7));
        assert_eq!(original.to_i64s().unwrap(), [1, 2]);
        assert_eq!(copy.to_i64s().unwrap(), [7, 2]);
    }
}
