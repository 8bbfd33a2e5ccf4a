//! Shapes of values.

use std::fmt;

use strata_ir::{self as ir, Context, LARGEST_BYTES, Type, TypeExt as _};

use crate::{
    element::{ElementType, Native, is_known},
    error::Site,
    spelling,
};

/// The size of an unbounded dynamic dimension.
pub const UNBOUNDED: i64 = i64::MIN;

/// The maximum number of dimensions.
const MOST_DIMENSIONS: usize = 256;

/// The maximum nesting of tuples: values and shapes are walked recursively.
const MOST_NESTED: usize = 256;

/// The maximum number of elements of a tuple, including nested ones.
const MOST_ELEMENTS: usize = 1 << 20;

/// The shape of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// An array of elements of one type.
    Array(ArrayShape),
    /// Several values in order.
    Tuple(Vec<Shape>),
    /// A token, which orders operations with effects.
    Token,
}

/// The shape of an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayShape {
    /// The type of the elements.
    pub element: ElementType,
    /// The size of each dimension, outermost first; of a dynamic one the bound, or [`UNBOUNDED`].
    pub dimensions: Vec<i64>,
    /// Which sizes are dynamic.
    pub is_dynamic: Vec<bool>,
}

impl Shape {
    /// An array.
    pub fn array(element: ElementType, dimensions: impl AsRef<[i64]>) -> Self {
        Self::Array(ArrayShape::new(element, dimensions))
    }

    /// An array of a Rust type.
    pub fn of<T: Native>(dimensions: impl AsRef<[i64]>) -> Self {
        Self::array(T::TYPE, dimensions)
    }

    /// An array without dimensions.
    pub fn scalar(element: ElementType) -> Self {
        Self::array(element, [])
    }

    /// A tuple.
    pub fn tuple(elements: impl Into<Vec<Shape>>) -> Self {
        Self::Tuple(elements.into())
    }

    /// The array's shape; `None` for tuples and tokens.
    pub fn as_array(&self) -> Option<&ArrayShape> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The arrays and tokens that a tuple consists of, from left to right.
    pub(crate) fn leaves<'s>(&'s self, found: &mut Vec<&'s Shape>) {
        match self {
            Self::Tuple(elements) => elements.iter().for_each(|element| element.leaves(found)),
            leaf => found.push(leaf),
        }
    }

    /// The types of [`Self::leaves`].
    ///
    /// # Errors
    /// If there cannot be an array of that shape.
    pub(crate) fn types<'c>(&self, context: &'c Context) -> Result<Vec<Type<'c>>, String> {
        check_nesting(std::slice::from_ref(self), |shape| match shape {
            Self::Tuple(elements) => Some(elements),
            _ => None,
        })?;
        let mut leaves = Vec::new();
        self.leaves(&mut leaves);
        leaves.into_iter().map(|leaf| leaf.leaf_type(context)).collect()
    }

    fn leaf_type<'c>(&self, context: &'c Context) -> Result<Type<'c>, String> {
        match self {
            Self::Array(array) => array.to_type(context),
            _ => ir::parse_type(context, "!stablehlo.token").ok_or_else(|| "no token".to_owned()),
        }
    }

    /// The shape of a type; `None` for types that no value of a builder has.
    pub(crate) fn from_type(ty: Type<'_>) -> Option<Self> {
        if ty.is_tensor_type() {
            return ArrayShape::from_type(ty).map(Self::Array);
        }
        ty.is_token().then_some(Self::Token)
    }
}

/// Checks that values, or shapes, of which `elements` gives the elements of those that are tuples, are within the limits.
///
/// # Errors
/// The limits.
pub(crate) fn check_nesting<T>(
    values: &[T],
    elements: impl Fn(&T) -> Option<&[T]>,
) -> Result<(), String> {
    let (mut count, mut pending) = (0, vec![(values, 0)]);
    while let Some((values, depth)) = pending.pop() {
        count += values.len();
        if depth > MOST_NESTED || count > MOST_ELEMENTS {
            return Err(format!(
                "tuples are nested at most {MOST_NESTED} deep, of at most {MOST_ELEMENTS} elements"
            ));
        }
        pending.extend(values.iter().filter_map(&elements).map(|inner| (inner, depth + 1)));
    }
    Ok(())
}

impl ArrayShape {
    /// A static shape, except for dimensions that are [`UNBOUNDED`].
    pub fn new(element: ElementType, dimensions: impl AsRef<[i64]>) -> Self {
        let dimensions = dimensions.as_ref().to_vec();
        let is_dynamic = dimensions.iter().map(|size| *size == UNBOUNDED).collect();
        Self { element, dimensions, is_dynamic }
    }

    /// The same shape with `dimension` dynamic, bounded by its present size.
    ///
    /// # Errors
    /// For a dimension out of range.
    #[track_caller]
    pub fn with_dynamic(mut self, dimension: usize) -> crate::Result<Self> {
        let site = Site::new("Shape");
        match self.is_dynamic.get_mut(dimension) {
            Some(flag) => *flag = true,
            None => return Err(site.error(format!("dimension {dimension} is not in {self}"))),
        }
        Ok(self)
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.dimensions.len()
    }

    /// Whether all sizes are static.
    pub fn is_static(&self) -> bool {
        !self.is_dynamic.contains(&true)
    }

    /// An upper bound of the number of elements.
    pub fn element_count(&self) -> Option<u64> {
        self.dimensions
            .iter()
            .try_fold(1_u64, |count, size| count.checked_mul(u64::try_from(*size).ok()?))
    }

    /// The type.
    ///
    /// # Errors
    /// If there cannot be such an array.
    pub(crate) fn to_type<'c>(&self, context: &'c Context) -> Result<Type<'c>, String> {
        self.check()?;
        let element = element_type(context, self.element);
        let element = element.ok_or_else(|| {
            format!("there is no element type {}", spelling::element(self.element))
        })?;
        if self.is_static() {
            return Ok(ir::tensor(&self.dimensions, element));
        }
        let (mut sizes, mut bounds) = (String::new(), Vec::new());
        for (size, is_dynamic) in self.dimensions.iter().zip(&self.is_dynamic) {
            sizes += &if *is_dynamic { "?x".to_owned() } else { format!("{size}x") };
            let is_bound = *is_dynamic && *size != UNBOUNDED;
            bounds.push(if is_bound { size.to_string() } else { "?".to_owned() });
        }
        let encoding = if bounds.iter().any(|bound| bound != "?") {
            format!(", #stablehlo.bounds<{}>", bounds.join(", "))
        } else {
            String::new()
        };
        let text = format!("tensor<{sizes}{}{encoding}>", self.element);
        ir::parse_type(context, &text).ok_or_else(|| format!("there is no type {text}"))
    }

    fn check(&self) -> Result<(), String> {
        if self.dimensions.len() != self.is_dynamic.len() {
            return Err(format!(
                "{} sizes and {} flags of dynamic ones are given",
                self.dimensions.len(),
                self.is_dynamic.len()
            ));
        }
        if self.rank() > MOST_DIMENSIONS {
            return Err(format!(
                "an array has at most {MOST_DIMENSIONS} dimensions, {} are given",
                self.rank()
            ));
        }
        if !is_known(self.element) {
            return Err(format!("there is no element type {}", spelling::element(self.element)));
        }
        let mut bytes = self.element.byte_width();
        for (at, (&size, &is_dynamic)) in self.dimensions.iter().zip(&self.is_dynamic).enumerate() {
            if is_dynamic && size == UNBOUNDED {
                continue;
            }
            let size = u64::try_from(size)
                .map_err(|_| format!("the size of dimension {at} is negative: {size}"))?;
            // The other dimensions are bounded even if one is empty.
            bytes = bytes.saturating_mul(size.max(1));
        }
        if bytes > LARGEST_BYTES {
            let most = LARGEST_BYTES.ilog2();
            return Err(format!("an array takes at most 2^{most} bytes, {self} takes more"));
        }
        Ok(())
    }

    pub(crate) fn from_type(ty: Type<'_>) -> Option<Self> {
        let element = ElementType::from_type(ty.element())?;
        let sizes = ty.shape()?;
        let is_dynamic: Vec<bool> = sizes.iter().map(|size| *size == ir::DYNAMIC).collect();
        let bounds = if is_dynamic.contains(&true) { ir::dimension_bounds(ty) } else { None };
        let limit = |at: usize| bounds.as_ref().and_then(|all| all.get(at).copied().flatten());
        let dimensions = sizes.iter().enumerate();
        let dimensions = dimensions
            .map(|(at, size)| if is_dynamic[at] { limit(at).unwrap_or(UNBOUNDED) } else { *size })
            .collect();
        Some(Self { element, dimensions, is_dynamic })
    }
}

/// The type of elements.
pub(crate) fn element_type(context: &Context, element: ElementType) -> Option<Type<'_>> {
    Some(match element {
        ElementType::Bool => ir::bool_type(context),
        ElementType::Signed(bits) => ir::integer(context, bits),
        ElementType::Unsigned(bits) => ir::unsigned_integer(context, bits),
        ElementType::Float(32) => ir::f32_type(context),
        ElementType::Float(64) => ir::f64_type(context),
        other => ir::parse_type(context, &other.to_string())?,
    })
}

/// `f32[2,3]`, as in XLA's documents; `<=` marks a dynamic dimension with its bound.
impl fmt::Display for ArrayShape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = spelling::element(self.element);
        let sizes = self.dimensions.iter().zip(&self.is_dynamic);
        let sizes: Vec<String> = sizes
            .map(|(size, is_dynamic)| match (*is_dynamic, *size) {
                (true, UNBOUNDED) => "?".to_owned(),
                (true, size) => format!("<={size}"),
                (false, size) => size.to_string(),
            })
            .collect();
        write!(formatter, "{name}[{}]", sizes.join(","))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Array(array) => array.fmt(formatter),
            Self::Token => formatter.write_str("token[]"),
            Self::Tuple(elements) => {
                let elements: Vec<String> = elements.iter().map(Shape::to_string).collect();
                write!(formatter, "({})", elements.join(", "))
            }
        }
    }
}
