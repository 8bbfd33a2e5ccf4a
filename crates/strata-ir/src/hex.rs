//! Boolean constants in hexadecimal: newer printers write a byte per `i1`, the linked MLIR reads a bit.

use std::borrow::Cow;

const OPEN: &str = "dense<\"0x";

/// `text` with the elements of `dense<"0x0100…"> : tensor<…xi1>` packed into bits, if there is a byte for
/// each. The rest is not changed, and line numbers are kept.
pub(crate) fn pack_bools(text: &str) -> Cow<'_, str> {
    let mut packed = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find(OPEN) {
        let start = at + found + OPEN.len();
        let Some(length) = text[start..].find('"') else { break };
        let end = start + length;
        if let Some(bits) = packed_digits(&text[start..end], &text[end..]) {
            packed.push_str(&text[copied..start]);
            packed.push_str(&bits);
            copied = end;
        }
        at = end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    packed.push_str(&text[copied..]);
    Cow::Owned(packed)
}

/// The digits in bits; `None` if the following type is not `i1` or there is not a byte for each element.
fn packed_digits(digits: &str, after: &str) -> Option<String> {
    let ty = after.strip_prefix("\">")?.trim_start().strip_prefix(':')?.trim_start();
    let shape = ty.strip_prefix("tensor<")?.split('>').next()?.strip_suffix("xi1")?;
    let mut count = 1usize;
    for size in shape.split('x') {
        count = count.checked_mul(size.parse().ok()?)?;
    }
    if count < 2 || digits.len() != count.checked_mul(2)? {
        return None;
    }
    let mut bytes = vec![0u8; count.div_ceil(8)];
    for (element, pair) in digits.as_bytes().chunks_exact(2).enumerate() {
        match pair {
            b"00" => {}
            b"01" | b"FF" | b"ff" => bytes[element / 8] |= 1 << (element % 8),
            _ => return None,
        }
    }
    Some(bytes.iter().map(|byte| format!("{byte:02X}")).collect())
}

#[cfg(test)]
mod tests {
    use super::pack_bools;

    #[test]
    fn bytes_become_bits() {
        let text = "a = dense<\"0x01000101000000000101\"> : tensor<2x5xi1>, b";
        assert_eq!(pack_bools(text), "a = dense<\"0x0D03\"> : tensor<2x5xi1>, b");
    }

    #[test]
    fn all_else_stays() {
        for text in [
            "dense<\"0x0D03\"> : tensor<10xi1>",
            "dense<\"0x0100\"> : tensor<2xi8>",
            "dense<\"0x0102\"> : tensor<2xi1>",
            "dense<\"0x01\"> : tensor<1xi1>",
            "dense<\"0x01",
        ] {
            assert_eq!(pack_bools(text), text);
        }
    }
}
