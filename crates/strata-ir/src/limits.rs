//! Limits on input: tensors that exceed memory, and nesting that would overflow the stack of the parser and of
//! recursive passes.

use strata_diag::{Diagnostic, Diagnostics, Location, codes};

use crate::{
    attrs::AttributeExt as _,
    diagnostics::diagnostic_at,
    handles::{Op, Value, WalkOrder},
    hlo_attrs::ConvDimensionNumbers,
    kinds::OpKind,
    types::{DYNAMIC, TypeExt as _},
};
use melior::ir::{Module, Type};

/// The maximum bracket depth. Exporters stay below fifty.
const DEEPEST: usize = 1024;

/// The maximum number of dimensions of a tensor: MLIR's parser and some passes take at least quadratic time in it.
const MOST_DIMENSIONS: usize = 256;

/// The maximum size of a tensor in bytes: the address space of current processors.
pub const LARGEST_BYTES: u64 = 1 << 47;

/// Rejects text with more than [`DEEPEST`] open brackets, with more than [`MOST_DIMENSIONS`] in a type, or with an
/// array of `index`, which crashes LLVM 22's parser.
pub(crate) fn check_nesting(name: &str, text: &str) -> Result<(), Diagnostic> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    // Sizes in a row, as in `2x3x`: a tensor's dimensions.
    let mut sizes = 0usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        sizes = match byte {
            b'x' if at > 0 && matches!(bytes[at - 1], b'0'..=b'9' | b'?') => sizes + 1,
            b'0'..=b'9' | b'?' => sizes,
            _ => 0,
        };
        if sizes > MOST_DIMENSIONS {
            return Err(Diagnostic::new(codes::S1009)
                .at(position(name, bytes, at))
                .reason(format!("a type has more than {MOST_DIMENSIONS} dimensions"))
                .source_file(name, text));
        }
        if byte == b'<' && is_array_of_index(text, at) {
            return Err(Diagnostic::new(codes::S1001)
                .at(position(name, bytes, at + 1))
                .reason("the elements of `array<…>` are integers or floats of a given width, and `index` has none")
                .source_file(name, text));
        }
        match byte {
            b'"' => at = string_end(bytes, at),
            b'/' if next == Some(b'/') => at = line_end(bytes, at),
            // Arrows and comparisons are not brackets.
            b'-' | b'=' if next == Some(b'>') => at += 1,
            b'<' | b'>' if next == Some(b'=') => at += 1,
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEEPEST {
            return Err(Diagnostic::new(codes::S1008)
                .at(position(name, bytes, at))
                .reason(format!("more than {DEEPEST} brackets are open at once"))
                .source_file(name, text));
        }
        at += 1;
    }
    Ok(())
}

/// Whether the bracket at `at` opens an `array<index…`, also through a type alias.
fn is_array_of_index(text: &str, at: usize) -> bool {
    let is_word = |one: char| one.is_ascii_alphanumeric() || matches!(one, '_' | '$' | '.' | '-');
    let Some(before) = text[..at].trim_end().strip_suffix("array") else { return false };
    if before.ends_with(|one: char| is_word(one) || matches!(one, '#' | '!' | '@' | '%')) {
        return false;
    }
    let inside = text[at + 1..].trim_start();
    let end = |word: &str| word.find(|one: char| !is_word(one)).unwrap_or(word.len());
    match inside.strip_prefix('!') {
        None => &inside[..end(inside)] == "index",
        Some(alias) => {
            let alias = &inside[..=end(alias)];
            text.match_indices(alias).any(|(found, _)| {
                let value = text[found + alias.len()..].trim_start().strip_prefix('=');
                value.is_some_and(|value| {
                    let value = value.trim_start();
                    &value[..end(value)] == "index"
                })
            })
        }
    }
}

/// The position of a string's closing quote, or the last byte.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn line_end(bytes: &[u8], start: usize) -> usize {
    bytes.iter().skip(start).position(|&byte| byte == b'\n').map_or(bytes.len(), |end| start + end)
}

fn position(name: &str, bytes: &[u8], at: usize) -> Location {
    let before = &bytes[..at.min(bytes.len())];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|&&byte| byte != b'\n').count() + 1;
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Location::new(name, number(line), number(column))
}

/// [`LARGEST_BYTES`] in words.
fn most_bytes() -> String {
    format!("2^{} bytes", LARGEST_BYTES.ilog2())
}

/// Refuses tensors of more than [`LARGEST_BYTES`] bytes, and padding that would make such a tensor: sizes and offsets
/// may then be computed in 64 bits without a look at overflow.
///
/// # Errors
/// `S1009` for each operation that has such a tensor as a result or as an argument of a block, or pads to one.
pub fn check_sizes(module: &Module<'_>) -> Result<(), Diagnostics> {
    let mut found = Diagnostics::new();
    crate::module::module_op(module).walk(WalkOrder::Pre, &mut |op| {
        if let Err(error) = check_size(op) {
            found.push(error);
        }
    });
    found.into_result(())
}

/// As [`check_sizes`], of one operation.
///
/// # Errors
/// `S1009`.
pub fn check_size(op: Op<'_>) -> Result<(), Diagnostic> {
    let hint = "no processor addresses more: give smaller sizes, or compute with a part at a time";
    let refuse = |reason| Err(diagnostic_at(codes::S1009, op).reason(reason).hint(hint));
    let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
    let arguments = blocks.flat_map(|block| block.args()).map(Value::ty);
    for ty in op.result_types().into_iter().chain(arguments) {
        let Some(shape) = ty.shape() else { continue };
        if shape.len() > MOST_DIMENSIONS {
            return refuse(format!(
                "a tensor has {} dimensions, more than {MOST_DIMENSIONS}",
                shape.len()
            ));
        }
        if !fits(&shape, ty) {
            return refuse(match shape.contains(&0) {
                true => format!("the other dimensions of {ty} need more than {}", most_bytes()),
                false => format!("{ty} needs more than {}", most_bytes()),
            });
        }
    }
    let reaches_too_far = match op.kind() {
        OpKind::Pad | OpKind::ReduceWindow | OpKind::SelectAndScatter | OpKind::Convolution => {
            padded(op)
                .is_none_or(|shapes| !shapes.iter().all(|shape| fits(shape, op.operand(0).ty())))
        }
        _ => false,
    };
    match reaches_too_far {
        true => {
            let most = most_bytes();
            refuse(format!("with its padding and dilation, an operand needs more than {most}"))
        }
        false => Ok(()),
    }
}

/// Whether a tensor of that shape has at most [`LARGEST_BYTES`] bytes, ignoring dimensions of size 0, since the products of
/// the others are computed anyway.
fn fits(shape: &[i64], ty: Type<'_>) -> bool {
    let element = ty.element().bit_width().map_or(16, |bits| u64::from(bits.div_ceil(8)));
    // Dynamic dimensions count as one.
    let sizes = shape.iter().map(|&size| u64::try_from(size).unwrap_or(1).max(1));
    let bytes = sizes.into_iter().try_fold(element, u64::checked_mul);
    bytes.is_some_and(|bytes| bytes <= LARGEST_BYTES)
}

/// The padded and dilated shapes of the operands and windows of an operation; `None` on overflow.
fn padded(op: Op<'_>) -> Option<Vec<Vec<i64>>> {
    let ints = |name: &str| op.attr(name).and_then(|value| value.as_i64s()).unwrap_or_default();
    let shape = |operand: usize| op.operand(operand).ty().shape().unwrap_or_default();
    let edges: Vec<_> = match op.kind() {
        OpKind::Pad => {
            ints("edge_padding_low").into_iter().zip(ints("edge_padding_high")).collect()
        }
        _ => ints("padding").chunks_exact(2).map(|pair| (pair[0], pair[1])).collect(),
    };
    let grow = |sizes: &[i64], gaps: &[i64], edges: &[(i64, i64)]| -> Option<Vec<i64>> {
        let one = |(dim, size): (usize, &i64)| {
            let (low, high) = edges.get(dim).copied().unwrap_or((0, 0));
            let step = gaps.get(dim).copied().unwrap_or(1);
            let is_bounded = |number: i64| number.unsigned_abs() <= LARGEST_BYTES;
            // A dynamic size is checked when it is known.
            let size = if *size == DYNAMIC { 1 } else { *size };
            [size, low, high, step].into_iter().all(is_bounded).then_some(())?;
            let inner = i128::from((size - 1).max(0)) * i128::from(step);
            let whole = inner + i128::from(low.max(0)) + i128::from(high.max(0)) + 1;
            i64::try_from(whole).ok()
        };
        sizes.iter().enumerate().map(one).collect()
    };
    match op.kind() {
        OpKind::Pad => {
            let steps: Option<Vec<_>> =
                ints("interior_padding").into_iter().map(|gap| gap.checked_add(1)).collect();
            Some(vec![grow(&shape(0), &steps?, &edges)?])
        }
        OpKind::Convolution => {
            let numbers =
                op.attr("dimension_numbers").and_then(ConvDimensionNumbers::from_attribute)?;
            let spatial = |operand, dims: &[i64]| -> Vec<i64> {
                let shape = shape(operand);
                let size = |dim: &i64| usize::try_from(*dim).ok().and_then(|dim| shape.get(dim));
                dims.iter().filter_map(size).copied().collect()
            };
            let input = spatial(0, &numbers.input_spatial_dimensions);
            let kernel = spatial(1, &numbers.kernel_spatial_dimensions);
            Some(vec![
                grow(&input, &ints("lhs_dilation"), &edges)?,
                grow(&kernel, &ints("rhs_dilation"), &[])?,
            ])
        }
        _ => Some(vec![
            grow(&shape(0), &ints("base_dilations"), &edges)?,
            grow(&ints("window_dimensions"), &ints("window_dilations"), &[])?,
        ]),
    }
}

#[cfg(test)]
mod tests {
    use super::check_nesting;
    use crate::{new_context, parse};
    use strata_diag::codes;

    #[test]
    fn arrays_of_index_are_refused() {
        let context = new_context();
        let program = |array: &str| {
            format!("!word = index\nfunc.func @main() attributes {{a = {array}}} {{\n  return\n}}")
        };
        for array in ["array<index: 1>", "array < index>", "[array<index>]", "array<!word: 1>"] {
            let errors = parse(&context, "array.mlir", program(array).as_bytes());
            let errors = errors.expect_err("no such array").to_string();
            assert!(errors.contains("S1001"), "{array}: {errors}");
        }
        for array in ["array<i64: 1>", "\"array<index: 1>\"", "array<i32>"] {
            assert!(parse(&context, "array.mlir", program(array).as_bytes()).is_ok(), "{array}");
        }
    }

    #[test]
    fn padding_that_no_memory_holds_is_refused() {
        let context = new_context();
        let pad = |low: i64, high: i64, gap: i64| {
            format!(
                "func.func @main(%x: tensor<4xf32>, %y: tensor<f32>) -> tensor<4xf32> {{
                   %0 = \"stablehlo.pad\"(%x, %y) {{edge_padding_low = array<i64: {low}>,
                     edge_padding_high = array<i64: {high}>, interior_padding = array<i64: {gap}>}}
                     : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
                   return %0 : tensor<4xf32>
                 }}"
            )
        };
        // All have 4 elements at the end, some by wrapping around 64 bits.
        for (low, high, gap) in [
            (i64::MIN, i64::MAX, i64::MAX),
            (i64::MIN, i64::MIN, 0),
            (-(1 << 62), 1 << 62, 0),
            (1 << 46, -(1 << 46), 0),
        ] {
            let errors = parse(&context, "pad.mlir", pad(low, high, gap).as_bytes());
            let errors = errors.expect_err("no memory holds it").to_string();
            assert!(errors.contains("S1009"), "{low} {high} {gap}: {errors}");
        }
        let dynamic = pad(5, 5, 0).replace("tensor<4xf32>", "tensor<?xf32>");
        for text in [pad(5, -5, 0), dynamic] {
            let fits = parse(&context, "pad.mlir", text.as_bytes());
            assert!(fits.is_ok(), "{:?}", fits.err());
        }
    }

    #[test]
    fn dimensions_beside_an_empty_one_are_bounded() {
        let context = new_context();
        let text = |ty: &str| format!("func.func @main(%x: {ty}) -> {ty} {{ return %x : {ty} }}");
        let huge = "tensor<4294967296x4294967296x0xf32>";
        let errors = parse(&context, "huge.mlir", text(huge).as_bytes()).expect_err("huge");
        assert!(errors.to_string().contains("S1009"), "{errors}");
        let high = format!("tensor<{}f32>", "1x".repeat(257));
        let errors = parse(&context, "high.mlir", text(&high).as_bytes()).expect_err("high");
        assert!(errors.to_string().contains("more than 256 dimensions"), "{errors}");
        assert!(parse(&context, "empty.mlir", text("tensor<65536x0xf32>").as_bytes()).is_ok());
    }

    #[test]
    fn deep_nesting_is_refused_with_its_place() {
        let text = format!("module {{\n  {}", "[".repeat(5000));
        let error = check_nesting("deep.mlir", &text).expect_err("too deep");
        assert_eq!(error.code(), codes::S1008);
        let place = error.location().expect("a place");
        assert_eq!((place.line, place.column), (2, 1026));
    }

    #[test]
    fn what_only_looks_like_a_bracket_is_none() {
        let line = "affine_map<(d0) -> (d0)> // ((( \n\"(\\\"[{\" d0 <= 1, d0 >= 0\n";
        assert!(check_nesting("flat.mlir", &line.repeat(5000)).is_ok());
        assert!(check_nesting("open.mlir", "\"((").is_ok());
    }
}
