//! Tensors as text.

use std::fmt;

use crate::{element::Element, tensor::Tensor};

/// One element as MLIR prints it in a dense constant.
fn element(value: Element) -> String {
    match value {
        Element::Bool(value) => value.to_string(),
        Element::Signed(value) => value.to_string(),
        Element::Unsigned(value) => value.to_string(),
        Element::Float(value) => float(value),
        Element::Complex(value) => format!("[{}, {}]", float(value.re), float(value.im)),
    }
}

/// Six digits after the point and an exponent of at least two, as C's `%e`.
fn float(value: f64) -> String {
    if value.is_nan() {
        return String::from("0x7FC00000");
    }
    if value.is_infinite() {
        return String::from(if value > 0.0 { "0x7F800000" } else { "0xFF800000" });
    }
    let text = format!("{value:.6e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// The type and the elements, one row of the last dimension per line.
pub fn structured(tensor: &Tensor, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(formatter, "{} {{", tensor.type_text())?;
    if tensor.rank() == 0 {
        return write!(formatter, "{}}}", element(tensor.get(0)));
    }
    formatter.write_str("\n")?;
    nested(tensor, 0, 0, formatter)?;
    formatter.write_str("\n}")
}

fn nested(
    tensor: &Tensor,
    dimension: usize,
    offset: usize,
    formatter: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let indent = "  ".repeat(dimension + 1);
    let size = tensor.shape()[dimension];
    if dimension + 1 == tensor.rank() {
        let row: Vec<String> = (0..size).map(|at| element(tensor.get(offset + at))).collect();
        return write!(formatter, "{indent}[{}]", row.join(", "));
    }
    if size == 0 {
        return write!(formatter, "{indent}[]");
    }
    let step: usize = tensor.shape()[dimension + 1..].iter().product();
    writeln!(formatter, "{indent}[")?;
    for at in 0..size {
        nested(tensor, dimension + 1, offset + at * step, formatter)?;
        formatter.write_str(if at + 1 < size { ",\n" } else { "\n" })?;
    }
    write!(formatter, "{indent}]")
}

#[cfg(test)]
mod tests {
    use crate::Tensor;

    #[test]
    fn tensors_are_nested() {
        let scalar = Tensor::from_f32(&[], &[1.0]);
        assert_eq!(scalar.to_string(), "tensor<f32> {1.000000e+00}");
        let matrix = Tensor::from_i32(&[2, 2], &[1, 2, 3, 4]);
        assert_eq!(matrix.to_string(), "tensor<2x2xi32> {\n  [\n    [1, 2],\n    [3, 4]\n  ]\n}");
        assert_eq!(Tensor::from_i32(&[0, 2], &[]).to_string(), "tensor<0x2xi32> {\n  []\n}");
        let empty_rows = Tensor::from_i32(&[2, 0], &[]).to_string();
        assert_eq!(empty_rows, "tensor<2x0xi32> {\n  [\n    [],\n    []\n  ]\n}");
    }
}
