//! Literals: arrays of values known to the host.

use std::fmt;

use half::{bf16, f16};
use num_complex::Complex;
use strata_diag::{Diagnostic, codes};

use crate::{
    element::{ElementType, Native, is_known},
    error::{Error, Result, Site},
    shape::{ArrayShape, Shape},
    spelling,
};

/// An array of values, in row-major order: constants, arguments and results.
#[derive(Clone, PartialEq)]
pub struct Literal {
    element: ElementType,
    dimensions: Vec<usize>,
    bytes: Vec<u8>,
}

impl Literal {
    /// An array of `values` in row-major order.
    ///
    /// # Errors
    /// `S1802` where their number is not that of the dimensions.
    #[track_caller]
    pub fn new<T: Native>(dimensions: &[usize], values: &[T]) -> Result<Self> {
        let mut bytes = Vec::with_capacity(size_of_val(values));
        values.iter().for_each(|value| value.put(&mut bytes));
        Self::from_bytes(T::TYPE, dimensions, bytes)
    }

    /// A single value.
    pub fn scalar<T: Native>(value: T) -> Self {
        let mut bytes = Vec::with_capacity(size_of::<T>());
        value.put(&mut bytes);
        Self { element: T::TYPE, dimensions: Vec::new(), bytes }
    }

    /// An array of dense little-endian bytes; booleans and types of less than 8 bits take a byte each.
    ///
    /// # Errors
    /// `S1802` where there are more or fewer bytes than the array has, `S1803` for an unknown element type.
    #[track_caller]
    pub fn from_bytes(element: ElementType, dimensions: &[usize], bytes: Vec<u8>) -> Result<Self> {
        let site = Site::new("Literal");
        check_known(element).map_err(|error| error.or_called_from(site))?;
        let width = usize::try_from(element.byte_width()).unwrap_or(usize::MAX);
        let expected = dimensions.iter().try_fold(width, |count, size| count.checked_mul(*size));
        if expected != Some(bytes.len()) {
            return Err(Diagnostic::new(codes::S1802)
                .at(site.location())
                .reason(format!(
                    "{} values do not fill an array of dimensions {dimensions:?}",
                    bytes.len() / width.max(1)
                ))
                .into());
        }
        Ok(Self { element, dimensions: dimensions.to_vec(), bytes })
    }

    /// An array whose elements are all `number`, converted to the element type as XLA's `convert` does.
    ///
    /// # Errors
    /// `S1802` for an array that does not fit into memory, `S1803` for an unknown element type.
    #[track_caller]
    pub fn full(element: ElementType, dimensions: &[usize], number: f64) -> Result<Self> {
        let site = Site::new("Literal");
        check_known(element).map_err(|error| error.or_called_from(site))?;
        let one = encoded(element, Number::Float(number));
        let count = dimensions.iter().try_fold(1_usize, |count, size| count.checked_mul(*size));
        let fitting = count.filter(|count| {
            let size = count.checked_mul(one.len());
            size.is_some_and(|size| Vec::<u8>::new().try_reserve_exact(size).is_ok())
        });
        let count = fitting.ok_or_else(|| {
            Diagnostic::new(codes::S1802).at(site.location()).reason("the array is too large")
        })?;
        Self::from_bytes(element, dimensions, one.repeat(count))
    }

    /// Zero.
    pub fn zero(element: ElementType) -> Self {
        Self::of_number(element, Number::Float(0.0))
    }

    /// One; true.
    pub fn one(element: ElementType) -> Self {
        Self::of_number(element, Number::Float(1.0))
    }

    /// The smallest value of the element type: `-inf` for floats that have infinities. The identity of `max`.
    pub fn min_value(element: ElementType) -> Self {
        Self::of_number(element, Number::Float(f64::NEG_INFINITY))
    }

    /// The largest value of the element type: `inf` for floats that have infinities. The identity of `min`.
    pub fn max_value(element: ElementType) -> Self {
        Self::of_number(element, Number::Float(f64::INFINITY))
    }

    /// An array of as many bytes as it has.
    pub(crate) fn filled(element: ElementType, dimensions: Vec<usize>, bytes: Vec<u8>) -> Self {
        Self { element, dimensions, bytes }
    }

    pub(crate) fn of_number(element: ElementType, number: Number) -> Self {
        Self { element, dimensions: Vec::new(), bytes: encoded(element, number) }
    }

    /// The element type.
    pub fn element_type(&self) -> ElementType {
        self.element
    }

    /// The size of each dimension, outermost first.
    pub fn dimensions(&self) -> &[usize] {
        &self.dimensions
    }

    /// The shape.
    pub fn shape(&self) -> Shape {
        Shape::Array(self.array_shape())
    }

    pub(crate) fn array_shape(&self) -> ArrayShape {
        let size = |size: &usize| i64::try_from(*size).unwrap_or(i64::MAX);
        ArrayShape::new(self.element, self.dimensions.iter().map(size).collect::<Vec<_>>())
    }

    /// The bytes of the elements.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The elements in row-major order.
    ///
    /// # Errors
    /// `S1803` where the elements are not of type `T`.
    #[track_caller]
    pub fn to_vec<T: Native>(&self) -> Result<Vec<T>> {
        if T::TYPE != self.element {
            let [own, asked] = [self.element, T::TYPE].map(spelling::element);
            return Err(Diagnostic::new(codes::S1803)
                .at(Site::new("Literal").location())
                .reason(format!("the elements are {own}, {asked} were asked for"))
                .into());
        }
        let width = usize::try_from(self.element.byte_width()).unwrap_or(1);
        Ok(self.bytes.chunks_exact(width).map(T::get).collect())
    }

    /// The only element.
    ///
    /// # Errors
    /// `S1803` as [`Self::to_vec`], `S1802` where there are several or none.
    #[track_caller]
    pub fn to_scalar<T: Native>(&self) -> Result<T> {
        match self.to_vec::<T>()?[..] {
            [one] => Ok(one),
            ref all => Err(Diagnostic::new(codes::S1802)
                .at(Site::new("Literal").location())
                .reason(format!("one element was asked for, there are {}", all.len()))
                .into()),
        }
    }

    /// The elements as floats, of any real element type.
    pub fn to_f64s(&self) -> Vec<f64> {
        self.tensor().map(|tensor| tensor.to_f64s()).unwrap_or_default()
    }

    pub(crate) fn tensor(&self) -> Result<strata_eval::Tensor> {
        let unknown = || Error::from(Diagnostic::new(codes::S1803).reason("no such element type"));
        let element =
            strata_eval::ElementType::parse(&self.element.to_string()).ok_or_else(unknown)?;
        strata_eval::Tensor::from_bytes(&self.dimensions, element, self.bytes.clone())
            .map_err(|error| Diagnostic::new(codes::S1802).reason(error.to_string()).into())
    }

    pub(crate) fn of_tensor(tensor: &strata_eval::Tensor, element: ElementType) -> Self {
        Self { element, dimensions: tensor.shape().to_vec(), bytes: tensor.bytes().to_vec() }
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ", self.array_shape())?;
        match self.tensor() {
            Ok(tensor) => write!(formatter, "{tensor}"),
            Err(_) => write!(formatter, "{:?}", self.bytes),
        }
    }
}

fn check_known(element: ElementType) -> Result<()> {
    if is_known(element) {
        return Ok(());
    }
    let reason = format!("there is no element type {}", spelling::element(element));
    Err(Diagnostic::new(codes::S1803).reason(reason).into())
}

/// A number of the host that becomes an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Bool(bool),
    Int(i128),
    Float(f64),
    Complex(f64, f64),
}

impl Number {
    /// Whether an element type holds the number: fractions are rounded, integers are not, and what is finite stays so.
    pub(crate) fn fits(self, element: ElementType) -> bool {
        let within = |value: i128| match element {
            ElementType::Bool => (0..=1).contains(&value),
            ElementType::Signed(bits) => {
                let end = 1_i128 << (bits - 1);
                (-end..end).contains(&value)
            }
            ElementType::Unsigned(bits) => (0..1_i128 << bits).contains(&value),
            _ => true,
        };
        let is_integer = matches!(
            element,
            ElementType::Bool | ElementType::Signed(_) | ElementType::Unsigned(_)
        );
        match self {
            Self::Bool(_) => element == ElementType::Bool,
            Self::Int(value) if is_integer => within(value),
            Self::Int(value) => {
                held(element, value as f64).is_some_and(|held| is_exactly(held, value))
            }
            // Of integers only integers; 2^63 is the end of what all of them hold.
            Self::Float(value) if is_integer => value.fract() == 0.0 && within(value as i128),
            Self::Float(value) => holds(element, value),
            Self::Complex(re, im) => {
                matches!(element, ElementType::Complex(_))
                    && holds(element, re)
                    && holds(element, im)
            }
        }
    }
}

/// What a type of floats, or the parts of complex numbers, has for a number.
fn held(element: ElementType, number: f64) -> Option<f64> {
    let part = match element {
        ElementType::Complex(64) => ElementType::Float(32),
        ElementType::Complex(_) => ElementType::Float(64),
        other => other,
    };
    let ty = strata_eval::ElementType::parse(&part.to_string())?;
    match strata_eval::Tensor::scalar(ty, strata_eval::Element::Float(number)).get(0) {
        strata_eval::Element::Float(held) => Some(held),
        _ => None,
    }
}

/// Whether a float is the integer, to the last digit.
fn is_exactly(float: f64, integer: i128) -> bool {
    // 2^127 as a float would become the largest i128, which it is not.
    float.abs() < 2f64.powi(127) && float.fract() == 0.0 && float as i128 == integer
}

/// Whether a type of floats or complex numbers has the number, or one that it is rounded to.
fn holds(element: ElementType, number: f64) -> bool {
    held(element, number).is_some_and(|held| match () {
        () if number.is_nan() => held.is_nan(),
        () if number.is_infinite() => held == number,
        () => held.is_finite(),
    })
}

/// The bytes of one element, converted; none of a type that there is not.
pub(crate) fn encoded(element: ElementType, number: Number) -> Vec<u8> {
    let mut bytes = Vec::new();
    if !is_known(element) {
        return bytes;
    }
    let (re, im) = match number {
        Number::Bool(value) => (f64::from(u8::from(value)), 0.0),
        Number::Int(value) => (value as f64, 0.0),
        Number::Float(value) => (value, 0.0),
        Number::Complex(re, im) => (re, im),
    };
    let integer = match number {
        Number::Int(value) => value,
        _ => re as i128,
    };
    match element {
        ElementType::Bool => bytes.push(u8::from(re != 0.0)),
        ElementType::Signed(bits) => {
            let end = 1_i128 << (bits - 1);
            let value = integer.clamp(-end, end - 1) as i64;
            bytes.extend_from_slice(&value.to_le_bytes()[..bits.div_ceil(8) as usize]);
            mask_narrow(&mut bytes, bits);
        }
        ElementType::Unsigned(bits) => {
            let value = integer.clamp(0, (1_i128 << bits) - 1) as u64;
            bytes.extend_from_slice(&value.to_le_bytes()[..bits.div_ceil(8) as usize]);
        }
        ElementType::Float(64) => re.put(&mut bytes),
        ElementType::Float(32) => (re as f32).put(&mut bytes),
        ElementType::Float(_) => f16::from_f64(re).put(&mut bytes),
        ElementType::BFloat16 => bf16::from_f64(re).put(&mut bytes),
        ElementType::Complex(64) => Complex::new(re as f32, im as f32).put(&mut bytes),
        ElementType::Complex(_) => Complex::new(re, im).put(&mut bytes),
        ElementType::SmallFloat(_) => {
            if let Some(ty) = strata_eval::ElementType::parse(&element.to_string()) {
                let tensor = strata_eval::Tensor::scalar(ty, strata_eval::Element::Float(re));
                bytes.extend_from_slice(tensor.bytes());
            }
        }
    }
    bytes
}

/// The evaluator keeps signed integers of less than 8 bits in a byte with their sign extended.
fn mask_narrow(bytes: &mut [u8], bits: u32) {
    let ty = u8::try_from(bits).ok().filter(|bits| *bits < 8).map(strata_eval::ElementType::Signed);
    if let (Some(ty), [byte]) = (ty, &mut *bytes)
        && let Ok(tensor) = strata_eval::Tensor::from_bytes(&[1], ty, vec![*byte])
    {
        *byte = tensor.bytes().first().copied().unwrap_or(*byte);
    }
}

impl<T: Native> From<T> for Literal {
    fn from(value: T) -> Self {
        Self::scalar(value)
    }
}

impl<T: Native> From<&[T]> for Literal {
    fn from(values: &[T]) -> Self {
        let mut bytes = Vec::with_capacity(size_of_val(values));
        values.iter().for_each(|value| value.put(&mut bytes));
        Self::filled(T::TYPE, vec![values.len()], bytes)
    }
}

impl<T: Native> From<Vec<T>> for Literal {
    fn from(values: Vec<T>) -> Self {
        Self::from(values.as_slice())
    }
}

/// Nested arrays, from the innermost one outwards.
macro_rules! nested {
    ($($size:ident),*; $array:ty) => {
        impl<T: Native, $(const $size: usize),*> From<$array> for Literal {
            fn from(values: $array) -> Self {
                let mut bytes = Vec::with_capacity(size_of_val(&values));
                Nested::flatten(&values, &mut bytes);
                Self { element: T::TYPE, dimensions: vec![$($size),*], bytes }
            }
        }
    };
}

trait Nested {
    fn flatten(&self, bytes: &mut Vec<u8>);
}

impl<T: Native> Nested for T {
    fn flatten(&self, bytes: &mut Vec<u8>) {
        self.put(bytes);
    }
}

impl<N: Nested, const SIZE: usize> Nested for [N; SIZE] {
    fn flatten(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|part| part.flatten(bytes));
    }
}

nested!(A; [T; A]);
nested!(A, B; [[T; B]; A]);
nested!(A, B, C; [[[T; C]; B]; A]);
nested!(A, B, C, D; [[[[T; D]; C]; B]; A]);
nested!(A, B, C, D, E; [[[[[T; E]; D]; C]; B]; A]);
