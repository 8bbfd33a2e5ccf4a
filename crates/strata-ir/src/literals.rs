//! Large constants in text. MLIR would copy their digits and keep the numbers twice for a while; they are read here, and the text
//! has their places instead.
//!
//! `dense<"0x…"> : tensor<512x512xf32>` becomes `#vhlo.numbered<0> : tensor<512x512xf32>`.

use std::borrow::Cow;

use crate::held::unload;

const OPEN: &str = "dense<\"0x";
const NUMBERED: &str = "#vhlo.numbered<";

/// After how many bytes their digits are taken out of memory.
const LOADED: usize = 4 << 20;

/// Literals of fewer digits are left to MLIR.
const LEAST: usize = 1 << 20;

/// The text without large literals, and their bytes in order. Line numbers are kept. Where the text is invalid, MLIR is to say so:
/// what is in doubt stays.
pub(crate) fn take_out(text: &str) -> (Cow<'_, str>, Vec<Vec<u8>>) {
    let (mut rest, mut elements) = (String::new(), Vec::new());
    let (mut copied, mut at) = (0, 0);
    if text.len() < LEAST || text.contains(NUMBERED) {
        return (Cow::Borrowed(text), elements);
    }
    while let Some(found) = text[at..].find(OPEN) {
        let begin = at + found;
        let start = begin + OPEN.len();
        let Some(length) = text[start..].find('"') else { break };
        let end = start + length;
        let digits = &text[start..end];
        if let Some(after) = text[end..].strip_prefix("\">").filter(|after| is_typed(after))
            && let Some(bytes) = (length >= LEAST).then(|| decoded(digits)).flatten()
        {
            rest.push_str(&text[copied..begin]);
            rest.push_str(&format!("{NUMBERED}{}>", elements.len()));
            elements.push(bytes);
            copied = text.len() - after.len();
        }
        unload(digits.as_bytes());
        at = end;
    }
    if elements.is_empty() {
        return (Cow::Borrowed(text), elements);
    }
    rest.push_str(&text[copied..]);
    (Cow::Owned(rest), elements)
}

/// Whether the type of the elements follows, which are not bits.
fn is_typed(after: &str) -> bool {
    let Some(ty) = after.trim_start().strip_prefix(':') else { return false };
    let ty = ty.split('>').next().unwrap_or_default();
    ty.trim_start().starts_with("tensor<")
        && ty.split(['<', 'x', ',', ' ']).all(|word| word != "i1")
}

/// The values of digits; of other bytes more than 15.
const VALUES: [u8; 256] = {
    let mut values = [16; 256];
    let mut value = 0;
    while value < 16 {
        let digit = b"0123456789abcdef"[value];
        values[digit.to_ascii_uppercase() as usize] = value as u8;
        values[digit as usize] = value as u8;
        value += 1;
    }
    values
};

fn decoded(digits: &str) -> Option<Vec<u8>> {
    let (pairs, odd) = digits.as_bytes().as_chunks::<2>();
    if !odd.is_empty() {
        return None;
    }
    let mut bytes = Vec::with_capacity(pairs.len());
    for (at, [high, low]) in pairs.iter().enumerate() {
        if at % LOADED == LOADED - 1 {
            unload(digits.as_bytes());
        }
        let (high, low) = (VALUES[usize::from(*high)], VALUES[usize::from(*low)]);
        if high | low > 15 {
            return None;
        }
        bytes.push(high << 4 | low);
    }
    Some(bytes)
}
