//! Bounds on what is read: programs that no memory could hold, and nesting that would cost the parser
//! and the recursive passes behind it their stack.

use strata_diag::{Diagnostic, Diagnostics, Location, codes};

use crate::{
    diagnostics::diagnostic_at,
    handles::{Op, Value, WalkOrder},
    types::TypeExt as _,
};
use melior::ir::{Module, Type};

/// Brackets that may be open at once. Exporters stay below fifty.
const DEEPEST: usize = 1024;

/// Bytes that one tensor may take, 2^47: what processors of today can address.
const LARGEST: u64 = 1 << 47;

/// Refuses text with more than [`DEEPEST`] brackets open at once.
pub(crate) fn check_nesting(name: &str, text: &str) -> Result<(), Diagnostic> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        match byte {
            b'"' => at = string_end(bytes, at),
            b'/' if next == Some(b'/') => at = line_end(bytes, at),
            // Arrows and comparisons are no brackets.
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

/// The place of a string's closing quote, or the last byte.
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

/// Refuses tensors of more than [`LARGEST`] bytes: sizes and offsets may then be computed in 64 bits
/// without a look at overflow.
///
/// # Errors
/// `S1009` for each operation that has such a tensor as a result or as an argument of a block.
pub fn check_sizes(module: &Module<'_>) -> Result<(), Diagnostics> {
    let mut found = Diagnostics::new();
    crate::module::module_op(module).walk(WalkOrder::Pre, &mut |op: Op<'_>| {
        let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
        let arguments = blocks.flat_map(|block| block.args()).map(Value::ty);
        if let Some(ty) =
            op.result_types().into_iter().chain(arguments).find(|ty| is_too_large(*ty))
        {
            found.push(
                diagnostic_at(codes::S1009, op).reason(format!("{ty} needs more than 2^47 bytes")),
            );
        }
    });
    found.into_result(())
}

fn is_too_large(ty: Type<'_>) -> bool {
    let Some(shape) = ty.shape() else {
        return false;
    };
    if shape.contains(&0) {
        return false;
    }
    let element = ty.element().bit_width().map_or(16, |bits| u64::from(bits.div_ceil(8)));
    // Dimensions that are known at run time only count as one.
    let bytes = shape
        .iter()
        .map(|&size| u64::try_from(size).unwrap_or(1))
        .try_fold(element, |bytes, size| bytes.checked_mul(size));
    bytes.is_none_or(|bytes| bytes > LARGEST)
}

#[cfg(test)]
mod tests {
    use super::check_nesting;
    use strata_diag::codes;

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
