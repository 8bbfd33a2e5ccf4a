//! Messages of the dialect in the builder's words: `f32[2,3]` for `tensor<2x3xf32>`, `s32` for `i32`.

use strata_ir::{ElementType, SharedContext, parse_type};

use crate::shape::Shape;

/// The name of an element type: `pred`, `s32`, `u8`, `c64`, `f32`.
pub(crate) fn element(element: ElementType) -> String {
    match element {
        ElementType::Bool => "pred".to_owned(),
        ElementType::Signed(bits) => format!("s{bits}"),
        ElementType::Unsigned(bits) => format!("u{bits}"),
        ElementType::Complex(bits) => format!("c{bits}"),
        other => other.to_string().to_lowercase(),
    }
}

/// Words of regions and types, and those of the builder.
const WORDS: &[(&str, &str)] = &[
    (", to be promotable from the ", ", to have the element type of the "),
    ("the reduction region", "the computation"),
    ("the initial value's ", "the initial value, "),
    ("the input's ", "the input, "),
];

/// The message with the builder's names of types.
pub(crate) fn of_message(message: &str) -> String {
    let mut text = tensors(message);
    if text.contains("promotable") {
        text = WORDS.iter().fold(text, |text, (from, to)| text.replace(from, to));
        text.push_str(", or a wider one");
    }
    words(&text)
}

/// With the shapes of `tensor<…>`.
fn tensors(message: &str) -> String {
    const START: &str = "tensor<";
    let (mut text, mut rest) = (String::new(), message);
    while let Some(at) = rest.find(START) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let mut depth = 0;
        let end = rest.char_indices().find_map(|(at, letter)| {
            depth += i32::from(letter == '<') - i32::from(letter == '>');
            (letter == '>' && depth == 0).then_some(at + 1)
        });
        let whole = &rest[..end.unwrap_or(START.len())];
        let context = SharedContext::of_thread();
        let shape = parse_type(context.get(), whole).and_then(Shape::from_type);
        match shape {
            Some(shape) => text.push_str(&shape.to_string()),
            None => text.push_str(whole),
        }
        rest = &rest[whole.len()..];
    }
    text + rest
}

/// With the names of element types that are words of their own.
fn words(text: &str) -> String {
    let text = text.replace("complex<f32>", "c64").replace("complex<f64>", "c128");
    let is_inside = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let (mut result, mut word) = (String::new(), String::new());
    let spelt = |word: &str| {
        let bits = |rest: &str| rest.parse::<u32>().is_ok_and(|bits| (1..=64).contains(&bits));
        match (word.strip_prefix("ui"), word.strip_prefix('i')) {
            _ if word == "i1" => "pred".to_owned(),
            (Some(rest), _) if bits(rest) => format!("u{rest}"),
            (_, Some(rest)) if bits(rest) => format!("s{rest}"),
            _ => word.to_owned(),
        }
    };
    for letter in text.chars() {
        if is_inside(letter) {
            word.push(letter);
            continue;
        }
        result.push_str(&spelt(&std::mem::take(&mut word)));
        result.push(letter);
    }
    result + &spelt(&word)
}

#[cfg(test)]
mod tests {
    use super::of_message;

    #[test]
    fn types_are_spelt_as_shapes() {
        for (message, expected) in [
            (
                "expected 'tensor<2x3xf32>', found 'tensor<i1>'",
                "expected 'f32[2,3]', found 'pred[]'",
            ),
            ("found 'tensor<?x0xcomplex<f32>>' of i32", "found 'c64[?,0]' of s32"),
            ("'ui8', not 'i64'; item i and i65x", "'u8', not 's64'; item i and i65x"),
            ("of tensor<", "of tensor<"),
            (
                "expected result 0 of the reduction region, 'tensor<f32>', to be promotable from the initial value's 'f64'",
                "expected result 0 of the computation, 'f32[]', to have the element type of the initial value, 'f64', or a wider one",
            ),
        ] {
            assert_eq!(of_message(message), expected);
        }
    }
}
