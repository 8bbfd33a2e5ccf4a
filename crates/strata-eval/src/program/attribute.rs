//! Attributes as plain data.
//!
//! Attributes of the StableHLO dialect are kept in their text form and parsed by field name, so that the
//! evaluator depends on their documented syntax only.

use std::collections::BTreeMap;

use strata_ir::{Attribute, AttributeExt as _, TypeExt as _};

use crate::{
    conv::ConvDimensions,
    element::{Element, ElementType},
    error::{EvalError, Result},
    program::types::Type,
    tensor::Tensor,
};

/// The value of an attribute.
#[derive(Clone, Debug)]
pub enum Attr {
    /// `unit`.
    Unit,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// `"text"`.
    Str(String),
    /// `@name`, without the `@`.
    Symbol(String),
    /// `array<i64: ...>` and the like.
    Ints(Vec<i64>),
    /// `[...]`.
    Array(Vec<Attr>),
    /// `{...}`.
    Dictionary(BTreeMap<String, Attr>),
    /// A number in a dictionary, with the name of its type.
    Typed(Box<Attr>, String),
    /// `dense<...>`.
    Dense(Tensor),
    /// Any other attribute, as printed.
    Text(String),
}

impl Attr {
    /// Reads an attribute.
    pub fn new(attribute: Attribute<'_>) -> Self {
        if let Some(value) = attribute.as_bool() {
            return Attr::Bool(value);
        }
        if let Some(value) = attribute.as_i64() {
            return Attr::Int(value);
        }
        if let Some(value) = attribute.as_f64() {
            return Attr::Float(value);
        }
        if let Some(text) = attribute.as_str() {
            return Attr::Str(text.to_owned());
        }
        if let Some(name) = attribute.as_symbol() {
            return Attr::Symbol(name.to_owned());
        }
        if attribute.elements_type().is_some() {
            if let Some(tensor) = dense(attribute) {
                return Attr::Dense(tensor);
            }
            // Elements of type index have no tensor to be in.
            if let Some(values) = attribute.as_i64s() {
                return Attr::Ints(values);
            }
            return Attr::Text(attribute.to_string());
        }
        if let Some(values) = attribute.as_array() {
            return Attr::Array(values.into_iter().map(Attr::new).collect());
        }
        if let Some(entries) = attribute.as_dictionary() {
            let entries =
                entries.into_iter().map(|(name, one)| (name.to_owned(), Attr::typed(one)));
            return Attr::Dictionary(entries.collect());
        }
        if let Some(values) = attribute.as_i64s() {
            return Attr::Ints(values);
        }
        let text = attribute.to_string();
        if text == "unit" { Attr::Unit } else { Attr::Text(text) }
    }
}

impl Attr {
    /// Reads an entry of a dictionary, whose readers may ask for the type of a number.
    fn typed(attribute: Attribute<'_>) -> Self {
        match Attr::new(attribute) {
            number @ (Attr::Int(_) | Attr::Float(_)) => {
                let text = attribute.to_string();
                let ty = text.rsplit_once(" : ").map_or("i64", |(_, ty)| ty).to_owned();
                Attr::Typed(Box::new(number), ty)
            }
            other => other,
        }
    }

    /// The attribute without the name of its type.
    pub fn plain(&self) -> &Attr {
        match self {
            Attr::Typed(inner, _) => inner,
            other => other,
        }
    }
}

/// The tensor of a dense constant.
fn dense(attribute: Attribute<'_>) -> Option<Tensor> {
    let ty = attribute.elements_type()?;
    let shape = ty.shape()?;
    let shape: Vec<usize> =
        shape.into_iter().map(usize::try_from).collect::<std::result::Result<_, _>>().ok()?;
    let element_type = Type::element_of(ty.element())?;
    let bytes = attribute.raw_elements()?;
    let tensor = Tensor::from_bytes(&shape, element_type, bytes).ok()?;
    // The unused bits of sub-byte elements are unspecified.
    if element_type.bits() < 8 && element_type != ElementType::Bool {
        let elements: Vec<Element> = tensor.elements();
        return Tensor::from_elements(&shape, element_type, &elements).ok();
    }
    Some(tensor)
}

/// Non-negative integers.
pub fn to_sizes(values: &[i64]) -> Result<Vec<usize>> {
    values
        .iter()
        .map(|value| {
            usize::try_from(*value)
                .map_err(|_| EvalError::invalid(format!("{value} is not a size or dimension")))
        })
        .collect()
}

/// The fields of `#dialect.name<field = value, ...>`.
pub struct Fields<'a> {
    text: &'a str,
}

impl<'a> Fields<'a> {
    /// The fields of an attribute's text.
    pub fn new(text: &'a str) -> Self {
        let inner = text.split_once('<').map_or("", |(_, inner)| inner);
        Self { text: inner.strip_suffix('>').unwrap_or(inner) }
    }

    /// The text of a field's value; `None` if it is absent.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        for field in split_top_level(self.text) {
            if let Some((key, value)) = field.split_once('=')
                && key.trim() == name
            {
                return Some(value.trim());
            }
        }
        None
    }

    /// An integer; 0 if it is absent, since printing omits defaults.
    pub fn int(&self, name: &str) -> Result<i64> {
        self.get(name).map_or(Ok(0), parse_int)
    }

    /// A list of dimensions, empty where it is absent.
    pub fn sizes(&self, name: &str) -> Result<Vec<usize>> {
        self.get(name).map_or(Ok(Vec::new()), |text| {
            to_sizes(
                &split_top_level(strip_brackets(text))
                    .map(parse_int)
                    .collect::<Result<Vec<_>>>()?,
            )
        })
    }
}

/// `text` without the brackets around it.
pub(super) fn strip_brackets(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text)
}

fn parse_int(text: &str) -> Result<i64> {
    let digits = text.split(':').next().unwrap_or(text).trim();
    digits.parse().map_err(|_| EvalError::invalid(format!("`{text}` is not an integer")))
}

/// The parts between commas that are in no brackets.
pub(super) fn split_top_level(text: &str) -> impl Iterator<Item = &str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0i32, 0);
    let mut previous = ' ';
    for (at, character) in text.char_indices() {
        match character {
            '[' | '(' | '{' | '<' => depth += 1,
            ']' | ')' | '}' => depth -= 1,
            '>' if previous != '-' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        previous = character;
    }
    parts.push(&text[start..]);
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty())
}

/// The dimension numbers of `#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>`.
pub fn conv_dimensions(text: &str) -> Result<ConvDimensions> {
    let malformed = || EvalError::invalid(format!("`{text}` are not dimension numbers"));
    let lists: Vec<Vec<&str>> = text
        .split('[')
        .skip(1)
        .map(|rest| {
            let list = rest.split(']').next().unwrap_or("");
            list.split(',').map(str::trim).collect()
        })
        .collect();
    let [input, kernel, output] = lists.as_slice() else { return Err(malformed()) };
    let find = |list: &[&str], name: &str| {
        list.iter().position(|entry| *entry == name).ok_or_else(malformed)
    };
    let spatial = |list: &[&str]| {
        let dimensions = 0..list.len().saturating_sub(2);
        dimensions.map(|d| find(list, &d.to_string())).collect::<Result<Vec<_>>>()
    };
    Ok(ConvDimensions {
        input_batch: find(input, "b")?,
        input_feature: find(input, "f")?,
        input_spatial: spatial(input)?,
        kernel_input_feature: find(kernel, "i")?,
        kernel_output_feature: find(kernel, "o")?,
        kernel_spatial: spatial(kernel)?,
        output_batch: find(output, "b")?,
        output_feature: find(output, "f")?,
        output_spatial: spatial(output)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_by_name() {
        let fields = Fields::new(
            "#stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], index_vector_dim = 1>",
        );
        assert_eq!(fields.sizes("offset_dims").unwrap(), [1, 2]);
        assert_eq!(fields.sizes("start_index_map").unwrap(), [0usize; 0]);
        assert_eq!(fields.int("index_vector_dim").unwrap(), 1);
        assert!(Fields::new("#x<a = [b]>").sizes("a").is_err());
    }

    #[test]
    fn convolutions() {
        let read =
            conv_dimensions("#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, f, 1, 0]>").unwrap();
        assert_eq!((read.input_batch, read.input_feature), (0, 3));
        assert_eq!(read.output_spatial, [3, 2]);
        assert_eq!((read.kernel_input_feature, read.kernel_output_feature), (2, 3));
        assert!(conv_dimensions("#stablehlo.conv<[b, f]>").is_err());
    }

    #[test]
    fn nested_brackets_hold_together() {
        let parts: Vec<&str> = split_top_level("a = [1, 2], b = <c = 1, d = {2, 3}>, e").collect();
        assert_eq!(parts, ["a = [1, 2]", "b = <c = 1, d = {2, 3}>", "e"]);
    }
}
