//! Types as plain data.

use std::{fmt, sync::Arc};

use strata_ir::{self as ir, TypeExt as _};

use crate::{
    element::ElementType,
    error::{EvalError, Result},
    index,
    quantized::Quantization,
};

/// The type of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A ranked tensor; `None` for dimensions that are known at run time only.
    Tensor {
        /// The dimensions.
        shape: Vec<Option<usize>>,
        /// The elements; the storage type of a quantized tensor.
        element: ElementType,
        /// The parameters of a quantized type.
        quantization: Option<Arc<Quantization>>,
        /// The largest size of each dimension (`#stablehlo.bounds`), where the type says it; empty where it says none.
        bounds: Vec<Option<usize>>,
    },
    /// `!stablehlo.token`.
    Token,
    /// `tuple<...>` of these elements.
    Tuple(Vec<Type>),
    /// Any other type, as printed.
    Other(String),
}

impl Type {
    /// Reads a type.
    pub fn new(ty: ir::Type<'_>) -> Self {
        if ty.is_tensor_type() {
            let shape = ty.shape().unwrap_or_default();
            let shape = shape.into_iter().map(|size| usize::try_from(size).ok()).collect();
            let bounds = ir::dimension_bounds(ty).unwrap_or_default().into_iter();
            let bounds = bounds.map(|bound| usize::try_from(bound?).ok()).collect();
            if let Some(quantization) = parse_quantized(&ty.element().to_string()) {
                let element = quantization.storage;
                let quantization = Some(Arc::new(quantization));
                return Type::Tensor { shape, element, quantization, bounds };
            }
            if let Some(element) = Self::element_of(ty.element()) {
                return Type::Tensor { shape, element, quantization: None, bounds };
            }
            return Type::Other(ty.to_string());
        }
        if let Some(types) = ir::tuple_types(ty) {
            return Type::Tuple(types.into_iter().map(Type::new).collect());
        }
        let text = ty.to_string();
        if text == "!stablehlo.token" { Type::Token } else { Type::Other(text) }
    }

    /// Adds the types that a caller gives tensors for: the elements of tuples in order, none for tokens.
    pub fn leaves<'t>(&'t self, leaves: &mut Vec<&'t Type>) {
        match self {
            Type::Tuple(types) => types.iter().for_each(|ty| ty.leaves(leaves)),
            Type::Token => {}
            _ => leaves.push(self),
        }
    }

    /// The element type of a tensor's element; a quantized one's storage type.
    pub(super) fn element_of(ty: ir::Type<'_>) -> Option<ElementType> {
        let text = ty.to_string();
        ElementType::parse(&text).or_else(|| parse_quantized(&text).map(|parsed| parsed.storage))
    }

    /// The element type; fails for other types than tensors.
    pub fn element(&self) -> Result<ElementType> {
        match self {
            Type::Tensor { element, .. } => Ok(*element),
            other => {
                Err(EvalError::unsupported(format!("{other} is not a tensor of a known type")))
            }
        }
    }

    /// The quantization, if there is one.
    pub fn quantization(&self) -> Option<&Arc<Quantization>> {
        match self {
            Type::Tensor { quantization, .. } => quantization.as_ref(),
            _ => None,
        }
    }

    /// The shape; fails for dynamic dimensions.
    pub fn static_shape(&self) -> Result<Vec<usize>> {
        let Type::Tensor { shape, .. } = self else {
            return Err(EvalError::unsupported(format!("{self} is not a tensor of a known type")));
        };
        let shape: Option<Vec<usize>> = shape.iter().copied().collect();
        shape.ok_or_else(|| EvalError::unsupported("the shape must be static here"))
    }

    /// Fails for a tensor of a static shape that takes more memory than the evaluator gives to one.
    pub fn check_size(&self) -> Result<()> {
        let Type::Tensor { shape, element, .. } = self else { return Ok(()) };
        let sizes: Vec<usize> = shape.iter().map(|size| size.unwrap_or(1)).collect();
        index::check_bytes(&sizes, element.bytes())
    }

    /// The type of the numbers that a quantized tensor means; any other type itself.
    #[must_use]
    pub fn expressed(&self) -> Type {
        match self {
            Type::Tensor { shape, quantization: Some(quantization), bounds, .. } => Type::Tensor {
                shape: shape.clone(),
                element: ElementType::Float(quantization.expressed),
                quantization: None,
                bounds: bounds.clone(),
            },
            other => other.clone(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Tensor { shape, element, quantization, bounds } => {
                formatter.write_str("tensor<")?;
                for size in shape {
                    match size {
                        Some(size) => write!(formatter, "{size}x")?,
                        None => formatter.write_str("?x")?,
                    }
                }
                match quantization {
                    Some(quantization) => write!(formatter, "{quantization}")?,
                    None => write!(formatter, "{element}")?,
                }
                if !bounds.is_empty() {
                    let bound =
                        |bound: &Option<usize>| bound.map_or("?".to_owned(), |it| it.to_string());
                    let bounds: Vec<_> = bounds.iter().map(bound).collect();
                    write!(formatter, ", #stablehlo.bounds<{}>", bounds.join(", "))?;
                }
                formatter.write_str(">")
            }
            Type::Token => formatter.write_str("!stablehlo.token"),
            Type::Tuple(types) => {
                let types: Vec<String> = types.iter().map(ToString::to_string).collect();
                write!(formatter, "tuple<{}>", types.join(", "))
            }
            Type::Other(text) => formatter.write_str(text),
        }
    }
}

/// Reads `!quant.uniform<i8<-127:127>:f32:0, {0.1:-30, 0.5}>`.
fn parse_quantized(text: &str) -> Option<Quantization> {
    let inner = text.strip_prefix("!quant.uniform<")?.strip_suffix('>')?;
    let mut parts = super::attribute::split_top_level(inner);
    let (head, parameters) = (parts.next()?, parts.next()?);
    let (storage_text, rest) = match head.find('<') {
        Some(_) => {
            let close = head.find('>')?;
            (&head[..=close], head[close + 1..].strip_prefix(':')?)
        }
        None => head.split_once(':')?,
    };
    let (name, bounds) = match storage_text.split_once('<') {
        Some((name, bounds)) => (name, Some(bounds.strip_suffix('>')?)),
        None => (storage_text, None),
    };
    // The storage type is spelled u8 where the element type would be ui8.
    let name = if name.starts_with('u') && !name.starts_with("ui") {
        name.replacen('u', "ui", 1)
    } else {
        name.to_owned()
    };
    let storage = ElementType::parse(&name)?;
    let (min, max) = match bounds {
        Some(bounds) => {
            let (min, max) = bounds.split_once(':')?;
            (min.trim().parse().ok()?, max.trim().parse().ok()?)
        }
        None => (storage.min_integer(), i64::try_from(storage.max_integer()).ok()?),
    };
    let (expressed, axis) = match rest.split_once(':') {
        Some((expressed, axis)) => (expressed, Some(axis.trim().parse().ok()?)),
        None => (rest, None),
    };
    let ElementType::Float(expressed) = ElementType::parse(expressed.trim())? else { return None };
    let list = parameters.strip_prefix('{').and_then(|list| list.strip_suffix('}'));
    let mut quantization = Quantization {
        storage,
        expressed,
        axis,
        scales: Vec::new(),
        zero_points: Vec::new(),
        min,
        max,
    };
    for entry in super::attribute::split_top_level(list.unwrap_or(parameters)) {
        let (scale, zero_point) = entry.split_once(':').unwrap_or((entry, "0"));
        quantization.scales.push(scale.trim().parse().ok()?);
        quantization.zero_points.push(zero_point.trim().parse().ok()?);
    }
    Some(quantization)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::I8;

    #[test]
    fn quantized_types() {
        let plain = parse_quantized("!quant.uniform<i8:f32, 3.0:15>").unwrap();
        assert_eq!((plain.storage, plain.min, plain.max, plain.axis), (I8, -128, 127, None));
        assert_eq!((&plain.scales[..], &plain.zero_points[..]), (&[3.0][..], &[15][..]));
        let narrow = parse_quantized("!quant.uniform<i8<-127:127>:f32, 1.5E-5>").unwrap();
        assert_eq!((narrow.min, narrow.zero_points[0]), (-127, 0));
        let per_axis = parse_quantized("!quant.uniform<u8:f32:1, {0.1:-30,0.5}>").unwrap();
        assert_eq!((per_axis.axis, per_axis.zero_points), (Some(1), vec![-30, 0]));
        assert_eq!(per_axis.storage, ElementType::Unsigned(8));
        assert!(parse_quantized("!quant.any<i8>").is_none());
    }
}
